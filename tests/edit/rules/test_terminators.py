"""A new line ends as the line above it does, else as the line below; a kept line keeps its end."""

from __future__ import annotations

import pytest
from tests.edit.rules.cases import Case, Desk
from tests.rows import each_row

PROGRESS = "".join(f"fetch {number}%\r" for number in range(0, 100, 5)) + "done\nbuild ok\n"
CRLF_PART = "a\nb\nc\nx = 1\r\ny = 2\r\nz = 3\r\n"
LF_PART = "".join(f"{letter}\r\n" for letter in "abcdef") + "x = 1\ny = 2\nz = 3\n"

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


@each_row("case", EDITS)
def test_a_new_line_ends_as_its_neighbour(desk: Desk, case: Case) -> None:
    desk.check(case)


@each_row("case", EDITS)
def test_also_where_it_was_found_loosely(desk: Desk, case: Case) -> None:
    if "\n" not in case.search.strip("\n") or case.expected is None:
        return
    # A trailing blank in the request, which the file has not.
    head, _, rest = case.search.partition("\n")
    loose = case._replace(
        search=f"{head} \n{rest}", replace=case.replace.replace(f"{head}\n", f"{head} \n", 1), must=False
    )
    desk.check(loose)


PATCHES = [
    ("f.log", LF_PART, "@@ -7,3 +7,4 @@\n x = 1\n y = 2\n+yy = 2\n z = 3\n", LF_PART.replace("y = 2\n", "y = 2\nyy = 2\n")),
    ("f.log", CRLF_PART, "@@ -4,3 +4,4 @@\n x = 1\n y = 2\n+yy = 2\n z = 3\n", CRLF_PART.replace("y = 2\r\n", "y = 2\r\nyy = 2\r\n")),
    ("f.log", CRLF_PART, "@@ -4,3 +4,3 @@\n x = 1\n-y = 2\n+y = 3\n z = 3\n", CRLF_PART.replace("y = 2", "y = 3")),
    ("ci.log", PROGRESS, "@@ -22 +22,2 @@\n build ok\n+lint ok\n", PROGRESS + "lint ok\n"),
]  # fmt: skip


@each_row(("name", "file", "hunk", "expected"), PATCHES)
def test_lines_of_a_patch_do_so_too(desk: Desk, name: str, file: str, hunk: str, expected: str) -> None:
    result = desk.patch(name, file, f"--- a/{name}\n+++ b/{name}\n{hunk}")
    assert result.text == expected, result.answer


def test_lines_after_a_line_do_so_too(desk: Desk) -> None:
    path = desk.put("f.log", PROGRESS)
    desk.workspace.read(desk.named(path))
    result = desk.call(path, "edit", desk.named(path), [{"insert_after": 22, "replace": "lint ok"}])
    assert result.text == PROGRESS + "lint ok\n", result.answer


def test_replaced_matches_do_so_too(desk: Desk) -> None:
    assert desk.replace("f.log", PROGRESS, "build ok", "build ok\nlint ok").text == PROGRESS + "lint ok\n"


APPENDED = [
    (PROGRESS, "lint ok\nall ok\n", PROGRESS + "lint ok\nall ok\n"),
    ("one\r\ntwo\r\n", "three\n", "one\r\ntwo\r\nthree\r\n"),
    ("one\ntwo\n", "three\r\nfour\r\n", "one\ntwo\nthree\nfour\n"),
    (LF_PART, "w = 4\n", LF_PART + "w = 4\n"),
    (CRLF_PART, "w = 4\n", CRLF_PART + "w = 4\r\n"),
    ("one\r\ntwo", "three\n", "one\r\ntwo\r\nthree\r\n"),
]


@each_row(("file", "content", "expected"), APPENDED)
def test_what_is_appended_ends_as_the_last_line(desk: Desk, file: str, content: str, expected: str) -> None:
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


@pytest.mark.parametrize(("file", "content", "expected"), OVERWRITTEN)
def test_a_whole_file_takes_its_only_end_or_newlines(
    desk: Desk, file: str, content: str, expected: str
) -> None:
    result = desk.write("f.txt", file, content, "overwrite")
    assert result.text == expected, result.answer
