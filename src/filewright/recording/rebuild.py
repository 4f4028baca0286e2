"""The file that a client's edit tool should have made."""

from __future__ import annotations

from filewright.progress import Task
from filewright.recording.damage import Healing
from filewright.recording.expectation import expect
from filewright.recording.healing import heal
from filewright.recording.tool_arguments import ToolEdit
from filewright.settings import MB
from filewright.text.snapshot import Snapshot

MAX_REBUILT_BYTES = 4 * MB
"""The largest file that is compared line by line, which takes seconds."""


def rebuild(
    original: Snapshot, after: bytes, edit: ToolEdit | None, task: Task
) -> Healing:
    """Return the healing of a file that a tool changed to `after`.

    `edit` is what the tool was told to do, or None if that is not known.
    """
    assert original.content is not None
    if original.binary_type:
        return Healing()
    if max(original.size, len(after)) > MAX_REBUILT_BYTES:
        size = f"{MAX_REBUILT_BYTES // MB} MB"
        return Healing(
            doubt=f"it is larger than {size}, the limit for comparing lines"
        )
    expected = None if edit is None else expect(original, edit, task)
    return heal(original.content, after, original.encoding, expected)
