"""The digest of many hits of a name."""

from __future__ import annotations

import pytest
from tests.tools.sources import write_callers

from filewright.tools.search_digest import (
    MAX_FILE_ROWS,
    MIN_LINES,
    DigestRow,
    build_digest,
    render_digest,
)
from filewright.tools.search_excerpt import ExcerptLine, FileExcerpt, LineRole


@pytest.fixture
def many(root):
    """A tree of 120 files that import and call a name, and one that is different."""
    write_callers(root)


def test_a_digest_of_the_top_folder(workspace, root):
    for number in range(16):
        (root / f"m{number}.py").write_text("import has\n" * 4)
    (root / "a\nb.py").write_text("import has\n")
    result = workspace.call("search_content", {"pattern": "has"})
    assert result.text.splitlines()[:2] == [
        '"a\\nb.py": 1 import',
        "./: 64 imports in 16 files",
    ]


def test_a_digest(workspace, many):
    """Without max_results, only the lines are shown that are no plain ones."""
    result = workspace.call("search_content", {"pattern": "has"})
    assert result.text.splitlines()[:6] == [
        "src/: 1 other line",
        "src/p0/: 40 calls, 40 imports in 40 files",
        "src/p1/: 40 calls, 40 imports in 40 files",
        "src/p2/: 40 calls, 40 imports in 40 files",
        "other lines:",
        "src/odd.py",
    ]
    assert (
        "[241 matching lines in 121 files; max_results=241 shows all lines]"
        in (result.text)
    )


def test_other_lines_of_a_digest(workspace, many, root):
    """Rare lines are shown first, and those that do not fit are counted."""
    rows = "".join(f"value = has  # {number % 7}\n" for number in range(90))
    (root / "src" / "many.py").write_text(rows)
    (root / "src" / "z.py").write_text("def has(u):\n    pass\n")
    result = workspace.call("search_content", {"pattern": "has"})
    assert "z.py:1: def has(u):" in result.text
    assert "other lines hidden]" in result.text
    assert len(result.text) < 3_000


def test_no_digest_of_other_lines(workspace, root):
    (root / "todo.py").write_text("# TODO: this\n" * 100)
    (root / "b.py").write_text("# TODO: that\n")
    result = workspace.call("search_content", {"pattern": "TODO"})
    assert "[50 shown of 101 matching lines in 2 files; continue" in result.text


def excerpt(path: str, *texts: str, is_call: bool = False) -> FileExcerpt:
    lines = [
        ExcerptLine(number, text, LineRole.HIT, is_plain_call=is_call)
        for number, text in enumerate(texts, 1)
    ]
    return FileExcerpt(path, tuple(lines))


CALLS = excerpt("a.py", *["has(…)"] * MIN_LINES, is_call=True)


@pytest.mark.parametrize(
    ("text", "is_import"),
    [
        ("from lib import has", True),
        ("import has", True),
        ("use lib::has;", True),
        ("#include <has>", True),
        ("export { has } from 'lib'", True),
        ("const { has } = require('lib')", True),
        ("from lib import has as other", False),
        ("import { has: other } from 'lib'", False),
        ("important = has", False),
        ("x = has", False),
    ],
)
def test_imports(text, is_import):
    digest = build_digest([CALLS, excerpt("b.py", text)], "has")
    assert digest.rows == (
        DigestRow("a.py", 1, calls=MIN_LINES, imports=0, others=0),
        DigestRow("b.py", 1, 0, int(is_import), int(not is_import)),
    )
    assert bool(digest.others) is not is_import


def test_no_digest_of_few_or_other_lines():
    few = excerpt("a.py", *["has(…)"] * (MIN_LINES - 1), is_call=True)
    assert build_digest([few], "has") is None
    others = excerpt("b.py", *["x = has"] * (MIN_LINES + 1))
    assert build_digest([CALLS, others], "has") is None


def test_counts_folders_of_many_files():
    files = [
        excerpt(f"d{number % 14}/{number}", *["has(…)"] * 5, is_call=True)
        for number in range(2 * MAX_FILE_ROWS)
    ]
    digest = build_digest(files, "has")
    assert sum(row.lines for row in digest.rows) + digest.hidden_lines == 150
    assert digest.rows[0] == DigestRow("d0/", 3, 15, 0, 0)
    rows = list(render_digest(digest))
    assert rows[0] == "d0/: 15 calls in 3 files"
    assert rows[-1] == "20 lines in 2 more places"


def test_rarest_lines_first():
    texts = ["x = has  # as often as many others"] * 50 + ["x = has  # once"]
    digest = build_digest([CALLS, excerpt("b.py", *texts)], "has")
    (file,) = digest.others
    assert "x = has  # once" in [line.text for line in file.lines]
    assert len(file.lines) + digest.hidden_others == 51
    assert digest.hidden_others
