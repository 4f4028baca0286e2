"""What is below a root at one moment, folder by folder; and the same again, for which little is asked twice.

A `FolderRow` is one folder: all its names, those that rules leave out, and the stamps of the others, packed, so that
two of them are compared as one value. `listed_again` looks at every name, and asks for rules only where names have come
or changed their kind, or the files that say what is ignored are not what they were. For the rest the walk of the
boundary is asked, which alone knows the rules.
"""

from __future__ import annotations

import marshal
import os
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, Literal, NamedTuple

import xxhash

from filewright.system import Folder

Kind = Literal["file", "folder", "link", "other"]

LARGE = 1 << 20
"""Files above this size are never kept."""
_SLICE = 4096
_RULE_FILES = (b".gitignore", b".ignore")
_DENY_FILE, _EXCLUDE = b".agentsignore", (b".git", b"info", b"exclude")
_FOLDER = 0o040000
_KINDS: dict[int, Kind] = {0o100000: "file", _FOLDER: "folder", 0o120000: "link"}
FORMS: dict[Kind, int] = {"file": 0o100000, "folder": _FOLDER, "link": 0o120000, "other": 0o010000}
"""The bits of a mode that say what something is."""
_FORMAT = 6
_NEWEST = b"newest"


class ListedStamp(NamedTuple):
    """What a listing has of a thing: see `Folder.stamps`."""

    mode: int
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
        return _KINDS.get(self.mode & 0o170000, "other")

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self.mode & 0o170000 == _FOLDER

    @property
    def written(self) -> tuple[int, int, int]:
        """Which file it is, as it was last written."""
        return self.inode, self.size, self.mtime_ns

    @property
    def rights(self) -> tuple[int, int, int]:
        """Its kind, mode and owner."""
        return self.mode, self.uid, self.gid

    @property
    def key(self) -> bytes:
        """All of it, as a cache knows it."""
        return marshal.dumps(tuple(self), 2)


class FolderRow(NamedTuple):
    """A folder as it was listed.

    `names` are all that are in it, sorted, with slashes between them; `hidden` those that rules leave out or that
    nobody may look at, folders with a slash behind them; `stamps` are those of the others, in slices. `rules` are
    those of the files in it that say what is left out; `large` are the names and sizes of files too large to be kept.
    """

    names: bytes = b""
    hidden: tuple[bytes, ...] = ()
    stamps: tuple[bytes, ...] = ()
    rules: tuple[tuple[int, ...] | None, ...] = ()
    large: tuple[tuple[bytes, int], ...] = ()

    def listed(self) -> list[bytes]:
        """The names that have stamps."""
        names = self.names.split(b"/") if self.names else []
        if not self.hidden:
            return names
        hidden = {name.removesuffix(b"/") for name in self.hidden}
        return [name for name in names if name not in hidden]

    @property
    def state(self) -> bytes:
        """What tells it from any other."""
        return xxhash.xxh3_128_digest(b"/".join((self.names, *self.stamps)))

    def plus(self, more: FolderRow) -> FolderRow:
        """This one and `more` names of a folder that was read in pieces."""
        return FolderRow(
            names=b"/".join(filter(None, (self.names, more.names))),
            hidden=self.hidden + more.hidden,
            stamps=self.stamps + more.stamps,
            rules=self.rules,
            large=self.large + more.large,
        )

    def things(self) -> Iterator[tuple[bytes, ListedStamp]]:
        """Each of these names with its stamp."""
        return zip(self.listed(), _unpacked(self.stamps), strict=True)


Listing = dict[bytes, FolderRow]
"""By the path of a folder, with a slash at its end."""
Ask = Callable[[bytes, int], Listing]
"""The rows of a folder and of so many levels below it, 1 being its own alone and 0 all, as rules have it now."""


class KeptListing(NamedTuple):
    """A listing that is kept: the number of the newest change before it (0: none), what from outside of the root says
    what is left out, whether what its files hold was kept entirely, the stamp that the root's git index then had, and
    the rows.

    `begun_ns` is when the file was written, by the clock of its file system: what is younger was made after it.
    """

    newest: int
    outer: Any
    whole: bool
    git_index: tuple[int, ...] | None
    rows: Listing
    begun_ns: int = 0

    def write(self, folder: Folder, name: bytes, fresh: bytes) -> None:
        """Write it as `name` and as the newest, into the file `fresh` that was made before anything was listed."""
        rows: dict[bytes, Any] = {prefix: tuple(row) for prefix, row in self.rows.items()}
        data = marshal.dumps((_FORMAT, *self[:4], rows))
        with folder.open(fresh, write=True) as file:
            begun = file.status().mtime_ns
            file.write(xxhash.xxh3_128_digest(data) + data, 0)
            # Not in the same tick of the clock as what was there before.
            while file.status().mtime_ns <= begun:
                time.sleep(0.001)
                file.write(data[:1], 16)
        folder.rename(fresh, folder, name, "replace")
        with suppress(OSError):  # A file system without links: the next is listed anew.
            folder.link(name, folder, fresh)
            folder.rename(fresh, folder, _NEWEST, "replace")


def begun(folder: Folder) -> bytes:
    """The name of a new file, whose time is that of the beginning of a listing."""
    fresh = b"new-" + os.urandom(8).hex().encode()
    folder.create(fresh).close()
    return fresh


def read_kept(folder: Folder, name: bytes = _NEWEST) -> KeptListing | None:
    """A listing that is kept, the newest or one by name; None if it is not there, damaged, or of another version."""
    try:
        with folder.open(name) as file:
            status = file.status()
            digest, data = file.read(0, 16), file.read(16, status.size)
        if xxhash.xxh3_128_digest(data) != digest:
            return None
        version, newest, outer, whole, git_index, rows = marshal.loads(data)
    except (OSError, ValueError, EOFError, TypeError):
        return None
    if version != _FORMAT:
        return None
    listing = {prefix: FolderRow(*row) for prefix, row in rows.items()}
    return KeptListing(newest, outer, whole, git_index, listing, status.mtime_ns)


def row_of(folder: Folder, names: list[bytes], left: Iterable[bytes]) -> FolderRow:
    """The row of an open folder of whose sorted `names` rules have `left` some."""
    left = list(left)
    try:
        stamps = folder.stamps(left)
    except OSError:
        stamps = [None] * len(left)  # It may be listed, but not entered.
    hidden: tuple[bytes, ...] = ()
    if len(left) != len(names) or None in stamps:
        kept = {name for name, stamp in zip(left, stamps, strict=True) if stamp is not None}
        folders = _folders_in(folder)
        hidden = tuple(name + b"/" * (name in folders) for name in names if name not in kept)
    found = [stamp for stamp in stamps if stamp is not None]
    row = FolderRow(b"/".join(names), hidden, _packed(found), _rules(folder, names))
    return row._replace(large=_large(row)) if any(stamp[6] > LARGE for stamp in found) else row


def listed_again(root: Folder, last: Listing, ask: Ask, *, cross: bool, check: Callable[[], None]) -> Listing:
    """What is below a root now, which was as `last` says; rows that are the same are the same objects."""
    below: dict[bytes, list[bytes]] = {}
    for prefix in last:
        if prefix:
            below.setdefault(prefix_of(prefix[:-1]), []).append(prefix)
    found: Listing = {}
    pending = [b""]
    while pending:
        check()
        prefix = pending.pop()
        old = last[prefix]
        try:
            with root.beneath(prefix.split(b"/")[:-1], links=False, cross=cross) as folder:
                names = folder.names()
                same = b"/".join(names) == old.names
                if (_rules_again(folder, old) if same else _rules(folder, names)) != old.rules:
                    found.update(ask(prefix, 0))
                    continue
                row = _row_again(folder, old) if same else None
        except OSError:
            continue  # It is gone, or may not be read any more.
        if row is not None:
            found[prefix] = row
            pending += below.get(prefix, ())
            continue
        asked = ask(prefix, 1)
        found.update(asked)
        for name, stamp in asked[prefix].things() if prefix in asked else ():
            if stamp.is_folder:
                path = prefix + name + b"/"
                if path in last:
                    pending.append(path)
                else:
                    found.update(ask(path, 0))
    return found


def _row_again(folder: Folder, old: FolderRow) -> FolderRow | None:
    """The row of a folder that has the names it had; None where rules may say something else of one of them."""
    if old.hidden:
        folders = _folders_in(folder)
        if any((name.removesuffix(b"/") in folders) is not name.endswith(b"/") for name in old.hidden):
            return None
    stamps = [stamp for stamp in folder.stamps(old.listed()) if stamp is not None]
    packed = _packed(stamps)
    if packed == old.stamps:
        return old
    before = list(_unpacked(old.stamps))
    if len(before) != len(stamps):
        return None
    for was, now in zip(before, map(ListedStamp._make, stamps), strict=True):
        # Another folder of that name, or one that may be entered now, may have what was not listed.
        if was != now and (was.kind != now.kind or was.is_folder):
            return None
    row = old._replace(stamps=packed)
    return row._replace(large=_large(row))


def prefix_of(path: bytes) -> bytes:
    """The path of the folder that holds something, with a slash at its end."""
    return path[: path.rfind(b"/") + 1]


def _packed(stamps: list[tuple[int, ...]]) -> tuple[bytes, ...]:
    return tuple(marshal.dumps(stamps[at : at + _SLICE], 2) for at in range(0, len(stamps), _SLICE))


def _unpacked(stamps: tuple[bytes, ...]) -> Iterator[ListedStamp]:
    for packed in stamps:
        yield from map(ListedStamp._make, marshal.loads(packed))


def _large(row: FolderRow) -> tuple[tuple[bytes, int], ...]:
    return tuple(
        (name, stamp.size) for name, stamp in row.things() if stamp.size > LARGE and stamp.kind == "file"
    )


def _folders_in(folder: Folder) -> set[bytes]:
    return {name for batch in folder.batches() for name in batch.folders}


def _rules(folder: Folder, names: list[bytes]) -> tuple[tuple[int, ...] | None, ...]:
    """The stamps of the files in a folder that say what is left out in it and below; nothing where there are none."""
    # Where a file system takes several spellings for one name, it knows it by this one.
    present = [_DENY_FILE] if folder.holds_any((_DENY_FILE,)) else []
    present += [name for name in _RULE_FILES if _has(names, name)]
    exclude = _exclude(folder) if _has(names, _EXCLUDE[0]) else None
    return (*folder.stamps(present), exclude) if present or exclude else ()


def _rules_again(folder: Folder, old: FolderRow) -> tuple[tuple[int, ...] | None, ...]:
    """The same of one whose names are what they were."""
    dots = old.names.startswith(b".") or b"/." in old.names
    return _rules(folder, old.names.split(b"/")) if dots else ()


def _exclude(folder: Folder) -> tuple[int, ...] | None:
    try:
        with folder.beneath(_EXCLUDE[:-1], links=False, listing=False) as info:
            return info.stamps(_EXCLUDE[-1:])[0]
    except OSError:
        return None


def _has(names: list[bytes], name: bytes) -> bool:
    at = bisect_left(names, name)
    return at < len(names) and names[at] == name
