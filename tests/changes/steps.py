"""Steps that many tests commit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace
from filewright.errors import FilewrightError
from filewright.text.splice import Splice

EDIT = Splice(0, 3, b"ONE")
"""Replace the first line of a.txt."""


def refused(bench: Any, *steps: Any, **options: Any) -> FilewrightError:
    """Commit steps that are refused; assert that nothing was changed, return the error."""
    before = {
        path: path.read_bytes()
        for path in bench.root.rglob("*")
        if path.is_file()
    }
    with pytest.raises(FilewrightError) as caught:
        bench.commit(*steps, **options)
    assert {
        path: path.read_bytes()
        for path in bench.root.rglob("*")
        if path.is_file()
    } == before
    assert not [
        path for path in bench.root.rglob("*") if path.name.startswith(".fw~")
    ]
    return caught.value


def numbers_workspace(base: Path) -> Workspace:
    """Open a new workspace with three files, each with the lines `one` to `five`."""
    root = base / "work"
    root.mkdir()
    for name in ("a.txt", "b.txt", "d.txt"):
        (root / name).write_text("one\ntwo\nthree\nfour\nfive\n")
    return Workspace(root, state_dir=base / "state")


def replace_text(workspace: Workspace, path: str, old: str, new: str) -> None:
    """Edit a file: the text, which is in it once, is replaced."""
    workspace.edit(path, [{"search": old, "replace": new}])


RENAMES: dict[str, tuple[list[tuple[str, str]], str]] = {
    "the file": ([("f/x.txt", "f/z.txt")], "f/z.txt"),
    "its folder": ([("f", "h")], "h/x.txt"),
    "the file, then its folder": (
        [("f/x.txt", "f/z.txt"), ("f", "h")],
        "h/z.txt",
    ),
    "its folder twice": ([("f", "h"), ("h", "i/j")], "i/j/x.txt"),
}
"""Moves of f/x.txt, and where it is then."""
