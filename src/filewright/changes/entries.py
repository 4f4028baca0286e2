"""What history will say of a change, drawn from what was planned, saved and staged."""

from __future__ import annotations

from dataclasses import replace

from filewright.changes.plan import Difference
from filewright.changes.record import Entry, Place, Side
from filewright.changes.tree import Item


def entries(difference: Difference) -> tuple[Entry, ...]:
    """One entry per place: made things, then moved, altered, rewritten ones, then what is gone.

    Asked twice: for the intent, and again when staging knows more.
    """
    found: list[Entry] = []
    for item in difference.fresh:
        found += (fresh_entry(item, item.where()), *item.made)
    for item in (*difference.moved, *(item for item in difference.altered if not item.moved)):
        assert item.home is not None
        before, now = _sides(item)
        was, where = item.home[0].path_of(item.home[1]), item.where()
        found.append(Entry(where, before, now, was if was != where else None))
    for item in difference.displaced:
        if item.alive and item.fresh:
            continue
        assert item.home is not None
        assert item.saved is not None
        found.append(Entry(item.home[0].path_of(item.home[1]), item.saved.side, None))
        found += item.saved.below
    return tuple(found)


def fresh_entry(item: Item, where: Place) -> Entry:
    """The entry of a new thing, which may replace one that was there."""
    saved = item.saved
    if item.home is None or saved is None:
        return Entry(where, None, _after(item))
    was = item.home[0].path_of(item.home[1])
    return Entry(
        where,
        saved.side,
        _after(item),
        was if was != where else None,
        saved.spans,
        saved.removed,
        saved.inserted,
    )


def _after(item: Item) -> Side:
    """What a new thing is."""
    mode, uid, gid = item.final_attributes()
    if item.kind == "folder":
        return Side("folder", mode, uid, gid)
    if item.kind == "link":
        return Side("link", mode, uid, gid, target=item.target)
    assert item.content is not None
    return Side("file", mode, uid, gid, size=item.content.size, digest=item.digest, blob=item.blob)


def _sides(item: Item) -> tuple[Side, Side]:
    seen = item.seen
    assert seen is not None
    mode, uid, gid = item.final_attributes()
    was = Side.of(seen, target=item.target)
    return was, replace(was, mode=mode, uid=uid, gid=gid)
