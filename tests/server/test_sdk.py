"""The SDK's own client over stdio, in both eras: calls, progress, cancellation, confirmation, roots."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    ElicitRequestParams,
    ElicitResult,
    ListRootsResult,
    Root,
    TextContent,
)
from pydantic import FileUrl
from tests import processes

from filewright import Workspace

FAKE = Path(__file__).with_name("fake_server.py")
MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])
pytestmark = pytest.mark.anyio


@asynccontextmanager
async def connected(
    mode: str, *arguments: str, **options: Any
) -> AsyncIterator[Client]:
    server = processes.for_client(
        [sys.executable, str(FAKE), "serve", *arguments], env={**os.environ}
    )
    async with Client(server, mode=mode, **options) as client:
        yield client


def text_of(result: Any) -> str:
    return "".join(
        part.text for part in result.content if isinstance(part, TextContent)
    )


@MODES
async def test_a_session_end_to_end(mode: str) -> None:
    async with connected(mode) as client:
        assert client.protocol_version == (
            "2025-11-25" if mode == "legacy" else "2026-07-28"
        )
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools][:2] == ["echo", "wait"]
        assert (
            text_of(await client.call_tool("echo", {"a": "null"}))
            == '{"a": "null"}'
        )
        assert text_of(await client.call_tool("dirty", {})).startswith(
            "lone \\ud800"
        )
        refused = await client.call_tool("refuse", {})
        assert refused.is_error
        with pytest.raises(MCPError, match="Unknown tool") as unknown:
            await client.call_tool("absent", {})
        assert unknown.value.error.code == -32602
        templates = await client.list_resource_templates()
        assert len(templates.resource_templates) == 2
        read = await client.read_resource("filewright://file/text")
        assert read.contents[0].text == "text \\udcff"  # type: ignore[union-attr]
        with pytest.raises(MCPError) as missing:
            await client.read_resource("filewright://history/none")
        assert missing.value.error.code == (
            -32002 if mode == "legacy" else -32602
        )


@MODES
async def test_progress_and_cancellation(mode: str) -> None:
    seen: list[tuple[float, float | None, str | None]] = []
    enough = anyio.Event()

    async def note(
        progress: float, total: float | None, message: str | None
    ) -> None:
        seen.append((progress, total, message))
        if len(seen) == 2:
            enough.set()

    async with connected(mode) as client, anyio.create_task_group() as group:

        async def call() -> None:
            await client.call_tool("wait", {}, progress_callback=note)

        group.start_soon(call)
        with anyio.fail_after(30):
            await enough.wait()
        group.cancel_scope.cancel()
    assert seen[0][0] < seen[1][0]


ANSWERS = [
    (ElicitResult(action="accept", content={"confirm": True}), "destroyed"),
    (
        ElicitResult(action="accept", content={"confirm": False}),
        "cancelled: the user did not allow",
    ),
    (ElicitResult(action="decline"), "cancelled: the user did not allow"),
    (ElicitResult(action="cancel"), "cancelled: the user did not allow"),
]


@MODES
async def test_the_user_is_asked_before_a_destructive_call(mode: str) -> None:
    asked: list[str] = []
    answers = iter([answer for answer, _ in ANSWERS])

    async def ask(context: Any, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        return next(answers)

    async with connected(
        mode, "--confirm", "destructive", elicitation_callback=ask
    ) as client:
        for _, expected in ANSWERS:
            result = await client.call_tool(
                "destroy", {"paths": ["a\x1b[31m", "b"]}
            )
            assert text_of(result).startswith(expected)
            assert result.is_error is (expected != "destroyed")
        assert {question.partition("\n")[0] for question in asked} == {
            "Allow destroy on a\\u001b[31m, b?"
        }
        assert not any("destroyed" in question for question in asked)
        await client.call_tool("echo", {})
        assert len(asked) == len(ANSWERS)


async def test_what_a_tool_does_not_take_for_a_preview_spares_no_question() -> (
    None
):
    asked: list[str] = []

    async def ask(context: Any, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="decline")

    async with connected(
        "auto", "--confirm", "always", elicitation_callback=ask
    ) as client:
        for name in ("preview", "dry_run", "dryRun"):
            result = await client.call_tool(
                "destroy", {"paths": ["a"], name: True}
            )
            assert text_of(result).startswith(
                "cancelled: the user did not allow"
            ), name
    assert len(asked) == 3


@MODES
async def test_a_call_of_a_client_that_cannot_ask_waits_for_a_word_elsewhere(
    mode: str,
) -> None:
    async with connected(mode, "--confirm", "always") as client:
        refused = await client.call_tool("destroy", {})
        assert refused.is_error
        assert text_of(refused).startswith(
            "cancelled: destroy waits for the user's answer; nothing was changed"
        )
        assert "filewright review" in text_of(refused)


async def test_an_answer_counts_only_for_the_call_it_was_asked_for() -> None:
    async def ask(context: Any, params: ElicitRequestParams) -> ElicitResult:
        return ElicitResult(action="accept", content={"confirm": True})

    async with connected(
        "auto", "--confirm", "destructive", elicitation_callback=ask
    ) as client:
        first = await client.session.call_tool(
            "destroy", {"paths": ["a"]}, allow_input_required=True
        )
        assert first.result_type == "input_required"
        reused = await client.session.call_tool(
            "destroy",
            {"paths": ["b"]},
            input_responses={
                "confirm": ElicitResult(
                    action="accept", content={"confirm": True}
                )
            },
            request_state=first.request_state,
            allow_input_required=True,
        )
        assert reused.result_type == "input_required"


async def test_roots_of_the_client_are_not_asked_for_and_widen_nothing(
    tmp_path: Path,
) -> None:
    asked: list[str] = []

    async def roots(context: Any) -> ListRootsResult:
        asked.append("roots")
        return ListRootsResult(roots=[Root(uri=FileUrl("file:///"))])

    async with connected(
        "legacy", str(tmp_path), list_roots_callback=roots
    ) as client:
        assert text_of(await client.call_tool("echo", {})) == "{}"
        assert tmp_path.as_posix() in (client.instructions or "")
    assert asked == []


@MODES
async def test_a_change_is_recorded_under_its_session_client_and_turn(
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
                assert not answer.is_error, text_of(answer)
    with Workspace(work, state_dir=state) as workspace:
        records = list(reversed(workspace.history()))
    assert [record.turn for record in records] == ["turn 0", "turn 1"] * 2
    assert all(
        record.client and record.client.startswith("mcp") for record in records
    )
    one, same, other, _ = [record.session for record in records]
    assert one == same != other


@MODES
async def test_library_offers_what_clients_get(
    mode: str, tmp_path: Path
) -> None:
    work, state = tmp_path / "work", tmp_path / "state"
    work.mkdir()
    server = processes.for_client(
        [*processes.FILEWRIGHT, "serve", str(work), "--state-dir", str(state)]
    )
    async with Client(server, mode=mode) as client:
        listed = (await client.list_tools()).tools
        instructions = client.instructions
    with Workspace(work, state_dir=state) as workspace:
        assert instructions == workspace.instructions
        tools = workspace.tools()
    assert [tool.name for tool in listed] == [tool.name for tool in tools]
    for shown, tool in zip(listed, tools, strict=True):
        assert shown.description == tool.description
        assert shown.input_schema == tool.schema


@MODES
async def test_codex_names_the_session_and_the_turn_of_its_hooks(
    mode: str, tmp_path: Path
) -> None:
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
            assert not answer.is_error, text_of(answer)
    with Workspace(work, state_dir=state) as workspace:
        first, *others = reversed(workspace.history())
    assert (first.session, first.turn) == ("its own", "turn 1")
    assert {
        (record.session == "its own", record.turn) for record in others
    } == {(False, None)}
