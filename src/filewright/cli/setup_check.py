"""`filewright setup --check`: what of a client's configuration is there, and whether it works when it is tried.

Only what `setup` itself would write is tried, by the program that runs now. Whatever else a project's files name is
shown and never started.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TextIO

from filewright.cli import write
from filewright.cli.clients import Client, ServerOptions
from filewright.cli.configfile import read
from filewright.cli.recognition import (
    describe_differences,
    find_foreign_hook_lines,
    find_options,
    list_variants,
)
from filewright.cli.setup import UNRECORDED, Part
from filewright.cli.setup_files import read_configuration
from filewright.errors import FilewrightError
from filewright.recording.hooks import PROJECT_VARIABLES

_SECONDS = 60
_CALL = {
    "tool_name": "Bash",
    "tool_use_id": "1",
    "session_id": "setup-check",
    "turn_id": "1",
}


def checked(
    parts: Sequence[Part], options: ServerOptions, *, titled: bool
) -> bool:
    """Say of each part whether it is there and whether it works; return True if all of it is and does."""
    good = True
    for client, of_client in groupby(parts, key=lambda part: part.client):
        if titled:
            write(f"{client.title}:")
        for part in of_client:
            try:
                finding, fine = _examined(part, options)
            except (
                OSError,
                ValueError,
                TypeError,
                subprocess.SubprocessError,
                FilewrightError,
            ) as error:
                finding, fine = f"{part.path}: {error}", False
            write(f"{'ok  ' if fine else 'LOOK'} {part.what}: {finding}")
            good = good and fine
        if not client.hooks:
            write(f"     hooks: {UNRECORDED}")
    return good


def _examined(part: Part, options: ServerOptions) -> tuple[str, bool]:
    text = read_configuration(part.path)
    if text is None:
        return f"not configured: there is no {part.path}", False
    if part.what == "rule":
        there = part.edited(text, remove=True) != text
        return f"{'in' if there else 'not in'} {part.path}", there
    examine = _examined_server if part.what == "server" else _examined_hooks
    result, works = examine(part, text, options)
    return f"{'in ' if result else 'not in '}{part.path}{result}", works


def _examined_server(
    part: Part, text: str, options: ServerOptions
) -> tuple[str, bool]:
    entry = part.entry(text)
    if entry is None:
        return "", False
    written = find_options(part.client, entry, options)
    if written is None:
        return (
            f", not as setup writes it, and not started: {describe_differences(entry, part.ours)}",
            False,
        )
    if missing := _missing(written):
        return missing, False
    here = ServerOptions(
        written.roots or [os.getcwd()],
        written.read_only,
        written.dialect,
        written.uvx,
    )
    ours = part.client.entry(here)
    command = ours["command"]
    words = command if isinstance(command, list) else [command, *ours["args"]]
    return f"; {_try_server(words)}", True


def _examined_hooks(
    part: Part, text: str, options: ServerOptions
) -> tuple[str, bool]:
    client = part.client
    aliens = (
        [*find_foreign_hook_lines(read(text.removeprefix("\ufeff")))]
        if client.events
        else []
    )
    if aliens:
        shown = "; ".join(ascii(line)[:200] for line in aliens[:3])
        return f", beside what setup did not write, and not run: {shown}", False
    for written in list_variants(options):
        if (
            part._replace(ours=client.hooked(written, part.path)).edited(text)
            == text
        ):
            if missing := _missing(written):
                return missing, False
            works = _try_hooks(client, ServerOptions(uvx=written.uvx))
            guard = "" if written.guard else ", without the guard"
            return f"; {works}{guard}", True
    if part.edited(text, remove=True) == text:
        return "", False
    return (
        f", not as setup writes it, and not run: `filewright setup {client.name}` writes it again",
        False,
    )


def _missing(written: ServerOptions) -> str:
    """Say that the program is not found by the name that is written; the empty string if it is."""
    program = written.program[0]
    return (
        ""
        if shutil.which(program)
        else f", and starts `{program}`, which is not in PATH here"
    )


def _try_server(words: Sequence[str]) -> str:
    """Start the server as the client would, and call a tool. Raises `OSError`."""
    with tempfile.TemporaryFile("w+") as said:
        try:
            works, failed = asyncio.run(
                asyncio.wait_for(_asked(words, said), _SECONDS)
            )
        except Exception as error:  # Whatever the client library raises: the server did not answer.
            said.seek(0)
            why = said.read().strip()[-500:] or error
            raise OSError(
                f"the server does not start: {' '.join(words)}: {why}"
            ) from error
    if failed:
        raise OSError(f"{works}, and a call fails: {failed}")
    return works


async def _asked(words: Sequence[str], said: TextIO) -> tuple[str, str]:
    from mcp import Client as Session
    from mcp import StdioServerParameters, stdio_client

    server = StdioServerParameters(
        command=words[0], args=[*words[1:]], env=dict(os.environ)
    )
    async with Session(stdio_client(server, errlog=said)) as session:
        tools = (await session.list_tools()).tools
        works = f"it starts, offers {len(tools)} tools"
        for tool in tools:
            if (
                tool.annotations
                and tool.annotations.read_only_hint
                and not tool.input_schema.get("required")
            ):
                answer = await session.call_tool(tool.name, {})
                return (
                    (works, str(answer.content))
                    if answer.is_error
                    else (f"{works}, and answers a call", "")
                )
        return works, ""


def _try_hooks(client: Client, options: ServerOptions) -> str:
    """Run our hooks around a command that changes a file in a folder of its own. Raises `OSError`."""
    from filewright.workspace import Workspace

    first, last = client.hook_lines(options)
    words = shlex.split(last, posix=os.name == "posix")
    with tempfile.TemporaryDirectory() as place:
        project, state = Path(place, "project"), str(Path(place, "state"))
        project.mkdir()
        (project / "file").write_text("before\n")
        environment = {
            **os.environ, **dict.fromkeys(PROJECT_VARIABLES, str(project)), "FILEWRIGHT_STATE_DIR": state
        }  # fmt: skip
        call = json.dumps(
            {
                **_CALL,
                "cwd": str(project),
                "tool_input": {"command": "echo after > file"},
            }
        )
        said = ""
        for line in (first, last):
            run = subprocess.run(
                line, shell=True, input=call, text=True, cwd=project, env=environment, capture_output=True,
                timeout=_SECONDS, check=False,
            )  # fmt: skip
            said = said or run.stderr.strip()
            (project / "file").write_text("after\n")
        if "--state-dir" in words[:-1]:
            state = words[words.index("--state-dir") + 1]
        with Workspace(project, state_dir=Path(state)) as workspace:
            if not workspace.history():
                raise OSError(
                    f"the hooks run, and nothing is recorded{': ' if said else ''}{said}"
                )
    return "they record what a command changes"
