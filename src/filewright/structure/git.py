"""The content of a file at a revision of its repository, read by git and nothing else.

The configuration of a repository is part of the repository, and can name programs: file
system monitors, hooks, filters, text converters, transports of promised objects. So only
`git cat-file` is run, which looks at objects and starts none of these. Hooks and monitors
are off besides, and every transport is forbidden: a missing object is not fetched. The
user's and the system's configuration are not read. A repository is searched in the
folders from the file up to its root, and nowhere above.

A repository may also lead out of the roots, by links, alternates or a common folder. So
the kernel confines git to the roots, or git does not run.
"""

from __future__ import annotations

import os
import re
import select
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from filewright.boundary.boundary import Boundary
from filewright.boundary.launcher import PIPE, Child, find_program
from filewright.boundary.location import Location
from filewright.boundary.worktrees import find_working_tree, resolve_git_pointer
from filewright.errors import Code, FilewrightError, invalid
from filewright.progress import Task

_REVISION: Final = re.compile(r"[A-Za-z0-9@][A-Za-z0-9_./@^~{}+-]*")
_MAX_HEADER_BYTES: Final = 512
"""The end of a header line of git that is read: it has the name, kind and size."""

_POLL_MILLISECONDS: Final = 20
_SETTINGS: Final = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.attributesFile": "/dev/null",
    "core.sshCommand": "false",
    "core.askPass": "false",
    "core.pager": "cat",
    "credential.helper": "",
    "protocol.allow": "never",
    "safe.directory": "*",
}
GIT_ENVIRONMENT: Final = {
    "PATH": os.defpath,
    "LC_ALL": "C",
    "HOME": "/nonexistent",
    "XDG_CONFIG_HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "false",
    "GIT_CONFIG_COUNT": str(len(_SETTINGS)),
    **{f"GIT_CONFIG_KEY_{number}": key for number, key in enumerate(_SETTINGS)},
    **{
        f"GIT_CONFIG_VALUE_{number}": value
        for number, value in enumerate(_SETTINGS.values())
    },
}


@dataclass(frozen=True, slots=True)
class FileAtRevision:
    """A file at a revision: the full name of the commit, and the content.

    The content is None if the commit has no such file, or where `note` says why it
    cannot be had (too large, not a file).
    """

    commit: str
    content: bytes | None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class GitObject:
    """An object of a repository. A content above the limit is None."""

    name: str
    kind: str
    content: bytes | None


@dataclass(frozen=True, slots=True)
class _FileInRepository:
    """A file in the working tree of a repository.

    Git starts in `folder`, `git_dir` is its own folder from there, and `path` is the
    file's in the tree.
    """

    folder: Location
    git_dir: str
    path: bytes


@dataclass(frozen=True, slots=True)
class _Obstacle:
    """The reason why git is not asked about a file, "" if there is no repository."""

    note: str = ""


def read_committed(
    boundary: Boundary,
    location: Location,
    revision: str = "HEAD",
    *,
    limit: int,
    seconds: float = 5.0,
    task: Task | None = None,
) -> FileAtRevision | None:
    """Return a file at a revision, with a content of at most `limit` bytes.

    None if the file is in no repository inside its root, if git is not installed, or if
    the repository has no commit yet. Raises `invalid_input` for a revision that is
    malformed or unknown, `timeout` after `seconds`, and `cancelled`.
    """
    if not _REVISION.fullmatch(revision) or ".." in revision:
        raise invalid(
            f"{revision!r} is not a revision",
            'name a commit, a branch or "HEAD"',
        )
    # Git reads a request for each line.
    if b"\n" in b"/".join(location.parts):
        return None
    reader = _start_git(boundary, location, seconds, task)
    if isinstance(reader, _Obstacle):
        if not reader.note:
            return None
        return FileAtRevision("", None, reader.note)
    with reader.child:
        commit = reader.read(f"{revision}^{{commit}}".encode(), 1 << 20)
        if commit is None:
            if revision == "HEAD":
                return None
            raise invalid(
                f"the repository has no revision {revision!r}",
                'leave it out for "HEAD"',
            )
        path_in_commit = commit.name.encode() + b":" + reader.path
        blob = reader.read(path_in_commit, limit)
    if blob is None:
        return FileAtRevision(commit.name, None)
    if blob.kind != "blob":
        return FileAtRevision(commit.name, None, f"it is a {blob.kind} there")
    note = None
    if blob.content is None:
        note = f"it is larger there than the limit of {limit} bytes"
    return FileAtRevision(commit.name, blob.content, note)


def read_git_objects(
    boundary: Boundary,
    location: Location,
    names: Iterable[str],
    *,
    limit: int,
    seconds: float = 5.0,
    task: Task | None = None,
) -> Iterator[bytes]:
    """Yield the contents that the repository of a file stores by these names, in order.

    The iteration ends at the first one that is missing or larger than `limit`. Raises
    `timeout` after `seconds`, and `cancelled`.
    """
    reader = _start_git(boundary, location, seconds, task)
    if isinstance(reader, _Obstacle):
        return
    with reader.child:
        for name in names:
            blob = reader.read(name.encode(), limit)
            if blob is None or blob.kind != "blob" or blob.content is None:
                return
            yield blob.content


def _start_git(
    boundary: Boundary,
    location: Location,
    seconds: float,
    task: Task | None,
) -> ObjectReader | _Obstacle:
    """Start git for the repository of a file, or return why it is not started."""
    program = find_program("git")
    if program is None:
        return _Obstacle()
    repository_file = _find_repository(boundary, location, task)
    if isinstance(repository_file, _Obstacle):
        return repository_file
    git_dir = repository_file.git_dir
    try:
        with boundary.open_folder(repository_file.folder) as folder:
            child = boundary.launcher.start(
                [program, f"--git-dir={git_dir}", "cat-file", "--batch"],
                folder=folder.fileno(),
                stdin=PIPE,
                environment=GIT_ENVIRONMENT,
                seconds=2 * seconds,
            )
    except FilewrightError as error:
        return _Obstacle(f"not compared with git: {error.message}")
    except OSError as error:
        return _Obstacle(f"not compared with git: {error.strerror}")
    return ObjectReader(child, repository_file.path, seconds, task)


def _find_repository(
    boundary: Boundary, location: Location, task: Task | None
) -> _FileInRepository | _Obstacle:
    """Return the repository of a file, or why git is not asked about it."""
    tree = find_working_tree(location.parent)
    if tree is None:
        return _Obstacle()
    pointer = tree.child(b".git")
    path = b"/".join(location.parts[len(tree.parts) :])
    try:
        kind = boundary.stat(pointer).kind
        if kind == "folder":
            if not _is_permitted(boundary, pointer, task):
                return _Obstacle()
            return _FileInRepository(tree, ".git", path)
        if kind != "file":
            # A link leads elsewhere.
            return _Obstacle()
        # A linked worktree or a submodule: the file names the folder of git, which may
        # name one that it shares with others.
        git_folder = shared = resolve_git_pointer(boundary, tree, pointer)
        if _contains(git_folder, b"commondir"):
            shared = resolve_git_pointer(
                boundary, git_folder, git_folder.child(b"commondir")
            )
    except FilewrightError as error:
        if error.code == Code.PERMISSION_DENIED:
            # The user hides it from agents.
            return _Obstacle()
        return _Obstacle(f"not compared with git: {error.message}")
    for folder in {git_folder, shared}:
        if not _is_permitted(boundary, folder, task):
            return _Obstacle()
    return _FileInRepository(git_folder, ".", path)


def _is_permitted(
    boundary: Boundary, folder: Location, task: Task | None
) -> bool:
    """Return True if git, which opens files by itself, opens no denied one.

    It opens the files in its folder, and those that they name.
    """
    try:
        if not boundary.allows_git(folder, task or Task()):
            return False
        if not boundary.rules_for(folder, for_git=True).active:
            return True
        return not _contains(folder, b"objects/info/alternates")
    except FilewrightError as error:
        if error.ends_call:
            raise
        return False


def _contains(folder: Location, path: bytes) -> bool:
    """Return True if a folder has an entry at a path below it."""
    full_path = b"/".join((*folder.parts, path))
    return folder.root.folder.contains_any((full_path,))


class ObjectReader:
    """A reader of objects from `git cat-file --batch`, within a time limit.

    `path` is the path in the tree of the file that the reader was started for.
    """

    def __init__(
        self, child: Child, path: bytes, seconds: float, task: Task | None
    ) -> None:
        assert child.stdin is not None
        self.child = child
        self.path = path
        self._input = child.stdin
        self._output = child.stdout
        self._poll = select.poll()
        self._poll.register(self._output, select.POLLIN)
        self._deadline = time.monotonic() + seconds
        self._seconds = seconds
        self._task = task
        self._buffer = bytearray()

    def read(self, name: bytes, limit: int) -> GitObject | None:
        """Return an object, without its content above `limit`; None if it is missing.

        After a content above the limit the reader cannot read another object.
        """
        # If git has ended, reading finds the end of its output.
        with suppress(BrokenPipeError):
            self._input.write(name + b"\n")
        while b"\n" not in self._buffer:
            if not self._receive():
                return None
        header, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        words = (
            header[-_MAX_HEADER_BYTES:].decode("ascii", "replace").split(" ")
        )
        if len(words) < 3 or not words[2].isdigit():
            # Such as `NAME missing` and `NAME ambiguous`.
            return None
        full_name, kind, size = words[0], words[1], int(words[2])
        if size > limit:
            return GitObject(full_name, kind, None)
        # A line feed follows the content.
        while len(self._buffer) < size + 1:
            if not self._receive():
                return None
        content = bytes(self._buffer[:size])
        del self._buffer[: size + 1]
        return GitObject(full_name, kind, content)

    def _receive(self) -> bool:
        """Wait for more output, and return False at its end."""
        while True:
            if self._task is not None:
                self._task.check()
            self._require_time()
            if self._poll.poll(_POLL_MILLISECONDS):
                block = self._output.read(1 << 20) or b""
                if not block:
                    # Git is killed some time after the deadline, which is no answer.
                    self._require_time()
                self._buffer += block
                return bool(block)

    def _require_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise FilewrightError(
                Code.TIMEOUT,
                f"git did not answer within {self._seconds:g} s",
                "leave out the comparison",
            )
