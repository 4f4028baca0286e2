"""The text of a search: its rows, and the line that counts them."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from filewright import Workspace
from filewright.tools.search.arguments import SearchArguments
from filewright.tools.search.excerpt import ExcerptLine, FileExcerpt, LineRole
from filewright.tools.search.outcome import SearchOutcome
from filewright.tools.search.rendering import (
    describe_outcome,
    render_excerpts,
    render_search,
)
from filewright.tools.search.result import MatchedFile
from filewright.tools.search.tree import join_paths


def test_last_line(root: Path, workspace: Workspace) -> None:
    (root / ".gitignore").write_text("built/\n")
    (root / "built").mkdir()
    (root / "built/a.py").write_text("hit\n")
    (root / "image.bin").write_bytes(b"\0hit\n")
    for n in range(30):
        (root / f"m{n:02}.py").write_text("hit\n" * 4)
    few = workspace.call(
        "search_content", {"pattern": "hit", "max_results": 10}
    )
    assert (
        "[10 shown of 120 matching lines in 30 files; continue with cursor="
        in few.text
    )
    assert few.data["total"] == 120
    assert (
        "32 files searched; 1 ignored name skipped; 1 binary file skipped"
        in few.text
    )
    whole = workspace.call(
        "search_content",
        {"pattern": "hit", "include_ignored": True, "output": "counts"},
    )
    assert "121 matching lines in 31 files, all shown" in whole.text
    replaced = workspace.call(
        "replace_content",
        {"pattern": "hit", "replacement": "x", "include_ignored": True},
    )
    assert replaced.text.startswith("121 matches in 31 files")
    assert "33 files searched; 1 binary file skipped" in replaced.text


def test_totals_of_cut_counts(root: Path, workspace: Workspace) -> None:
    for n in range(30):
        (root / f"m{n:02}.py").write_text("hit hit\nhit\n")
    text = workspace.call(
        "search_content",
        {"pattern": "hit", "output": "counts", "max_results": 4},
    ).text
    assert (
        "[4 files shown of 60 matching lines in 30 files; continue with cursor="
        in text
    )


def test_counts_what_max_results_cuts_off(
    root: Path, workspace: Workspace
) -> None:
    """However large what is left is, as long as counting it takes no longer than a second of work."""
    line = b"x" * 200 + b"\n"
    (root / "a.log").write_bytes((line * 100 + b"needle\n") * 1_000)
    for path in (".", "a.log"):
        found = workspace.search("needle", path=path, max_results=3)
        assert found.total == 1_000
        assert (
            "[3 shown of 1,000 matching lines in 1 file; continue with cursor="
            in found.text
        )


def test_groups_files_with_equal_counts(
    root: Path, workspace: Workspace
) -> None:
    for n in range(30):
        (root / f"p{n:02}").mkdir()
        (root / f"p{n:02}/package.json").write_text(
            "hit\n" * (2 if n == 7 else 1)
        )
    rows = workspace.call(
        "search_content", {"pattern": "hit", "output": "counts"}
    ).text.splitlines()
    assert rows == [
        "p07/package.json: 2",
        "*/package.json: 1 each in 29 files",
        "[31 matching lines in 30 files, all shown; 30 files searched]",
    ]
    named = workspace.search("hit", output="counts", max_results=30)
    assert named.text.count("package.json: 1\n") == 29
    found = workspace.search("hit", output="counts")
    assert [file.count for file in found.files] == [1] * 7 + [2] + [1] * 22
    assert (
        workspace.search("hit", output="files").text.count("package.json") == 30
    )


def test_groups_files_with_equal_hits(root: Path, workspace: Workspace) -> None:
    names = [f"packages/p{n}/package.json" for n in range(8)]
    for n, name in enumerate(names):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text(
            "{\n" * (1 + n % 2) + '  "version": "7.0.1",\n'
        )
    (root / "packages/p8").mkdir()
    (root / "packages/p8/package.json").write_text('  "version": "7.0.1"\n')
    found = workspace.search('"version"')
    assert found.text.splitlines() == [
        "packages/{p0/package.json:2,p1/package.json:3,p2/package.json:2,p3/package.json:3,p4/package.json:2,"
        'p5/package.json:3,p6/package.json:2,p7/package.json:3}:   "version": "7.0.1",',
        "packages/p8/package.json",
        '1:   "version": "7.0.1"',
        "[9 matching lines in 9 files, all shown; 9 files searched]",
    ]
    assert [(hit.path, hit.line) for hit in found.results] == [
        *((name, 2 + n % 2) for n, name in enumerate(names)),
        ("packages/p8/package.json", 1),
    ]
    even = workspace.search(
        '"version"', glob="packages/p{0,2,4,6,8}/*", context=0
    ).text.splitlines()
    assert (
        even[0]
        == 'packages/{p0,p2,p4,p6}/package.json:2:   "version": "7.0.1",'
    )


def test_names_files_together(root: Path, workspace: Workspace) -> None:
    for name in ("a/x.txt", "a/y.txt", "b.txt"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("one hit\n-\n-\nhit two\n-\n")
    (root / "c.txt").write_text("one hit\n-\n-\n-\nhit two\n")
    assert workspace.search("hit").text.splitlines()[:-1] == [
        "a/x.txt, a/y.txt, b.txt", "1: one hit", "4: hit two",
        "c.txt", "1: one hit", "5: hit two",
    ]  # fmt: skip
    assert workspace.search("hit", path="a").text.splitlines()[:2] == [
        "a/{x.txt,y.txt}",
        "1: one hit",
    ]


@given(
    st.lists(
        st.text("ab/.:3", min_size=1, max_size=12),
        min_size=1,
        max_size=6,
        unique=True,
    )
)
def test_braced_paths_expand_to_all(paths: list[str]) -> None:
    said = join_paths(paths)
    first, brace, rest = said.partition("{")
    between, _, last = rest.partition("}")
    assert (
        [f"{first}{each}{last}" for each in between.split(",")] == paths
        if brace
        else said == ", ".join(paths)
    )


def test_counts_all_files(root: Path, workspace: Workspace) -> None:
    """Of many files with counts the folders are shown, unless files are asked for."""
    for n in range(70):
        folder = root / f"d{n % 17:02}"
        folder.mkdir(exist_ok=True)
        (folder / f"m{n:02}.py").write_text("hit\n" * (1 + n // 17))
    found = workspace.search("hit", output="counts")
    assert sum(file.count for file in found.files) == 180
    assert found.complete
    rows = found.text.splitlines()
    folders = ",".join(f"d{n:02}" for n in range(2, 17))
    assert rows == [
        f"{{{folders}}}/: 10 each in 15 folders",
        "d00/: 15 in 5 files",
        "d01/: 15 in 5 files",
        "[180 matching lines in 70 files; max_results=70, a narrower path or glob shows each file; "
        "output=uses surveys a name; 70 files searched]",
    ]
    files = workspace.search("hit", output="counts", max_results=70)
    assert "all shown" in files.text
    assert (
        len(workspace.search("hit", output="counts", max_results=5).files) == 5
    )
    assert len(workspace.search("hit", output="files").files) == 70
    item = {"output": "counts", "glob": "d0[0-6]/*"}
    shares = workspace.search("hit", items=[item] * 19)
    assert shares.text.startswith(
        "pattern 1 'hit':\n{d02,d03,d04,d05,d06}/: 10 each"
    )


def outcome_of(**facts) -> SearchOutcome:
    arguments = SearchArguments.model_construct(pattern="hit")
    return SearchOutcome(arguments, 12_000, **facts)


def test_no_match() -> None:
    nothing = outcome_of(advice=("try this",))
    assert render_search(nothing, describe_outcome(nothing)) == (
        "no match\n[try this]"
    )
    incomplete = outcome_of(is_complete=False)
    assert render_search(incomplete, ()) == (
        "no match so far\n[the search is incomplete]"
    )


def test_excerpt_with_context() -> None:
    lines = (
        ExcerptLine(1, "above", LineRole.CONTEXT),
        ExcerptLine(2, "a hit", LineRole.HIT, notes=("Cart",)),
        ExcerptLine(3, "its end", LineRole.CONTINUATION),
        ExcerptLine(9, "a \x1b hit", LineRole.HIT, column=40),
    )
    assert [*render_excerpts([FileExcerpt("a.py", lines)])] == [
        "a.py",
        "1- above",
        "2: a hit   [Cart]",
        "3: its end",
        "--",
        "9:40: a \\x1b hit",
    ]


def test_single_lines_of_several_files() -> None:
    line = ExcerptLine(3, "hit", LineRole.HIT)
    files = [FileExcerpt("src/a.py", (line,)), FileExcerpt("src/b.py", (line,))]
    assert [*render_excerpts(files)] == ["src/{a.py:3,b.py:3}: hit"]


def test_continuation() -> None:
    files = (MatchedFile("a.py", 4),)
    outcome = outcome_of(
        files=files,
        is_complete=False,
        next_cursor="abc",
        total_lines=9,
        matched_files=2,
    )
    assert render_search(outcome, ("2 files searched",)) == (
        "a.py: 4\n"
        "[1 file shown of 9 matching lines in 2 files; continue with cursor=abc]\n"
        "[2 files searched]"
    )


def test_counts_by_folder(root, workspace):
    for folder in ("src", "src/deep", "tests"):
        (root / folder).mkdir()
    for n in range(20):
        (root / f"src/m{n:02}.py").write_text("hit\n" * (n + 1))
    (root / "src/deep/n.py").write_text("hit\n")
    (root / "top.py").write_text("hit\n")
    (root / "tests/one.py").write_text("hit\n")
    arguments = {"pattern": "hit", "output": "counts"}
    rows = workspace.call("search_content", arguments).text.splitlines()
    assert rows[0] == "src/deep/n.py: 1"
    assert rows[1].startswith("src/{m00.py: 1, m01.py: 2, ")
    assert rows[2:4] == ["tests/one.py: 1", "top.py: 1"]


def test_counts_matches_of_lines(root: Path, workspace: Workspace) -> None:
    (root / "a.txt").write_text("old old\nold\n")
    (root / "b.txt").write_text("one old\n")
    found = workspace.search("old")
    assert "[3 matching lines (4 matches) in 2 files, all shown" in found.text
    assert (
        "[1 matching line in 1 file, all shown" in workspace.search("one").text
    )
    done = workspace.replace("old", "new", expected_count=4)
    assert done.count == 4
    assert done.change_id is not None


def test_lines_of_a_match(root, workspace):
    (root / "f").write_text("".join(f"Content line {n}\n" for n in range(6)))
    result = workspace.search(
        r"line 1\nContent line 2",
        path="f",
        mode="regex",
        multiline=True,
        context=1,
    )
    assert result.text.splitlines()[:5] == [
        "f", "1- Content line 0", "2: Content line 1", "3: Content line 2", "4- Content line 3",
    ]  # fmt: skip
    (hit,) = result.data["results"]
    assert (hit["line"], hit["last_line"], hit["more_lines"]) == (
        2,
        3,
        ["Content line 2"],
    )
    assert hit["context_after"] == ["Content line 3"]


def test_matches_that_meet(root, workspace):
    (root / "f").write_text("a1\nb2 a1\nb2\nend\n")
    result = workspace.search(
        r"a1\nb2", path="f", mode="regex", multiline=True, context=0
    )
    assert result.text.splitlines()[:4] == ["f", "1: a1", "2: b2 a1", "3: b2"]
    assert [hit["line"] for hit in result.data["results"]] == [1, 2]
