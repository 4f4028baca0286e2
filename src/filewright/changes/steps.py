"""The steps of a change set, taken on the tree: what each means, and what each refuses.

What the system would refuse later is refused here, before anything is begun: rights, owners, mounts.
"""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from filewright import errors, system
from filewright.boundary import Boundary, Location, Reached
from filewright.changes import modes
from filewright.changes.content import Edited, Held, digest_of
from filewright.changes.slots import OpenFolders
from filewright.changes.tree import FolderItem, Item, Tree, copied, located, without_special_bits
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
    SetMode,
    SetOwner,
    Step,
    Stream,
)
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.system import Status
from filewright.text import Splices, ordered, require_ordered


@dataclass(frozen=True, slots=True, kw_only=True)
class Arranged(ChangeSet):
    """A change set whose steps are found on the tree itself, as things are then: an undo; `places` are all that it
    may touch."""

    arrange: Callable[[Steps], None]
    places: Collection[Location]

    @property
    def locations(self) -> Collection[Location]:
        """Every place that it may touch."""
        return self.places


_SPECIAL_BITS = stat.S_ISUID | stat.S_ISGID


class Steps(Tree):
    """The tree of one change set, with the steps to be taken on it.

    With `copy_moves`, folders and files are moved by copying: the file system refused a rename. What a person should
    know of them is then in `notes`, and in `hard_links`, by path shown, how many names every file has whose other
    names are left behind.
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
        super().__init__(boundary, folders)
        self._task = task
        self._set = change_set
        self._undoes = change_set.reverts is not None
        self._copy_moves = copy_moves
        self.hard_links: dict[str, int] = {}
        self.notes: list[str] = []
        self._reached: Reached = {}
        self._emptied: list[tuple[FolderItem, Location]] = []
        self._guarded: set[Location] = set()
        self._brought: dict[Item, Move | Copy] = {}
        self._linked: list[tuple[Item, Location]] = []

    def take(self) -> None:
        """Take all steps, in order. Raises what they refuse, and `timeout` of the task."""
        if isinstance(self._set, Arranged):
            self._set.arrange(self)
        for step in self._set.steps:
            self.play(step)
        for folder, where in (*self._emptied, *self.grown):
            # A folder that goes as a whole is not written to.
            if folder.is_root or folder.alive:
                _require_writable_folder(folder, where)
        if self._linked:
            self._break_links()
        self._guard_ends()

    def play(self, step: Step) -> None:
        """Take one step. Raises what it refuses."""
        match step:
            case Modify():
                self._modify(step)
            case Create():
                content = Held(step.content) if isinstance(step.content, bytes) else step.content
                item = self._write(step.location, content, step.replace, step.expected)
                if step.mode is not None:
                    item.mode = system.kept_of_mode(step.mode, folder=False)
                for name in ("uid", "gid", "mtime_ns", "attributes"):
                    if (value := getattr(step, name)) is not None:
                        setattr(item, name, value)
            case MakeLink():
                link = Item("link", step.location.asked, target=step.target)
                self._place(link, step.location, overwrite=False)
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
        where = step.location
        self._guard(where)
        folder, _, found = self.find(where)
        item = self._writable(found, folder, where)
        self._expect(item, step.expected, where)
        self._will_write(item, where)
        base = item.holds
        splices = step.splices
        if isinstance(splices, Splices):
            require_ordered(splices, base.size)
        else:
            splices = ordered(splices, base.size)
        item.content = Edited(base, splices, step.encoding_check, where.asked)
        item.asked = where.asked

    def _write(self, where: Location, content: Stream, replaced: bool, expected: Expected | None) -> Item:
        self._guard(where)
        folder, name, item = self.find(where, create=True)
        if item is None:
            if expected is not None:
                raise errors.stale(where.asked)
            item = Item("file", where.asked)
            _require_writable_folder(folder, where)
            folder.attach(name, item)
        else:
            if not replaced and item.kind != "link":
                raise errors.taken(where.asked)
            self._writable(item, folder, where)
            if expected is not None:
                self._expect(item, expected, where)
            self._will_write(item, where)
        item.content, item.asked = content, where.asked
        return item

    def _expect(self, item: Item, expected: Expected, where: Location) -> None:
        if expected.size != item.holds.size:
            raise errors.stale(where.asked)
        if item.content is None:
            item.expected = expected
        elif expected.digest is not None and digest_of(item.content) != expected.digest.hex():
            raise errors.stale(where.asked)

    # Names

    def _make_folder(self, step: MakeFolder) -> None:
        where = step.location
        self._guard(where)
        folder, name, item = self.find(where, create=True)
        if item is None:
            _require_writable_folder(folder, where)
            made = FolderItem(asked=where.asked, tree=self, attributes=step.attributes or None)
            folder.attach(name, made)
        elif not isinstance(item, FolderItem):
            raise errors.not_a_folder(where.asked, hint="choose another name")

    def _delete(self, step: Delete) -> None:
        where = step.location
        self._guard(where)
        try:
            folder, name, item = self.find(where)
            if item is None:
                raise errors.missing(where.asked)
        except FilewrightError as error:
            if error.code is Code.NOT_FOUND and step.missing_ok:
                return
            raise
        if isinstance(item, FolderItem) and not step.recursive and item.names():
            raise FilewrightError(
                Code.NOT_A_FILE,
                f"{where.asked} is a folder with something in it",
                hint="give recursive=true to delete it with all that is in it",
                details={"path": where.asked},
            )
        self._emptied.append((folder, where))
        self._require_removable(folder, item, where)
        if step.expected is not None and item.kind == "file":
            self._expect(item, step.expected, where)
        item.asked = where.asked
        if isinstance(item, FolderItem):
            item.holding = step.holding
        folder.detach(name)

    def _move(self, step: Move) -> None:
        self._guard(step.source)
        self._guard(step.destination)
        item = self.find(step.source)[2]
        if item is None:
            raise errors.missing(step.source.asked)
        self._target(item, step)
        self.leave(item, step.source)
        self.arrive(item, step)

    def leave(self, item: Item, where: Location) -> None:
        """Take something out of the place where it is, to arrive in another."""
        self._guard(where)
        folder, name, _ = self.find(where)
        _require_writable_folder(folder, where)
        self._require_removable(folder, item, where)
        folder.entries[name] = None

    def arrive(self, item: Item, step: Move) -> None:
        """Bring something to where it is moved to, when it has left its place."""
        source, destination = step.source, step.destination
        self._guard(destination)
        target = self._target(item, step)
        if (home := item.home) is not None:
            if target.device != home[0].device or self._copy_moves:
                item.asked, item.place = source.asked, None
                item = copied(item, destination.asked)
            # A folder that may not be written to stays in its folder: its `..` would change.
            elif isinstance(item, FolderItem) and home[0] is not target and not item.on_disk().writable():
                raise errors.not_ours(
                    source.asked,
                    "is a folder that cannot be written to, so it can only be renamed where it is",
                )
        self._bring(item, step)

    def _copy(self, step: Copy) -> None:
        self._guard(step.destination)
        _, _, item = self.find(step.source)
        if item is None:
            raise errors.missing(step.source.asked)
        self._target(item, step)
        self._bring(copied(item, step.destination.asked), step)

    def _target(self, item: Item, step: Move | Copy) -> FolderItem:
        """The folder to which something is to come."""
        target, _, _ = self.find(step.destination, create=True)
        if isinstance(item, FolderItem) and target.within(item):
            raise errors.into_itself(step.source.asked, step.destination.asked)
        return target

    def _bring(self, item: Item, step: Move | Copy) -> None:
        self._brought[item] = step
        self._place(item, step.destination, overwrite=step.overwrite)

    def _place(self, item: Item, where: Location, *, overwrite: bool) -> None:
        folder, name, found = self.find(where, create=True)
        _require_writable_folder(folder, where)
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
            self._require_removable(folder, found, where)
            if found.kind == "file":
                self._writable(found, folder, where)
            found.asked = where.asked
            folder.detach(name)
        folder.attach(name, item)

    # Attributes

    def _set_mode(self, step: SetMode) -> None:
        item = self._altered(step.location)
        _require_owned(item, step.location)
        before = item.rights()[0]
        mode = modes.resolve(step.mode, before, folder=item.kind == "folder")
        if mode & ~before & _SPECIAL_BITS and not self._undoes:
            raise errors.special_bits(step.location.asked)
        kept = system.kept_of_mode(mode, folder=item.kind == "folder")
        if kept != mode:
            raise errors.no_such_mode(step.location.asked, mode, kept)
        item.mode = mode

    def _set_owner(self, step: SetOwner) -> None:
        item = self._altered(step.location)
        _require_owned(item, step.location, step)
        item.uid = item.uid if step.uid is None else step.uid
        item.gid = item.gid if step.gid is None else step.gid
        if item.kind == "file" and not self._undoes and item.seen is not None:
            item.mode = without_special_bits(item.rights()[0])

    def _altered(self, where: Location) -> Item:
        self._guard(where)
        _, _, item = self.find(where)
        if item is None:
            raise errors.missing(where.asked)
        if item.kind == "link":
            raise errors.link_itself(where.asked)
        if item.kind == "other":
            raise errors.not_a_file(where.asked, item.kind)
        if item.kind == "file" and item.content is None and item.seen is not None and item.seen.links > 1:
            # Its inode may have a name outside of the roots, which would change too.
            self._linked.append((item, where))
            item.content = item.holds
        item.asked = where.asked
        return item

    def _will_write(self, item: Item, where: Location) -> None:
        """Note that somebody's content will be in it, which must not run with its owner's rights."""
        if not self._undoes:
            before = item.rights()[0]
            item.written = True
            if item.rights()[0] != before:
                self.notes.append(f"{where.shown}: new content does not keep the setuid and setgid bits")

    # Refusing

    def _guard(self, where: Location) -> None:
        """Refuse what may not be written to, also where a link leads to it."""
        self.guard(where, reached=self._reached)
        self._guarded.add(where)

    def _guard_ends(self) -> None:
        """Refuse what only the steps together bring to where nothing may be written."""
        for folder in self.all_folders():
            for name, item in folder.entries.items():
                if item is None or not (item.fresh or item.moved):
                    continue
                where = located(folder, name)
                # What comes along with a copied folder is looked at with that folder.
                source = item.source
                along = source is not None and source.home == (folder.origin, name) and not item.written
                if not along and where not in self._guarded:
                    self.guard(where, reached=self._reached)
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
        self.boundary.guard_tree(
            replace(on_disk.was, asked=step.source.asked if step else where.asked),
            replace(where, asked=step.destination.asked) if step else where,
            moving=isinstance(step, Move),
            there=self.as_on_disk(where),
            task=self._task,
        )

    def _writable(self, item: Item | None, folder: FolderItem, where: Location) -> Item:
        """A file that may be written to."""
        if item is None:
            raise errors.missing(where.asked)
        if item.kind == "link":
            raise errors.link_itself(where.asked)
        if item.kind != "file":
            raise errors.not_a_file(where.asked, item.kind)
        _require_writable_folder(folder, where)
        if item.seen is not None and item.content is None:
            if item.home is not None:
                own_folder, name = item.home
                # Root may write to everything but what is immutable.
                mode = item.seen.mode if item.mode is None else item.mode
                if not (mode & 0o222 and (item.mode is not None or own_folder.on_disk().writable(name))):
                    raise errors.unwritable(where.asked, item.seen.mode)
            if item.seen.links > 1:
                self._linked.append((item, where))
        return item

    def _require_removable(self, folder: FolderItem, item: Item, where: Location) -> None:
        """Refuse to delete, move or overwrite a root or what holds one, a mount, and what a sticky folder keeps."""
        if isinstance(item, FolderItem) and item.was is not None:
            path = b"/".join((item.was.root.resolved.rstrip(b"/"), *item.was.parts))
            for other in self.boundary.roots:
                if other.resolved == path or other.resolved.startswith(path + b"/"):
                    raise errors.holds_root(where.asked, other.name)
        if item.seen is None or folder.seen is None:
            return
        if item.seen.device != folder.seen.device:
            raise errors.other_file_system(where.shown)
        if keeps(folder.seen, item.seen):
            raise errors.not_ours(
                where.asked, "belongs to another user, in a folder where only owners remove things"
            )

    def _break_links(self) -> None:
        """What is written gets a file of its own, and its other names are left behind: unless they go too, or an
        undo gives each what it held."""
        items = (item for folder in self.old.values() for item in folder.initial.values())
        leaving = Counter(
            item.seen.identity
            for item in items
            if item and item.seen and (not item.alive or (self._undoes and item.content))
        )
        for item, where in self._linked:
            assert item.seen is not None
            if leaving[item.seen.identity] >= item.seen.links:
                continue
            if not self._set.break_hard_links:
                raise errors.hard_linked(where.asked, item.seen.links)
            self.hard_links[where.shown] = item.seen.links


def keeps(folder: Status, entry: Status) -> bool:
    """Whether a sticky folder keeps an entry from being removed by this user."""
    return bool(folder.mode & stat.S_ISVTX) and system.effective_user() not in (0, folder.uid, entry.uid)


def _require_writable_folder(folder: FolderItem, where: Location) -> None:
    """Refuse what needs a write permission of its folder that is not there."""
    if folder.seen is None:
        return
    if folder.writable is None:
        # Root may write to every folder that is not immutable; a mode without any w is meant, though.
        folder.writable = bool(folder.seen.mode & 0o222) and folder.on_disk().writable()
    if not folder.writable:
        raise errors.unwritable_folder(where.asked, folder.seen.mode)


def _require_owned(item: Item, where: Location, step: SetOwner | None = None) -> None:
    """Refuse to set mode or owner of what belongs to somebody else."""
    user = system.effective_user()
    if item.seen is None or user == 0:
        return
    if item.seen.uid != user:
        raise errors.not_ours(where.asked, "belongs to another user")
    given = step is not None and (
        step.uid not in (None, user) or step.gid not in (None, item.seen.gid, *system.groups())
    )
    if given:
        raise errors.not_ours(where.asked, "can only be given to another user or group by root")
