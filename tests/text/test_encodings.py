"""What a file's bytes are taken for, and that text goes back only in that encoding."""

import json
import os
import string
from pathlib import Path

import pytest
from tests.rows import each_row

from filewright import system
from filewright.errors import Code, FilewrightError
from filewright.settings import Settings
from filewright.text import codec
from filewright.text.codec import ENCODINGS, Encoding
from filewright.text.snapshot import Snapshot

SENTENCES = {
    row["language"]: (row["encodings"], row["sentences"])
    for row in json.loads(
        Path(__file__).with_name("sentences.json").read_text("utf-8")
    )["texts"]
}

JAPANESE = "日本語のテキストです。\nこれは表とソースと能力です\n" * 3


@each_row(
    ("data", "name", "invalid"),
    [
        (b"", "utf-8", False),
        (b"plain\n", "utf-8", False),
        ("naïve café\n".encode(), "utf-8", False),
        (b"\xef\xbb\xbfx\n", "utf-8", False),
        (b"\xff\xfex\0\n\0", "utf-16-le", False),
        (b"\xfe\xff\0x\0\n", "utf-16-be", False),
        ("café naïve\n".encode() + b"x \xff y\n", "utf-8", True),
        (b"hello world\nsecond \xff here\n", "utf-8", True),
        (b"line one\nbad \xff\xfe bytes\n", "utf-8", True),
        (
            "Le café est prêt, voilà la clé du problème.\n".encode("latin-1"),
            "cp1252",
            False,
        ),
        (b"# auteur: Andr\xe9\nx = 1\n", "cp1252", False),
        ("“quoted” — and €5\n".encode("cp1252"), "cp1252", False),
        (JAPANESE.encode("shift_jis"), "cp932", False),
        ("中文文本文件，测试编码。\n".encode("gb18030"), "gb18030", False),
        ("Привет, мир\nЭто текст\n".encode("cp1251"), "cp1251", False),
        ("Привет, мир, как дела\n".encode("koi8-r"), "koi8_r", False),
        (b"MZ is text here\n", "utf-8", False),
        (b"BM and ID3 are text\n", "utf-8", False),
    ],
)
def test_detection(data, name, invalid):
    encoding = Snapshot(data).encoding
    assert (encoding.name, encoding.has_invalid_bytes) == (name, invalid)


@pytest.mark.parametrize("prefix", [b"BM", b"ID3", b"MZ", b"%PDF", b"GIF89a"])
def test_text_that_begins_like_a_binary_is_text(prefix):
    assert Snapshot(prefix + b" is how this text begins\n").binary_type is None


@pytest.mark.parametrize(
    ("data", "binary"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "image/png"),
        (b"a\0b", "application/octet-stream"),
        (b"x" * 9000 + b"\0", "application/octet-stream"),
        (b"x" * 9000 + b"\0" + b"y" * 9000, None),
        (b"\xff\xfe\0\0a\0\0\0", "text/plain; charset=utf-32"),
        (b"\0\0\xfe\xff\0\0\0a", "text/plain; charset=utf-32"),
        (b"\xff\xfea\0", None),
    ],
)
def test_binary_is_a_nul_near_an_end(data, binary):
    assert Snapshot(data).binary_type == binary


def test_large_files_are_sampled_and_small_ones_looked_at_whole(tmp_path):
    data = b"ascii line\n" * 40_000
    late = data[:200_000] + "café\n".encode("latin-1") + data[200_000:]
    path = tmp_path / "f"
    path.write_bytes(late)
    assert Snapshot(late).encoding.name == "cp1252"
    reads = []
    with Snapshot.of_file(
        system.open_file(os.fsencode(path)), None, Settings(hold_bytes=0)
    ) as snapshot:
        whole = snapshot.read
        snapshot.read = lambda o, n: reads.append(n) or whole(o, n)
        assert snapshot.encoding.is_sampled
    assert sum(reads) < 300_000


@pytest.mark.parametrize(
    ("text", "encoding", "terminator", "expected"),
    [
        ("a\nb", "utf-8", b"\r\n", b"a\r\nb"),
        ("a\r\nb\rc", "utf-8", b"\n", b"a\nb\nc"),
        ("é\n", "cp1252", b"\r", b"\xe9\r"),
        ("日", "cp932", b"\n", "日".encode("cp932")),
    ],
)
def test_encoded(text, encoding, terminator, expected):
    assert codec.encode(text, Encoding(encoding), terminator) == expected


@pytest.mark.parametrize(
    ("text", "encoding", "code"),
    [
        ("日本", "cp1252", Code.UNENCODABLE),
        ("a\ud83d", "utf-8", Code.INVALID_INPUT),
        ("€", "latin-1", Code.UNENCODABLE),
    ],
)
def test_what_cannot_be_written_is_refused_by_name(text, encoding, code):
    with pytest.raises(FilewrightError) as caught:
        codec.encode(text, Encoding(encoding))
    assert caught.value.code == code
    if code is Code.UNENCODABLE:
        assert repr(text[0]) in caught.value.message


@pytest.mark.parametrize("name", ["utf-8", "cp932", "utf-16-le", "latin-1", "gb18030"])
def test_cut_ends_on_a_character(name):
    text = (
        "aé日😀"
        if name in ("utf-8", "utf-16-le", "gb18030")
        else ("a日b" if name == "cp932" else "aé")
    )
    data = text.encode(name) * 3
    for limit in range(1, len(data) + 2):
        piece = codec.cut_at_character(data, limit, Encoding(name))
        assert len(piece) <= limit
        assert (text * 3).startswith(piece.decode(name))
        assert len(piece) > limit - 4 or limit < 4


@each_row(
    ("asked", "name"),
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
def test_named_encodings(asked, name):
    assert codec.require_encoding(asked) == name


NOT_TEXT = [
    "nope", "", "\0", "base64", "rot13", "rot_13", "hex", "zlib", "bz2", "quopri", "uu", "undefined", "idna",
    "punycode", "unicode_escape", "raw_unicode_escape", "utf-7", "utf-32", "utf-32-le", "utf_32_be", "hz",
    "iso2022_jp", "iso2022_kr", "cp037", "cp500", "cp1140", "mbcs", "oem", "palmos", "x" * 5000,
]  # fmt: skip


@each_row("asked", NOT_TEXT)
def test_what_is_no_encoding_of_files_is_refused_and_the_hint_names_those_that_are(
    asked,
):
    with pytest.raises(FilewrightError) as caught:
        codec.require_encoding(asked)
    assert caught.value.code == Code.INVALID_INPUT
    assert "utf-8" in caught.value.hint
    assert "cp1250" in caught.value.hint


@each_row("name", sorted(ENCODINGS - {"utf-16", "utf-16-le", "utf-16-be"}))
def test_every_encoding_that_is_read_writes_plain_text_as_ascii(name):
    """So that terminators are found as bytes and a splice never depends on what came before it."""
    plain = "\t\n\r " + string.ascii_letters + string.digits + "_=+-*/.,:;()[]{}<>'\"#"
    assert plain.encode(name) == plain.encode("ascii")
    assert codec.require_encoding(name) == name


@pytest.mark.parametrize(
    ("mark", "name"),
    [(b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"), (b"", "utf-16-le")],
)
def test_utf16_asked_for_by_name_follows_the_mark(mark, name):
    text = "first\nsecond\n"
    snapshot = Snapshot(
        mark + text.encode(name), encoding=codec.require_encoding("utf-16")
    )
    assert (snapshot.encoding.name, snapshot.encoding.bom) == (name, mark)
    assert [
        codec.decode(line.body, snapshot.encoding)
        for line in snapshot.lines.read_lines()
    ] == [
        "first",
        "second",
    ]


TABLE = [
    pytest.param(sentence, encoding, id=f"{language}-{encoding}-{number}")
    for language, (encodings, sentences) in SENTENCES.items()
    for encoding in encodings
    for number, sentence in enumerate(sentences, 1)
]


def _read(content: bytes) -> tuple[str, Encoding]:
    encoding = Snapshot(content).encoding
    return codec.decode(content, encoding), encoding


def test_of_short_texts_in_many_languages_nearly_all_are_read_right():
    """One sentence a file; wrong guesses are few, and named as guesses."""
    assert len(TABLE) >= 200
    assert len(SENTENCES) >= 15
    right = 0
    for sentence, encoding in (case.values for case in TABLE):
        text, found = _read(f"{sentence}\n".encode(encoding))
        assert found.is_guess
        assert 0 < found.confidence <= 1
        right += text == f"{sentence}\n"
    assert right / len(TABLE) >= 0.98


@each_row(
    ("language", "encoding"),
    [(name, each) for name, (all_, _) in SENTENCES.items() for each in all_],
)
def test_a_paragraph_is_read_right_in_every_language(language, encoding):
    paragraph = "\r\n".join(SENTENCES[language][1])
    text, found = _read(paragraph.encode(encoding))
    assert text == paragraph.replace("\r\n", "\n")
    assert found.is_guess


@pytest.mark.parametrize(
    "word", ["찾기", "찾는다", "한글", "저장", "다시 찾기", "찾아 바꾸기"]
)
def test_short_korean_is_not_taken_for_damaged_utf8(word):
    text, found = _read(f"# {word}\n".encode("euc-kr"))
    assert (text, found.has_invalid_bytes) == (f"# {word}\n", False)


def test_utf8_with_a_few_damaged_bytes_stays_utf8():
    for sentence, encoding in (case.values for case in TABLE):
        content = f"{sentence}\n".encode() + b"and a stray \xff byte\n"
        assert Snapshot(content).encoding.name == "utf-8", (sentence, encoding)


def refused(text: str, encoding: Encoding) -> FilewrightError:
    with pytest.raises(FilewrightError) as caught:
        codec.encode(text, encoding)
    return caught.value


def test_a_character_that_a_weak_guess_may_get_wrong_is_not_written():
    content = "# načte všechny řádky ze vstupního souboru\n".encode("iso8859-2")
    encoding = Snapshot(content).encoding
    assert encoding.is_guess
    assert {encoding.name, *encoding.rivals} >= {"cp1250", "iso8859_2"}
    error = refused("Šárka", encoding)  # other bytes in each of the two
    assert error.code == Code.UNENCODABLE
    assert "'Š'" in error.message
    assert "guessed" in error.message
    assert 'encoding="' in error.hint
    assert (
        codec.encode("Řada", encoding)
        == "Řada".encode("cp1250")
        == "Řada".encode("iso8859-2")
    )
    assert codec.encode("plain ascii", encoding) == b"plain ascii"
    sure = Snapshot(content, encoding="iso8859_2").encoding
    assert codec.encode("Šárka", sure) == "Šárka".encode("iso8859-2")


def test_characters_that_the_file_holds_are_written_as_they_stand_there():
    content = "La città è più bella\n".encode("latin-1")
    encoding = Snapshot(content).encoding
    assert encoding.name == "cp1252"
    assert codec.encode("più città", encoding) == "più città".encode("latin-1")
    assert refused("š", encoding).code == Code.UNENCODABLE


def test_a_guess_from_much_text_writes_what_its_language_needs():
    content = "\n".join(SENTENCES["french"][1]).encode("latin-1")
    encoding = Snapshot(content).encoding
    for letter in "àâçéèêëîïôùûü":
        assert codec.encode(letter, encoding) == letter.encode("latin-1")


DECLARED = [
    # what the file begins with, in which encoding it is, what is read
    ("# -*- coding: latin-1 -*-\nname = 'Größe'\n", "latin-1", "iso8859_1"),
    ("#!/usr/bin/python\n# coding=koi8-r\nname = 'привет'\n", "koi8-r", "koi8_r"),
    (
        "; -*- mode: lisp; coding: iso-8859-2 -*-\n(žluťoučký kůň)\n",
        "iso-8859-2",
        "iso8859_2",
    ),
    ("// vim: set fileencoding=cp1251 :\nпривет\n", "cp1251", "cp1251"),
    (
        '<?xml version="1.0" encoding="ISO-8859-15"?>\n<a>für 5 €</a>\n',
        "iso8859-15",
        "iso8859_15",
    ),
    ('<html>\n<head>\n<meta charset="shift_jis">\n日本語\n', "shift_jis", "shift_jis"),
    (
        '<meta http-equiv="Content-Type" content="text/html; charset=gbk">\n汉字\n',
        "gbk",
        "gbk",
    ),
    ('@charset "iso-8859-1";\na::before { content: "é" }\n', "latin-1", "iso8859_1"),
    # Not believed: what it cannot be, what is none, and what comes too late.
    ("# coding: euc-jp\nGröße und Übermaß\n", "cp1252", "cp1252"),
    ("# coding: latin-1\nprice = '5 €' # Größe\n", "cp1252", "cp1252"),
    ("# coding: nonsense\nGröße und Übermaß\n", "cp1252", "cp1252"),
    ("# coding: utf-8\nGröße und Übermaß\n", "cp1252", "cp1252"),
    ("a\nb\n# coding: koi8-r\nGröße und Übermaß\n", "cp1252", "cp1252"),
]


@each_row(("text", "written", "read"), DECLARED)
def test_a_text_is_read_as_it_declares(text: str, written: str, read: str) -> None:
    data = text.encode(written)
    found = Snapshot(data, settings=Settings()).encoding
    assert found.name == read
    assert found.is_guess == (read == "cp1252")


def test_ascii_asked_for_by_name_takes_nothing_else():
    encoding = Snapshot(b"plain\n", encoding=codec.require_encoding("ascii")).encoding
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


@each_row(
    "name", sorted(ENCODINGS - {"utf-8", "ascii", "utf-16", "utf-16-le", "utf-16-be"})
)
def test_what_one_word_cannot_decide_is_refused(name: str) -> None:
    """A file of one word, in any encoding: new letters are written in it, or refused."""
    words = [
        word for word in LETTERS if not word.isascii() and codec.try_encode(name, word)
    ]
    wrong = count = 0
    for word, new in zip(words[::7], words[3::7], strict=False):
        data = f"{word}\nif x\n".encode(name)
        if data.isascii() or b"\0" in data:
            continue
        encoding = Snapshot(data).encoding
        if not encoding.is_guess:
            continue  # it is UTF-8 as well
        count += 1
        try:
            wrong += codec.encode(new, encoding) != new.encode(name)
        except FilewrightError:
            continue
    assert wrong * 20 <= count, f"{wrong} of {count}"
