"""Diffs as values, and their text.

A `Diff` holds the diffs of files. The rows of a file end at a budget, and go on in
another window of the same diff; its counts are of the whole change. Text, page and JSON
are renderings of it. A text that was cut says so in a line that no patch parser
accepts, so that it is never applied by mistake. All line numbers count from 1.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Literal

from filewright.boundary.names import quote, unquote
from filewright.wording import format_size, pluralize

Sign = Literal[" ", "-", "+"]

_MAX_BRIEF_CONTEXT_CHARS = 120
"""A line of context that is longer is left out of a brief diff."""
TRUNCATION_TOLERANCE = 40
"""A line that is so many characters too long is not truncated: the remark is as long."""


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One line of a diff.

    `text` has no line end. `old` and `new` are its line numbers (from 1) before and
    after; an added line has no old one, a removed line no new one. `mark` shows a line
    end unlike the others of its file, and `unended` says that there is none. With
    `hidden`, the row has no text and stands for so many removed or added lines.
    """

    sign: Sign
    text: str
    old: int | None
    new: int | None
    mark: str = ""
    unended: bool = False
    hidden: int = 0

    @property
    def line(self) -> int:
        """The line number before of a removed line, else the one after."""
        return (self.old if self.sign == "-" else self.new) or 0

    @property
    def diff_text(self) -> str:
        """The row in a unified diff, with its line end."""
        if self.hidden:
            verb = "removed" if self.sign == "-" else "added"
            return (
                f"... {pluralize(self.hidden, f'more {verb} line')} not shown\n"
            )
        line = f"{self.sign}{self.text}{self.mark}\n"
        return f"{line}\\ No newline at end of file\n" if self.unended else line


@dataclass(frozen=True, slots=True)
class DiffHunk:
    """Rows of a diff that belong together.

    `old` and `new` are their first lines (from 1) before and after, and the counts how
    many there are. `number` counts the hunks of a file from 1; a hunk that goes on in
    another window has the same number there.
    """

    old: int
    old_count: int
    new: int
    new_count: int
    rows: tuple[DiffRow, ...]
    number: int = 1

    @property
    def diff_text(self) -> str:
        """The hunk in a unified diff, with its header; it ends with a newline."""
        old_span = _format_span(self.old, self.old_count)
        new_span = _format_span(self.new, self.new_count)
        lines = [f"@@ -{old_span} +{new_span} @@\n"]
        lines += [row.diff_text for row in self.rows]
        return "".join(lines)

    @property
    def short_text(self) -> str:
        """The hunk below one line number, if that says as much as its header."""
        has_context = any(row.sign == " " for row in self.rows)
        is_in_place = (self.old, self.old_count) == (self.new, self.new_count)
        if has_context or not is_in_place:
            return self.diff_text
        return "".join(
            [f"{self.new}:\n", *(row.diff_text for row in self.rows)]
        )

    def narrow(
        self, context: int, loose_lines: Sequence[range] | None = None
    ) -> list[DiffHunk]:
        """Return the hunk with at most `context` rows of context around each change.

        With `loose_lines`, which are ranges of lines afterwards, lines that replace
        others have context only in these ranges, and lines that are only inserted have a
        row of context at least. Long rows of context are left out too. What remains may be
        several hunks, which have the number 1, as they are only rendered.
        """
        near = self._rows_near_changes(context, loose_lines)
        return [hunk for is_near, hunk in self._divide(near) if is_near]

    def split_off(
        self, removed: Sequence[range], added: Sequence[range]
    ) -> tuple[list[DiffHunk], list[DiffRow]]:
        """Return what is left without removed and added lines in ranges, and those lines."""
        omitted: set[int] = set()
        for sign, ranges in (("-", removed), ("+", added)):
            omitted |= self._rows_in_ranges(sign, ranges)
        hunks: list[DiffHunk] = []
        for is_omitted, hunk in self._divide(omitted):
            if not is_omitted and any(row.sign != " " for row in hunk.rows):
                hunks.append(hunk)
        return hunks, [self.rows[index] for index in sorted(omitted)]

    def _divide(self, indexes: set[int]) -> Iterator[tuple[bool, DiffHunk]]:
        """Yield each run of rows in `indexes`, and each run of the others, as a hunk."""
        old_line, new_line = self.old, self.new
        for is_inside, group in groupby(
            range(len(self.rows)), key=indexes.__contains__
        ):
            rows = tuple(self.rows[index] for index in group)
            old_count = sum(row.sign != "+" for row in rows)
            new_count = sum(row.sign != "-" for row in rows)
            yield (
                is_inside,
                DiffHunk(old_line, old_count, new_line, new_count, rows),
            )
            old_line, new_line = old_line + old_count, new_line + new_count

    def _rows_in_ranges(self, sign: str, ranges: Sequence[range]) -> set[int]:
        """Return the indexes of removed or added rows whose lines are in ranges."""
        indexes: set[int] = set()
        for row_sign, group in groupby(
            range(len(self.rows)), key=lambda index: self.rows[index].sign
        ):
            if row_sign != sign:
                continue
            run = [*group]
            if _is_shifted([self.rows[index] for index in run], ranges):
                indexes.update(run)
                continue
            for index in run:
                row = self.rows[index]
                is_inside = any(row.line in lines for lines in ranges)
                if is_inside and not row.hidden:
                    indexes.add(index)
        return indexes

    def _rows_near_changes(
        self, context: int, loose_lines: Sequence[range] | None
    ) -> set[int]:
        """Return the indexes of the rows that change, and of those to show around them."""
        near: set[int] = set()
        for changes, group in groupby(
            range(len(self.rows)),
            key=lambda index: self.rows[index].sign != " ",
        ):
            if not changes:
                continue
            indexes = [*group]
            near.update(indexes)
            run = [self.rows[index] for index in indexes]
            if loose_lines is not None and _is_plain_replacement(
                run, loose_lines
            ):
                continue
            reach = context
            # New lines are located by the lines around them.
            if loose_lines is not None and all(row.sign == "+" for row in run):
                reach = max(1, context)
            first = max(0, indexes[0] - reach)
            last = min(len(self.rows) - 1, indexes[-1] + reach)
            for index in range(first, last + 1):
                row = self.rows[index]
                if (
                    row.sign == " "
                    and len(row.text) <= _MAX_BRIEF_CONTEXT_CHARS
                ):
                    near.add(index)
        return near


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The change of one file.

    `old_name` is its name before (None: it is created), and `new_name` after (None: it
    is deleted), as results show them. Modes are permission bits. `added` and `removed`
    count all lines that change, shown or not; they are None for a file that is no text.
    `omitted_changes` counts changes behind the last hunk, of which the first is at
    offset `next_offset`; `all_counted` tells that their lines are counted too. `remark`
    is a line about what cannot be shown. `row_count` is the number of rows of all hunks.
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
        """The name of the file, or the one it had."""
        return self.new_name or self.old_name or ""

    @property
    def has_new_header(self) -> bool:
        """True if name or mode change."""
        return (
            self.old_name != self.new_name
            or self.mode_before != self.mode_after
        )

    @property
    def action(self) -> str:
        """One word for the change, as for a recorded change."""
        if self.old_name is None:
            return "created"
        if self.new_name is None:
            return "deleted"
        if self.old_name != self.new_name:
            return "copied" if self.is_copy else "moved"
        has_content_change = self.hunks or self.binary or self.omitted_changes
        if has_content_change or self.mode_before == self.mode_after:
            return "modified"
        return "attributes"

    @property
    def truncated(self) -> bool:
        """True if anything was left out."""
        if self.omitted_changes:
            return True
        return any(row.hidden for hunk in self.hunks for row in hunk.rows)

    @property
    def is_omitted(self) -> bool:
        """True if there are changes, and none of them is shown."""
        return bool(self.omitted_changes) and not self.hunks

    @property
    def header(self) -> str:
        """The lines that git writes above a file's hunks, before "---"."""
        old_label = _label("a", self.old_name or self.new_name)
        header = f"diff --git {old_label} {_label('b', self.path)}\n"
        if self.old_name is None:
            return f"{header}new file mode {_git_mode(self.mode_after)}\n"
        if self.new_name is None:
            return f"{header}deleted file mode {_git_mode(self.mode_before)}\n"
        if self._has_new_mode:
            header += f"old mode {_git_mode(self.mode_before)}\n"
            header += f"new mode {_git_mode(self.mode_after)}\n"
        if self.old_name != self.new_name:
            verb = "copy" if self.is_copy else "rename"
            header += (
                f"{verb} from {self.old_name}\n{verb} to {self.new_name}\n"
            )
        return header

    @property
    def text(self) -> str:
        """The diff in git's style, with its remarks; empty if nothing differs.

        It ends with a newline.
        """
        if self.binary:
            names = (
                f"{_label('a', self.old_name)} and {_label('b', self.new_name)}"
            )
            return f"{self.header}Binary files {names} differ\n{self.remark}"
        if self.hunks:
            return self.header + self._format_hunks(self.hunks)
        if self.has_new_header or self.remark:
            return self.header + self.remark
        return ""

    def brief(self, context: int) -> str | None:
        """Return the text with at most `context` rows around changes, and none long.

        Git's lines are left out if they say no more than the names below them. Return
        None if anything of the diff was left out already.
        """
        if self.truncated:
            return None
        hunks = self._narrow_hunks(context)
        if not hunks:
            return self.text
        return self._brief_header + self._format_hunks(hunks)

    def short(
        self, context: int, *, loose_lines: Sequence[range] = ()
    ) -> str | None:
        """Return the hunks for an answer that names the file above them.

        Lines that replace as many others are below their number, without a header.
        Lines that replace others have context only in `loose_lines`, which are ranges of
        lines afterwards; inserted lines always have some. Return None if anything of the diff was left out already.
        """
        if self.truncated:
            return None
        hunks = self._narrow_hunks(context, loose_lines)
        if not hunks:
            return self.text
        texts = [hunk.short_text for hunk in hunks]
        return "".join([self._brief_header, *texts, self.remark])

    def with_path(self, short: str) -> str:
        """Return the text of `short` below the path of the file."""
        if short.startswith("diff --git "):
            return short
        separator = "" if short[:1].isdecimal() else "\n"
        return f"{self.path}:{separator}{short}"

    def adds(self, texts: Sequence[str], lines: range) -> bool:
        """Return True if all that is added in a range of lines are lines of a text."""
        requested = set(texts)
        return all(
            row.text in requested
            for hunk in self.hunks
            for row in hunk.rows
            if row.sign == "+" and row.line in lines
        )

    def takes_back(self, other: FileDiff) -> bool:
        """Return True if each replacement is one of another diff, the other way round.

        Both diffs must be whole. Where the lines are is not compared.
        """
        if not self.hunks or self.truncated or other.truncated:
            return False
        if self.has_new_header or other.has_new_header:
            return False
        inverse = Counter(
            (added, removed) for removed, added in other._replacements()
        )
        return Counter(self._replacements()) <= inverse

    def _replacements(
        self,
    ) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Yield the removed and the added lines of each place that changes."""
        for hunk in self.hunks:
            for changes, group in groupby(
                hunk.rows, key=lambda row: row.sign != " "
            ):
                if not changes:
                    continue
                rows = [*group]
                yield (
                    tuple(row.diff_text[1:] for row in rows if row.sign == "-"),
                    tuple(row.diff_text[1:] for row in rows if row.sign == "+"),
                )

    def without_lines(
        self, removed: Sequence[range], added: Sequence[range]
    ) -> FileDiff:
        """Return the diff without removed and added lines in ranges of line numbers.

        The hunks, which have the number 1, are only rendered.
        """
        hunks: list[DiffHunk] = []
        omitted_rows: list[DiffRow] = []
        for hunk in self.hunks:
            rest, omitted = hunk.split_off(removed, added)
            hunks += rest
            omitted_rows += omitted
        removed_count = sum(row.sign == "-" for row in omitted_rows)
        added_count = len(omitted_rows) - removed_count
        if self.truncated:
            # Rows that the budget left out are in the ranges too.
            removed_count = sum(len(lines) for lines in removed)
            added_count = sum(len(lines) for lines in added)
        return replace(
            self,
            hunks=tuple(hunks),
            added=max(0, (self.added or 0) - added_count),
            removed=max(0, (self.removed or 0) - removed_count),
            row_count=self.row_count - len(omitted_rows),
        )

    @property
    def _has_new_mode(self) -> bool:
        """True if both modes are known and differ."""
        if self.mode_before is None or self.mode_after is None:
            return False
        return self.mode_before != self.mode_after

    @property
    def _brief_header(self) -> str:
        """Git's lines, if they say more than the names of the file."""
        has_both_sides = self.old_name and self.new_name
        says_more = self.old_name != self.new_name or self._has_new_mode
        return self.header if has_both_sides and says_more else ""

    def _narrow_hunks(
        self, context: int, loose_lines: Sequence[range] | None = None
    ) -> list[DiffHunk]:
        """Return the hunks with at most `context` rows of context around changes."""
        hunks: list[DiffHunk] = []
        for hunk in self.hunks:
            hunks += hunk.narrow(context, loose_lines)
        return hunks

    def _format_hunks(self, hunks: Sequence[DiffHunk]) -> str:
        """Return the text below git's lines, with these hunks."""
        lines = [
            f"--- {_label('a', self.old_name)}\n",
            f"+++ {_label('b', self.new_name)}\n",
        ]
        lines += [hunk.diff_text for hunk in hunks]
        if self.omitted_changes:
            lines.append(
                f"... {pluralize(self.omitted_changes, 'more change')} not shown\n"
            )
        lines.append(self.remark)
        return "".join(lines)


@dataclass(frozen=True, slots=True)
class LostContent:
    """Content that is lost as a whole: of a file or a link, or of a folder's files.

    The path of a folder ends in "/". `files` counts its files, and `size` is their
    size in bytes.
    """

    path: str
    files: int
    size: int

    @property
    def text(self) -> str:
        """The path with counts, as ``docs/ (1,204 files, 34.2 MB)``."""
        if not self.path.endswith("/"):
            return f"{self.path} ({format_size(self.size)})"
        files = pluralize(self.files, "file")
        return f"{self.path} ({files}, {format_size(self.size)})"


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A file, link or folder that a change will touch, and the action on it.

    The path of a folder ends in "/". `previous_path` is set if it will be moved.
    """

    path: str
    action: str
    previous_path: str | None = None


@dataclass(frozen=True, slots=True)
class Diff:
    """The diffs of files, in order, and the number of files without one.

    For changes that are not made yet, `lost` names the content that is deleted or
    overwritten, and `planned` every file, however much of it is shown; beyond a bound,
    `unlisted` counts the files that it leaves out.
    """

    files: tuple[FileDiff, ...] = ()
    omitted_files: int = 0
    lost: tuple[LostContent, ...] = ()
    planned: tuple[PlannedFile, ...] = ()
    unlisted: int = 0

    @classmethod
    def join(cls, diffs: Sequence[Diff]) -> Diff:
        """Return several diffs as one."""
        return cls(
            files=tuple(file for diff in diffs for file in diff.files),
            omitted_files=sum(diff.omitted_files for diff in diffs),
            lost=tuple(lost for diff in diffs for lost in diff.lost),
            planned=tuple(file for diff in diffs for file in diff.planned),
            unlisted=sum(diff.unlisted for diff in diffs),
        )

    @classmethod
    def from_json(cls, text: str) -> Diff:
        """Return the diff that `json` wrote; raise `ValueError` for anything else."""
        from pydantic import TypeAdapter

        return TypeAdapter(cls).validate_json(text)

    @property
    def json(self) -> str:
        """The diff as JSON, for another process of filewright."""
        return json.dumps(asdict(self))

    @property
    def text(self) -> str:
        """The diffs of all files, in git's style."""
        texts = [file.text for file in self.files if not file.is_omitted]
        return "".join([*texts, self.remark])

    @property
    def remark(self) -> str:
        """A line that tells how many files are not shown, or nothing."""
        omitted = self.omitted_files + sum(
            file.is_omitted for file in self.files
        )
        if not omitted:
            return ""
        return f"... {pluralize(omitted, 'more file')} not shown\n"

    @property
    def added(self) -> int:
        """The number of lines added in the files."""
        return sum(file.added or 0 for file in self.files)

    @property
    def removed(self) -> int:
        """The number of lines removed in the files."""
        return sum(file.removed or 0 for file in self.files)

    @property
    def truncated(self) -> bool:
        """True if anything was left out."""
        return bool(self.omitted_files) or any(
            file.truncated for file in self.files
        )

    @property
    def all_counted(self) -> bool:
        """True if the counts are of all changes."""
        return not self.omitted_files and all(
            file.all_counted for file in self.files
        )


def truncate_line(text: str, max_chars: int) -> str:
    """Return `text`, or its first `max_chars` characters and how many follow."""
    if len(text) <= max_chars + TRUNCATION_TOLERANCE:
        return text
    return f"{text[:max_chars]}… [{len(text) - max_chars:,} more characters]"


def _is_shifted(rows: Sequence[DiffRow], ranges: Sequence[range]) -> bool:
    """Return True for the lines of a range, but for blank lines at its ends.

    A diff may show the blank line below a text instead of the one above it.
    """
    for lines in ranges:
        outside = [row for row in rows if row.line not in lines]
        if len(lines) != len(rows) or len(outside) == len(rows):
            continue
        if not any(row.text.strip() or row.hidden for row in outside):
            return True
    return False


def _is_plain_replacement(
    rows: Sequence[DiffRow], loose_lines: Sequence[range]
) -> bool:
    """Return True for rows that replace lines by others outside of the ranges."""
    if len({row.sign for row in rows}) < 2:
        return False
    return not any(
        row.new in lines for row in rows if row.new for lines in loose_lines
    )


def _format_span(first_line: int, count: int) -> str:
    """Return a span of lines as the header of a hunk has it."""
    if count == 1:
        return str(first_line)
    # A side without lines has the number of the line above, 0 at the start of a file:
    # diff and git write and expect it like that.
    return f"{first_line},{count}" if count else f"{first_line - 1},0"


def _git_mode(mode: int | None) -> str:
    # git's lines need a mode, and this one says nothing.
    if mode is None:
        mode = 0o644
    if mode <= 0o7777:
        mode |= 0o100000  # a regular file
    return f"{mode:o}"


def _label(prefix: str, name: str | None) -> str:
    if name is None:
        return "/dev/null"
    # git has the prefix within the quotes.
    if name.startswith('"'):
        return quote(prefix.encode() + b"/" + unquote(name))
    return f"{prefix}/{name}"
