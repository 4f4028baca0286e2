"""State folders: history and undo data, outside of every workspace.

`git clean` deletes what is inside a workspace, and a cloned repository could bring a
forged journal with it, so nothing is ever read from below a root. A state folder
belongs to one root::

BASE/roots           a line of JSON for each state folder: the content of all `root`
files, from which it is written again if it is lost
BASE/ID/root         the owner: the root's paths, the newest first, its device, inode
and time of birth
BASE/ID/others       ids of the state folders with changes that reach into this root
BASE/ID/key          a secret: a plan that another user has written is not followed
BASE/ID/state.db     the log of operations
BASE/ID/contents/    undo data that is too large for the database
BASE/ID/kept/        versions that other programs saved, rescued during a change

A root is recognised by inode and birth, so it may be renamed, and a reused inode
inherits nothing; where a file system records no birth, by its path. An ambiguous root
gets a new state folder, and a note. State of earlier versions is left as it is, and
named.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from filewright import system
from filewright.boundary.location import Root
from filewright.boundary.names import quote
from filewright.changes.database import Flusher
from filewright.changes.locks import lock_folder
from filewright.errors import Code, FilewrightError, from_os_error, lock_timeout
from filewright.progress import Task
from filewright.settings import Settings
from filewright.system import Folder, Status, file_signature
from filewright.wording import join_limited

_HINT = (
    "give another folder with --state-dir or FILEWRIGHT_STATE_DIR; reading works without one. If the folder was "
    "removed while filewright ran, start it again"
)


def state_base(folder: str | os.PathLike[str] | None) -> str:
    """Return the folder that holds all state folders of a user."""
    if folder:
        return os.path.abspath(os.path.expanduser(folder))
    if sys.platform == "linux":
        # The folder that platformdirs names: its import would slow every hook down.
        home = os.environ.get("XDG_STATE_HOME", "")
        return os.path.join(
            home if home.strip() else os.path.expanduser("~/.local/state"),
            "filewright",
        )
    import platformdirs

    return platformdirs.user_state_dir("filewright", appauthor=False)


def state_base_folder(settings: Settings) -> str:
    """Return the folder that holds all state folders of a user, by the settings."""
    return state_base(settings.state_dir)


class RegisteredRoot(NamedTuple):
    """The root of a state folder: its paths, the newest first, and its identity.

    An empty path first means that another folder is there now, and where this one went
    is not known. `birth_ns` is None if the file system does not record it.
    """

    id: str
    paths: tuple[bytes, ...]
    device: int | None = None
    inode: int | None = None
    birth_ns: int | None = None

    @property
    def path(self) -> bytes:
        """The path where it was seen last; empty if that is not known."""
        return self.paths[0]

    @property
    def is_there(self) -> bool:
        """Return True if the folder at its path is the one that was registered."""
        try:
            # Without a recorded inode, any folder at the path counts.
            return bool(self.path) and self.inode in (
                None,
                system.stat_path(self.path).inode,
            )
        except OSError:
            return False

    def to_line(self) -> bytes:
        """Return the root as one line of JSON."""
        return (
            json.dumps(
                self._asdict() | {"paths": [*map(os.fsdecode, self.paths)]}
            ).encode()
            + b"\n"
        )

    @classmethod
    def of_line(cls, line: bytes) -> RegisteredRoot | None:
        """Return the root of a line, or None if the line is not that of a root."""
        try:
            value = json.loads(line)
            owner = cls(
                **value | {"paths": tuple(map(os.fsencode, value["paths"]))}
            )
            # The id becomes a name in the base folder: it must not lead out of it.
            return owner if owner.id.isalnum() and owner.paths else None
        except (ValueError, LookupError, TypeError, AttributeError):
            return None


class StateIndex:
    """The state folders below one base folder, by the roots they belong to."""

    def __init__(
        self, base: str, lock_seconds: float, flusher: Flusher
    ) -> None:
        self.base = os.fsencode(base)
        self.flusher = flusher
        self._lock_seconds = lock_seconds
        self._path = self.of("roots")
        self._seen: object = None
        self._owners: dict[str, RegisteredRoot] = {}

    def of(self, *names: str) -> bytes:
        """Return the absolute path of a name in the base folder."""
        return os.path.join(self.base, *map(os.fsencode, names))

    @property
    def owners(self) -> dict[str, RegisteredRoot]:
        """The owner of every state folder by id, read again after one was added."""
        # Until there is an index file, the base folder shows that one was added.
        signature = file_signature(self._path) or file_signature(self.base)
        if signature is None or signature != self._seen:
            registered = map(RegisteredRoot.of_line, self._lines())
            self._owners, self._seen = (
                {owner.id: owner for owner in registered if owner is not None},
                signature,
            )
        return self._owners

    def _lines(self) -> list[bytes]:
        with suppress(OSError):
            return _read(self._path).splitlines()
        # The index is lost: each state folder has its own line of it.
        lines = []
        for name in self.names():
            with suppress(OSError):
                lines.append(_read(self.of(name, "root")))
        return lines

    def names(self) -> list[str]:
        """Return the names in the base folder; none if it cannot be read."""
        with suppress(OSError), system.open_folder(self.base) as folder:
            return [*map(os.fsdecode, folder.names())]
        return []

    @contextmanager
    def alone(self, task: Task | None) -> Iterator[Folder]:
        """Hold the index alone, to add to it; yield the base folder.

        Raise `timeout`, `cancelled`, `OSError`.
        """
        # The folder is locked and not the index file: each new index replaces
        # that file, and a lock on a replaced file excludes no other process.
        with system.open_folder(self.base) as base:
            if not lock_folder(
                base,
                time.monotonic() + self._lock_seconds,
                task,
                exclusive=True,
            ):
                raise lock_timeout(
                    "process locked the index of the state folders",
                    self._lock_seconds,
                )
            yield base

    def add(self, base: Folder, *owners: RegisteredRoot) -> None:
        """Write owners into their state folders and into the index. Needs `alone`."""
        # The owner's own file comes first: the index is written again from these
        # files, and must never name a state folder that has none.
        for owner in owners:
            with system.open_folder(self.of(owner.id)) as own_folder:
                self.write(own_folder, b"root", owner.to_line())
        all_owners = self.owners | {owner.id: owner for owner in owners}
        self.write(
            base,
            b"roots",
            b"".join(owner.to_line() for owner in all_owners.values()),
        )

    def make_folders(self, folder: bytes) -> None:
        """Make a folder and those above it, each flushed before an intent relies on it."""
        if os.path.isdir(folder):
            return
        above = os.path.dirname(folder)
        self.make_folders(above)
        with suppress(FileExistsError):
            system.make_folder(folder, 0o700)
            # A folder above that may not be read cannot be flushed.
            with suppress(PermissionError), system.open_folder(above) as opened:
                self.flusher.one(opened)

    def write(self, folder: Folder, name: bytes, content: bytes) -> None:
        """Write a small file of a state folder, whole and flushed, or not at all."""
        with temporary_file(
            folder, content, flusher=self.flusher
        ) as temporary_name:
            folder.rename(temporary_name, folder, name, "replace")
        self.flusher.one(folder)

    def owner_of(
        self, root: Root
    ) -> tuple[RegisteredRoot | None, list[RegisteredRoot]]:
        """Return the owner of a root; without one, the owners that may have been it.

        These have its path or inode, but another folder may have them now.
        """
        (device, inode), birth, path = (
            root.identity,
            _birth(root),
            root.resolved_path,
        )
        at_path = [
            owner for owner in self.owners.values() if owner.path == path
        ]
        same_inode = [
            owner for owner in self.owners.values() if owner.inode == inode
        ]
        owners = [
            # Where births are not recorded, the path decides.
            *(
                owner
                for owner in at_path
                if None in (owner.inode, owner.birth_ns, birth)
            ),
            # The number of a device may differ after the next mount: then the path
            # counts.
            *(
                owner
                for owner in same_inode
                if None is not birth == owner.birth_ns
                and (owner.device == device or owner.path == path)
            ),
        ]
        # Those with the root's birth come last: they are surer than a path.
        if owners:
            return owners[-1], []
        return None, at_path + [
            owner
            for owner in same_inode
            if (owner.device, owner.birth_ns) == (device, None)
        ]

    def related(
        self, roots: Sequence[Root], own_ids: Sequence[str]
    ) -> list[RegisteredRoot]:
        """Return the state folders that may hold changes of what lies below `roots`.

        Without those of `own_ids`: the others are of folders above and below the roots,
        and of roots that were changed together with one of the roots.
        """
        other_ids = {
            name for own_id in own_ids for name in self.others_of(own_id)
        }

        def near(owner: RegisteredRoot) -> bool:
            if not any(
                _is_within(owner.path, root.resolved_path)
                or _is_within(root.resolved_path, owner.path)
                for root in roots
            ):
                return False
            # Changes below a root that was removed can be undone. If another folder has
            # taken its place, they are not about that folder.
            with suppress(OSError):
                return owner.inode in (None, system.stat_path(owner.path).inode)
            return True

        owners = (
            owner
            for owner in self.owners.values()
            if owner.path and owner.id not in own_ids
        )
        return [
            owner for owner in owners if owner.id in other_ids or near(owner)
        ]

    def within(self, folders: Sequence[bytes]) -> list[RegisteredRoot]:
        """Return the registered roots below some folders."""
        owners = (
            owner
            for owner in self.owners.values()
            if owner.path not in (b"", *folders)
        )
        return [
            owner
            for owner in owners
            if any(_is_within(owner.path, folder) for folder in folders)
        ]

    def around(self, owner: RegisteredRoot) -> StateFolder | None:
        """Return the state folder of the nearest root around another, or None."""
        others = [
            other
            for other in self.owners.values()
            if other.path and other.id != owner.id
        ]
        outer_owners = [
            other
            for other in others
            if _is_within(owner.path, other.path) and other.is_there
        ]
        if not outer_owners:
            return None
        return StateFolder(
            self, None, max(outer_owners, key=lambda other: len(other.path))
        )

    def others_of(self, name: str) -> list[str]:
        """Return the state folders with changes that reach into the root of one."""
        with suppress(OSError):
            return (
                _read(self.of(name, "others"))
                .decode("utf-8", "replace")
                .split()
            )
        return []

    def earlier(self) -> list[str]:
        """Return the paths of state folders of earlier versions, for users."""
        # Only state folders of the earlier format have both of these folders.
        earlier_names = ("journal", "history")
        names = (
            name
            for name in self.names()
            if all(
                os.path.isdir(self.of(name, earlier_name))
                for earlier_name in earlier_names
            )
        )
        return [quote(self.of(name)) for name in names]


class StateFolder:
    """The state of one `root` that is open here, or of another `owner`.

    Folders are 0700 and files 0600. `key` seals plans, so that a plan of another user
    is recognised. `note` explains why a root has a new state folder although there was
    one that could have been its own.
    """

    def __init__(
        self,
        index: StateIndex,
        root: Root | None,
        owner: RegisteredRoot | None = None,
    ) -> None:
        self._index = index
        self.root = root
        self.owner = owner or RegisteredRoot(os.urandom(16).hex(), (b"",))
        self.key = b""
        self.note = ""
        self._known: tuple[int, int] | None = None
        self._claimed = False
        self._relocated: tuple[object, dict[bytes, bytes]] = None, {}
        self.find()

    def find(self) -> None:
        """Take the owner that the root has now.

        Another process may have made its state folder, unless this object has made it
        itself.
        """
        if self.root is not None and not self._claimed:
            self._find(self.root)

    def _find(
        self, root: Root
    ) -> tuple[RegisteredRoot | None, list[RegisteredRoot]]:
        """Take the owner of a root, and return what `StateIndex.owner_of` says.

        Without one this object's own owner stays, and `note` says why the history is new,
        if there was an earlier one.
        """
        path = root.resolved_path
        found_owner, others = self._index.owner_of(root)
        owner = found_owner or self.owner
        # The present path comes first; records name files by the earlier ones too.
        self.owner = owner._replace(
            paths=tuple(dict.fromkeys((path, *filter(None, owner.paths))))
        )
        self.note = ""
        if others:
            shown_ids = ", ".join(other.id for other in others)
            self.note = (
                f"{quote(path)} is a new folder, although the history "
                f"{shown_ids} has its path; a new history begins"
            )
        elif found_owner is None and (earlier := self._index.earlier()):
            self.note = (
                "the history of an earlier version of filewright in "
                f"{join_limited(earlier, 3)} is not read and stays as it is; "
                f"a new history of {quote(path)} begins"
            )
        return found_owner, others

    def at(self, *parts: bytes) -> bytes:
        """Return the absolute path of the state folder, or of a name in it."""
        return os.path.join(self._index.base, self.owner.id.encode(), *parts)

    def folder(self, *parts: bytes) -> Folder:
        """Open the state folder or one below it, as it is now.

        Another program may have removed an earlier one.
        """
        return system.open_folder(self.at(*parts))

    def lies_within(self, folders: Sequence[bytes]) -> bool:
        """Return True if its root is below one of some folders."""
        path = self.owner.path
        return (
            any(
                path != folder and _is_within(path, folder)
                for folder in folders
            )
            if path
            else False
        )

    def relocations(self) -> dict[bytes, bytes]:
        """Return the present path of a root for every earlier path of it."""
        all_owners = self._index.owners
        # The index makes a new dictionary whenever it is read again: the same
        # object means that the index has not changed.
        known_for, relocations = self._relocated
        if known_for is all_owners:
            return relocations
        owners: list[RegisteredRoot] = []
        for state_id in (*self._index.others_of(self.owner.id), self.owner.id):
            is_own = state_id == self.owner.id
            owner = self.owner if is_own else all_owners.get(state_id)
            if owner is not None and owner.path:
                owners.append(owner)
        relocations = {}
        for owner in owners:
            for former_path in owner.paths[1:]:
                relocations[former_path] = owner.path
        # A path at which one of the roots is now is not an earlier path.
        for owner in owners:
            relocations.pop(owner.path, None)
        self._relocated = all_owners, relocations
        return relocations

    def link(self, other: StateFolder) -> None:
        """Record in both state folders that they hold changes of each other's roots."""
        for state, name in ((self, other.owner.id), (other, self.owner.id)):
            if name not in self._index.others_of(state.owner.id):
                try:
                    with (
                        state.folder() as folder,
                        self._index.alone(None) as base,
                    ):
                        folder.append(b"others", name.encode() + b"\n")
                        self._index.flusher.one(folder)
                        # To write the index makes other processes read it again.
                        self._index.add(base)
                except OSError as error:
                    raise from_os_error(
                        error, "the state folder", doing="write to"
                    ) from error

    # Opening

    def open(
        self, task: Task | None = None, *, make: bool = True
    ) -> int | None:
        """Read the key, and `make` what is missing.

        A state folder that was removed meanwhile is made again. Return the time of the
        last change of the folder of contents in nanoseconds, or None if it was not open
        yet. Raise `permission_denied` with what to do, and `timeout`.
        """
        try:
            with suppress(FileNotFoundError, NotADirectoryError):
                status = system.stat_path(self.at(b"contents"))
                # The same folder of contents as before: nothing was removed meanwhile.
                if status.identity == self._known and (
                    self._claimed if make else self.key
                ):
                    return status.mtime_ns
            if make:
                contents_identity = self._make(task)
            else:
                with system.open_folder(self._index.base) as base:
                    contents_identity = self._take(base)
            self._known, self._claimed = (
                contents_identity,
                self._claimed or make,
            )
        except OSError as error:
            code = from_os_error(error, "").code
            raise FilewrightError(
                code
                if code in (Code.NO_SPACE, Code.IO_ERROR)
                else Code.PERMISSION_DENIED,
                f"the state folder {quote(self.at())} cannot be used: {error.strerror}",
                hint=_HINT,
                details={"path": quote(self.at())},
            ) from error
        return None

    def _make(self, task: Task | None) -> tuple[int, int] | None:
        """Make the state folder and register its root; return as `_take`."""
        root = self.root
        assert root is not None
        self._index.make_folders(self._index.base)
        with self._index.alone(task) as base:
            # An administrator may have made the base folder. The state folder itself
            # must belong to this user: see `_take`.
            _refuse_foreign(base.status(), 0, system.effective_user_id())
            # Another process may have registered the root before we held the index.
            registered, others = self._find(root)
            device, inode = root.identity
            self.owner = self.owner._replace(
                device=device, inode=inode, birth_ns=_birth(root)
            )
            for name in (b"contents", b"kept"):
                self._index.make_folders(self.at(name))
            contents = self._take(base, make=True)
            if self.owner != registered:
                replaced_owners = (
                    other
                    for other in others
                    if other.path == root.resolved_path
                )
                # Another folder is at the path of these owners: where they are is not
                # known.
                self._index.add(
                    base,
                    *(
                        other._replace(paths=(b"", *other.paths))
                        for other in replaced_owners
                    ),
                    self.owner,
                )
        return contents

    def _take(
        self, base: Folder, *, make: bool = False
    ) -> tuple[int, int] | None:
        """Read the key, if it is this user's; with `make` write a missing one.

        Return the identity of the folder of contents, if there is one.
        """
        name, user = os.fsencode(self.owner.id), system.effective_user_id()
        status = base.stat(name)
        _refuse_foreign(status, user)
        if make and status.mode != system.PRIVATE_FOLDER_MODE:
            base.set_mode(name, system.PRIVATE_FOLDER_MODE, expected=status)
        with self.folder() as folder:
            names = folder.names()
            # The index is held alone: no two processes make different keys.
            if make and b"key" not in names:
                self._index.write(folder, b"key", os.urandom(32))
            with folder.open(b"key") as file:
                # Another user with the key could seal a forged plan with it.
                if file.status().uid != user:
                    raise PermissionError(1, "its key belongs to another user")
                self.key = file.read(0, 64)
            contents = (
                folder.stat(b"contents").identity
                if b"contents" in names
                else None
            )
        # `_write` leaves a whole key or none: another length is damage.
        if len(self.key) != 32:
            raise PermissionError(
                1, "its key file is damaged; move the folder away"
            )
        return contents


def _is_within(path: bytes, folder: bytes) -> bool:
    """Return True if an absolute path is a folder's own, or one below it."""
    return (path + b"/").startswith(folder.rstrip(b"/") + b"/")


def _birth(root: Root) -> int | None:
    """Return the time at which the root's folder was made, if the system records it."""
    with suppress(OSError):
        return root.folder.status_with_birth().birth_ns
    return None


def _refuse_foreign(status: Status, *allowed: int) -> None:
    if status.kind != "folder":
        raise NotADirectoryError(20, "it is not a folder")
    if status.uid not in allowed:
        raise PermissionError(1, "it belongs to another user")


def _read(path: bytes) -> bytes:
    """Return the content of a small file of a state folder. Raise `OSError`."""
    folder, name = os.path.split(path)
    with system.open_folder(folder) as opened, opened.open(name) as file:
        return file.read(0, file.status().size)


@contextmanager
def temporary_file(
    folder: Folder, data: bytes, *, flusher: Flusher | None = None
) -> Iterator[bytes]:
    """Yield the name of a new file with a content; remove it unless it was renamed."""
    # A process that was killed here may have left its temporary file.
    name = b"new-" + os.urandom(8).hex().encode()
    try:
        with folder.create(name) as file:
            file.write(data, 0)
            if flusher is not None:
                flusher.one(file)
        yield name
    finally:
        with suppress(FileNotFoundError):
            folder.remove(name)
