"""A pytest plugin: the large-file server's published tests, with this server's tools in place of its own.

`bench.dialects.compare` loads it into a run of those tests, in the original's environment. It replaces
the functions that a client reaches (`src.tools`, and the two older entry points that the tests call), and
leaves everything else of the original as it is.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

SERVER = "FILEWRIGHT_PEER_PYTHON"
TOOLS = (
    "get_overview",
    "search_content",
    "read_content",
    "read_enclosing",
    "edit_content",
    "revert_edit",
    "list_directory",
    "search_directory",
)
POSITIONAL = {
    "get_overview": ("changed_lines",),
    "search_content": ("pattern",),
    "read_content": ("offset", "limit", "pattern", "mode"),
    "read_enclosing": ("line", "depth", "context_lines"),
    "edit_content": ("changes", "fuzzy", "preview"),
    "revert_edit": ("backup_id",),
    "list_directory": (),
    "search_directory": ("pattern",),
}


_INNER = re.compile(
    r'patch\((?!"src\.file_access\.config"|"src\.tools\.config", mock_config)|monkeypatch'
)
"""A test that replaces the original's own inner functions says nothing about its tools."""


class Server:
    """This server over the temporary folder and the tests' data, begun again when its limits change."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._limits: dict[str, str] = {}
        self._number = 0

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """The parsed answer; raises the original's error for an answer that is one."""
        from mcp.server.fastmcp.exceptions import (
            ToolError,  # the original's own release of the SDK
        )

        self._open()
        result = self._request(
            "tools/call", {"name": tool, "arguments": arguments}
        )
        text = result["content"][0]["text"]
        if result.get("isError"):
            raise ToolError(text)
        return json.loads(text)

    def _open(self) -> None:
        limits = {
            name: value
            for name, value in os.environ.items()
            if name.startswith("LARGEFILE_")
        }
        if self._process is not None and limits == self._limits:
            return
        if self._process is not None:
            self._process.terminate()
        self._limits = limits
        roots = [tempfile.gettempdir(), str(Path.cwd())]
        command = [
            os.environ[SERVER],
            "-m",
            "filewright",
            "serve",
            "--dialect",
            "largefile",
            *roots,
        ]
        state = {"FILEWRIGHT_STATE_DIR": os.environ["FILEWRIGHT_PEER_STATE"]}
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **state},
        )
        client = {"name": "peers", "version": "1"}
        self._request(
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": client,
            },
        )
        self._send({"method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(
            json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        )
        self._process.stdin.flush()

    def _request(self, method: str, parameters: dict[str, Any]) -> Any:
        assert self._process is not None
        assert self._process.stdout is not None
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("id") == self._number:
                return message["result"]
        raise RuntimeError("the server has ended")


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Leave out what never reaches a tool, or replaces the original's own inner functions."""
    reached = (*TOOLS, "atomic_edit_file")
    left_out = []
    for item in items:
        source = inspect.getsource(item.function)  # type: ignore[attr-defined]
        if _INNER.search(source) or not any(
            f"{name}(" in source for name in reached
        ):
            left_out.append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def pytest_configure() -> None:
    """Put this server's tools in place before the tests import the original's."""
    import src.editor
    import src.file_access
    import src.tools

    server = Server()

    def tool(name: str) -> Callable[..., Any]:
        subject = (
            "absolute_dir_path" if "directory" in name else "absolute_file_path"
        )

        def call(*values: Any, **named: Any) -> Any:
            given = dict(
                zip((subject, *POSITIONAL[name]), values, strict=False)
            )
            return server.call(name, {**given, **named})

        return call

    for name in TOOLS:
        setattr(src.tools, name, tool(name))

    def atomic_edit_file(
        path: str,
        search: str,
        replace: str,
        fuzzy: bool = True,
        preview: bool = True,
    ) -> Any:
        from mcp.server.fastmcp.exceptions import ToolError
        from src.exceptions import EditError

        try:
            answer = server.call(
                "edit_content",
                {
                    "absolute_file_path": path,
                    "search_text": search,
                    "replace_text": replace,
                    "fuzzy": fuzzy,
                    "preview": preview,
                },
            )
        except ToolError as error:
            raise EditError(str(error)) from error
        first = answer["results"][0]
        asked = {
            "search_attempted": search,
            "fuzzy_enabled": fuzzy,
            "suggestion": first.get("error"),
        }
        outcome = {"match_type": first.get("match_type"), **answer, **asked}
        outcome["similar_matches"] = [
            SimpleNamespace(**each) for each in first.get("similar_matches", ())
        ]
        return SimpleNamespace(**outcome)

    backups: dict[str, list[Any]] = {}

    def create_backup(path: str) -> Any:
        """What an edit leaves behind: the content before it, under an id."""
        content = Path(path).read_text()
        whole = {"search": content, "replace": content + "~", "fuzzy": False}
        made = server.call(
            "edit_content",
            {
                "absolute_file_path": str(path),
                "changes": [whole],
                "preview": False,
            },
        )
        Path(path).write_text(content)
        backups.setdefault(str(path), []).append(
            SimpleNamespace(id=made["backup_created"])
        )
        return backups[str(path)][-1]

    raises = pytest.raises  # that it fails is compared, not in which words
    pytest.raises = lambda expected, **_: raises(expected)  # type: ignore[assignment]
    src.editor.atomic_edit_file = atomic_edit_file
    src.file_access.create_backup = create_backup
    src.file_access.list_backups = lambda path: [*backups.get(str(path), ())]
