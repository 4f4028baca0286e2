"""Unified diffs made from splices, to be shown: their cost follows the change, never the file.

A splice says where a file changes, so nothing but the lines it touches and a few around them is read.
The lines of each touched region are compared by `linediff` (bounded), decoded by the file's own
encoding, and cut at a budget of lines and of characters a line. A diff that was cut says so in a
line no patch parser accepts, so it is never applied by mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from filewright.boundary import quote, unquote
from filewright.edit.linediff import line_splices
from filewright.edit.touched import PEEK, Touched, touched
from filewright.edit.visible import cut_line, cut_pair, terminator_mark
from filewright.text import Encoding, Narrowed, Snapshot, Splice, apply
from filewright.visible import one_line


@dataclass(frozen=True, slots=True)
class Diff:
    """A diff to show. `text` ends with a newline, or is empty when nothing differs.

    `hunks` is how many hunks `text` holds; `shown` and `omitted` count lines of them: those in
    `text`, and those cut from the last hunk. `more` counts splices after the last hunk shown.
    """

    text: str
    hunks: int = 0
    shown: int = 0
    omitted: int = 0
    more: int = 0

    @property
    def truncated(self) -> bool:
        """Whether anything was left out."""
        return bool(self.omitted or self.more)


def unified(
    name_before: str | None,
    name_after: str | None,
    before: Snapshot,
    splices: Sequence[Splice],
    *,
    context: int = 3,
    max_lines: int = 400,
    line_chars: int = 1_000,
    mode_before: int | None = None,
    mode_after: int | None = None,
    copied: bool = False,
) -> Diff:
    """The diff of `before` with ordered `splices` applied, git style.

    A name is as a result shows it (`Location.shown`); None before is a new file, None after a
    deleted one (its splices then remove everything); names that differ are a rename, or a copy if
    `copied`. Modes are permission bits, named only where they differ or a file appears or goes. At
    most `max_lines` lines of hunks and about `line_chars` characters of a line are given.
    """
    head = header(name_before, name_after, mode_before, mode_after, copied=copied)
    plain = name_before == name_after and mode_before == mode_after
    before, splices = _in_utf8(before, splices)
    if _is_binary(before, splices):
        old, new = _label("a", name_before), _label("b", name_after)
        return (
            Diff("".join(head) + f"Binary files {old} and {new} differ\n")
            if splices or not plain
            else Diff("")
        )
    writer = _Writer(before, context, max_lines, line_chars)
    for edit in touched(before, splices):
        if not writer.add(edit):
            break
    writer.finish()
    if not writer.lines:
        return Diff("" if plain else "".join(head))
    more = sum(1 for splice in splices if splice.offset >= writer.reached) if writer.full else 0
    lines = [*head, f"--- {_label('a', name_before)}\n", f"+++ {_label('b', name_after)}\n", *writer.lines]
    if more:
        lines.append(f"... {more:,} more change{'s' if more > 1 else ''} not shown\n")
    return Diff("".join(lines), writer.hunks, writer.shown, writer.omitted, more)


def hunks_of(before: Snapshot, splices: Sequence[Splice], *, context: int = 3) -> list[list[Touched]]:
    """What `splices` change, by the hunks that `unified` shows it in."""
    hunks: list[list[Touched]] = []
    for edit in touched(before, splices):
        if hunks and not _apart(hunks[-1][-1], edit, context):
            hunks[-1].append(edit)
        else:
            hunks.append([edit])
    return hunks


def line_counts(before: Snapshot, splices: Sequence[Splice]) -> tuple[int, int]:
    """How many lines `splices` add and remove."""
    before, splices = _in_utf8(before, splices)
    edits = list(touched(before, splices))
    return sum(edit.new_count for edit in edits), sum(edit.old_count for edit in edits)


def _apart(last: Touched, edit: Touched, context: int) -> bool:
    """Whether an edit begins another hunk than the one before it."""
    return edit.line - (last.line + last.old_count) > 2 * context or edit.offset - last.end > 1 << 20


def splices_between(before: Snapshot, after: Snapshot | bytes) -> tuple[Splice, ...]:
    """The splices of whole lines that turn `before` into `after`, both held.

    A file too large to be held is one splice of all of it.
    """
    target = after if isinstance(after, bytes) else after.held
    if target is None:
        target = after.read(0, after.size) if isinstance(after, Snapshot) else b""
    if before.held is None:
        return (Splice(0, before.size, target),)
    return line_splices(before.held, target)


def header(
    name_before: str | None,
    name_after: str | None,
    mode_before: int | None = None,
    mode_after: int | None = None,
    *,
    copied: bool = False,
) -> list[str]:
    """The lines git writes above a file's hunks, up to but without ``---``."""
    old = name_before if name_before is not None else name_after
    new = name_after if name_after is not None else name_before
    lines = [f"diff --git {_label('a', old)} {_label('b', new)}\n"]
    if name_before is None:
        lines.append(f"new file mode {_git_mode(mode_after)}\n")
    elif name_after is None:
        lines.append(f"deleted file mode {_git_mode(mode_before)}\n")
    else:
        if mode_before is not None and mode_after is not None and mode_before != mode_after:
            lines += (f"old mode {_git_mode(mode_before)}\n", f"new mode {_git_mode(mode_after)}\n")
        if name_before != name_after:
            verb = "copy" if copied else "rename"
            lines += (f"{verb} from {name_before}\n", f"{verb} to {name_after}\n")
    return lines


def _git_mode(mode: int | None) -> str:
    return f"100{0o644 if mode is None else mode & 0o7777:03o}"


def _label(prefix: str, name: str | None) -> str:
    if name is None:
        return "/dev/null"
    if name.startswith('"'):
        return quote(prefix.encode() + b"/" + unquote(name))
    return f"{prefix}/{name}"


def _in_utf8(before: Snapshot, splices: Sequence[Splice]) -> tuple[Snapshot, Sequence[Splice]]:
    """UTF-16 text, where it is held, as UTF-8; anything else as it is."""
    held = before.held
    if before.encoding.width == 1 or before.binary is not None or held is None:
        return before, splices
    after = apply(held, splices)
    if len(held) % 2 or len(after) % 2:
        return before, splices
    narrow = Narrowed(before)
    return narrow.snapshot, line_splices(narrow.text(held), narrow.text(after))


def _is_binary(before: Snapshot, splices: Sequence[Splice]) -> bool:
    if before.binary is not None or before.encoding.width != 1:
        return True
    whole = len(splices) == 1 and splices[0].length == before.size
    return whole and b"\0" in splices[0].replacement[:8192]


class _Writer:
    """Groups edits into hunks with context, and writes them until the budget is spent."""

    def __init__(self, before: Snapshot, context: int, max_lines: int, line_chars: int) -> None:
        self.lines: list[str] = []
        self.hunks = self.shown = self.omitted = 0
        self.reached = 0
        self.full = False
        self._before = before
        self._context = context
        self._left = max_lines
        self._line_chars = line_chars
        self._shift = 0
        self._pending: list[Touched] = []

    def add(self, edit: Touched) -> bool:
        """Take the next edit; False when the budget is spent and nothing more will be shown."""
        if self._pending and _apart(self._pending[-1], edit, self._context):
            self.finish()
        if self.full:
            return False
        self._pending.append(edit)
        self.reached = edit.end
        if sum(len(one.old) + len(one.new) for one in self._pending) > self._left:
            self.finish()
        return not self.full

    def finish(self) -> None:
        """Write the pending hunk."""
        if not self._pending:
            return
        first, last = self._pending[0], self._pending[-1]
        lead = self._lines_before(first)
        tail = self._lines_after(last)
        rows: list[str] = [self._row(" ", line) for line in lead]
        old_count = new_count = len(lead) + len(tail)
        hidden = 0
        position = first.offset
        for edit in self._pending:
            between = self._before.read(position, edit.offset - position).splitlines(keepends=True)
            rows += [self._row(" ", line) for line in between]
            old_count += len(between) + edit.old_count
            new_count += len(between) + edit.new_count
            changed, cut = self._changed(edit)
            rows += changed
            hidden += cut
            position = edit.end
        rows += [self._row(" ", line) for line in tail]
        old_line = first.line - len(lead)
        new_line = old_line + self._shift
        self.lines.append(f"@@ -{_span(old_line, old_count)} +{_span(new_line, new_count)} @@\n")
        over = len(rows) - self._left - 4  # a hunk is not cut for its last lines of context
        if over > 0 and not hidden:
            rows = rows[: self._left]
            rows.append(f"... {_lines(over + 4, '')} of this hunk not shown\n")
            hidden = over + 4
        self.omitted += hidden
        self.full = bool(hidden)
        self.lines += rows
        self.hunks += 1
        self.shown += len(rows)
        self._left -= len(rows)
        self.full = self.full or self._left <= 0
        self._shift += new_count - old_count
        self._pending = []

    def _lines_before(self, edit: Touched) -> list[bytes]:
        offset = edit.offset
        lines: list[bytes] = []
        for _ in range(min(self._context, edit.line - 1)):
            begin = self._before.lines.begin(offset - 1)
            if offset - begin > PEEK:
                break
            lines.append(self._before.read(begin, offset - begin))
            offset = begin
        lines.reverse()
        return lines

    def _lines_after(self, edit: Touched) -> list[bytes]:
        offset = edit.end
        lines: list[bytes] = []
        while len(lines) < self._context and offset < self._before.size:
            end = self._before.lines.end(offset)
            if end - offset > PEEK:
                break
            lines.append(self._before.read(offset, end - offset))
            offset = end
        return lines

    def _changed(self, edit: Touched) -> tuple[list[str], int]:
        """The rows of one edit, both sides cut alike where the budget cannot hold them; lines cut."""
        fit_old = min(len(edit.old), max(self._left // 2, self._left - len(edit.new)))
        fit_new = min(len(edit.new), max(0, self._left - fit_old))
        encoding = self._before.encoding
        marked = self._before if self._before.held is not None or _differ(edit) else None
        old = [_DiffRow(line, encoding, marked) for line in edit.old[:fit_old]]
        new = [_DiffRow(line, encoding, marked) for line in edit.new[:fit_new]]
        if len(edit.old) == len(edit.new):
            for one, two in zip(old, new, strict=False):
                one.text, two.text = cut_pair(one.text, two.text, self._line_chars)
        rows: list[str] = []
        for sign, lines, count in (("-", old, edit.old_count), ("+", new, edit.new_count)):
            rows += [row for line in lines for row in line.rows(sign, self._line_chars)]
            if len(lines) < count:
                kind = "removed" if sign == "-" else "added"
                rows.append(f"... {_lines(count - len(lines), kind)} not shown\n")
        return rows, edit.old_count - len(old) + edit.new_count - len(new)

    def _row(self, sign: str, line: bytes) -> str:
        return "".join(_DiffRow(line, self._before.encoding, None).rows(sign, self._line_chars))


class _DiffRow:
    """One line of a file as a row of a diff."""

    def __init__(self, line: bytes, encoding: Encoding, marked: Snapshot | None) -> None:
        size = 2 if line.endswith(b"\r\n") else int(line.endswith((b"\n", b"\r")))
        body, terminator = line[: len(line) - size], line[len(line) - size :]
        self.unended = not terminator
        self.mark = terminator_mark(terminator, marked.dominant) if marked is not None and terminator else ""
        self.text = one_line(body.decode(encoding.name, "replace"))

    def rows(self, sign: str, limit: int) -> list[str]:
        """The row, and git's remark where the line has no terminator."""
        row = f"{sign}{cut_line(self.text, limit)}{self.mark}\n"
        return [row, "\\ No newline at end of file\n"] if self.unended else [row]


def _lines(count: int, kind: str) -> str:
    return f"{count:,} more {kind}{' ' if kind else ''}line{'s' if count > 1 else ''}"


def _differ(edit: Touched) -> bool:
    """Whether the lines of an edit have different terminators: only then a large file is counted."""
    ends = {line[-2:] if line.endswith(b"\r\n") else line[-1:] for line in (*edit.old, *edit.new)}
    return len(ends & {b"\n", b"\r", b"\r\n"}) > 1


def _span(line: int, count: int) -> str:
    if count == 1:
        return str(line)
    return f"{line if count else line - 1},{count}"
