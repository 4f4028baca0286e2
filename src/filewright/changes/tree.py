"""The tree of one change: the few places it touches as they are, and as its steps make them.

Things are loaded from the disk when a step first names them. Because every step acts on this tree, later steps see
the results of earlier ones, and what remains to be done at the end is the difference between where each thing was
and where it is. A copied folder is not loaded: what no step has touched in it is read from the folder it was copied
from, when it is needed. What the system would refuse later is refused here, before anything is begun: rights, owners,
mounts. Once all steps are taken nothing of the tree changes any more: what saving, planning and staging find out are
values of their own.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from filewright import errors, system
from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.names import is_temporary, quote
from filewright.boundary.rules import DenyRules
from filewright.changes import modes
from filewright.changes.blobs import (
    DiskContent,
    MemoryContent,
    SplicedContent,
    compute_digest,
)
from filewright.changes.model import RECORDED_KINDS, RecordedKind
from filewright.changes.open_folders import OpenFolders
from filewright.edit.changeset import (
    ChangeSet,
    ContentStream,
    Copy,
    Create,
    Delete,
    ExpectedState,
    MakeFolder,
    MakeLink,
    Modify,
    Move,
    SetMode,
    SetOwner,
    Step,
)
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.system import File, Folder, Status
from filewright.text.spelling import look_of
from filewright.text.splice import Splice, require_ordered

_LINKS = 40
_LISTED_FOLDERS = 50
"""Folders of one change whose names are compared with new ones."""
DEEPEST = 400
"""Levels of folders that one change makes, copies or deletes."""
_SPECIAL_BITS = stat.S_ISUID | stat.S_ISGID

Rights = tuple[int, int, int]
"""Mode, user and group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeferredChangeSet(ChangeSet):
    """A change set whose steps are found on the tree itself, as things are then: an undo. `arrange` takes some of
    them, and returns those that come after; `locations` are all that it may touch."""

    arrange: Callable[[ChangeTree], Sequence[Step]]
    locations: Collection[Location] = field()


@dataclass(eq=False, slots=True, repr=False)
class TreeNode:
    """A thing: where it was (`home`), where it is now (`place`), what changes.

    `seen` is its status on the disk, None for a new one; `origin` the thing on the disk that it is, or is a copy of.
    `rights` are those it has after the change, `content` is what a file holds then; if that is one edit of the bytes
    on the disk, `splices` are those of it. `mtime_ns` and `attributes` None are left as they are. It is `fresh` if it
    has a new inode after the change. Once all steps are taken it is `alive` if it is in the tree, at `will_be_at`, and
    `moved` if it is in another place, as it was.

    Of what is on the disk, `was` is its place at the start. Of a folder, `entries` are those that any step has looked
    at, None being "nothing there", and `initial` what they were then; `emptied`: it is deleted, and only if no more is
    in it than the steps have taken away. `rules_at_home` is what is denied of the names in it where it was, the last of
    `entered` that under a name in a folder with such rules.
    """

    tree: ChangeTree
    kind: RecordedKind
    asked: str
    rights: Rights
    seen: Status | None = None
    home: End | None = None
    place: End | None = None
    origin: TreeNode | None = None
    content: ContentStream | None = None
    splices: Sequence[Splice] | None = None
    target: bytes | None = None
    expected: ExpectedState | None = None
    mtime_ns: int | None = None
    attributes: Mapping[str, bytes] | None = None
    fresh: bool = True
    alive: bool = False
    moved: bool = False
    was: Location = field(init=False)
    will_be_at: Location = field(init=False)
    entries: dict[bytes, TreeNode | None] = field(default_factory=dict)
    initial: dict[bytes, TreeNode | None] = field(default_factory=dict)
    rules_at_home: DenyRules | None = None
    entered: tuple[bytes, DenyRules, DenyRules] | None = None
    emptied: bool = False

    @classmethod
    def on(
        cls, tree: ChangeTree, seen: Status, asked: str, home: End | None, was: Location
    ) -> TreeNode:
        """A thing on the disk."""
        item = cls(
            tree,
            RECORDED_KINDS[seen.kind],
            asked,
            (seen.mode, seen.uid, seen.gid),
            seen,
            home,
            fresh=False,
        )
        item.origin, item.was = item, was
        if item.kind == "file":
            item.content = DiskContent(item.open, seen.size)
        return item

    @property
    def altered(self) -> bool:
        """Whether mode or owner of an item on the disk change."""
        seen = self.seen
        return seen is not None and self.rights != (seen.mode, seen.uid, seen.gid)

    def open(self) -> File:
        """The file on the disk, at its home. Raises `OSError`."""
        assert self.home is not None
        folder, name = self.home
        return folder.on_disk().open(name, known_file=self.kind == "file")

    # Of a folder

    def on_disk(self, *, reading: bool = True) -> Folder:
        """The folder on the disk, as it was at the start."""
        assert self.seen is not None
        return self.tree.folders.reopen(self.was, self.seen.identity, reading=reading)

    def rules_where_it_was(self) -> DenyRules:
        """What is denied of the names in it at the start."""
        if self.rules_at_home is None:
            above = self.home[0].rules_at_home if self.home is not None else None
            self.rules_at_home = self.tree.boundary.rules_for(
                self.was, self.on_disk(), above=above
            )
        return self.rules_at_home

    def rules_in(
        self, name: bytes, above: DenyRules, unmoved: bool
    ) -> tuple[DenyRules, bool]:
        """What is denied of the names in it, under a name in a folder with such rules, and whether that holds
        where it was: if the folder is `unmoved`, and so is it."""
        if unmoved and self.place == self.home:
            return self.rules_where_it_was(), True
        if self.entered is None or self.entered[:2] != (name, above):
            on_disk = self.origin.on_disk() if self.origin is not None else None
            self.entered = name, above, above.entered(name, on_disk)
        return self.entered[2], False

    @property
    def nearest(self) -> Status:
        """Of the folder on the disk that it is, or will be, in, if it is not there itself."""
        folder = self
        while folder.seen is None:
            assert folder.place is not None
            folder = folder.place[0]
        return folder.seen

    def lookup(self, name: bytes, asked: str) -> TreeNode | None:
        """What the tree has under `name`."""
        if name not in self.entries:
            item = self._untouched(name, asked)
            if item is not None:
                item.place = (self, name)
            if self.seen is not None:
                if item is not None and item.seen is not None and item.kind == "folder":
                    # It may have been reached by another path before, and been moved or deleted since.
                    item = self.tree.old.setdefault(item.seen.identity, item)
                self.initial[name] = item
                if item is not None and item.home is not None:
                    self.tree.at_first.append(item)
            self.entries[name] = item
        return self.entries[name]

    def _untouched(self, name: bytes, asked: str) -> TreeNode | None:
        """What no step has looked at yet, not remembered."""
        origin = self.origin
        if origin is None:
            return None
        rules, folder = origin.rules_where_it_was(), origin.on_disk()
        try:
            seen = folder.stat(name)
        except FileNotFoundError:
            rules.require(asked, name, None)
            return None
        except OSError as error:
            raise from_os_error(error, asked, doing="look at") from error
        is_folder = seen.kind == "folder"
        rules.require(asked, name, is_folder)
        item = TreeNode.on(
            self.tree, seen, asked, (origin, name), origin.was.child(name)
        )
        if item.kind == "link":
            try:
                item.target = folder.read_link(name)
            except OSError as error:  # no link any more since it was looked at
                raise errors.replaced_meanwhile(
                    f"{asked}: a link on the way", asked
                ) from error
        if origin is self:
            return item
        if seen.device != origin.nearest.device:
            raise errors.other_file_system(item.was.display_path)
        return item.copied(self, asked)

    def names(self) -> list[bytes]:
        """Every name the tree has in it, sorted."""
        found = set(self.origin.on_disk().names()) if self.origin is not None else set()
        if self.origin is not self:
            # Where a copy ends up below its source, what is staged of it lies there already.
            found = {name for name in found if not is_temporary(name)}
        gone = {name for name, item in self.entries.items() if item is None}
        return sorted((found | self.entries.keys()) - gone)

    def below(self) -> Iterator[tuple[bytes, TreeNode]]:
        """Everything in it by name; what no step has looked at is not remembered."""
        for name in self.names():
            item = (
                self.entries[name]
                if name in self.entries
                else self._untouched(name, self.asked)
            )
            if item is not None:
                item.place = item.place or (self, name)
                yield name, item

    def put(self, name: bytes, item: TreeNode | None, asked: str) -> None:
        """Have something under a name, or nothing."""
        there = self.lookup(name, asked)
        if there is not None and there.place == (self, name):
            there.place = None
        self.tree.written.setdefault(self, asked)
        self.entries[name] = item
        if item is not None:
            item.place = (self, name)
            self.tree.brought.setdefault(item, None)

    def new(self, kind: RecordedKind, name: bytes, asked: str) -> TreeNode:
        """Something new under a name."""
        item = TreeNode(self.tree, kind, asked, _new_rights(self.nearest, kind))
        self.put(name, item, asked)
        return item

    def within(self, other: TreeNode, *, at_first: bool = False) -> bool:
        """Whether it is `other` or lies below it, in the tree; or lay there at the start."""
        folder = self
        while folder is not other:
            above = folder.home if at_first else folder.place
            if above is None:
                return False
            folder = above[0]
        return True

    def copied(self, into: TreeNode, asked: str) -> TreeNode:
        """A copy of it as it is in the tree now, for a folder; it is nowhere yet. Raises `not_a_file` for special
        files."""
        made = self._alike(into.nearest, asked)
        pending = [(self, made)]
        while pending:
            source, folder = pending.pop()
            for name, below in source.entries.items():
                if below is None:
                    folder.entries[name] = None
                    continue
                copy = folder.entries[name] = below._alike(into.nearest, asked)
                copy.place = (folder, name)
                pending.append((below, copy))
        return made

    def _alike(self, above: Status, asked: str) -> TreeNode:
        if self.kind == "other":
            raise errors.not_a_file(
                self.asked, self.kind, hint="only files, links and folders are copied"
            )
        copy = TreeNode(
            self.tree,
            self.kind,
            asked,
            _new_rights(above, self.kind, self),
            content=self.content,
        )
        copy.target, copy.mtime_ns, copy.attributes = (
            self.target,
            self.mtime_ns,
            self.attributes,
        )
        copy.origin = self.origin
        return copy


End = tuple[TreeNode, bytes]
"""A name in a folder of the tree."""


def _new_rights(
    above: Status, kind: RecordedKind, like: TreeNode | None = None
) -> Rights:
    """Those of something new in a folder with such a status, or of a copy."""
    uid, gid, setgid = system.effective_user_id(), system.effective_group_id(), 0
    if above.mode & stat.S_ISGID:
        gid, setgid = above.gid, stat.S_ISGID
    if kind == "link":
        return 0o777, uid, gid
    if like is not None:
        return (
            like.rights
            if uid in (0, like.rights[1])
            else (like.rights[0] & ~_SPECIAL_BITS, uid, gid)
        )
    if kind == "folder":
        return 0o777 & ~system.umask() | setgid, uid, gid
    return 0o666 & ~system.umask(), uid, gid


def _without_special_bits(mode: int) -> int:
    """As the system does for whoever writes to a file: what ran with its owner's rights was other content."""
    return mode & ~(stat.S_ISUID | (stat.S_ISGID if mode & stat.S_IXGRP else 0))


class ChangeTree:
    """The tree of one change set, with the steps to be taken on it.

    With `copy_moves`, folders and files are moved by copying: the file system refused a rename. What a person should
    know of the steps is then in `notes`, and in `hard_links`, by path shown, how many names every file has whose other
    names are left behind. `old` are all folders that were looked into on the disk, living or not, by their identity,
    `at_first` is all that was seen in them, and `brought` what was put somewhere, with the step if that moved it.
    `living` are then the folders that a step has looked at and that are there, parents before what is in them.

    The difference between the tree and the disk is then in four lists. `displaced`: their old inode goes (deleted,
    overwritten, rewritten) and no displaced folder holds it. `fresh`: a new inode is made for them, in a folder that is
    on the disk. `moved`: renamed. `altered`: only mode or owner change. `made` is all that is fresh, also in new
    folders, parents first.
    """

    def __init__(
        self,
        boundary: Boundary,
        folders: OpenFolders,
        change_set: ChangeSet,
        task: Task,
        *,
        copy_moves: bool = False,
    ) -> None:
        self.boundary = boundary
        self.folders = folders
        self.written: dict[TreeNode, str] = {}
        self.displaced: list[TreeNode] = []
        self.fresh: list[TreeNode] = []
        self.made: list[TreeNode] = []
        self.moved: list[TreeNode] = []
        self.altered: list[TreeNode] = []
        self.old: dict[tuple[int, int], TreeNode] = {}
        self.at_first: list[TreeNode] = []
        self.living: list[TreeNode] = []
        self.brought: dict[TreeNode, Move | Copy | None] = {}
        self.hard_links: dict[str, int] = {}
        self.notes: list[str] = []
        self._task = task
        self._set = change_set
        self._undoes = change_set.reverts is not None
        self._copy_moves = copy_moves
        self._roots: dict[tuple[int, int], TreeNode] = {}
        self._guarded: set[Location] = set()
        self._linked: list[tuple[TreeNode, Location]] = []

    def take(self) -> None:
        """Take all steps, in order. Raises what they refuse, and `timeout` of the task."""
        for step in (
            self._set.arrange(self)
            if isinstance(self._set, DeferredChangeSet)
            else self._set.steps
        ):
            STEPS[type(step)](self, step)
        for folder in self.living:  # Grows.
            for name, item in sorted(folder.entries.items()):
                # A folder may have been reached by two paths.
                if item is None or item.place != (folder, name):
                    continue
                item.alive, item.will_be_at = True, folder.will_be_at.child(name)
                item.moved = not item.fresh and item.place != item.home
                if item.fresh:
                    self.made.append(item)
                    if folder.seen is not None:
                        self.fresh.append(item)
                if item.kind == "folder":
                    self.living.append(item)
        for folder, asked in self.written.items():
            # A folder that goes as a whole is not written to, unless something moves out of it. Root may write to every
            # folder that is not immutable; a mode without any w, before and after, is meant, though.
            written = folder.alive or any(
                item and item.moved for item in folder.initial.values()
            )
            seen = folder.seen if written else None
            if seen is not None and not (
                (seen.mode | folder.rights[0]) & 0o222
                and folder.on_disk().is_writable()
            ):
                raise errors.unwritable_folder(asked, seen.mode)
        if self._linked:
            self._break_links()
        if self.brought:
            self._guard_ends()
            self._note_look_alikes()
        # What differs from the disk.
        for item in self.at_first:
            assert item.home is not None
            if (item.fresh or not item.alive) and item.home[0].alive:
                self.displaced.append(item)
            if item.moved:
                self.moved.append(item)
            if item.alive and not item.fresh and item.altered:
                self.altered.append(item)

    # Finding

    def find(
        self, where: Location, *, create: bool = False, changing: bool = False
    ) -> tuple[TreeNode, bytes, TreeNode | None]:
        """What the tree has at a place.

        With `create`, missing folders above it are made in the tree. To be `changing` it, all that lies on the way
        is asked whether it may be written to, where links lead too. Raises `not_found`, `not_a_directory`,
        `path_escape`, `symlink`, and `permission_denied`.
        """
        if changing or not where.parts:
            self.boundary.require_writable_names(where, where.parts)
            self._guarded.add(where)
        root, asked = where.root, where.requested_path
        identity = root.identity
        if identity not in self._roots:
            # It may have been reached from a root above.
            top = TreeNode.on(
                self, root.folder.status(), root.name, None, Location(root, ())
            )
            self._roots[identity] = self.old.setdefault(identity, top)
            if self._roots[identity] is top:
                top.alive, top.will_be_at = True, top.was
                self.living.append(top)
        folder = self._roots[identity]
        # The folders on the way, each with its name and its rules.
        way = [(folder, b"", (folder.rules_where_it_was(), True))]
        pending = list(reversed(where.parts))
        followed = made = 0
        while True:
            (folder, _, rules), name = way[-1], pending.pop()
            if name in (b"", b"."):
                continue
            if name == b"..":
                way.pop()
                if not way:
                    raise errors.outside_root(asked, quote(root.path))
                continue
            item = folder.lookup(name, asked)
            if changing:
                is_folder = (
                    item.kind == "folder" if item is not None else bool(pending) or None
                )
                rules[0].require(asked, name, is_folder, changing=True)
            if not pending:
                break
            if item is not None and item.target is not None:
                followed += 1
                if followed > _LINKS:
                    raise from_os_error(OSError(40, os.strerror(40)), asked)
                if item.target.startswith(b"/"):
                    raise errors.outside_root(asked, quote(root.path))
                pending += reversed(item.target.split(b"/"))
                continue
            if item is None and create:
                item = folder.new("folder", name, asked)
            if item is None or item.kind != "folder":
                beyond = rules[0]
                for above, below in pairwise(
                    (name, *reversed(pending)) if changing else ()
                ):
                    # What is not there is refused by the names alone.
                    beyond = beyond.entered(above, None)
                    beyond.require(asked, below, None, changing=True)
                refused = errors.missing if item is None else errors.not_a_folder
                raise refused(asked, name.decode("utf-8", "replace"))
            made += item.seen is None
            if made > DEEPEST:
                raise errors.too_deep(asked, DEEPEST)
            way.append((item, name, item.rules_in(name, *rules)))
        if changing and followed:
            # Be the links there already or made by this change: once something is staged, a refusal would
            # come too late.
            self.boundary.require_writable_names(
                where, (*(each[1] for each in way[1:]), name)
            )
        return folder, name, item

    def _there(self, where: Location, *, changing: bool = False) -> TreeNode:
        item = self.find(where, changing=changing)[2]
        if item is None:
            raise errors.missing(where.requested_path)
        return item

    # Contents

    def _modify(self, step: Modify) -> None:
        where = step.location
        folder, _, found = self.find(where, changing=True)
        item = self._rewritten(found, folder, where, step.expected)
        base = item.content
        assert base is not None
        require_ordered(step.splices, base.size)
        # Of the bytes on the disk too where it was only to have an inode of its own.
        first = isinstance(base, DiskContent) and base.opener == item.open
        item.splices = step.splices if first else None
        item.content, item.fresh = (
            SplicedContent(
                base, step.splices, step.encoding_check, where.requested_path
            ),
            True,
        )

    def _create(self, step: Create) -> None:
        where = step.location
        folder, name, item = self.find(where, create=True, changing=True)
        if item is None:
            if step.expected is not None:
                raise errors.changed_since_read(where.requested_path)
            item = folder.new("file", name, where.requested_path)
        else:
            if not step.replace and item.kind != "link":
                raise errors.already_exists(where.requested_path)
            self._rewritten(item, folder, where, step.expected)
        item.content = (
            MemoryContent(step.content)
            if isinstance(step.content, bytes)
            else step.content
        )
        item.splices, item.fresh = None, True
        mode = step.mode and system.storable_mode(step.mode, is_folder=False)
        item.rights = _given(item.rights, mode, step.uid, step.gid)
        item.mtime_ns, item.attributes = step.mtime_ns, step.attributes

    def _expect(self, item: TreeNode, expected: ExpectedState, where: Location) -> None:
        content = item.content
        assert content is not None
        if expected.size != content.size:
            raise errors.changed_since_read(where.requested_path)
        if not item.fresh:
            item.expected = expected
        elif expected.digest is not None and compute_digest(content) != expected.digest:
            raise errors.changed_since_read(where.requested_path)

    def _file_to_write(
        self, item: TreeNode | None, folder: TreeNode, where: Location
    ) -> TreeNode:
        """A file that may be written to."""
        if item is None:
            raise errors.missing(where.requested_path)
        if item.kind == "link":
            raise self.boundary.link_refusal(where)
        if item.kind != "file":
            raise errors.not_a_file(where.requested_path, item.kind)
        self.written.setdefault(folder, where.requested_path)
        item.asked = where.requested_path
        seen, home = item.seen, item.home
        if seen is not None and home is not None and not item.fresh:
            mode = item.rights[0]
            if not mode & 0o222:
                raise errors.unwritable_file(where.requested_path, f"{seen.mode:04o}")
            # Root may write to everything but what is immutable.
            if mode == seen.mode and not home[0].on_disk().is_writable(home[1]):
                if seen.uid == system.effective_user_id():
                    raise errors.unwritable_file(where.requested_path, f"{mode:04o}")
                why = f"belongs to user {seen.uid}, and this one has no right to write to it (mode {mode:04o})"
                raise errors.not_permitted(where.requested_path, why)
            if seen.link_count > 1:
                self._linked.append((item, where))
        return item

    def _rewritten(
        self,
        found: TreeNode | None,
        folder: TreeNode,
        where: Location,
        expected: ExpectedState | None,
    ) -> TreeNode:
        """A file that gets somebody's content, which must not run with its owner's rights."""
        item = self._file_to_write(found, folder, where)
        if expected is not None:
            self._expect(item, expected, where)
        if item.rights[0] & _SPECIAL_BITS and not self._undoes:
            mode = _without_special_bits(item.rights[0])
            if mode != item.rights[0]:
                item.rights = _given(item.rights, mode)
                self.notes.append(
                    f"{where.display_path}: new content does not keep the setuid and setgid bits"
                )
        return item

    # Names

    def _make_link(self, step: MakeLink) -> None:
        asked = step.location.requested_path
        folder, name, item = self.find(step.location, create=True, changing=True)
        if item is not None:
            raise errors.already_exists(asked)
        folder.new("link", name, asked).target = step.target

    def _make_folder(self, step: MakeFolder) -> None:
        where = step.location
        folder, name, item = self.find(where, create=True, changing=True)
        if item is None:
            folder.new("folder", name, where.requested_path).attributes = (
                step.attributes or None
            )
        elif item.kind != "folder":
            raise errors.not_a_folder(where.requested_path, hint="choose another name")

    def _delete(self, step: Delete) -> None:
        where = step.location
        try:
            folder, name, item = self.find(where, changing=True)
            if item is None:
                raise errors.missing(where.requested_path)
        except FilewrightError as error:
            if error.code is Code.NOT_FOUND and step.missing_ok:
                return
            raise
        if item.kind == "folder" and not step.recursive and item.names():
            raise FilewrightError(
                Code.NOT_A_FILE,
                f"{where.requested_path} is a folder with something in it",
                hint="give recursive=true to delete it with all that is in it",
                details={"path": where.requested_path},
            )
        self._require_removable(folder, item, where)
        if step.expected is not None and item.kind == "file":
            self._expect(item, step.expected, where)
        self._note_read_only(item, where)
        item.asked, item.emptied = where.requested_path, not step.recursive
        folder.put(name, None, where.requested_path)

    def _move(self, step: Move) -> None:
        folder, name, item = self.find(step.source, changing=True)
        if item is None:
            raise errors.missing(step.source.requested_path)
        self._note_read_only(item, step.source)
        self.arrive(item, step, leaves=(folder, name))

    def _copy(self, step: Copy) -> None:
        self.arrive(self._there(step.source), step)

    def leave(self, item: TreeNode, where: Location, end: End) -> None:
        """Take something out of the place where it is found, to arrive in another."""
        folder, name = end
        self.written.setdefault(folder, where.requested_path)
        self._require_removable(folder, item, where)
        folder.entries[name] = None

    def arrive(
        self, item: TreeNode, step: Move | Copy, *, leaves: End | None = None
    ) -> None:
        """Bring something to where it is moved to, from the end that it `leaves`, if it has not left it; or a copy."""
        source, where = step.source, step.destination
        folder, name, found = self.find(where, create=True, changing=True)
        if item.kind == "folder" and folder.within(item):
            raise errors.into_itself(source.requested_path, where.requested_path)
        if found is item:
            raise errors.source_is_destination(where.requested_path)
        if leaves is not None:
            self.leave(item, source, leaves)
        home = item.home
        crosses = home is not None and folder.nearest.device != home[0].nearest.device
        if isinstance(step, Copy):
            item = item.copied(folder, where.requested_path)
        elif home is not None and (crosses or self._copy_moves):
            item.asked, item.place = source.requested_path, None
            item = item.copied(folder, where.requested_path)
        # A folder that may not be written to stays in its folder: its `..` would change.
        elif (
            home is not None
            and item.kind == "folder"
            and home[0] is not folder
            and not item.on_disk().is_writable()
        ):
            raise errors.not_permitted(
                source.requested_path,
                "is a folder that cannot be written to, so it can only be renamed where it is",
            )
        self.brought[item] = step
        if found is not None:
            if not step.overwrite:
                raise errors.already_exists(where.requested_path)
            if found.kind == "folder" != item.kind:
                raise errors.not_a_file(
                    where.requested_path,
                    "folder",
                    hint="name the destination itself, with the file's name in that folder",
                )
            if item.kind == "folder" != found.kind:
                raise errors.not_a_folder(where.requested_path)
            if item.place is not None and item.place[0].within(found):
                raise errors.into_itself(where.requested_path, where.requested_path)
            self._require_removable(folder, found, where)
            if found.kind == "file":
                self._file_to_write(found, folder, where)
            found.asked = where.requested_path
        folder.put(name, item, where.requested_path)

    # Attributes

    def _set_mode(self, step: SetMode) -> None:
        item = self._to_alter(step)
        before, is_folder = item.rights[0], item.kind == "folder"
        mode = modes.resolve(step.mode, before, folder=is_folder)
        if mode & ~before & _SPECIAL_BITS and not self._undoes:
            raise errors.special_mode_bits(step.location.requested_path)
        kept = system.storable_mode(mode, is_folder=is_folder)
        if kept != mode:
            raise errors.unsupported_mode(step.location.requested_path, mode, kept)
        item.rights = _given(item.rights, mode)

    def _set_owner(self, step: SetOwner) -> None:
        item = self._to_alter(step)
        written = item.kind == "file" and item.seen is not None and not self._undoes
        mode = _without_special_bits(item.rights[0]) if written else None
        item.rights = _given(item.rights, mode, step.uid, step.gid)

    def _to_alter(self, step: SetMode | SetOwner) -> TreeNode:
        """What is to get another mode or owner, which this user may give it."""
        where, user = step.location, system.effective_user_id()
        item = self._there(where, changing=True)
        if item.kind == "link":
            raise self.boundary.link_refusal(where)
        if item.kind == "other":
            raise errors.not_a_file(where.requested_path, item.kind)
        if (
            item.kind == "file"
            and not item.fresh
            and item.seen is not None
            and item.seen.link_count > 1
        ):
            # Its inode may have a name outside of the roots, which would change too.
            self._linked.append((item, where))
            item.fresh = True
        item.asked = where.requested_path
        if item.seen is None or user == 0:
            return item
        if item.seen.uid != user:
            raise errors.not_permitted(where.requested_path, "belongs to another user")
        if isinstance(step, SetOwner) and (
            step.uid not in (None, user)
            or step.gid not in (None, item.seen.gid, *system.group_ids())
        ):
            raise errors.not_permitted(
                where.requested_path,
                "can only be given to another user or group by root",
            )
        return item

    def _note_read_only(self, item: TreeNode, where: Location) -> None:
        """Note that a file goes that nothing may be written to: its folder allows that, its mode meant otherwise."""
        if (
            item.kind == "file"
            and item.seen is not None
            and not item.seen.mode & 0o222
            and not self._undoes
        ):
            self.notes.append(
                f"{where.display_path} was read-only (mode {item.seen.mode:04o})"
            )

    def _note_look_alikes(self) -> None:
        """Note which new names look the same as another name of their folder: the other may have been meant."""
        listings: dict[TreeNode, dict[str, list[bytes]]] = {}
        for item in () if self._undoes else (*self.made, *self.moved):
            if item.place is None:
                continue
            folder, name = item.place
            if folder.seen is None or folder.initial.get(name) is not None:
                continue
            if folder not in listings:
                if len(listings) == _LISTED_FOLDERS:
                    return
                listings[folder] = {}
                for other in folder.names():
                    listings[folder].setdefault(look_of(os.fsdecode(other)), []).append(
                        other
                    )
            for other in listings[folder].get(look_of(os.fsdecode(name)), ()):
                if other != name and not self._denies(folder, other):
                    shown = folder.will_be_at.child(other).exact_display_path
                    self.notes.append(
                        f"{item.will_be_at.exact_display_path} looks the same as {shown}, which is another"
                    )
                    break

    def _denies(self, folder: TreeNode, name: bytes) -> bool:
        return self.boundary.rules_for(folder.will_be_at).denies(name, None)

    # Refusing

    def _require_removable(
        self, folder: TreeNode, item: TreeNode, where: Location
    ) -> None:
        """Refuse to delete, move or overwrite a root or what holds one, a mount, a link on the way to something
        protected, and what a sticky folder keeps."""
        if item.kind == "link" and item.home is not None:
            link = Location(*item.was)
            link.spelling = where.requested_path
            self.boundary.require_link_allowed(link)
        if item.seen is not None and item.kind == "folder":
            path = b"/".join(
                (item.was.root.resolved_path.rstrip(b"/"), *item.was.parts)
            )
            for other in self.boundary.roots:
                if other.resolved_path == path or other.resolved_path.startswith(
                    path + b"/"
                ):
                    raise errors.contains_root(where.requested_path, other.name)
            mounts = item.on_disk(reading=False).mounts_below()
            if mounts:
                # Moved, it would take the mount along, and whoever mounts it would not find its place again.
                place = Location(
                    item.was.root, (*item.was.parts, *mounts[0].split(b"/"))
                )
                raise errors.contains_mount(where.requested_path, place.display_path)
        if item.seen is None or folder.seen is None:
            return
        if item.seen.device != folder.seen.device:
            raise errors.other_file_system(where.display_path)
        if keeps(folder.seen, item.seen):
            raise errors.not_permitted(
                where.requested_path,
                "belongs to another user, in a folder where only owners remove things",
            )

    def _guard_ends(self) -> None:
        """Refuse what only the steps together bring to where nothing may be written."""
        rules: dict[TreeNode, tuple[DenyRules, bool]] = {}
        for folder in self.living:
            if folder.place is None:
                rules[folder] = folder.rules_where_it_was(), True
            else:
                above, name = folder.place
                rules[folder] = folder.rules_in(name, *rules[above])
            for name, item in folder.entries.items():
                if item is None or not (item.fresh or item.moved):
                    continue
                where, origin = Location(*item.will_be_at), item.origin
                # What comes along with a copied folder is looked at with that folder.
                along = origin is not None and origin.home == (folder.origin, name)
                if not along and where not in self._guarded:
                    self.find(where, changing=True)
                if item.kind == "link" and not along:
                    self.boundary.require_link_allowed(where)
                if along or origin is None or origin.kind != "folder":
                    continue
                step = self.brought.get(item)
                source = Location(*origin.was)
                source.spelling = (
                    step.source.requested_path if step else where.requested_path
                )
                where.spelling = step.destination.requested_path if step else ""
                self.boundary.require_tree_transferable(
                    source,
                    where,
                    rules[folder][0].entered(name, None),
                    moving=isinstance(step, Move),
                    task=self._task,
                )

    def _break_links(self) -> None:
        """What is written gets a file of its own, and its other names are left behind: unless they go too, or an
        undo gives each what it held."""
        leaving = Counter(
            item.seen.identity
            for item in self.at_first
            if item.seen and (not item.alive or (self._undoes and item.fresh))
        )
        for item, where in self._linked:
            assert item.seen is not None
            if leaving[item.seen.identity] >= item.seen.link_count:
                continue
            if not self._set.break_hard_links:
                raise errors.hard_linked(where.requested_path, item.seen.link_count)
            self.hard_links[where.display_path] = item.seen.link_count


def _given(rights: Rights, *given: int | None) -> Rights:
    """Rights with those that are given."""
    mode, uid, gid = (
        old if new is None else new
        for old, new in zip(rights, (*given, None, None), strict=False)
    )
    return mode, uid, gid


def keeps(folder: Status, entry: Status) -> bool:
    """Whether a sticky folder keeps an entry from being removed by this user."""
    return bool(folder.mode & stat.S_ISVTX) and system.effective_user_id() not in (
        0,
        folder.uid,
        entry.uid,
    )


STEPS: dict[type[Step], Callable[[ChangeTree, Any], None]] = {
    Modify: ChangeTree._modify,
    Create: ChangeTree._create,
    MakeLink: ChangeTree._make_link,
    MakeFolder: ChangeTree._make_folder,
    Delete: ChangeTree._delete,
    Move: ChangeTree._move,
    Copy: ChangeTree._copy,
    SetMode: ChangeTree._set_mode,
    SetOwner: ChangeTree._set_owner,
}
"""How each kind of step is taken on a tree."""
