"""The content of a file at a revision of its git repository, asked of git so that nothing else runs.

A repository's configuration is written by whoever made the repository, and can name programs: file
system monitors, hooks, filters, textconv, transports of promised objects. So only `git cat-file`
is run, which looks at objects and at none of these; hooks and monitors are switched off besides;
every transport is forbidden, so that a missing object is missing and not fetched; and the user's and
the system's configuration are not read. The repository is looked for in the folders from the file up
to its root and nowhere above.

What a repository holds may also lead out of the roots: links, alternates, a common folder. So git
runs confined to the roots by the kernel, or not at all.
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
_HEADER_BYTES: Final = 512
_POLL_MS: Final = 20
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
class CommittedFile:
    """A file at a revision: the commit's full name, and the content, None if the file is not in it.

    `note` says why the content is not there although it might be (too large, not a file).
    """

    commit: str
    content: bytes | None
    note: str | None = None


def read_committed(
    boundary: Boundary,
    where: Location,
    revision: str = "HEAD",
    *,
    limit: int,
    seconds: float = 5.0,
    task: Task | None = None,
) -> CommittedFile | None:
    """The content of `where` at `revision`, at most `limit` bytes of it.

    None if the file is in no repository inside its root, git is not installed, or the repository has
    no such revision yet (no commit). Raises `invalid_input` for what cannot be a revision or is none
    of this repository's, `timeout` after `seconds`, `cancelled` if `task` was.
    """
    if not _REVISION.fullmatch(revision) or ".." in revision:
        raise invalid(
            f"{revision!r} is not a revision",
            'name a commit, a branch or "HEAD"',
        )
    if b"\n" in b"/".join(where.parts):
        return None
    found = _asked(boundary, where, seconds, task)
    if not isinstance(found, ObjectReader):
        return None if found is None else CommittedFile("", None, found)
    with found.child:
        commit = found.object(f"{revision}^{{commit}}".encode(), 1 << 20)
        if commit is None:
            if revision == "HEAD":
                return None
            raise invalid(
                f"the repository has no revision {revision!r}",
                'leave it out for "HEAD"',
            )
        name = commit[0]
        blob = found.object(name.encode() + b":" + found.path, limit)
    if blob is None:
        return CommittedFile(name, None)
    if blob[1] != "blob":
        return CommittedFile(name, None, f"it is a {blob[1]} there")
    return CommittedFile(
        name,
        blob[2],
        f"it is larger there than the limit of {limit} bytes"
        if blob[2] is None
        else None,
    )


def read_git_objects(
    boundary: Boundary,
    where: Location,
    names: Iterable[str],
    *,
    limit: int,
    seconds: float = 5.0,
    task: Task | None = None,
) -> Iterator[bytes]:
    """The contents of files that the repository of `where` stores by these names, in order, up to one it has not.

    Raises `timeout` after `seconds`, and `cancelled`.
    """
    found = _asked(boundary, where, seconds, task)
    if isinstance(found, ObjectReader):
        with found.child:
            for name in names:
                stored = found.object(name.encode(), limit)
                if stored is None or stored[1] != "blob" or stored[2] is None:
                    return
                yield stored[2]


def _asked(
    boundary: Boundary, where: Location, seconds: float, task: Task | None
) -> ObjectReader | str | None:
    """Git, running for the repository that holds the file; or why it is not asked; None if there is none."""
    engine = find_program("git")
    if engine is None:
        return None
    found = _repository(boundary, where, task)
    if not isinstance(found, tuple):
        return found
    place, git_dir, path = found
    try:
        with boundary.open_folder(place) as folder:
            child = boundary.launcher.start(
                [engine, f"--git-dir={git_dir}", "cat-file", "--batch"],
                folder=folder.fileno(),
                stdin=PIPE,
                environment=GIT_ENVIRONMENT,
                seconds=2 * seconds,
            )
    except (FilewrightError, OSError) as error:
        why = (
            error.message
            if isinstance(error, FilewrightError)
            else error.strerror
        )
        return f"not compared with git: {why}"
    return ObjectReader(child, path, seconds, task)


def _repository(
    boundary: Boundary, where: Location, task: Task | None
) -> tuple[Location, str, bytes] | str | None:
    """Where git is to start, its folder from there, and the file's path in the tree; or why it is not asked."""
    tree = find_working_tree(where.parent)
    if tree is None:
        return None
    git, path = tree.child(b".git"), b"/".join(where.parts[len(tree.parts) :])
    try:
        kind = boundary.stat(git).kind
        if kind == "folder":
            return (
                (tree, ".git", path) if _is_open(boundary, git, task) else None
            )
        if kind != "file":
            return None  # a link elsewhere
        # A worktree's or a submodule's: it names the folder, which names the one it shares.
        target = shared = resolve_git_pointer(boundary, tree, git)
        if _holds(target, b"commondir"):
            shared = resolve_git_pointer(
                boundary, target, target.child(b"commondir")
            )
    except FilewrightError as error:
        if error.code == Code.PERMISSION_DENIED:
            return None  # the user keeps it from agents
        return f"not compared with git: {error.message}"
    if not all(_is_open(boundary, folder, task) for folder in {target, shared}):
        return None
    return target, ".", path


def _is_open(boundary: Boundary, folder: Location, task: Task | None) -> bool:
    """Whether git, which opens by itself what it likes of its folder and what that names, opens nothing denied."""
    try:
        if not boundary.allows_git(folder, task or Task()):
            return False
        return not boundary.rules_for(
            folder, for_git=True
        ).active or not _holds(folder, b"objects/info/alternates")
    except FilewrightError as error:
        if error.ends_call:
            raise
        return False


def _holds(folder: Location, name: bytes) -> bool:
    return folder.root.folder.contains_any((b"/".join((*folder.parts, name)),))


class ObjectReader:
    """What `git cat-file --batch` says, read within a deadline; `path` is the file's in the tree."""

    def __init__(
        self, child: Child, path: bytes, seconds: float, task: Task | None
    ) -> None:
        assert child.stdin is not None
        self.child, self.path = child, path
        self._input, self._output = child.stdin, child.stdout
        self._poll = select.poll()
        self._poll.register(self._output, select.POLLIN)
        self._deadline, self._seconds, self._task = (
            time.monotonic() + seconds,
            seconds,
            task,
        )
        self._data = bytearray()

    def object(
        self, asked: bytes, limit: int
    ) -> tuple[str, str, bytes | None] | None:
        """Name, type and content of an object; no content above `limit`; None if it is missing."""
        with suppress(BrokenPipeError):  # it ended: reading says so
            self._input.write(asked + b"\n")
        while b"\n" not in self._data:
            if not self._more():
                return None
        header, _, rest = bytes(self._data).partition(b"\n")
        self._data = bytearray(rest)
        name, kind, size = [
            *header[-_HEADER_BYTES:].decode("ascii", "replace").split(" "),
            "",
            "",
        ][:3]
        if not size.isdigit():
            return None  # "… missing", "… ambiguous"
        if int(size) > limit:
            return name, kind, None
        while len(self._data) < int(size) + 1:
            if not self._more():
                return None
        content = bytes(self._data[: int(size)])
        del self._data[: int(size) + 1]
        return name, kind, content

    def _more(self) -> bool:
        """Wait for more output; False at its end."""
        while True:
            if self._task is not None:
                self._task.check()
            if time.monotonic() > self._deadline:
                message = f"git did not answer within {self._seconds:g} s"
                raise FilewrightError(
                    Code.TIMEOUT, message, "leave out the comparison"
                )
            if self._poll.poll(_POLL_MS):
                block = self._output.read(1 << 20) or b""
                self._data += block
                return bool(block)
