from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright import Workspace
from filewright.settings import Settings
from filewright.structure.outlines import Outlines

FIXTURES = Path(__file__).with_name("fixtures")


@pytest.fixture(scope="session")
def outlines() -> Iterator[Outlines]:
    made = Outlines(Settings(parse_seconds=20))
    yield made
    made.close()


@pytest.fixture(scope="module")
def parsers() -> None:
    """Nobody else's: these tests are about them."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(
        root, state_dir=tmp_path / "state", settings=Settings(parse_seconds=20)
    ) as opened:
        yield opened
