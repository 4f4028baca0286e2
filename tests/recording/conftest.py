"""A project with a workspace, and its tree for comparison."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from tests.promises.histories import Tree, look
from tests.recording.edit_client import Client

from filewright import Settings, Workspace
from filewright.boundary.boundary import Boundary
from filewright.changes.database import Database, Flusher
from filewright.progress import Task
from filewright.recording.baseline import TABLES, Baseline
from filewright.system import open_folder

Opens = Callable[..., Workspace]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    (root / "d" / "h").mkdir(parents=True)
    for name in ("a", "b", "d/f", "d/h/x"):
        (root / name).write_text(f"this is {name}\n")
    return root


@pytest.fixture
def opens(tmp_path: Path, root: Path) -> Iterator[Opens]:
    """Open a workspace over some roots, by default the project's, in one state folder."""
    workspaces: list[Workspace] = []

    def opening(*roots: Path, session: str = "s") -> Workspace:
        settings = Settings(state_dir=tmp_path / "state", flush=False)
        workspaces.append(
            Workspace(*(roots or (root,)), settings=settings, session=session)
        )
        return workspaces[-1]

    yield opening
    for workspace in workspaces:
        workspace.close()


@pytest.fixture
def workspace(opens: Opens) -> Workspace:
    return opens()


@pytest.fixture
def tree(root: Path) -> Callable[[], Tree]:
    return lambda: look(root)


@pytest.fixture
def boundary(root: Path) -> Iterator[Boundary]:
    with closing(Boundary([os.fsencode(root)], Settings())) as boundary:
        yield boundary


@pytest.fixture
def baseline(tmp_path: Path, boundary: Boundary) -> Iterator[Baseline]:
    """Stored contents in a folder of their own."""
    (tmp_path / "shell").mkdir()
    locate = partial(os.path.join, os.fsencode(tmp_path / "shell"), b"kept.db")
    with (
        open_folder(os.fsencode(tmp_path / "shell")) as folder,
        closing(
            Database(locate, TABLES, Flusher(enabled=False), 1.0)
        ) as database,
    ):
        yield Baseline(boundary, folder, database, Task())


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Client:
    client = Client(tmp_path)
    monkeypatch.setenv("FILEWRIGHT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(client.project)
    return client
