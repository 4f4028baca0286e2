"""Names of changes and sessions that callers shorten."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice

from filewright.changes.moments import parse_moment
from filewright.errors import Code, FilewrightError

MIN_ID_END = 4
"""The fewest characters at the end of a change's id that stand for it."""
_SHOWN_MATCHES = 5


def find_abbreviated(
    part: str, names: Iterable[str], noun: str, *, min_end: int | None = None
) -> str | None:
    """Return the name that begins with a part, or None.

    With `min_end`, a part of at least that length may be the end of the name too. Raise
    `invalid_input` if several names fit. `noun` says in the message what is named.
    """
    can_be_end = min_end is not None and len(part) >= min_end
    # Read only as far as the message needs: a history may have a hundred thousand ids.
    matching = (
        name
        for name in names
        if name.startswith(part) or (can_be_end and name.endswith(part))
    )
    matches = list(islice(matching, _SHOWN_MATCHES))
    if len(matches) > 1:
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"{part} abbreviates more than one {noun}: {', '.join(matches)}",
            hint="give more of its characters",
            details={"given": part},
        )
    return matches[0] if matches else None


def shorten_ids(ids: Iterable[str], all_ids: Collection[str]) -> dict[str, str]:
    """Return the shortest end of each change's id that no other id has.

    All ends have the same length, so that they form a column.
    """
    ids = list(ids)
    id_length = max(map(len, ids), default=MIN_ID_END)
    for length in range(MIN_ID_END, id_length):
        counts: dict[str, int] = {}
        for change_id in all_ids:
            for part in (change_id[-length:], change_id[:length]):
                counts[part] = counts.get(part, 0) + 1
        ends = {change_id: change_id[-length:] for change_id in ids}
        # An end such as 100d would be read as a time.
        if all(
            counts.get(end, 0) <= 1 and parse_moment(end) is None
            for end in ends.values()
        ):
            return ends
    return {change_id: change_id for change_id in ids}
