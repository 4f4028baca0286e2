"""New lines end as the line above or below them; a kept line keeps its end."""

from __future__ import annotations

from typing import Any

import pytest
from tests.edit.cases import Case, Desk, Editor, case_id, short_id

PROGRESS = (
    "".join(f"fetch {number}%\r" for number in range(0, 100, 5))
    + "done\nbuild ok\n"
)
CRLF_PART = "a\nb\nc\nx = 1\r\ny = 2\r\nz = 3\r\n"
LF_PART = (
    "".join(f"{letter}\r\n" for letter in "abcdef") + "x = 1\ny = 2\nz = 3\n"
)

EDITS = [
    Case("a.py", LF_PART, "y = 2", "y = 2\nyy = 2", LF_PART.replace("y = 2\n", "y = 2\nyy = 2\n")),
    Case("a.py", LF_PART, "y = 2\n", "y = 2\nyy = 2\n", LF_PART.replace("y = 2\n", "y = 2\nyy = 2\n")),
    Case("a.py", LF_PART, "y = 2", "y = 5", LF_PART.replace("y = 2", "y = 5")),
    Case("a.py", LF_PART, "x = 1\ny = 2\n", "x = 1\nw = 0\ny = 2\n", LF_PART.replace("y = 2\n", "w = 0\ny = 2\n")),
    Case("a.py", CRLF_PART, "y = 2", "y = 2\nyy = 2", CRLF_PART.replace("y = 2\r\n", "y = 2\r\nyy = 2\r\n")),
    Case("a.py", CRLF_PART, "y = 2\nz = 3\n", "y = 2\nz = 4\nw = 5\n", "a\nb\nc\nx = 1\r\ny = 2\r\nz = 4\r\nw = 5\r\n"),
    Case("a.py", CRLF_PART, "c\nx = 1\n", "c\nnew\nx = 1\n", "a\nb\nc\nnew\nx = 1\r\ny = 2\r\nz = 3\r\n"),
    Case("a.py", LF_PART, "f\nx = 1\n", "f\nnew\nx = 1\n", LF_PART.replace("x = 1\n", "new\r\nx = 1\n")),
    Case("a.py", "one\r\ntwo\nthree\n", "one\n", "zero\none\n", "zero\r\none\r\ntwo\nthree\n"),
    Case("a.py", "one\ntwo\r\nthree\r\n", "two", "2", "one\n2\r\nthree\r\n"),
    Case("a.py", "one\ntwo\r\nthree\nfour\r\n", "one\ntwo\nthree\nfour\n", "one\n2\nthree\nfour\n", "one\n2\r\nthree\nfour\r\n"),
    Case("a.py", "one\ntwo\r\nthree\nfour\r\n", "two\nthree\n", "two\nthree\n3b\n", "one\ntwo\r\nthree\n3b\nfour\r\n"),
    # A lone return is text beside what has its ends.
    Case("ci.log", PROGRESS, "build ok", "build ok\nlint ok", PROGRESS + "lint ok\n"),
    Case("ci.log", PROGRESS, "build ok\n", "build ok\nlint ok\n", PROGRESS + "lint ok\n"),
    Case("ci.log", PROGRESS, "done\n", "done\nmore\n", PROGRESS.replace("done\n", "done\nmore\n")),
    Case("f.csv", 'id,note\r\n1,"one\rtwo\rthree\rfour\rfive"\r\n2,"x"\r\n', '2,"x"', '2,"x"\n3,"y"', 'id,note\r\n1,"one\rtwo\rthree\rfour\rfive"\r\n2,"x"\r\n3,"y"\r\n'),
    Case("f.csv", 'id,note\r\n1,"one\rtwo\rthree\rfour\rfive"\r\n2,"x"\r\n', "id,note\n", "id,note\n0,z\n", 'id,note\r\n0,z\r\n1,"one\rtwo\rthree\rfour\rfive"\r\n2,"x"\r\n'),
    Case("a.c", "/* a\rb\rc\rd */\nint a;\nint b;\n", "int a;", "int a;\nint c;", "/* a\rb\rc\rd */\nint a;\nint c;\nint b;\n"),
    Case("mac.txt", "one\rtwo\rthree\r", "two", "two\n2b", "one\rtwo\r2b\rthree\r"),
    Case("mac.txt", "one\rtwo\rthree\r", "two\n", "", "one\rthree\r"),
    # The last line has no end.
    Case("a.py", "one\r\ntwo", "two", "two\nthree", "one\r\ntwo\r\nthree"),
    Case("a.py", "one\r\ntwo", "two\n", "two\nthree\n", "one\r\ntwo\r\nthree", must=False),
    Case("a.py", "x\ny\r\nlast", "last", "last\nmore", "x\ny\r\nlast\r\nmore"),
    Case("a.py", "only", "only", "only\nmore", "only\nmore"),
    Case("a.py", "one\r\ntwo\r\n", "one\r\ntwo\r\n", "one\r\nzwei\r\ndrei\r\n", "one\r\nzwei\r\ndrei\r\n"),
    Case("a.py", "one\ntwo\n", "one\r\ntwo\r\n", "one\r\nzwei\r\ndrei\r\n", "one\nzwei\ndrei\n"),
]  # fmt: skip


@pytest.mark.parametrize("case", EDITS, ids=case_id)
def test_new_line_ends_as_neighbour(editor: Editor, case: Case) -> None:
    editor.check(case)


@pytest.mark.parametrize("case", EDITS, ids=case_id)
def test_loose_match_ends_as_neighbour(editor: Editor, case: Case) -> None:
    if "\n" not in case.search.strip("\n") or case.expected is None:
        return
    # A trailing blank in the request, which the file has not.
    head, _, rest = case.search.partition("\n")
    loose = case._replace(
        search=f"{head} \n{rest}",
        replace=case.replace.replace(f"{head}\n", f"{head} \n", 1),
        must=False,
    )
    editor.check(loose)


PATCHES = [
    ("f.log", LF_PART, "@@ -7,3 +7,4 @@\n x = 1\n y = 2\n+yy = 2\n z = 3\n", LF_PART.replace("y = 2\n", "y = 2\nyy = 2\n")),
    ("f.log", CRLF_PART, "@@ -4,3 +4,4 @@\n x = 1\n y = 2\n+yy = 2\n z = 3\n", CRLF_PART.replace("y = 2\r\n", "y = 2\r\nyy = 2\r\n")),
    ("f.log", CRLF_PART, "@@ -4,3 +4,3 @@\n x = 1\n-y = 2\n+y = 3\n z = 3\n", CRLF_PART.replace("y = 2", "y = 3")),
    ("ci.log", PROGRESS, "@@ -22 +22,2 @@\n build ok\n+lint ok\n", PROGRESS + "lint ok\n"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "file", "hunk", "expected"), PATCHES, ids=short_id
)
def test_patch_line_ends_as_neighbour(
    desk: Desk, name: str, file: str, hunk: str, expected: str
) -> None:
    result = desk.patch(name, file, f"--- a/{name}\n+++ b/{name}\n{hunk}")
    assert result.text == expected, result.answer


def test_inserted_line_ends_as_neighbour(desk: Desk) -> None:
    path = desk.put("f.log", PROGRESS)
    desk.workspace.read(desk.named(path))
    result = desk.call(
        path,
        "edit",
        desk.named(path),
        [{"at": {"after": 22}, "replace": "lint ok"}],
    )
    assert result.text == PROGRESS + "lint ok\n", result.answer


CELLS = 'id,note\r\n1,"one\rtwo\rthree\rfour\rfive"\r\n2,"x"\r\n'
REPLACED = [
    (PROGRESS, "build ok", "build ok\nlint ok", PROGRESS + "lint ok\n"),
    (LF_PART, "y = 2", "y = 2\nyy = 2", LF_PART.replace("y = 2\n", "y = 2\nyy = 2\n")),
    (CRLF_PART, "y = 2", "y = 2\nyy = 2", CRLF_PART.replace("y = 2\r\n", "y = 2\r\nyy = 2\r\n")),
    (CELLS, '2,"x"', '2,"x"\n3,"y"', CELLS + '3,"y"\r\n'),
    ("one\rtwo\rthree\r", "two", "two\n2b", "one\rtwo\r2b\rthree\r"),
    ("a\nb\nc\none\r\ntwo", "two", "two\n3", "a\nb\nc\none\r\ntwo\r\n3"),
    ("a\r\nb\r\nc\r\none\ntwo\n", "one\ntwo", "one\n1b\ntwo", "a\r\nb\r\nc\r\none\n1b\ntwo\n"),
    ("a\r\nb\r\nc\r\none\ntwo\n", "one\ntwo\n", "one\ntwo\n3\n", "a\r\nb\r\nc\r\none\ntwo\n3\n"),
]  # fmt: skip
WAYS = [
    {"mode": "literal"},
    {"mode": "regex"},
    {"case": "insensitive"},
    {"mode": "regex", "max_count": 1},
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("file", "pattern", "replacement", "expected"), REPLACED, ids=short_id
)
def test_replaced_match_ends_as_neighbour(
    desk: Desk,
    file: str,
    pattern: str,
    replacement: str,
    expected: str,
    way: dict[str, Any],
) -> None:
    multiline = way.get("mode") == "regex" and "\n" in pattern
    result = desk.replace(
        "f.log", file, pattern, replacement, multiline=multiline, **way
    )
    assert result.text == expected, result.answer


def test_group_keeps_own_terminators(desk: Desk) -> None:
    file = "a\r\nb\r\none\ntwo\r\nend\n"
    result = desk.replace(
        "f.log",
        file,
        r"(one\ntwo\n)(end)",
        "$1new\n$2",
        mode="regex",
        multiline=True,
    )
    assert result.text == "a\r\nb\r\none\ntwo\r\nnew\r\nend\n", result.answer


APPENDED = [
    (PROGRESS, "lint ok\nall ok\n", PROGRESS + "lint ok\nall ok\n"),
    ("one\r\ntwo\r\n", "three\n", "one\r\ntwo\r\nthree\r\n"),
    ("one\ntwo\n", "three\r\nfour\r\n", "one\ntwo\nthree\nfour\n"),
    (LF_PART, "w = 4\n", LF_PART + "w = 4\n"),
    (CRLF_PART, "w = 4\n", CRLF_PART + "w = 4\r\n"),
    ("one\r\ntwo", "three\n", "one\r\ntwo\r\nthree\r\n"),
]


@pytest.mark.parametrize(
    ("file", "content", "expected"), APPENDED, ids=short_id
)
def test_appended_text_ends_as_last_line(
    desk: Desk, file: str, content: str, expected: str
) -> None:
    result = desk.write("f.log", file, content, "append")
    # Whether a last line without an end is ended first is the tool's matter.
    if file.endswith(("\n", "\r")):
        assert result.text == expected, result.answer


OVERWRITTEN = [
    ("one\r\ntwo\r\n", "x\ny\n", "x\r\ny\r\n"),
    ("one\ntwo\n", "x\ny\n", "x\ny\n"),
    ("10%\r40%\r60%\r80%\rdone\nok\n", "x\ny\n", "x\ny\n"),
    (LF_PART, "x\ny\n", "x\ny\n"),
    (CRLF_PART, "x\ny\n", "x\ny\n"),
    ("a\rb\r\n", "x\ny\n", "x\ny\n"),
    ("one\rtwo\r", "x\ny\n", "x\ry\r"),
    ("", "x\ny\n", "x\ny\n"),
    ("one", "x\ny\n", "x\ny\n"),
]


@pytest.mark.parametrize(
    ("file", "content", "expected"), OVERWRITTEN, ids=short_id
)
def test_whole_file_keeps_only_terminator(
    desk: Desk, file: str, content: str, expected: str
) -> None:
    result = desk.write("f.txt", file, content, "overwrite")
    assert result.text == expected, result.answer
