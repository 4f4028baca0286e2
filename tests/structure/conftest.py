from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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
