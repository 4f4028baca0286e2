"""The folders of a plan, wherever they are."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.changes.plans import FOLDER, ROOT, make_plan, move_folder

from filewright.changes.model import RecordedPath
from filewright.changes.open_folders import OpenFolders
from filewright.changes.plan_folders import FolderMissingError, PlanFolders
from filewright.changes.rename_plan import RenamePlan
from filewright.errors import FilewrightError

Find = Callable[[RenamePlan], PlanFolders]


@pytest.fixture
def find(bench: Any) -> Iterator[Find]:
    with OpenFolders(bench.boundary) as open_folders:
        yield lambda plan: PlanFolders(bench.boundary, open_folders, plan)


def test_where_it_was(bench: Any, find: Find) -> None:
    folders = find(make_plan(bench))
    assert folders.device(FOLDER) is None
    assert b"x.txt" in folders.get(FOLDER).names()
    assert folders.locate(FOLDER) == bench.at("f")
    assert folders.device(FOLDER) == folders.device(ROOT)


def test_in_another_slot(bench: Any, find: Find) -> None:
    plan = make_plan(bench, move_folder(bench, b"m"))
    (bench.root / "f").rename(bench.root / "m")
    assert find(plan).locate(FOLDER) == bench.at("m")


def test_anywhere(bench: Any, find: Find) -> None:
    folders = find(make_plan(bench))
    folders.get(FOLDER)
    (bench.root / "deep").mkdir()
    (bench.root / "f").rename(bench.root / "deep/h")
    assert folders.locate(FOLDER) == bench.at("deep/h")
    (bench.root / "deep/h").rename(bench.root / "i")
    # The folder is held, though its place is unknown until the next search.
    assert b"x.txt" in folders.get(FOLDER).names()
    folders.search_again()
    assert folders.locate(FOLDER) == bench.at("i")


def test_missing(bench: Any, find: Find) -> None:
    plan = make_plan(bench, move_folder(bench, b"m"))
    shutil.rmtree(bench.root / "f")
    with pytest.raises(FolderMissingError):
        find(plan).get(FOLDER)


def test_another_folder_in_its_place(bench: Any, find: Find) -> None:
    plan = make_plan(bench, move_folder(bench, b"m"))
    (bench.root / "f").rename(bench.root / "h")
    (bench.root / "f").mkdir()
    assert find(plan).locate(FOLDER) == bench.at("h")


def test_in_copied_workspace(bench: Any, find: Find) -> None:
    """All inodes are others there, so its only slot tells which it is."""
    plan = make_plan(bench)
    folder = replace(plan.folders[FOLDER], inode=2**40)
    copied = replace(plan, folders=(plan.folders[ROOT], folder))
    assert find(copied).locate(FOLDER) == bench.at("f")


def test_beyond_roots(bench: Any, find: Find) -> None:
    with pytest.raises(FilewrightError):
        find(make_plan(bench)).location_of(RecordedPath(b"/elsewhere", ()))
