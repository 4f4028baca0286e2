"""Results too large for one answer are kept for a while."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright.errors import FilewrightError
from filewright.server.resources import Resources
from filewright.workspace import Workspace


def test_stores_newest_results(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        resources = Resources(workspace, max_stored_chars=100)
        first, second = resources.store("a" * 60), resources.store("b" * 60)
        assert first is not None
        assert second is not None
        with pytest.raises(FilewrightError, match="make the call again"):
            resources.read(first)
        assert getattr(resources.read(second), "text", None) == "b" * 60
        assert resources.store("c" * 101) is None
