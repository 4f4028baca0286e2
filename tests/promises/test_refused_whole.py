"""A change that is refused is refused before anything is touched, and never stops the next one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.promises import outside
from tests.promises.outside import NOBODY, needs_others

CALLS = """
from filewright import FilewrightError

answers = []
with Workspace(*given["roots"], state_dir=given["state"]) as workspace:
    for tool, arguments in given["calls"]:
        if tool == "set_permissions":
            paths = arguments.pop("paths")
            try:
                workspace.set_permissions(*paths, **arguments)
            except FilewrightError as error:
                answers.append([error.code, str(error)])
            continue
        answer = workspace.call(tool, arguments)
        answers.append([answer.code, answer.text])
say(answers)
"""


pytestmark = needs_others


@pytest.fixture
def place() -> Iterator[Path]:
    """A workspace of an ordinary user, in which some things belong to root."""
    with outside.folder() as folder:
        (folder / "state").mkdir()
        for name in ("work", "state"):
            os.chown(folder / name, NOBODY, NOBODY)
        yield folder


def _as_user(
    place: Path, *calls: tuple[str, dict[str, Any]]
) -> list[tuple[str | None, str]]:
    given = {
        "roots": [place / "work"],
        "state": place / "state",
        "calls": calls,
    }
    return [
        (code, text) for code, text in outside.run(CALLS, user=NOBODY, **given)
    ]


def _mine(path: Path, content: str = "mine\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    for made in (path, *path.parents):
        if made.name == "work":
            break
        os.chown(made, NOBODY, NOBODY)
    return path


WRITE = (
    "write_content",
    {"items": [{"path": "next.txt", "content": "next\n"}]},
)


def test_a_refused_mode_of_another_users_file_does_not_stop_the_next_change(
    place: Path,
) -> None:
    (place / "work" / "theirs.txt").write_text("theirs\n")
    refused, done = _as_user(
        place,
        ("set_permissions", {"paths": ["theirs.txt"], "mode": "600"}),
        WRITE,
    )
    assert refused[0] == "permission_denied", refused
    assert done[0] is None, done
    later = _as_user(
        place,
        (
            "edit_content",
            {"path": "next.txt", "edits": [{"search": "n", "replace": "t"}]},
        ),
    )
    assert later[0][0] is None, later
    doctor = outside.command(place, "doctor", user=NOBODY)
    assert doctor.returncode == 0, doctor.stderr


def test_a_mode_refused_for_one_file_of_many_leaves_all_as_they_were(
    place: Path,
) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        _mine(place / "work" / name).chmod(0o644)
    (place / "work" / "b.txt").unlink()
    (place / "work" / "b.txt").write_text("theirs\n")
    paths = ["a.txt", "b.txt", "c.txt"]
    refused, done = _as_user(
        place, ("set_permissions", {"paths": paths, "mode": "600"}), WRITE
    )
    assert refused[0] == "permission_denied", refused
    assert "b.txt" in refused[1]
    assert {
        (place / "work" / name).stat().st_mode & 0o777 for name in paths
    } == {0o644}
    assert done[0] is None, done


REFUSALS: dict[str, tuple[str, dict[str, Any]]] = {
    "deleted": ("delete_items", {"paths": ["folder"], "recursive": True}),
    "moved over": (
        "move_items",
        {
            "items": [{"source": "mine", "destination": "folder"}],
            "overwrite": True,
        },
    ),
}


@pytest.mark.parametrize("how", REFUSALS)
def test_a_folder_that_holds_what_cannot_be_removed_is_refused_whole(
    place: Path, how: str
) -> None:
    work = place / "work"
    _mine(work / "folder" / "mine.txt")
    _mine(work / "mine" / "x.txt")
    (work / "folder" / "theirs" / "deep").mkdir(parents=True)
    (work / "folder" / "theirs" / "deep" / "kept.txt").write_text("theirs\n")
    before = outside.contents(work)
    refused, done = _as_user(place, REFUSALS[how], WRITE)
    assert refused[0] == "permission_denied", refused
    assert "folder/theirs" in refused[1], (
        "the refusal does not say what cannot be removed"
    )
    assert done[0] is None, done
    (work / "next.txt").unlink()
    assert outside.contents(work) == before
    assert outside.unasked(work) == []


def test_a_sticky_folder_keeps_what_others_put_there(place: Path) -> None:
    work = place / "work"
    _mine(work / "folder" / "mine.txt")
    (work / "folder" / "theirs.txt").write_text("theirs\n")
    os.chown(work / "folder", 0, 0)
    (work / "folder").chmod(0o1777)
    before = outside.contents(work)
    calls = [
        ("delete_items", {"paths": ["folder/mine.txt", "folder/theirs.txt"]}),
        (
            "move_items",
            {
                "items": [
                    {"source": "folder/theirs.txt", "destination": "taken.txt"}
                ]
            },
        ),
        (
            "write_content",
            {
                "items": [
                    {
                        "path": "folder/theirs.txt",
                        "content": "",
                        "mode": "overwrite",
                    }
                ]
            },
        ),
    ]
    for refused in _as_user(place, *calls):
        assert refused[0] == "permission_denied", refused
    assert outside.contents(work) == before
    assert _as_user(place, WRITE)[0][0] is None
    assert outside.unasked(work) == []


# Mounts

MOUNTED = """
import subprocess
work = given["roots"][0]
volume = os.path.join(work, "folder", "volume")
subprocess.run(["mount", "-t", "tmpfs", "tmpfs", volume], check=True)
with open(os.path.join(volume, "on-it.txt"), "w") as file: file.write("on the volume\\n")
""" + CALLS.replace(
    "say(answers)",
    "say([answers, os.path.isdir(volume) and os.listdir(volume), sorted(os.listdir(work))])",
)


def _can_mount() -> bool:
    return (
        subprocess.run(
            ["unshare", "-m", "true"], capture_output=True
        ).returncode
        == 0
    )


@pytest.mark.skipif(
    not _can_mount(), reason="needs a mount namespace of its own"
)
def test_a_folder_with_a_mount_below_it_is_refused_whole(place: Path) -> None:
    work = place / "work"
    (work / "folder" / "volume").mkdir(parents=True)
    (work / "folder" / "x.txt").write_text("x\n")
    (work / "mine").mkdir()
    given = {
        "roots": [work],
        "state": place / "state",
        "calls": [*REFUSALS.values(), WRITE],
    }
    os.chown(place / "state", 0, 0)
    under = ["unshare", "-m", "--propagation", "private"]
    (*refusals, done), on_it, left = outside.run(MOUNTED, under=under, **given)
    for how, (code, text) in zip(REFUSALS, refusals, strict=True):
        assert code not in (None, "internal"), (how, text)
        assert "folder/volume" in text, (how, text)
    assert on_it == ["on-it.txt"], (
        "the volume was emptied by a change that was refused"
    )
    assert done[0] is None, done
    assert left == ["folder", "mine", "next.txt"]
