"""State folders: where journal, history and undo data live, outside of every workspace.

`git clean` deletes what is inside a workspace, and a cloned repository could bring a forged journal
along; so nothing here is ever read from below a root. A state folder belongs to one root::

    BASE/roots           a line of JSON for each state folder: what the `root` files say, in one place; it is
                         made anew from them if it is lost
    BASE/ID/root         whose it is: the root's paths, the newest first, its device, inode and birth
    BASE/ID/others       ids of the state folders that hold changes which reach into this root too
    BASE/ID/key          a secret: what somebody else has written is not followed
    BASE/ID/state.db     the log of operations
    BASE/ID/contents/    what undo needs and a database is too small for
    BASE/ID/kept/        versions of files that nobody asked to lose

A root is known again by inode and birth, so it may be renamed, and nothing is inherited with a
reused inode; by its path where a file system does not tell births. What is ambiguous gets a new
state folder, and that is said. What earlier versions kept is left as it is, and named.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from filewright import system
from filewright.boundary import Root, quote
from filewright.changes.locks import lock_folder, wait_for
from filewright.changes.quick import state_base
from filewright.errors import Code, FilewrightError, from_os_error, locked
from filewright.progress import Task
from filewright.settings import Settings
from filewright.system import Folder, Status

_FOLDERS = (b"contents", b"kept")
_INDEX = b"roots"
_EARLIER = (b"journal", b"history")
"""Folders of the state folders of earlier versions."""
_HINT = "give another folder with --state-dir or FILEWRIGHT_STATE_DIR; reading works without one"


def base_folder(settings: Settings) -> Path:
    """The folder that holds all state folders of a user."""
    return Path(state_base(settings.state_dir))


@dataclass(frozen=True, slots=True)
class Owner:
    """The root that a state folder belongs to: its paths, the newest first, and its identity.

    An empty path first: another folder is there now, and where this one went is not known. `birth_ns` None:
    the file system does not tell.
    """

    id: str
    paths: tuple[bytes, ...]
    device: int | None = None
    inode: int | None = None
    birth_ns: int | None = None

    @property
    def path(self) -> bytes | None:
        """Where it was seen last."""
        return self.paths[0] or None

    def at(self, path: bytes) -> Owner:
        """The same at another path."""
        return replace(self, paths=(path, *(each for each in self.paths if each != path)))

    def to_line(self) -> bytes:
        """One line of JSON."""
        paths = [os.fsdecode(path) for path in self.paths]
        value = {"id": self.id, "paths": paths, "device": self.device, "inode": self.inode}
        return json.dumps({**value, "birth": self.birth_ns}, separators=(",", ":")).encode() + b"\n"

    @classmethod
    def of_line(cls, line: bytes) -> Owner | None:
        """The inverse; None for anything else."""
        try:
            value = json.loads(line)
            name = str(value["id"])
            if not name or "/" in name or name in (".", ".."):
                return None
            paths = tuple(os.fsencode(path) for path in value["paths"]) or (b"",)
            return cls(name, paths, value["device"], value["inode"], value["birth"])
        except (ValueError, KeyError, TypeError):
            return None


class Index:
    """The state folders under one base folder, by the roots they belong to."""

    def __init__(self, base: Path, lock_seconds: float) -> None:
        self.base = os.fsencode(base)
        self._lock_seconds = lock_seconds
        self._path = os.path.join(self.base, _INDEX)
        self._seen: object = None
        self._owners: dict[str, Owner] = {}

    @property
    def owners(self) -> dict[str, Owner]:
        """Every state folder's owner, by its id; read again only when something was added."""
        try:
            status = system.status_of(self._path)
            seen: object = status.inode, status.size, status.mtime_ns
            if seen != self._seen:
                self._remember(map(Owner.of_line, _read(self._path).splitlines()), seen)
        except OSError:
            # Without the index, as the state folders themselves tell, but for those of earlier versions.
            seen = None
            with suppress(OSError):
                seen = system.status_of(self.base).mtime_ns
            if seen is None or seen != self._seen:
                names = set(_names(self.base)).difference(_of_earlier_versions(self.base))
                found = (
                    owner for name in names if (owner := self._owner(name)) and owner.id == name.decode()
                )
                self._remember(found, seen)
        return self._owners

    def _remember(self, found: Iterable[Owner | None], seen: object) -> None:
        self._owners = {owner.id: owner for owner in found if owner is not None}
        self._seen = seen

    def _owner(self, name: bytes) -> Owner | None:
        with suppress(OSError, UnicodeDecodeError):
            return Owner.of_line(_read(os.path.join(self.base, name, b"root")))
        return None

    @contextmanager
    def alone(self, task: Task | None) -> Iterator[Folder]:
        """Hold the index alone, to add to it; yields the base folder. Raises `timeout`, `cancelled`, `OSError`."""
        busy = partial(locked, "process held the index of the state folders", self._lock_seconds)
        deadline = time.monotonic() + self._lock_seconds
        with system.open_folder(self.base) as base:
            wait_for(partial(lock_folder, base, exclusive=True), deadline, task, busy)
            yield base

    def add(self, base: Folder, *owners: Owner) -> None:
        """Note owners, in their state folders and here; needs `alone`."""
        for owner in owners:
            with base.folder(os.fsencode(owner.id)) as own:
                _write_whole(own, b"root", owner.to_line())
        known = self.owners | {owner.id: owner for owner in owners}
        _write_whole(base, _INDEX, b"".join(owner.to_line() for owner in known.values()))

    def owner_of(self, root: Root) -> tuple[Owner | None, tuple[Owner, ...]]:
        """The state folder of a root, and those that could have been it and belong to another folder."""
        birth, path = _birth(root), root.resolved
        owners = list(self.owners.values())
        for owner in reversed(owners if birth is not None else ()):
            same = (owner.inode, owner.birth_ns) == (root.inode, birth)
            if same and (owner.device == root.device or owner.path == path):
                return owner, ()
        here = [owner for owner in owners if owner.path == path]
        for owner in reversed(here):
            if None in (owner.inode, owner.birth_ns, birth):
                return owner, ()
        identity = (root.device, root.inode, None)
        moved = (each for each in owners if (each.device, each.inode, each.birth_ns) == identity)
        return None, (*here, *(owner for owner in moved if owner not in here))

    def related(self, roots: Sequence[Root], own: Sequence[str]) -> list[Owner]:
        """The state folders that may hold changes of what is below `roots`, other than their own.

        Those of folders above and below, and of roots that were changed together with one of these.
        """
        paths = [root.resolved for root in roots]
        others = {name for each in own for name in self.others_of(each)}
        found = []
        for owner in self.owners.values():
            if owner.id in own or not owner.path:
                continue
            near = any(_is_within(owner.path, path) or _is_within(path, owner.path) for path in paths)
            if owner.id in others or (near and _still_there(owner)):
                found.append(owner)
        return found

    def others_of(self, name: str) -> list[str]:
        """The state folders that hold changes which reach into this one's root."""
        try:
            lines = _read(os.path.join(self.base, os.fsencode(name), b"others")).splitlines()
            return [line.strip().decode("utf-8", "replace") for line in lines]
        except OSError:
            return []


def _is_within(path: bytes, folder: bytes) -> bool:
    """Whether an absolute path is a folder's own or one below it."""
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def _still_there(owner: Owner) -> bool:
    """Whether no other folder is where the owner was; one that is gone may have left changes to undo."""
    try:
        return not owner.path or owner.inode in (None, system.status_of(owner.path).inode)
    except OSError:
        return True


def _birth(root: Root) -> int | None:
    """When the root's folder was made, where the system says so."""
    try:
        return root.folder.status().birth_ns
    except OSError:
        return None


def _of_earlier_versions(base: bytes) -> list[bytes]:
    """The state folders that earlier versions of filewright have left."""
    return [
        name
        for name in _names(base)
        if all(os.path.isdir(os.path.join(base, name, each)) for each in _EARLIER)
    ]


def _names(base: bytes) -> list[bytes]:
    """The names of state folders; none where the base folder cannot be read."""
    try:
        with system.open_folder(base) as folder:
            return folder.names()
    except OSError:
        return []


class StateFolder:
    """The state of one root.

    Folders are 0700 and files 0600. `open` makes what is missing and refuses what another user
    owns; `key` seals the plans, so that one written by someone else is known not to be ours. `note` says
    why a root has a new state folder although there was one that could have been its own.
    """

    def __init__(self, index: Index, owner: Owner, root: Root | None) -> None:
        self._index = index
        self.root = root
        self._known: tuple[int, int] | None = None
        self._claimed = False
        self._relocated: tuple[object, dict[bytes, bytes]] | None = None
        self.owner = owner
        self.key = b""
        self.note = ""

    @classmethod
    def of(cls, index: Index, root: Root) -> StateFolder:
        """The state folder of a root; nothing is made yet."""
        state = cls(index, Owner(os.urandom(16).hex(), (root.resolved,)), root)
        state.find()
        return state

    def find(self) -> None:
        """Be the folder that the root has by now, as long as this object has not made one itself."""
        if self.root is not None and not self._claimed:
            self._find(self.root)

    def _find(self, root: Root) -> tuple[Owner | None, tuple[Owner, ...]]:
        index, path = self._index, root.resolved
        known, others = index.owner_of(root)
        self.owner = (known or self.owner).at(path)
        self.note = ""
        if others:
            kept = ", ".join(each.id for each in others)
            self.note = (
                f"{quote(path)} is another folder than the one whose history is kept as {kept}; "
                "its own begins now"
            )
        elif known is None and (earlier := _of_earlier_versions(index.base)):
            shown = ", ".join(quote(os.path.join(index.base, name)) for name in earlier[:3])
            more = f" and {len(earlier) - 3} more" if len(earlier) > 3 else ""
            self.note = (
                f"an earlier version of filewright has left history in {shown}{more}: it is not read and stays "
                f"as it is; the history of {quote(path)} begins anew"
            )
        return known, others

    @property
    def path(self) -> bytes:
        """The absolute path of the state folder."""
        return self.at()

    def at(self, *parts: bytes) -> bytes:
        """The absolute path of something in the state folder."""
        return os.path.join(self._index.base, os.fsencode(self.owner.id), *parts)

    def folder(self, *parts: bytes) -> Folder:
        """The state folder or one below it, as it is there now: somebody may have removed an earlier one."""
        return system.open_folder(self.at(*parts))

    def relocations(self) -> dict[bytes, bytes]:
        """For every path that a root of these changes had, the one it has now."""
        owners = self._index.owners
        if self._relocated is None or self._relocated[0] is not owners:
            linked = [owners[name] for name in self._index.others_of(self.owner.id) if name in owners]
            everyone = [owner for owner in (*linked, self.owner) if owner.path]
            found = {former: owner.paths[0] for owner in everyone for former in owner.paths[1:]}
            for owner in everyone:
                found.pop(owner.paths[0], None)
            self._relocated = owners, found
        return self._relocated[1]

    def link(self, other: StateFolder) -> None:
        """Note durably in both that they hold changes which reach into one another's roots."""
        for state, name in ((self, other.owner.id), (other, self.owner.id)):
            if name in self._index.others_of(state.owner.id):
                continue
            with state.folder() as folder:
                folder.append(b"others", name.encode() + b"\n")
                folder.flush()
            state._relocated = None

    # Opening

    def load(self) -> None:
        """Read the key of a state folder that is there; nothing is written. Raises as `open` does."""
        with self._refusing():
            if not self.key or self._identity() != self._known:
                with system.open_folder(self._index.base) as base:
                    self._require_own(base)
                with self.folder() as folder:
                    self.key = _key_in(folder)
                self._known = self._identity()

    def open(self, task: Task | None = None) -> None:
        """Make what is missing and read the key. Raises `permission_denied` with what to do, and `timeout`.

        A state folder that somebody has removed meanwhile is made anew.
        """
        with self._refusing():
            if self._claimed and self._identity() == self._known:
                return
            _make_folders(self._index.base)
            _refuse_foreign(system.status_of(self._index.base), allowed=(0, system.effective_user()))
            if self.root is not None:
                with self._index.alone(task) as base:
                    self._claim(base, self.root)
            self._make()
            with self.folder() as folder:
                self.key = _made_key(folder)
            self._known = self._identity()
            self._claimed = True

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            code = from_os_error(error, "").code
            raise FilewrightError(
                code if code in (Code.NO_SPACE, Code.IO_ERROR) else Code.PERMISSION_DENIED,
                f"the state folder {quote(self.path)} cannot be used: {error.strerror}",
                hint=_HINT,
                details={"path": quote(self.path)},
            ) from error

    def _identity(self) -> tuple[int, int] | None:
        try:
            return system.status_of(self.at(b"contents")).identity
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _claim(self, base: Folder, root: Root) -> None:
        """Make it the root's own; another process may have been faster."""
        known, others = self._find(root)
        self.owner = replace(self.owner, device=root.device, inode=root.inode, birth_ns=_birth(root))
        self._make()
        if self.owner != known:
            gone = (each for each in others if each.path == root.resolved and each.id != self.owner.id)
            self._index.add(base, *(replace(each, paths=(b"", *each.paths)) for each in gone), self.owner)

    def _make(self) -> None:
        for name in _FOLDERS:
            _make_folders(self.at(name))
        with system.open_folder(self._index.base) as base:
            status = self._require_own(base)
            if status.mode != system.PRIVATE:
                base.set_mode(os.fsencode(self.owner.id), system.PRIVATE, expected=status)

    def _require_own(self, base: Folder) -> Status:
        """The status of the state folder itself, which is no link. `PermissionError` if it is another user's."""
        status = base.stat(os.fsencode(self.owner.id))
        _refuse_foreign(status, allowed=(system.effective_user(),))
        return status


def _made_key(folder: Folder) -> bytes:
    """The key of a state folder, made if there is none."""
    try:
        return _key_in(folder)
    except FileNotFoundError:
        fresh = b".key-" + os.urandom(8).hex().encode()
        try:
            _write_flushed(folder, fresh, os.urandom(32))
            with suppress(FileExistsError):  # Another process was faster; its key counts.
                folder.link(fresh, folder, b"key")
        finally:
            with suppress(FileNotFoundError):  # Not even made.
                folder.remove(fresh)
        folder.flush()
        return _key_in(folder)


def _key_in(folder: Folder) -> bytes:
    with folder.open(b"key") as file:
        if file.status().uid != system.effective_user():
            raise PermissionError(1, "its key belongs to another user")
        key = file.read(0, 64)
    if len(key) != 32:
        raise PermissionError(1, "its key file is damaged; move the folder away")
    return key


def _refuse_foreign(status: Status, *, allowed: tuple[int, ...]) -> None:
    if status.kind != "folder":
        raise NotADirectoryError(20, "something other than a folder is there")
    if status.uid not in allowed:
        raise PermissionError(1, "it belongs to another user")


def _make_folders(folder: bytes) -> None:
    """Make a folder and those above it, each on the disk before an intent in it is relied on."""
    if os.path.isdir(folder):
        return
    above = os.path.dirname(folder)
    _make_folders(above)
    try:
        system.make_folder(folder, 0o700)
    except FileExistsError:
        return
    with suppress(PermissionError), system.open_folder(above) as opened:  # One that may not be read.
        opened.flush()


def _read(path: bytes) -> bytes:
    """All of a small file at an absolute path of a state folder. Raises `OSError`."""
    folder, name = os.path.split(path)
    with system.open_folder(folder) as opened, opened.open(name) as file:
        return file.read(0, file.status().size)


def _write_flushed(folder: Folder, name: bytes, content: bytes) -> None:
    with folder.create(name) as file:
        file.write(content, 0)
        file.flush()


def _write_whole(folder: Folder, name: bytes, content: bytes) -> None:
    """Write a small file of the state folder, whole and flushed, or not at all."""
    fresh = name + b".new-" + os.urandom(4).hex().encode()
    _write_flushed(folder, fresh, content)
    folder.rename(fresh, folder, name, "replace")
    folder.flush()
