"""What history will say of a change, drawn from what was planned, saved and staged."""

from __future__ import annotations

import stat

from filewright.changes.plan import Difference
from filewright.changes.record import Entry, Place, Side
from filewright.changes.tree import Node


def entries(difference: Difference) -> tuple[Entry, ...]:
    """One entry per place: made things, then moved, altered, rewritten ones, then what is gone.

    Asked twice: for the intent, and again when staging knows more.
    """
    found: list[Entry] = []
    for node in difference.fresh:
        found += (fresh_entry(node, node.where()), *node.made)
    for node in (*difference.moved, *(node for node in difference.altered if not node.moved)):
        assert node.home is not None
        before, now = _sides(node)
        was, where = node.home[0].path_of(node.home[1]), node.where()
        found.append(Entry(where, before, now, was if was != where else None))
    for node in difference.displaced:
        if node.alive and node.fresh:
            continue
        assert node.home is not None
        assert node.saved is not None
        found.append(Entry(node.home[0].path_of(node.home[1]), node.saved.side, None))
        found += node.saved.below
    return tuple(found)


def fresh_entry(node: Node, where: Place) -> Entry:
    """The entry of a new thing, which may stand for one that was there."""
    saved = node.saved
    if node.home is None or saved is None:
        return Entry(where, None, _after(node))
    was = node.home[0].path_of(node.home[1])
    return Entry(
        where,
        saved.side,
        _after(node),
        was if was != where else None,
        saved.spans,
        saved.removed,
        saved.inserted,
    )


def _after(node: Node) -> Side:
    """What a new thing is."""
    mode, uid, gid = node.final_attributes()
    if node.kind == "folder":
        return Side("folder", mode, uid, gid)
    if node.kind == "link":
        return Side("link", mode, uid, gid, target=node.target)
    assert node.content is not None
    return Side("file", mode, uid, gid, size=node.content.size, digest=node.digest, blob=node.blob)


def _sides(node: Node) -> tuple[Side, Side]:
    seen = node.seen
    assert seen is not None
    mode, uid, gid = node.final_attributes()
    size = seen.st_size if node.kind == "file" else 0
    time = seen.st_mtime_ns
    was = Side(
        node.kind, stat.S_IMODE(seen.st_mode), seen.st_uid, seen.st_gid, size, time, target=node.target
    )
    return was, Side(node.kind, mode, uid, gid, size, time, target=node.target)
