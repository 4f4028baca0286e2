"""A tree thousands of folders deep, listed page by page."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright import Workspace
from filewright.settings import Settings

DEPTH = 1_050  # more than frames of a recursion
pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="paths are shorter there"
)


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    top = tmp_path_factory.mktemp("deep") / "top"
    top.mkdir()
    folder = os.open(top, os.O_RDONLY)
    for number in range(DEPTH):
        name = f"folder_{number:04}"  # so long that few levels fill a page: each page is a walk from the top
        os.mkdir(name, dir_fd=folder)
        inner = os.open(name, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    (top / "z.txt").write_text("x\n")
    yield top
    subprocess.run(
        ["rm", "-rf", str(top)], check=True
    )  # deeper than Python's own removal goes


def test_every_path_that_fits_is_listed_and_the_rest_counted(
    deep: Path, tmp_path: Path
) -> None:
    with Workspace(
        deep, settings=Settings(state_dir=tmp_path / "state")
    ) as workspace:
        names: list[str] = []
        cursor = None
        while True:
            page = workspace.list_files(".", depth=0, cursor=cursor)
            assert len(page.text) <= workspace.settings.page_chars
            names += [entry.path for entry in page.entries]
            cursor = page.next_cursor
            if cursor is None:
                break
            assert cursor in page.text
    assert names[-1] == "z.txt"
    assert len(names) > 200
    assert len(set(names)) == len(names)
    assert f"[{DEPTH + 1 - len(names)} paths too long to be shown" in page.text


@pytest.mark.extra
@pytest.mark.parametrize(
    ("dialect", "tool", "arguments"),
    [
        ("filesystem", "list_files", {"recursive": True}),
        ("agent-tools", "tree", {"depth": 64}),
        ("agent-tools", "glob", {"pattern": "**/*.txt"}),
        (
            "largefile",
            "list_directory",
            {"absolute_dir_path": "<>", "max_depth": 300},
        ),
        ("official", "directory_tree", {"path": "."}),
        ("official", "search_files", {"path": ".", "pattern": "*.txt"}),
    ],
)
def test_a_dialect_lists_it_in_few_passes(
    deep: Path,
    tmp_path: Path,
    dialect: str,
    tool: str,
    arguments: dict[str, object],
) -> None:
    given = {
        name: str(deep) if value == "<>" else value
        for name, value in arguments.items()
    }
    with Workspace(
        deep, settings=Settings(state_dir=tmp_path / "state", call_seconds=60)
    ) as workspace:
        answer = workspace.offer(dialect).call(tool, given)
    assert not answer.is_error, answer.text[:300]
    assert len(answer.text) <= workspace.settings.hard_chars
