"""No byte that was not asked for: which encodings may be edited, marks, terminators, weak guesses."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.promises import outside

from filewright import Workspace


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with (
        outside.folder() as place,
        Workspace(place / "work", state_dir=place / "state") as opened,
    ):
        yield opened


def _put(workspace: Workspace, data: bytes, name: str = "a.txt") -> Path:
    path = Path(workspace.roots[0].path.decode()) / name
    path.write_bytes(data)
    return path


NOT_TEXT = [
    "utf-32",
    "utf-32-le",
    "utf-32-be",
    "utf-7",
    "utf-8-sig-x",
    "unicode_escape",
    "raw_unicode_escape",
    "punycode",
    "idna",
    "hz",
    "iso2022_jp",
    "iso2022_jp_2",
    "iso2022_jp_2004",
    "iso2022_jp_3",
    "iso2022_jp_ext",
    "iso2022_kr",
    "cp037",
    "cp273",
    "cp424",
    "cp500",
    "cp875",
    "cp1026",
    "cp1140",
    "base64",
    "rot13",
    "uu",
    "zlib",
    "undefined",
    "mbcs",
    "oem",
    "string_escape",
]
"""Encodings in which a byte is not part of one character, or a line end is not a line end."""


@pytest.mark.parametrize("name", NOT_TEXT)
def test_an_encoding_that_is_not_known_to_be_safe_is_refused(
    workspace: Workspace, name: str
) -> None:
    try:
        data = "one\nਊਅ two\nthree\n".encode(name)
    except (LookupError, UnicodeError, ValueError, TypeError):
        data = b"one\ntwo\nthree\n"
    path = _put(workspace, data)
    edit = {
        "path": "a.txt",
        "edits": [{"search": "two", "replace": "2 é\nx"}],
        "encoding": name,
    }
    inserted = {
        "path": "a.txt",
        "edits": [{"search": "", "replace": "new", "start_line": 2}],
        "encoding": name,
    }
    for arguments in (edit, inserted):
        answer = workspace.call("edit_content", arguments)
        assert answer.code in ("invalid_input", "is_binary", "unsupported"), (
            f"{name}: {answer.text}"
        )
        assert path.read_bytes() == data
    answer = workspace.call("read_content", {"path": "a.txt", "encoding": name})
    assert not answer.is_error or answer.code in (
        "invalid_input",
        "is_binary",
        "unsupported",
    ), answer.text


@pytest.mark.parametrize("order", ["le", "be"])
def test_utf_16_by_name_follows_the_mark_in_the_file(
    workspace: Workspace, order: str
) -> None:
    mark = codecs.BOM_UTF16_LE if order == "le" else codecs.BOM_UTF16_BE
    path = _put(workspace, mark + "hello\nworld\n".encode(f"utf-16-{order}"))
    assert "hello" in workspace.read("a.txt", encoding="utf-16").text
    answer = workspace.call(
        "edit_content",
        {
            "path": "a.txt",
            "edits": [{"search": "world", "replace": "Erde"}],
            "encoding": "utf-16",
        },
    )
    if not answer.is_error:
        assert path.read_bytes() == mark + "hello\nErde\n".encode(
            f"utf-16-{order}"
        )


GUESSED = {
    "Italian": ("latin-1", "La città è più bella\nfine\n", "perché"),
    "French, one accent": ("cp1252", "un café noir\nfine\n", "œuvre š"),
    "Czech": ("iso8859-2", "Příliš žluťoučký kůň\nfine\n", "ťuk"),
    "Polish": ("cp1250", "Zażółć gęślą jaźń\nfine\n", "śnieg"),
    "German": ("cp1252", "Größe und Maß\nfine\n", "„Zähler“ š"),
    "Turkish": ("iso8859-9", "İstanbul'da güneşli bir gün\nfine\n", "ağaç"),
    "Russian": ("koi8-r", "Привет, мир, как дела\nfine\n", "ёж"),
    "Baltic": ("iso8859-13", "Ąžuolas žydi\nfine\n", "šuo"),
    "one sign": ("iso8859-15", "Preis: 10 \u20ac\nfine\n", "Š"),
}


def test_a_guess_never_writes_a_wrong_byte(workspace: Workspace) -> None:
    wrong = []
    for language, (encoding, text, new) in GUESSED.items():
        data = text.encode(encoding)
        path = _put(workspace, data)
        answer = workspace.call(
            "edit_content",
            {"path": "a.txt", "edits": [{"search": "fine", "replace": new}]},
        )
        try:
            meant = {data.replace(b"fine", new.encode(encoding))}
        except UnicodeEncodeError:
            meant = set()
        now = path.read_bytes()
        if now not in {data, *meant}:
            wrong.append(f"{language}: {now!r}")
        elif answer.is_error and answer.code != "unencodable":
            wrong.append(f"{language}: {answer.text}")
    assert wrong == []


# Marks and line ends


@pytest.mark.parametrize("rest", [b"ab\xff\ncd\n", b"\xff", b"a\r\nb\xe9\r\n"])
def test_overwriting_keeps_the_mark_of_a_file_with_an_invalid_byte(
    workspace: Workspace, rest: bytes
) -> None:
    path = _put(workspace, codecs.BOM_UTF8 + rest)
    workspace.write("a.txt", "new\n", mode="overwrite")
    assert path.read_bytes().startswith(codecs.BOM_UTF8 + b"new")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_a_mark_in_new_text_never_doubles_the_files_own(
    workspace: Workspace, encoding: str
) -> None:
    mark = "\ufeff".encode(encoding)
    data = mark + "ab\ncd\n".encode(encoding)
    path = _put(workspace, data)
    for arguments in (
        {"edits": [{"search": "ab", "replace": "\ufeffxy"}]},
        {"edits": [{"search": "", "replace": "\ufefffirst", "start_line": 1}]},
    ):
        path.write_bytes(data)
        workspace.call("edit_content", {"path": "a.txt", **arguments})
        assert path.read_bytes().startswith(mark)
        assert not path.read_bytes().startswith(mark + mark), arguments
    path.write_bytes(data)
    workspace.call(
        "write_content",
        {
            "items": [
                {"path": "a.txt", "content": "\ufeffnew\n", "mode": "overwrite"}
            ]
        },
    )
    assert path.read_bytes() == mark + "new\n".encode(encoding)


@pytest.mark.parametrize("first", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("second", [b"\n", b"\r\n", b"\r"])
def test_lines_end_as_the_line_above_and_overwritten_ones_as_all_did(
    workspace: Workspace, first: bytes, second: bytes
) -> None:
    path = _put(workspace, b"a" + first + b"b" + second)
    workspace.edit("a.txt", [{"search": "", "replace": "new", "start_line": 2}])
    assert path.read_bytes() == b"a" + first + b"new" + first + b"b" + second
    path.write_bytes(b"a" + first + b"b" + second)
    workspace.write("a.txt", "one\ntwo\n", mode="overwrite")
    only = first if first == second else b"\n"
    assert path.read_bytes() == b"one" + only + b"two" + only


@pytest.mark.parametrize(
    ("data", "search", "replace", "lines"),
    [
        pytest.param(b"a\rb\nc\n", "a\n", "a\n\n", 4),
        (b"a\rb\nc\n", "a\n", "\na\n", 4),
        pytest.param(b"a\nb\rc\n", "b\n", "b\n\n", 4),
        pytest.param(b"x\ra\nb\n", "a\n", "\na\n", 4),
        (b"a\r\nb\rc\r", "b\n", "b\n\n", 4),
    ],
)
def test_no_line_end_is_lost_where_two_meet(
    workspace: Workspace, data: bytes, search: str, replace: str, lines: int
) -> None:
    path = _put(workspace, data)
    workspace.edit("a.txt", [{"search": search, "replace": replace}])
    now = path.read_bytes().decode()
    shown = now.replace("\r\n", "\n").replace("\r", "\n")
    meant = (
        data.decode()
        .replace("\r\n", "\n")
        .replace("\r", "\n")
        .replace(search, replace)
    )
    assert shown == meant, repr(now)
    assert shown.count("\n") == lines


@pytest.mark.parametrize("bits", [0o4755, 0o6755])
def test_content_written_by_a_model_is_never_left_setuid_without_a_word(
    workspace: Workspace, bits: int
) -> None:
    path = _put(workspace, b"#!/bin/sh\necho one\n")
    path.chmod(bits)
    answer = workspace.call(
        "edit_content",
        {"path": "a.txt", "edits": [{"search": "one", "replace": "two"}]},
    )
    if answer.is_error:
        assert path.read_bytes() == b"#!/bin/sh\necho one\n"
        assert answer.code in ("permission_denied", "unsupported")
    else:
        assert not path.stat().st_mode & 0o4000 or "setuid" in answer.text, (
            answer.text
        )
