"""Authors of the lines that an undo leaves."""

from __future__ import annotations

from pathlib import Path

from filewright import Settings, Workspace
from filewright.progress import Caller, Task


def test_names_sessions_and_other_programs(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    settings = Settings(flush=False)
    workspace = Workspace(root, state_dir=tmp_path / "state", settings=settings)
    file = root / "a.txt"
    file.write_text("".join(f"line {number}\n" for number in range(60)))

    def session(name: str) -> Workspace:
        return workspace.under(Task(caller=Caller(name, "agent 1.0")))

    def edit(name: str, number: int, text: str) -> str:
        search = f"line {number}\n"
        edits = [{"search": search, "replace": f"{text}\n"}]
        change = session(name).edit("a.txt", edits).change_id
        assert change is not None
        return change

    undone = edit("one", 5, "undone")
    edit("two", 20, "theirs")
    edit("one", 30, "mine")
    file.write_text(file.read_text().replace("line 40\n", "a person's\n"))
    # The name of a session counts, not that it changed the file last.
    edit("three", 50, "last")
    for preview in (True, False):
        arguments = {"change_id": undone, "preview": preview}
        answer = session("one").call("revert_edit", arguments)
        assert (
            "stay (merged): a.txt:21 theirs (two), 31 mine, "
            "41 a person's (another program), 51 last (three)]"
        ) in answer.text, answer.text
    workspace.close()
