"""Snapshots of real files, small enough to be quick and forced into the tier of large ones."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.settings import Settings
from filewright.text.snapshot import Snapshot

Opener = Callable[..., Snapshot]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opener]:
    """Write bytes to a file and open it; nothing of it is held unless `hold`."""
    with ExitStack() as stack:

        def open_(
            data: bytes, *, hold: bool = False, encoding: str | None = None
        ) -> Snapshot:
            (tmp_path / "data.txt").write_bytes(data)
            settings = Settings() if hold else Settings(hold_bytes=0)
            boundary = Boundary([tmp_path], settings)
            stack.callback(boundary.close)
            where = boundary.locate("data.txt")
            return stack.enter_context(
                Snapshot.of_file(
                    boundary.open_file(where),
                    where,
                    settings,
                    encoding=encoding,
                    launcher=boundary.launcher,
                )
            )

        yield open_
