"""Reads of files: by lines, from the end, by columns, around a match; all bounded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from filewright import Workspace
from filewright.settings import Settings

LINES = b"".join(b"line %d\n" % n for n in range(1, 101))


def test_shares_page_fairly(tiered, root):
    for name in "abcd":
        (root / name).write_bytes(LINES * 50)
    result = tiered.run("read_content", {"paths": [*"abcd"], "limit": 5000})
    assert len(result.text) <= tiered.settings.page_chars + 500
    shown = [file["lines_returned"] for file in result.data["files"]]
    assert min(shown) * 2 > max(shown)


PAGE = 24_000


def sparse(path: Path, head: bytes = b"one\ntwo\n") -> Path:
    """A file of a terabyte, of which the disk holds the beginning."""
    path.write_bytes(head)
    os.truncate(path, 1 << 40)
    return path


def test_head_of_a_terabyte(root, workspace):
    sparse(root / "log")
    result = workspace.call(
        "read_content", {"path": "log", "encoding": "utf-8", "limit": 3}
    )
    assert not result.is_error
    assert "line of more than" in result.text
    assert "line=3, column=1001" in result.text
    assert len(result.text) < PAGE
    piece = workspace.call(
        "read_content",
        {
            "path": "log",
            "encoding": "utf-8",
            "line": 3,
            "column": 1001,
            "limit": 5,
        },
    )
    assert piece.data["content"] == "\x00" * 5
    assert piece.data["next"] == {"line": 3, "column": 1006}


@pytest.mark.parametrize(
    "arguments", [{"mode": "tail", "limit": 3}, {"start": 9}, {"line": 9}]
)
def test_ends_at_the_time_limit(root, tmp_path, arguments):
    sparse(root / "log")
    with Workspace(
        root, state_dir=tmp_path / "state", settings=Settings(call_seconds=0.2)
    ) as workspace:
        result = workspace.call(
            "read_content", {"path": "log", "encoding": "utf-8", **arguments}
        )
        assert result.code == "timeout"
        assert "hint:" in result.text
