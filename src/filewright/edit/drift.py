"""An edit of an earlier version of the file, carried over to the present version.

It is a three-way merge. The base is the version that the caller was shown, "ours" is the
file, and "theirs" is the base as the caller edits it. The edit is accepted if the merge is
clean; a conflict is refused with both sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from filewright.edit.attempt import splices_of_match
from filewright.edit.diff3 import (
    LineMerge,
    MergeChunk,
    merge_changes,
    merge_lines,
    slide_changes,
)
from filewright.edit.line_endings import choose_terminator, whole_lines_splice
from filewright.edit.linediff import (
    LineChange,
    diff_lines,
    splices_to_line_changes,
)
from filewright.edit.locate import locate
from filewright.edit.model import (
    ByteRange,
    EditMatch,
    NotLocated,
    SplicePart,
    Tier,
)
from filewright.edit.nearest import MAX_TEXT_CHARS, replace_undecodable
from filewright.edit.request import Edit, TextEdit
from filewright.edit.source import Source
from filewright.errors import Code
from filewright.text.lines import Line
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply_splices, sort_splices

MAX_MERGED_BYTES = 16 << 20
"""Larger files and larger versions are not merged."""

_MAX_SHOWN_CONFLICTS = 3
_MIN_TELLING_CHARS = 3
"""The letters and digits that a line must have to be recognised."""


def match_earlier_version(
    source: Source,
    edit: Edit,
    bases: Sequence[bytes],
    *,
    below: Tier = Tier.DRIFT,
) -> EditMatch | NotLocated | None:
    """Return the place of an edit of one of `bases`, or why it has none.

    `bases` are versions of the file that were shown before, newest first. The first one
    in which the search text occurs once, by a tier stricter than `below`, decides. None
    if there is no such base, or if the edit of a text changes nothing in it.
    """
    is_held = source.held is not None and source.size <= MAX_MERGED_BYTES
    is_text = isinstance(edit, TextEdit)
    if is_text and not is_held:
        return None
    for content in bases:
        base = source.version(content)
        # In the present version the edit has been located already.
        if base.held == source.held:
            continue
        if is_text and base.size > MAX_MERGED_BYTES:
            continue
        match = locate(base, edit)
        if not isinstance(match, EditMatch) or match.tier.rank >= below.rank:
            continue
        splices = sort_splices(splices_of_match(base, match), base.size)
        if splices:
            return _carry_over(source, match, base, splices)
        return None if is_text else NotLocated(edit, Code.NO_CHANGE)
    return None


def are_lines_in_place(
    source: Source, bases: Sequence[bytes], first_line: int, last_line: int
) -> bool:
    """Return True if lines have the same numbers and texts in all `bases` too.

    Then it does not matter in which of these versions a caller has counted them.
    """
    if source.size > MAX_MERGED_BYTES:
        return False
    lines = [row.body for row in source.rows()]
    for content in bases:
        base_lines = [row.body for row in source.version(content).rows()]
        # Among equal lines a diff cannot tell which one is new. From the other end it
        # chooses differently, and both must agree.
        changes = diff_lines(base_lines, lines)
        if not _keep_range(changes, first_line - 1, last_line):
            return False
        counts = Counter(base_lines) + Counter(lines)
        texts = {*lines[first_line - 1 : last_line]}
        texts = {text for text in texts if text.strip()} or texts
        repeated = {text for text in texts if counts[text] > 2}
        for change in changes:
            old = base_lines[change.start : change.end]
            new = lines[change.new_start : change.new_end]
            # One of their like may have come here, and the line itself have moved.
            if not repeated.isdisjoint([*old, *new]):
                return False
        changes = diff_lines(base_lines[::-1], lines[::-1])
        start = len(base_lines) - last_line
        growth = len(lines) - len(base_lines)
        end = start + last_line - first_line + 1
        if not _keep_range(changes, start, end, growth=growth):
            return False
    return True


def _keep_range(
    changes: Sequence[LineChange], start: int, end: int, *, growth: int = 0
) -> bool:
    """Return True if no change touches a range of lines, and those before it add `growth`."""
    for change in changes:
        if change.start >= end:
            break
        if change.end > start:
            return False
        growth -= change.growth
    return growth == 0


@dataclass(frozen=True, slots=True)
class _Version:
    """The lines of one version of a file, and their offsets; the last is its size."""

    rows: tuple[Line, ...]
    bodies: list[bytes]
    offsets: list[int]

    @classmethod
    def of(cls, source: Source) -> _Version:
        """Return the lines of a source."""
        rows = tuple(source.rows())
        bodies = [row.body for row in rows]
        return cls(rows, bodies, [*(row.offset for row in rows), source.size])


def _carry_over(
    source: Source,
    match: EditMatch,
    base_source: Source,
    splices: Sequence[Splice],
) -> EditMatch | NotLocated:
    """Return the place in `source` of an edit that makes `splices` in the base."""
    edit = match.edit
    edited = apply_splices(base_source.held or b"", splices)
    edited_source = Source(Snapshot(edited, encoding=source.encoding.name))
    base = _Version.of(base_source)
    ours = _Version.of(source)
    theirs = _Version.of(edited_source)
    if base.offsets[0] != theirs.offsets[0]:
        # The edit adds or deletes a byte-order mark, which belongs to no line.
        return NotLocated(edit, Code.STALE_VERSION, Tier.DRIFT)
    diffed = merge_lines(base.bodies, ours.bodies, theirs.bodies)
    # Among equal lines a diff cannot tell which one was changed, and may name another
    # than the edit does. So the exact lines of the edit are merged, and both results must
    # agree.
    exact = merge_changes(
        base.bodies,
        ours.bodies,
        theirs.bodies,
        slide_changes(
            diff_lines(base.bodies, ours.bodies), base.bodies, ours.bodies
        ),
        splices_to_line_changes(splices, base.offsets, theirs.offsets),
    )
    chunks = [
        chunk
        for chunk in diffed.chunks
        if chunk.kind in ("theirs", "conflict", "both")
    ]
    is_applied = exact.lines == ours.bodies or all(
        chunk.kind == "both" for chunk in chunks
    )
    is_doubtful = not is_applied and (
        exact.conflicts or exact.lines != diffed.lines
    )
    spans = tuple(
        ByteRange(ours.offsets[chunk.ours[0]], ours.offsets[chunk.ours[1]])
        for chunk in chunks[:_MAX_SHOWN_CONFLICTS]
    )
    if (
        diffed.conflicts
        or is_doubtful
        or not chunks
        or not _is_still_there(base_source, match, diffed)
    ):
        conflicts = (diffed.conflicts or exact.conflicts)[:_MAX_SHOWN_CONFLICTS]
        sides = tuple(
            _conflict_sides(source, base, diffed, chunk) for chunk in conflicts
        )
        return NotLocated(
            edit, Code.STALE_VERSION, Tier.DRIFT, spans, conflicts=sides
        )
    if is_applied:
        return NotLocated(edit, Code.ALREADY_APPLIED, Tier.DRIFT, spans[:1])
    # The new lines keep their terminators, unless the file was converted meanwhile.
    keeps_endings = (
        base_source.snapshot.dominant_terminator
        == source.snapshot.dominant_terminator
    )
    file_splices: list[Splice] = []
    for chunk in exact.chunks:
        if chunk.kind != "theirs":
            continue
        start, end = (ours.offsets[index] for index in chunk.ours)
        pieces: list[bytes] = []
        for row in theirs.rows[slice(*chunk.theirs)]:
            terminator = row.terminator if keeps_endings else b""
            pieces += row.body, terminator or choose_terminator(source, start)
        file_splices.append(
            whole_lines_splice(source, start, end, b"".join(pieces))
        )
    span = ByteRange(file_splices[0].offset, file_splices[-1].end)
    part = SplicePart(span, tuple(file_splices))
    return EditMatch(edit, Tier.DRIFT, (part,), inner_tier=match.tier)


def _is_still_there(
    base: Source, match: EditMatch, merge: LineMerge[bytes]
) -> bool:
    """Return True if a line of the match that can be recognised is still in the file.

    Otherwise the code was deleted or rewritten, and a merge between brackets and blank
    lines would put the edit into other code. For an insertion, a line beside it counts.
    """
    start, end = match.span.start, match.span.end
    margin = 1 if start == end else 0
    unchanged_lines: set[int] = set()
    for chunk in merge.chunks:
        if chunk.kind in ("same", "theirs"):
            unchanged_lines.update(range(*chunk.base))
    for index, row in enumerate(base.rows()):
        is_matched = row.end + margin > start and row.offset < end + margin
        if index in unchanged_lines and is_matched:
            char_count = sum(char.isalnum() for char in base.text(row.body))
            if char_count >= _MIN_TELLING_CHARS:
                return True
    return False


def _conflict_sides(
    source: Source, base: _Version, merge: LineMerge[bytes], chunk: MergeChunk
) -> dict[str, str]:
    """Return the lines that both the edit and another process changed, in all versions.

    They are the lines as `shown`, as they are `there` now, and as `wanted` by the edit.
    """
    sides = {
        "shown": base.bodies[slice(*chunk.base)],
        "there": merge.ours[slice(*chunk.ours)],
        "wanted": merge.theirs[slice(*chunk.theirs)],
    }
    return {
        side: replace_undecodable(
            "\n".join(map(source.text, lines))[:MAX_TEXT_CHARS]
        )
        for side, lines in sides.items()
    }
