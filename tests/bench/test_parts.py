"""The parts make the cases that they say."""

from __future__ import annotations

import random
import subprocess
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from bench.__main__ import BEGIN, END, write_tables
from bench.case import Patch, Replace, Verdict, Write
from bench.environments import Cache
from bench.kinds import KINDS
from bench.parts import bytes as bytes_part
from bench.parts import calls, damaged, patches, race
from bench.parts.catalogue import PARTS
from bench.parts.part import Options, play_cases
from bench.report import Row, draw, format_part
from bench.times import draw_times
from bench.tools.catalogue import QUICK, TOOLS
from bench.tools.openai_agents import without_numbers
from bench.tools.tool import Tool

HUNKS = "@@ -3,2 +3,2 @@ def f():\n a\n-b\n+c\n"


def options(tmp_path: Path) -> Options:
    return Options(Cache(tmp_path / "cache"))


def test_each_kind_has_each_request(tmp_path: Path) -> None:
    cases = bytes_part.make_cases(options(tmp_path))
    assert [case.number for case in cases] == list(range(len(cases)))
    for request in (Replace, Write, Patch):
        found = [case for case in cases if isinstance(case.request, request)]
        # A line of a file with a lone CR is no line to a patch.
        assert len(found) >= len(KINDS) - (request is Patch)
    for case in cases:
        assert case.expected, case.name
        assert case.file.content not in case.expected, case.name


@pytest.mark.parametrize(
    ("name", "latin"), [("git apply", "refused"), ("patch", "landed")]
)
def test_plays_cases_by_a_tool_of_the_system(
    name: str, latin: str, tmp_path: Path
) -> None:
    tool = TOOLS[name]
    assert isinstance(tool, Tool)
    if not tool.version:
        pytest.skip(f"there is no {name}")
    cases = bytes_part.make_cases(options(tmp_path))
    patched = [case for case in cases if isinstance(case.request, Patch)]
    run = play_cases("bytes", tool, patched, options(tmp_path))
    verdicts = {outcome.case: outcome.verdict for outcome in run.outcomes}
    assert verdicts["tabs: patch"] == "landed"
    # The words of the request are UTF-8, so a line of context does not fit.
    assert verdicts["Latin-1: patch"] == latin


def test_plays_cases_by_our_server(tmp_path: Path) -> None:
    cases = bytes_part.make_cases(options(tmp_path))
    few = [case for case in cases if case.name.startswith("cp1252: ")]
    run = play_cases("bytes", TOOLS["filewright"], few, options(tmp_path))
    assert {outcome.verdict for outcome in run.outcomes} == {"landed"}
    assert len(run.outcomes) == 5


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("wrong counts", "@@ -3,1 +3,1 @@\n a\n-b\n+c\n"),
        ("no line numbers", "@@\n a\n-b\n+c\n"),
    ],
)
def test_damages_a_diff(name: str, expected: str) -> None:
    damage = patches.DAMAGES[name]
    assert damage(HUNKS, random.Random(3)) == expected


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """Return a repository with one change of one line."""
    repository = tmp_path / "history"
    repository.mkdir()
    name = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    run_git(repository, "init", "-q")
    for text in ("one", "two"):
        lines = [f"line {number} of the file" for number in range(20)]
        lines[9] = f"    value = '{text}'"
        (repository / "a.py").write_text("\n".join(lines) + "\n")
        run_git(repository, "add", "a.py")
        run_git(repository, *name, "commit", "-qm", text)
    return repository


def run_git(repository: Path, *words: str) -> None:
    command = ["git", "-C", str(repository), *words]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("module", [damaged, patches], ids=lambda m: m.__name__)
def test_makes_cases_of_a_history(
    module: ModuleType, history: Path, tmp_path: Path
) -> None:
    quick = replace(options(tmp_path), repository=history, is_quick=True)
    cases = module.PART.cases(quick)
    assert cases
    assert all(case.file.name == "a.py" for case in cases)
    one = replace(quick, only=frozenset({cases[0].number}))
    [alone] = module.PART.cases(one)
    assert alone.request == cases[0].request


def test_keeps_the_save_of_another_process(tmp_path: Path) -> None:
    one = replace(options(tmp_path), is_quick=True, only=frozenset({0}))
    run = race.PART.play(TOOLS["git apply"], one)
    assert [outcome.verdict for outcome in run.outcomes] == ["landed"]


def test_diffs_without_numbers_keep_their_headings() -> None:
    assert without_numbers(HUNKS) == "@@ def f():\n a\n-b\n+c\n"
    assert without_numbers("@@ -1 +1 @@\n-a\n+b\n") == "@@\n-a\n+b\n"


def test_reads_the_calls_of_a_report(tmp_path: Path) -> None:
    package = tmp_path / "packages" / "react-edit-benchmark"
    for side, text in (("input", "a\nb\n"), ("expected", "a\nc\n")):
        file = package / "fixtures" / "swap-line-001" / side / "a.js"
        file.parent.mkdir(parents=True)
        file.write_text(text)
    (package / "runs").mkdir()
    (package / "runs" / "one.md").write_text(
        "| Edit Variant | patch |\n"
        "### Swap Line 001 (a.js)\n\n**Tool error**\n\n```\nno\n```\n\n"
        "**Patch args**\n\n```diff\n@@\n-b\n+c\n```\n"
    )
    [call] = calls.read_calls(tmp_path)
    assert call == calls.ModelCall(
        "swap-line-001/a.js", "a\nb\n", "a\nc\n", "patch", "@@\n-b\n+c"
    )
    assert calls.request_of(call) == Patch("@@\n-b\n+c\n")


def test_knows_every_tool_by_its_name() -> None:
    assert set(QUICK) <= TOOLS.keys()
    for name, tool in TOOLS.items():
        assert tool.name == name
        kinds = (Replace, Write, Patch)
        assert any(tool.has_words_for(kind) for kind in kinds)


def test_a_function_of_texts_has_no_files_to_damage() -> None:
    tool = TOOLS["openai-agents apply_diff"]
    names = [part.name for part in PARTS if part.can(tool)]
    assert names == ["calls", "patches"]


def test_draws_a_bar_for_each_row() -> None:
    counts = {
        "landed": 3,
        "refused": 1,
        "wrong": 0,
        "other bytes": 0,
        "lost": 0,
    }
    rows = [Row("bytes", "a & b", "1", "edit", counts, 4, 4, 1.5, 1 << 20)]
    chart = draw(rows)
    assert chart.count("<title>") == 2
    assert "a &amp; b" in chart
    table = format_part("bytes", rows)
    assert "| a & b 1 | 3 | 1 | 0 | 0 | 0 | 100 % | 1.5 |" in table


def test_adds_up_the_kinds_of_requests_of_a_tool() -> None:
    counts = dict.fromkeys(map(str, Verdict), 1)
    edits = Row("bytes", "a", "1", "edit", counts, 5, 2, 1.5, 0)
    writes = Row("bytes", "a", "1", "write", counts, 5, 3, 40.0, 0)
    table = format_part("bytes", [edits, writes])
    assert table.count("| a 1 |") == 1
    assert "| a 1 | 2 | 2 | 2 | 2 | 2 | 50 % | 1.5/40.0 |" in table


def test_draws_a_hollow_bar_for_a_wrong_answer() -> None:
    measures = {"search": "1.50 s", "tail": "0.10 s (wrong)"}
    row = Row("size 1 MB", "a", "1", "", {}, 0, 0, 0.0, 0, measures)
    chart = draw_times([row])
    assert chart.count('stroke="#0b7285"') == 1
    assert "0.10 s (wrong)" in chart


def test_keeps_the_tables_of_parts_that_did_not_run(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Bench\n\n{BEGIN}\n{END}\n\nMore.\n")
    write_tables(page, ["### a: A\n\n| 1 |\n", "### b: B\n\n| 2 |\n"])
    write_tables(page, ["### b: B\n\n| 3 |\n"])
    text = page.read_text()
    assert "| 1 |" in text
    assert "| 2 |" not in text
    assert "| 3 |" in text
    assert text.startswith("# Bench\n")
    assert text.endswith("\nMore.\n")


def test_a_call_that_changes_nothing_names_no_lines() -> None:
    assert calls.lines_of(Replace("a\n", "a\n"), "a\nb\n") is None
    assert calls.lines_of(Replace("a\n", "c\n"), "a\nb\n") is not None
