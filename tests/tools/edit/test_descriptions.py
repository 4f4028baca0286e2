"""Lines of a change that the answer describes in words instead of showing them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace

SOURCE = """import os


def first():
    return 1


class Box:
    def second(self):
        # two
        return 2


def third():
    return 3
"""
TARGET = "x = 1\n"
Edit = Callable[..., str]


@pytest.fixture
def edit(root: Path, workspace: Workspace) -> Edit:
    """Edit a.py and b.py by a call without paths, and return the answer."""
    (root / "a.py").write_text(SOURCE)
    (root / "b.py").write_text(TARGET)

    def run(*edits: Mapping[str, Any], **arguments: Any) -> str:
        workspace.read("a.py")
        workspace.read("b.py")
        answer = workspace.call(
            "edit_content", {"edits": [*edits], **arguments}
        )
        assert not answer.is_error, answer.text
        return answer.text

    return run


@pytest.mark.parametrize(
    ("change", "row"),
    [
        pytest.param(
            {"path": "b.py", "from": {"path": "a.py", "symbol": "first"}},
            "lines 4-7, symbol first, moved to b.py:4-5, 2 blank lines above; "
            "2 blank lines left at 4",
            id="symbol to the end",
        ),
        pytest.param(
            {
                "path": "b.py",
                "at": {"before": 1},
                "from": {"path": "a.py", "start_line": 4, "end_line": 5},
            },
            "lines 4-5 moved to b.py:1-2",
            id="lines",
        ),
        pytest.param(
            {
                "path": "b.py",
                "from": {"path": "a.py", "symbol": "first"},
                "copy": True,
            },
            "lines 4-5, 2 blank lines above, symbol first, copied from a.py:4-5",
            id="copy",
        ),
        pytest.param(
            {
                "path": "a.py",
                "at": {"after": "third"},
                "from": {"symbol": "first"},
            },
            "lines 4-7, symbol first, moved to lines 14-15, 2 blank lines above; "
            "2 blank lines left at 4",
            id="within a file",
        ),
    ],
)
def test_tells_where_moved_text_is(
    edit: Edit, change: Mapping[str, Any], row: str
) -> None:
    answer = edit(change)
    assert row in answer.splitlines()
    assert "return 1" not in answer


@pytest.mark.parametrize(
    ("at", "row"),
    [
        pytest.param(
            {"symbol": "first"},
            "lines 4-7, symbol first, deleted; 2 blank lines left at 4",
            id="symbol",
        ),
        pytest.param({"lines": [4, 5]}, "lines 4-5 deleted", id="lines"),
        pytest.param({"lines": [1, 1]}, "line 1 deleted", id="line"),
    ],
)
def test_does_not_repeat_deleted_lines_that_the_edit_names(
    edit: Edit, at: Mapping[str, Any], row: str
) -> None:
    answer = edit({"path": "a.py", "at": at, "replace": ""})
    assert answer.split("\n")[1:] == [row]


def test_shows_deleted_lines_that_have_moved(
    edit: Edit, root: Path, workspace: Workspace
) -> None:
    version = workspace.read("a.py").version
    (root / "a.py").write_text(f"# new\n{SOURCE}")
    change = {"path": "a.py", "at": {"lines": [5, 5]}, "delete": True}
    assert "-    return 1" in edit({**change, "expected_version": version})


def test_shows_moved_text_that_is_indented(edit: Edit) -> None:
    answer = edit(
        {
            "path": "b.py",
            "from": {"path": "a.py", "symbol": "Box.second"},
            "at": {"after": 1},
            "reindent": True,
        }
    )
    assert "symbol Box.second, moved to b.py:4-6" in answer
    assert "changed (see the diff)" in answer
    assert "+def second(self):\n+    # two\n+    return 2" in answer
    assert "-        return 2" not in answer


def test_shows_moved_text_that_another_edit_changes(edit: Edit) -> None:
    answer = edit(
        {
            "path": "b.py",
            "from": {"path": "a.py", "symbol": "first"},
        },
        {"path": "b.py", "search": "return 1", "replace": "return 11"},
    )
    assert "+    return 11" in answer


def test_names_terminators_of_target(edit: Edit, root: Path) -> None:
    (root / "b.py").write_bytes(b"x = 1\r\n")
    answer = edit({"path": "b.py", "from": {"path": "a.py", "symbol": "first"}})
    assert "moved to b.py:4-5, 2 blank lines above, with crlf;" in answer
    assert (root / "b.py").read_bytes().endswith(b"():\r\n    return 1\r\n")


def test_does_not_repeat_content_of_new_file(edit: Edit) -> None:
    answer = edit(
        {"path": "c.py", "content": "import os\n"},
        {"path": "c.py", "from": {"path": "a.py", "symbol": "third"}},
        {
            "path": "c.py",
            "from": {"path": "a.py", "symbol": "first"},
            "at": {"before": "third"},
        },
    )
    assert answer.startswith("c.py: created, 9 lines; change ")
    assert "moved to c.py:8-9" in answer
    assert "moved to c.py:4-5" in answer
    assert "\n+" not in answer


@pytest.mark.parametrize("arguments", [{"preview": True}, {"diff": "full"}])
def test_shows_all_lines_if_asked(
    edit: Edit, arguments: Mapping[str, Any]
) -> None:
    answer = edit(
        {"path": "c.py", "content": "import os\n"},
        {"path": "b.py", "from": {"path": "a.py", "symbol": "first"}},
        {"path": "a.py", "at": {"symbol": "third"}, "replace": ""},
        **arguments,
    )
    assert "-    return 3" in answer
    assert "+import os" in answer
    assert "+    return 1" in answer
    assert "-    return 1" in answer


def test_counts_known_lines_of_long_texts(edit: Edit, root: Path) -> None:
    body = "".join(f"    x += {number}\n" for number in range(900))
    (root / "b.py").write_text(f"def long():\n{body}\n\ny = 1\n")
    answer = edit(
        {"path": "c.py", "content": f"x = 1\n{body}"},
        {"path": "d.py", "from": {"path": "b.py", "symbol": "long"}},
        {"path": "b.py", "search": "y = 1", "replace": "y = 2"},
    )
    assert "lines 1-903, symbol long, moved to d.py:1-901" in answer
    assert answer.endswith(
        "[1 line each way; all: get_history with this change_id]"
    )
