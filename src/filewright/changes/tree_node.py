"""The files, links and folders of a change, as they are and as it makes them."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from filewright import errors, system
from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.names import is_temporary
from filewright.boundary.rules import DenyRules
from filewright.changes.blobs import DiskContent, SplicedContent
from filewright.changes.model import RECORDED_KINDS, RecordedKind
from filewright.changes.open_folders import FolderId, OpenFolders
from filewright.changes.packed_contents import PackedContents
from filewright.edit.changeset import (
    ContentStream,
    Copy,
    ExpectedState,
    Modify,
    Move,
    Step,
)
from filewright.errors import from_os_error
from filewright.system import File, Folder, Status
from filewright.text.splice import Splice

SPECIAL_MODE_BITS = stat.S_ISUID | stat.S_ISGID


# Shared by all files: a change may have a hundred thousand.
_NO_CHILDREN: dict[bytes, TreeNode | None] = {}


class Rights(NamedTuple):
    """Mode, user and group."""

    mode: int
    uid: int
    gid: int


@lru_cache
def shared_rights(mode: int, uid: int, gid: int) -> Rights:
    """Return rights; most files of a change have the same."""
    return Rights(mode, uid, gid)


class Position(NamedTuple):
    """A name in a folder of the tree.

    Nodes hold the two apart: there may be a hundred thousand of them.
    """

    folder: TreeNode
    name: bytes


class PositionRules(NamedTuple):
    """The rules in a folder of the tree, by its position."""

    rules: DenyRules
    is_original: bool
    """The folder is where it was with all above it: the rules on the disk hold."""


@dataclass(frozen=True, slots=True)
class OriginalFile:
    """A file, link or folder on the disk, as the change found it.

    Its status is held as bytes: a change may have a hundred thousand of them.
    """

    packed_status: bytes
    parent: TreeNode | None
    """The folder that it is in; None for a root."""
    name: bytes = b""
    folder_location: Location | None = None
    """The location of a folder; that of a file follows from its position."""

    @property
    def status(self) -> Status:
        """The status on the disk."""
        return Status.unpack(self.packed_status)

    @property
    def position(self) -> Position | None:
        """The position on the disk; None for a root."""
        if self.parent is None:
            return None
        return Position(self.parent, self.name)

    @property
    def location(self) -> Location:
        """The location on the disk."""
        if self.folder_location is not None:
            return self.folder_location
        assert self.parent is not None
        assert self.parent.original is not None
        return self.parent.original.location.child(self.name)


@dataclass(frozen=True, slots=True)
class EnteredRules:
    """The rules in a folder, with the name and outer rules that they follow from."""

    name: bytes
    outer: DenyRules
    rules: DenyRules


@dataclass(slots=True)
class TreeRecords:
    """The records that the nodes of one tree keep together."""

    boundary: Boundary
    open_folders: OpenFolders
    steps: Sequence[Step] = ()
    """The steps of the change set, which edited nodes know by number."""
    contents: PackedContents = field(default_factory=PackedContents)
    """The new contents that are no edits, which nodes know by number too."""
    folders: dict[FolderId, TreeNode] = field(default_factory=dict)
    """All folders that were looked into on the disk, by their identity."""
    loaded: list[TreeNode] = field(default_factory=list)
    """All nodes that were found in these folders."""
    written: dict[TreeNode, str] = field(default_factory=dict)
    """The folders that are written to, each with a requested path that does so."""
    arrivals: dict[TreeNode, Move | Copy] = field(default_factory=dict)
    """The nodes that a move or copy put somewhere, with its step."""
    has_arrivals: bool = False
    """True if a node was put somewhere."""
    original_rules: dict[TreeNode, DenyRules] = field(default_factory=dict)
    entered_rules: dict[TreeNode, EnteredRules] = field(default_factory=dict)
    """The rules in folders that are not where they were."""

    def clear(self) -> None:
        """Let go of all nodes and steps."""
        self.steps, self.contents = (), PackedContents()
        self.loaded.clear()
        for nodes in (
            self.folders,
            self.written,
            self.arrivals,
            self.original_rules,
            self.entered_rules,
        ):
            nodes.clear()


@dataclass(eq=False, slots=True, repr=False)
class TreeNode:
    """A file, link or folder of a change.

    `original` is the file on the disk that it is (None for a new one); `source` is the
    node of the file on the disk that it is, or that it is a copy of. `rights` are those
    after the change; `mtime_ns` and `attributes` are left as they are if they are None.
    If the new content is one edit of the bytes on the disk, `edit_number` is that of its
    step; `content_number` is that of any other new content.

    A copied folder is not loaded: a child that no step has touched is read from
    `source` when it is needed.
    """

    records: TreeRecords
    kind: RecordedKind
    named_path: str
    """The path by which a step names it; empty if that is its location.

    Only a step that changes it names it so: the step was asked whether it may.
    """
    rights: Rights
    original: OriginalFile | None = None
    source: TreeNode | None = None
    parent: TreeNode | None = None
    """The folder that it is in at present; None if it is in none."""
    name: bytes = b""
    content_number: int | None = None
    edit_number: int | None = None
    target: bytes | None = None
    """The target of a link."""
    own_expected: ExpectedState | None = None
    """The state that the steps expect on the disk; an edit has its own."""
    mtime_ns: int | None = None
    attributes: Mapping[str, bytes] | None = None
    needs_new_inode: bool = True
    children: dict[bytes, TreeNode | None] = field(init=False)
    """The names in a folder that a step has looked at; None for a name that is free."""
    original_children: dict[bytes, TreeNode | None] = field(init=False)
    """The same as they were on the disk: the same table until a name changes."""
    must_be_empty: bool = False
    """A folder that is deleted only if the steps have taken away all its entries."""

    def __post_init__(self) -> None:
        is_folder = self.kind == "folder"
        self.children = {} if is_folder else _NO_CHILDREN
        self.original_children = self.children
        if self.original is None and is_folder:
            self.original_children = {}

    @classmethod
    def from_disk(
        cls, records: TreeRecords, requested_path: str, original: OriginalFile
    ) -> TreeNode:
        """Return the node of a file, link or folder on the disk."""
        status = original.status
        node = cls(
            records,
            RECORDED_KINDS[status.kind],
            requested_path,
            shared_rights(status.mode, status.uid, status.gid),
            original,
            needs_new_inode=False,
        )
        # A file on the disk is its own source; a copy has the source of its original.
        node.source = node
        return node

    @property
    def position(self) -> Position | None:
        """The present position in the tree."""
        if self.parent is None:
            return None
        return Position(self.parent, self.name)

    @position.setter
    def position(self, position: Position | None) -> None:
        self.parent, self.name = position or (None, b"")

    @property
    def content(self) -> ContentStream | None:
        """The content of a file after the change.

        Built for each use: a change may edit a hundred thousand files.
        """
        if self.content_number is not None:
            return self.records.contents[self.content_number]
        if self.kind != "file" or self.source is None:
            return None
        assert self.source.original is not None
        on_disk = DiskContent(
            self.source.open_original, self.source.original.status.size
        )
        edit = self.edit
        if edit is None:
            return on_disk
        return SplicedContent(
            on_disk,
            edit.splices,
            edit.encoding_check,
            edit.location.requested_path,
        )

    @property
    def edit(self) -> Modify | None:
        """The only edit of the bytes on the disk; None for any other node."""
        if self.edit_number is None:
            return None
        edit = self.records.steps[self.edit_number]
        assert isinstance(edit, Modify)
        return edit

    @property
    def splices(self) -> Sequence[Splice] | None:
        """The splices of an edit of the bytes on the disk; None for any other node."""
        edit = self.edit
        return edit.splices if edit is not None else None

    @property
    def expected(self) -> ExpectedState | None:
        """The state that the steps expect of the file on the disk, if they do."""
        edit = self.edit
        if self.own_expected is None and edit is not None:
            return edit.expected
        return self.own_expected

    def set_new_content(self, content: ContentStream) -> None:
        """Give a file a new content that is no edit of the bytes on the disk."""
        self.own_expected = self.expected
        self.edit_number = None
        self.content_number = len(self.records.contents)
        self.records.contents.append(content)

    @property
    def requested_path(self) -> str:
        """The path in messages: as a step names it."""
        return self.named_path or self.named_location.display_path

    @property
    def named_location(self) -> Location:
        """The location on the disk; that in the tree for a new node."""
        names: list[bytes] = []
        node = self
        while node.original is None:
            assert node.parent is not None
            names.append(node.name)
            node = node.parent
        location = node.original.location
        for name in reversed(names):
            location = location.child(name)
        return location

    def name_by(self, location: Location) -> None:
        """Note the location by which a step names it, and may change it."""
        self.named_path = location.requested_path
        # Built when it is needed: it takes 70 bytes for each of 100,000 files.
        if (
            self.named_path == location.display_path
            and self.named_location == location
        ):
            self.named_path = ""

    @property
    def has_new_rights(self) -> bool:
        """Return True if mode or owner of a file on the disk change."""
        if self.original is None:
            return False
        status = self.original.status
        return self.rights != (status.mode, status.uid, status.gid)

    @property
    def original_position(self) -> Position | None:
        """The position on the disk; None for a root and for a new node."""
        return self.original.position if self.original is not None else None

    def open_original(self) -> File:
        """Open the file on the disk. Raise `OSError`."""
        position = self.original_position
        assert position is not None
        folder = position.folder.open_original_folder()
        return folder.open(position.name, known_file=self.kind == "file")

    # Folders

    def open_original_folder(self, *, reading: bool = True) -> Folder:
        """Open the folder on the disk, also after it was moved."""
        assert self.original is not None
        return self.records.open_folders.reopen(
            self.original.location,
            self.original.status.identity,
            reading=reading,
        )

    def original_rules(self) -> DenyRules:
        """Return the rules for the names in the folder on the disk."""
        assert self.original is not None
        rules = self.records.original_rules.get(self)
        if rules is None:
            outer = None
            if self.original.parent is not None:
                outer = self.records.original_rules.get(self.original.parent)
            rules = self.records.boundary.rules_for(
                self.original.location,
                self.open_original_folder(),
                parent_rules=outer,
            )
            self.records.original_rules[self] = rules
        return rules

    def rules_at(self, name: bytes, outer: PositionRules) -> PositionRules:
        """Return the rules for the names in the folder, under a name in another folder.

        `outer` are the rules in that other folder.
        """
        if outer.is_original and self.position == self.original_position:
            return PositionRules(self.original_rules(), is_original=True)
        cached = self.records.entered_rules.get(self)
        if (
            cached is not None
            and cached.name == name
            and cached.outer == outer.rules
        ):
            return PositionRules(cached.rules, is_original=False)
        on_disk = None
        if self.source is not None:
            on_disk = self.source.open_original_folder()
        rules = outer.rules.enter(name, on_disk)
        self.records.entered_rules[self] = EnteredRules(
            name, outer.rules, rules
        )
        return PositionRules(rules, is_original=False)

    @property
    def nearest_status(self) -> Status:
        """The status of the nearest folder on the disk: of itself, or of one above."""
        folder = self
        while folder.original is None:
            assert folder.parent is not None
            folder = folder.parent
        return folder.original.status

    def child(self, name: bytes, requested_path: str) -> TreeNode | None:
        """Return the node under a name; load it from the disk the first time."""
        if name in self.children:
            return self.children[name]
        node = self._load_child(name, requested_path)
        if node is not None:
            position = node.original_position
            node.position = position or Position(self, name)
        if self.original is not None:
            if (
                node is not None
                and node.kind == "folder"
                and node.original is not None
            ):
                # A folder that was reached by another path before may have been moved
                # or deleted since: that node counts.
                identity = node.original.status.identity
                node = self.records.folders.setdefault(identity, node)
            self.original_children[name] = node
            if node is not None and node.original_position is not None:
                self.records.loaded.append(node)
        self.children[name] = node
        return node

    def _load_child(self, name: bytes, requested_path: str) -> TreeNode | None:
        """Return the node of a child on the disk, or of a copy of it; or None."""
        source = self.source
        if source is None:
            return None
        assert source.original is not None
        rules, folder = source.original_rules(), source.open_original_folder()
        try:
            status = folder.stat(name)
        except FileNotFoundError:
            # A name that rules deny is refused even where there is no file.
            rules.require_allowed(requested_path, name, None)
            return None
        except OSError as error:
            raise from_os_error(
                error, requested_path, doing="look at"
            ) from error
        rules.require_allowed(requested_path, name, status.kind == "folder")
        location = None
        if status.kind == "folder":
            location = source.original.location.child(name)
        original = OriginalFile(status.pack(), source, name, location)
        node = TreeNode.from_disk(self.records, requested_path, original)
        if node.kind == "link":
            try:
                node.target = folder.read_link(name)
            except OSError as error:
                # It is no link any more.
                raise errors.replaced_meanwhile(
                    f"{requested_path}: a link on the way", requested_path
                ) from error
        if source is self:
            return node
        # The folder is a copy: its children are copies too.
        if status.device != source.nearest_status.device:
            raise errors.other_file_system(original.location.display_path)
        return node.copy_into(self, requested_path)

    def child_names(self) -> list[bytes]:
        """Return every name that the tree has in the folder, sorted."""
        names: set[bytes] = set()
        if self.source is not None:
            names.update(self.source.open_original_folder().names())
        if self.source is not self:
            # Where a copy ends up below its source, its temporaries lie there already.
            names = {name for name in names if not is_temporary(name)}
        free_names = {
            name for name, node in self.children.items() if node is None
        }
        return sorted((names | self.children.keys()) - free_names)

    def iter_children(self) -> Iterator[tuple[bytes, TreeNode]]:
        """Yield every child; those that no step has looked at are not remembered."""
        for name in self.child_names():
            if name in self.children:
                node = self.children[name]
            else:
                node = self._load_child(name, self.requested_path)
            if node is not None:
                node.position = node.position or Position(self, name)
                yield name, node

    def put(
        self, name: bytes, node: TreeNode | None, requested_path: str
    ) -> None:
        """Put a node under a name; None frees the name."""
        previous = self.child(name, requested_path)
        # A node that was moved here and on has another position by now.
        if previous is not None and previous.position == (self, name):
            previous.position = None
        self.records.written.setdefault(self, requested_path)
        self.set_child(name, node)
        if node is not None:
            node.position = Position(self, name)
            self.records.has_arrivals = True

    def set_child(self, name: bytes, node: TreeNode | None) -> None:
        """Change the node under a name; the names on the disk stay as they were."""
        if self.children is self.original_children:
            self.children = dict(self.original_children)
        self.children[name] = node

    def put_new(
        self, kind: RecordedKind, name: bytes, requested_path: str
    ) -> TreeNode:
        """Put a new, empty node under a name."""
        rights = _rights_of_new(self.nearest_status, kind)
        node = TreeNode(self.records, kind, requested_path, rights)
        self.put(name, node, requested_path)
        return node

    def is_within(self, other: TreeNode) -> bool:
        """Return True if it is `other` or lies below it in the tree."""
        folder = self
        while folder is not other:
            if folder.parent is None:
                return False
            folder = folder.parent
        return True

    def was_within(self, other: TreeNode) -> bool:
        """Return True if it was `other` or lay below it on the disk."""
        folder = self
        while folder is not other:
            position = folder.original_position
            if position is None:
                return False
            folder = position.folder
        return True

    def dissolve(self) -> list[TreeNode]:
        """Let go of all other nodes; return those that were in the folder."""
        children = [*self.children.values(), *self.original_children.values()]
        if self.kind == "folder":
            self.children, self.original_children = _NO_CHILDREN, _NO_CHILDREN
        self.original = self.source = self.parent = None
        return [child for child in children if child is not None]

    # Copies

    def copy_into(self, folder: TreeNode, requested_path: str) -> TreeNode:
        """Return a copy of the node as it is in the tree, for a folder to put it in.

        Raise `not_a_file` for special files.
        """
        parent_status = folder.nearest_status
        copy = self._copy_alone(parent_status, requested_path)
        pending = [(self, copy)]
        while pending:
            source, copied_folder = pending.pop()
            for name, child in source.children.items():
                if child is None:
                    copied_folder.children[name] = None
                    continue
                copied_child = child._copy_alone(parent_status, requested_path)
                copied_child.position = Position(copied_folder, name)
                copied_folder.children[name] = copied_child
                pending.append((child, copied_child))
        return copy

    def _copy_alone(
        self, parent_status: Status, requested_path: str
    ) -> TreeNode:
        if self.kind == "other":
            raise errors.not_a_file(
                self.requested_path,
                self.kind,
                hint="only files, links and folders are copied",
            )
        copy = TreeNode(
            self.records,
            self.kind,
            requested_path,
            _rights_of_copy(self, parent_status),
            source=self.source,
            content_number=self.content_number,
            target=self.target,
            mtime_ns=self.mtime_ns,
            attributes=self.attributes,
        )
        # A copy of an edited file is no edit of the bytes on the disk.
        if self.edit_number is not None and self.content is not None:
            copy.set_new_content(self.content)
        return copy


def _group_of_new(parent_status: Status) -> tuple[int, int]:
    """Return the group of a new entry, and the setgid bit for a new folder."""
    if parent_status.mode & stat.S_ISGID:
        return parent_status.gid, stat.S_ISGID
    return system.effective_group_id(), 0


def _rights_of_new(parent_status: Status, kind: RecordedKind) -> Rights:
    """Return the rights of a new entry in a folder with a status."""
    uid = system.effective_user_id()
    gid, setgid = _group_of_new(parent_status)
    if kind == "link":
        return Rights(0o777, uid, gid)
    if kind == "folder":
        return Rights(0o777 & ~system.umask() | setgid, uid, gid)
    return Rights(0o666 & ~system.umask(), uid, gid)


def _rights_of_copy(node: TreeNode, parent_status: Status) -> Rights:
    """Return the rights of a copy in a folder with a status."""
    uid = system.effective_user_id()
    gid, _ = _group_of_new(parent_status)
    if node.kind == "link":
        return Rights(0o777, uid, gid)
    if uid in (0, node.rights.uid):
        return node.rights
    # A copy that belongs to another user must not run with that user's rights.
    return Rights(node.rights.mode & ~SPECIAL_MODE_BITS, uid, gid)


def is_kept_by_sticky_folder(folder: Status, entry: Status) -> bool:
    """Return True if a sticky folder keeps an entry from being removed by this user."""
    may_remove = (0, folder.uid, entry.uid)
    return (
        bool(folder.mode & stat.S_ISVTX)
        and system.effective_user_id() not in may_remove
    )
