"""What each record says of the moment before it is what all earlier records have left, over random scans."""

from __future__ import annotations

import contextlib
import os
import random
import stat
from pathlib import Path
from typing import Any

import pytest
import xxhash
from tests.promises.histories import FILES, FOLDERS, _command, _run
from tests.recording.conftest import Opens
from tests.samples import one_in

from filewright import Workspace
from filewright.changes.model import ChangeRecord, FileChange, FileState

RootState = dict[str, tuple[Any, ...]]


def _state(root: Path) -> RootState:
    """Return kind, content and mode of everything below a folder, by path."""
    state: RootState = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            status = path.lstat()
            mode = stat.S_IMODE(status.st_mode)
            if path.is_symlink():
                known: tuple[Any, ...] = (
                    "link",
                    os.readlink(os.fsencode(path)),
                    0,
                )
            elif path.is_dir():
                known = ("folder", None, mode)
            else:
                known = (
                    "file",
                    xxhash.xxh3_128_hexdigest(path.read_bytes()),
                    mode,
                )
            state[str(path.relative_to(root))] = known
    return state


def _side(state: FileState) -> tuple[Any, ...]:
    content = state.link_target if state.kind == "link" else state.digest
    return state.kind, content, 0 if state.kind == "link" else state.mode


def _check(state: RootState, path: str, before: FileState) -> None:
    """A side says what is there; a rename and a change of modes may not know the content."""
    kind, content, mode = _side(before)
    assert path in state, f"{path} is not there"
    assert (kind, mode) == (state[path][0], state[path][2]), path
    assert content in (None, state[path][1]), path


def _apply(state: RootState, record: ChangeRecord) -> None:
    """Check the sides before of a record, and have the state as it leaves it."""
    leaving: dict[str, RootState] = {}
    for entry in record.file_changes:
        if entry.before is not None:
            _check(state, _path(entry, was=True), entry.before)
    # What leaves its place, from below; what is in a folder that is moved goes along.
    gone = [
        entry
        for entry in record.file_changes
        if entry.after is None or entry.renamed_from is not None
    ]
    for entry in sorted(
        gone, key=lambda entry: -len((entry.renamed_from or entry.path).parts)
    ):
        path = _path(entry, was=True)
        taken = {
            each: state.pop(each)
            for each in list(state)
            if f"{each}/".startswith(f"{path}/")
        }
        assert entry.after is not None or len(taken) == 1, (
            f"{path} is deleted with {sorted(taken)}"
        )
        leaving[path] = taken
    for entry in record.file_changes:
        if entry.after is None:
            continue
        path = _path(entry)
        if entry.renamed_from is not None:
            was = _path(entry, was=True)
            for each, known in leaving[was].items():
                state[path + each[len(was) :]] = known
        elif entry.before is None:
            assert path not in state, f"{path} is made where something is"
        above = os.path.dirname(path)
        assert not above or state[above][0] == "folder", (
            f"{path} is in no folder"
        )
        kind, content, mode = _side(entry.after)
        state[path] = (
            kind,
            content
            if content is not None
            else state.get(path, (kind, None))[1],
            mode,
        )


def _path(entry: FileChange, *, was: bool = False) -> str:
    place = (entry.renamed_from if was else None) or entry.path
    return os.fsdecode(b"/".join(place.parts))


def _tool(workspace: Workspace, rng: random.Random) -> bool:
    """Return True if a tool changed something, before which it has observed the root."""
    path, other = rng.choice(FILES), rng.choice(FILES + FOLDERS)
    calls: list[tuple[str, dict[str, Any]]] = [
        (
            "write_content",
            {
                "items": [
                    {
                        "path": path,
                        "content": f"{rng.random()}\n",
                        "mode": "append",
                    }
                ]
            },
        ),
        (
            "move_items",
            {
                "items": [
                    {"source": other, "destination": f"moved{rng.randrange(9)}"}
                ]
            },
        ),
        ("delete_items", {"paths": [other], "recursive": True}),
    ]
    return not workspace.call(*rng.choice(calls)).is_error


@pytest.mark.parametrize("seed", one_in(3, range(30)))
def test_each_record_begins_where_the_last_ended(
    opens: Opens, root: Path, seed: int
) -> None:
    """Also what a person changes is in the state, from the next beginning of a command on."""
    rng = random.Random(seed)
    workspaces = [opens(session="one"), opens(session="two")]
    workspaces[0].write("first", "1\n")
    newest, state = workspaces[0].newest(), _state(root)
    begun: dict[int, str] = {}
    for _ in range(12):
        number = rng.randrange(2)
        workspace = workspaces[number]
        for _ in range(rng.randrange(4)):
            with contextlib.suppress(OSError):
                _run(root, *_command(rng))
        if not begun:
            state = _state(root)  # A person has done that.
        is_observed = True
        if begun and rng.random() < 0.3:
            is_observed = _tool(workspace, rng)
        elif number in begun:
            workspace.end_command(begun.pop(number), "a command")
        else:
            begun[number] = workspace.begin_command()
        for record in reversed(workspaces[0].history(limit=100, since=newest)):
            _apply(state, record)
        newest = workspaces[0].newest()
        if is_observed:
            assert state == _state(root)
