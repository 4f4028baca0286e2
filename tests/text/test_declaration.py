"""Texts that declare their encoding, and what is written into them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.rows import each_row

from filewright.errors import Code, FilewrightError
from filewright.text import codec
from filewright.text.codec import ENCODINGS, WIDE, try_encode
from filewright.text.declaration import encode_as_declared, find_declaration
from filewright.text.snapshot import Snapshot

FORMS = [
    "# -*- coding: {} -*-\nx = 1\n",
    "#!/usr/bin/env python\n# coding={}\nx = 1\n",
    "# vim: set fileencoding={} :\nx = 1\n",
    "/* vim:fenc={}: */\nint x;\n",
    "# encoding: {}\nx = 1\n",
    ";; -*- mode: lisp; coding: {} -*-\n(x)\n",
    '<?xml version="1.0" encoding="{}"?>\n<a/>\n',
    "<?xml version='1.0' encoding = '{}' ?><a/>",
    '<!DOCTYPE html>\n<html><head><meta charset="{}"></head>\n',
    '<html><HEAD><META HTTP-EQUIV="Content-Type" CONTENT="text/html; CHARSET={}">\n',
    "<!-- a page -->\n<meta charset={}>\n",
    '@charset "{}";\na {{ color: red }}\n',
    '<%@ page language="java" pageEncoding="{}" %>\n',
    "\\documentclass{{article}}\n\\usepackage[{}]{{inputenc}}\n",
    'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset={}\\n"\n',
    "x = 1\n" * 900 + "# vim: fileencoding={}\n",
    "(x)\n" * 1200 + ";; Local Variables:\n;; mode: lisp\n;; coding: {}\n;; End:\n",
]


@each_row("form", FORMS)
def test_an_ascii_file_is_in_the_encoding_it_declares(form: str) -> None:
    encoding = Snapshot(form.format("latin-1").encode()).encoding
    assert (encoding.name, encoding.declared_label, encoding.is_guess) == (
        "iso8859_1",
        "latin-1",
        False,
    )
    assert codec.encode("é", encoding) == b"\xe9"
    with pytest.raises(FilewrightError) as caught:
        codec.encode("€", encoding)
    assert caught.value.code == Code.UNENCODABLE
    assert "latin-1, the encoding that the file declares" in caught.value.message


@each_row("name", sorted(ENCODINGS - {*WIDE}))
def test_every_encoding_can_be_declared(name: str) -> None:
    letter = next(
        c
        for c in map(chr, [*range(0xC0, 0x3000), 0x65E5])
        if try_encode(name, c) or name == "ascii"
    )
    encoding = Snapshot(f"# coding: {name}\nx = 1\n".encode()).encoding
    assert encoding.name == name
    if name == "ascii":
        with pytest.raises(FilewrightError):
            codec.encode(letter, encoding)
    else:
        assert codec.encode(letter, encoding) == letter.encode(name)


@each_row(
    ("label", "name"),
    [
        ("latin-1-unix", "iso8859_1"),
        ("iso-latin-1-dos", "iso8859_1"),
        ("windows-1251", "cp1251"),
        ("CP-1252", "cp1252"),
        ("Shift_JIS", "shift_jis"),
        ("Windows-31J", "cp932"),
        ("x-euc-jp", "euc_jp"),
        ("macintosh", "mac_roman"),
        ("US-ASCII", "ascii"),
        ("ks_c_5601-1987", "euc_kr"),
        ("utf8", "utf-8"),
        ("utf-8-unix", "utf-8"),
        # Encodings that are not written here: such a file stays ASCII.
        ("utf-7", "ascii"),
        ("iso-2022-jp", "ascii"),
        ("hz", "ascii"),
        ("cp037", "ascii"),
        ("euc-tw", "ascii"),
        ("viscii", "ascii"),
    ],
)
def test_labels_are_those_of_other_programs(label: str, name: str) -> None:
    assert Snapshot(f"# coding: {label}\n".encode()).encoding.name == name


@each_row(
    "text",
    [
        "PAGE = '<meta charset=\"latin-1\">'\n",
        "const css = '@charset \"latin-1\";'\n",
        "x = 1\ny = 2\n# coding: latin-1\n",
        "x = 1\n# coding: latin-1\n",
        "# the encoding: see below\n",
        "set fileencoding=latin1\n",
        '<!-- <meta charset="latin-1"> --><p>\n',
        '<?xml version="1.0" encoding="UTF-16"?>\n',
        'msgstr "charset=latin-1"\n',
        "% \\usepackage[latin1]{inputenc}\n\\usepackage[utf8]{inputenc}\n",
        "x = 1\n" * 1000 + "# coding: latin-1\n" + "x = 1\n" * 1000,
    ],
)
def test_what_declares_nothing_is_utf8(text: str) -> None:
    assert Snapshot(text.encode()).encoding.name == "utf-8"


def test_a_heading_of_prose_declares_nothing() -> None:
    head = b"# coding: latin-1 and other old things\n"
    assert find_declaration(head, file_name=b"notes.md") is None
    assert find_declaration(head, file_name=b"notes.py") is not None


def test_utf8_stays_utf8_whatever_it_declares() -> None:
    assert Snapshot("# coding: latin-1\nx = 'é'\n".encode()).encoding.name == "utf-8"
    assert Snapshot(b"\xef\xbb\xbf# coding: latin-1\n").encoding.name == "utf-8"


@examples(60)
@given(
    st.sampled_from(sorted(ENCODINGS - {*WIDE, "ascii"})),
    st.lists(
        st.sampled_from(["x", "é\n", "ж", "日本", "\r\n", "Ω\r", " "]), max_size=8
    ).map("".join),
)
def test_a_new_file_is_written_as_it_declares_or_refused(name: str, text: str) -> None:
    content = f"# coding: {name}\n{text}"
    if try_encode(name, content) is None:
        with pytest.raises(FilewrightError, match="unencodable"):
            encode_as_declared(content.encode(), b"new.py")
    else:
        assert encode_as_declared(content.encode(), b"new.py") == content.encode(name)
