from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.edit.cases import Desk, Editor, Planner
from tests.examples import is_long_run

from filewright import Workspace


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("work")
    with Workspace(
        folder, state_dir=tmp_path_factory.mktemp("state")
    ) as workspace:
        yield Desk(folder, workspace)


@pytest.fixture(scope="module")
def editor(request: pytest.FixtureRequest) -> Editor:
    """Return the planner alone in the suite, and a workspace in the scheduled job."""
    if is_long_run():
        desk: Desk = request.getfixturevalue("desk")
        return desk
    return Planner()
