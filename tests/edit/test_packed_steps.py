"""Steps in little memory: each comes back as it was added."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.edit.changeset import (
    Delete,
    ExpectedState,
    Modify,
    SetMode,
    SetOwner,
    Step,
)
from filewright.edit.packed_steps import PackedSteps
from filewright.packed_sequence import MAX_PLAIN_VALUES
from filewright.settings import Settings
from filewright.text.file_identity import FileIdentity
from filewright.text.splice import Splice

HASHED = ExpectedState(2**40, identity=None, digest="0f" * 16)
SPLICES = (Splice(0, 3, b"\xff"), Splice(2**40, 0, b""))


@pytest.fixture
def location(tmp_path: Path) -> Iterator[Location]:
    with closing(Boundary([tmp_path], Settings())) as boundary:
        yield boundary.locate("a/b").spelled("./a/b")


def _steps(location: Location) -> list[Step]:
    identity = FileIdentity(1, 2, 3, 4, 5)
    return [
        Modify(location, HASHED, SPLICES),
        Modify(location.spelled("a/b"), HASHED, SPLICES, "latin-1", 7),
        Modify(location, HASHED, (Splice(0, 0, b"x" * 9_000),)),
        Modify(location, HASHED, tuple(Splice(n, 1, b"") for n in range(99))),
        Modify(location, ExpectedState(1, identity, digest=None), SPLICES),
        Delete(location, expected=HASHED),
        SetMode(location, "0644"),
        SetOwner(location, 7, None),
    ]


def test_returns_steps_as_they_were(location: Location) -> None:
    steps = _steps(location)
    packed = PackedSteps([steps[0]] * MAX_PLAIN_VALUES)
    packed.extend(steps)
    assert len(packed) == MAX_PLAIN_VALUES + len(steps)
    assert packed[MAX_PLAIN_VALUES:] == steps
    assert packed[-1] == steps[-1]
    paths = [
        step.location.requested_path
        for step in packed
        if isinstance(step, Modify)
    ]
    assert paths[-5:-3] == ["./a/b", "a/b"]
