"""The opening of files for searches, and fuzzy search in a tree."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.progress import Task
from filewright.search.searcher import Searcher, Unavailable
from filewright.search.tree_options import TreeOptions
from filewright.settings import Settings


@pytest.fixture
def searcher(tmp_path: Path) -> Iterator[Searcher]:
    (tmp_path / "folder").mkdir()
    (tmp_path / "ignored.py").write_text("x = 1\n")
    (tmp_path / ".gitignore").write_text("*.py\n")
    settings = Settings()
    boundary = Boundary([tmp_path], settings)
    yield Searcher(boundary, settings)
    boundary.close()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (TreeOptions(limit=1), True),
        (TreeOptions(limit=1, file_type="python"), True),
        (TreeOptions(limit=1, file_type="rust"), False),
        (TreeOptions(limit=1, glob="*.py"), True),
        (TreeOptions(limit=1, glob="*.txt"), False),
        (TreeOptions(limit=1, exclude=["ignored*"]), False),
    ],
    ids=["no options", "type", "other type", "glob", "other glob", "exclude"],
)
def test_accepts_a_single_file(
    searcher: Searcher, options: TreeOptions, expected: bool
) -> None:
    location = searcher.boundary.locate("ignored.py")
    assert searcher.accepts(location, options) is expected


@pytest.mark.parametrize("name", ["gone.py", "folder"])
def test_missing_file(searcher: Searcher, name: str) -> None:
    location = searcher.boundary.locate(name)
    assert searcher.open(location, Task()) is Unavailable.MISSING
