"""Text to bytes and back, and the names of encodings."""

import json
import string
from pathlib import Path

import pytest
from tests.samples import in_part

from filewright.errors import Code, FilewrightError
from filewright.text import codec
from filewright.text.codec import ENCODINGS, Encoding
from filewright.text.snapshot import Snapshot

SENTENCES = {
    row["language"]: (row["encodings"], row["sentences"])
    for row in json.loads(
        Path(__file__).with_name("sentences.json").read_text("utf-8")
    )["texts"]
}


@pytest.mark.parametrize(
    ("text", "encoding", "terminator", "expected"),
    [
        ("a\nb", "utf-8", b"\r\n", b"a\r\nb"),
        ("a\r\nb\rc", "utf-8", b"\n", b"a\nb\nc"),
        ("é\n", "cp1252", b"\r", b"\xe9\r"),
        ("日", "cp932", b"\n", "日".encode("cp932")),
    ],
    ids=["crlf", "lf", "cr", "multibyte"],
)
def test_encodes_text(text, encoding, terminator, expected):
    assert codec.encode(text, Encoding(encoding), terminator) == expected


@pytest.mark.parametrize(
    ("text", "encoding", "code"),
    [
        ("日本", "cp1252", Code.UNENCODABLE),
        ("a\ud83d", "utf-8", Code.INVALID_INPUT),
        ("€", "latin-1", Code.UNENCODABLE),
    ],
    ids=["japanese", "surrogate", "euro"],
)
def test_refuses_unencodable(text, encoding, code):
    with pytest.raises(FilewrightError) as caught:
        codec.encode(text, Encoding(encoding))
    assert caught.value.code == code
    if code is Code.UNENCODABLE:
        assert repr(text[0]) in caught.value.message


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("utf-8", "aé日😀"),
        ("utf-16-le", "aé日😀"),
        ("gb18030", "aé日😀"),
        ("cp932", "a日b"),
        ("latin-1", "aé"),
    ],
    ids=["utf-8", "utf-16-le", "gb18030", "cp932", "latin-1"],
)
def test_cuts_at_character(name, text):
    data = text.encode(name) * 3
    for limit in range(1, len(data) + 2):
        piece = codec.cut_at_character(data, limit, Encoding(name))
        assert len(piece) <= limit
        assert (text * 3).startswith(piece.decode(name))
        assert len(piece) > limit - 4 or limit < 4


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("UTF8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("ASCII", "ascii"),
        ("latin1", "iso8859_1"),
        ("windows-1250", "cp1250"),
        ("SJIS", "shift_jis"),
        ("UTF-16LE", "utf-16-le"),
        ("utf-16", "utf-16"),
    ],
)
def test_finds_encoding_by_label(label, name):
    assert codec.require_encoding(label) == name


UNKNOWN_ENCODINGS = [
    "nope", "", "\0", "base64", "rot13", "rot_13", "hex", "zlib", "bz2", "quopri", "uu", "undefined", "idna",
    "punycode", "unicode_escape", "raw_unicode_escape", "utf-7", "utf-32", "utf-32-le", "utf_32_be", "hz",
    "iso2022_jp", "iso2022_kr", "cp037", "cp500", "cp1140", "mbcs", "oem", "palmos", "x" * 5000,
]  # fmt: skip


@pytest.mark.parametrize(
    "label", UNKNOWN_ENCODINGS, ids=lambda label: ascii(label)[:20]
)
def test_refuses_unknown_encoding(
    label,
):
    with pytest.raises(FilewrightError) as caught:
        codec.require_encoding(label)
    assert caught.value.code == Code.INVALID_INPUT
    assert "utf-8" in caught.value.hint
    assert "cp1250" in caught.value.hint


@pytest.mark.parametrize(
    "name", sorted(ENCODINGS - {"utf-16", "utf-16-le", "utf-16-be"})
)
def test_encodings_contain_ascii(name):
    """Terminators are found as bytes, and no splice depends on the text before it."""
    plain = (
        "\t\n\r "
        + string.ascii_letters
        + string.digits
        + "_=+-*/.,:;()[]{}<>'\"#"
    )
    assert plain.encode(name) == plain.encode("ascii")
    assert codec.require_encoding(name) == name


def refused(text: str, encoding: Encoding) -> FilewrightError:
    with pytest.raises(FilewrightError) as caught:
        codec.encode(text, encoding)
    return caught.value


def test_refuses_character_of_rivals():
    content = "# načte všechny řádky ze vstupního souboru\n".encode("iso8859-2")
    encoding = Snapshot(content).encoding
    assert encoding.is_guess
    assert {encoding.name, *encoding.rivals} >= {"cp1250", "iso8859_2"}
    error = refused("Šárka", encoding)  # Other bytes in each of the two.
    assert error.code == Code.UNENCODABLE
    assert "'Š'" in error.message
    assert "the encoding is a guess" in error.message
    assert 'encoding="' in error.hint
    assert (
        codec.encode("Řada", encoding)
        == "Řada".encode("cp1250")
        == "Řada".encode("iso8859-2")
    )
    assert codec.encode("plain ascii", encoding) == b"plain ascii"
    sure = Snapshot(content, encoding="iso8859_2").encoding
    assert codec.encode("Šárka", sure) == "Šárka".encode("iso8859-2")


def test_writes_known_characters():
    content = "La città è più bella\n".encode("latin-1")
    encoding = Snapshot(content).encoding
    assert encoding.name == "cp1252"
    assert codec.encode("più città", encoding) == "più città".encode("latin-1")
    assert refused("š", encoding).code == Code.UNENCODABLE


def test_long_text_needs_no_rivals():
    content = "\n".join(SENTENCES["french"][1]).encode("latin-1")
    encoding = Snapshot(content).encoding
    for letter in "àâçéèêëîïôùûü":
        assert codec.encode(letter, encoding) == letter.encode("latin-1")


def test_requested_ascii_takes_only_ascii():
    encoding = Snapshot(
        b"plain\n", encoding=codec.require_encoding("ascii")
    ).encoding
    assert codec.encode("x", encoding) == b"x"
    assert refused("é", encoding).code == Code.UNENCODABLE
    assert codec.decode(b"caf\xe9", encoding) == "caf\ufffd"


LETTERS = sorted(
    {
        word
        for _, sentences in SENTENCES.values()
        for word in " ".join(sentences).split()
    }
)


@in_part(6)
@pytest.mark.parametrize(
    "name",
    sorted(ENCODINGS - {"utf-8", "ascii", "utf-16", "utf-16-le", "utf-16-be"}),
)
def test_never_guesses_new_letters(name: str, share: int) -> None:
    """New letters in a file of one word are written right, or refused."""
    words = [
        word
        for word in LETTERS
        if not word.isascii() and codec.try_encode(name, word)
    ]
    wrong = count = 0
    pairs = [*zip(words[::7], words[3::7], strict=False)]
    for word, new in pairs[::share]:
        data = f"{word}\nif x\n".encode(name)
        if data.isascii() or b"\0" in data:
            continue
        encoding = Snapshot(data).encoding
        if not encoding.is_guess:
            continue  # The word is UTF-8 as well.
        count += 1
        try:
            wrong += codec.encode(new, encoding) != new.encode(name)
        except FilewrightError:
            continue
    assert wrong * 20 <= count, f"{wrong} of {count}"
