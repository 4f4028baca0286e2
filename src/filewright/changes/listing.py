"""What is below a root at one moment, folder by folder; and the same again, for which little is asked twice.

A `FolderRow` is one folder: all its names, those that rules leave out, and the stamps of the others, packed, so that
two of them are compared as one value. `look` looks at every name, and knows in which folders rules must be asked: where
names have come or changed their kind, or the files that say what is ignored are not what they were. Of those `settled`
asks the walk of the boundary, which alone knows the rules.
"""

from __future__ import annotations

import marshal
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import takewhile

import xxhash

from filewright.annotations import Any, NamedTuple
from filewright.changes.record import Kind
from filewright.changes.state import fresh_in
from filewright.system import File, Folder, Status

LARGE = 1 << 20
"""Files above this size are never kept."""
NEWEST = b"newest"
_RULE_FILES = (b".gitignore", b".ignore")
_DENY_FILE, _EXCLUDE = b".agentsignore", (b".git", b"info", b"exclude")
_KINDS: dict[int, Kind] = {0o100000: "file", 0o040000: "folder", 0o120000: "link"}
"""By the bits of a mode that say what something is."""
_FORMAT = 11
_NO_STAMPS = marshal.dumps([], 2)


class ListedStamp(NamedTuple):
    """What a listing has of a thing: see `Folder.stamps`."""

    kind_and_mode: int
    inode: int
    device: int
    links: int
    uid: int
    gid: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @property
    def kind(self) -> Kind:
        """What it is."""
        return _KINDS.get(self.kind_and_mode & 0o170000, "other")

    @property
    def mode(self) -> int:
        """Its permission bits."""
        return self.kind_and_mode & 0o7777

    @property
    def key(self) -> bytes:
        """All of it, as a cache knows it."""
        return marshal.dumps(tuple(self), 2)


class FolderRow(NamedTuple):
    """A folder as it was listed.

    `names` are all that are in it, sorted, with slashes between them; `hidden` those that rules leave out or
    that nobody may look at, folders with a slash behind them; `stamps` are those of the others; `large`: there
    are files among them that are too large to be kept; the last of them was written at `newest_ns`. `rules` are
    the stamps of the files that say what is left out. `kept` names the cache that holds all of it that can be
    kept.
    """

    names: bytes = b""
    hidden: tuple[bytes, ...] = ()
    stamps: bytes = _NO_STAMPS
    large: bool = False
    newest_ns: int = 0
    rules: tuple[tuple[int, ...] | None, ...] = ()
    kept: str = ""

    def listed(self) -> list[bytes]:
        """The names that have stamps."""
        names = self.names.split(b"/") if self.names else []
        if not self.hidden:
            return names
        hidden = {name.removesuffix(b"/") for name in self.hidden}
        return [name for name in names if name not in hidden]

    def plus(self, more: FolderRow) -> FolderRow:
        """This one and `more` names of a folder that was read in pieces."""
        names = b"/".join(filter(None, (self.names, more.names)))
        stamps = marshal.loads(self.stamps) + marshal.loads(more.stamps)
        return FolderRow(names, self.hidden + more.hidden, *_packed(stamps), self.rules)

    def things(self) -> Iterator[tuple[bytes, ListedStamp]]:
        """Each of these names with its stamp."""
        return zip(self.listed(), map(ListedStamp._make, marshal.loads(self.stamps)), strict=True)


Listing = dict[bytes, FolderRow]
"""By the path of a folder, with a slash at its end."""


Look = dict[bytes, FolderRow | int]
"""What was seen of the folders that are not as they were listed: a row; or how many levels of it rules must be asked
about: its own names (1), or all below (0)."""


class KeptListing(NamedTuple):
    """A listing that is kept: the number of the newest change before it (0: none), what from outside of the root says
    what is left out, the stamp that the root's git index then had, and the rows.

    `begun_ns` is when the file was written, by the clock of its file system: what is younger was made later. `logs`
    tell the files of the logs, as `newest` was found in them, from others; nothing where that is not known.
    """

    newest: int
    outer: Any
    git_index: tuple[int, ...] | None
    rows: Listing
    begun_ns: int = 0
    logs: tuple[object, ...] = ()

    def write(self, folder: Folder, name: bytes, *, newest: bool = True) -> None:
        """Write it as `name`, and as the newest, unless that one says the same."""
        rows: dict[bytes, Any] = {prefix: tuple(row) for prefix, row in self.rows.items()}
        with fresh_in(folder, sealed((_FORMAT, *self[:3], self.logs, rows))) as fresh:
            folder.rename(fresh, folder, name, "replace")
            if newest and name != NEWEST:
                with suppress(OSError):  # A file system without links: the next is listed anew.
                    folder.link(name, folder, fresh)
                    folder.rename(fresh, folder, NEWEST, "replace")


def sealed(value: Any) -> bytes:
    """A value of plain types as it is kept: after its hash."""
    data = marshal.dumps(value)
    return xxhash.xxh3_128_digest(data) + data


def unsealed(file: File) -> Any:
    """The value that a file holds. Raises `ValueError` where it is damaged, and what `marshal` raises."""
    digest, data = file.read(0, 16), file.read(16, file.status().size)
    if xxhash.xxh3_128_digest(data) != digest:
        raise ValueError("it is damaged")
    return marshal.loads(data)


def read_kept(folder: Folder, name: bytes = NEWEST) -> KeptListing | None:
    """A listing that is kept, the newest or one by name; None if it is not there, damaged, or of another version."""
    try:
        with folder.open(name) as file:
            version, newest, outer, git_index, logs, rows = unsealed(file)
            if version != _FORMAT:
                return None
            listing = {prefix: FolderRow(*row) for prefix, row in rows.items()}
            return KeptListing(newest, outer, git_index, listing, file.status().mtime_ns, logs)
    except (OSError, ValueError, EOFError, TypeError):
        return None


def row_of(folder: Folder, names: list[bytes], left: list[bytes]) -> FolderRow:
    """The row of an open folder of whose sorted `names` rules have `left` some."""
    try:
        stamps = folder.stamps(left)
    except OSError:
        stamps = [None] * len(left)  # It may be listed, but not entered.
    hidden: tuple[bytes, ...] = ()
    if len(left) != len(names) or None in stamps:
        kept = {name for name, stamp in zip(left, stamps, strict=True) if stamp is not None}
        folders = _folders_in(folder)
        hidden = tuple(name + b"/" * (name in folders) for name in names if name not in kept)
    return FolderRow(b"/".join(names), hidden, *_packed(stamps), _rules(folder, names))


def look(root: Folder, last: Listing, *, cross: bool, check: Callable[[], None]) -> Look:
    """Look at all that was there as `last` says."""
    found: Look = {}
    for prefix, old in last.items():
        check()
        row: FolderRow | int = 1
        # It may be gone, or not be readable any more.
        with suppress(OSError), root.beneath(prefix.split(b"/")[:-1], links=False, cross=cross) as folder:
            names = folder.names()
            if _rules(folder, names) != old.rules:
                row = 0
            elif b"/".join(names) == old.names:
                row = _row_again(folder, old)
        if row is not old:
            found[prefix] = row
    return found


def settled(seen: Look, last: Listing, ask: Callable[[bytes, int], Listing]) -> Listing:
    """What is below a root that was `seen` as it differs from `last`; rows that are the same are the same objects.

    `ask` has the rows of a folder and of so many levels below it, as rules have it now.
    """
    rows = last.copy()
    entire: tuple[bytes, ...] = ()
    for prefix, row in sorted(seen.items()):
        if prefix.startswith(entire):
            continue
        if isinstance(row, FolderRow):
            rows[prefix] = row
            continue
        found = ask(prefix, row)
        if not row or prefix not in found:
            entire += (prefix,)
            rows = {path: row for path, row in rows.items() if not path.startswith(prefix)}
        else:
            for name, stamp in found[prefix].things():
                if stamp.kind == "folder" and prefix + name + b"/" not in last:
                    found |= ask(prefix + name + b"/", 0)
        rows |= found
    return rows


def _row_again(folder: Folder, old: FolderRow) -> FolderRow | int:
    """The row of a folder that has the names it had; 1 where rules may say something else of one of them."""
    if old.hidden:
        folders = _folders_in(folder)
        if any((name.removesuffix(b"/") in folders) is not name.endswith(b"/") for name in old.hidden):
            return 1
    found = folder.stamps(old.listed())
    if marshal.dumps(found, 2) == old.stamps:
        return old
    if None in found:
        return 1
    stamps, large, newest_ns = _packed(found)
    row = old._replace(stamps=stamps, large=large, newest_ns=newest_ns, kept="")
    for (_, was), (_, now) in zip(old.things(), row.things(), strict=True):
        # Another folder of that name, or one that may be entered now, may have what was not listed.
        if was != now and (was.kind != now.kind or was.kind == "folder"):
            return 1
    return row


def written(seen: Status | ListedStamp) -> tuple[int, int, int]:
    """Which file it is, as it was last written."""
    return seen.inode, seen.size, seen.mtime_ns


def prefix_of(path: bytes) -> bytes:
    """The path of the folder that holds something, with a slash at its end."""
    return path[: path.rfind(b"/") + 1]


def _packed(found: list[tuple[int, ...] | None]) -> tuple[bytes, bool, int]:
    """Stamps as a row holds them, whether there are large files among them, and when the last was written."""
    stamps = [stamp for stamp in found if stamp is not None]
    largest, newest_ns = (max((stamp[at] for stamp in stamps), default=0) for at in (6, 7))
    return marshal.dumps(stamps, 2), largest > LARGE, newest_ns


def _folders_in(folder: Folder) -> set[bytes]:
    return {name for batch in folder.batches() for name in batch.folders}


def _rules(folder: Folder, names: list[bytes]) -> tuple[tuple[int, ...] | None, ...]:
    """The stamps of the files in a folder that say what is left out in it and below; nothing where there are none."""
    dotted = {*takewhile(lambda name: name.startswith(b"."), names[bisect_left(names, b".") :])}
    if not dotted:
        return ()
    # Where a file system takes several spellings for one name, it knows it by this one.
    present = [_DENY_FILE] if folder.holds_any((_DENY_FILE,)) else []
    present += [name for name in _RULE_FILES if name in dotted]
    exclude = None
    if _EXCLUDE[0] in dotted:
        with suppress(OSError), folder.beneath(_EXCLUDE[:-1], links=False, listing=False) as info:
            exclude = info.stamps(_EXCLUDE[-1:])[0]
    return (*folder.stamps(present), exclude) if present or exclude else ()
