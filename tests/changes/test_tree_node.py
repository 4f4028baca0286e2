"""Files, links and folders of a change."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from filewright.changes.change_tree import ChangeTree
from filewright.changes.open_folders import OpenFolders
from filewright.changes.tree_node import (
    TreeNode,
    is_kept_by_sticky_folder,
    shared_rights,
)
from filewright.edit.changeset import ChangeSet
from filewright.errors import FilewrightError
from filewright.progress import Task


@pytest.fixture
def root(bench: Any) -> Iterator[TreeNode]:
    os.symlink("a.txt", bench.root / "link")
    with (
        OpenFolders(bench.boundary) as open_folders,
        ChangeTree(
            bench.boundary, open_folders, ChangeSet("t", "s", ()), Task()
        ) as tree,
    ):
        position = tree.require_node(bench.at("a.txt")).position
        assert position is not None
        yield position.folder


def child(folder: TreeNode, name: str) -> TreeNode:
    node = folder.child(name.encode(), name)
    assert node is not None
    return node


def test_loads_from_disk_once(bench: Any, root: TreeNode) -> None:
    node = child(root, "a.txt")
    assert node is child(root, "a.txt")
    assert (node.kind, node.needs_new_inode) == ("file", False)
    assert node.original is not None
    assert node.original.location == bench.at("a.txt")
    assert child(root, "link").target == b"a.txt"
    assert root.child(b"new", "new") is None
    with node.open_original() as file:
        assert file.read(0, 9) == b"one\ntwo\nt"


def test_names_after_steps(root: TreeNode) -> None:
    node = child(root, "a.txt")
    root.put(b"a.txt", None, "a.txt")
    root.put(b"z.txt", node, "z.txt")
    root.put_new("folder", b"new", "new")
    names = [b"b.txt", b"f", b"link", b"new", b"z.txt"]
    assert root.child_names() == names
    assert [name for name, _ in root.iter_children()] == names
    assert node.position == (root, b"z.txt")
    assert node.original_position == (root, b"a.txt")


def test_within_tree_and_disk(root: TreeNode) -> None:
    f = child(root, "f")
    g = child(f, "g")
    assert g.is_within(f)
    f.put(b"g", None, "f/g")
    root.put(b"g", g, "g")
    assert not g.is_within(f)
    assert g.was_within(f)
    assert g.is_within(root)


def test_moved_folder_has_its_children(root: TreeNode) -> None:
    g = child(child(root, "f"), "g")
    child(root, "f").put(b"g", None, "f/g")
    root.put(b"h", g, "h")
    assert child(child(root, "h"), "y.txt").kind == "file"


def test_copies_folder_as_it_is_in_tree(root: TreeNode) -> None:
    f = child(root, "f")
    f.put(b"x.txt", None, "f/x.txt")
    f.put_new("file", b"new", "f/new")
    copy = f.copy_into(root, "copy")
    root.put(b"copy", copy, "copy")
    assert copy.child_names() == [b"g", b"new"]
    # This is read from the folder on the disk when it is needed.
    node = child(child(copy, "g"), "y.txt")
    assert node.original is None
    assert node.source is not None
    assert node.needs_new_inode


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipe")
def test_special_files_are_not_copied(bench: Any, root: TreeNode) -> None:
    os.mkfifo(bench.root / "pipe")
    with pytest.raises(FilewrightError):
        child(root, "pipe").copy_into(root, "copy")


def test_denied_names(bench: Any, root: TreeNode) -> None:
    (bench.root / "f/.agentsignore").write_text("[x-z].txt\n")
    folder = child(root, "f")
    for name in (b"x.txt", b"y.txt"):
        # A name without a file is refused like that of a file.
        with pytest.raises(FilewrightError):
            folder.child(name, "a name")


def test_new_rights(root: TreeNode) -> None:
    node = child(root, "a.txt")
    assert not node.has_new_rights
    mode, uid, gid = node.rights
    node.rights = shared_rights(mode ^ 0o100, uid, gid)
    assert node.has_new_rights
    assert not root.put_new("file", b"new", "new").has_new_rights
    assert shared_rights(0o600, 1, 2) is shared_rights(0o600, 1, 2)


def test_lets_go_of_other_nodes(root: TreeNode) -> None:
    f = child(root, "f")
    x = child(f, "x.txt")
    assert f.dissolve() == [x, x]
    assert (f.original, f.position, f.children) == (None, None, {})


def test_sticky_folder(bench: Any, root: TreeNode) -> None:
    (bench.root / "f").chmod(0o1777)
    status = bench.boundary.stat(bench.at("f"))
    entry = bench.boundary.stat(bench.at("f/x.txt"))
    # The user who runs this owns both.
    assert not is_kept_by_sticky_folder(status, entry)
