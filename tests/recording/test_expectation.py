"""The file that an edit alone should make."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.progress import Task
from filewright.recording.expectation import expect
from filewright.recording.tool_arguments import (
    PatchText,
    RequestedReplacement,
    ToolEdit,
    WholeText,
)
from filewright.settings import Settings
from filewright.text.snapshot import Snapshot


def test_expects_no_line_end_that_a_literal_tool_does_not_write() -> None:
    # Which line end the new lines have is not certain, so the engine is asked.
    before = Snapshot(b"a \r\n\tport\n\n\t\t \nb\n")
    edit = (RequestedReplacement("\tport\n", "new\n\tport\n\nnew #"),)
    expected = expect(before, edit, Task())
    assert expected is None or b"new #\n\n" not in expected.content


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        pytest.param(
            b"caf\xe9\r\nb\r\n",
            WholeText("caf\xe9\nc\n"),
            b"caf\xe9\r\nc\r\n",
            id="whole",
        ),
        pytest.param(
            b"a\r\nb\r\n", WholeText("a\r\nc\n"), b"a\r\nc\n", id="meant-ends"
        ),
        pytest.param(b"a\r\nb\n", WholeText("c\n"), None, id="mixed-ends"),
        pytest.param(
            b"caf\xe9\r\n", WholeText("\u4e2d\n"), None, id="no-such-character"
        ),
        pytest.param(
            b"a\r\nb\r\na\r\n",
            (RequestedReplacement("a\n", "c\nd\n", is_everywhere=True),),
            b"c\r\nd\r\nb\r\nc\r\nd\r\n",
            id="everywhere",
        ),
        pytest.param(
            b"a\n", (RequestedReplacement("x", "y"),), None, id="not-there"
        ),
    ],
)
def test_expects(before: bytes, edit: ToolEdit, after: bytes | None) -> None:
    expected = expect(Snapshot(before), edit, Task())
    assert (expected and expected.content) == after


def test_expects_patch(tmp_path: Path) -> None:
    path = tmp_path / "a.ini"
    path.write_bytes(b"# caf\xe9\r\nport = 80\r\n")
    with closing(Boundary([bytes(tmp_path)], Settings())) as boundary:
        location = boundary.locate("a.ini")
        snapshot = Snapshot(path.read_bytes(), location=location)
        patch = (
            "*** Begin Patch\n*** Update File: a.ini\n@@\n-port = 80\n"
            "+port = 8080\n*** End Patch\n"
        )
        expected = expect(snapshot, PatchText(patch, "a.ini"), Task())
        assert expected is not None
        assert expected.content == b"# caf\xe9\r\nport = 8080\r\n"
        other = expect(snapshot, PatchText(patch, "b.ini"), Task())
        assert other is None
