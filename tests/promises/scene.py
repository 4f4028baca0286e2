"""A workspace, a change set over twelve files, and ways to interrupt what works on them.

Not a test module: the promise tests load it by path.
"""

from __future__ import annotations

import errno
import gc
import importlib
import json
import os
import shutil
import signal
import stat
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from filewright import system
from filewright.boundary.boundary import Boundary
from filewright.changes.changes import Changes
from filewright.edit.changeset import (
    ChangeSet,
    Copy,
    Create,
    Delete,
    ExpectedState,
    MakeFolder,
    Modify,
    Move,
    SetMode,
    Step,
)
from filewright.settings import Settings
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice

Tree = dict[str, tuple[Any, ...]]


class Bench:
    """A workspace with its boundary and changes; steps are made by path."""

    def __init__(self, base: Path, **settings: Any) -> None:
        self.root = base / "work"
        if not self.root.is_dir():
            self.root.mkdir(parents=True)
        self.settings = Settings(state_dir=base / "state", **settings)
        self.boundary = Boundary([self.root], self.settings)
        self.changes = Changes(self.boundary, self.settings)
        self.at = self.boundary.locate

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        self.changes.close()
        self.boundary.close()

    @property
    def state(self) -> Path:
        return Path(os.fsdecode(self.changes.state.at()))

    def unfinished(self) -> tuple[Any, ...]:
        """What the logs say is not settled."""
        return tuple(
            each
            for store in self.changes.logs
            for each in store.list_unfinished("intent", "unsettled")
        )

    def modify(self, path: str, *splices: Splice) -> Modify:
        where = self.at(path)
        with Snapshot.of_file(
            self.boundary.open_file(where), where, self.settings
        ) as snapshot:
            return Modify(where, ExpectedState.from_snapshot(snapshot), splices)

    def commit(self, *steps: Step, **options: Any) -> Any:
        return self.changes.commit(
            ChangeSet("test", "a change", tuple(steps), **options)
        )

    def undo(self, change_id: str) -> Any:
        with self.changes.writing():
            return self.changes.commit(
                self.changes.undo(change_id, preview=True)[1].change_set
            )


@contextmanager
def quick_folder() -> Iterator[Path]:
    """A temporary folder: in memory where the system has such, or where FILEWRIGHT_TEST_DIR says."""
    memory = Path(os.environ.get("FILEWRIGHT_TEST_DIR", "/dev/shm"))
    where = memory if memory.is_dir() and os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(
        prefix="filewright-",
        dir=where,
        ignore_cleanup_errors=sys.platform == "win32",
    ) as folder:
        yield Path(folder)


@contextmanager
def disk_folder() -> Iterator[Path]:
    """A temporary folder on a disk, which gives the number of a file that is gone to the next new one.

    Where the temporary folder is in memory, FILEWRIGHT_TEST_DISK names another; without it the test is left out.
    """
    where = Path(
        os.environ.get("FILEWRIGHT_TEST_DISK", tempfile.gettempdir())
    ).resolve()
    if _file_system(where) in ("tmpfs", "ramfs"):
        pytest.skip(
            "the temporary folder is in memory; FILEWRIGHT_TEST_DISK names one on a disk"
        )
    with tempfile.TemporaryDirectory(
        prefix="filewright-",
        dir=where,
        ignore_cleanup_errors=sys.platform == "win32",
    ) as folder:
        yield Path(folder)


def _file_system(where: Path) -> str:
    """The kind of file system of a folder, where Linux says it."""
    mounts = Path("/proc/self/mounts")
    found = {}
    for line in mounts.read_text().splitlines() if mounts.exists() else ():
        _, above, kind, *_ = line.split()
        if where.is_relative_to(above.replace("\\040", " ")):
            found[len(above)] = kind
    return found[max(found)] if found else ""


def tree(root: Path) -> Tree:
    """Everything below a folder: kind, mode, content."""
    found: Tree = {}
    for path, shown in _below(root):
        status = os.lstat(path)
        mode = stat.S_IMODE(status.st_mode)
        if stat.S_ISLNK(status.st_mode):
            found[shown] = ("link", os.readlink(path))
        elif stat.S_ISDIR(status.st_mode):
            found[shown] = ("folder", mode)
        else:
            with open(path, "rb") as file:
                found[shown] = ("file", mode, file.read())
    return found


def temporaries(root: Path) -> list[str]:
    """Names of ours that stand in the workspace."""
    return [
        shown
        for path, shown in _below(root)
        if os.path.basename(path).startswith(".fw~")
    ]


def _below(root: Path) -> Iterator[tuple[str, str]]:
    """The path of everything below a folder, whole and from there."""
    cut = len(str(root)) + 1
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = folder + os.sep + name
            yield path, path[cut:]


def furnish(root: Path) -> None:
    """The workspace before the twelve-file change."""
    root.mkdir(parents=True, exist_ok=True)
    for number in range(4):
        path = root / f"edit{number}.txt"
        path.write_bytes(
            b"".join(b"line %d of %d\n" % (line, number) for line in range(200))
        )
        path.chmod(0o640 + number)
    (root / "script.sh").write_bytes(b"#!/bin/sh\n")
    (root / "script.sh").chmod(0o644)
    (root / "gone.txt").write_bytes(b"to be deleted\n")
    (root / "old-name.txt").write_bytes(b"to be moved\n")
    (root / "over.txt").write_bytes(b"to be overwritten by a move\n")
    (root / "mover.txt").write_bytes(b"the mover\n")
    (root / "tree" / "below").mkdir(parents=True)
    (root / "tree" / "one").write_bytes(b"one\n")
    (root / "tree" / "below" / "two").write_bytes(b"two\n")
    os.symlink("one", root / "tree" / "link")
    (root / "folder").mkdir()
    (root / "folder" / "inside.txt").write_bytes(b"inside\n")


def twelve(bench: Bench) -> ChangeSet:
    """Modify, create, delete, move, copy and chmod together, over twelve files and some folders."""
    at = bench.at
    steps: list[Step] = [
        bench.modify(
            f"edit{n}.txt", Splice(0, 4, b"LINE"), Splice(50, 0, b"<new>")
        )
        for n in range(4)
    ]
    steps += [
        Create(at("made.txt"), b"made\n"),
        Create(at("new/deep/made.txt"), b"made deep\n"),
        Delete(at("gone.txt")),
        Delete(at("tree"), recursive=True),
        Move(at("old-name.txt"), at("new-name.txt")),
        Move(at("mover.txt"), at("over.txt"), overwrite=True),
        Move(at("folder"), at("new/folder")),
        Copy(at("edit0.txt"), at("copy.txt")),
        SetMode(at("script.sh"), "755"),
        MakeFolder(at("empty")),
    ]
    return ChangeSet("test", "twelve files at once", tuple(steps))


def copied(template: Path, target: Path) -> Path:
    """A fresh copy of a prepared base folder, whose state is told that its root is the copy."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(template, target, symlinks=True)
    status = os.stat(target / "work")
    for file in (*target.glob("state/roots"), *target.glob("state/*/root")):
        lines = []
        for line in file.read_text().splitlines():
            owner = json.loads(line)
            paths = list(dict.fromkeys([str(target / "work"), *owner["paths"]]))
            # When it was made cannot be copied, nor asked for by `os`: None goes by the path.
            owner |= {
                "paths": paths,
                "device": status.st_dev,
                "inode": status.st_ino,
                "birth_ns": None,
            }
            lines.append(json.dumps(owner) + "\n")
        file.write_text("".join(lines))
    return target


# Interrupting

_CALLS = {
    "os": [
        "open",
        "close",
        "read",
        "pread",
        "preadv",
        "write",
        "pwrite",
        "fsync",
        "ftruncate",
        "rename",
        "link",
        "unlink",
        "rmdir",
        "mkdir",
        "symlink",
        "readlink",
        "stat",
        "lstat",
        "fstat",
        "listdir",
        "chmod",
        "chown",
        "fchmod",
        "fchown",
        "getxattr",
        "listxattr",
        "setxattr",
        "utime",
        "posix_fallocate",
        "access",
    ],
    "filewright.system.linux": [
        "openat2",
        "renameat2",
        "chmod_descriptor",
        "chown_descriptor",
    ],
    "fcntl": ["flock", "fcntl", "ioctl"],
    # What SQLite does itself is one step: a transaction has ended, or never was.
    "filewright.changes.database": ["begin", "end"],
}
if sys.platform == "win32":
    _CALLS = {
        "filewright.system.nt": [
            "open_below",
            "read_into",
            "write_from",
            "flush",
            "query_all",
            "set_basic",
            "rename",
            "link",
            "remove",
            "entries",
            "path_of",
        ],
        "filewright.changes.database": ["begin", "end"],
    }

FAILING = {
    "open",
    "read",
    "pread",
    "preadv",
    "write",
    "pwrite",
    "fsync",
    "ftruncate",
    "rename",
    "link",
    "unlink",
    "rmdir",
    "mkdir",
    "symlink",
    "stat",
    "listdir",
    "chmod",
    "chown",
    "fchmod",
    "posix_fallocate",
    "openat2",
    "renameat2",
    "chmod_descriptor",
    "chown_descriptor",
    "begin",
    "end",
}


with system.open_folder(tempfile.gettempdir()) as _folder:
    FOLDER = type(_folder)
    """The class of folders on this system."""
    FILE = getattr(FOLDER, "file_type", system.File)
    """The class of files."""


def before_renames(
    monkeypatch: pytest.MonkeyPatch,
    act: Callable[[system.RenameMode, bytes, bytes], object],
) -> None:
    """Do something just before each rename, given its mode, the old and the new name."""
    real = FOLDER.rename

    def rename(
        folder: system.Folder,
        name: bytes,
        to: system.Folder,
        to_name: bytes,
        mode: system.RenameMode,
    ) -> None:
        act(mode, name, to_name)
        real(folder, name, to, to_name, mode)  # type: ignore[arg-type]

    monkeypatch.setattr(FOLDER, "rename", rename)


class Meddler:
    """Counts file system calls while switched on, and does something before the one with a number."""

    def __init__(
        self, at: int | None = None, act: Callable[[str], Any] | None = None
    ) -> None:
        self.count = 0
        self.names: list[str] = []
        self._at = at
        self._act = act
        self._lock = threading.Lock()
        self.hit: str | None = None

    def _wrapped(
        self, name: str, real: Callable[..., Any]
    ) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            with self._lock:
                number = self.count
                self.count += 1
                self.names.append(name)
            if number == self._at and self._act is not None:
                self.hit = name
                answer = self._act(name)
                if answer == "short" and name in ("write", "pwrite"):
                    data = memoryview(args[1])
                    return real(
                        args[0],
                        data[: max(1, len(data) // 2)],
                        *args[2:],
                        **kwargs,
                    )
            return real(*args, **kwargs)

        return call

    @contextmanager
    def on(self) -> Iterator[Meddler]:
        """Meddle with every call made inside."""
        modules = [
            (importlib.import_module(module), names)
            for module, names in _CALLS.items()
        ]
        saved = [
            (module, name, getattr(module, name))
            for module, names in modules
            for name in names
        ]
        supports = [
            (group, set(group))
            for group in (os.supports_dir_fd, os.supports_fd)
        ]
        supports += [
            (os.supports_follow_symlinks, set(os.supports_follow_symlinks))
        ]
        try:
            for module, name, real in saved:
                wrapped = self._wrapped(name, real)
                setattr(module, name, wrapped)
                for group, _ in supports:
                    if real in group:
                        group.add(wrapped)
            yield self
        finally:
            for module, name, real in saved:
                setattr(module, name, real)
            for group, before in supports:
                group.intersection_update(before)


def die(_: str) -> None:
    """What `kill -9` does."""
    os.kill(os.getpid(), signal.SIGKILL)


def failing(number: int) -> Callable[[str], Any]:
    """An action that fails the call, if it is one that can fail so."""

    def act(name: str) -> Any:
        if name in FAILING:
            raise OSError(number, os.strerror(number))
        return None

    return act


def short(_: str) -> str:
    """An action that makes a write shorter than asked."""
    return "short"


def forked(work: Callable[[], object]) -> int:
    """Run something in a child process; returns the signal that ended it, 0 if it came through."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        code = 1
        try:
            # What other tests left behind is not to be closed in the middle of the work.
            gc.freeze()
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status)
    if os.WEXITSTATUS(status):
        raise AssertionError("the child failed by itself")
    return 0


ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EINTR)
