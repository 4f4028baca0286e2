"""Texts that declare their encoding, and new files that do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.errors import Code, FilewrightError
from filewright.text import codec
from filewright.text.codec import ENCODINGS, WIDE, try_encode
from filewright.text.declaration import encode_as_declared, find_declaration
from filewright.text.snapshot import Snapshot

FORMS = {
    "emacs": "# -*- coding: {} -*-\nx = 1\n",
    "script": "#!/usr/bin/env python\n# coding={}\nx = 1\n",
    "vim-set": "# vim: set fileencoding={} :\nx = 1\n",
    "vim": "/* vim:fenc={}: */\nint x;\n",
    "comment": "# encoding: {}\nx = 1\n",
    "lisp": ";; -*- mode: lisp; coding: {} -*-\n(x)\n",
    "xml": '<?xml version="1.0" encoding="{}"?>\n<a/>\n',
    "xml-single-quotes": "<?xml version='1.0' encoding = '{}' ?><a/>",
    "html": '<!DOCTYPE html>\n<html><head><meta charset="{}"></head>\n',
    "http-equiv": '<html><HEAD><META HTTP-EQUIV="Content-Type" CONTENT="text/html; CHARSET={}">\n',
    "html-after-comment": "<!-- a page -->\n<meta charset={}>\n",
    "css": '@charset "{}";\na {{ color: red }}\n',
    "jsp": '<%@ page language="java" pageEncoding="{}" %>\n',
    "latex": "\\documentclass{{article}}\n\\usepackage[{}]{{inputenc}}\n",
    "gettext": 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset={}\\n"\n',
    "vim-at-end": "x = 1\n" * 900 + "# vim: fileencoding={}\n",
    "emacs-variables": "(x)\n" * 1200
    + ";; Local Variables:\n;; mode: lisp\n;; coding: {}\n;; End:\n",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_ascii_file_is_as_declared(form: str) -> None:
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
    assert (
        "latin-1, the encoding that the file declares" in caught.value.message
    )


@pytest.mark.parametrize("name", sorted(ENCODINGS - {*WIDE}))
def test_declares_each_encoding(name: str) -> None:
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


@pytest.mark.parametrize(
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
        # Encodings that filewright cannot write: such a file stays ASCII.
        ("utf-7", "ascii"),
        ("iso-2022-jp", "ascii"),
        ("hz", "ascii"),
        ("cp037", "ascii"),
        ("euc-tw", "ascii"),
        ("viscii", "ascii"),
    ],
)
def test_labels_of_other_programs(label: str, name: str) -> None:
    assert Snapshot(f"# coding: {label}\n".encode()).encoding.name == name


@pytest.mark.parametrize(
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
    ids=[
        "html-in-string",
        "css-in-string",
        "third-line",
        "after-code",
        "prose",
        "vim-command",
        "html-comment",
        "utf-16-in-ascii",
        "gettext-without-header",
        "latex-comment",
        "in-the-middle",
    ],
)
def test_ignores_other_text(text: str) -> None:
    assert Snapshot(text.encode()).encoding.name == "utf-8"


def test_ignores_heading_of_prose() -> None:
    head = b"# coding: latin-1 and other old things\n"
    assert find_declaration(head, file_name=b"notes.md") is None
    assert find_declaration(head, file_name=b"notes.py") is not None


def test_utf8_overrides_declaration() -> None:
    assert (
        Snapshot("# coding: latin-1\nx = 'é'\n".encode()).encoding.name
        == "utf-8"
    )
    assert Snapshot(b"\xef\xbb\xbf# coding: latin-1\n").encoding.name == "utf-8"


@examples(30)
@given(
    st.sampled_from(sorted(ENCODINGS - {*WIDE, "ascii"})),
    st.lists(
        st.sampled_from(["x", "é\n", "ж", "日本", "\r\n", "Ω\r", " "]),
        max_size=8,
    ).map("".join),
)
def test_encodes_new_file_as_declared(name: str, text: str) -> None:
    content = f"# coding: {name}\n{text}"
    if try_encode(name, content) is None:
        with pytest.raises(FilewrightError, match="unencodable"):
            encode_as_declared(content.encode(), b"new.py")
    else:
        assert encode_as_declared(
            content.encode(), b"new.py"
        ) == content.encode(name)
