from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.edit.cases import Desk

from filewright import Workspace


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("work")
    with Workspace(
        folder, state_dir=tmp_path_factory.mktemp("state")
    ) as workspace:
        yield Desk(folder, workspace)
