"""The summary of a search for a name by kinds of syntax."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace
from filewright.tools.search.syntax_summary import summarize_syntax

CALLS = "from shop import total\n# total\ntotal(total)\ntotal('total')\n"
SUMMARY = "2 calls, 1 import, 1 in comments, 1 in other code, 1 in strings"


@pytest.mark.parametrize("output", ["matches", "files", "counts"])
@pytest.mark.parametrize("path", [".", "a.py"])
def test_summarizes_a_name(
    root: Path, workspace: Workspace, output: Any, path: str
) -> None:
    (root / "a.py").write_text(CALLS)
    (root / "b.py").write_text("x = 1\n")
    result = workspace.search("total", path, output=output)
    assert SUMMARY in result.notes


def test_counts_files_without_a_grammar(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text(CALLS)
    (root / "b.txt").write_text("total\ntotal total\n")
    result = workspace.search("total", max_results=3)
    assert not result.complete
    assert f"{SUMMARY}, 3 in files without a grammar" in result.notes


@pytest.mark.parametrize(
    "arguments",
    [
        {"pattern": "total", "only": "calls"},
        {"pattern": "total", "invert": True},
        {"pattern": "total", "mode": "fuzzy"},
        {"pattern": "tota.", "mode": "regex"},
        {"pattern": "total("},
        {"pattern": "shop"},
        {"pattern": "more"},
    ],
    ids=str,
)
def test_says_nothing(root: Path, workspace: Workspace, arguments: Any) -> None:
    (root / "a.py").write_text(CALLS + "# more\n" * 7)
    assert "calls" not in " ".join(workspace.search(**arguments).notes[:1])
    assert "import" not in " ".join(workspace.search(**arguments).notes[:1])


def test_stops_at_the_limit_of_bytes(root: Path, workspace: Workspace) -> None:
    from filewright.search.pattern import compile_pattern

    for name in ("a.py", "b.py", "c.py"):
        (root / name).write_text(CALLS + "#\n" * 3_000)
    context = workspace.context
    locations = [context.boundary.locate(f"{name}.py") for name in "abc"]
    pattern = compile_pattern("total")
    summary = summarize_syntax(context, pattern, locations, 18, 14_000)
    assert summary.startswith("of the first 12 matches 4 calls, ")
    assert not summarize_syntax(context, pattern, locations, 18, 1_000)
    assert not summarize_syntax(context, pattern, locations * 101, 1_818)
