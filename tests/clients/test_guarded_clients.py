"""Real clients damage no file whose edits the guard sees, and are told so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from bench.clients.real_clients import CLIENTS
from bench.kinds import EDITS, KINDS, Kind
from tests.clients.conftest import Install
from tests.clients.guard_table import Run, run_session

pytestmark = [pytest.mark.clients, pytest.mark.timeout(900)]

GUARDED = [name for name, client in CLIENTS.items() if client.setup_name]
LOST = {("Claude Code", "hard link"): "link broken"}
"""The losses that a client makes and the guard only warns of."""

RunOf = Callable[[str], Run]


@pytest.fixture(scope="module")
def run_of(
    installed: Install, tmp_path_factory: pytest.TempPathFactory
) -> RunOf:
    """Run a client with its hooks, once for all its tests."""
    runs: dict[str, Run] = {}

    def run_client(name: str) -> Run:
        if name not in runs:
            modules = installed(name)
            folder: Path = tmp_path_factory.mktemp("scene")
            runs[name] = run_session(
                CLIENTS[name], modules, folder, has_hooks=True
            )
        return runs[name]

    return run_client


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("name", GUARDED)
def test_leaves_no_damage_and_edits_again(
    name: str, kind: Kind, run_of: RunOf
) -> None:
    cell = run_of(name).cells[kind.name]
    assert cell.damage == 0
    # A client that refuses the first edit of a file has not touched it.
    assert cell.edits in (0, len(EDITS))
    assert cell.lost == LOST.get((name, kind.name), "")


@pytest.mark.parametrize("name", GUARDED)
def test_names_each_healing_in_the_history_and_to_the_model(
    name: str, run_of: RunOf
) -> None:
    run = run_of(name)
    lines = [line.strip() for line in run.log.splitlines()]
    healings = [line for line in lines if "replaced-bytes" in line]
    assert all("  Healed " in line for line in healings)
    assert ("filewright kept" in run.request) == any(
        "  Healed " in line for line in lines
    )
