"""Changes with each class of damage: the true result or a refusal.

The short test generates changes. The sweep takes them from the histories of the repositories in the folder
that ``FILEWRIGHT_EDIT_REPOSITORIES`` names.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.generator.damages import KINDS
from bench.generator.edits import (
    MAKERS,
    Change,
    changes,
    facts,
    repositories,
    verdict,
)
from tests.edit.damages import STYLES, block, changed, twin

REPOSITORIES = os.environ.get("FILEWRIGHT_EDIT_REPOSITORIES", "")
CHANGES = int(os.environ.get("FILEWRIGHT_EDIT_CHANGES", "45"))
SEED = int(os.environ.get("FILEWRIGHT_EDIT_SEED", "1"))


def made_up(rng: random.Random, count: int) -> Iterator[Change]:
    """Changes of files that hold near twins of what changes."""
    for _ in range(count):
        style = rng.choice(STYLES)
        blocks = [block(rng, style) for _ in range(rng.randint(1, 3))]
        blocks += [
            twin(rng, rng.choice(blocks)) for _ in range(rng.randint(0, 2))
        ]
        rng.shuffle(blocks)
        lines = [line for one in blocks for line in (*one, "")]
        start = rng.randrange(len(lines) - 1)
        end = start + rng.randint(1, min(5, len(lines) - start))
        old = lines[start:end]
        change = Change(
            lines[:start],
            old,
            changed(rng, old, style),
            lines[end:],
            2,
            True,
            f"a.{style}",
        )
        search = "\n".join(change.search)
        if (
            search.strip()
            and change.search[0].strip()
            and f"\n{change.file(change.search)}".count(f"\n{search}\n") == 1
        ):
            yield change


def measured(
    all_changes: list[Change], names: list[str], seed: int
) -> dict[str, Counter[str]]:
    """How many requests of each class ended in which way; what is wrong is shown."""
    table: dict[str, Counter[str]] = {}
    for name in names:
        chance = random.Random(f"{seed} {name}")
        table[name] = Counter()
        for change in all_changes:
            request = MAKERS[name](change, chance)
            if request is not None:
                kind = verdict(request, change.name)[0]
                table[name][kind] += 1
                if kind == "WRONG":
                    print(name, change.name, facts(request))
    return table


def check(table: dict[str, Counter[str]]) -> None:
    total = sum(table.values(), Counter[str]())
    print(total)
    assert total["WRONG"] == 0, {
        name: counts for name, counts in table.items() if counts["WRONG"]
    }
    assert total["unnoted"] <= total.total() // 15, table
    assert total["lossy"] + total["missed"] <= total.total() // 50, table


@pytest.mark.parametrize(
    "count", [20, pytest.param(400, marks=pytest.mark.sweep)]
)
def test_generated_changes(count: int) -> None:
    table = {}
    for name in KINDS:
        table |= measured(
            list(made_up(random.Random(f"{SEED} {name}"), count)), [name], SEED
        )
    check(table)


@pytest.mark.sweep
@pytest.mark.skipif(
    not REPOSITORIES,
    reason="FILEWRIGHT_EDIT_REPOSITORIES names no folder of repositories",
)
def test_changes_of_repositories() -> None:
    rng = random.Random(SEED)
    found: list[Change] = []
    for repository in repositories(Path(REPOSITORIES)):
        found += changes(repository, CHANGES, rng)
    check(measured(found, list(MAKERS), SEED))
