"""A git repository, its user's home, and the history of filewright."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests import processes

BEFORE = b"# caf\xe9\r\nport = 80\r\n"
DAMAGED = b"# caf\xef\xbf\xbd\nport = 8080\n"
HEALED = b"# caf\xe9\r\nport = 8080\r\n"
CRLF = b"one\r\ntwo\r\nthree\r\n"
LF = b"one\ntwo\nthree\n"


class Repository:
    """A repository, its user's home, and the history of filewright beside them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.top = folder / "project"
        self.top.mkdir()
        (folder / "home").mkdir()
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GIT_", "FILEWRIGHT_"))
        } | {
            "HOME": str(folder / "home"),
            "FILEWRIGHT_STATE_DIR": str(folder / "state"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "FILEWRIGHT_FLUSH": "false",
        }
        for who in ("AUTHOR", "COMMITTER"):
            for fact in ("NAME", "EMAIL"):
                self.environment[f"GIT_{who}_{fact}"] = "x@example.com"
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str, folder: Path | None = None) -> bytes:
        done = subprocess.run(
            ["git", *words],
            cwd=folder or self.top,
            env=self.environment,
            capture_output=True,
            check=True,
        )
        return done.stdout

    def write(self, name: str | bytes, content: bytes) -> Path:
        path = Path(
            os.fsdecode(os.path.join(os.fsencode(self.top), os.fsencode(name)))
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def commit(self, name: str | bytes, content: bytes) -> Path:
        path = self.write(name, content)
        self.git("add", "--", os.fsdecode(name))
        self.git("commit", "-qm", "a file")
        return path

    def run(
        self, *words: str, folder: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        return processes.run(
            [*processes.FILEWRIGHT, *words],
            cwd=folder or self.top,
            env=self.environment,
        )

    def check(self, *words: str, folder: Path | None = None) -> list[str]:
        """The lines of a check; its exit status must fit them."""
        done = self.run("guard", "check", *words, folder=folder)
        lines = done.stdout.splitlines()
        assert done.returncode == (1 if lines else 0), done.stdout + done.stderr
        return lines

    def fix(self, *words: str) -> list[str]:
        done = self.run("guard", "check", "--fix", *words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.splitlines()

    def as_json(self, *words: str) -> Any:
        return json.loads(self.run("guard", "check", "--json", *words).stdout)

    def staged(self, name: str) -> bytes:
        return self.git("cat-file", "blob", f":{name}")
