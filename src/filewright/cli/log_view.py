"""The lines in which the command line shows changes and sessions."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from filewright.recording.damage import GuardSentence
from filewright.wording import (
    format_age,
    join_limited,
    pluralize,
    to_one_line,
)

if TYPE_CHECKING:
    from filewright.changes.model import ChangeRecord
    from filewright.tools.sessions import ChangedFiles, SessionSummary


def render_change(record: ChangeRecord) -> str:
    """Return the line of a change: id, time, summary, undone changes, author."""
    time = f"{record.time.astimezone():%Y-%m-%d %H:%M:%S}"
    parts = [record.id, f"{time} ({format_age(record.time)})"]
    summary = to_one_line(record.summary)
    parts.append(summary)
    if record.reverts:
        extent = "some of " if record.partial else ""
        parts.append(f"[undoes {extent}{join_limited(record.reverts, 1)}]")
    author = _render_author(record)
    if author:
        parts.append(f"[{author}]")
    return "  ".join(parts)


def _render_author(record: ChangeRecord) -> str:
    """Return the client, the session and the turn of a change, as far as known."""
    names = [record.client, record.session]
    if record.turn:
        names.append(f"turn {record.turn}")
    return " ".join(to_one_line(name) for name in names if name)


def render_healing(record: ChangeRecord) -> str:
    """Return the line of a healing, which stands below the line of its edit."""
    return f"  {to_one_line(record.summary)}  [{record.id}, undone with it]"


def render_guard_notes(record: ChangeRecord) -> list[str]:
    """Return a line for each damage of a change that was not healed."""
    lines = []
    for note in record.notes:
        if GuardSentence.parse(note) is not None:
            lines.append(f"    [{to_one_line(note)}]")
    return lines


def render_notes(notes: Iterable[str]) -> list[str]:
    """Return a line for each note of a change."""
    return [f"[{note}]" for note in notes]


def render_session(summary: SessionSummary) -> str:
    """Return the line of a session: name, times, changes and files, client."""
    first = datetime.fromisoformat(summary.first).astimezone()
    last = datetime.fromisoformat(summary.last).astimezone()
    counts = pluralize(summary.changes, "change")
    if summary.undone:
        counts += f" ({summary.undone} undone)"
    if summary.files is not None:
        files = pluralize(summary.files, "file")
        counts += f", {files} +{summary.added} -{summary.removed}"
    parts = [
        summary.session or "(unknown)",
        f"{first:%Y-%m-%d %H:%M:%S} to {last:%H:%M:%S}",
        counts,
        to_one_line(summary.client or ""),
    ]
    return "  ".join(parts).rstrip()


def render_changed_files(changed: ChangedFiles) -> list[str]:
    """Return a line for each file, with its numbers of added and removed lines."""
    lines = []
    for file in changed.files:
        line = f"{file.action:<10} "
        if file.was is not None:
            line += f"{file.was} → "
        line += file.path
        if file.added is not None:
            line += f"  +{file.added} -{file.removed}"
        lines.append(line)
    if changed.next_offset is not None:
        rest = changed.file_count - changed.next_offset
        lines.append(f"and {rest:,} more files")
    return lines
