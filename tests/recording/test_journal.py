"""The state of a root follows its records, whatever happens between the two."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.promises.histories import look
from tests.recording.conftest import Opens

from filewright import FilewrightError, Workspace
from filewright.recording import journal
from filewright.recording.model import Scan
from filewright.recording.scan import Scanner


def _state(tmp_path: Path) -> Path:
    [state] = (tmp_path / "state").rglob("shell/state")
    return state


@pytest.mark.parametrize("then", ["the same", "more", "a tool"])
def test_applies_later_changes_to_old_state(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch, then: str
) -> None:
    """As where a process is killed between the record and the state."""
    workspace.write("first", "1\n")
    moment, before = workspace.newest(), look(root)
    begun = workspace.begin_command()
    (root / "new").mkdir()
    (root / "new" / "f").write_text("1\n")
    (root / "d").rename(root / "e")
    (root / "a").write_text("2\n")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(journal, "write_state", killed)
        with pytest.raises(KeyboardInterrupt):
            workspace.end_command(begun, "make")
    if then == "more":
        (root / "new" / "f").write_text("3\n")
    elif then == "a tool":
        workspace.move("new/f", "f")
    records = workspace.end_command(begun, "make")
    assert len(records) == 1 + (then == "more")
    assert moment is not None
    after = look(root)
    workspace.revert_edit(since=moment)
    assert look(root) == before
    workspace.redo()
    assert look(root) == after


def test_lost_state_records_nothing(
    workspace: Workspace, root: Path, tmp_path: Path
) -> None:
    begun = workspace.begin_command()
    (root / "lost").write_text("1\n")
    _state(tmp_path).write_bytes(b"damaged")
    workspace.write("by-a-tool", "1\n")
    (root / "known").write_text("2\n")
    [record] = workspace.end_command(begun, "make")
    assert [entry.path.display_path for entry in record.file_changes] == [
        "known"
    ]
    begun = workspace.begin_command()
    _state(tmp_path).unlink()
    (root / "again").write_text("3\n")
    with pytest.raises(FilewrightError) as caught:
        workspace.end_command(begun, "make")
    assert caught.value.code == "not_found"
    assert len(workspace.history()) == 2


def test_saves_between_commands_are_not_recorded(
    workspace: Workspace, root: Path
) -> None:
    workspace.end_command(workspace.begin_command(), "true")
    (root / "a").write_text("by a person\n")
    begun = workspace.begin_command()
    assert workspace.end_command(begun, "true") == ()
    assert workspace.history() == []


def test_save_after_tool_belongs_to_command(
    workspace: Workspace, root: Path
) -> None:
    begun = workspace.begin_command()
    workspace.write("t", "by a tool\n")
    (root / "t").write_text("by the command\n")
    [record] = workspace.end_command(begun, "make")
    workspace.undo(record.id)
    assert (root / "t").read_text() == "by a tool\n"


# A command that goes on while it is observed

MEANWHILE = {
    "appends to a new file": ("echo 1 > n", "echo 2 >> n"),
    "writes a new file": ("echo 1 > n", "echo 22222 > n"),
    "replaces a new file": ("echo 1 > n", "echo 2 > n2; mv n2 n"),
    "deletes a new file": ("echo 1 > n", "rm n"),
    "deletes a new folder": ("mkdir n; echo 1 > n/f", "rm -r n"),
    "makes a folder of a new file": (
        "echo 1 > n",
        "rm n; mkdir n; echo 2 > n/f",
    ),
    "deletes a new link": ("ln -s a n", "rm n"),
    "makes a link of a new file": ("echo 1 > n", "ln -sf a n"),
    "appends to a file": ("echo 1 >> a", "echo 2 >> a"),
    "replaces a file": ("echo 1 >> a", "echo 2 > n; mv n a"),
    "deletes a file": ("echo 1 >> a", "rm a"),
    "deletes a file and writes it": ("echo 1 >> a", "rm a; echo 2 > a"),
    "deletes a folder": ("echo 1 >> d/h/x", "rm -r d"),
    "moves a folder": ("echo 1 >> d/h/x", "mv d e"),
    "lets a file grow": ("seq 60000 > n", "seq 60000 >> n"),
}


@pytest.mark.parametrize("case", MEANWHILE)
def test_observes_while_command_goes_on(
    opens: Opens, root: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    """The first is done before a scan, the second between it and the reading of what it has seen."""
    workspace, other = opens(), opens()
    workspace.write("first", "1\n")
    moment, before = workspace.newest(), look(root)
    first, then = MEANWHILE[case]
    begun = workspace.begin_command()
    subprocess.run(first, shell=True, cwd=root, check=True)
    scan = Scanner.scan

    def scan_and_go_on(scanner: Scanner, last: Scan | None) -> Scan:
        result = scan(scanner, last)
        subprocess.run(then, shell=True, cwd=root, check=True)
        return result

    with monkeypatch.context() as patch:
        patch.setattr(Scanner, "scan", scan_and_go_on)
        second = other.begin_command()
    other.end_command(second, "true")
    workspace.end_command(begun, "a command")
    after = look(root)
    assert [
        note for record in workspace.history() for note in record.notes
    ] == []
    assert moment is not None
    answer = workspace.call("revert_edit", {"since": moment})
    assert not answer.is_error or after == before, answer.text
    assert look(root) == before
    if not answer.is_error:
        workspace.redo()
    assert look(root) == after
