"""Many hits in a tree: a heading for each folder, equal lines once, calls without more."""

from __future__ import annotations

import pytest
from tests.tools.sources import write_callers

from filewright.tools.search.excerpt import ExcerptLine, FileExcerpt, LineRole
from filewright.tools.search.rendering import render_files
from filewright.tools.search.result import MatchedFile, SearchHit
from filewright.tools.search.tree import (
    TreeLength,
    cut_to_call,
    join_paths,
    render_tree,
)


def excerpt(path, *rows):
    lines = [ExcerptLine(number, text, LineRole.HIT) for number, text in rows]
    return FileExcerpt(path, tuple(lines))


def test_layout():
    files = [
        excerpt("src/a.py", (1, "import f"), (7, "    f(x)"), (9, "f(x)")),
        excerpt("src/b, c.py", (1, "import f")),
        excerpt("src/d.py", (2, "import f"), (3, "f")),
        excerpt("src/deep/e.py", (5, "import f")),
        excerpt("top.py", (4, "\tf()")),
    ]
    assert list(render_tree(files)) == [
        "top.py:4: f()",
        "src/",
        "{a.py:1 d.py:2}: import f",
        "a.py:7,9: f(x)",
        "b, c.py:1: import f",
        "d.py:3: f",
        "src/deep/e.py",
        "5: import f",
    ]
    length = TreeLength()
    bound = sum(
        length.add(file.path, line) for file in files for line in file.lines
    )
    assert bound >= sum(len(row) + 1 for row in render_tree(files))


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("  if ok and has(u, Id) or x:", "has(…)"),
        ("return a.has(u)", "a.has(…)"),
        ("has(u)", "has(…)"),
        ("x = has([u], 1) and something_else", "…has([u], 1)…"),
        ("has(", "has("),
        ("import has", "import has"),
        ("def has(u): return None", "def has(u): return None"),
        ("has(u: string): boolean {", "has(u: string): boolean {"),
        ("bool has(u) {", "bool has(u) {"),
        ("log('has(u) failed')", "log('has(u) failed')"),
        ("x = 1  // has(u) is better", "x = 1  // has(u) is better"),
        ("# has(u) is better", "# has(u) is better"),
        ("x = 1  # has(u) is better", "x = 1  # has(u) is better"),
        ("# as in has(…)", "# as in has(…)"),
        ("return ns::has(u);", "ns::has(…)"),
        ("a * has(x)", "has(…)"),
        ("&has(x)", "has(…)"),
        ("   *has(x)", "   *has(x)"),
        ("[has(u) for u in y]", "has(…)"),
        ("public bool has(User u)", "public bool has(User u)"),
        ("static int *has(void);", "static int *has(void);"),
        ("List<User> has(x)", "List<User> has(x)"),
        ("func (s *S) has(u *User) bool {", "func (s *S) has(u *User) bool {"),
        ("has() bool", "has() bool"),
    ],
)
def test_calls(text, row):
    start = text.index("has")
    hit = SearchHit(
        "a.py", 1, 1, start + 1, start, start + 3, text, 1, (),
        ((start, start + 3),), False, (), (), None, 1.0,
    )  # fmt: skip
    line = ExcerptLine(1, text, LineRole.HIT, notes=("C.m",))
    expected = ExcerptLine(1, row, LineRole.HIT)
    assert cut_to_call(line, hit) == expected


@pytest.fixture
def many(root):
    """A tree of 120 files that import and call a name, and one that is different."""
    write_callers(root)


def test_many_hits(workspace, many):
    result = workspace.search("has", whole_word=True, max_results=300)
    assert len(result.results) == 241
    assert result.complete
    assert len(result.text) < 8_000
    assert "src/odd.py\n1: names = {'has': 1}\n" in result.text
    assert "m003.py:1 m006.py:1" in result.text
    assert "…, leading" not in result.text
    assert result.text.endswith("; … arguments of calls and code around them]")


def test_quoted_paths_are_whole():
    """A part of a path in quotes would not be a path."""
    path = '"src/a\\nb.py"'
    files = [excerpt(path, (1, "f")), excerpt("src/c.py", (1, "f"))]
    assert list(render_tree(files)) == [f"{path}:1: f", "src/c.py", "1: f"]
    assert join_paths([path, '"src/a\\nc.py"']) == f'{path}, "src/a\\nc.py"'
    counts = [MatchedFile(path, 1)] * 12
    counts += [MatchedFile(f"src/{number}.py", 1) for number in range(20)]
    rows = list(render_files(counts))
    assert rows[0] == f"{path}: 1"
    assert rows[11] == f"{path}: 1"


def test_names_with_colons_have_their_own_row():
    """Behind such a name, a line number could be read as a column."""
    files = [excerpt("a/b:7", (1, "f")), excerpt("a/c", (1, "f"), (2, "g"))]
    assert list(render_tree(files)) == [
        "a/",
        "b:7",
        "1: f",
        "c",
        "1: f",
        "2: g",
    ]


def test_long_lines_count_once(workspace, root):
    """Of a long line each hit has a piece, and it is one line all the same."""
    line = f"has {' ' * 9000} has\n"
    (root / "a.txt").write_text(line * 3)
    (root / "b.txt").write_text("has\n")
    result = workspace.call("search_content", {"pattern": "has"})
    assert "[4 matching lines (7 matches) in 2 files, all shown" in result.text
    result = workspace.call(
        "search_content", {"pattern": "has", "max_results": 4}
    )
    assert "[2 shown of 4 matching lines in 2 files;" in result.text
    (root / "c.py").write_text("import has\n" * 80)
    result = workspace.call("search_content", {"pattern": "has"})
    assert "has: 87 uses in 84 lines of 3 files\n" in result.text


def test_fewer_hits_are_whole_lines(workspace, many):
    result = workspace.search(
        "has", whole_word=True, path="src/p0", max_results=90
    )
    assert "m000.py\n1: from lib import has" not in result.text
    assert "m000.py:5: return has(u, 0)" in result.text
    assert result.text.endswith("leading whitespace left out]")


def test_pages_join(workspace, many):
    """A page continues where the one before it ended, whatever its layout."""
    lines = []
    cursor = None
    while True:
        result = workspace.search(
            "has", whole_word=True, max_results=110, cursor=cursor
        )
        lines += [(hit.path, hit.line) for hit in result.results]
        cursor = result.next_cursor
        if cursor is None:
            break
    assert len(lines) == len(set(lines)) == 241
