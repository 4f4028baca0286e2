"""Which files a person has seen, as they were then: a mark lapses once the file is changed again."""

from __future__ import annotations

import time

from filewright.workspace import Workspace


class Marks:
    """The marks of a workspace, by path: what version was seen. Every method raises what a `Database` does."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def seen(self) -> dict[str, str]:
        """The version of each file that was seen."""
        asked = "SELECT substr(id, 6), content FROM words WHERE kind = 'seen'"
        return {
            path: version for each in self._workspace.changes.databases for path, version in each.read(asked)
        }

    def mark(self, path: str, version: str) -> None:
        """Note that a version of a file was seen; none takes the mark away."""
        with self._workspace.changes.database().transaction(durable=False) as execute:
            execute("DELETE FROM words WHERE id = ?", (f"seen {path}",))
            if version:
                given = (f"seen {path}", time.time(), version)
                execute("INSERT INTO words VALUES (?, 'seen', ?, '', '', ?, NULL, NULL)", given)
