"""A workspace over a temporary folder, with its state beside it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from filewright import Settings, Workspace

MAX_ATTEMPTS = 50


def with_time(call: Callable[[], Any]) -> Any:
    """Return the result of a call that has not run out of time, as it may under load."""
    for _ in range(MAX_ATTEMPTS):
        result = call()
        if "time ran out" not in result.text:
            return result
    raise AssertionError(result.text)


@pytest.fixture
def root(tmp_path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def workspace(root, tmp_path):
    # A busy machine may take longer to parse than an answer may wait.
    settings = Settings(parse_seconds=60)
    with Workspace(
        root, state_dir=tmp_path / "state", settings=settings
    ) as opened:
        yield opened


@pytest.fixture
def contents(root):
    """Every file, folder and link below the root, to compare before and after."""

    def now() -> dict[str, object]:
        found: dict[str, object] = {}
        for path in sorted(root.rglob("*")):
            name = str(path.relative_to(root))
            if path.is_symlink():
                found[name] = ("link", str(path.readlink()))
            elif path.is_file():
                found[name] = (path.read_bytes(), path.stat().st_mode)
            else:
                found[name] = path.stat().st_mode
        return found

    return now
