"""The tools as commands of a shell: arguments, bytes of files, and exit statuses."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from filewright.cli.program import program


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    monkeypatch.setenv("FILEWRIGHT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("FILEWRIGHT_ROOTS", raising=False)
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    monkeypatch.chdir(folder)
    return folder


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(program, arguments, input=stdin)


def block(search: str, replace: str, signs: int = 7) -> str:
    return (
        f"{'<' * signs} SEARCH\n{search}{'=' * signs}\n"
        f"{replace}{'>' * signs} REPLACE\n"
    )


V4A = """\
*** Begin Patch
*** Update File: a.txt
@@
-two
+TWO
*** End Patch
"""
UNIFIED = """\
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
 one
-two
+TWO
"""


@pytest.mark.parametrize(
    ("before", "stdin", "after"),
    [
        pytest.param(
            b"one\r\ntwo\r\n", block("two\n", "2\n3\n"), b"one\r\n2\r\n3\r\n",
            id="crlf",
        ),
        pytest.param(
            "caf\xe9\nna\xefve r\xe9sum\xe9\n".encode("latin-1"),
            block("caf\xe9\n", "Caf\xe9!\n"),
            "Caf\xe9!\nna\xefve r\xe9sum\xe9\n".encode("latin-1"),
            id="latin-1",
        ),
        pytest.param(
            b"one\ntwo", block("two\n", "2\n"), b"one\n2", id="no-final-newline"
        ),
        pytest.param(
            b"a\n\tx = 1\nb\n", block("\tx = 1\n", "\tx = 2\n"),
            b"a\n\tx = 2\nb\n", id="tabs",
        ),
        pytest.param(b"a\nb\nc\n", block("b\n", ""), b"a\nc\n", id="deletion"),
        pytest.param(
            b"<<<<<<< SEARCH\n=======\n",
            block("<<<<<<< SEARCH\n=======\n", ">>>>>>> REPLACE\n", 9),
            b">>>>>>> REPLACE\n", id="markers-in-text",
        ),
        pytest.param(
            b"a\nb\nc\n", block("a\n", "1\n") + block("c\n", "3\n"),
            b"1\nb\n3\n", id="two-blocks",
        ),
        pytest.param(b"one\r\ntwo\r\n", V4A, b"one\r\nTWO\r\n", id="v4a"),
        pytest.param(b"one\r\ntwo", UNIFIED, b"one\r\nTWO", id="unified"),
    ],
)  # fmt: skip
def test_edit(root: Path, before: bytes, stdin: str, after: bytes) -> None:
    (root / "a.txt").write_bytes(before)
    result = run("edit", "a.txt", stdin=stdin)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "change" in result.stdout
    assert (root / "a.txt").read_bytes() == after


@pytest.mark.parametrize(
    ("stdin", "status", "message"),
    [
        pytest.param(
            block("one\n", "1\n") + block("absent\n", "2\n"), 1, "edit 2",
            id="second-block",
        ),
        pytest.param(
            block("same\n", "1\n"), 1, "--line LINE", id="ambiguous"
        ),
        pytest.param(block("<<<<<<< SEARCH\n", ""), 1, "no end", id="markers"),
        pytest.param("one -> two\n", 1, "outside of every block", id="no-block"),
        pytest.param(b"\xff" + block("one\n", "").encode(), 1, "not UTF-8",
                     id="not-utf-8"),
        pytest.param(block("", "new\n"), 1, "search", id="empty-search"),
        pytest.param(V4A.replace("a.txt", "b.txt"), 1, "names b.txt",
                     id="patch-of-another"),
        pytest.param(UNIFIED.replace("b/a.txt", "b/b.txt"), 1, "a.txt",
                     id="renaming-patch"),
        pytest.param("", 2, "standard input is empty", id="empty"),
    ],
)  # fmt: skip
def test_refused_edit(
    root: Path, stdin: str | bytes, status: int, message: str
) -> None:
    content = b"one\nsame\nsame\n"
    (root / "a.txt").write_bytes(content)
    (root / "b.txt").write_bytes(content)
    result = run("edit", "a.txt", stdin=stdin)
    assert result.exit_code == status
    assert result.stdout == ""
    assert message in result.stderr
    assert (root / "a.txt").read_bytes() == content
    assert (root / "b.txt").read_bytes() == content


def test_edit_options(root: Path) -> None:
    file = root / "a.txt"
    file.write_bytes(b"x\nx\nx\n")
    assert run("edit", "-n", "--all", "a.txt", stdin=block("x\n", "y\n"))
    assert file.read_bytes() == b"x\nx\nx\n"
    run("edit", "--line", "2", "a.txt", stdin=block("x\n", "y\n"))
    assert file.read_bytes() == b"x\ny\nx\n"
    run("edit", "--all", "a.txt", stdin=block("x\n", "z\n"))
    assert file.read_bytes() == b"z\ny\nz\n"
    assert run("edit", "--all", "a.txt", stdin=V4A).exit_code == 2
    two = block("z\n", "") + block("y\n", "")
    assert run("edit", "--line", "1", "a.txt", stdin=two).exit_code == 2
    run("undo", "-y")
    assert file.read_bytes() == b"x\ny\nx\n"


def test_edit_creates_file(root: Path) -> None:
    result = run("edit", "new/a.txt", stdin=block("", "one\n\ttwo\n"))
    assert (result.exit_code, result.stderr) == (0, "")
    assert (root / "new/a.txt").read_bytes() == b"one\n\ttwo\n"


def test_outside_root(root: Path) -> None:
    outside = root.parent / "b.txt"
    outside.write_bytes(b"one\n")
    for path in (str(outside), "../b.txt"):
        result = run("edit", path, stdin=block("one\n", "1\n"))
        assert result.exit_code == 1
        assert result.stderr.startswith("path_escape: ")
        assert run("read", path).exit_code == 1
    assert outside.read_bytes() == b"one\n"


@pytest.mark.parametrize(
    ("place", "lines"),
    [
        pytest.param("a.py", [1, 2, 3, 4, 5, 6], id="whole"),
        pytest.param("a.py:2-3", [2, 3], id="range"),
        pytest.param("a.py:5-", [5, 6], id="from"),
        pytest.param("a.py:-2", [5, 6], id="tail"),
        pytest.param("a.py::Cart.total", [2, 3], id="symbol"),
        pytest.param("a.py:4-99", [4, 5, 6], id="past-end"),
    ],
)
def test_read(root: Path, place: str, lines: list[int]) -> None:
    text = "class Cart:\n    def total(self):\n        return 1\n\n\nx = 1\n"
    (root / "a.py").write_text(text)
    result = run("read", place)
    assert (result.exit_code, result.stderr) == (0, "")
    numbers = []
    for line in result.stdout.splitlines():
        number, tab, _ = line.partition("\t")
        if tab:
            numbers.append(int(number))
    assert numbers == lines


def test_read_odd_names(root: Path) -> None:
    (root / "a:2").write_bytes(b"colon\n")
    (root / "b::c.md").write_bytes(b"# Two words\n\ntext\n\n# Next\n")
    assert "colon" in run("read", "a:2").stdout
    assert "colon" in run("read", "a:2:1-1").stdout
    result = run("read", "b::c.md::Two words")
    assert result.exit_code == 0
    assert "text" in result.stdout
    assert "Next" not in result.stdout
    both = run("read", "a:2", "b::c.md:1-1").stdout
    assert "colon" in both
    assert "Two words" in both


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        pytest.param(["read", "absent"], 1, id="absent"),
        pytest.param(["read", "binary"], 1, id="binary"),
        pytest.param(["read", "a.txt::nothing"], 1, id="no-symbol"),
        pytest.param(["read", "a.txt:3-1"], 2, id="no-range"),
        pytest.param(["read", "a.txt:0"], 1, id="line-0"),
        pytest.param(["read", "a.txt:-0"], 1, id="no-tail"),
        pytest.param(["read", "a.txt:9"], 1, id="past-end"),
        pytest.param(["read"], 2, id="no-file"),
        pytest.param(["search"], 2, id="no-pattern"),
        pytest.param(["search", "-l", "-c", "x"], 2, id="two-outputs"),
        pytest.param(["search", "-E", "(", "."], 1, id="no-regex"),
        pytest.param(["search", "x", "--only", "words"], 1, id="no-kind"),
        pytest.param(["search", "x", "--where", "level"], 2, id="no-value"),
        pytest.param(
            ["search", "x", "--where", "a>1", "--where", "a<3"], 2, id="twice"
        ),
        pytest.param(
            ["search", "x", "--sort", "a", "-c"], 1, id="sorted-counts"
        ),
        pytest.param(["map", "absent"], 1, id="no-folder"),
        pytest.param(["apply_patch", "nonsense"], 1, id="no-patch"),
        pytest.param(["read", "a.txt"], 0, id="done"),
    ],
)
def test_status(root: Path, arguments: list[str], status: int) -> None:
    (root / "a.txt").write_bytes(b"one\n")
    (root / "binary").write_bytes(bytes(range(256)) * 8)
    result = run(*arguments)
    assert result.exit_code == status
    assert bool(result.stderr) == (status != 0)


@pytest.mark.parametrize(
    ("pattern", "conditions", "ids"),
    [
        pytest.param("", ["state=failed"], "13", id="text"),
        pytest.param("", ["took>=30", "state!=ok"], "3", id="numbers"),
        pytest.param("a;b", ["state = failed"], "1", id="pattern"),
        pytest.param("", ["name=a=b"], "2", id="sign-in-value"),
    ],
)
def test_search_rows(
    root: Path, pattern: str, conditions: list[str], ids: str
) -> None:
    (root / "jobs.csv").write_text(
        'id,name,state,took\n1,"a;b",failed,9\n2,a=b,ok,30\n3,c,failed,110\n'
    )
    options = [f"--where={condition}" for condition in conditions]
    result = run("search", pattern, "jobs.csv", "-C", "0", *options)
    shown = re.findall(r"^ *[0-9]+: ([0-9])", result.stdout, re.MULTILINE)
    assert "".join(shown) == ids, result.output


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        pytest.param(["504", "--trace"], [1, 3], id="trace"),
        pytest.param([r"(\d+) ms", "-E", "--sort=-$1", "-m1"], [2], id="sort"),
        pytest.param(["", "--sort", "ms", "-m1"], [4], id="sort-alone"),
    ],
)
def test_search_log(root: Path, arguments: list[str], lines: list[int]) -> None:
    (root / "app.log").write_text(
        "job j-90417\ntook 90 ms\njob j-90417: 504 after 7 ms\nms=3\n"
    )
    pattern, *options = arguments
    result = run("search", pattern, "app.log", "-C0", *options)
    shown = re.findall(r"^([0-9]+): ", result.stdout, re.MULTILINE)
    assert [int(number) for number in shown] == lines, result.output


def test_search_syntax(root: Path) -> None:
    (root / "a.py").write_text("import total\n# total\ntotal()\nx = 'total'\n")
    result = run("search", "total", "a.py", "-c", "--only", "calls,imports")
    assert "a.py: 2" in result.stdout, result.output


def test_search(root: Path) -> None:
    (root / "a.py").write_bytes(b"def total():\n    return Total\n")
    (root / "b.txt").write_bytes(b"total\n")
    assert "a.py" in run("search", "def t").stdout
    assert "no match" in run("search", "def .otal").stdout
    assert "a.py" in run("search", "-E", "def .otal").stdout
    listed = run("search", "-il", "TOTAL", "-g", "*.txt").stdout
    assert "b.txt" in listed
    assert "a.py" not in listed
    assert "a.py" in run("search", "-c", "total", "a.py").stdout
    assert run("search", "--", "-x").exit_code == 0


def test_map(root: Path) -> None:
    (root / "a.py").write_bytes(b"class Cart:\n    def total(self): ...\n")
    assert "a.py" in run("map").stdout
    assert "total" in run("map", "a.py").stdout


def test_apply_patch(root: Path) -> None:
    (root / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    assert run("apply_patch", "--dry-run", stdin=V4A).exit_code == 0
    assert (root / "a.txt").read_bytes() == b"one\r\ntwo\r\n"
    assert run("apply_patch", stdin=V4A).exit_code == 0
    assert (root / "a.txt").read_bytes() == b"one\r\nTWO\r\n"
    both = V4A.replace("-two", "-TWO").replace("+TWO", "+2").replace(
        "*** End", "*** Delete File: absent\n*** End"
    )  # fmt: skip
    assert run("apply_patch", both).exit_code == 1
    assert (root / "a.txt").read_bytes() == b"one\r\nTWO\r\n"


def test_paths_of_current_folder(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "sub").mkdir()
    for name in ("a.txt", "sub/a.txt"):
        (root / name).write_bytes(b"one\ntwo\n")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(root))
    monkeypatch.chdir(root / "sub")
    run("edit", "a.txt", stdin=block("one\n", "1\n"))
    assert (root / "sub/a.txt").read_bytes() == b"1\ntwo\n"
    run("edit", "a.txt", stdin=V4A)
    assert (root / "sub/a.txt").read_bytes() == b"1\nTWO\n"
    run("edit", "../a.txt", stdin=block("one\n", "1\n"))
    assert (root / "a.txt").read_bytes() == b"1\ntwo\n"
    assert "sub/a.txt" in run("search", "TWO").stdout


@pytest.mark.skipif(os.name == "nt", reason="needs pipes of POSIX")
def test_closed_pipe(root: Path) -> None:
    (root / "a.txt").write_bytes(b"one\n")
    read_end, write_end = os.pipe()
    os.close(read_end)
    result = subprocess.run(
        [sys.executable, "-m", "filewright", "edit", "a.txt"],
        input=block("one\n", "1\n").encode(),
        stdout=write_end,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write_end)
    assert (result.returncode, result.stderr) == (0, b"")
    assert (root / "a.txt").read_bytes() == b"1\n"
