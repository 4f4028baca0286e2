"""The text of a `stat_items` result, built from values alone."""

from __future__ import annotations

from typing import Any

import pytest

from filewright.errors import Code, FilewrightError
from filewright.tools.status import FileStatus, StatItem
from filewright.tools.status_rendering import render_status


def make_status(**fields: Any) -> FileStatus:
    """Return the status of a file of 1,200 bytes, with other fields."""
    return FileStatus(
        **{
            "type": "file",
            "size": 1_200,
            "mode": "0644",
            "owner": "ada",
            "group": "staff",
            "uid": 1,
            "gid": 2,
            "hard_links": 1,
            "modified": "2026-11-29T12:00:00Z",
            "accessed": "",
            "changed": "",
            "times_ns": (0, 0, 0),
            **fields,
        }
    )


OWNED = "mode 0644 ada:staff; modified 2026-11-29T12:00:00Z"


@pytest.mark.parametrize(
    ("fields", "row"),
    [
        ({}, f"file; 1,200 bytes; {OWNED}"),
        ({"hard_links": 2}, f"file; 1,200 bytes; {OWNED}; 2 hard links"),
        ({"type": "folder", "hard_links": 2}, f"folder; {OWNED}"),
        ({"type": "link", "target": "a.py"}, f"link; to a.py; {OWNED}"),
        (
            {"encoding": "utf-8", "bom": True, "line_ending": "crlf"},
            f"file; 1,200 bytes; {OWNED}; utf-8 with BOM, crlf",
        ),
        (
            {"binary": "image/png"},
            f"file; 1,200 bytes; {OWNED}; binary, image/png",
        ),
        (
            {"unreadable": "permission_denied"},
            f"file; 1,200 bytes; {OWNED}; not readable: permission_denied",
        ),
    ],
    ids=["file", "linked", "folder", "link", "text", "binary", "unreadable"],
)
def test_row(fields: dict[str, Any], row: str) -> None:
    items = [StatItem("a", "success", make_status(**fields))]
    assert render_status(items, ["a"], max_chars=1_000) == f"a: {row}"


def test_error() -> None:
    error = FilewrightError(Code.NOT_FOUND, "b does not exist")
    items = [StatItem("b", "error", error=error)]
    text = render_status(items, ["b"], max_chars=1_000)
    assert text == "b: not_found: b does not exist"


def test_names_the_next_path() -> None:
    paths = [f"{number}.py" for number in range(9)]
    items = [StatItem(path, "success", make_status()) for path in paths]
    text = render_status(items, paths, max_chars=600)
    shown = text.count(": file;")
    assert 0 < shown < 9
    assert text.endswith(
        f"[{9 - shown} more paths not shown; continue with paths from {shown}.py]"
    )
    assert len(text) <= 600
