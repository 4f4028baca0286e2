"""The comparison of a file with a recorded state."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from filewright.changes.blobs import compute_digest
from filewright.changes.file_match import FileMatch, match_name
from filewright.changes.model import FileState


def _append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"four\n")


def _replace(content: bytes) -> Callable[[Path], None]:
    def replace(path: Path) -> None:
        other = path.with_name("other")
        other.write_bytes(content)
        os.replace(other, path)

    return replace


def _make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("change", "match"),
    [
        pytest.param(lambda _: None, FileMatch.SAME, id="same"),
        pytest.param(
            _replace(b"one\ntwo\nthree\n"),
            FileMatch.EQUAL,
            id="replaced by a copy",
        ),
        pytest.param(_append, FileMatch.APPENDED, id="appended"),
        pytest.param(
            lambda path: path.write_bytes(b"x"),
            FileMatch.MODIFIED,
            id="modified",
        ),
        pytest.param(_replace(b"x\n"), FileMatch.DIFFERENT, id="replaced"),
        pytest.param(_make_folder, FileMatch.DIFFERENT, id="a folder"),
        pytest.param(Path.unlink, FileMatch.MISSING, id="missing"),
    ],
)
def test_matches_files(
    bench: Any, change: Callable[[Path], None], match: FileMatch
) -> None:
    with bench.boundary.open_folder(bench.at(".")) as folder:
        with folder.open(b"a.txt") as file:
            state = FileState.from_status(
                file.status(), digest=compute_digest(file)
            )
        change(bench.root / "a.txt")
        assert match_name(folder, b"a.txt", state) is match


def test_trusts_time_of_large_file(bench: Any) -> None:
    path = bench.root / "a.txt"
    with bench.boundary.open_folder(bench.at(".")) as folder:
        state = FileState.from_status(
            folder.stat(b"a.txt"), digest="of other content"
        )
        assert match_name(folder, b"a.txt", state) is FileMatch.MODIFIED
        assert (
            match_name(folder, b"a.txt", state, hash_up_to=1) is FileMatch.SAME
        )
        os.utime(path, ns=(0, 0))
        assert (
            match_name(folder, b"a.txt", state, hash_up_to=1)
            is FileMatch.MODIFIED
        )


@pytest.mark.skipif(
    sys.platform == "win32", reason="it has no links of this kind"
)
@pytest.mark.parametrize(
    ("target", "match"),
    [("a.txt", FileMatch.EQUAL), ("b.txt", FileMatch.DIFFERENT)],
)
def test_matches_links_by_target(
    bench: Any, target: str, match: FileMatch
) -> None:
    link = bench.root / "link"
    link.symlink_to("a.txt")
    with bench.boundary.open_folder(bench.at(".")) as folder:
        status = folder.stat(b"link")
        state = FileState.from_status(status, link_target=b"a.txt")
        assert match_name(folder, b"link", state) is FileMatch.SAME
        other = replace(
            state, inode=status.inode + 1, link_target=target.encode()
        )
        assert match_name(folder, b"link", other) is match
