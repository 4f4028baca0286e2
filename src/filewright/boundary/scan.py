"""The names in one folder, by kind, as bytes, packed when there are very many."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from filewright.system import Folder, Kind

GIT_RULES, OTHER_RULES = b".gitignore", b".ignore"

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
_MARK_OF = {kind: b"\0" + mark for mark, kind in KIND_OF_MARK.items()}
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
        """Whether it holds one of the names that say what is ignored: a file, or the folder `.git`."""
        return name in self._rules or name in self.files or name in self.folders

    def read(self, folder: Folder) -> None:
        """Read the names of a folder. Raises `OSError`; what was read until then is kept."""
        for batch in folder.batches():
            if self:
                self._pack()  # There are more than one batch holds.
            self.files, self.folders = batch.files, batch.folders
            self.others = [name + _MARK_OF[kind] for name, kind in batch.others]
        if self._runs:
            self._pack()

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
        self._rules.update(name for name in (b".git",) if name in self.folders)
        items = self.files + [name + b"\0d" for name in self.folders] + self.others
        items.sort()
        if items:
            self._runs.append(b"/".join(items))
        self.files, self.folders, self.others = [], [], []


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
