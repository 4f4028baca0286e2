"""Protected names are asked of the folder that was reached, whatever another process swaps meanwhile."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.method_tools import call_tool
from tests.promises import outside
from tests.promises.outside import Beside

from filewright import Workspace

SWAPPER = """
import ctypes, random
exchange = ctypes.CDLL(None, use_errno=True).renameat2
folder, link = (os.fsencode(os.path.join(given["work"], name)) for name in ("sub", "link"))
say("swapping")
while True:
    exchange(-100, folder, -100, link, 2)
    if random.random() < 0.01:  # now and then long enough for a whole change to be made in between
        time.sleep(0.02)
"""


REFUSED = {
    "not_found",
    "permission_denied",
    "path_escape",
    "symlink",
    "stale_version",
    "not_a_directory",
    "not_a_file",
    "in_use",
    "already_exists",
    "timeout",
}
"""What a change may be told whose folder is swapped under it."""


@pytest.fixture
def work() -> Iterator[Path]:
    with outside.folder() as place:
        work = place / "work"
        (work / ".git" / "hooks").mkdir(parents=True)
        (work / ".git" / "hooks" / "pre-commit").write_text("#!/bin/sh\n")
        (work / ".git" / "victim.txt").write_text("guarded\n")
        (work / "sub" / "hooks").mkdir(parents=True)
        (work / "sub" / "victim.txt").write_text("free\n")
        (work / "link").symlink_to(".git")
        (work / "spare.txt").write_text("spare\n")
        yield work


def _create(workspace: Workspace, n: int) -> str | None:
    return workspace.call(
        "write_content", {"items": [{"path": f"sub/made{n}", "content": "x\n"}]}
    ).code


def _below(workspace: Workspace, n: int) -> str | None:
    return workspace.call(
        "write_content",
        {"items": [{"path": f"sub/hooks/made{n}", "content": ""}]},
    ).code


def _overwrite(workspace: Workspace, n: int) -> str | None:
    item = {
        "path": "sub/victim.txt",
        "content": f"free {n}\n",
        "mode": "overwrite",
    }
    return workspace.call("write_content", {"items": [item]}).code


def _folder(workspace: Workspace, n: int) -> str | None:
    return call_tool(
        workspace, "create_directories", {"paths": [f"sub/made{n}/deep"]}
    ).code


def _copy(workspace: Workspace, n: int) -> str | None:
    item = {"source": "spare.txt", "destination": f"sub/made{n}"}
    return workspace.call("move_items", {"items": [item], "copy": True}).code


def _move(workspace: Workspace, n: int) -> str | None:
    item = {"source": "spare.txt", "destination": f"sub/made{n}"}
    return workspace.call("move_items", {"items": [item]}).code


def _delete(workspace: Workspace, n: int) -> str | None:
    return workspace.call("delete_items", {"paths": ["sub/victim.txt"]}).code


def _permit(workspace: Workspace, n: int) -> str | None:
    mode = ("600", "644")[n % 2]
    return call_tool(
        workspace,
        "set_permissions",
        {"paths": ["sub/victim.txt"], "mode": mode},
    ).code


def _undo(workspace: Workspace) -> None:
    """Undo the newest change as soon as the folder is there for long enough."""
    newest = workspace.history(limit=1)[0].id
    while workspace.call("revert_edit", {"change_id": newest}).code in REFUSED:
        pass


WAYS = (_create, _below, _overwrite, _folder, _copy, _move, _delete, _permit)


def _guarded(work: Path) -> dict[str, object]:
    """What is in the protected folder, wherever it stands now: it is never itself swapped."""
    return {
        str(path.relative_to(work)): (
            path.lstat().st_mode,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted((work / ".git").rglob("*"))
    }


def _race(work: Path, rounds: int) -> Counter[tuple[str, str | None]]:
    """Change things below the swapped folder in every way, in turn; what was answered, counted."""
    before = _guarded(work)
    codes: Counter[tuple[str, str | None]] = Counter()
    with (
        Workspace(work, state_dir=work.parent / "state") as workspace,
        Beside(SWAPPER, {"work": work}) as swap,
    ):
        assert swap.hear() == "swapping"
        for number, way in zip(
            range(rounds), itertools.cycle(WAYS), strict=False
        ):
            code = way(workspace, number)
            assert code is None or code in REFUSED, code
            assert _guarded(work) == before, (
                f"{way.__name__} reached a protected folder in round {number}"
            )
            if code is None and way in (_move, _delete):
                _undo(workspace)
                assert _guarded(work) == before, (
                    f"undoing {way.__name__} reached a protected folder"
                )
            codes[way.__name__, code] += 1
    assert all(codes[way.__name__, None] for way in WAYS), (
        f"not raced at all: {codes}"
    )
    return codes


def test_a_folder_swapped_with_a_link_to_a_protected_one_lets_nothing_in(
    work: Path,
) -> None:
    _race(work, 400)


@pytest.mark.sweep
def test_protected_names_hold_in_a_hundred_thousand_races(work: Path) -> None:
    print(f"\n{_race(work, 100_000)}")
