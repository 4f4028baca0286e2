"""The matcher of an edit of an earlier version of the file."""

from __future__ import annotations

from collections.abc import Sequence

from filewright.edit.diff3 import (
    LineMerge,
    MergeChunk,
    merge_changes,
    merge_lines,
    slide_changes,
)
from filewright.edit.line_endings import choose_terminator, whole_lines_splice
from filewright.edit.linediff import diff_lines, splices_to_line_changes
from filewright.edit.locate import locate
from filewright.edit.merge import try_merge
from filewright.edit.model import ByteRange, EditMatch, NotLocated, SplicePart, Tier
from filewright.edit.nearest import MOST_CHARS, replace_undecodable
from filewright.edit.request import Edit
from filewright.edit.source import Source
from filewright.errors import Code
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply, ordered

MOST_BYTES = 16 << 20
"""Larger files and larger texts are not merged."""


def match_earlier_version(
    source: Source, edit: Edit, bases: Sequence[bytes], *, below: Tier = Tier.DRIFT
) -> EditMatch | NotLocated | None:
    """Where an edit of one of `bases` (texts shown before, newest first) goes today.

    The first base in which the search text occurs once, by a tier stricter than `below`, decides.
    None if there is no such base, or if the edit of a text changes nothing there.
    """
    fits = edit.named or (source.held is not None and source.size <= MOST_BYTES)
    for base in bases if fits else ():
        old = source.version(base)
        if old.held == source.held or not (edit.named or old.size <= MOST_BYTES):
            continue
        found = locate(old, edit)
        if isinstance(found, EditMatch) and found.tier.rank < below.rank:
            splices = ordered(try_merge(old, found) or (), old.size)
            if splices:
                return _carried(source, found, old, splices)
            return NotLocated(edit, Code.NO_CHANGE) if edit.named else None
    return None


def _carried(
    source: Source, found: EditMatch, old: Source, splices: Sequence[Splice]
) -> EditMatch | NotLocated:
    """Where what was `found` in the text `old`, and makes these splices there, goes in the file as it is."""
    edit = found.edit
    made_of_it = apply(old.held or b"", splices)
    wanted = Source(Snapshot(made_of_it, encoding=source.encoding.name))
    shown, there, new = (list(text.rows()) for text in (old, source, wanted))
    mine, ours, theirs = ([row.body for row in rows] for rows in (shown, there, new))
    told = merge_lines(mine, ours, theirs)
    # Beside equal lines a diff may say the same of another place. What is changed is known, and goes where it is.
    before, offsets, after = (
        [*(row.offset for row in rows), text.size]
        for rows, text in ((shown, old), (there, source), (new, wanted))
    )
    if (
        before[0] != after[0]
    ):  # The edit adds or deletes a byte order mark, which belongs to no line.
        return NotLocated(edit, Code.STALE_VERSION, Tier.DRIFT)
    made = splices_to_line_changes(splices, before, after)
    exact = merge_changes(
        mine, ours, theirs, slide_changes(diff_lines(mine, ours), mine, ours), made
    )
    chunks = [
        chunk for chunk in told.chunks if chunk.kind in ("theirs", "conflict", "both")
    ]
    applied = all(chunk.kind == "both" for chunk in chunks) or exact.lines == ours
    doubtful = not applied and (exact.conflicts or exact.lines != told.lines)
    spans = tuple(
        ByteRange(*(offsets[line] for line in chunk.ours)) for chunk in chunks[:3]
    )
    if told.conflicts or doubtful or not chunks or not _still_there(old, found, told):
        conflicts = told.conflicts or exact.conflicts
        sides = tuple(_sides(source, mine, told, chunk) for chunk in conflicts[:3])
        return NotLocated(edit, Code.STALE_VERSION, Tier.DRIFT, spans, conflicts=sides)
    if applied:
        return NotLocated(edit, Code.ALREADY_APPLIED, Tier.DRIFT, spans[:1])
    carried: list[Splice] = []
    dominant = source.snapshot.dominant
    as_it_was = old.snapshot.dominant == dominant
    for chunk in exact.chunks:
        if chunk.kind != "theirs":
            continue
        start, end = chunk.ours
        lines = [
            row.body
            + (
                row.terminator
                if as_it_was and row.terminator
                else choose_terminator(source, offsets[start])
            )
            for row in new[slice(*chunk.theirs)]
        ]
        carried.append(
            whole_lines_splice(source, offsets[start], offsets[end], b"".join(lines))
        )
    span = ByteRange(carried[0].offset, carried[-1].end)
    return EditMatch(
        edit, Tier.DRIFT, (SplicePart(span, tuple(carried)),), inner=found.tier
    )


def _still_there(old: Source, found: EditMatch, merged: LineMerge[bytes]) -> bool:
    """Whether a telling line of what the edit meant is still in the file; of an insertion, one beside it."""
    start, end = found.span.start, found.span.end
    beside = start == end
    kept: set[int] = set()
    for chunk in merged.chunks:
        if chunk.kind in ("same", "theirs"):
            kept.update(range(*chunk.base))
    return any(
        sum(char.isalnum() for char in old.text(row.body)) > 2
        for index, row in enumerate(old.rows())
        if index in kept and row.end + beside > start and row.offset < end + beside
    )


def _sides(
    source: Source, base: Sequence[bytes], merged: LineMerge[bytes], chunk: MergeChunk
) -> dict[str, str]:
    """A stretch that both the edit and someone else changed: as shown, as it is, as it is wanted; bounded."""
    lines = {
        "shown": base[slice(*chunk.base)],
        "there": merged.ours[slice(*chunk.ours)],
        "wanted": merged.theirs[slice(*chunk.theirs)],
    }
    return {
        side: replace_undecodable("\n".join(map(source.text, of))[:MOST_CHARS])
        for side, of in lines.items()
    }
