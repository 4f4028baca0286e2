"""What history will say of a change, drawn from what was planned, saved and staged."""

from __future__ import annotations

import stat
from collections.abc import Mapping

from filewright.changes.draft import Draft, Folder, Node
from filewright.changes.record import Entry, Place, Side
from filewright.changes.save import Saved, Saver, place_of
from filewright.changes.survey import Survey, final_attributes
from filewright.settings import KB

_KEEP_NEW = 256 * KB


class Historian:
    """Makes the entries of one change, twice: for the intent, and again when staging knows more."""

    def __init__(self, draft: Draft, survey: Survey, saver: Saver) -> None:
        self._draft = draft
        self._survey = survey
        self._saver = saver
        self._kept: dict[int, str | None] = {}

    def entries(
        self,
        saved: Mapping[int, Saved],
        digests: Mapping[int, str],
    ) -> tuple[Entry, ...]:
        """One entry per place: made things, then moved, altered, rewritten ones, then what is gone."""
        found: list[Entry] = []
        fresh = {id(node) for node in self._survey.fresh}
        for node in self._survey.fresh:
            after = self._after(node, digests)
            where = self._place(node)
            if node.home is None:
                found.append(Entry(where, None, after))
                continue
            before = saved[id(node)]
            was = place_of(*node.home)
            found.append(
                Entry(
                    where,
                    before.side,
                    after,
                    was if was != where else None,
                    before.spans,
                    before.removed,
                    before.inserted,
                )
            )
        moved = {id(node) for node in self._survey.moved}
        kept = [*self._survey.moved, *(n for n in self._survey.altered if id(n) not in moved)]
        for node in kept:
            assert node.home is not None
            before_side, after_side = self._sides(node)
            was = place_of(*node.home)
            where = self._place(node)
            found.append(Entry(where, before_side, after_side, was if was != where else None))
        for node in self._survey.displaced:
            if id(node) in fresh:
                continue
            assert node.home is not None
            gone = saved[id(node)]
            found.append(Entry(place_of(*node.home), gone.side, None))
            found.extend(gone.below)
        return tuple(found)

    def _place(self, node: Node) -> Place:
        names: list[bytes] = []
        end = node.place
        while end is not None:
            folder, name = end
            names.append(name)
            if folder.is_root:
                assert folder.where is not None
                root = folder.where.root
                return Place(root.resolved or root.path, tuple(reversed(names)))
            end = folder.place
        raise AssertionError("a node of the draft is below no root")

    def _after(self, node: Node, digests: Mapping[int, str]) -> Side:
        mode, uid, gid = final_attributes(node)
        if isinstance(node, Folder):
            return Side("folder", mode, uid, gid)
        if node.kind == "link":
            return Side("link", mode, uid, gid, target=node.target)
        assert node.content is not None
        return Side(
            "file",
            mode,
            uid,
            gid,
            size=node.content.size,
            digest=digests.get(id(node), node.digest),
            blob=self._blob(node),
        )

    def _blob(self, node: Node) -> str | None:
        """Small new contents are kept too, so that a diff can be shown when the file has moved on."""
        if node.splices is not None or node.content is None or node.content.size > _KEEP_NEW:
            return None
        if id(node) not in self._kept:
            self._kept[id(node)] = self._saver.keep(b"".join(bytes(b) for b in node.content.blocks()))
        return self._kept[id(node)]

    @staticmethod
    def _sides(node: Node) -> tuple[Side, Side]:
        seen = node.seen
        assert seen is not None
        mode, uid, gid = final_attributes(node)
        size = seen.st_size if node.kind == "file" else 0
        return (
            Side(node.kind, stat.S_IMODE(seen.st_mode), seen.st_uid, seen.st_gid, size, seen.st_mtime_ns,
                 target=node.target),
            Side(node.kind, mode, uid, gid, size, seen.st_mtime_ns, target=node.target),
        )  # fmt: skip
