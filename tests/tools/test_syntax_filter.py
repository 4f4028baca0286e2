"""The argument `only` of searches and replacements."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from filewright import Code, FilewrightError, Settings, Workspace
from filewright.search.matches import find_matches
from filewright.search.pattern import compile_pattern
from filewright.structure.outlines import Outlines
from filewright.structure.syntax_kinds import SyntaxAnswer
from filewright.text.snapshot import Snapshot
from filewright.tools.syntax_filter import SyntaxFilter, combine_kinds

SCRIPT = """\
import { check, type Rule } from "./rules"
export { check as verify } from "./check"
// check is called below
export const ok = (u) => check(u, "check") && o.check
const text = `check ${check(u /* check */, `x`)}`
function check(a) { return run(check) }
"""


@pytest.fixture
def script(root: Path) -> Path:
    file = root / "a.ts"
    file.write_text(SCRIPT)
    return file


def found(workspace: Workspace, **arguments: Any) -> list[tuple[int, int]]:
    """Return the line and the column of each match."""
    places = []
    result = workspace.search(**arguments, max_results=1000)
    for hit in result.results:
        for start, _ in hit.submatches:
            places.append((hit.line, hit.text_column + start))
    return places


@pytest.mark.parametrize(
    ("only", "places"),
    [
        ("imports", [(1, 10), (2, 10), (2, 36)]),
        ("comments", [(3, 4), (5, 34)]),
        ("strings", [(4, 36), (5, 15)]),
        ("calls", [(4, 26), (5, 23)]),
        ("definitions", [(6, 10)]),
        ("code", [(1, 10), (2, 10), (2, 36), (4, 26), (4, 49), (5, 23), (6, 10), (6, 32)]),
        ("call, comment", [(3, 4), (4, 26), (5, 23), (5, 34)]),
        (["definitions", "strings"], [(4, 36), (5, 15), (6, 10)]),
    ],
)  # fmt: skip
def test_searches_kinds(
    script: Path,
    workspace: Workspace,
    only: Any,
    places: list[tuple[int, int]],
) -> None:
    assert found(workspace, pattern="check", only=only) == places
    counts = workspace.search("check", only=only, output="counts")
    assert counts.files[0].count == len({line for line, _ in places})
    regex = {"pattern": "ch(.)ck", "mode": "regex", "only": only}
    assert found(workspace, **regex) == places
    by_group = workspace.search(**regex, by="$1")
    assert by_group.values[0].count == len({line for line, _ in places})


def test_says_what_is_left_out(script: Path, workspace: Workspace) -> None:
    for name in ("b.vue", "c.md"):
        script.with_name(name).write_text("check(1)\n")
    text = workspace.search("check", only="calls").text
    assert (
        "only calls: 10 other matches left out (3 imports, 2 in comments, "
        "2 in strings, 2 in other code, 1 definition); "
        "2 files without a grammar left out: b.vue, c.md"
    ) in text
    text = workspace.search("nowhere", only="calls").text
    assert "left out" not in text
    text = workspace.search("Rule", only="calls").text
    assert "only calls: 1 other match left out (1 import)" in text
    several = workspace.search(patterns=["Rule", "check"], only="calls")
    assert "only calls: 1 other match left out (1 import)" in several.text


def test_items_have_kinds_of_their_own(
    script: Path, workspace: Workspace
) -> None:
    items = [
        {"pattern": "check", "only": ["imports"], "output": "counts"},
        {"pattern": "check", "output": "counts"},
    ]
    result = workspace.search(items=items, only="calls")
    counts = [search.files[0].count for search in result.searches]
    assert counts == [2, 2]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"only": "prose"}, "prose"),
        ({"only": "calls", "mode": "fuzzy"}, "only has no meaning in a fuzzy"),
    ],
)
def test_refuses(
    script: Path, workspace: Workspace, arguments: Any, reason: str
) -> None:
    with pytest.raises(FilewrightError, match=reason) as refusal:
        workspace.search("check", **arguments)
    assert refusal.value.code == Code.INVALID_INPUT


def test_replaces_kinds(script: Path, workspace: Workspace) -> None:
    items = [
        {
            "pattern": "check($$$A)",
            "replacement": "test($$$A, 1)",
            "mode": "code",
            "only": ["calls"],
        },
        {"pattern": "check", "replacement": "test", "only": ["imports"]},
        {"pattern": "check", "replacement": "test", "only": "comments"},
    ]
    result = workspace.replace(items=items, preview=False, whole_word=True)
    assert result.item_counts == (2, 3, 2)
    assert script.read_text() == (
        'import { test, type Rule } from "./rules"\n'
        'export { test as verify } from "./test"\n'
        "// test is called below\n"
        'export const ok = (u) => test(u, "check", 1) && o.check\n'
        "const text = `check ${test(u /* test */, `x`, 1)}`\n"
        "function check(a) { return run(check) }\n"
    )


def test_keeps_and_counts_what_is_partly_in_a_kind(
    root: Path, workspace: Workspace
) -> None:
    file = root / "a.py"
    file.write_text('f("a") # b\nf("a")\ng = \'a")\'\n')
    result = workspace.replace(
        pattern='a")', replacement="x", only="strings", preview=False
    )
    assert file.read_text() == 'f("a") # b\nf("a")\ng = \'x\'\n'
    assert "2 matches partly in strings left out: a.py:1" in result.text
    with pytest.raises(FilewrightError) as refusal:
        workspace.replace(
            pattern='") # b', replacement="x", only="code", preview=False
        )
    assert refusal.value.code == Code.NO_MATCH
    assert "1 match partly in code left out: a.py:1" in refusal.value.hint


def test_replaces_nested_calls_alone(root: Path, workspace: Workspace) -> None:
    file = root / "a.py"
    file.write_text(
        "# load(1)\ndef load(a): pass\nload(load(\n  b,  # load(c)\n  c), 'load(d)')\n"
    )
    workspace.replace(
        pattern="load($$$A)",
        replacement="read($$$A, 1)",
        mode="code",
        only="calls",
        preview=False,
    )
    assert file.read_text() == (
        "# load(1)\ndef load(a): pass\nread(read(\n  b,  # load(c)\n  c, 1), 'load(d)', 1)\n"
    )


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_reads_other_encodings(
    root: Path, workspace: Workspace, encoding: str
) -> None:
    file = root / "a.py"
    text = '# é x\r\nx = "é x"\r\nf(x)\r\n'
    file.write_bytes(text.encode(encoding))
    workspace.replace(
        pattern="x", replacement="yy", only="comments,code", preview=False
    )
    expected = '# é yy\r\nyy = "é x"\r\nf(yy)\r\n'
    assert file.read_bytes() == expected.encode(encoding)


def test_reads_many_matches_in_one_line(
    root: Path, workspace: Workspace
) -> None:
    file = root / "a.min.js"
    file.write_text("ab(1,'ab');" * 1_500)
    result = workspace.replace(
        pattern="ab", replacement="b", only="strings", preview=False
    )
    assert result.count == 1_500
    assert file.read_text() == "ab(1,'b');" * 1_500


def test_names_files_that_are_not_parsed(root: Path, tmp_path: Path) -> None:
    (root / "a.py").write_text("x = 1\n" * 200)
    (root / "b.py").write_text("y()\nz = 1 1 x() ) 2\n")
    settings = Settings(flush=False, parse_bytes=1_000)
    state = tmp_path / "state"
    with Workspace(root, state_dir=state, settings=settings) as workspace:
        result = workspace.search("x", only="calls", context=0)
    assert [(hit.path, hit.line) for hit in result.results] == [("b.py", 2)]
    assert (
        "1 file left out, not parsed: larger than 1,000 bytes: a.py; "
        "syntax errors around matches, so look twice: b.py"
    ) in result.text


def test_leaves_out_lines_by_several_texts(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text("a one\na two\na three\na One\n")
    lines = [
        hit.line
        for hit in workspace.search("a", without=["one", "two"]).results
    ]
    assert lines == [3]
    items = [
        {"pattern": "a", "without": "t.*"},
        {"pattern": "a .", "mode": "regex", "without": ["t.*e", "(?-i:O)"]},
    ]
    result = workspace.search(items=items)
    assert [search.total for search in result.searches] == [4, 2]


class RecordingOutlines:
    """Outlines that keep the spans that are looked up."""

    def __init__(self, outlines: Outlines) -> None:
        self.outlines = outlines
        self.spans: list[tuple[int, ...]] = []

    def classify(
        self, snapshot: Snapshot, spans: tuple[int, ...], *, task: Any
    ) -> SyntaxAnswer:
        self.spans.append(spans)
        return self.outlines.classify(snapshot, spans, task=task)


def test_looks_up_siblings_once(script: Path, workspace: Workspace) -> None:
    """The matches of later searches are looked up while the file is parsed."""
    context = workspace.context
    outlines = RecordingOutlines(context.outlines)
    siblings = [compile_pattern("Rule"), compile_pattern("nowhere")]
    selector: Any = SyntaxFilter(
        outlines,  # type: ignore[arg-type]  # no more of it is used
        combine_kinds(["imports"]),
        siblings=siblings,
    )
    pattern = replace(compile_pattern("check"), selector=selector)
    with context.open(context.boundary.locate("a.ts")) as snapshot:
        for _ in range(2):
            assert len(list(find_matches(snapshot, pattern))) == 3
    check_spans, rule_spans, again = outlines.spans
    assert again == check_spans
    assert rule_spans == (21, 25)
