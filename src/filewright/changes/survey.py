"""What a draft changes: which nodes are new, displaced, moved, altered."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field

from filewright.changes import modes
from filewright.changes.draft import Draft, Folder, Node


@dataclass(slots=True)
class Survey:
    """The difference between a draft and the disk, as lists of nodes.

    `displaced`: their old inode goes (deleted, overwritten, rewritten) and no displaced folder
    holds it. `fresh`: files, links and folders that a new inode is made for. `moved`: renamed.
    `altered`: only mode or owner change.
    """

    displaced: list[Node] = field(default_factory=list)
    fresh: list[Node] = field(default_factory=list)
    moved: list[Node] = field(default_factory=list)
    altered: list[Node] = field(default_factory=list)

    @classmethod
    def of(cls, draft: Draft) -> Survey:
        """Look through every node of the draft."""
        survey = cls()
        for folder in draft.old_folders():
            folder_alive = folder.is_root or folder.alive
            for node in folder.initial.values():
                if node is None or (isinstance(node, Folder) and node.is_root):
                    continue
                alive = node.alive
                if (not alive or node.fresh) and folder_alive:
                    survey.displaced.append(node)
                if alive and not node.fresh:
                    if node.place != node.home:
                        survey.moved.append(node)
                    if altered(node):
                        survey.altered.append(node)
        for folder in draft.folders():
            survey.fresh.extend(
                node for _, node in sorted(folder.entries.items()) if node is not None and node.fresh
            )
        return survey

    @property
    def empty(self) -> bool:
        """Whether nothing changes at all."""
        return not (self.displaced or self.fresh or self.moved or self.altered)


def altered(node: Node) -> bool:
    """Whether mode or owner of a node on the disk change."""
    if node.seen is None:
        return False
    mode, uid, gid = final_attributes(node)
    return (mode, uid, gid) != (stat.S_IMODE(node.seen.st_mode), node.seen.st_uid, node.seen.st_gid)


def final_attributes(node: Node) -> tuple[int, int, int]:
    """Mode, user and group that a node has after the change."""
    if node.seen is not None:
        mode, uid, gid = stat.S_IMODE(node.seen.st_mode), node.seen.st_uid, node.seen.st_gid
    else:
        uid, gid = os.geteuid(), os.getegid()
        setgid = 0
        if node.place is not None:
            above = _on_disk(node.place[0])
            if above is not None and above.st_mode & stat.S_ISGID:
                gid, setgid = above.st_gid, stat.S_ISGID
        like = node.like
        while like is not None and like.seen is None:
            like = like.like
        if node.kind == "link":
            mode = 0o777
        elif like is not None and like.seen is not None:
            mode = stat.S_IMODE(like.seen.st_mode)
            if os.geteuid() == 0 or like.seen.st_uid == uid:
                uid, gid = like.seen.st_uid, like.seen.st_gid
            else:
                mode &= ~(stat.S_ISUID | stat.S_ISGID)
        elif node.kind == "folder":
            mode = 0o777 & ~modes.umask() | setgid
        else:
            mode = 0o666 & ~modes.umask()
    return (
        mode if node.mode is None else node.mode,
        uid if node.uid is None else node.uid,
        gid if node.gid is None else node.gid,
    )


def _on_disk(folder: Folder) -> os.stat_result | None:
    while folder.seen is None:
        if folder.place is None:
            return None
        folder = folder.place[0]
    return folder.seen
