"""Detection of encodings, and of content that cannot be read as text."""

import json
import os
from pathlib import Path

import pytest

from filewright import system
from filewright.settings import Settings
from filewright.text import codec
from filewright.text.codec import Encoding
from filewright.text.snapshot import Snapshot

SENTENCES = {
    row["language"]: (row["encodings"], row["sentences"])
    for row in json.loads(
        Path(__file__).with_name("sentences.json").read_text("utf-8")
    )["texts"]
}


JAPANESE = "日本語のテキストです。\nこれは表とソースと能力です\n" * 3


@pytest.mark.parametrize(
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
    ids=[
        "empty",
        "ascii",
        "utf-8",
        "utf-8-bom",
        "utf-16-le",
        "utf-16-be",
        "utf-8-and-stray-byte",
        "ascii-and-stray-byte",
        "ascii-and-stray-bytes",
        "latin-1",
        "one-letter",
        "punctuation",
        "shift_jis",
        "gb18030",
        "cp1251",
        "koi8-r",
        "text-like-exe",
        "text-like-bitmap",
    ],
)
def test_detects_encoding(data, name, invalid):
    encoding = Snapshot(data).encoding
    assert (encoding.name, encoding.has_invalid_bytes) == (name, invalid)


@pytest.mark.parametrize("prefix", [b"BM", b"ID3", b"MZ", b"%PDF", b"GIF89a"])
def test_text_with_binary_prefix(prefix):
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
    ids=[
        "png",
        "nul",
        "nul-at-end",
        "nul-in-middle",
        "utf-32-le",
        "utf-32-be",
        "utf-16",
    ],
)
def test_binary_type(data, binary):
    assert Snapshot(data).binary_type == binary


def test_samples_large_files(tmp_path):
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
    ("mark", "name"),
    [
        (b"\xfe\xff", "utf-16-be"),
        (b"\xff\xfe", "utf-16-le"),
        (b"", "utf-16-le"),
    ],
    ids=["big-endian", "little-endian", "no-mark"],
)
def test_requested_utf16_follows_mark(mark, name):
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


SHORT_TEXTS = [
    (sentence, encoding)
    for encodings, sentences in SENTENCES.values()
    for encoding in encodings
    for sentence in sentences
]


def read_text(content: bytes) -> tuple[str, Encoding]:
    encoding = Snapshot(content).encoding
    return codec.decode(content, encoding), encoding


def test_guesses_short_texts():
    assert len(SHORT_TEXTS) >= 200
    assert len(SENTENCES) >= 15
    right = 0
    for sentence, encoding in SHORT_TEXTS:
        text, detected = read_text(f"{sentence}\n".encode(encoding))
        assert detected.is_guess
        assert 0 < detected.confidence <= 1
        right += text == f"{sentence}\n"
    assert right / len(SHORT_TEXTS) >= 0.98


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        (language, encoding)
        for language, (encodings, _) in SENTENCES.items()
        for encoding in encodings
    ],
)
def test_guesses_paragraphs(language, encoding):
    paragraph = "\r\n".join(SENTENCES[language][1])
    text, detected = read_text(paragraph.encode(encoding))
    assert text == paragraph.replace("\r\n", "\n")
    assert detected.is_guess


@pytest.mark.parametrize(
    "word",
    ["찾기", "찾는다", "한글", "저장", "다시 찾기", "찾아 바꾸기"],
    ids=["search", "searches", "hangul", "save", "search-again", "replace"],
)
def test_guesses_short_korean(word):
    text, detected = read_text(f"# {word}\n".encode("euc-kr"))
    assert (text, detected.has_invalid_bytes) == (f"# {word}\n", False)


def test_keeps_damaged_utf8():
    for sentence, encoding in SHORT_TEXTS:
        content = f"{sentence}\n".encode() + b"and a stray \xff byte\n"
        assert Snapshot(content).encoding.name == "utf-8", (sentence, encoding)


DECLARED = [
    # The text, the encoding of the file, the encoding that is detected.
    ("# -*- coding: latin-1 -*-\nname = 'Größe'\n", "latin-1", "iso8859_1"),
    (
        "#!/usr/bin/python\n# coding=koi8-r\nname = 'привет'\n",
        "koi8-r",
        "koi8_r",
    ),
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
    (
        '<html>\n<head>\n<meta charset="shift_jis">\n日本語\n',
        "shift_jis",
        "shift_jis",
    ),
    (
        '<meta http-equiv="Content-Type" content="text/html; charset=gbk">\n汉字\n',
        "gbk",
        "gbk",
    ),
    (
        '@charset "iso-8859-1";\na::before { content: "é" }\n',
        "latin-1",
        "iso8859_1",
    ),
    # Ignored: an impossible or unknown declaration, and one too far from the start.
    ("# coding: euc-jp\nGröße und Übermaß\n", "cp1252", "cp1252"),
    ("# coding: latin-1\nprice = '5 €' # Größe\n", "cp1252", "cp1252"),
    ("# coding: nonsense\nGröße und Übermaß\n", "cp1252", "cp1252"),
    ("# coding: utf-8\nGröße und Übermaß\n", "cp1252", "cp1252"),
    ("a\nb\n# coding: koi8-r\nGröße und Übermaß\n", "cp1252", "cp1252"),
]


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    DECLARED,
    ids=[
        "emacs",
        "python",
        "lisp",
        "vim",
        "xml",
        "html",
        "http-equiv",
        "css",
        "not-decodable",
        "control-characters",
        "unknown-label",
        "not-utf-8",
        "third-line",
    ],
)
def test_follows_declaration(text: str, encoding: str, name: str) -> None:
    data = text.encode(encoding)
    detected = Snapshot(data, settings=Settings()).encoding
    assert detected.name == name
    assert detected.is_guess == (name == "cp1252")
