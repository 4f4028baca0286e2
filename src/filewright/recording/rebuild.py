"""The file that a client's edit tool should have made."""

from __future__ import annotations

from filewright.progress import Task
from filewright.recording.damage import Healing
from filewright.recording.expectation import expect
from filewright.recording.healing import heal
from filewright.recording.tool_arguments import ToolEdit
from filewright.text.snapshot import Snapshot


def rebuild(
    original: Snapshot, after: bytes, edit: ToolEdit | None, task: Task
) -> Healing:
    """Return the healing of a file that a tool changed to `after`.

    `edit` is what the tool was told to do, or None if that is not known.
    """
    assert original.content is not None
    if original.binary_type:
        return Healing()
    expected = None if edit is None else expect(original, edit, task)
    return heal(original.content, after, original.encoding, expected)
