"""Sessions of calls: as they were recorded, and as the code plays them now."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from filewright import Settings, Workspace

FILE = Path(__file__).with_name("first-version.jsonl.xz")
OUTSIDE = "(outside)"
"""The tool of a step that is no call: another program writes a file (`path`, `content`)."""

Kind = Literal["file", "folder", "link", "pipe"]
Surface = Literal["native", "agent-tools", "largefile", "filesystem"]
SURFACES: tuple[Surface, ...] = ("native", "agent-tools", "largefile", "filesystem")


@dataclass(frozen=True, slots=True)
class Node:
    """One name of a tree: a file's bytes or a link's target, one character a byte, and the mode."""

    kind: Kind
    mode: int = 0
    content: str = ""


Tree = dict[str, Node]
"""A whole tree, by the paths below its base."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call and what came of it. `changed` holds the names that differ from before; None: gone.

    In `arguments` and `text` stand ``<base>`` for the folder of the session, and ``<change 1>``,
    ``<version 1>``, ``<cursor 1>`` for tokens in the order they were first seen.
    """

    id: str
    tool: str
    arguments: dict[str, Any]
    text: str = ""
    code: str | None = None
    tree: str = ""
    changed: dict[str, Node | None] | None = None

    @property
    def surface(self) -> str:
        """Where the call was made: ``native`` or a dialect."""
        return self.id.rsplit("-", 1)[0]


@dataclass(frozen=True, slots=True)
class Session:
    """Calls made one after the other. `roots` are as a workspace takes them, below the session's base."""

    name: str
    surface: Surface
    roots: tuple[str, ...]
    settings: dict[str, Any]
    before: Tree
    twins: dict[str, str]
    """Further names of files of `before`: hard links."""
    calls: tuple[Call, ...]


def tree_of(base: Path, roots: Sequence[str]) -> Tree:
    """Everything below the roots."""
    found: Tree = {}

    def add(path: bytes, name: bytes) -> None:
        status = os.lstat(path)
        mode = stat.S_IMODE(status.st_mode)
        shown = os.fsdecode(name)
        if stat.S_ISLNK(status.st_mode):
            found[shown] = Node("link", 0, os.readlink(path).decode("latin-1"))
        elif stat.S_ISREG(status.st_mode):
            with open(path, "rb") as file:
                found[shown] = Node("file", mode, file.read().decode("latin-1"))
        elif stat.S_ISDIR(status.st_mode):
            found[shown] = Node("folder", mode)
            for each in sorted(os.listdir(path)):
                add(path + b"/" + each, name + b"/" + each)
        else:
            found[shown] = Node("pipe", mode)

    for root in roots:
        folder = folder_of(root).encode()
        add(os.fsencode(base) + b"/" + folder, folder)
    return found


def folder_of(root: str) -> str:
    """The folder of a root that may be given as ``name=folder``."""
    return root.rsplit("=", maxsplit=1)[-1]


def digest(tree: Tree) -> str:
    """What a tree is known by."""
    lines = [f"{name!r} {node.kind} {node.mode:o} {node.content!r}" for name, node in sorted(tree.items())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def difference(before: Tree, after: Tree) -> dict[str, Node | None]:
    """The names that are not the same in both, with what they are after."""
    names = sorted(before.keys() | after.keys())
    return {name: after.get(name) for name in names if before.get(name) != after.get(name)}


def applied(tree: Tree, changed: dict[str, Node | None]) -> Tree:
    """The tree after a difference."""
    both = {**tree, **changed}
    return {name: node for name, node in both.items() if node is not None}


def make(base: Path, changed: dict[str, Node | None]) -> None:
    """Make names as they are in `changed`, whatever is there."""
    for name in sorted(changed, reverse=True):
        path = base / name
        if path.is_symlink() or path.is_file() or path.is_fifo():
            path.unlink()
        elif path.is_dir() and (node := changed[name]) is not None and node.kind == "folder":
            path.chmod(node.mode)
        elif path.is_dir():
            shutil.rmtree(path)
    for name, node in sorted(changed.items()):
        path = base / name
        if node is None:
            continue
        if node.kind == "folder":
            path.mkdir(exist_ok=True)
        elif node.kind == "link":
            os.symlink(node.content.encode("latin-1"), os.fsencode(path))
        elif node.kind == "pipe":
            os.mkfifo(path)
        else:
            path.write_bytes(node.content.encode("latin-1"))
        if node.kind != "link":
            path.chmod(node.mode)
    for moment, name in enumerate(sorted(changed, reverse=True)):
        if changed[name] is not None:
            os.utime(base / name, (1_700_000_000 + 60 * moment,) * 2, follow_symlinks=False)


@contextmanager
def base_folder() -> Iterator[Path]:
    """A folder for one session, its path always of one length, so that pages are cut at the same places."""
    memory = Path("/dev/shm")
    where = memory if memory.is_dir() and os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(
        prefix="filewright-", dir=os.environ.get("FILEWRIGHT_TEST_DIR", where)
    ) as made:
        base = Path(made, "b" * max(1, 63 - len(made)))
        base.mkdir()
        yield base


_TOKENS = {
    "cursor": re.compile(r"(?<=cursor=)[\w-]+"),
    "change": re.compile(r"\b1[0-9a-hjkmnp-tv-z]{12}\b"),
    "version": re.compile(r"~?\b(?=\w*[0-9])[0-9a-f]{16}\b"),
}
_PASSING = (
    (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?"), "<time>"),
    (re.compile(r"\d+ (s|min|h) ago"), "<ago>"),
    (re.compile(r"(?<=mode \d{4} )\S+:\S+(?=;)"), "<owner>"),
    (re.compile(r"(?<=^owner: )\S+|(?<=^group: )\S+|(?<=^[ug]id: )\d+", re.MULTILINE), "<owner>"),
    (re.compile(r'(?<="[ug]id": )\d+'), "<owner>"),
    (re.compile(r"(?<=^type: folder\nsize: )\d+", re.MULTILINE), "<size>"),
    (re.compile(r'(?<="isDirectory": true, "isSymbolicLink": false, "size": )\d+'), "<size>"),
    (re.compile(r"(?<=took )[\d.]+ ?m?s"), "<duration>"),
)


class Spelling:
    """The tokens of one session that are never twice the same, and the names that stand for them."""

    def __init__(self, base: Path) -> None:
        self._base = str(base)
        self._names: dict[str, str] = {}
        self._values: dict[str, str] = {}

    def plain(self, text: str) -> str:
        """`text` with names for everything that is of this session alone."""
        text = text.replace(self._base, "<base>")
        for kind, pattern in _TOKENS.items():
            text = pattern.sub(lambda found, kind=kind: self._named(kind, found[0]), text)  # type: ignore[misc]
        for passing, name in _PASSING:
            text = passing.sub(name, text)
        return text

    def filled(self, value: Any) -> Any:
        """Arguments with what the names in them stand for."""
        if isinstance(value, str):
            text = value.replace("<base>", self._base)
            return re.sub(r"<\w+ \d+>", lambda found: self._values.get(found[0], found[0]), text)
        if isinstance(value, list):
            return [self.filled(item) for item in value]
        if isinstance(value, dict):
            return {key: self.filled(item) for key, item in value.items()}
        return value

    def known(self, kind: str) -> list[str]:
        """The names of a kind that have been given."""
        return [name for name in self._values if name.startswith(f"<{kind} ")]

    def _named(self, kind: str, token: str) -> str:
        if token not in self._names:
            name = f"<{kind} {len(self.known(kind)) + 1}>"
            self._names[token], self._values[name] = name, token
        return self._names[token]


class Stage:
    """The workspace of a session, and the calls made in it."""

    def __init__(self, base: Path, session: Session) -> None:
        self.base = base
        self.session = session
        self.spelling = Spelling(base)
        make(base, dict(session.before))
        for name, other in session.twins.items():
            (base / name).unlink()
            os.link(base / other, base / name)
        self.tree = tree_of(base, session.roots)
        roots = [root.replace(folder_of(root), str(base / folder_of(root))) for root in session.roots]
        self.workspace = Workspace(*roots, state_dir=base / "state", settings=Settings(**session.settings))
        dialect = None if session.surface == "native" else session.surface
        self._call: Callable[..., Any] = self.workspace.offer(dialect).call

    def play(self, identifier: str, tool: str, arguments: dict[str, Any]) -> Call:
        """Make a call, or do what another program does; what came of it."""
        before = self.tree
        text, code = "", None
        filled = self.spelling.filled(arguments)
        if tool == OUTSIDE:
            (self.base / filled["path"]).write_bytes(filled["content"].encode("latin-1"))
        else:
            result = self._call(tool, filled)
            shown = [f"\n<image {image.mime}, {len(image.data)} bytes>" for image in result.images]
            text = self.spelling.plain(result.text + "".join(shown))
            code = result.code or ("error" if result.is_error else None)
            if self.session.surface == "native" and "files" not in result.data:
                # The recording told the version of what was written in the text, and later calls name it.
                for made in (result.data, *result.data.get("results", ())):
                    self.spelling.plain(str(made.get("version")))
        self.tree = tree_of(self.base, self.session.roots)
        changed = difference(before, self.tree)
        return Call(identifier, tool, arguments, text, code, digest(self.tree), changed)

    def put(self, tree: Tree) -> None:
        """Make the tree what it was in the recording, so that later calls can still be compared."""
        make(self.base, difference(self.tree, tree))
        self.tree = tree_of(self.base, self.session.roots)


@contextmanager
def staged(session: Session) -> Iterator[Stage]:
    """A session's workspace, in a folder of its own."""
    mask = os.umask(0o022)
    try:
        with base_folder() as base:
            stage = Stage(base, session)
            try:
                yield stage
            finally:
                stage.workspace.close()
    finally:
        os.umask(mask)


def replayed(session: Session) -> Iterator[tuple[Call, Call]]:
    """Each call as it was and as it is now. After a difference in the tree it is put back."""
    with staged(session) as stage:
        wanted = dict(session.before)
        for then in session.calls:
            now = stage.play(then.id, then.tool, then.arguments)
            wanted = applied(wanted, then.changed or {})
            if now.tree != then.tree:
                stage.put(wanted)
            yield then, now


def save(sessions: Sequence[Session], file: Path) -> None:
    """Write a recording."""
    lines = (json.dumps(asdict(session), separators=(",", ":")) for session in sessions)
    file.write_bytes(lzma.compress("\n".join(lines).encode(), preset=9 | lzma.PRESET_EXTREME))


def load(file: Path = FILE) -> list[Session]:
    """Read a recording."""
    return [_session(json.loads(line)) for line in lzma.decompress(file.read_bytes()).splitlines()]


def _session(fields: dict[str, Any]) -> Session:
    before = {name: Node(**node) for name, node in fields.pop("before").items()}
    calls = tuple(_call(call) for call in fields.pop("calls"))
    return Session(roots=tuple(fields.pop("roots")), before=before, calls=calls, **fields)


def _call(fields: dict[str, Any]) -> Call:
    changed = {name: node and Node(**node) for name, node in fields.pop("changed").items()}
    return Call(changed=changed, **fields)
