"""The names in one folder, read by its descriptor: by kind, as bytes, packed when there are very many."""

from __future__ import annotations

import heapq
import os
import stat
import sys
from collections.abc import Iterator
from typing import Literal

Kind = Literal["file", "folder", "link", "fifo", "socket", "device"]

GIT_RULES, OTHER_RULES = b".gitignore", b".ignore"

_ENCODING = sys.getfilesystemencoding()
# Above this many names a folder's are packed, sorted run by sorted run.
_RUN = 1 << 16

_KIND_OF: dict[int, Kind] = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "folder",
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
}
# While a folder is read, what is not a file has a NUL and a letter behind its name: a NUL is in no
# name and sorts before everything, so the order stays that of the names. `-` is a folder that is
# entered but not shown.
KIND_OF_MARK: dict[bytes, Kind] = {
    b"d": "folder",
    b"l": "link",
    b"p": "fifo",
    b"s": "socket",
    b"c": "device",
    b"f": "file",
}
_MARK_OF = {kind: mark for mark, kind in KIND_OF_MARK.items()}
UNSHOWN = b"-"
FOLDER_MARKS = (b"d", UNSHOWN)


class Names:
    """The names in one folder, as they come, by kind; packed into sorted runs when there are very many."""

    __slots__ = ("_rules", "_runs", "files", "folders", "others")

    def __init__(self) -> None:
        self.files: list[bytes] = []
        self.folders: list[bytes] = []
        self.others: list[bytes] = []
        self._runs: list[bytes] = []
        self._rules: set[bytes] = set()

    def __bool__(self) -> bool:
        return bool(self.files or self.folders or self.others)

    @property
    def packed(self) -> bool:
        """Whether there were so many that they must be taken from `merged`."""
        return bool(self._runs)

    def holds(self, name: bytes) -> bool:
        """Whether the folder holds a file of that name: one of ignore rules."""
        return name in self._rules or name in self.files

    def read(self, descriptor: int) -> None:
        """Read the folder of a descriptor. Raises `OSError`; what was read until then is kept."""
        files: list[str] = []
        folders: list[str] = []
        room = _RUN
        with os.scandir(descriptor) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    files.append(entry.name)
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                else:
                    mark = _mark_of(entry, descriptor)
                    if mark:
                        self.others.append(entry.name.encode(_ENCODING, "surrogateescape") + mark)
                room -= 1
                if room == 0:
                    self.files, self.folders = _encoded(files), _encoded(folders)
                    self._pack()
                    files, folders, room = [], [], _RUN
        self.files, self.folders = _encoded(files), _encoded(folders)

    def add_marked(self, item: bytes) -> None:
        """Sort in a name as `merged` yields it."""
        if 0 not in item:
            self.files.append(item)
        elif item.endswith(b"\0d"):
            self.folders.append(item[:-2])
        else:
            self.others.append(item)

    def merged(self, start: bytes = b"") -> Iterator[bytes]:
        """All names from `start` on, marked and sorted."""
        self._pack()
        return heapq.merge(*(_unpacked(run, _offset(run, start)) for run in self._runs))

    def _pack(self) -> None:
        self._rules.update(name for name in (GIT_RULES, OTHER_RULES) if name in self.files)
        items = self.files + [name + b"\0d" for name in self.folders] + self.others
        items.sort()
        if items:
            self._runs.append(b"/".join(items))
        self.files, self.folders, self.others = [], [], []


def _encoded(names: list[str]) -> list[bytes]:
    # All at once: a third of the time of one by one.
    return "/".join(names).encode(_ENCODING, "surrogateescape").split(b"/") if names else []


def _offset(run: bytes, name: bytes) -> int:
    """Where the first name of a run that is not below `name` begins; past its end if none is."""
    low, high = 0, len(run) + 1
    while low < high:
        middle = run.rfind(b"/", low, (low + high) // 2) + 1 or low
        end = run.find(b"/", middle)
        end = len(run) if end < 0 else end
        if run[middle:end] < name:
            low = end + 1
        else:
            high = middle
    return low


def _unpacked(run: bytes, start: int) -> Iterator[bytes]:
    if start > len(run):
        return
    while (end := run.find(b"/", start)) >= 0:
        yield run[start:end]
        start = end + 1
    yield run[start:]


def _mark_of(entry: os.DirEntry[str], folder: int) -> bytes | None:
    if entry.is_symlink():
        return b"\0l"
    try:
        status = os.stat(entry.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return b"\0" + _MARK_OF[_KIND_OF.get(stat.S_IFMT(status.st_mode), "device")]
