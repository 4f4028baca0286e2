"""`filewright setup --check`: what of a client's configuration is there, and whether it works when it is tried."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from filewright.cli.clients import HOOKS, Client, is_ours
from filewright.cli.setup import Part
from filewright.cli.terminal import write
from filewright.errors import FilewrightError

_SECONDS = 60
_CALL: Mapping[str, Any] = {
    "tool_name": "Bash",
    "tool_use_id": "1",
    "session_id": "setup-check",
    "turn_id": "1",
}


def checked(client: Client, parts: Sequence[Part]) -> bool:
    """Say of each part whether it is there and whether it works; True if all of it is and does."""
    good = True
    for part in parts:
        said, fine = _said(client, part)
        write(f"{'ok  ' if fine else 'LOOK'} {part.what}: {said}")
        good = good and fine
    if client.name not in HOOKS:
        write(f"     hooks: {client.title} has none; what its shell and its own tools change is not recorded")
    return good


def _said(client: Client, part: Part) -> tuple[str, bool]:
    try:
        text = Path(part.path).read_text(encoding="utf-8-sig")
        config = text if part.what == "rule" else _read(text, part.path)
        if part.take(text) == text:
            return f"not in {part.path}", False
        differs = "" if part.put(text) == text else ", not as setup would write it now"
        if part.what == "server":
            return f"in {part.path}{differs}; {_try_server(client, config)}", True
        if part.what == "hooks":
            return f"in {part.path}{differs}; {_try_hooks(config)}", True
    except FileNotFoundError:
        return f"not configured: there is no {part.path}", False
    except (OSError, ValueError, KeyError, subprocess.SubprocessError, FilewrightError) as error:
        return f"{part.path}: {error}", False
    return f"in {part.path}", True


def _read(text: str, path: str) -> Any:
    if path.endswith(".toml"):
        import tomllib

        return tomllib.loads(text)
    from filewright.cli.configfile import json_of

    return json_of(text)


# The server


def _try_server(client: Client, config: Any) -> str:
    """Start it as the client would, and call a tool. Raises `OSError`."""
    for key in client.keys:
        config = config[key]
    command = config["command"]
    words = command if isinstance(command, list) else [command, *config.get("args", [])]
    words = [os.getcwd() if word == "${workspaceFolder}" else word for word in words]
    with tempfile.TemporaryFile("w+") as said:
        try:
            tools, failed = asyncio.run(asyncio.wait_for(_asked(words, said), _SECONDS))
        except Exception as error:  # Whatever the client library raises: the server did not answer.
            said.seek(0)
            why = said.read().strip()[-500:]
            raise OSError(f"the server does not start: {' '.join(words)}: {why}") from error
    if failed:
        raise OSError(f"the server starts, and a call fails: {failed}")
    return f"it starts, offers {tools} tools, and answers a call"


async def _asked(words: Sequence[str], said: TextIO) -> tuple[int, str]:
    from mcp import Client as Session
    from mcp import StdioServerParameters, stdio_client

    server = StdioServerParameters(command=words[0], args=[*words[1:]], env=dict(os.environ))
    async with Session(stdio_client(server, errlog=said)) as session:
        tools = (await session.list_tools()).tools
        answer = await session.call_tool("list_files", {"path": "."})
        return len(tools), str(answer.content) if answer.is_error else ""


# The hooks


def _try_hooks(config: Any) -> str:
    """Run those before and after a command around one that changes a file in a folder of its own. Raises `OSError`."""
    from filewright.workspace import Workspace

    first, last = (next(_lines(config, word), None) for word in ("begin", "end"))
    if first is None or last is None:
        raise OSError("one of the two hooks is missing")
    with tempfile.TemporaryDirectory() as place:
        project, state = Path(place, "project"), Path(place, "state")
        project.mkdir()
        (project / "file").write_text("before\n")
        environment = {**os.environ, "FILEWRIGHT_STATE_DIR": str(state)}
        for name in ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "CURSOR_PROJECT_DIR"):
            environment[name] = str(project)
        given = json.dumps({**_CALL, "cwd": str(project), "tool_input": {"command": "echo after > file"}})
        said = ""
        for line in (first, last):
            run = subprocess.run(
                line, shell=True, input=given, text=True, cwd=project, env=environment, capture_output=True,
                timeout=_SECONDS, check=False,
            )  # fmt: skip
            said = said or run.stderr.strip()
            (project / "file").write_text("after\n")
        with Workspace(project, state_dir=_state_of(last) or state) as workspace:
            if not workspace.history():
                raise OSError(f"the hooks run, and nothing is recorded{': ' if said else ''}{said}")
    return "they record what a command changes"


def _lines(config: Any, word: str) -> Iterator[str]:
    """The command lines of our hooks in a configuration."""
    if isinstance(config, list):
        for each in config:
            yield from _lines(each, word)
    elif isinstance(config, Mapping):
        line = config.get("command")
        if isinstance(line, str) and is_ours(config) and f" snapshot {word} " in line:
            yield line
        yield from _lines([*config.values()], word)


def _state_of(line: str) -> str | None:
    """The state folder that a command line names."""
    import shlex

    words = shlex.split(line, posix=os.name == "posix")
    return words[words.index("--state-dir") + 1] if "--state-dir" in words else None
