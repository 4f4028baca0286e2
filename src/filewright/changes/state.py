"""The state folder: where journal, history and undo data of one workspace live, outside of it.

`git clean` deletes what stands inside a workspace, and a cloned repository could bring a forged
journal along; so nothing here is ever read from below a root.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from pathlib import Path

from filewright.boundary import Boundary, quote
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.settings import Settings

_FOLDERS = (b"journal", b"history", b"blobs", b"aside", b"kept")
_HINT = "give another folder with --state-dir or FILEWRIGHT_STATE_DIR; reading works without one"


def base_folder(settings: Settings) -> Path:
    """The folder that holds one state folder per workspace."""
    if settings.state_dir is not None:
        return settings.state_dir.expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_state_dir("filewright", appauthor=False))


class StateFolder:
    """One workspace's state: `journal/`, `history/`, `blobs/`, `aside/`, `kept/` and a secret `key`.

    Folders are 0700 and files 0600. `open` makes what is missing and refuses what another user
    owns; `key` seals the records, so that one written by someone else is told from ours.
    """

    def __init__(self, path: Path) -> None:
        self.path = os.fsencode(path)
        self.key = b""

    @classmethod
    def of(cls, boundary: Boundary, settings: Settings) -> StateFolder:
        """The state folder of the workspace that `boundary` stands for; nothing is made yet."""
        roots = [root.resolved or root.path for root in boundary.roots]
        digest = hashlib.sha256(b"\0".join(roots)).hexdigest()[:16]
        return cls(base_folder(settings) / f"{boundary.roots[0].name}-{digest}")

    def at(self, *parts: bytes) -> bytes:
        """The absolute path of something in the state folder."""
        return os.path.join(self.path, *parts)

    @property
    def exists(self) -> bool:
        """Whether the folder has been made by an earlier change."""
        return os.path.isdir(self.at(b"journal"))

    def open(self) -> None:
        """Make what is missing and read the key. Raises `permission_denied` with what to do."""
        if self.key:
            return
        try:
            base = os.path.dirname(self.path)
            if not os.path.isdir(base):
                os.makedirs(base, 0o700, exist_ok=True)
            self._refuse_foreign(base, allowed=(0, os.geteuid()))
            for folder in (self.path, *(self.at(name) for name in _FOLDERS)):
                if not os.path.lexists(folder):
                    self._make(folder)
            self._refuse_foreign(self.path, allowed=(os.geteuid(),))
            if stat.S_IMODE(os.stat(self.path).st_mode) != 0o700:
                os.chmod(self.path, 0o700)
            self.key = self._read_key()
        except OSError as error:
            code = from_os_error(error, "").code
            raise FilewrightError(
                code if code in (Code.NO_SPACE, Code.IO_ERROR) else Code.PERMISSION_DENIED,
                f"the state folder {quote(self.path)} cannot be written: {error.strerror}",
                hint=_HINT,
                details={"path": quote(self.path)},
            ) from error

    @staticmethod
    def _make(folder: bytes) -> None:
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            return
        flush_folder(os.path.dirname(folder))

    def _read_key(self) -> bytes:
        path = self.at(b"key")
        try:
            key = self._key_at(path)
        except FileNotFoundError:
            fresh = self.at(b".key-" + secrets.token_hex(8).encode())
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                write_all(descriptor, secrets.token_bytes(32), 0)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            try:
                os.link(fresh, path)
            except FileExistsError:
                pass  # Another process was faster; its key counts.
            finally:
                os.unlink(fresh)
            flush_folder(self.path)
            key = self._key_at(path)
        if len(key) != 32:
            raise PermissionError(1, "its key file is damaged; move the folder away")
        return key

    @staticmethod
    def _key_at(path: bytes) -> bytes:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if os.fstat(descriptor).st_uid != os.geteuid():
                raise PermissionError(1, "its key belongs to another user")
            return os.read(descriptor, 64)
        finally:
            os.close(descriptor)

    @staticmethod
    def _refuse_foreign(folder: bytes, *, allowed: tuple[int, ...]) -> None:
        status = os.lstat(folder)
        if stat.S_ISLNK(status.st_mode):
            status = os.stat(folder) if len(allowed) > 1 else status
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(20, "something other than a folder is there")
        if status.st_uid not in allowed:
            raise PermissionError(1, "it belongs to another user")


def write_all(descriptor: int, data: bytes | memoryview, offset: int) -> None:
    """`pwrite` until everything is written."""
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, offset)
        view = view[written:]
        offset += written


def flush_folder(folder: bytes) -> None:
    """Flush a folder's entries to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
