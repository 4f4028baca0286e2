"""The tables of differences in `differences.md` are those of the comparison, which is made where it can be."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from bench.dialects import compare as peers
from bench.dialects import published_filesystem
from bench.dialects.case import Case, PlayedTests
from bench.dialects.largefile import PLAYED
from bench.environments import Cache, NotInstalledError

GUIDE = Path(__file__).parent / "differences.md"
CACHE = Cache.default()

beside_originals = pytest.mark.skipif(
    not CACHE.folder.exists(), reason="the originals are not installed"
)


def explained(dialect: str) -> list[Case | PlayedTests]:
    """The differences that the comparison expects."""
    return [case for case in peers.CASES[dialect] if case.why] + (
        [*PLAYED] if dialect == peers.LARGEFILE else []
    )


@pytest.mark.parametrize(
    "dialect", [peers.LARGEFILE, peers.BATCH, peers.OFFICIAL]
)
def test_the_guide_has_a_row_for_every_difference(dialect: str) -> None:
    """A difference that is not in the guide, or a row that is none any more, fails."""
    _, _, section = GUIDE.read_text(encoding="utf-8").partition(
        {
            peers.LARGEFILE: "### largefile\n",
            peers.BATCH: "### The batch server\n",
            peers.OFFICIAL: "### The reference server\n",
        }[dialect]
    )
    table = section.partition("\n### ")[0]
    shown = [
        line
        for line in table.splitlines()
        if line.startswith("| ") and not line.startswith("| call |")
    ]
    assert shown == peers.rows(explained(dialect))


def test_the_guide_counts_the_cases() -> None:
    guide = " ".join(GUIDE.read_text(encoding="utf-8").split())
    official, published = (
        peers.CASES[peers.OFFICIAL],
        published_filesystem.CASES,
    )
    for counts in (
        f"plays {len(peers.CASES[peers.LARGEFILE])} cases on both",
        f"plays {len(peers.CASES[peers.BATCH])} cases on both",
        f"Of {len(published)} that are inputs of its published tests {sum(not case.why for case in published)} agree",
        f"plays {len(official)} cases on both; these {sum(bool(case.why) for case in official)} differ",
    ):
        assert counts in guide


@beside_originals
@pytest.mark.parametrize(
    "dialect", [peers.LARGEFILE, peers.BATCH, peers.OFFICIAL]
)
def test_the_differences_are_those_explained(dialect: str) -> None:
    """Every case on both: nothing differs without a reason, and no reason is left over."""
    try:
        start = peers.STARTS[dialect](CACHE)
    except NotInstalledError as error:
        pytest.skip(str(error))
    found = asyncio.run(peers.compare(dialect, start))
    assert [
        (each.case.name, each.theirs != each.ours, bool(each.case.why))
        for each in found
    ] == [(case.name, True, True) for case in peers.CASES[dialect] if case.why]


@beside_originals
def test_at_least_nineteen_of_twenty_published_tests_pass_here() -> None:
    """The large-file server's own tests, with this server's tools in place of its own."""
    count, failed = peers.played(CACHE)
    assert failed == {test for each in PLAYED for test in each.tests}
    assert len(failed) <= count / 20
    guide = GUIDE.read_text(encoding="utf-8")
    assert f"of {count} tests {count - len(failed)} pass" in guide
