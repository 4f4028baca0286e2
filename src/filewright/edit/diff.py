"""Diffs made from splices, to be shown: their cost follows the change, never the file.

A splice says where a file changes, so nothing but the lines it touches and a few around them is read.
The lines of each touched region are compared by `linediff` (bounded) and decoded by the file's own
encoding. A `Diff` is a value: its rows are cut at a budget, its counts are of the whole change.
What models, people and pages see are renderings of it; the text is one, and one that was cut says so
in a line no patch parser accepts, so it is never applied by mistake.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from filewright.boundary import quote, unquote
from filewright.edit.linediff import line_splices
from filewright.edit.touched import PEEK, Touched, touched
from filewright.edit.visible import cut_line, cut_pair, terminator_mark
from filewright.text import Narrowed, Snapshot, Splice, apply
from filewright.visible import one_line

Sign = Literal[" ", "-", "+"]

_COUNTED = 100_000
"""Regions whose lines are counted; beyond them the counts are those of the first."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a diff, with its numbers (1-based) before and after.

    `mark` shows a line end unlike the others of its file, `unended` that there is none. A row that stands
    for `hidden` lines has no text; with the sign " " they are rows of any kind.
    """

    sign: Sign
    text: str
    old: int | None
    new: int | None
    mark: str = ""
    unended: bool = False
    hidden: int = 0

    @property
    def line(self) -> str:
        """The row as a diff has it, with git's remark where the line has no terminator."""
        if self.hidden:
            kind = {" ": "", "-": "removed ", "+": "added "}[self.sign]
            of = "" if kind else " of this hunk"
            return f"... {self.hidden:,} more {kind}line{'s' if self.hidden > 1 else ''}{of} not shown\n"
        unended = "\\ No newline at end of file\n" if self.unended else ""
        return f"{self.sign}{self.text}{self.mark}\n{unended}"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Rows that belong together; `old` and `new` are their first lines (1-based), with how many there are."""

    old: int
    old_count: int
    new: int
    new_count: int
    rows: tuple[Row, ...]

    @property
    def text(self) -> str:
        """The hunk as a diff has it."""
        span = f"@@ -{_span(self.old, self.old_count)} +{_span(self.new, self.new_count)} @@\n"
        return span + "".join(row.line for row in self.rows)


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What becomes of one file: its name before (`old`, None: made) and after (`new`, None: deleted).

    Names are as a result shows them. Modes are permission bits. `added` and `removed` count all lines that
    change, shown or not; None for what is no text. `more` counts changes behind the last hunk, and `counted` says
    that their lines are counted too. `remark` is a line that says what cannot be shown.
    """

    old: str | None
    new: str | None
    hunks: tuple[Hunk, ...] = ()
    mode_before: int | None = None
    mode_after: int | None = None
    copied: bool = False
    binary: bool = False
    added: int | None = 0
    removed: int | None = 0
    more: int = 0
    counted: bool = True
    remark: str = ""

    @property
    def path(self) -> str:
        """The path it has, or had."""
        return self.new or self.old or ""

    @property
    def action(self) -> str:
        """One word for people, as of a recorded change."""
        if self.old is None:
            return "created"
        if self.new is None:
            return "deleted"
        if self.old != self.new:
            return "copied" if self.copied else "moved"
        same = self.hunks or self.binary or self.more or self.mode_before == self.mode_after
        return "modified" if same else "attributes"

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return sum(len(hunk.rows) for hunk in self.hunks)

    @property
    def truncated(self) -> bool:
        """Whether anything was left out."""
        return bool(self.more) or any(row.hidden for hunk in self.hunks for row in hunk.rows)

    @property
    def omitted(self) -> bool:
        """Whether nothing of what changes is shown."""
        return bool(self.more) and not self.hunks

    @property
    def header(self) -> str:
        """The lines git writes above a file's hunks, up to but without ``---``."""
        name = self.new if self.old is None else self.old
        lines = [f"diff --git {_label('a', name)} {_label('b', self.path)}\n"]
        if self.old is None:
            lines.append(f"new file mode {_git_mode(self.mode_after)}\n")
        elif self.new is None:
            lines.append(f"deleted file mode {_git_mode(self.mode_before)}\n")
        else:
            before, after = self.mode_before, self.mode_after
            if before is not None and after is not None and before != after:
                lines.append(f"old mode {_git_mode(before)}\nnew mode {_git_mode(after)}\n")
            if self.old != self.new:
                verb = "copy" if self.copied else "rename"
                lines.append(f"{verb} from {self.old}\n{verb} to {self.new}\n")
        return "".join(lines)

    @property
    def text(self) -> str:
        """The diff, git style. It ends with a newline, or is empty where nothing differs."""
        old, new = _label("a", self.old), _label("b", self.new)
        if self.binary:
            return f"{self.header}Binary files {old} and {new} differ\n{self.remark}"
        same = self.old == self.new and self.mode_before == self.mode_after
        if not self.hunks:
            return "" if same and not self.remark else self.header + self.remark
        more = f"... {self.more:,} more change{'s' if self.more > 1 else ''} not shown\n" if self.more else ""
        hunks = "".join(hunk.text for hunk in self.hunks)
        return f"{self.header}--- {old}\n+++ {new}\n{hunks}{more}{self.remark}"


@dataclass(frozen=True, slots=True)
class Diff:
    """The diffs of files, in order; of `more` files there is none."""

    files: tuple[FileDiff, ...] = ()
    more: int = 0

    @classmethod
    def of_json(cls, text: str) -> Diff:
        """The diff that `json` wrote. Raises `ValueError` for anything else."""
        from pydantic import TypeAdapter

        return TypeAdapter(cls).validate_json(text)

    @property
    def json(self) -> str:
        """It as JSON, for another process of ours."""
        return json.dumps(asdict(self))

    @property
    def text(self) -> str:
        """All of it, git style."""
        return "".join([*(file.text for file in self.files if not file.omitted), self.remark])

    @property
    def remark(self) -> str:
        """A line that says how many files are not shown, or nothing."""
        more = self.more + sum(file.omitted for file in self.files)
        return f"... {more:,} more file{'s' if more > 1 else ''} not shown\n" if more else ""

    @property
    def added(self) -> int:
        """Lines added in the files that are there."""
        return sum(file.added or 0 for file in self.files)

    @property
    def removed(self) -> int:
        """Lines removed in the files that are there."""
        return sum(file.removed or 0 for file in self.files)

    @property
    def truncated(self) -> bool:
        """Whether anything was left out."""
        return bool(self.more) or any(file.truncated for file in self.files)

    @property
    def counted(self) -> bool:
        """Whether the counts are of all there is."""
        return not self.more and all(file.counted for file in self.files)


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
) -> FileDiff:
    """The diff of `before` with ordered `splices` applied.

    None for a name before is a new file, None after a deleted one (its splices then remove everything);
    names that differ are a rename, or a copy if `copied`. At most `max_lines` rows and about
    `line_chars` characters of a line are given; with 0 rows its lines are counted alone.
    """
    made = FileDiff(name_before, name_after, (), mode_before, mode_after, copied)
    before, splices = _in_utf8(before, splices)
    if _is_binary(before, splices):
        changed = bool(splices) or name_before != name_after or mode_before != mode_after
        return replace(made, binary=changed, added=None, removed=None)
    writer = _Writer(before, context, max_lines, line_chars)
    added = removed = 0
    counted = True
    for index, edit in enumerate(touched(before, splices)):
        if index == _COUNTED:
            counted = False
            break
        added += edit.new_count
        removed += edit.old_count
        writer.add(edit)
    writer.finish()
    more = sum(1 for splice in splices if splice.offset >= writer.reached) if writer.full else 0
    return replace(made, hunks=tuple(writer.hunks), added=added, removed=removed, more=more, counted=counted)


def hunks_of(before: Snapshot, splices: Sequence[Splice], *, context: int = 3) -> list[list[Touched]]:
    """What `splices` change, by the hunks that `unified` shows it in."""
    hunks: list[list[Touched]] = []
    for edit in touched(before, splices):
        if hunks and not _apart(hunks[-1][-1], edit, context):
            hunks[-1].append(edit)
        else:
            hunks.append([edit])
    return hunks


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
    """Groups edits into hunks with context, until the budget is spent; `reached` is where the last one ends."""

    def __init__(self, before: Snapshot, context: int, max_lines: int, line_chars: int) -> None:
        self.hunks: list[Hunk] = []
        self.reached = 0
        self.full = max_lines <= 0
        self._before = before
        self._context = context
        self._left = max_lines
        self._line_chars = line_chars
        self._shift = 0
        self._pending: list[Touched] = []

    def add(self, edit: Touched) -> None:
        """Take the next edit, unless the budget is spent."""
        if self._pending and _apart(self._pending[-1], edit, self._context):
            self.finish()
        if self.full:
            return
        self._pending.append(edit)
        self.reached = edit.end
        if sum(len(one.old) + len(one.new) for one in self._pending) > self._left:
            self.finish()

    def finish(self) -> None:
        """Write the pending hunk."""
        if not self._pending:
            return
        first, last = self._pending[0], self._pending[-1]
        lead, tail = self._lines_before(first), self._lines_after(last)
        old = old_line = first.line - len(lead)
        new = new_line = old + self._shift
        rows: list[Row] = []

        def keep(lines: Sequence[bytes]) -> None:
            nonlocal old, new
            for line in lines:
                rows.append(self._row(" ", line, old, new))
                old, new = old + 1, new + 1

        keep(lead)
        position = first.offset
        for edit in self._pending:
            keep(self._before.read(position, edit.offset - position).splitlines(keepends=True))
            rows += self._changed(edit, old, new)
            old, new = old + edit.old_count, new + edit.new_count
            position = edit.end
        keep(tail)
        over = len(rows) - self._left - 4  # a hunk is not cut for its last lines of context
        cut = any(row.hidden for row in rows)
        if over > 0 and not cut:
            rows[self._left :] = [Row(" ", "", None, None, hidden=over + 4)]
            cut = True
        self.hunks.append(Hunk(old_line, old - old_line, new_line, new - new_line, tuple(rows)))
        self._left -= len(rows)
        self.full = cut or self._left <= 0
        self._shift = new - old
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

    def _changed(self, edit: Touched, old: int, new: int) -> list[Row]:
        """The rows of one edit, both sides cut alike where the budget cannot hold them."""
        fit_old = min(len(edit.old), max(self._left // 2, self._left - len(edit.new)))
        fit_new = min(len(edit.new), max(0, self._left - fit_old))
        marked = self._before if self._before.held is not None or _differ(edit) else None
        removed = [self._row("-", line, old + at, None, marked) for at, line in enumerate(edit.old[:fit_old])]
        added = [self._row("+", line, None, new + at, marked) for at, line in enumerate(edit.new[:fit_new])]
        if len(edit.old) == len(edit.new):
            for at, (one, two) in enumerate(zip(removed, added, strict=False)):
                texts = cut_pair(one.text, two.text, self._line_chars)
                removed[at], added[at] = replace(one, text=texts[0]), replace(two, text=texts[1])
        if fit_old < edit.old_count:
            removed.append(Row("-", "", old + fit_old, None, hidden=edit.old_count - fit_old))
        if fit_new < edit.new_count:
            added.append(Row("+", "", None, new + fit_new, hidden=edit.new_count - fit_new))
        return [replace(row, text=cut_line(row.text, self._line_chars)) for row in removed + added]

    def _row(
        self, sign: Sign, line: bytes, old: int | None, new: int | None, marked: Snapshot | None = None
    ) -> Row:
        """One line of a file; those that change are `marked` where they end unlike the others."""
        size = 2 if line.endswith(b"\r\n") else int(line.endswith((b"\n", b"\r")))
        body, terminator = line[: len(line) - size], line[len(line) - size :]
        mark = terminator_mark(terminator, marked.dominant) if marked is not None and terminator else ""
        text = one_line(body.decode(self._before.encoding.name, "replace"))
        return Row(
            sign, text if sign != " " else cut_line(text, self._line_chars), old, new, mark, not terminator
        )


def _differ(edit: Touched) -> bool:
    """Whether the lines of an edit have different terminators: only then a large file is counted."""
    ends = {line[-2:] if line.endswith(b"\r\n") else line[-1:] for line in (*edit.old, *edit.new)}
    return len(ends & {b"\n", b"\r", b"\r\n"}) > 1


def _span(line: int, count: int) -> str:
    if count == 1:
        return str(line)
    return f"{line if count else line - 1},{count}"
