"""The file that a tool's edit alone should make of the bytes before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from filewright.edit.changeset import FilePlan
from filewright.edit.patch.plan import plan_patch
from filewright.edit.patch.reader import parse_patch
from filewright.edit.patch.targets import PatchTarget
from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.recording.healing import Expected, plain_ends, replace_text
from filewright.recording.readings import read_as_utf8, read_in, read_like
from filewright.recording.tool_arguments import (
    PatchText,
    RequestedReplacement,
    ToolEdit,
    WholeText,
)
from filewright.settings import MB
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice

MAX_REPLACED_BYTES = 64 * MB
"""The most bytes that are read to replace several texts one after another."""
MAX_PLANNED_BYTES = MB
"""The largest file in which a text is looked for that is not there literally."""


def expect(snapshot: Snapshot, edit: ToolEdit, task: Task) -> Expected | None:
    """Return the file that an edit alone makes; None if it is refused.

    It is refused, too, if the encoding of its new text is only a guess that the
    bytes of the file contradict.
    """
    assert snapshot.content is not None
    if not _new_text(edit).isascii() and not _is_certain(snapshot):
        return None
    if isinstance(edit, WholeText):
        return _expect_whole(snapshot, edit.content)
    if isinstance(edit, PatchText):
        return _expect_patched(snapshot, edit, task)
    expected = _expect_literal(snapshot, edit)
    if expected is not None:
        return expected
    if snapshot.size > MAX_PLANNED_BYTES:
        return None
    splices = _plan(snapshot, edit, task)
    if splices is None:
        return None
    expected = Expected(snapshot.content).apply(splices)
    return expected if _is_literal(snapshot, edit, expected) else None


def _new_text(edit: ToolEdit) -> str:
    """Return the text that an edit may bring into the file."""
    if isinstance(edit, WholeText):
        return edit.content
    if isinstance(edit, PatchText):
        return edit.patch
    return "".join(replacement.replacement for replacement in edit)


def _is_certain(snapshot: Snapshot) -> bool:
    """Return True if the bytes of a file do not contradict its encoding."""
    assert snapshot.content is not None
    reading = read_in(snapshot.content, snapshot.encoding)
    return reading is not None and reading.is_certain(snapshot.encoding)


def _expect_literal(
    snapshot: Snapshot, replacements: Sequence[RequestedReplacement]
) -> Expected | None:
    """Replace texts one after another, literally, as the tools do."""
    assert snapshot.content is not None
    if len(replacements) * snapshot.size > MAX_REPLACED_BYTES:
        return None
    encoding = snapshot.encoding
    readings = [read_in(snapshot.content, encoding)]
    # Most tools read every file as UTF-8, also one in Latin-1.
    if encoding.unit_bytes == 1 and not encoding.is_utf8:
        readings.append(read_as_utf8(snapshot.content))
    for reading in readings:
        expected = Expected(snapshot.content)
        for replacement in replacements:
            if reading is None:
                break
            splices = replace_text(
                reading,
                replacement.search,
                replacement.replacement,
                encoding,
                is_everywhere=replacement.is_everywhere,
            )
            if splices is None:
                break
            expected = expected.apply(splices)
            reading = read_like(expected.content, reading)
        else:
            return expected
    return None


def _is_literal(
    snapshot: Snapshot,
    replacements: Sequence[RequestedReplacement],
    expected: Expected,
) -> bool:
    """Return True unless the tools, which are literal, make another text.

    Our engine completes lines: a replacement without the final LF of its search
    gets one. A text that is not there literally is left to the engine.
    """
    assert snapshot.content is not None
    original = read_in(snapshot.content, snapshot.encoding)
    if original is None:
        return False
    text = original.text
    for replacement in replacements:
        search = plain_ends(replacement.search)
        if search not in text:
            return True
        count = -1 if replacement.is_everywhere else 1
        text = text.replace(search, plain_ends(replacement.replacement), count)
    return read_like(expected.content, original).text == text


def _plan(
    snapshot: Snapshot,
    replacements: Sequence[RequestedReplacement],
    task: Task,
) -> tuple[Splice, ...] | None:
    """Return the splices of an edit; None if it is refused."""
    edits = []
    for replacement in replacements:
        edits.append(
            TextEdit(
                replacement.search,
                replacement.replacement,
                replace_all=replacement.is_everywhere,
            )
        )
    try:
        return plan_edits(
            snapshot, edits, in_turn=len(edits) > 1, task=task
        ).splices
    except FilewrightError as error:
        # A cancelled call is no answer: the edit may well be possible.
        if error.ends_call:
            raise
        return None


def _expect_whole(snapshot: Snapshot, content: str) -> Expected | None:
    """Return a text in the encoding and with the line ends of the file before.

    None if the file has mixed line ends, or if its encoding cannot hold the
    text.
    """
    assert snapshot.content is not None
    encoding = snapshot.encoding
    original = read_in(snapshot.content, encoding)
    if original is None:
        return None
    text = content
    if "\r" not in content:  # Else its line ends are meant.
        endings = {
            original.ending(number) for number in range(len(original.lines))
        }
        endings.discard(b"")
        # In a file with mixed line ends those of the new text are a guess.
        if len(endings) > 1:
            return None
        for ending in endings:
            text = content.replace("\n", ending.decode(original.codec))
    bom = b"" if content.startswith("\ufeff") else original.bom
    try:
        body = bom + text.encode(original.codec)
    except UnicodeEncodeError:
        return None
    return Expected(body, ((0, len(body)),))


def _expect_patched(
    snapshot: Snapshot, edit: PatchText, task: Task
) -> Expected | None:
    """Return the file as a patch changes it; None if the patch does not fit."""
    assert snapshot.content is not None
    location = snapshot.location
    if location is None:
        return None
    target = PatchTarget(
        location,
        lambda: Snapshot(snapshot.content, location=location),
        edit.name,
    )
    try:
        patch = parse_patch(edit.patch)
        # Of the other files of the patch the earlier bytes are not here.
        files = tuple(file for file in patch.files if file.path == edit.name)
        for plan in plan_patch(
            replace(patch, files=files), lambda _: target, task=task
        ):
            if isinstance(plan, FilePlan):
                return Expected(snapshot.content).apply(plan.splices)
    except FilewrightError as error:
        if error.ends_call:
            raise
    return None
