"""The diff of two files."""

from __future__ import annotations

from filewright.edit.build_diff import build_file_diff, find_splices
from filewright.edit.diff import FileDiff
from filewright.errors import Code, path_error
from filewright.text.snapshot import Snapshot
from filewright.text.utf8_view import Utf8View
from filewright.tools.bounded_text import clip
from filewright.tools.context import Context
from filewright.wording import escape_controls


def compare_files(context: Context, old_path: str, new_path: str) -> str:
    """Return the unified diff of two texts without their line ends, or "" if they are equal.

    Raises `too_large` for files that are not held in memory.
    """
    old_location = context.boundary.locate(old_path)
    new_location = context.boundary.locate(new_path)
    with (
        context.open(old_location, text=True) as old,
        context.open(new_location, text=True) as new,
    ):
        old_lines = with_line_feeds(context, old)
        new_lines = with_line_feeds(context, new)
    splices = find_splices(old_lines, new_lines)
    if not splices:
        return ""
    diff = build_file_diff(
        FileDiff(old_location.display_path, new_location.display_path),
        old_lines,
        splices,
        max_lines=context.settings.diff_lines,
    )
    # Git's header would call two files that are compared a renamed one.
    start = max(0, diff.text.find("--- "))
    text = clip(
        diff.text[start:],
        context.settings.page_chars,
        note="\n[cut: the diff is longer than shown]",
    )
    if diff.truncated:
        text += "[the diff is longer than shown]"
    return escape_controls(text)


def with_line_feeds(context: Context, snapshot: Snapshot) -> Snapshot:
    """Return a text whose lines end with line feeds, in UTF-8 if it is UTF-16."""
    if snapshot.content is None:
        path = snapshot.requested_path
        raise path_error(
            Code.TOO_LARGE,
            path,
            f"{path} is too large to be compared",
            "read the parts in question",
            size=snapshot.size,
            limit=context.settings.hold_bytes,
        )
    view = snapshot
    if snapshot.encoding.unit_bytes > 1:
        view = Utf8View(snapshot).snapshot
    content = view.read(view.start, view.size)
    return Snapshot(
        content.replace(b"\r\n", b"\n").replace(b"\r", b"\n"),
        encoding=view.encoding.name,
        location=snapshot.location,
        settings=context.settings,
    )
