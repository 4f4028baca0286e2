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
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from functools import partial
from itertools import islice

import xxhash

from filewright import system
from filewright.annotations import TYPE_CHECKING
from filewright.boundary import excludes_file
from filewright.changes.database import uri_of
from filewright.changes.listing import (
    NEWEST,
    FolderRow,
    KeptListing,
    Listing,
    Look,
    look,
    read_kept,
    sealed,
    unsealed,
    written,
)
from filewright.changes.state import fresh_in, state_base
from filewright.system import stamp_of

if TYPE_CHECKING:
    from filewright.changes.state import StateFolder
    from filewright.system import Folder

TAKES_AWAY = r"\b(rm|mv|cp|dd|sed|tee|find|git|rsync|shred|truncate|unlink)\b|>"
"""Command lines that may take something away."""
_FORMAT = 4
_FOLDER = b"hooks"
_LOOK_MS = 100
SLACK_NS = 2 * 10**9
"""By how much the clocks of two file systems may differ, and how seldom one may tick."""
_MOST = 200
_MUCH = 20_000
"""Characters of names from which on it pays to look with two processes."""


class _Other(Exception):  # noqa: N818
    """Something is not as it was."""


_OTHERWISE = (_Other, OSError, ValueError, EOFError, TypeError)


class QuickLook:
    """What is known of some roots, named as `Workspace` takes them, and of how they are now.

    `looks` are what was seen of them, by their paths, each with the listing that it was compared with; `newest` is the
    number of the newest change that is in them.
    """

    def __init__(self, roots: Sequence[str], state_dir: str | os.PathLike[str] | None) -> None:
        given = state_dir or os.environ.get("FILEWRIGHT_STATE_DIR")
        self._base = os.fsencode(state_base(given))
        own = {name: value for name, value in os.environ.items() if name.startswith("FILEWRIGHT_")}
        project = None if roots else os.environ.get("CLAUDE_PROJECT_DIR")
        about = sorted(own.items()), [*roots], [*map(os.path.abspath, roots)] or os.getcwd(), project
        self._key = xxhash.xxh3_128_hexdigest(repr(about).encode("utf-8", "surrogateescape")).encode()
        self.looks: dict[bytes, tuple[KeptListing, Look]] = {}
        self.newest = 0
        self._databases: Sequence[bytes] = ()
        self._logs: tuple[object, ...] = ()

    def begin(self, identifier: str, line: str) -> bool:
        """Begin a command, if all is kept that can be and nothing has changed since; whether it was begun."""
        with suppress(*_OTHERWISE), ExitStack() as stack:
            found = self._unchanged(stack, NEWEST)
            rows = [row for _, kept in found for row in kept.rows.values()]
            is_late = any(row.large for row in rows) and re.search(TAKES_AWAY, line)
            if is_late or not all(row.kept for row in rows):
                return False
            for state, kept in found:
                now = kept._replace(newest=self.newest, logs=self._logs)
                now.write(state, list_of(identifier), newest=now != kept)
            # Another command that has just ended may have missed it: begun anew, it is like that.
            return self._newest(now) == self.newest
        return False

    def end(self, identifier: str) -> bool:
        """End a command that has changed nothing while nobody else did; whether it was one."""
        with suppress(*_OTHERWISE), ExitStack() as stack:
            found = self._unchanged(stack, list_of(identifier))
            if any(kept.newest != self.newest for _, kept in found):
                return False
            for state, kept in found:
                state.remove(list_of(identifier))
                for name in begun_since(state, kept):
                    kept.write(state, name)
            return True
        return False

    def _unchanged(self, stack: ExitStack, name: bytes) -> list[tuple[Folder, KeptListing]]:
        """Of each root the folder of its listings, and that of a name, which is so now.

        Raises `_Other`.
        """
        with system.open_file(os.path.join(self._base, _FOLDER, self._key)) as file:
            version, seen, roots, databases = unsealed(file)
            ours = file.status().uid == system.effective_user()
        if not ours or version != _FORMAT or seen != {path: stamp_of(path) for path in seen}:
            raise _Other
        found: list[tuple[Folder, KeptListing]] = []
        self._databases = databases
        excludes = excludes_file(os.environ)
        for path, identity, listings, outer in roots:
            state = stack.enter_context(system.open_folder(listings))
            kept = read_kept(state, name)
            if kept is None or kept.outer != (excludes, stamp_of(excludes), *(outer or ())[2:]):
                raise _Other
            if not found:  # Before any look: what is changed later is not in it.
                self.newest = self._newest(kept)
            with system.open_folder(path) as folder:
                if folder.status().identity != identity or _index(folder) != kept.git_index:
                    raise _Other
                self.looks[path] = kept, _look_twice(folder, kept.rows, kept.outer[2])
            if self.looks[path][1]:
                raise _Other
            found.append((state, kept))
        return found

    def _newest(self, known: KeptListing) -> int:
        """The number of the newest change: as it is known, if no log was written since."""
        files = [path + end for path in self._databases for end in (b"", b"-wal")]
        stamps = tuple(stamp if stamp and stamp[1] else None for stamp in map(stamp_of, files))
        lately = time.time_ns() - SLACK_NS
        # What is written next may be within the same tick of a clock.
        self._logs = stamps if all(stamp is None or stamp[2] < lately for stamp in stamps) else ()
        if self._logs and known.logs == self._logs:
            return known.newest
        return max(map(_newest, self._databases), default=0)

    def note(
        self,
        states: Sequence[tuple[bytes, tuple[int, int], StateFolder, tuple[object, ...] | None]],
        databases: Sequence[bytes],
    ) -> None:
        """Note of each root its path, its identity, its state and what it is listed by (`Boundary.listed_by`), and all
        databases in which its changes may be."""
        files = [os.path.join(self._base, b"roots"), *(state.at(b"others") for _, _, state, _ in states)]
        roots = [(path, identity, state.at(b"shell"), outer) for path, identity, state, outer in states]
        data = sealed((_FORMAT, {path: stamp_of(path) for path in files}, roots, [*databases]))
        path = os.path.join(self._base, _FOLDER)
        with suppress(OSError):
            with suppress(FileExistsError):
                system.make_folder(path, 0o700)
            with system.open_folder(path) as folder:
                names = folder.names()
                for name in names if len(names) > _MOST else ():
                    folder.remove(name)
                with fresh_in(folder, data) as fresh:
                    folder.rename(fresh, folder, self._key, "replace")


def list_of(identifier: str) -> bytes:
    """The name of the listing before a command."""
    return identifier.encode() + b".list"


def begun_since(folder: Folder, last: KeptListing) -> list[bytes]:
    """The listings before commands that have begun later and have not ended.

    Whatever these have found is on record with the end of the earlier one, whose look takes their place.
    """
    names = [name for name in folder.names() if name.endswith(list_of(""))]
    found = zip(names, folder.stats(names), strict=True)
    return [name for name, status in found if status is not None and status.mtime_ns >= last.begun_ns]


def _look_twice(folder: Folder, rows: Listing, cross: bool) -> Look:
    """Look at a root; by two processes, each at every other folder, where there is much: it is the system that takes
    the time, once for every file."""
    once = partial(look, folder, cross=cross, check=lambda: None)
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


def _index(root: Folder) -> tuple[int, ...] | None:
    """What tells git's index from another, as far as it is a file of this root."""
    try:
        return written(root.stat_beneath((b".git", b"index")))
    except OSError:
        return None


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
