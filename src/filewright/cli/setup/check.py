"""Checks of components: whether a file has one, and whether it works.

Only what `setup` itself would write is tried, by the program that runs now. Anything
else that a project's files name is shown and never started.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from filewright.cli.setup.clients import Client
from filewright.cli.setup.components import BYTE_ORDER_MARK, Component
from filewright.cli.setup.configfile import parse_configuration
from filewright.cli.setup.files import read_configuration
from filewright.cli.setup.launch import ServerOptions
from filewright.cli.setup.recognition import (
    describe_differences,
    find_foreign_hook_lines,
    find_options,
    list_variants,
)
from filewright.errors import FilewrightError
from filewright.recording.hooks import PROJECT_VARIABLES

_TIMEOUT_SECONDS = 60
"""The time for a server or a hook to start, as the slowest machines need it."""
_MAX_SHOWN_LINES = 3
_MAX_LINE_CHARACTERS = 200
_MAX_ERROR_CHARACTERS = 500
_HOOK_INPUT = {
    "tool_name": "Bash",
    "tool_use_id": "1",
    "session_id": "setup-check",
    "turn_id": "1",
}


@dataclass(frozen=True, slots=True)
class ComponentFinding:
    """The finding of a check on a component."""

    text: str
    is_good: bool


@dataclass(frozen=True, slots=True)
class ComponentCheck:
    """A component, and the finding about it."""

    component: Component
    finding: ComponentFinding


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcome of starting the server: what works, and the error of a call."""

    result: str
    call_error: str = ""


def check_components(
    components: Iterable[Component], options: ServerOptions
) -> Iterator[ComponentCheck]:
    """Check one component after the other, and yield each as soon as it is checked."""
    for component in components:
        yield ComponentCheck(component, check_component(component, options))


def check_component(
    component: Component, options: ServerOptions
) -> ComponentFinding:
    """Return a finding about a component, after trying it if it is present."""
    try:
        return _check(component, options)
    except (
        OSError,
        ValueError,
        TypeError,
        subprocess.SubprocessError,
        FilewrightError,
    ) as error:
        # A file that cannot be read must not hide the state of the others.
        return ComponentFinding(f"{component.path}: {error}", is_good=False)


def _check(component: Component, options: ServerOptions) -> ComponentFinding:
    path = component.path
    text = read_configuration(path)
    if text is None:
        return ComponentFinding(
            f"not configured: there is no {path}", is_good=False
        )
    if component.kind == "server":
        return _check_server(component, text, options)
    if component.kind == "hooks":
        return _check_hooks(component, text, options)
    if component.remove_from(text) == text:
        return _missing_from(path)
    return ComponentFinding(f"in {path}", is_good=True)


def _missing_from(path: str) -> ComponentFinding:
    return ComponentFinding(f"not in {path}", is_good=False)


def _check_server(
    component: Component, text: str, options: ServerOptions
) -> ComponentFinding:
    path = component.path
    entry = component.find_server(text)
    if entry is None:
        return _missing_from(path)
    options_of_entry = find_options(component.client, entry, options)
    if options_of_entry is None:
        differences = describe_differences(entry, component.content)
        return ComponentFinding(
            f"in {path}, not as setup writes it, and not started: {differences}",
            is_good=False,
        )
    if not _is_program_found(options_of_entry):
        return _missing_program(path, options_of_entry)
    trial_options = replace(
        options_of_entry,
        roots=options_of_entry.roots or [os.getcwd()],
        # The program that runs now is tried, not one of its name in PATH.
        shared=False,
    )
    # Built anew, never read from the file: that may name any program.
    own_entry = component.client.build_server(trial_options)
    command = own_entry["command"]
    if not isinstance(command, list):
        command = [command, *own_entry["args"]]
    return ComponentFinding(f"in {path}; {_try_server(command)}", is_good=True)


def _check_hooks(
    component: Component, text: str, options: ServerOptions
) -> ComponentFinding:
    client, path = component.client, component.path
    if client.events:
        configuration = parse_configuration(text.removeprefix(BYTE_ORDER_MARK))
        foreign_lines = [*find_foreign_hook_lines(configuration)]
        if foreign_lines:
            excerpt = "; ".join(
                ascii(line)[:_MAX_LINE_CHARACTERS]
                for line in foreign_lines[:_MAX_SHOWN_LINES]
            )
            return ComponentFinding(
                f"in {path}, but with hooks that setup did not write, and not run: {excerpt}",
                is_good=False,
            )
    for variant in list_variants(options):
        content = client.build_hooks(variant, path)
        if replace(component, content=content).add_to(text) != text:
            continue
        if not _is_program_found(variant):
            return _missing_program(path, variant)
        result = _try_hooks(client, ServerOptions(uvx=variant.uvx))
        if not variant.guard:
            result += ", without the guard"
        return ComponentFinding(f"in {path}; {result}", is_good=True)
    if component.remove_from(text) == text:
        return _missing_from(path)
    return ComponentFinding(
        f"in {path}, not as setup writes it, and not run: `filewright setup {client.name}` writes it again",
        is_good=False,
    )


def _is_program_found(options: ServerOptions) -> bool:
    return shutil.which(options.program[0]) is not None


def _missing_program(path: str, options: ServerOptions) -> ComponentFinding:
    program = options.program[0]
    return ComponentFinding(
        f"in {path}, and starts `{program}`, which is not in PATH here",
        is_good=False,
    )


def _try_server(words: Sequence[str]) -> str:
    """Start the server as the client would, call a tool, and return the result.

    Raise `OSError` if the server does not start or the call fails.
    """
    with tempfile.TemporaryFile("w+") as error_output:
        try:
            trial = asyncio.run(
                asyncio.wait_for(
                    _call_server(words, error_output), _TIMEOUT_SECONDS
                )
            )
        except Exception as error:
            # The client library has many exceptions; any means that there is no answer.
            error_output.seek(0)
            reason = error_output.read().strip()[-_MAX_ERROR_CHARACTERS:]
            raise OSError(
                f"the server does not start: {' '.join(words)}: {reason or error}"
            ) from error
    if trial.call_error:
        raise OSError(f"{trial.result}, and a call fails: {trial.call_error}")
    return trial.result


async def _call_server(words: Sequence[str], error_output: TextIO) -> Trial:
    """Start the server and call the first tool that only reads and needs no argument."""
    from mcp import Client as Session
    from mcp import StdioServerParameters, stdio_client

    server = StdioServerParameters(
        command=words[0], args=[*words[1:]], env=dict(os.environ)
    )
    async with Session(stdio_client(server, errlog=error_output)) as session:
        tools = (await session.list_tools()).tools
        result = f"it starts, offers {len(tools)} tools"
        for tool in tools:
            if tool.annotations is None or not tool.annotations.read_only_hint:
                continue
            if tool.input_schema.get("required"):
                continue
            answer = await session.call_tool(tool.name, {})
            if answer.is_error:
                return Trial(result, call_error=str(answer.content))
            return Trial(f"{result}, and answers a call")
        return Trial(result)


def _try_hooks(client: Client, options: ServerOptions) -> str:
    """Run the hooks around a change of a file in a temporary folder.

    Raise `OSError` if they record nothing.
    """
    from filewright.workspace import Workspace

    lines = client.build_hook_lines(options)
    with tempfile.TemporaryDirectory() as folder:
        project, state = Path(folder, "project"), Path(folder, "state")
        project.mkdir()
        (project / "file").write_text("before\n")
        begin_error = _run_hook(lines.begin, project, state)
        (project / "file").write_text("after\n")
        end_error = _run_hook(lines.end, project, state)
        words = shlex.split(lines.end, posix=os.name == "posix")
        if "--state-dir" in words[:-1]:
            state = Path(words[words.index("--state-dir") + 1])
        with Workspace(project, state_dir=state) as workspace:
            if workspace.history():
                return "they record what a command changes"
    message = "the hooks run, and nothing is recorded"
    reason = begin_error or end_error
    raise OSError(f"{message}: {reason}" if reason else message)


def _run_hook(line: str, project: Path, state: Path) -> str:
    """Run a hook as a client does; return its error output."""
    hook_input = {
        **_HOOK_INPUT,
        "cwd": str(project),
        "tool_input": {"command": "echo after > file"},
    }
    environment = {
        **os.environ,
        **dict.fromkeys(PROJECT_VARIABLES, str(project)),
        "FILEWRIGHT_STATE_DIR": str(state),
    }
    process = subprocess.run(
        line,
        shell=True,
        input=json.dumps(hook_input),
        text=True,
        cwd=project,
        env=environment,
        capture_output=True,
        timeout=_TIMEOUT_SECONDS,
        check=False,
    )
    return process.stderr.strip()
