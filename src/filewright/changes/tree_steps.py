"""The steps of a change set, applied to the tree of a change.

A step that the operating system would refuse later is refused here, before anything is
begun: rights, owners, mounts, links and protected names.
"""

from __future__ import annotations

import stat

from filewright import errors, system
from filewright.boundary.location import Location
from filewright.changes import modes
from filewright.changes.blobs import (
    DiskContent,
    MemoryContent,
    SplicedContent,
    compute_digest,
)
from filewright.changes.change_tree import (
    ChangeTree,
    DeferredChangeSet,
    TreeEntry,
)
from filewright.changes.tree_node import (
    SPECIAL_MODE_BITS,
    Position,
    Rights,
    TreeNode,
    is_kept_by_sticky_folder,
    shared_rights,
)
from filewright.edit.changeset import (
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
from filewright.errors import Code, FilewrightError
from filewright.hints import Hint
from filewright.text.splice import require_ordered

_WRITE_BITS = 0o222


def apply_steps(tree: ChangeTree) -> None:
    """Apply all steps of the tree's change set, in order.

    Raise the refusal of a step.
    """
    change_set = tree.change_set
    steps = change_set.steps
    if isinstance(change_set, DeferredChangeSet):
        steps = change_set.build_steps(tree)
    tree.records.steps = steps
    for number, step in enumerate(steps):
        if isinstance(step, Modify):
            _modify(tree, step, number)
        else:
            apply_step(tree, step)


def apply_step(tree: ChangeTree, step: Step) -> None:
    """Apply one step that is no edit."""
    match step:
        case Modify():
            raise AssertionError("an edit is known by its number")
        case Create():
            _create(tree, step)
        case MakeLink():
            _make_link(tree, step)
        case MakeFolder():
            _make_folder(tree, step)
        case Delete():
            _delete(tree, step)
        case Move():
            _move(tree, step)
        case Copy():
            arrive(tree, tree.require_node(step.source), step)
        case SetMode():
            _set_mode(tree, step)
        case SetOwner():
            _set_owner(tree, step)


# Contents


def _modify(tree: ChangeTree, step: Modify, number: int) -> None:
    location = step.location
    entry = tree.find(location, changing=True)
    node = _prepare_rewrite(tree, entry, location, step.expected)
    base = node.content
    assert base is not None
    require_ordered(step.splices, base.size)
    # A file may need a new inode for other reasons and still have its bytes on the
    # disk.
    is_first_edit = (
        isinstance(base, DiskContent) and base.opener == node.open_original
    )
    if is_first_edit:
        node.edit_number = number
    else:
        node.set_new_content(
            SplicedContent(
                base, step.splices, step.encoding_check, location.requested_path
            )
        )
    node.needs_new_inode = True
    node.mtime_ns = step.mtime_ns


def _create(tree: ChangeTree, step: Create) -> None:
    location = step.location
    entry = tree.find(location, create=True, changing=True)
    node = entry.node
    if node is None:
        if step.expected is not None:
            raise errors.changed_since_read(location.requested_path)
        node = entry.folder.put_new("file", entry.name, location.requested_path)
        node.name_by(location)
    else:
        # A link is refused below, with a better reason.
        if not step.replace and node.kind != "link":
            raise errors.already_exists(location.requested_path)
        _prepare_rewrite(tree, entry, location, step.expected)
        _expect_on_disk(node, step.expected)
    if isinstance(step.content, bytes):
        node.set_new_content(MemoryContent(step.content))
    else:
        node.set_new_content(step.content)
    node.needs_new_inode = True
    mode = step.mode and system.storable_mode(step.mode, is_folder=False)
    node.rights = _with_rights(node.rights, mode, step.uid, step.gid)
    node.mtime_ns, node.attributes = step.mtime_ns, step.attributes


def _prepare_rewrite(
    tree: ChangeTree,
    entry: TreeEntry,
    location: Location,
    expected: ExpectedState | None,
) -> TreeNode:
    """Check a file for new content, which must not run with its owner's rights."""
    node = _require_writable_file(tree, entry, location)
    if expected is not None:
        _require_expected(node, expected, location)
    mode = _without_special_bits(node.rights.mode)
    if mode != node.rights.mode and not tree.is_undo:
        node.rights = _with_rights(node.rights, mode)
        tree.notes.append(
            f"{location.display_path}: the setuid and setgid bits are lost "
            "with the new content"
        )
    return node


def _require_writable_file(
    tree: ChangeTree, entry: TreeEntry, location: Location
) -> TreeNode:
    """Return a node that is a file and may be written to."""
    node = entry.node
    if node is None:
        raise errors.missing(location.requested_path)
    if node.kind == "link":
        raise tree.boundary.link_refusal(location)
    if node.kind != "file":
        raise errors.not_a_file(location.requested_path, node.kind)
    tree.records.written.setdefault(entry.folder, location.requested_path)
    node.name_by(location)
    original = node.original
    if original is not None and original.parent and not node.needs_new_inode:
        _require_writable_mode(node, original.status.mode, original.status.uid)
        if original.status.link_count > 1:
            tree.hard_linked.append((node, location))
    return node


def _require_writable_mode(
    node: TreeNode, original_mode: int, owner: int
) -> None:
    position = node.original_position
    assert position is not None
    mode = node.rights.mode
    if not mode & _WRITE_BITS:
        raise errors.unwritable_file(
            node.requested_path, f"{original_mode:04o}"
        )
    # Root may write to everything that is not immutable.
    if mode == original_mode:
        folder = position.folder.open_original_folder()
        if not folder.is_writable(position.name):
            if owner == system.effective_user_id():
                raise errors.unwritable_file(node.requested_path, f"{mode:04o}")
            raise errors.not_permitted(
                node.requested_path,
                f"belongs to user {owner}, and you may not write to it (mode "
                f"{mode:04o})",
            )


def _require_expected(
    node: TreeNode, expected: ExpectedState, location: Location
) -> None:
    """Refuse a step that was made against another content."""
    content = node.content
    assert content is not None
    if expected.size != content.size:
        raise errors.changed_since_read(location.requested_path)
    # The file on the disk is compared when it is saved for undo.
    if (
        node.needs_new_inode
        and expected.digest is not None
        and compute_digest(content) != expected.digest
    ):
        raise errors.changed_since_read(location.requested_path)


def _expect_on_disk(node: TreeNode, expected: ExpectedState | None) -> None:
    """Note the expected state of a file whose content is on the disk."""
    if expected is not None and not node.needs_new_inode:
        node.own_expected = expected


# Names


def _make_link(tree: ChangeTree, step: MakeLink) -> None:
    requested_path = step.location.requested_path
    entry = tree.find(step.location, create=True, changing=True)
    if entry.node is not None:
        raise errors.already_exists(requested_path)
    node = entry.folder.put_new("link", entry.name, requested_path)
    node.name_by(step.location)
    node.target = step.target
    node.rights = _with_rights(node.rights, uid=step.uid, gid=step.gid)


def _make_folder(tree: ChangeTree, step: MakeFolder) -> None:
    requested_path = step.location.requested_path
    entry = tree.find(step.location, create=True, changing=True)
    if entry.node is None:
        node = entry.folder.put_new("folder", entry.name, requested_path)
        node.name_by(step.location)
        node.attributes = step.attributes or None
    elif entry.node.kind != "folder":
        raise errors.not_a_folder(requested_path, hint="choose another name")


def _delete(tree: ChangeTree, step: Delete) -> None:
    location = step.location
    requested_path = location.requested_path
    try:
        folder, name, node = tree.find(location, changing=True)
        if node is None:
            raise errors.missing(requested_path)
    except FilewrightError as error:
        if error.code is Code.NOT_FOUND and step.missing_ok:
            return
        raise
    if node.kind == "folder" and not step.recursive and node.child_names():
        raise FilewrightError(
            Code.NOT_A_FILE,
            f"{requested_path} is a folder that is not empty",
            hint=Hint(
                "give recursive=true to delete it with all that is in it",
                shell="delete the files in it first",
            ),
            details={"path": requested_path},
        )
    _require_removable(tree, folder, node, location)
    # Links and folders have no content that a step could be made against.
    if step.expected is not None and node.kind == "file":
        _require_expected(node, step.expected, location)
        _expect_on_disk(node, step.expected)
    _note_read_only(tree, node, location)
    node.name_by(location)
    node.must_be_empty = not step.recursive
    folder.put(name, None, requested_path)


def _move(tree: ChangeTree, step: Move) -> None:
    entry = tree.find(step.source, changing=True)
    if entry.node is None:
        raise errors.missing(step.source.requested_path)
    _note_read_only(tree, entry.node, step.source)
    arrive(tree, entry.node, step, leaves=entry.position)


def leave(
    tree: ChangeTree, node: TreeNode, location: Location, position: Position
) -> None:
    """Take a node out of a position; `arrive` puts it in another."""
    folder, name = position
    tree.records.written.setdefault(folder, location.requested_path)
    _require_removable(tree, folder, node, location)
    folder.set_child(name, None)


def arrive(
    tree: ChangeTree,
    node: TreeNode,
    step: Move | Copy,
    *,
    leaves: Position | None = None,
) -> None:
    """Put a node, or a copy of it, at the destination of a step.

    `leaves` is the position of a node that is moved, unless it has left it already.
    """
    source, destination = step.source, step.destination
    requested_path = destination.requested_path
    folder, name, occupant = tree.find(destination, create=True, changing=True)
    if node.kind == "folder" and folder.is_within(node):
        raise errors.into_itself(source.requested_path, requested_path)
    if occupant is node:
        raise errors.source_is_destination(requested_path)
    if leaves is not None:
        leave(tree, node, source, leaves)
    if isinstance(step, Copy):
        node = node.copy_into(folder, requested_path)
    elif node.original_position is not None:
        if tree.copy_moves or _crosses_devices(node.original_position, folder):
            # The original has no position any more, so it goes as a deleted file does.
            node.name_by(source)
            node.position = None
            node = node.copy_into(folder, requested_path)
        else:
            _require_movable_folder(node, folder, source)
    tree.records.arrivals[node] = step
    if occupant is not None:
        _require_replaceable(
            tree, TreeEntry(folder, name, occupant), node, step
        )
    folder.put(name, node, requested_path)


def _crosses_devices(original_position: Position, folder: TreeNode) -> bool:
    original_device = original_position.folder.nearest_status.device
    return folder.nearest_status.device != original_device


def _require_movable_folder(
    node: TreeNode, folder: TreeNode, source: Location
) -> None:
    """Refuse to move a folder that cannot be written to: its `..` would change."""
    position = node.original_position
    assert position is not None
    if node.kind != "folder" or position.folder is folder:
        return
    if not node.open_original_folder().is_writable():
        raise errors.not_permitted(
            source.requested_path,
            "is a folder without write permission, so it can be renamed but "
            "not moved",
        )


def _require_replaceable(
    tree: ChangeTree, entry: TreeEntry, node: TreeNode, step: Move | Copy
) -> None:
    """Refuse to overwrite the node at the destination of a step."""
    occupant, destination = entry.node, step.destination
    requested_path = destination.requested_path
    assert occupant is not None
    if not step.overwrite:
        raise errors.already_exists(requested_path)
    if occupant.kind == "folder" != node.kind:
        raise errors.not_a_file(
            requested_path,
            "folder",
            hint="give the whole destination, with the file's name in that "
            "folder",
        )
    if node.kind == "folder" != occupant.kind:
        raise errors.not_a_folder(requested_path)
    if node.parent is not None and node.parent.is_within(occupant):
        raise errors.into_itself(requested_path, requested_path)
    _require_removable(tree, entry.folder, occupant, destination)
    if occupant.kind == "file":
        _require_writable_file(tree, entry, destination)
    occupant.named_path = requested_path


def _require_removable(
    tree: ChangeTree, folder: TreeNode, node: TreeNode, location: Location
) -> None:
    """Refuse to take a node out of a folder.

    That is a root or a folder with a root in it, a mount, a link on the way to
    something protected, and an entry that a sticky folder keeps.
    """
    original = node.original
    if original is None:
        return
    requested_path = location.requested_path
    if node.kind == "link" and original.parent is not None:
        link = original.location.spelled(requested_path)
        tree.boundary.require_link_allowed(link)
    if node.kind == "folder":
        _require_no_root_or_mount(tree, node, original.location, requested_path)
    if folder.original is None:
        # In a new folder nothing on the disk keeps the node.
        return
    folder_status = folder.original.status
    if original.status.device != folder_status.device:
        raise errors.other_file_system(location.display_path)
    if is_kept_by_sticky_folder(folder_status, original.status):
        raise errors.not_permitted(
            requested_path,
            "belongs to another user, and only owners may remove files in its "
            "folder",
        )


def _require_no_root_or_mount(
    tree: ChangeTree, node: TreeNode, location: Location, requested_path: str
) -> None:
    root_path = location.root.resolved_path.rstrip(b"/")
    path = b"/".join((root_path, *location.parts))
    for root in tree.boundary.roots:
        other = root.resolved_path
        if other == path or other.startswith(path + b"/"):
            raise errors.contains_root(requested_path, root.name)
    mounts = node.open_original_folder(reading=False).mounts_below()
    if mounts:
        # A move would take the mount with it, and the user who mounts it would not find
        # it.
        mount = Location(
            location.root, (*location.parts, *mounts[0].split(b"/"))
        )
        raise errors.contains_mount(requested_path, mount.display_path)


def _note_read_only(
    tree: ChangeTree, node: TreeNode, location: Location
) -> None:
    """Note that a read-only file goes, which only its folder allows."""
    if node.kind != "file" or node.original is None or tree.is_undo:
        return
    mode = node.original.status.mode
    if not mode & _WRITE_BITS:
        tree.notes.append(
            f"{location.display_path} was read-only (mode {mode:04o})"
        )


# Rights


def _set_mode(tree: ChangeTree, step: SetMode) -> None:
    node = _require_owned(tree, step)
    before, is_folder = node.rights.mode, node.kind == "folder"
    mode = modes.resolve_mode(step.mode, before, is_folder=is_folder)
    # A step may clear setuid and setgid, but not set them.
    if mode & ~before & SPECIAL_MODE_BITS and not tree.is_undo:
        raise errors.special_mode_bits(step.location.requested_path)
    storable_mode = system.storable_mode(mode, is_folder=is_folder)
    if storable_mode != mode:
        raise errors.unsupported_mode(
            step.location.requested_path, mode, storable_mode
        )
    node.rights = _with_rights(node.rights, mode)


def _set_owner(tree: ChangeTree, step: SetOwner) -> None:
    node = _require_owned(tree, step)
    mode = None
    if node.kind == "file" and node.original is not None and not tree.is_undo:
        # The kernel clears these bits when the owner of a file changes.
        mode = _without_special_bits(node.rights.mode)
    node.rights = _with_rights(node.rights, mode, step.uid, step.gid)


def _require_owned(tree: ChangeTree, step: SetMode | SetOwner) -> TreeNode:
    """Return the node of a step if this user may change its mode or owner."""
    location, user = step.location, system.effective_user_id()
    requested_path = location.requested_path
    node = tree.require_node(location, changing=True)
    if node.kind == "link":
        raise tree.boundary.link_refusal(location)
    if node.kind == "other":
        raise errors.not_a_file(requested_path, node.kind)
    status = node.original.status if node.original is not None else None
    if (
        status is not None
        and node.kind == "file"
        and not node.needs_new_inode
        and status.link_count > 1
    ):
        # The inode may have a name outside of the roots, which would change too.
        tree.hard_linked.append((node, location))
        node.needs_new_inode = True
    node.name_by(location)
    if status is None or user == 0:
        return node
    if status.uid != user:
        raise errors.not_permitted(requested_path, "belongs to another user")
    if isinstance(step, SetOwner) and (
        step.uid not in (None, user)
        or step.gid not in (None, status.gid, *system.group_ids())
    ):
        raise errors.not_permitted(
            requested_path, "needs the user root to get another owner or group"
        )
    return node


def _with_rights(
    rights: Rights,
    mode: int | None = None,
    uid: int | None = None,
    gid: int | None = None,
) -> Rights:
    """Return rights with those that are given replaced."""
    return shared_rights(
        rights.mode if mode is None else mode,
        rights.uid if uid is None else uid,
        rights.gid if gid is None else gid,
    )


def _without_special_bits(mode: int) -> int:
    """Return a mode as the kernel leaves it when another user writes to the file."""
    if mode & stat.S_IXGRP:
        mode &= ~stat.S_ISGID
    return mode & ~stat.S_ISUID
