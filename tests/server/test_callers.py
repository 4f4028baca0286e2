"""The session, client and turn under which changes are recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from tests import processes
from tests.server.conftest import text_of_result

from filewright import Workspace

MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])


pytestmark = pytest.mark.anyio


@MODES
async def test_records_session_client_and_turn(
    mode: str, tmp_path: Path
) -> None:
    work, state = tmp_path / "work", tmp_path / "state"
    work.mkdir()
    server = processes.for_client(
        [*processes.FILEWRIGHT, "serve", str(work), "--state-dir", str(state)]
    )
    for session in range(2):
        async with Client(server, mode=mode) as client:
            for number in range(2):
                item = {"path": f"{session}-{number}.txt", "content": "x\n"}
                answer = await client.call_tool(
                    "write_content",
                    {"items": [item]},
                    meta={"filewright/turn": f"turn {number}"},
                )
                assert not answer.is_error, text_of_result(answer)
    with Workspace(work, state_dir=state) as workspace:
        records = list(reversed(workspace.history()))
    assert [record.turn for record in records] == ["turn 0", "turn 1"] * 2
    assert all(
        record.client and record.client.startswith("mcp") for record in records
    )
    one, same, other, _ = [record.session for record in records]
    assert one == same != other


@MODES
async def test_session_and_turn_of_codex(mode: str, tmp_path: Path) -> None:
    work, state = tmp_path / "work", tmp_path / "state"
    work.mkdir()
    server = processes.for_client(
        [*processes.FILEWRIGHT, "serve", str(work), "--state-dir", str(state)]
    )
    said: list[Any] = [
        {"session_id": "its own", "turn_id": "turn 1"},
        {"session_id": 1, "turn_id": None},
        "no",
        None,
    ]
    async with Client(server, mode=mode) as client:
        for number, meta in enumerate(said):
            item = {"path": f"{number}.txt", "content": "x\n"}
            answer = await client.call_tool(
                "write_content",
                {"items": [item]},
                meta={"x-codex-turn-metadata": meta},
            )
            assert not answer.is_error, text_of_result(answer)
    with Workspace(work, state_dir=state) as workspace:
        first, *others = reversed(workspace.history())
    assert (first.session, first.turn) == ("its own", "turn 1")
    assert {
        (record.session == "its own", record.turn) for record in others
    } == {(False, None)}
