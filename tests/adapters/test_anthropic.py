"""The tools of the Anthropic SDK, called by its own tool runner over a scripted transport."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace

pytest.importorskip("anthropic")
pytestmark = pytest.mark.frameworks

import httpx2
from anthropic import Anthropic, AsyncAnthropic
from anthropic.lib.tools import BetaAbstractMemoryTool

from filewright.adapters.anthropic import (
    AsyncMemoryTool,
    AsyncTextEditorTool,
    MemoryTool,
    TextEditorTool,
)

EDITOR = "str_replace_based_edit_tool"
CONTENT = b"caf\xe9\r\nport = 80\r\nmixed\nlast"
"""Latin-1 with mixed line ends and none at the end."""
EDITED = CONTENT.replace(b"80", b"8080")


class Model:
    """A server of the Messages API that calls tools from a script, and then says `done`."""

    def __init__(self, *calls: tuple[str, Mapping[str, Any]]) -> None:
        self._calls = list(calls)
        self.requests: list[dict[str, Any]] = []

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        """Return the next message of the script."""
        self.requests.append(json.loads(request.content))
        content: dict[str, Any] = {"type": "text", "text": "done"}
        reason = "end_turn"
        if self._calls:
            name, arguments = self._calls.pop(0)
            identifier = f"toolu_{len(self.requests)}"
            content = {"type": "tool_use", "id": identifier, "name": name, "input": arguments}  # fmt: skip
            reason = "tool_use"
        message = {
            "id": f"msg_{len(self.requests)}",
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "content": [content],
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return httpx2.Response(200, json=message)

    async def answer_later(self, request: httpx2.Request) -> httpx2.Response:
        """Return the next message of the script."""
        return self.answer(request)

    @property
    def answers(self) -> list[tuple[str, bool]]:
        """The text of each tool result that was sent, and true for an error."""
        results = []
        for request in self.requests[1:]:
            block = request["messages"][-1]["content"][0]
            content = block["content"]
            if not isinstance(content, str):
                content = content[0]["text"]
            results.append((content, block.get("is_error", False)))
        return results


def run(model: Model, tools: Sequence[Any]) -> str:
    """Return the last words of a session of the SDK's tool runner."""
    transport = httpx2.MockTransport(model.answer)
    with Anthropic(
        api_key="none", http_client=httpx2.Client(transport=transport)
    ) as client:
        message = client.beta.messages.tool_runner(
            model="claude",
            max_tokens=100,
            messages=[{"role": "user", "content": "edit"}],
            tools=tools,
        ).until_done()
    return message.content[0].text


def run_async(model: Model, tools: Sequence[Any]) -> str:
    """Return the last words of a session of the SDK's asynchronous tool runner."""

    async def main() -> str:
        transport = httpx2.MockTransport(model.answer_later)
        async with AsyncAnthropic(
            api_key="none", http_client=httpx2.AsyncClient(transport=transport)
        ) as client:
            message = await client.beta.messages.tool_runner(
                model="claude",
                max_tokens=100,
                messages=[{"role": "user", "content": "edit"}],
                tools=tools,
            ).until_done()
        return message.content[0].text

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("runner", "editor"),
    [(run, TextEditorTool), (run_async, AsyncTextEditorTool)],
    ids=["sync", "async"],
)
def test_edits(
    tmp_path: Path,
    runner: Callable[[Model, Sequence[Any]], str],
    editor: Callable[[Workspace], Any],
) -> None:
    file = tmp_path / "app.ini"
    file.write_bytes(CONTENT)
    replacement = {
        "command": "str_replace",
        "path": "app.ini",
        "old_str": "port = 80",
        "new_str": "port = 8080",
    }
    model = Model(
        (EDITOR, {"command": "view", "path": "app.ini"}),
        (EDITOR, replacement),
        (EDITOR, {**replacement, "old_str": "nowhere"}),
    )
    with Workspace(tmp_path) as workspace:
        assert runner(model, [editor(workspace)]) == "done"
        assert file.read_bytes() == EDITED
        workspace.undo()
        assert file.read_bytes() == CONTENT
    assert model.requests[0]["tools"] == [
        {"type": "text_editor_20250728", "name": EDITOR}
    ]
    view, edit, refusal = model.answers
    assert view == ("1: café\n2: port = 80\n3: mixed\n4: last", False)
    assert edit == (
        "Successfully replaced text at exactly one location.",
        False,
    )
    assert refusal[0].startswith("Error: No match found for replacement.")
    assert refusal[1]


@pytest.mark.parametrize(
    ("runner", "memory"),
    [(run, MemoryTool), (run_async, AsyncMemoryTool)],
    ids=["sync", "async"],
)
def test_remembers(
    tmp_path: Path,
    runner: Callable[[Model, Sequence[Any]], str],
    memory: Callable[[Workspace], Any],
) -> None:
    commands = [
        {
            "command": "create",
            "path": "/memories/a.md",
            "file_text": "one\ntwo\n",
        },
        {
            "command": "insert",
            "path": "/memories/a.md",
            "insert_line": 1,
            "insert_text": "new\n",
        },
        {
            "command": "str_replace",
            "path": "/memories/a.md",
            "old_str": "two",
            "new_str": "2",
        },
        {
            "command": "rename",
            "old_path": "/memories/a.md",
            "new_path": "/memories/b.md",
        },
        {
            "command": "view",
            "path": "/memories/b.md",
            "view_range": [2, 3],
        },
        {"command": "delete", "path": "/memories/b.md"},
        {"command": "view", "path": "/memories/b.md"},
    ]
    model = Model(*[("memory", command) for command in commands])
    with Workspace(tmp_path) as workspace:
        assert runner(model, [memory(workspace)]) == "done"
        assert list(tmp_path.iterdir()) == []
        workspace.undo()
    assert (tmp_path / "b.md").read_bytes() == b"one\nnew\n2\n"
    assert model.requests[0]["tools"] == [
        {"type": "memory_20250818", "name": "memory"}
    ]
    assert [is_error for _, is_error in model.answers] == [False] * 6 + [True]
    assert model.answers[4][0].endswith("     2\tnew\n     3\t2")


def test_implements_the_abstract_tool(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        tool = MemoryTool(workspace, cache_control={"type": "ephemeral"})
        assert isinstance(tool, BetaAbstractMemoryTool)
        assert tool.to_dict()["cache_control"] == {"type": "ephemeral"}
