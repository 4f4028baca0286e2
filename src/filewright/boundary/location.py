"""`Root` and `Location`: the only form in which a path travels between packages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from filewright.boundary.launcher import Launcher
from filewright.boundary.names import quote, quote_exactly
from filewright.system import Folder


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """A folder the workspace may touch, held open: what it was called may change, what it is may not.

    `path` is absolute, as it was opened; `resolved` is the same with links resolved. `identity` is its
    device and inode, which say which folder it is. `number` is its
    place among the workspace's roots and `several` says whether there are others; `strict`, that no path
    is taken without its root. `launcher` starts
    programs that can read below all of these roots and do nothing else.
    """

    name: str
    path: bytes
    folder: Folder
    identity: tuple[int, int]
    launcher: Launcher
    resolved_path: bytes = b""
    index: int = 0
    has_siblings: bool = False
    requires_prefix: bool = False

    @property
    def descriptor(self) -> int:
        """The folder's descriptor."""
        return self.folder.fileno()

    def parts_within(self, folders: Sequence[bytes]) -> list[tuple[bytes, ...]]:
        """The paths below it of those of `folders`, absolute and without links, that lie there."""
        start = self.resolved_path.rstrip(b"/") + b"/"
        return [
            tuple(path[len(start) :].split(b"/"))
            for path in folders
            if path.startswith(start)
        ]


class _RootAndParts(NamedTuple):
    """What makes two locations the same one."""

    root: Root
    parts: tuple[bytes, ...]


class Location(_RootAndParts):
    """A place below a root. A name, not a promise: nothing is known about it until it is opened.

    `parts` holds no `..`, no `.` and no empty part; `()` is the root itself. `given` is how the
    caller wrote it: whoever makes it of that says so at once, and it takes no part in equality.
    """

    spelling: str = ""

    @property
    def name(self) -> bytes:
        """The last part; empty for the root."""
        return self.parts[-1] if self.parts else b""

    @property
    def path(self) -> bytes:
        """The path below the root, `b"."` for the root: for sorting and keys, never for trust."""
        return b"/".join(self.parts) or b"."

    @property
    def absolute(self) -> bytes:
        """The path from the top, for messages and for other programs."""
        return (
            b"/".join((self.root.path.rstrip(b"/"), *self.parts))
            if self.parts
            else self.root.path
        )

    @property
    def requested_path(self) -> str:
        """How messages name it: as the caller wrote it, or as results do if nobody asked for it."""
        return self.spelling or self.display_path

    @property
    def display_path(self) -> str:
        """How results name it: what `Boundary.locate` reads back as this same place.

        The path below its root, quoted where needed, after `name:` unless it is in the first root.
        """
        return self.display_path_with(quote)

    @property
    def exact_display_path(self) -> str:
        """The same in a form that tells it from every path that looks the same."""
        return self.display_path_with(quote_exactly)

    def display_path_with(self, quoting: Callable[[bytes], str]) -> str:
        """The same with the path in another quoted form."""
        root, parts = self.root, self.parts
        prefix = f"{root.name}:" if root.index or root.requires_prefix else ""
        if not parts:
            return prefix or "."
        path = b"/".join(parts)
        if not prefix and (
            path.startswith((b"~", b"file:"))
            or (root.has_siblings and b":" in parts[0])
        ):
            path = b"./" + path
        return prefix + quoting(path)

    @property
    def parent(self) -> Location:
        """The folder that holds it; the root is its own parent."""
        return Location(self.root, self.parts[:-1]) if self.parts else self

    def child(self, name: bytes) -> Location:
        """The place `name` in this folder."""
        return Location(self.root, (*self.parts, name))

    def is_within(self, other: Location) -> bool:
        """Whether this is the other place or is named below it."""
        return self.root == other.root and self.parts[: len(other.parts)] == other.parts
