"""Decisions of the person about hunks and files: accepted, undone, or open.

The key of a hunk is made of its lines with the context around them, the key of a file
of its states before and after. So a decision shows wherever the same content does, and
lapses when that content changes again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from filewright.changes.model import FileChange, FileState
from filewright.edit.diff import DiffHunk, FileDiff
from filewright.mailbox.marks import Mark

_KEY_BYTES = 16


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions that hold now, by the keys of contents."""

    marks: Mapping[str, Mark]

    @classmethod
    def in_effect(
        cls, marks: Mapping[str, Mark], undone: Mapping[str, str]
    ) -> Decisions:
        """Return the marks without those of undos that were undone themselves."""
        return cls(
            {
                key: mark
                for key, mark in marks.items()
                if mark.undo_id is None or mark.undo_id not in undone
            }
        )

    def of(self, key: str) -> str:
        """Return `accepted`, `undone`, or an empty text for open content."""
        mark = self.marks.get(key)
        if mark is None:
            return ""
        return "accepted" if mark.undo_id is None else "undone"

    @property
    def paths(self) -> frozenset[str]:
        """The paths of files with a decision about any of their content."""
        return frozenset(mark.path for mark in self.marks.values())


NO_DECISIONS = Decisions({})


def file_key(change: FileChange) -> str:
    """Return the key of a file: its path, and its states before and after."""
    states = [_describe_state(change.before), _describe_state(change.after)]
    former_parts = change.renamed_from.parts if change.renamed_from else ()
    return _digest("file", change.path, former_parts, states)


def hunk_keys(
    change: FileChange, diff: FileDiff, line_chars: int
) -> Sequence[str]:
    """Return the keys of the hunks of a diff of the file, in order."""
    keys: list[str] = []
    occurrences: dict[str, int] = {}
    for hunk in diff.hunks:
        key = _hunk_key(change, hunk, line_chars)
        # Several hunks may hold the same lines: each needs a decision of its own.
        occurrence = occurrences.get(key, 0)
        occurrences[key] = occurrence + 1
        keys.append(f"{key}.{occurrence}" if occurrence else key)
    return keys


def _hunk_key(change: FileChange, hunk: DiffHunk, line_chars: int) -> str:
    hashed_lines: list[object] = []
    shows_all = True
    for row in hunk.rows:
        hashed_lines.append(
            (row.sign, row.text, row.mark, row.unended, row.hidden)
        )
        if row.hidden or len(row.text) > line_chars:
            shows_all = False
    if not shows_all:
        # The diff does not show all of its content, so its place in these two versions
        # stands for it.
        hashed_lines += [hunk.number, file_key(change)]
    return _digest("hunk", change.path, hashed_lines)


def _describe_state(state: FileState | None) -> object:
    if state is None:
        return None
    content = state.digest or (state.size, state.mtime_ns)
    return (state.kind, state.mode, content, state.link_target)


def _digest(*values: object) -> str:
    text = repr(values).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=_KEY_BYTES).hexdigest()
