"""A command of a shell that changes nothing, begun and ended without opening a workspace.

Hooks do both around every command, and most commands change nothing. What the first call has found out of the
folders it was given (`note`) is kept, and is true as long as nothing says otherwise: the settings, the roots, what
says what is ignored, git's index, the newest change in the log. A `QuickLook` looks at the roots as any call does
(`listing`). Where all is as it was before, there is nothing to keep and nothing to record. Else nothing is done, and
whoever opens the workspace need not look again (`looks`).
"""

from __future__ import annotations

import marshal
import os
import re
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import xxhash

from filewright import system
from filewright.boundary import excludes_file, excludes_stamp
from filewright.changes.listing import (
    FolderRow,
    KeptListing,
    Listing,
    Look,
    fresh_in,
    look,
    read_kept,
    sealed,
    unsealed,
    written,
)

if TYPE_CHECKING:
    from filewright.changes.state import StateFolder
    from filewright.system import Folder

TAKES_AWAY = re.compile(r"\b(rm|mv|cp|dd|sed|tee|find|git|rsync|shred|truncate|unlink)\b|>")
"""Command lines that may take something away."""
_FORMAT = 2
_FOLDER = b"hooks"
_LOOK_MS = 100
_MOST = 200
_MUCH = 20_000
"""Characters of names from which on it pays to look with two processes."""


class _Other(Exception):  # noqa: N818
    """Something is not as it was."""


_OTHERWISE = (_Other, OSError, ValueError, EOFError, TypeError)


class _Known(NamedTuple):
    """A root: its path, its identity, its state folder, and the identity of the file of others there."""

    path: bytes
    identity: tuple[int, int]
    state: bytes
    others: tuple[int, ...] | None


def state_base(given: str | os.PathLike[str] | None) -> str:
    """The folder that holds all state folders of a user: the one `given`, or the user's."""
    if given is not None:
        return os.path.abspath(os.path.expanduser(given))
    if sys.platform == "linux":  # As platformdirs, whose import takes longer than a hook may.
        home = os.environ.get("XDG_STATE_HOME", "")
        return os.path.join(home if home.strip() else os.path.expanduser("~/.local/state"), "filewright")
    import platformdirs

    return platformdirs.user_state_dir("filewright", appauthor=False)


class QuickLook:
    """What is known of some roots, named as `Workspace` takes them, and of how they are now.

    `looks` are what was seen of them, by their paths, each with the listing that it was compared with.
    """

    def __init__(self, roots: Sequence[str], state_dir: str | os.PathLike[str] | None) -> None:
        given = state_dir or os.environ.get("FILEWRIGHT_STATE_DIR") or None
        self._base = os.fsencode(state_base(given))
        named = [root for root in roots if os.path.isabs(root)] == [*roots] != []
        own = {name: value for name, value in os.environ.items() if name.startswith("FILEWRIGHT_")}
        project = None if roots else os.environ.get("CLAUDE_PROJECT_DIR")
        about = (sorted(own.items()), [*roots], "" if named else os.getcwd(), project)
        self._key = xxhash.xxh3_128_hexdigest(repr(about).encode("utf-8", "surrogateescape")).encode()
        self.looks: dict[bytes, tuple[KeptListing, Look]] = {}

    def begin(self, identifier: str, line: str) -> bool:
        """Begin a command, if all is kept that can be and nothing has changed since; whether it was begun."""
        with suppress(*_OTHERWISE), ExitStack() as stack:
            takes_away, found = TAKES_AWAY.search(line), []
            known, newest = self._known()
            for root in known:
                state = stack.enter_context(system.open_folder(root.state))
                fresh = stack.enter_context(fresh_in(state))
                kept = self._unchanged(root, read_kept(state))
                if not all(row.kept and not (takes_away and row.large) for row in kept.rows.values()):
                    return False
                found.append((state, fresh, kept))
            for state, fresh, kept in found:
                kept._replace(newest=newest).write(state, fresh, list_of(identifier))
            return True
        return False

    def end(self, identifier: str) -> bool:
        """End a command that has changed nothing while nobody else did; whether it was one."""
        with suppress(*_OTHERWISE), ExitStack() as stack:
            known, newest = self._known()
            states = [stack.enter_context(system.open_folder(root.state)) for root in known]
            for root, state in zip(known, states, strict=True):
                if self._unchanged(root, read_kept(state, list_of(identifier))).newest != newest:
                    return False
            for state in states:
                state.remove(list_of(identifier))
            return True
        return False

    def _known(self) -> tuple[list[_Known], int]:
        """The roots, and the newest change of any."""
        path = os.path.join(self._base, _FOLDER, self._key)
        with system.open_file(path) as file:
            version, seen, roots, databases = unsealed(file)
            ours = file.status().uid == system.effective_user()
        known = [_Known(*root) for root in roots]
        others = [_status(os.path.dirname(root.state), b"others") for root in known]
        if not ours or (version, seen) != (_FORMAT, _status(self._base, b"roots")):
            raise _Other
        if others != [root.others for root in known]:
            raise _Other
        return known, max(map(_newest, databases), default=0)

    def _unchanged(self, root: _Known, kept: KeptListing | None) -> KeptListing:
        """What was kept of a root, which is so now. Raises `_Other`."""
        excludes = excludes_file(os.environ)
        if kept is None or (kept.outer or ())[:2] != (excludes, excludes_stamp(excludes)):
            raise _Other
        with system.open_folder(root.path) as folder:
            if folder.identity() != root.identity or _index(folder) != kept.git_index:
                raise _Other
            seen = _look_twice(folder, kept.rows, kept.outer[2])
        self.looks[root.path] = kept, seen
        if seen:
            raise _Other
        return kept

    def note(
        self, states: Sequence[tuple[bytes, tuple[int, int], StateFolder]], databases: Sequence[bytes]
    ) -> None:
        """Note of each root its path, its identity and its state, and all databases in which its changes may be."""
        known = [
            tuple(_Known(path, identity, state.at(b"shell"), _status(state.at(), b"others")))
            for path, identity, state in states
        ]
        data = sealed((_FORMAT, _status(self._base, b"roots"), known, [*databases]))
        path = os.path.join(self._base, _FOLDER)
        with suppress(OSError):
            with suppress(FileExistsError):
                system.make_folder(path, 0o700)
            with system.open_folder(path) as folder:
                names = folder.names()
                for name in names if len(names) > _MOST else ():
                    folder.remove(name)
                with fresh_in(folder) as fresh:
                    with folder.open(fresh, write=True) as file:
                        file.write(data, 0)
                    folder.rename(fresh, folder, self._key, "replace")


def list_of(identifier: str) -> bytes:
    """The name of the listing before a command."""
    return identifier.encode() + b".list"


def _look_twice(folder: Folder, rows: Listing, cross: bool) -> Look:
    """Look at a root; by two processes, each at every other folder, where there is much: it is the system that takes
    the time, once for every file."""
    once = partial(look, folder, cross=cross, check=_nothing)
    if sum(len(row.names) for row in rows.values()) < _MUCH or not hasattr(os, "fork"):
        return once(rows)
    mine, others = (dict(islice(rows.items(), begin, None, 2)) for begin in (0, 1))
    reading, writing = os.pipe()
    with open(reading, "rb") as taken, open(writing, "wb") as given:
        child = os.fork()
        if not child:
            with suppress(BaseException):
                plain = {
                    prefix: row if isinstance(row, int) else tuple(row)
                    for prefix, row in once(others).items()
                }
                marshal.dump(plain, given)
                given.flush()
            os._exit(0)
        given.close()
        seen = once(mine)
        theirs = marshal.loads(taken.read())
    os.waitpid(child, 0)
    return seen | {prefix: row if isinstance(row, int) else FolderRow(*row) for prefix, row in theirs.items()}


def _nothing() -> None:
    pass


def _index(root: Folder) -> tuple[int, ...] | None:
    """What tells git's index from another, as far as it is a file of this root."""
    try:
        return written(root.stat_beneath((b".git", b"index")))
    except OSError:
        return None


def _status(folder: bytes, name: bytes) -> tuple[int, ...] | None:
    try:
        return written(system.status_of(os.path.join(folder, name)))
    except OSError:
        return None


def uri_of(path: bytes) -> str:
    """How SQLite takes a path to which options are added."""
    escaped = os.fsdecode(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{escaped}"


def _newest(path: bytes) -> int:
    """The newest change in a log. Raises `_Other` where one is unfinished, or a person has said something."""
    import sqlite3

    if not os.path.exists(path):
        return 0
    try:
        connection = sqlite3.connect(f"{uri_of(path)}?mode=ro", uri=True, timeout=_LOOK_MS / 1000)
        try:
            newest, unfinished, said = connection.execute(
                "SELECT (SELECT number FROM made ORDER BY number DESC LIMIT 1), EXISTS (SELECT 1 FROM unfinished "
                "WHERE state IN ('intent', 'unsettled')), EXISTS (SELECT 1 FROM words "
                "WHERE kind = 'comment' AND word IS NULL AND resolved IS NULL)"
            ).fetchone()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise _Other from error
    if unfinished or said:
        raise _Other
    return newest or 0
