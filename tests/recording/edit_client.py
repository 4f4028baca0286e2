"""A client with hooks around its own edits, and a file before, after and healed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests import processes
from tests.cli.typed import hook, run

BEFORE = b"# caf\xe9\r\nport = 80\r\nlast"
DAMAGED = b"# caf\xef\xbf\xbd\nport = 8080\nlast\n"
HEALED = b"# caf\xe9\r\nport = 8080\r\nlast"
EDIT = {"old_string": "port = 80", "new_string": "port = 8080"}


class Client:
    """A client whose hooks run around the edits of its own tool.

    A hook runs in this process, unless there is another `program` to run, or the
    hook is to be killed.
    """

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.options = ["--guard", "heal"]
        self.name = "claude-code"
        self.program: str | None = None
        self.uses = 0

    def write(self, name: str, content: bytes) -> Path:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def start(self, *words: str, told: object) -> subprocess.Popen[str]:
        process = processes.start(
            [*processes.FILEWRIGHT, *words], cwd=self.project, text=True
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(told))
        process.stdin.close()
        return process

    def run(self, *words: str, told: object = None) -> str:
        if told is None:
            answer = run(*words)
            assert answer.exit_code == 0, answer.output
            return answer.stdout + answer.stderr
        if self.program is None:
            return hook(*words[1:], told=told)
        done = processes.run(
            [sys.executable, "-c", self.program, *words],
            cwd=self.project,
            given=json.dumps(told),
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def use(self, path: Path | str | None, **arguments: Any) -> dict[str, Any]:
        """Return what a client says to its hooks of one use of its tool."""
        self.uses += 1
        named = {} if path is None else {"file_path": str(path)}
        return {
            "session_id": "s1",
            "cwd": str(self.project),
            "prompt_id": "t1",
            "tool_name": "Edit",
            "tool_use_id": f"u{self.uses}",
            "tool_input": {**named, **(arguments or EDIT)},
        }

    def begin(self, use: dict[str, Any]) -> None:
        told = {**use, "hook_event_name": "PreToolUse"}
        self.run("snapshot", "begin", "--hook", told=told)

    def end_words(self) -> list[str]:
        words = ["snapshot", "end", "--hook", "--actor", self.name]
        return [*words, *self.options]

    def end(self, use: dict[str, Any]) -> str:
        """Run the hook after a use; return what the model is told."""
        told = {**use, "hook_event_name": "PostToolUse"}
        said = self.run(*self.end_words(), told=told)
        if not said:
            return ""
        return str(json.loads(said)["hookSpecificOutput"]["additionalContext"])

    def edit(
        self,
        path: Path | str | None,
        damage: Callable[[], object],
        **arguments: Any,
    ) -> str:
        """Edit a file as a client does: hook, tool, hook; return what the model is told."""
        use = self.use(path, **arguments)
        self.begin(use)
        damage()
        return self.end(use)
