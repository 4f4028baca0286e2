"""A root with a workspace, for tests that edit through the tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    return root


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Any:
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        yield workspace
