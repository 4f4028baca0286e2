"""The SDK's own client over stdio, in both eras: calls, progress, cancellation, confirmation, roots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    ListRootsResult,
    Root,
)
from pydantic import FileUrl
from tests import processes
from tests.server.conftest import connected, text_of_result

from filewright import Workspace

MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])
pytestmark = pytest.mark.anyio


@MODES
async def test_session(mode: str) -> None:
    async with connected(mode) as client:
        assert client.protocol_version == (
            "2025-11-25" if mode == "legacy" else "2026-07-28"
        )
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools][:2] == ["echo", "wait"]
        assert (
            text_of_result(await client.call_tool("echo", {"a": "null"}))
            == '{"a": "null"}'
        )
        assert text_of_result(await client.call_tool("dirty", {})).startswith(
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


async def test_client_roots_are_not_asked_for(
    tmp_path: Path,
) -> None:
    asked: list[str] = []

    async def roots(context: Any) -> ListRootsResult:
        asked.append("roots")
        return ListRootsResult(roots=[Root(uri=FileUrl("file:///"))])

    async with connected(
        "legacy", str(tmp_path), list_roots_callback=roots
    ) as client:
        assert text_of_result(await client.call_tool("echo", {})) == "{}"
        assert tmp_path.as_posix() in (client.instructions or "")
    assert asked == []


@MODES
async def test_library_offers_the_same_tools(mode: str, tmp_path: Path) -> None:
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
