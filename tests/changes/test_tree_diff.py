"""The difference of the tree from the disk, and what only all steps together refuse."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.changes.steps import EDIT, refused

from filewright import Workspace
from filewright.edit.changeset import (
    Copy,
    Create,
    Delete,
    Move,
    SetMode,
    Step,
)
from filewright.errors import Code
from filewright.text.splice import Splice


def test_refuses_and_counts_hard_links(bench: Any) -> None:
    os.link(bench.root / "a.txt", bench.root / "other.txt")
    for step in (
        bench.modify("a.txt", EDIT),
        SetMode(bench.at("a.txt"), "600"),
    ):
        error = refused(bench, step)
        assert error.code is Code.HARD_LINKED
        assert error.details["hard_links"] == 2
    record = bench.commit(bench.modify("a.txt", EDIT), break_hard_links=True)
    assert record.hard_links == {"a.txt": 2}
    assert (bench.root / "other.txt").read_bytes() == b"one\ntwo\nthree\n"


def test_refuses_unwritable_folder(bench: Any) -> None:
    step = bench.modify("f/x.txt", Splice(0, 1, b"E"))
    (bench.root / "f").chmod(0o555)
    try:
        for unwritable_step in (
            step,
            Delete(bench.at("f/x.txt")),
            Create(bench.at("f/new.txt"), b""),
        ):
            assert (
                refused(bench, unwritable_step).code is Code.PERMISSION_DENIED
            )
    finally:
        (bench.root / "f").chmod(0o755)


@pytest.mark.parametrize(
    ("new_file", "step"),
    [
        ("n/settings.json", lambda at: Move(at("n"), at(".claude"))),
        ("f/settings.json", lambda at: Move(at("f"), at(".claude"))),
        ("n/m/settings.json", lambda at: Move(at("n/m"), at(".claude"))),
        ("n/settings.json", lambda at: Copy(at("n"), at(".claude"))),
    ],
    ids=["new folder", "folder", "folder below", "copy"],
)
def test_refuses_protected_name_made_by_two_steps(
    bench: Any, new_file: str, step: Callable[[Any], Step]
) -> None:
    steps = Create(bench.at(new_file), b"{}"), step(bench.at)
    error = refused(bench, *steps)
    assert error.code is Code.PERMISSION_DENIED
    assert ".claude/settings.json" in error.message


_LOOK_ALIKES = [
    ("v\u00a013.txt", "v 13.txt"),
    ("Gro\u0308\u00dfe.txt", "Gr\u00f6\u00dfe.txt"),
    ("it\u2019s.txt", "it's.txt"),
    ("p\u0430th.py", "path.py"),
    ("path.py", "p\u0430th.py"),
    ("zero\u200bwidth", "zerowidth"),
]


@pytest.mark.parametrize(("there", "made"), _LOOK_ALIKES)
def test_notes_look_alike_of_new_file(
    tmp_path: Path, there: str, made: str
) -> None:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / there).write_text("old\n")
    (root / "source").write_text("x\n")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for tool, arguments in (
            (
                "write_content",
                {"items": [{"path": f"sub/{made}", "content": "new\n"}]},
            ),
            (
                "move_items",
                {
                    "items": [
                        {"source": "source", "destination": f"sub/{made}"}
                    ],
                    "copy": True,
                },
            ),
            (
                "apply_patch",
                {
                    "patch": f"*** Begin Patch\n*** Add File: sub/{made}\n+x\n*** End Patch\n"
                },
            ),
        ):
            result = workspace.call(tool, arguments)
            assert not result.is_error, result.text
            assert "looks like" in result.text
            assert (
                workspace.call(
                    "delete_items", {"paths": [f"sub/{made}"]}
                ).is_error
                is False
            )


@pytest.mark.parametrize(("there", "made"), _LOOK_ALIKES)
def test_notes_look_alike_of_moved_file(
    tmp_path: Path, there: str, made: str
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / there).write_text("old\n")
    (root / "source").write_text("x\n")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        result = workspace.call(
            "move_items", {"items": [{"source": "source", "destination": made}]}
        )
        assert "looks like" in result.text


def test_notes_no_plain_names(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for name in ("b.txt", "A.txt2", "a txt", "\u00e9.txt"):
            result = workspace.call(
                "write_content", {"items": [{"path": name, "content": "x\n"}]}
            )
            assert "looks like" not in result.text
        result = workspace.call(
            "write_content",
            {
                "items": [
                    {"path": "a.txt", "content": "x\n", "mode": "overwrite"}
                ]
            },
        )
        assert "looks like" not in result.text


def test_notes_no_denied_names(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "v\u00a013.key").write_text("")
    (root / ".agentsignore").write_text("v\u00a013.key\n")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        result = workspace.call(
            "write_content", {"items": [{"path": "v 13.key", "content": "x\n"}]}
        )
    assert "looks like" not in result.text
