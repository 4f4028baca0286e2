"""Diffs made from splices, to be shown: their cost follows the change, never the file.

A splice says where a file changes, so nothing but the lines it touches and a few around them is read.
The lines of each touched region are compared by `linediff` (bounded) and decoded by the file's own
encoding. A `Diff` is a value: its rows end at a budget, and go on in another window of the same diff; its counts are
of the whole change. What models, people and pages see are renderings of it; the text is one, and one that was cut says
so in a line no patch parser accepts, so it is never applied by mistake.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, groupby
from typing import Literal

from filewright.boundary.names import quote, unquote
from filewright.edit.linediff import find_line_splices, find_replacements
from filewright.text.lines import terminators_in
from filewright.text.notebook import NotebookView, viewed_by_cells
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply
from filewright.text.wide import Narrowed
from filewright.wording import format_size, pluralize, to_one_line

Sign = Literal[" ", "-", "+"]

_COUNTED = 100_000
"""Regions whose lines are counted; beyond them the counts are those of the first."""


#: Lines shown around what changes.
_CONTEXT = 3
#: Characters of a line of context beyond which a brief diff leaves it out.
_NARROW = 120
#: What is shown after a changed line that ends unlike most lines of its file.
_MARKS = {b"\r\n": "\u240d\u240a", b"\n": "\u240a", b"\r": "\u240d"}
#: Regions above this many bytes (old and new) are given by their beginnings, not compared.
_COMPARED = 8 << 20
#: What is read of such a region, and the most that is read of one line of context.
PEEK_BYTES = 1 << 15


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One line of a diff, with its numbers (1-based) before and after.

    `mark` shows a line end unlike the others of its file, `unended` that there is none. A row that stands
    for `hidden` removed or added lines has no text.
    """

    sign: Sign
    text: str
    old: int | None
    new: int | None
    mark: str = ""
    unended: bool = False
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class DiffHunk:
    """Rows that belong together; `old` and `new` are their first lines (1-based), with how many there are.

    `number` counts the hunks of a file from 1; one that goes on in another window has the same there.
    """

    old: int
    old_count: int
    new: int
    new_count: int
    rows: tuple[DiffRow, ...]
    number: int = 1


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What becomes of one file: its name before (`old`, None: made) and after (`new`, None: deleted).

    Names are as a result shows them. Modes are permission bits. `added` and `removed` count all lines that
    change, shown or not; None for what is no text. `more` counts changes behind the last hunk, of which the first is at
    offset `next`, and `counted` says that their lines are counted too. `remark` is a line that says what cannot be
    shown; `rows` is how many rows all hunks have.
    """

    old_name: str | None
    new_name: str | None
    hunks: tuple[DiffHunk, ...] = ()
    mode_before: int | None = None
    mode_after: int | None = None
    is_copy: bool = False
    binary: bool = False
    added: int | None = 0
    removed: int | None = 0
    omitted_changes: int = 0
    all_counted: bool = True
    remark: str = ""
    next_offset: int | None = None
    row_count: int = 0

    @property
    def path(self) -> str:
        """The path it has, or had."""
        return self.new_name or self.old_name or ""

    @property
    def action(self) -> str:
        """One word for people, as of a recorded change."""
        if self.old_name is None:
            return "created"
        if self.new_name is None:
            return "deleted"
        if self.old_name != self.new_name:
            return "copied" if self.is_copy else "moved"
        same = (
            self.hunks
            or self.binary
            or self.omitted_changes
            or self.mode_before == self.mode_after
        )
        return "modified" if same else "attributes"

    @property
    def truncated(self) -> bool:
        """Whether anything was left out."""
        return bool(self.omitted_changes) or any(
            row.hidden for hunk in self.hunks for row in hunk.rows
        )

    @property
    def is_omitted(self) -> bool:
        """Whether nothing of what changes is shown."""
        return bool(self.omitted_changes) and not self.hunks

    @property
    def header(self) -> str:
        """The lines git writes above a file's hunks, up to but without ``---``."""
        lines = [
            f"diff --git {_label('a', self.old_name or self.new_name)} {_label('b', self.path)}\n"
        ]
        if self.old_name is None:
            lines.append(f"new file mode {_git_mode(self.mode_after)}\n")
        elif self.new_name is None:
            lines.append(f"deleted file mode {_git_mode(self.mode_before)}\n")
        else:
            before, after = self.mode_before, self.mode_after
            if before is not None and after is not None and before != after:
                lines.append(
                    f"old mode {_git_mode(before)}\nnew mode {_git_mode(after)}\n"
                )
            if self.old_name != self.new_name:
                verb = "copy" if self.is_copy else "rename"
                lines.append(
                    f"{verb} from {self.old_name}\n{verb} to {self.new_name}\n"
                )
        return "".join(lines)

    @property
    def text(self) -> str:
        """The diff, git style and with its remarks. It ends with a newline, or is empty where nothing differs."""
        if self.binary:
            names = f"{_label('a', self.old_name)} and {_label('b', self.new_name)}"
            return f"{self.header}Binary files {names} differ\n{self.remark}"
        if self.hunks:
            return self.header + self._text_of(self.hunks)
        same = self.old_name == self.new_name and self.mode_before == self.mode_after
        return "" if same and not self.remark else self.header + self.remark

    def _text_of(self, hunks: Sequence[DiffHunk]) -> str:
        """What is below the header, with these hunks."""
        lines = [
            f"--- {_label('a', self.old_name)}\n+++ {_label('b', self.new_name)}\n"
        ]
        for hunk in hunks:
            spans = []
            for line, count in ((hunk.old, hunk.old_count), (hunk.new, hunk.new_count)):
                spans.append(
                    str(line) if count == 1 else f"{line - (not count)},{count}"
                )
            lines.append(f"@@ -{spans[0]} +{spans[1]} @@\n")
            for row in hunk.rows:
                if row.hidden:
                    more = pluralize(
                        row.hidden,
                        f"more {'removed' if row.sign == '-' else 'added'} line",
                    )
                    lines.append(f"... {more} not shown\n")
                    continue
                lines.append(f"{row.sign}{row.text}{row.mark}\n")
                if row.unended:
                    lines.append("\\ No newline at end of file\n")
        if self.omitted_changes:
            lines.append(
                f"... {pluralize(self.omitted_changes, 'more change')} not shown\n"
            )
        return "".join([*lines, self.remark])

    def brief(self, context: int) -> str | None:
        """The same with at most `context` rows around each change, and none that is long; None of what was cut.

        Git's lines are left out where they say no more than the names below them.
        """
        if self.omitted_changes:
            return None
        hunks: list[DiffHunk] = []
        for hunk in self.hunks:
            signs = "".join([row.sign for row in hunk.rows])
            old, new, begin = hunk.old, hunk.new, 0
            for at, row in enumerate((*hunk.rows, None)):
                if row is not None and row.hidden:
                    return None
                near = signs[max(0, at - context) : at + context + 1].strip()
                if row is not None and (
                    row.sign != " " or (near and len(row.text) <= _NARROW)
                ):
                    continue
                # The rows up to one of context that is left out.
                gone = at - begin - signs.count("+", begin, at)
                come = at - begin - signs.count("-", begin, at)
                if begin < at:
                    hunks.append(DiffHunk(old, gone, new, come, hunk.rows[begin:at]))
                old, new, begin = old + gone + 1, new + come + 1, at + 1
        if not hunks:
            return self.text
        says_more = (
            self.old_name != self.new_name
            or len({self.mode_before, self.mode_after, None}) > 2
        )
        header = self.header if says_more and self.old_name and self.new_name else ""
        return header + self._text_of(hunks)


@dataclass(frozen=True, slots=True)
class LostContent:
    """What goes with its whole content: a file or a link; or a folder (its path ends in `/`) with all its files.

    `size` is in bytes.
    """

    path: str
    files: int
    size: int

    @property
    def text(self) -> str:
        """``docs/ (1,204 files, 34.2 MB)``."""
        files = f"{pluralize(self.files, 'file')}, " if self.path.endswith("/") else ""
        return f"{self.path} ({files}{format_size(self.size)})"


@dataclass(frozen=True, slots=True)
class Diff:
    """The diffs of files, in order; of `more` files there is none.

    Of what is yet to be done, `lost` says what is deleted or overwritten, however much of it is shown.
    """

    files: tuple[FileDiff, ...] = ()
    omitted_files: int = 0
    lost: tuple[LostContent, ...] = ()

    @classmethod
    def join(cls, diffs: Sequence[Diff]) -> Diff:
        """Several as one."""
        files = tuple(file for diff in diffs for file in diff.files)
        return cls(
            files,
            sum(diff.omitted_files for diff in diffs),
            tuple(lost for diff in diffs for lost in diff.lost),
        )

    @classmethod
    def from_json(cls, text: str) -> Diff:
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
        return "".join(
            [*(file.text for file in self.files if not file.is_omitted), self.remark]
        )

    @property
    def remark(self) -> str:
        """A line that says how many files are not shown, or nothing."""
        more = self.omitted_files + sum(file.is_omitted for file in self.files)
        return f"... {pluralize(more, 'more file')} not shown\n" if more else ""

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
        return bool(self.omitted_files) or any(file.truncated for file in self.files)

    @property
    def all_counted(self) -> bool:
        """Whether the counts are of all there is."""
        return not self.omitted_files and all(file.all_counted for file in self.files)


def build_file_diff(
    name_before: str | None,
    name_after: str | None,
    before: Snapshot,
    splices: Sequence[Splice],
    *,
    max_lines: int = 400,
    line_chars: int = 1_000,
    start: int = 0,
    mode_before: int | None = None,
    mode_after: int | None = None,
    copied: bool = False,
) -> FileDiff:
    """The diff of `before` with ordered `splices` applied.

    None for a name before is a new file, None after a deleted one (its splices then remove everything);
    names that differ are a rename, or a copy if `copied`. At most `max_lines` rows and about
    `line_chars` characters of a line are given, of the changes from the offset `start` on, which is the `next` of an
    earlier window; with 0 rows its lines are counted alone.
    """
    made = FileDiff(name_before, name_after, (), mode_before, mode_after, copied)
    if before.encoding.width > 1:
        before, splices = _in_utf8(before, splices)
    first = next(iter(splices), None)
    if (
        before.binary is not None
        or before.encoding.width != 1
        or (first and first.length == before.size and b"\0" in first.replacement[:8192])
    ):
        changed = (
            bool(splices) or name_before != name_after or mode_before != mode_after
        )
        return replace(made, binary=changed, added=None, removed=None)
    hunks: list[DiffHunk] = []
    pending: list[LineReplacement] = []
    added = removed = more = floor = come = rows = 0
    room, going, all_counted = max_lines, None, True
    for index, edit in enumerate(chain(touched(before, splices), [None])):
        if edit is not None and index == _COUNTED:
            all_counted = False
            more += sum(splice.offset >= edit.offset for splice in splices)
            edit = None
        if pending:
            full = (
                edit is not None
                and edit.number == pending[0].number
                and edit.line - pending[0].line + len(edit.old) + come + len(edit.new)
                > room
            )
            if full or edit is None or edit.number != pending[0].number:
                stop = before.size if edit is None else edit.offset
                hunks.append(_hunk(before, pending, room, line_chars, floor, stop))
                rows += len(hunks[-1].rows)
                room = (
                    0 if full else max_lines - rows
                )  # the hunk goes on in the next window
                floor, come, pending = pending[-1].end, 0, []
        if edit is None:
            break
        if edit.offset >= start and room > 0:
            pending.append(edit)
            come += len(edit.new)
        elif edit.offset >= start:
            going = edit.offset if going is None else going
            more += 1
        if not pending:
            floor = edit.end
        added += edit.new_count
        removed += edit.old_count
    return replace(
        made,
        hunks=tuple(hunks),
        added=added,
        removed=removed,
        omitted_changes=more,
        all_counted=all_counted,
        next_offset=going,
        row_count=rows,
    )


def group_into_hunks(
    before: Snapshot, splices: Sequence[Splice]
) -> list[list[LineReplacement]]:
    """What `splices` change, by the hunks that `unified` shows it in."""
    return [
        list(hunk)
        for _, hunk in groupby(touched(before, splices), key=lambda edit: edit.number)
    ]


def find_splices(before: Snapshot, after: Snapshot | bytes) -> tuple[Splice, ...]:
    """The splices of whole lines that turn `before` into `after`, both held.

    A file too large to be held is one splice of all of it.
    """
    target = after if isinstance(after, bytes) else after.read(0, after.size)
    if before.held is None:
        return (Splice(0, before.size, target),)
    return find_line_splices(before.held, target)


def compare_cells(
    before: bytes, after: bytes
) -> tuple[Snapshot, Sequence[Splice]] | None:
    """A change of a notebook as one of the text of its cells; nothing at all is one without cells.

    None for what is none, and where only what cells have put out differs: of that the file itself says more.
    """
    one, two = (viewed_by_cells(Snapshot(content)) for content in (before, after))
    if (
        any(page.size and not isinstance(page, NotebookView) for page in (one, two))
        or one.held == two.held
    ):
        return None
    return one, find_splices(one, two)


def _git_mode(mode: int | None) -> str:
    if mode is None:
        mode = 0o644
    return f"{mode if mode > 0o7777 else mode | 0o100000:o}"


def _label(prefix: str, name: str | None) -> str:
    if name is None:
        return "/dev/null"
    if name.startswith('"'):
        return quote(prefix.encode() + b"/" + unquote(name))
    return f"{prefix}/{name}"


def _in_utf8(
    before: Snapshot, splices: Sequence[Splice]
) -> tuple[Snapshot, Sequence[Splice]]:
    """UTF-16 text, where it is held, as UTF-8; anything else as it is."""
    held = before.held
    if before.binary is not None or held is None:
        return before, splices
    after = apply(held, splices)
    if len(held) % 2 or len(after) % 2:
        return before, splices
    narrow = Narrowed(before)
    return narrow.snapshot, find_line_splices(narrow.text(held), narrow.text(after))


def _hunk(
    before: Snapshot,
    edits: Sequence[LineReplacement],
    room: int,
    line_chars: int,
    floor: int,
    stop: int,
) -> DiffHunk:
    """The hunk of consecutive edits with its context, which begins at `floor` at the earliest and ends by `stop`."""
    first, end = edits[0], edits[-1].end
    position, above = first.offset, 0
    while above < min(_CONTEXT, first.line - 1):
        begin = before.lines.begin(position - 1)
        if position - begin > PEEK_BYTES or begin < floor:
            break
        position, above = begin, above + 1
    for _ in range(_CONTEXT):
        if end >= stop or (after := before.lines.end(end)) - end > PEEK_BYTES:
            break
        end = after
    rows: list[DiffRow] = []
    old, new = begun = first.line - above, first.new_line - above
    for edit in (*edits, None):
        upto = end if edit is None else edit.offset
        for line in before.read(position, upto - position).splitlines(keepends=True):
            rows.append(_row(before, " ", line, old, new))
            old, new = old + 1, new + 1
        if edit is not None:
            rows += _changed(before, edit, room, line_chars)
            old, new, position = old + edit.old_count, new + edit.new_count, edit.end
    for at, row in enumerate(rows):
        if len(row.text) > line_chars:
            rows[at] = replace(row, text=truncate_line(row.text, line_chars))
    return DiffHunk(
        begun[0], old - begun[0], begun[1], new - begun[1], tuple(rows), first.number
    )


def _changed(
    before: Snapshot, edit: LineReplacement, room: int, line_chars: int
) -> list[DiffRow]:
    """The rows of one edit, both sides cut alike where the room cannot hold them."""
    fit_old = min(len(edit.old), max(room // 2, room - len(edit.new)))
    fit_new = min(len(edit.new), max(0, room - fit_old))
    several = before.held is not None
    if not several:  # only where lines have different terminators is a large file counted for its usual one
        ends = {line[len(line.rstrip(b"\r\n")) :] for line in (*edit.old, *edit.new)}
        several = len(ends - {b""}) > 1
    usual = before.dominant if several else None
    gone, come = (
        enumerate(edit.old[:fit_old], edit.line),
        enumerate(edit.new[:fit_new], edit.new_line),
    )
    removed = [_row(before, "-", line, at, None, usual) for at, line in gone]
    added = [_row(before, "+", line, None, at, usual) for at, line in come]
    if len(edit.old) == len(edit.new):
        for at, (one, two) in enumerate(zip(removed, added, strict=False)):
            if (
                one.text == two.text
                or max(len(one.text), len(two.text)) <= line_chars + 40
            ):
                continue
            # Two long lines are cut alike to the part that differs.
            chars = enumerate(zip(one.text, two.text, strict=False))
            shorter = min(len(one.text), len(two.text))
            start = max(
                0,
                next((at for at, (a, b) in chars if a != b), shorter) - line_chars // 2,
            )
            if start > 40:
                lead = f"[{start:,} characters] …"
                removed[at] = replace(one, text=lead + one.text[start:])
                added[at] = replace(two, text=lead + two.text[start:])
    if hidden := edit.old_count - fit_old:
        removed.append(DiffRow("-", "", edit.line + fit_old, None, hidden=hidden))
    if hidden := edit.new_count - fit_new:
        added.append(DiffRow("+", "", None, edit.new_line + fit_new, hidden=hidden))
    return removed + added


def truncate_line(text: str, limit: int) -> str:
    """`text`, or its first `limit` characters and how many follow."""
    if len(text) <= limit + 40:
        return text
    return f"{text[:limit]}… [{len(text) - limit:,} more characters]"


def _row(
    before: Snapshot,
    sign: Sign,
    line: bytes,
    old: int | None,
    new: int | None,
    usual: bytes | None = None,
) -> DiffRow:
    """One line of a diff, marked where it does not end as is `usual`."""
    body = line.rstrip(b"\r\n")
    terminator = line[len(body) :]
    mark = _MARKS.get(terminator, "") if usual not in (None, terminator) else ""
    return DiffRow(
        sign,
        to_one_line(body.decode(before.encoding.name, "replace")),
        old,
        new,
        mark,
        not terminator,
    )


# The lines that splices touch


@dataclass(frozen=True, slots=True)
class LineReplacement:
    """Consecutive old lines replaced by new ones. `offset`, `end`: the old bytes; `line`, `new_line`: 1-based.

    `number` is that of the hunk it is shown in.
    """

    offset: int
    end: int
    line: int
    old: list[bytes]
    new: list[bytes]
    old_count: int
    new_count: int
    new_line: int = 0
    number: int = 0


def touched(before: Snapshot, splices: Iterable[Splice]) -> Iterator[LineReplacement]:
    """The changed lines of each region that splices touch, in order, by hunks."""
    last: LineReplacement | None = None
    number = grown = 0
    left = iter(splices)
    splice = next(left, None)
    while splice is not None:
        start = min(before.lines.begin(splice.offset - 1), splice.offset)
        end, group = splice.offset, []
        # Lines are asked for where a splice leaves those of the group, not at every splice of a long line.
        while splice is not None and splice.offset <= end:
            group.append(splice)
            if splice.end >= end:
                end = max(end, before.lines.end(splice.end))
            splice = next(left, None)
        for edit in _compared(before, group, start, end):
            if (
                last is None
                or edit.line - last.line - last.old_count > 2 * _CONTEXT
                or edit.offset - last.end > 1 << 20
            ):
                number += 1
            last = replace(edit, new_line=edit.line + grown, number=number)
            yield last
            grown += edit.new_count - edit.old_count


def _compared(
    before: Snapshot, group: Sequence[Splice], start: int, end: int
) -> Iterator[LineReplacement]:
    """The changed lines of one region."""
    number = before.lines.line_at(start)
    left, moved = _COMPARED - end + start, []
    for splice in group:
        left -= len(splice.replacement)
        if left < 0:
            yield _glimpse(before, group, start, end, number)
            return
        moved.append(replace(splice, offset=splice.offset - start))
    data = before.read(start, end - start)
    fresh = apply(data, moved)
    bom = before.encoding.bom
    if start == 0 and data.startswith(bom) and fresh.startswith(bom):
        data, fresh, start = data[len(bom) :], fresh[len(bom) :], len(bom)
    for line, at, old, new in find_replacements(data, fresh):
        offset = start + at
        yield LineReplacement(
            offset,
            offset + sum(map(len, old)),
            number + line,
            old,
            new,
            len(old),
            len(new),
        )


def _glimpse(
    before: Snapshot, group: Sequence[Splice], start: int, end: int, number: int
) -> LineReplacement:
    """A region too large to compare: the beginnings of its first old and new lines."""
    near, first, line_at = (
        max(start, group[0].offset - 200),
        group[0],
        before.lines.line_at,
    )
    lead, ended = before.read(near, first.offset - near), before.dominant
    old, new = (
        [
            line if line.endswith((b"\n", b"\r")) else line + ended
            for line in text.splitlines(keepends=True)
        ]
        for text in (
            before.read(near, min(end - near, PEEK_BYTES)),
            lead + first.replacement[:PEEK_BYTES],
        )
    )
    gone = line_at(end) - number
    come = gone + sum(
        terminators_in(splice.replacement).total
        - line_at(splice.end)
        + line_at(splice.offset)
        for splice in group
        # Of a long line many splices hold no line's end, and to look for their lines takes long.
        if splice.length > PEEK_BYTES
        or not {*b"\r\n"}.isdisjoint(
            splice.replacement + before.read(splice.offset, splice.length)
        )
    )
    return LineReplacement(
        start, end, number, old, new, max(gone, len(old)), max(come, len(new))
    )
