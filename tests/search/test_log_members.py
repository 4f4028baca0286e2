"""The files of a rotated log that may hold entries of the times of a search."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.logs.selection import EntrySelection
from filewright.progress import Task
from filewright.search.log_members import choose_members
from filewright.search.searcher import Searcher
from filewright.settings import Settings

DAYS = ("2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04")


@pytest.fixture
def searcher(tmp_path: Path) -> Iterator[Searcher]:
    for number, day in enumerate(DAYS):
        text = f"{day}T00:10:00Z first\n{day}T23:50:00Z last\n"
        (tmp_path / f"{number}.log").write_text(text)
    settings = Settings()
    boundary = Boundary([tmp_path], settings)
    yield Searcher(boundary, settings)
    boundary.close()


def choose(
    searcher: Searcher, names: str, since: str | None, until: str | None
) -> str:
    """Return the first letters of the chosen files, in their order."""
    members = [searcher.boundary.locate(f"{name}.log") for name in names]
    selection = EntrySelection(since=since, until=until)
    chosen = choose_members(searcher, members, selection, Task())
    return "".join(member.name.decode()[0] for member in chosen)


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        ("2026-11-03T12:00:00Z", None, "23"),
        (None, "2026-11-01T12:00:00Z", "0"),
        ("2026-11-02T12:00:00Z", "2026-11-02T13:00:00Z", "1"),
        ("2026-11-03T00:00:00Z", "2026-11-03T00:00:00Z", "12"),
        ("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z", "0"),
    ],
    ids=["from", "until", "one day", "over the end of a file", "before all"],
)
def test_chooses_by_time(
    searcher: Searcher, since: str | None, until: str | None, expected: str
) -> None:
    assert choose(searcher, "0123", since, until) == expected


def test_takes_all_files_that_are_not_in_order(searcher: Searcher) -> None:
    assert choose(searcher, "0321", None, "2026-11-01T12:00:00Z") == "0321"


def test_takes_files_without_times(searcher: Searcher, tmp_path: Path) -> None:
    (tmp_path / "1.log").write_text("no times\n")
    assert choose(searcher, "0123", "2026-11-04T12:00:00Z", None) == "3"
    assert choose(searcher, "0123", "2026-11-02T12:00:00Z", None) == "0123"
