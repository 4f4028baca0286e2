"""The steps of a change set, taken on the tree: what each means, and what each refuses."""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import xxhash

from filewright import errors, system
from filewright.boundary import Location, Reached
from filewright.changes import modes
from filewright.changes.content import Edited, Held, OnDisk, digest_of
from filewright.changes.rights import (
    require_movable,
    require_owned,
    require_removable,
    require_writable_folder,
)
from filewright.changes.tree import FolderItem, Item, Tree, copied
from filewright.edit import (
    ChangeSet,
    Copy,
    Create,
    Delete,
    Expected,
    MakeFolder,
    MakeLink,
    Modify,
    Move,
    Restore,
    SetMode,
    SetOwner,
    Step,
    Stream,
)
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import Identity, Splice, Splices, ordered, require_ordered

_SPECIAL_BITS = stat.S_ISUID | stat.S_ISGID


class Steps:
    """The steps of one change set, to be taken on a tree.

    With `copy_moves`, folders and files are moved by copying: the file system refused a rename. What a person should
    know of them is then in `notes`, and in `hard_links`, by path shown, how many names every file has whose other
    names are left behind.
    """

    def __init__(
        self, tree: Tree, change_set: ChangeSet, task: Task | None = None, *, copy_moves: bool = False
    ) -> None:
        self._tree = tree
        self._task = task or Task()
        self._set = change_set
        self._copy_moves = copy_moves
        self.hard_links: dict[str, int] = {}
        self.notes: list[str] = []
        self._reached: Reached = {}
        self._emptied: list[tuple[FolderItem, Location]] = []
        self._guarded: set[Location] = set()
        self._brought: dict[Item, Move | Copy] = {}
        self._linked: list[tuple[Item, Location]] = []
        # Nowhere in the tree: no rule is asked about the names in it.
        self._aside = FolderItem(tree, "", None, None)
        self._put_aside: set[Location] = set()

    def take(self) -> None:
        """Take all steps, in order. Raises what they refuse, and `timeout` of the task."""
        for step in self._set.steps:
            self._take(step)
        for folder, where in (*self._emptied, *self._tree.grown):
            # A folder that goes as a whole is not written to.
            if folder.is_root or folder.alive:
                require_writable_folder(folder, where)
        self._break_links()
        self._guard_ends()

    def _take(self, step: Step) -> None:
        match step:
            case Modify():
                self._modify(step)
            case Create():
                content = Held(step.content)
                item = self._write(step.location, content, step.replace, step.expected)
                item.mode = item.mode if step.mode is None else system.kept_of_mode(step.mode, folder=False)
            case Restore():
                self._restore(step)
            case MakeLink():
                item = Item("link", step.location.asked)
                item.target = step.target
                self._place(item, step.location, overwrite=False)
            case MakeFolder():
                self._make_folder(step)
            case Delete():
                self._delete(step)
            case Move():
                self._move(step)
            case Copy():
                self._copy(step)
            case SetMode():
                self._set_mode(step)
            case SetOwner():
                self._set_owner(step)

    # Contents

    def _modify(self, step: Modify) -> None:
        self._guard(step.location)
        folder, _, found = self._tree.find(step.location)
        item = self._file(found, step.location)
        self._require_writable(item, folder, step.location)
        step = self._grown(step, item)
        self._expect(item, step.expected, step.location)
        self._will_write(item, step.location)
        base: Stream
        if item.content is None:
            assert item.seen is not None
            base, size = OnDisk(item.open, item.seen.size), item.seen.size
        else:
            base, size = item.content, item.content.size
        splices: Sequence[Splice]
        if isinstance(step.splices, Splices):
            require_ordered(step.splices, size)
            splices = step.splices
        else:
            splices = ordered(step.splices, size)
        whole = item.content is None
        item.content = Edited(base, splices, step.encoding_check, step.location.asked)
        item.splices = splices if whole else None
        item.asked = step.location.asked

    def _write(self, where: Location, content: Stream, replace: bool, expected: Expected | None) -> Item:
        self._guard(where)
        folder, name, item = self._tree.find(where, create=True)
        if item is None:
            if expected is not None:
                raise errors.stale(where.asked)
            item = Item("file", where.asked)
            require_writable_folder(folder, where)
            folder.attach(name, item)
        else:
            if not replace and item.kind != "link":
                raise errors.taken(where.asked)
            self._file(item, where)
            self._require_writable(item, folder, where)
            if expected is not None:
                self._expect(item, expected, where)
            self._will_write(item, where)
        item.content, item.splices, item.asked = content, None, where.asked
        return item

    def _restore(self, step: Restore) -> None:
        item = self._write(step.location, step.content, step.replace, step.expected)
        mode = None if step.mode is None else system.kept_of_mode(step.mode, folder=False)
        item.mode, item.uid, item.gid = mode, step.uid, step.gid
        item.mtime_ns, item.attributes = step.mtime_ns, step.attributes

    def _expect(self, item: Item, expected: Expected, where: Location) -> None:
        if item.content is None:
            assert item.seen is not None
            if expected.size != item.seen.size:
                raise errors.stale(where.asked)
            item.expected = expected
            return
        if expected.size != item.content.size:
            raise errors.stale(where.asked)
        if expected.digest is not None and digest_of(item.content) != expected.digest.hex():
            raise errors.stale(where.asked)

    # Names

    def _make_folder(self, step: MakeFolder) -> None:
        where = step.location
        self._guard(where)
        folder, name, item = self._tree.find(where, create=True)
        if item is None:
            require_writable_folder(folder, where)
            made = FolderItem(self._tree, where.asked, None, None)
            made.attributes = step.attributes or None
            folder.attach(name, made)
        elif not isinstance(item, FolderItem):
            raise errors.not_a_folder(where.asked, hint="choose another name")

    def _delete(self, step: Delete) -> None:
        where = step.location
        self._guard(where)
        try:
            folder, name, item = self._tree.find(where)
        except FilewrightError as error:
            if error.code is Code.NOT_FOUND and step.missing_ok:
                return
            raise
        if item is None:
            if step.missing_ok:
                return
            raise errors.missing(where.asked)
        if isinstance(item, FolderItem) and not step.recursive and item.names():
            raise FilewrightError(
                Code.NOT_A_FILE,
                f"{where.asked} is a folder with something in it",
                hint="give recursive=true to delete it with all that is in it",
                details={"path": where.asked},
            )
        self._emptied.append((folder, where))
        require_removable(self._tree.boundary, folder, item, where)
        if step.expected is not None and item.kind == "file":
            self._expect(item, step.expected, where)
        item.asked = where.asked
        if isinstance(item, FolderItem):
            item.holding = step.holding
        folder.detach(name)

    def _move(self, step: Move) -> None:
        if step.aside:
            self._put_aside.add(step.destination)
        self._guard(step.source)
        self._guard(step.destination)
        folder, name, item = self._find(step.source)
        if item is None:
            raise errors.missing(step.source.asked)
        require_writable_folder(folder, step.source)
        require_removable(self._tree.boundary, folder, item, step.source)
        target, _, _ = self._find(step.destination, create=True)
        if isinstance(item, FolderItem) and target.within(item):
            raise errors.into_itself(step.source.asked, step.destination.asked)
        if not step.aside:
            if item.home is not None and (target.device != item.home[0].device or self._copy_moves):
                made = copied(item, step.destination.asked)
                self._brought[made] = step
                self._place(made, step.destination, overwrite=step.overwrite)
                item.asked = step.source.asked
                folder.detach(name)
                return
            require_movable(item, target, step.source)
        self._brought[item] = step
        folder.entries[name] = None
        try:
            self._place(item, step.destination, overwrite=step.overwrite)
        except FilewrightError:
            folder.entries[name] = item
            raise

    def _copy(self, step: Copy) -> None:
        self._guard(step.destination)
        _, _, item = self._tree.find(step.source)
        if item is None:
            raise errors.missing(step.source.asked)
        target, _, _ = self._tree.find(step.destination, create=True)
        if isinstance(item, FolderItem) and target.within(item):
            raise errors.into_itself(step.source.asked, step.destination.asked)
        made = copied(item, step.destination.asked)
        self._brought[made] = step
        self._place(made, step.destination, overwrite=step.overwrite)

    def _find(self, where: Location, *, create: bool = False) -> tuple[FolderItem, bytes, Item | None]:
        if where in self._put_aside:
            return self._aside, where.name, self._aside.entries.get(where.name)
        return self._tree.find(where, create=create)

    def _place(self, item: Item, where: Location, *, overwrite: bool) -> None:
        folder, name, found = self._find(where, create=True)
        require_writable_folder(folder, where)
        if found is item:
            raise errors.same_place(where.asked)
        if found is not None:
            if not overwrite:
                raise errors.taken(where.asked)
            if isinstance(found, FolderItem) and not isinstance(item, FolderItem):
                raise errors.not_a_file(
                    where.asked,
                    "folder",
                    hint="name the destination itself, with the file's name in that folder",
                )
            if isinstance(item, FolderItem) and not isinstance(found, FolderItem):
                raise errors.not_a_folder(where.asked)
            if isinstance(found, FolderItem) and item.place is not None and item.place[0].within(found):
                raise errors.into_itself(where.asked, where.asked)
            require_removable(self._tree.boundary, folder, found, where)
            if found.kind == "file":
                self._require_writable(found, folder, where)
            found.asked = where.asked
            folder.detach(name)
        folder.attach(name, item)

    # Attributes

    def _set_mode(self, step: SetMode) -> None:
        item = self._altered(step.location)
        require_owned(item, step.location)
        before = item.final_attributes()[0]
        mode = modes.resolve(step.mode, before, folder=item.kind == "folder")
        if mode & ~before & _SPECIAL_BITS and self._set.reverts is None:
            raise errors.special_bits(step.location.asked)
        kept = system.kept_of_mode(mode, folder=item.kind == "folder")
        if kept != mode:
            raise errors.no_such_mode(step.location.asked, mode, kept)
        item.mode = mode

    def _set_owner(self, step: SetOwner) -> None:
        item = self._altered(step.location)
        require_owned(item, step.location, uid=step.uid, gid=step.gid)
        if step.uid is not None:
            item.uid = step.uid
        if step.gid is not None:
            item.gid = step.gid
        if item.kind == "file" and self._set.reverts is None and item.seen is not None:
            # As the system does: what ran with one owner's rights must not run with another's.
            mode = item.final_attributes()[0]
            item.mode = mode & ~(stat.S_ISUID | (stat.S_ISGID if mode & stat.S_IXGRP else 0))

    def _altered(self, where: Location) -> Item:
        self._guard(where)
        _, _, item = self._tree.find(where)
        if item is None:
            raise errors.missing(where.asked)
        if item.kind == "link":
            raise errors.link_itself(where.asked)
        if item.kind == "other":
            raise errors.not_a_file(where.asked, item.kind)
        if item.kind == "file" and item.content is None and item.seen is not None and item.seen.links > 1:
            # Its inode may have a name outside of the roots, which would change too.
            self._linked.append((item, where))
            item.content = OnDisk(item.open, item.seen.size)
        item.asked = where.asked
        return item

    def _will_write(self, item: Item, where: Location) -> None:
        """Note that somebody's content will be in it, which must not run with its owner's rights."""
        if self._set.reverts is not None:
            return
        before = item.final_attributes()[0]
        item.written = True
        if item.final_attributes()[0] != before:
            self.notes.append(f"{where.shown}: new content does not keep the setuid and setgid bits")

    # Refusing

    def _guard(self, where: Location) -> None:
        """Refuse what may not be written to, also where a link leads to it."""
        if where not in self._put_aside:
            self._tree.guard(where, reached=self._reached)
            self._guarded.add(where)

    def _guard_ends(self) -> None:
        """Refuse what only the steps together bring to where nothing may be written."""
        for folder in self._tree.all_folders():
            for name, item in folder.entries.items():
                if item is None or not (item.fresh or item.moved):
                    continue
                where = self._tree.located(folder, name)
                # What comes along with a copied folder is looked at with that folder.
                source = item.source
                along = source is not None and source.home == (folder.origin, name) and not item.written
                if not along and where not in self._guarded:
                    self._tree.guard(where, reached=self._reached)
                if isinstance(item, FolderItem):
                    self._guard_below(item, where)

    def _guard_below(self, item: FolderItem, where: Location) -> None:
        """Refuse to bring a folder to `where` for what is below it on the disk."""
        on_disk, place = item.origin, item.place
        if on_disk is None or on_disk.was is None or place is None:
            return
        if on_disk.home == (place[0].origin, place[1]):
            return  # looked at with the folder above
        step = self._brought.get(item)
        self._tree.boundary.guard_tree(
            replace(on_disk.was, asked=step.source.asked if step else where.asked),
            replace(where, asked=step.destination.asked) if step else where,
            moving=isinstance(step, Move),
            there=self._tree.as_on_disk(where),
            task=self._task,
        )

    def _grown(self, step: Modify, item: Item) -> Modify:
        """The same edit of a file to which others have only added since; an addition stays at the end.

        Raises `stale_version` if it has changed in any other way.
        """
        old, seen = step.expected, item.seen
        if not step.follow or seen is None or item.content is not None or seen.size <= old.size:
            return step
        if old.digest is None:
            raise errors.stale(step.location.asked)
        with item.open() as file:
            state = xxhash.xxh3_128()
            last = b""
            left = old.size
            for block in file.blocks():
                head = block[:left]
                state.update(head)
                left -= len(head)
                last = bytes(head[-1:]) or last
                if left == 0:
                    break
            now = file.status()
            ends_alike = file.read(now.size - 1, 1) == last
        added = any(splice.offset == old.size for splice in step.splices)
        if left or state.digest() != old.digest or (added and old.size and not ends_alike):
            raise errors.stale(step.location.asked)
        splices = tuple(
            replace(splice, offset=now.size) if splice.offset == old.size else splice
            for splice in step.splices
        )
        item.seen = now
        return replace(step, expected=Expected(now.size, Identity.of(now.raw), None), splices=splices)

    def _file(self, item: Item | None, where: Location) -> Item:
        if item is None:
            raise errors.missing(where.asked)
        if item.kind == "link":
            raise errors.link_itself(where.asked)
        if item.kind != "file":
            raise errors.not_a_file(where.asked, item.kind)
        return item

    def _require_writable(self, item: Item, folder: FolderItem, where: Location) -> None:
        require_writable_folder(folder, where)
        if item.seen is None or item.content is not None:
            return
        if item.home is not None:
            own_folder, name = item.home
            # Root may write to everything but what is immutable.
            changed = item.mode is not None
            mode = item.mode if item.mode is not None else item.seen.mode
            if not (mode & 0o222 and (changed or own_folder.on_disk().writable(name))):
                raise errors.unwritable(where.asked, item.seen.mode)
        if item.seen.links > 1:
            self._linked.append((item, where))

    def _break_links(self) -> None:
        """What is written gets a file of its own, and its other names are left behind: unless they go too, or an
        undo gives each what it held."""
        if not self._linked:
            return
        undoes = self._set.reverts is not None
        items = (item for folder in self._tree.old_folders() for item in folder.initial.values())
        leaving = Counter(
            item.seen.identity
            for item in items
            if item and item.seen and (not item.alive or (undoes and item.content))
        )
        for item, where in self._linked:
            assert item.seen is not None
            if leaving[item.seen.identity] >= item.seen.links:
                continue
            if not self._set.break_hard_links:
                raise errors.hard_linked(where.asked, item.seen.links)
            self.hard_links[where.shown] = item.seen.links
