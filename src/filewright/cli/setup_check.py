"""`filewright setup --check`: what of a client's configuration is there, and whether it works when it is tried."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, TextIO

from filewright.cli import write
from filewright.cli.configfile import read, value_at
from filewright.cli.hook import PROJECT
from filewright.cli.setup import HOOK_LINE, UNRECORDED, Part, content_of
from filewright.errors import FilewrightError

_SECONDS = 60
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_CALL = {"tool_name": "Bash", "tool_use_id": "1", "session_id": "setup-check", "turn_id": "1"}


def checked(parts: Sequence[Part], *, titled: bool) -> bool:
    """Say of each part whether it is there and whether it works; True if all of it is and does."""
    good = True
    for client, its in groupby(parts, key=lambda part: part.client):
        if titled:
            write(f"{client.title}:")
        for part in its:
            try:
                said, fine = _found(part)
            except (OSError, ValueError, TypeError, subprocess.SubprocessError, FilewrightError) as error:
                said, fine = f"{part.path}: {error}", False
            write(f"{'ok  ' if fine else 'LOOK'} {part.what}: {said}")
            good = good and fine
        if not client.hooks:
            write(f"     hooks: {UNRECORDED}")
    return good


def _found(part: Part) -> tuple[str, bool]:
    text = content_of(part.path)
    if text is None:
        return f"not configured: there is no {part.path}", False
    if part.edited(text, remove=True) == text:
        return f"not in {part.path}", False
    if part.what == "rule":
        return f"in {part.path}", True
    differs = "" if part.edited(text) == text else ", not as setup would write it now"
    text = text.removeprefix("\ufeff")
    if part.what == "hooks":
        works = _try_hooks(text)
    else:
        works = _try_server(value_at(read(text, toml=part.is_toml), part.client.keys))
    return f"in {part.path}{differs}; {works}", True


def _try_server(entry: Any) -> str:
    """Start it as the client would, and call a tool. Raises `OSError`."""
    command = entry.get("command") if isinstance(entry, Mapping) else None
    words = command if isinstance(command, list) else [command, *entry.get("args", [])] if command else []
    words = [os.getcwd() if word == "${workspaceFolder}" else word for word in words]
    if not words or not all(isinstance(word, str) for word in words):
        raise ValueError("the entry has no command")
    with tempfile.TemporaryFile("w+") as said:
        try:
            works, failed = asyncio.run(asyncio.wait_for(_asked(words, said), _SECONDS))
        except Exception as error:  # Whatever the client library raises: the server did not answer.
            said.seek(0)
            why = said.read().strip()[-500:] or error
            raise OSError(f"the server does not start: {' '.join(words)}: {why}") from error
    if failed:
        raise OSError(f"{works}, and a call fails: {failed}")
    return works


async def _asked(words: Sequence[str], said: TextIO) -> tuple[str, str]:
    from mcp import Client as Session
    from mcp import StdioServerParameters, stdio_client

    server = StdioServerParameters(command=words[0], args=[*words[1:]], env=dict(os.environ))
    async with Session(stdio_client(server, errlog=said)) as session:
        tools = (await session.list_tools()).tools
        works = f"it starts, offers {len(tools)} tools"
        for tool in tools:
            if tool.annotations and tool.annotations.read_only_hint and not tool.input_schema.get("required"):
                answer = await session.call_tool(tool.name, {})
                return (
                    (works, str(answer.content)) if answer.is_error else (f"{works}, and answers a call", "")
                )
        return works, ""


def _try_hooks(text: str) -> str:
    """Run those before and after a command around one that changes a file in a folder of its own. Raises `OSError`."""
    from filewright.workspace import Workspace

    lines = [line for found in _STRING.findall(text) if HOOK_LINE.search(line := json.loads(found))]
    first, last = (
        next((line for line in lines if f" snapshot {word} " in line), None) for word in ("begin", "end")
    )
    if first is None or last is None:
        raise OSError("one of the two hooks is missing")
    words = shlex.split(last, posix=os.name == "posix")
    with tempfile.TemporaryDirectory() as place:
        project, state = Path(place, "project"), str(Path(place, "state"))
        project.mkdir()
        (project / "file").write_text("before\n")
        environment = {
            **os.environ, **dict.fromkeys(PROJECT, str(project)), "FILEWRIGHT_STATE_DIR": state
        }  # fmt: skip
        given = json.dumps({**_CALL, "cwd": str(project), "tool_input": {"command": "echo after > file"}})
        said = ""
        for line in (first, last):
            run = subprocess.run(
                line, shell=True, input=given, text=True, cwd=project, env=environment, capture_output=True,
                timeout=_SECONDS, check=False,
            )  # fmt: skip
            said = said or run.stderr.strip()
            (project / "file").write_text("after\n")
        if "--state-dir" in words[:-1]:
            state = words[words.index("--state-dir") + 1]
        with Workspace(project, state_dir=Path(state)) as workspace:
            if not workspace.history():
                raise OSError(f"the hooks run, and nothing is recorded{': ' if said else ''}{said}")
    return "they record what a command changes"
