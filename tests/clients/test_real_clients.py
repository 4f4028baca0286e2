"""A client as its users install it works with what `setup` has written, and all that it did is taken back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from bench.clients.real_clients import CLIENTS, Installation, Scene, patch_step
from bench.clients.scripted_model import Step, scripted_model
from tests.clients.conftest import Install

pytestmark = [pytest.mark.clients, pytest.mark.timeout(600)]

LINES = b"".join(f"line {number}\n".encode() for number in range(1, 41))
BEFORE = {
    "tool.txt": b"price\r\nsize\r\n",
    "edited.txt": LINES,
    "shell.txt": b"\xef\xbb\xbfprice, without a line's end",
    "deleted.bin": bytes(range(256)),
}
COMMAND = (
    "sed -i s/price/cost/ shell.txt && rm deleted.bin && echo new > made.txt"
)
CHANGED = {
    "tool.txt": b"cost\r\nsize\r\n",
    "edited.txt": LINES.replace(b"line 2\n", b"line two\n"),
    "shell.txt": b"\xef\xbb\xbfcost, without a line's end",
    "made.txt": b"new\n",
}
OURS = Step(
    "edit_content",
    {"path": "tool.txt", "edits": [{"search": "price", "replace": "cost"}]},
    "filewright",
)


def files_of(scene: Scene) -> dict[str, bytes]:
    """Return the files that are no configuration."""
    return {
        path.name: path.read_bytes()
        for path in scene.project.iterdir()
        if path.suffix in {".txt", ".bin"}
    }


def change_as_a_person(scene: Scene) -> dict[str, bytes]:
    """Add a line to a file that the client has changed, and a file.

    Return what a rewind must leave.
    """
    with (scene.project / "edited.txt").open("ab") as file:
        file.write(b"a person's line\n")
    (scene.project / "person.txt").write_bytes(b"a person's file\n")
    return {
        **BEFORE,
        "edited.txt": LINES + b"a person's line\n",
        "person.txt": b"a person's file\n",
    }


class Case(NamedTuple):
    """The names of a client in the history, and its own steps around ours."""

    names: tuple[str, str]
    """By its hooks, and by its connection to the server."""
    shell: Step
    before_ours: tuple[Step, ...] = ()


CASES = {
    "Claude Code": Case(
        ("claude-code", "claude-code"),
        Step("Bash", {"command": COMMAND, "description": "-"}),
        # It does not wait for its servers.
        (Step("Bash", {"command": "sleep 3", "description": "-"}),),
    ),
    "Codex": Case(
        ("codex", "codex-mcp-client"), Step("exec_command", {"cmd": COMMAND})
    ),
    "Gemini CLI": Case(
        ("gemini-cli", "gemini-cli-mcp-client"),
        Step("run_shell_command", {"command": COMMAND}),
    ),
    "Qwen Code": Case(
        ("qwen-code", "qwen-cli-mcp-client"),
        Step(
            "run_shell_command",
            {"command": COMMAND, "description": "-", "is_background": False},
        ),
        (
            Step(
                "tool_search", {"query": "select:mcp__filewright__edit_content"}
            ),
        ),
    ),
    "opencode": Case(
        ("opencode", "opencode"),
        Step("bash", {"command": COMMAND, "description": "-"}),
    ),
    "Kilo": Case(
        ("kilo", "kilo"), Step("bash", {"command": COMMAND, "description": "-"})
    ),
    "Copilot CLI": Case(
        ("copilot-cli", "copilot-cli"),
        Step("bash", {"command": COMMAND, "description": "-"}),
    ),
    "Cline": Case(
        ("cline", "@cline/core"), Step("run_commands", {"commands": [COMMAND]})
    ),
    "pi": Case(("pi", "pi"), Step("bash", {"command": COMMAND})),
}


@pytest.mark.parametrize("name", CASES)
def test_it_edits_by_our_tool_by_its_own_and_by_its_shell_and_one_rewind_takes_all_back(
    name: str, installed: Install, tmp_path: Path
) -> None:
    client, case = CLIENTS[name], CASES[name]
    modules = installed(name)
    scene = Scene(tmp_path / "scene")
    for file_name, content in BEFORE.items():
        (scene.project / file_name).write_bytes(content)
    path = str(scene.project / "edited.txt")
    steps = [client.read(path)] if client.read else []
    steps += [
        client.edit(path, "line 2\n", "line two\n")
        if client.edit is not patch_step
        else patch_step(path, "line 2", "line two"),
        *case.before_ours,
        OURS,
        case.shell,
    ]
    with scripted_model(steps) as model:
        session = client.start(
            Installation(
                scene, model.url, modules, setup_name=client.setup_name
            )
        )
    assert len(model.answers) == len(steps), model.answers
    assert files_of(scene) == CHANGED, model.answers
    lines = scene.filewright("log").splitlines()[:3]
    answer = scene.filewright("call", "get_history", "{}", "--json")
    changes = json.loads(answer)["data"]["changes"][:3]
    [turn] = {change["turn"] for change in changes}
    assert turn, "the client's, or one that its hooks made"
    by_hooks, by_server = case.names
    for summary in (
        f"$ {COMMAND}  [{by_hooks}",
        f"Edited edited.txt  [{by_hooks}",
        f"Edited tool.txt  [{by_server}",
    ):
        [line] = [line for line in lines if f"  {summary}" in line]
        # The prompt is at the end, in words where the hooks of the client have them.
        assert f"{session}]  “" in line or line.endswith(
            f"{session} turn {turn}]"
        )
    expected = change_as_a_person(scene)
    scene.filewright("rewind", "last", "--yes")
    assert files_of(scene) == expected
