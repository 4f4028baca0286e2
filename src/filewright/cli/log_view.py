"""The lines in which the command line shows changes and sessions.

On a terminal, changes are grouped by prompt in lines that fit it; in a pipe each has a
line that begins with its id and says all that is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from filewright.cli.columns import Styled, join_ends
from filewright.cli.log_entries import Counts, describe_author
from filewright.recording.damage import GuardSentence
from filewright.wording import (
    escape_controls,
    format_age,
    join_limited,
    pluralize,
    to_one_line,
)

if TYPE_CHECKING:
    from filewright.changes.model import ChangeRecord
    from filewright.cli.log_entries import LogEntry, LogGroup
    from filewright.tools.sessions import ChangedFiles, SessionSummary

NOTHING_YET = "nothing has been changed here yet"
SCREEN_ROWS = 30
MAX_ROWS_PER_ENTRY = 1.5
"""The rows that a list longer than a screen may have for each change.

Beyond them the groups of one change become shorter.
"""
_INDENT = "  "
_GAP = "  "


# On a terminal


def render_groups(
    groups: Sequence[LogGroup],
    width: int,
    *,
    has_colours: bool,
    details: Mapping[str, Sequence[str]] | None = None,
) -> list[str]:
    """Return the lines of changes by prompt.

    `details` are lines that follow the line of a change, by its id.
    """
    entry_count = sum(len(group.entries) for group in groups)
    rows = entry_count + sum(_has_heading(group) for group in groups)
    is_short = rows > max(SCREEN_ROWS, MAX_ROWS_PER_ENTRY * entry_count)
    lines: list[str] = []
    for group in groups:
        is_single = len(group.entries) == 1
        if is_single and (is_short or not _has_heading(group)):
            lines.append(_render_single(group, width, has_colours=has_colours))
            lines += _details_of(group.entries[0], details)
            continue
        lines.append(_render_heading(group, width, has_colours=has_colours))
        for entry in group.entries:
            lines.append(_render_entry(entry, width, has_colours=has_colours))
            lines += _details_of(entry, details)
    return lines


def _render_block(label: str, text: str) -> list[str]:
    """Return the lines of a text below its label; none for an empty text."""
    text_lines = escape_controls(text.strip("\n")).splitlines()
    if not text_lines:
        return []
    return [f"{label}:", *(f"{_INDENT}{line}" for line in text_lines)]


def _has_heading(group: LogGroup) -> bool:
    """Return True unless one change says all that a heading would."""
    return len(group.entries) > 1 or bool(group.words)


def _details_of(
    entry: LogEntry, details: Mapping[str, Sequence[str]] | None
) -> Sequence[str]:
    return (details or {}).get(entry.record.id, ())


def _render_heading(group: LogGroup, width: int, *, has_colours: bool) -> str:
    """Return the line of a prompt: its client and words, age, files and lines."""
    words = Styled(" (no prompt known)", is_dim=True)
    if group.words:
        words = Styled(f"  “{to_one_line(group.words)}”", is_bold=True)
    elif group.author.startswith("you"):
        words = Styled("")
    left = [Styled(group.author, "cyan"), words]
    right = [Styled(format_when(group.time), is_dim=True)]
    if group.counts is None:
        right.append(Styled(f"{_GAP}undone", is_dim=True))
    else:
        files = pluralize(group.counts.files, "file")
        right += [Styled(f"{_GAP}{files}"), *_style_lines(group.counts)]
    return join_ends(left, right, width, flexible=1, has_colours=has_colours)


def _render_entry(entry: LogEntry, width: int, *, has_colours: bool) -> str:
    """Return the line of a change: its id, its sentence, files and lines."""
    left = [
        Styled(f"{_INDENT}{entry.short_id}{_GAP}", "yellow"),
        _style_title(entry),
    ]
    right: list[Styled] = []
    if entry.undone_by is not None:
        right.append(Styled("undone", is_dim=True))
    elif entry.counts.files > 1:
        right.append(Styled(pluralize(entry.counts.files, "file"), is_dim=True))
    right += _style_lines(entry.counts)
    return join_ends(left, right, width, flexible=1, has_colours=has_colours)


def _render_single(group: LogGroup, width: int, *, has_colours: bool) -> str:
    """Return the line of a prompt with one change: both in one."""
    entry = group.entries[0]
    title = _style_title(entry)
    if group.words:
        title = Styled(f"“{to_one_line(group.words)}”", is_bold=True)
    left = [
        Styled(f"{_INDENT}{entry.short_id}{_GAP}", "yellow"),
        title,
        Styled(f"{_GAP}{group.author}", "cyan"),
    ]
    right = [Styled(format_when(group.time), is_dim=True)]
    if entry.undone_by is not None:
        right.append(Styled(f"{_GAP}undone", is_dim=True))
    right += _style_lines(entry.counts)
    return join_ends(left, right, width, flexible=1, has_colours=has_colours)


def _style_title(entry: LogEntry) -> Styled:
    """Return the sentence of a change, dim if the change is undone."""
    title = to_one_line(entry.title)
    if entry.is_healing:
        title = f"└ {title}"
    return Styled(title, is_dim=entry.undone_by is not None)


def _style_lines(counts: Counts) -> list[Styled]:
    """Return the lines added and removed, each in its colour."""
    if counts.added is None:
        return []
    return [
        Styled(f"{_GAP}+{counts.added:,}", "green"),
        Styled(f" −{counts.removed:,}", "red"),
    ]


def format_when(moment: datetime) -> str:
    """Return the age of a moment of the last day, or else its date and time."""
    if datetime.now(UTC) - moment < timedelta(days=1):
        return format_age(moment)
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


# In a list to choose from, and in sentences


def quote_title(title: str) -> str:
    """Return a title in quotation marks, unless it begins or ends with some."""
    title = to_one_line(title)
    return title if "“" in title else f"“{title}”"


def render_choice(group: LogGroup, width: int) -> str:
    """Return the row of a prompt: its words or sentence, client, age and lines."""
    title = group.words and f"“{group.words}”"
    left = [
        Styled(to_one_line(title or group.entries[0].title)),
        Styled(f"{_GAP}{group.author}"),
    ]
    right = [Styled(format_when(group.time))]
    if group.counts is not None:
        files = pluralize(group.counts.files, "file")
        right += [Styled(f"{_GAP}{files}"), *_style_lines(group.counts)]
    return join_ends(left, right, width, flexible=0, has_colours=False)


def render_version(entry: LogEntry, width: int) -> str:
    """Return the row of a change of a file: time, sentence, client and lines."""
    time = f"{entry.record.time.astimezone():%Y-%m-%d %H:%M:%S}"
    left = [Styled(f"{time}{_GAP}"), _style_title(entry)]
    right = _style_lines(entry.counts)
    return join_ends(left, right, width, flexible=1, has_colours=False)


# In a pipe


def render_entry(entry: LogEntry) -> str:
    """Return the line of a change: id, time, sentence, undone changes, author, prompt."""
    record = entry.record
    time = f"{record.time.astimezone():%Y-%m-%d %H:%M:%S}"
    parts = [record.id, f"{time} ({format_age(record.time)})"]
    parts.append(to_one_line(entry.title))
    if entry.undone_by is not None:
        parts.append(f"[undone by {entry.undone_by}]")
    if entry.is_healing:
        parts.append(f"[undone with {record.reverts[0]}]")
    elif record.reverts:
        extent = "some of " if record.partial else ""
        parts.append(f"[undoes {extent}{join_limited(record.reverts, 1)}]")
    author = _render_author(record, with_turn=not entry.words)
    if author:
        parts.append(f"[{author}]")
    if entry.words:
        parts.append(f"“{to_one_line(entry.words)}”")
    return "  ".join(parts)


def _render_author(record: ChangeRecord, *, with_turn: bool) -> str:
    """Return the client, the session and the turn of a change, as far as known."""
    names = [record.client, record.session]
    if record.turn and with_turn:
        names.append(f"turn {record.turn}")
    return " ".join(to_one_line(name) for name in names if name)


# In both


def render_change(entry: LogEntry, *, is_full: bool) -> list[str]:
    """Return the heading of a change that is shown alone, and its notes.

    It is a few lines for a person, or with `is_full` the line of a list.
    """
    record = entry.record
    if is_full:
        return [render_entry(entry), *render_notes(record.notes)]
    time = f"{record.time.astimezone():%Y-%m-%d %H:%M:%S}"
    lines = [
        f"change {record.id}",
        to_one_line(entry.title),
        f"{time} ({format_age(record.time)})",
        _render_author(record, with_turn=not entry.words),
    ]
    lines += _render_block("prompt", entry.prompt)
    lines += _render_block("command", record.command)
    if entry.undone_by is not None:
        lines.append(f"undone by {entry.undone_by}")
    if record.reverts:
        extent = "some of " if record.partial else ""
        lines.append(f"undoes {extent}{join_limited(record.reverts, 1)}")
    lines += render_notes(record.notes)
    return [*filter(None, lines), ""]


def render_guard_notes(record: ChangeRecord) -> list[str]:
    """Return a line for each damage of a change that was not healed."""
    lines: list[str] = []
    for note in record.notes:
        if GuardSentence.parse(note) is not None:
            lines.append(f"    [{to_one_line(note)}]")
    return lines


def render_notes(notes: Iterable[str]) -> list[str]:
    """Return a line for each note of a change."""
    return [f"[{note}]" for note in notes]


def render_session_row(
    summary: SessionSummary, width: int, *, has_colours: bool
) -> str:
    """Return the row of a session in a terminal: name, client, age, counts."""
    left = [
        Styled(to_one_line(summary.session or "(unknown)"), "yellow"),
        Styled(f"{_GAP}{describe_author(summary.client)}", "cyan"),
    ]
    changes = pluralize(summary.changes, "change")
    if summary.undone:
        changes += f", {summary.undone} undone"
    last = datetime.fromisoformat(summary.last)
    right = [Styled(format_when(last), is_dim=True), Styled(f"{_GAP}{changes}")]
    if summary.files is not None:
        counts = Counts(summary.files, summary.added, summary.removed)
        right.append(Styled(f"{_GAP}{pluralize(summary.files, 'file')}"))
        right += _style_lines(counts)
    return join_ends(left, right, width, flexible=0, has_colours=has_colours)


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
