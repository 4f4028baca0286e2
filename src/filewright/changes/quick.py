"""A command of a shell that changes nothing, begun and ended without opening a workspace.

Hooks do both around every command, and most commands change nothing. What the first call has found out of the
folders it was given (`note`) is kept, and is true as long as nothing says otherwise: the settings, the roots, what
says what is ignored, git's index, the newest change in the log. A `QuickLook` lists the roots as any call does
(`listing`). Where all is as it was before, there is nothing to keep and nothing to record. Else nothing is done, and
whoever opens the workspace need not list them again (`rows`).
"""

from __future__ import annotations

import marshal
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import xxhash

from filewright import system
from filewright.boundary import excludes_file, excludes_stamp
from filewright.changes.listing import KeptListing, Listing, begun, listed_again, read_kept

if TYPE_CHECKING:
    from filewright.changes.state import StateFolder
    from filewright.system import Folder

TAKES_AWAY = re.compile(r"\b(rm|mv|cp|dd|sed|tee|find|git|rsync|shred|truncate|unlink)\b|>")
"""Command lines that may take something away."""
_FORMAT = 1
_FOLDER = b"hooks"
_LOOK_MS = 100
_MOST = 200


class _Other(Exception):  # noqa: N818
    """Something is not as it was."""


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

    `rows` are what was listed of them, complete, by their paths.
    """

    def __init__(self, roots: Sequence[str], state_dir: str | os.PathLike[str] | None) -> None:
        given = state_dir or os.environ.get("FILEWRIGHT_STATE_DIR") or None
        self._base = os.fsencode(state_base(given))
        named = [root for root in roots if os.path.isabs(root)] == [*roots] != []
        own = {name: value for name, value in os.environ.items() if name.startswith("FILEWRIGHT_")}
        project = None if roots else os.environ.get("CLAUDE_PROJECT_DIR")
        about = (sorted(own.items()), [*roots], "" if named else os.getcwd(), project)
        self._key = xxhash.xxh3_128_hexdigest(repr(about).encode("utf-8", "surrogateescape")).encode()
        self.rows: dict[bytes, tuple[Listing, Any]] = {}

    def begin(self, identifier: str, line: str) -> bool:
        """Begin a command, if all is kept that can be and nothing has changed since; whether it was begun."""
        with suppress(_Other, OSError, ValueError, EOFError, TypeError):
            known, databases = self._known()
            newest = max((_newest(path) for path in databases), default=0)
            found: list[tuple[bytes, KeptListing, bytes]] = []
            for root in known:
                with system.open_folder(root.state) as folder:
                    kept = read_kept(folder)
                    fresh = begun(folder)
                    try:
                        if kept is None or not kept.whole:
                            raise _Other
                        rows = self._listed(root, kept)
                        if rows != kept.rows or (
                            TAKES_AWAY.search(line) and any(r.large for r in rows.values())
                        ):
                            raise _Other
                    except BaseException:
                        folder.remove(fresh)
                        raise
                found.append((root.state, kept, fresh))
            for state, kept, fresh in found:
                with system.open_folder(state) as folder:
                    kept._replace(newest=newest).write(folder, identifier.encode() + b".list", fresh)
            return True
        return False

    def end(self, identifier: str) -> bool:
        """End a command that has changed nothing while nobody else did; whether it was one."""
        with suppress(_Other, OSError, ValueError, EOFError, TypeError):
            known, databases = self._known()
            newest = max((_newest(path) for path in databases), default=0)
            for root in known:
                with system.open_folder(root.state) as folder:
                    kept = read_kept(folder, identifier.encode() + b".list")
                if kept is None or kept.newest != newest or self._listed(root, kept) != kept.rows:
                    raise _Other
            for root in known:
                with system.open_folder(root.state) as folder:
                    folder.remove(identifier.encode() + b".list")
            return True
        return False

    def _known(self) -> tuple[list[_Known], list[bytes]]:
        path = os.path.join(self._base, _FOLDER, self._key)
        with system.open_file(path) as file:
            status = file.status()
            if status.uid != system.effective_user():
                raise _Other
            digest, data = file.read(0, 16), file.read(16, status.size)
        if xxhash.xxh3_128_digest(data) != digest:
            raise _Other
        version, seen, roots, databases = marshal.loads(data)
        known = [_Known(*root) for root in roots]
        if version != _FORMAT or seen != _status(self._base, b"roots"):
            raise _Other
        for root in known:
            if system.status_of(root.path).identity != root.identity:
                raise _Other
            if _status(os.path.dirname(root.state), b"others") != root.others:
                raise _Other
        return known, databases

    def _listed(self, root: _Known, kept: KeptListing) -> Listing:
        """What is below a root now, and remembered. Raises `_Other` where rules must be asked."""
        excludes = excludes_file(os.environ)
        if kept.outer is None or kept.outer[:2] != (excludes, excludes_stamp(excludes)):
            raise _Other
        with system.open_folder(root.path) as folder:
            if folder.identity() != root.identity or _index(folder) != kept.git_index:
                raise _Other
            rows = listed_again(folder, kept.rows, _ask_nobody, cross=kept.outer[2], check=_nothing)
        self.rows[root.path] = rows, kept.outer
        return rows

    def note(
        self, states: Sequence[tuple[bytes, tuple[int, int], StateFolder]], databases: Sequence[bytes]
    ) -> None:
        """Note of each root its path, its identity and its state, and all databases in which its changes may be."""
        known = [
            tuple(_Known(path, identity, state.at(b"shell"), _status(state.path, b"others")))
            for path, identity, state in states
        ]
        data = marshal.dumps((_FORMAT, _status(self._base, b"roots"), known, [*databases]))
        path = os.path.join(self._base, _FOLDER)
        with suppress(OSError):
            with suppress(FileExistsError):
                system.make_folder(path, 0o700)
            with system.open_folder(path) as folder:
                names = folder.names()
                for name in names if len(names) > _MOST else ():
                    folder.remove(name)
                fresh = begun(folder)
                with folder.open(fresh, write=True) as file:
                    file.write(xxhash.xxh3_128_digest(data) + data, 0)
                folder.rename(fresh, folder, self._key, "replace")


def _ask_nobody(prefix: bytes, depth: int) -> Listing:  # noqa: ARG001
    raise _Other


def _nothing() -> None:
    pass


def _index(root: Folder) -> tuple[int, ...] | None:
    """What tells git's index from another, as far as it is a file of this root."""
    try:
        raw = root.stat_beneath((b".git", b"index")).raw
    except OSError:
        return None
    return raw.st_ino, raw.st_size, raw.st_mtime_ns


def _status(folder: bytes, name: bytes) -> tuple[int, ...] | None:
    try:
        status = system.status_of(os.path.join(folder, name))
    except OSError:
        return None
    return status.inode, status.size, status.mtime_ns


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
