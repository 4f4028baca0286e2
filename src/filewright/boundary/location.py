"""`Root` and `Location`: the form in which a path travels between packages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from filewright.boundary.names import quote, quote_exactly
from filewright.system import Folder


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """A folder that the workspace may touch, held open.

    The folder stays the same even if its path leads elsewhere later. `path` is the
    absolute path by which it was opened, `resolved_path` the same without links, and
    `identity` its device and inode. `index` is its position among the workspace's
    roots, and `has_siblings` is True if there are others. With `requires_prefix` a path
    must name its root.
    """

    name: str
    path: bytes
    folder: Folder
    identity: tuple[int, int]
    resolved_path: bytes = b""
    index: int = 0
    has_siblings: bool = False
    requires_prefix: bool = False

    @property
    def descriptor(self) -> int:
        """The folder's descriptor."""
        return self.folder.fileno()

    @property
    def resolved_prefix(self) -> bytes:
        """The resolved path with a slash, with which all paths below the root begin."""
        return self.resolved_path.rstrip(b"/") + b"/"

    def parts_within(self, folders: Sequence[bytes]) -> list[tuple[bytes, ...]]:
        """Return the parts, from the root, of each folder that lies below it.

        `folders` are absolute paths without links. Those outside the root are left out.
        """
        prefix = self.resolved_prefix
        return [
            tuple(path[len(prefix) :].split(b"/"))
            for path in folders
            if path.startswith(prefix)
        ]


@dataclass(frozen=True, slots=True)
class Location:
    """A root and a path below it.

    A location is a name, not a promise: nothing is known about it until it is opened.
    `parts` holds no `..`, no `.` and no empty part; `()` is the root itself.
    `spelling` is the path as the caller wrote it, if a caller did; two spellings of one
    path are the same location.
    """

    root: Root
    parts: tuple[bytes, ...]
    spelling: str = field(default="", compare=False)

    @property
    def name(self) -> bytes:
        """The last part; empty for the root."""
        return self.parts[-1] if self.parts else b""

    @property
    def path(self) -> bytes:
        """The path below the root, `b"."` for the root: a key, never to be opened."""
        return b"/".join(self.parts) or b"."

    @property
    def absolute(self) -> bytes:
        """The absolute path, for messages and for other programs."""
        if not self.parts:
            return self.root.path
        return b"/".join((self.root.path.rstrip(b"/"), *self.parts))

    @property
    def requested_path(self) -> str:
        """The path in messages: as the caller wrote it, or else `display_path`."""
        return self.spelling or self.display_path

    @property
    def display_path(self) -> str:
        """The path in results, which `Boundary.locate` reads back as this location.

        It is the path below the root, quoted where needed. `name:` precedes it unless
        it is in the first root.
        """
        return self.display_path_with(quote)

    @property
    def exact_display_path(self) -> str:
        """The path in results, in a form that no other path shares or resembles."""
        return self.display_path_with(quote_exactly)

    def display_path_with(self, quoting: Callable[[bytes], str]) -> str:
        """Return the path in results, with the part below the root quoted otherwise."""
        root, parts = self.root, self.parts
        has_prefix = root.index > 0 or root.requires_prefix
        prefix = f"{root.name}:" if has_prefix else ""
        if not parts:
            return prefix or "."
        path = b"/".join(parts)
        if not has_prefix:
            # `locate` would read these as a home folder, a URL, or the name of a root.
            looks_like_root = root.has_siblings and b":" in parts[0]
            if looks_like_root or path.startswith((b"~", b"file:")):
                path = b"./" + path
        return prefix + quoting(path)

    @property
    def parent(self) -> Location:
        """The location of the folder that holds it; the root is its own parent."""
        return Location(self.root, self.parts[:-1]) if self.parts else self

    def child(self, name: bytes) -> Location:
        """Return the location of `name` in this folder."""
        return Location(self.root, (*self.parts, name))

    def spelled(self, spelling: str) -> Location:
        """Return this location with the path as the caller wrote it."""
        return Location(self.root, self.parts, spelling)

    def is_within(self, other: Location) -> bool:
        """Return True if this is the other location or lies below it."""
        return (
            self.root == other.root
            and self.parts[: len(other.parts)] == other.parts
        )


class LocationPacker:
    """Locations as fields of packed values, in which roots are numbers."""

    def __init__(self) -> None:
        self._roots: list[Root] = []

    def pack(self, location: Location) -> tuple[int, tuple[bytes, ...], str]:
        """Return the fields of a location."""
        if location.root not in self._roots:
            self._roots.append(location.root)
        spelling = location.spelling
        if spelling == location.display_path:
            # A location without a spelling is displayed the same.
            spelling = ""
        return self._roots.index(location.root), location.parts, spelling

    def unpack(self, fields: tuple[int, tuple[bytes, ...], str]) -> Location:
        """Return the location with these fields."""
        root_index, parts, spelling = fields
        return Location(self._roots[root_index], parts, spelling)
