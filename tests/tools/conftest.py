"""A workspace over a temporary folder, with its state beside it."""

from pathlib import Path

import pytest

from filewright import Workspace


@pytest.fixture
def root(tmp_path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def workspace(root, tmp_path):
    with Workspace(root, state_dir=tmp_path / "state") as opened:
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
