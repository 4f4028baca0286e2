"""Commands that tests type, and the text of a file that two sessions change."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from filewright import Settings, Workspace
from filewright.cli.hook import run_hook
from filewright.cli.program import program

LINES = "".join(f"line {n}\n" for n in range(1, 31))
FORTY_LINES = "".join(f"line {number}\n" for number in range(1, 41))
PROMPT = "Write the numbers as words"


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(program, arguments, input=stdin)


def hook(*words: str, told: object) -> str:
    """Run `filewright snapshot` as a hook that a client tells this; return its answer."""
    with CliRunner().isolation(input=json.dumps(told)) as (output, errors, _):
        assert run_hook([*words])
        return (output.getvalue() + errors.getvalue()).decode()


def edit(search: str, replace: str) -> Result:
    change = {
        "path": "a.txt",
        "edits": [{"search": search, "replace": replace}],
    }
    return run("call", "edit_content", json.dumps(change))


def agent(root: Path, name: str = "codex") -> Workspace:
    settings = Settings(flush=False)
    return Workspace(
        root, settings=settings, session=name, client=f"{name} 2.1"
    )
