"""`Root` and `Location`: the only form in which a path travels between rooms."""

from __future__ import annotations

from dataclasses import dataclass, field

from filewright.boundary.launcher import Launcher
from filewright.boundary.names import quote
from filewright.system import Folder


@dataclass(frozen=True, slots=True)
class Root:
    """A folder the workspace may touch, held open: what it was called may change, what it is may not.

    `path` is absolute, as it was opened; `resolved` is the same with links resolved. `index` is its
    place among the workspace's roots and `several` says whether there are others; `strict`, that no path
    is taken without its root. `launcher` starts
    programs that can read below all of these roots and do nothing else.
    """

    name: str = field(compare=False)
    path: bytes = field(compare=False)
    folder: Folder = field(compare=False)
    device: int
    inode: int
    resolved: bytes = field(default=b"", compare=False)
    index: int = field(default=0, compare=False)
    several: bool = field(default=False, compare=False)
    strict: bool = field(default=False, compare=False)
    launcher: Launcher | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.resolved:
            object.__setattr__(self, "resolved", self.path)

    @property
    def fd(self) -> int:
        """The folder's descriptor."""
        return self.folder.fileno()


@dataclass(frozen=True, slots=True)
class Location:
    """A place below a root. A name, not a promise: nothing is known about it until it is opened.

    `parts` holds no `..`, no `.` and no empty part; `()` is the root itself. `asked` is how the
    caller wrote it, for messages, and takes no part in equality.
    """

    root: Root
    parts: tuple[bytes, ...]
    asked: str = field(default="", compare=False)

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
        return b"/".join((self.root.path.rstrip(b"/"), *self.parts)) if self.parts else self.root.path

    @property
    def shown(self) -> str:
        """How results name it: what `Boundary.locate` reads back as this same place.

        The path below its root, quoted where needed, after `name:` unless it is in the first root.
        """
        return shown_as(self.root, self.parts)

    @property
    def parent(self) -> Location:
        """The folder that holds it; the root is its own parent."""
        if not self.parts:
            return self
        parts = self.parts[:-1]
        return Location(self.root, parts, shown_as(self.root, parts))

    def child(self, name: bytes) -> Location:
        """The place `name` in this folder."""
        parts = (*self.parts, name)
        return Location(self.root, parts, shown_as(self.root, parts))

    def holds(self, other: Location) -> bool:
        """Whether `other` is this place or is named below it."""
        return self.root == other.root and other.parts[: len(self.parts)] == self.parts


def shown_as(root: Root, parts: tuple[bytes, ...]) -> str:
    """How the place `parts` below `root` is shown: see `Location.shown`."""
    prefix = f"{root.name}:" if root.index or root.strict else ""
    if not parts:
        return prefix or "."
    path = b"/".join(parts)
    if not prefix and (path.startswith((b"~", b"file:")) or (root.several and b":" in parts[0])):
        path = b"./" + path
    return prefix + quote(path)
