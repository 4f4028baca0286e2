"""The report of an undo: conflicts that refuse it, merged files, and notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NoReturn, Self

from filewright.changes.selection import Selection
from filewright.errors import Code, FilewrightError
from filewright.hints import Hint
from filewright.wording import join_limited, to_one_line

_SHOWN_LINES = 12
"""Lines that are shown of one side of a conflict."""
_SHOWN_CHARS = 200
"""Characters that are shown of such a line."""
_SHOWN_CONFLICTS = 10
_MAX_NAMED_FILES = 10
"""Merged files that a note names."""
_MAX_QUOTED_LINES = 6
"""Places of later changes that a note names of a file, and those with their text."""
_QUOTED_CHARS = 40
"""The length of such a text."""
_MAX_LISTED = 200
"""Conflicts that a refusal lists in its details, and notes of an undo."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """The reason why a file cannot be given back.

    `lines` are the first and the last line of the file where a merge conflicts, `now`
    what they are, and `then` what the undo would make of them.
    """

    path: str
    why: str
    lines: tuple[int, int] | None = None
    now: str | None = None
    then: str | None = None

    @property
    def at(self) -> str:
        """The lines, for users."""
        if self.lines is None:
            return ""
        first, last = self.lines
        return (
            f" (line {first})"
            if first == last
            else f" (lines {first} to {last})"
        )

    @property
    def sides(self) -> str:
        """Both sides, marked as git marks them."""
        if self.now is None:
            return f"\n{self.path} {self.why}"
        current, undone = (
            f"{side}\n" if side else "" for side in (self.now, self.then)
        )
        return (
            f"\n{self.path}{self.at}\n"
            f"<<<<<<< now\n{current}=======\n{undone}>>>>>>> undone"
        )

    def to_details(self) -> dict[str, Any]:
        """Return the fields for the details of an error."""
        return asdict(self) | {
            "lines": list(self.lines) if self.lines else None
        }


@dataclass(frozen=True, slots=True)
class LaterLines:
    """Lines of a later change, the first text in them, which may be cut, and its author."""

    first: int
    last: int
    text: str = ""
    author: str = ""

    @classmethod
    def of(cls, first: int, lines: Sequence[bytes]) -> Self:
        """Return lines that begin with number `first`."""
        text = ""
        for line in lines:
            text = to_one_line(line.decode(errors="replace").strip())
            if text:
                break
        if len(text) > _QUOTED_CHARS:
            text = f"{text[: _QUOTED_CHARS - 1]}…"
        return cls(first, first + len(lines) - 1, text)

    @property
    def span(self) -> str:
        """The line numbers."""
        if self.last == self.first:
            return f"{self.first}"
        return f"{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class UndoReport:
    """The result of working out an undo.

    `merged` are the files in which later changes were kept by a three-way merge,
    `notes` are for the user, and `conflicts` have refused the undo. `left_conflicts` are
    of lines that stay as they are in files that are undone otherwise. `divisible_paths`
    are the refused files that could be undone in the same way. `later_lines` are the
    lines of later changes in merged files.
    """

    merged: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    left_conflicts: tuple[Conflict, ...] = ()
    divisible_paths: frozenset[str] = frozenset()
    later_lines: Mapping[str, Sequence[LaterLines]] = field(
        default_factory=dict
    )

    def with_authors(
        self, find_author: Callable[[str, LaterLines], str]
    ) -> UndoReport:
        """Return the report with the authors of the lines that its note quotes.

        `find_author` has a path and lines of it.
        """
        if not _are_quoted(self.later_lines):
            return self
        authored: dict[str, Sequence[LaterLines]] = {}
        for path, later_lines in self.later_lines.items():
            authored[path] = [
                replace(lines, author=find_author(path, lines))
                for lines in later_lines
            ]
        plain_note = _describe_merged(self.later_lines)
        notes = [
            _describe_merged(authored) if note == plain_note else note
            for note in self.notes
        ]
        return replace(self, notes=tuple(notes), later_lines=authored)


class FileRefusedError(Exception):
    """One file cannot be given back; its conflict is in the report."""


class ReportBuilder:
    """Collects the report while an undo is worked out."""

    def __init__(self) -> None:
        self._merged: dict[str, Sequence[LaterLines]] = {}
        self._grown: dict[str, None] = {}
        self._notes: dict[str, None] = {}
        self._conflicts: dict[tuple[str, int], Conflict] = {}
        self._refused_paths: set[str] = set()
        self._divisible_paths: set[str] = set()

    @property
    def conflict_count(self) -> int:
        """The number of conflicts so far."""
        return len(self._conflicts)

    def add_note(self, note: str) -> None:
        """Add a note for the user, once."""
        self._notes[note] = None

    def add_merged(
        self, path: str, later_lines: Sequence[LaterLines] = ()
    ) -> None:
        """Add a merged file, with the lines of later changes as they are after the merge.

        A file that is merged several times has the lines of the last merge, which has
        those of all later changes.
        """
        self._merged[path] = later_lines

    def add_grown(self, path: str) -> None:
        """Add a file with text that was appended since, and that stays."""
        self._grown[path] = None

    def add_merge_conflict(
        self,
        path: str,
        lines: tuple[int, int],
        current_lines: Sequence[bytes],
        undone_lines: Sequence[bytes],
    ) -> None:
        """Add a conflict of a merge, at the first and last of the lines."""
        self._conflicts[path, lines[0]] = Conflict(
            path,
            "has changed since in the same lines",
            lines,
            _excerpt(current_lines),
            _excerpt(undone_lines),
        )

    def refuse(self, path: str, why: str) -> NoReturn:
        """Add a conflict of a whole file, and raise `FileRefusedError`."""
        # The first reason stays: later ones tend to follow from it.
        self._conflicts.setdefault((path, 0), Conflict(path, why))
        self._refused_paths.add(path)
        self._divisible_paths.discard(path)
        raise FileRefusedError

    def refuse_merge(self, path: str, *, is_divisible: bool) -> NoReturn:
        """Refuse a file by the conflicts of its merge: raise `FileRefusedError`."""
        self._refused_paths.add(path)
        if is_divisible:
            self._divisible_paths.add(path)
        raise FileRefusedError

    def build(self) -> UndoReport:
        """Return the report."""
        conflicts: list[Conflict] = []
        left_conflicts: list[Conflict] = []
        for conflict in self._conflicts.values():
            if conflict.path in self._refused_paths:
                conflicts.append(conflict)
            else:
                left_conflicts.append(conflict)
        notes = [*self._notes]
        # A note for each file would be as long as their diffs.
        if self._merged:
            notes.append(_describe_merged(self._merged))
        if self._grown:
            files = join_limited([*self._grown], _MAX_NAMED_FILES, noun="file")
            notes.append(f"{files}: text added at the end since stays")
        return UndoReport(
            merged=(*self._merged, *self._grown),
            notes=tuple(notes)[:_MAX_LISTED],
            conflicts=tuple(conflicts),
            left_conflicts=tuple(left_conflicts),
            divisible_paths=frozenset(self._divisible_paths),
            later_lines=dict(self._merged),
        )


def _describe_merged(
    lines_by_path: Mapping[str, Sequence[LaterLines]],
) -> str:
    """Return the note on merged files."""
    places = _name_places(lines_by_path)
    files = join_limited(places, _MAX_NAMED_FILES, "; ", noun="file")
    return f"later changes stay (merged): {files}"


def _are_quoted(lines_by_path: Mapping[str, Sequence[LaterLines]]) -> bool:
    """Return True if the note has the texts of lines: there are few."""
    count = sum(len(later_lines) for later_lines in lines_by_path.values())
    return count <= _MAX_QUOTED_LINES


def _name_places(
    lines_by_path: Mapping[str, Sequence[LaterLines]],
) -> list[str]:
    """Return each path with its lines; few lines have the beginning of their text."""
    are_quoted = _are_quoted(lines_by_path)
    places: list[str] = []
    for path, later_lines in lines_by_path.items():
        spans: list[str] = []
        for lines in later_lines[:_MAX_QUOTED_LINES]:
            span = lines.span
            if are_quoted and lines.text:
                span += f" {lines.text}"
            if lines.author:
                span += f" ({lines.author})"
            spans.append(span)
        if len(later_lines) > len(spans):
            spans.append(f"and {len(later_lines) - len(spans)} more")
        places.append(":".join([path, ", ".join(spans)] if spans else [path]))
    return places


def _excerpt(lines: Sequence[bytes]) -> str:
    """Return the first of some lines, safe to be shown."""
    excerpt_lines: list[str] = []
    # On one line each: control characters of a file must not reach a terminal or model.
    for line in lines[:_SHOWN_LINES]:
        text = line.decode(errors="replace").rstrip("\r\n")
        excerpt_lines.append(to_one_line(text)[:_SHOWN_CHARS])
    if len(lines) > _SHOWN_LINES:
        excerpt_lines.append(f"... {len(lines) - _SHOWN_LINES:,} more lines")
    return "\n".join(excerpt_lines)


@dataclass(frozen=True, slots=True)
class WaysOut:
    """The next steps that work after an undo was refused.

    `by_part`: other lines or files can be undone without those of the conflicts.
    `by_later_changes`: the history has later changes of a file in conflict.
    `by_force`: the earlier content can be put over what is there.
    """

    by_part: bool
    by_later_changes: bool
    by_force: bool

    def describe(self) -> Hint:
        """Return the hint of an undo with conflicts."""
        return Hint(
            self._describe(
                partial="partial=true",
                force="force=true",
                log="get_history",
                show="get_history with change_id",
            ),
            shell=self._describe(
                partial="--partial",
                force="--force",
                log="filewright log",
                show="filewright show CHANGE",
            ),
        )

    def _describe(
        self, *, partial: str, force: str, log: str, show: str
    ) -> str:
        """Return the hint with the names of arguments and tools."""
        ways: list[str] = []
        if self.by_part:
            ways.append(f"give {partial} to undo everything else")
        if self.by_later_changes:
            ways.append(
                f"undo the later changes of that file first ({log} lists them)"
            )
        ways.append(
            f"show this change's diff ({show}) and edit the file by hand"
        )
        if self.by_force:
            ways.append(
                f"give {force} to overwrite later changes with the earlier "
                "content"
            )
        text = ", ".join(ways[:-1])
        return f"{text}, or {ways[-1]}" if text else ways[-1]


def build_refusal(
    selection: Selection, conflicts: Sequence[Conflict]
) -> FilewrightError:
    """Return the error of an undo with conflicts, without its hint."""
    first = conflicts[0]
    file_count = len({conflict.path for conflict in conflicts})
    more = f", and {file_count - 1} more" if file_count > 1 else ""
    sides = "".join(conflict.sides for conflict in conflicts[:_SHOWN_CONFLICTS])
    return FilewrightError(
        Code.STALE_VERSION,
        f"{selection.description} cannot be undone: {first.path} {first.why}{first.at}"
        f"{more}; nothing was changed{sides}",
        details={
            **selection.details,
            "conflicts": [
                conflict.to_details() for conflict in conflicts[:_MAX_LISTED]
            ],
            "conflict_count": len(conflicts),
        },
    )
