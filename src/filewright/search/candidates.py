"""candidates."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from filewright.boundary.boundary import Boundary
from filewright.boundary.launcher import Child, find_program
from filewright.boundary.location import Location
from filewright.boundary.walk_model import FolderEntry, WalkOptions
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.search.prefilter import RG_MEMORY_BYTES, read_child_output
from filewright.search.tree_options import TreeOptions
from filewright.search.window import NO_TIMEOUT
from filewright.text.notebook import NOTEBOOK_SUFFIX

# Which files are worth opening

_BATCHES = (512, 4_000, 8_000)
_ARGUMENT_BYTES = 400 << 10
_AHEAD = 3
_LARGEST = 16 << 20
_PATIENCE = 2.0  # seconds for a batch before sizes matter


@dataclass
class _CandidateBatch:
    """Files of the walk in order, and the places that `rg` is handed to read them."""

    entries: list[FolderEntry]
    places: dict[bytes, None]
    child: Child | None = None


@dataclass
class Candidates:
    """The files to open: those that may hold one of `forms` (patterns of `rg`; none: any file).

    `searched` counts those that the walk yielded.
    """

    boundary: Boundary
    where: Location
    options: TreeOptions
    forms: tuple[str, ...]
    task: Task
    after: Location | None = None
    multiline: bool = False  # If they cross lines `rg` holds a file whole, and reads none that is large.
    searched: int = 0

    def __post_init__(self) -> None:
        options = self.options
        self.walk = self.boundary.walk(
            self.where,
            WalkOptions(
                glob=options.glob,
                exclude=options.exclude,
                include_hidden=options.include_hidden,
                include_ignored=options.include_ignored,
                details=self.multiline,
                kinds=["file"],
                after=self.after,
            ),
            task=self.task,
        )

    def __iter__(self) -> Iterator[Location]:
        pending: deque[_CandidateBatch] = deque()
        batches = self._batches()
        try:
            while True:
                while (
                    len(pending) < _AHEAD
                    and (batch := next(batches, None)) is not None
                ):
                    pending.append(batch)
                    batch.child = self._started(batch, bounded=self.multiline)
                if not pending:
                    break
                batch = pending.popleft()
                for entry in self._passed(batch):
                    yield entry.location
                self.searched += len(batch.entries)
                self.task.report(self.searched, None, "files searched")
        finally:
            for batch in pending:
                if batch.child is not None:
                    batch.child.close()

    def _batches(self) -> Iterator[_CandidateBatch]:
        """Batches of more files the more there were."""
        takes = self.options.matches_type
        most = iter(_BATCHES)
        files, nbytes = next(most), 0
        last: object = None
        whole = False
        entries: list[FolderEntry] = []
        places: dict[bytes, None] = {}
        for entry in self.walk:
            if not takes(entry.name):
                continue
            folder = entry.folder
            if not whole or folder is not last:
                if len(entries) >= files or nbytes > _ARGUMENT_BYTES:
                    yield _CandidateBatch(entries, places)
                    files, nbytes, entries, places = (
                        next(most, files),
                        0,
                        [],
                        {},
                    )
                # `rg` opens all that is in a folder, so it is handed only one of which the walk left nothing out;
                # that is quicker than by its files, as long as it is not cut.
                whole, last = (
                    folder.is_complete and self.options.file_type is None,
                    folder,
                )
                place = folder.prefix if whole else entry.path
                if place not in places:
                    places[place] = None
                    nbytes += len(place) + 16
            entries.append(entry)
        if entries:
            yield _CandidateBatch(entries, places)

    def _started(
        self, batch: _CandidateBatch, *, bounded: bool
    ) -> Child | None:
        """`rg` reading ahead, if it can and if it would leave anything out."""
        engine = find_program("rg")
        if not self.forms or engine is None:
            return None
        argv = [
            engine,
            "--no-config",
            "--no-messages",
            "--color=never",
            "-uu",
            "-a",
            "-l",
            "-0",
            "-j2",
        ]
        argv += ["--max-depth", "1", *(["-U"] if self.multiline else [])]
        argv += ["--max-filesize", str(_LARGEST)] if bounded else []
        for form in self.forms:
            argv += ["-e", form]
        argv.append("--")
        for place in batch.places:
            argv.append(os.fsdecode(b"./" + place))
        try:
            with self.boundary.open_folder(self.where) as folder:
                return self.boundary.launcher.start(
                    argv,
                    folder=folder.fileno(),
                    memory=RG_MEMORY_BYTES,
                    seconds=self.task.remaining,
                )
        except (FilewrightError, OSError):
            return None  # it cannot be started, or its folder is gone: the files are looked for here

    def _passed(self, batch: _CandidateBatch) -> Iterator[FolderEntry]:
        """The entries of the batch that may hold what is looked for."""
        bounded = self.multiline
        named, broke_off = self._named(
            batch.child, Task(seconds=None if bounded else _PATIENCE)
        )
        if broke_off and not bounded:
            bounded = True
            named, _ = self._named(
                self._started(batch, bounded=True), NO_TIMEOUT
            )
        if named is None:
            yield from batch.entries
            return
        last_parts = {
            path.rpartition(b"/")[2] for path in named
        }  # its path is made only for one of these
        for entry in batch.entries:
            name = entry.name
            # What a notebook's cells hold is written otherwise in its file.
            if (
                name.endswith(NOTEBOOK_SUFFIX)
                or (name in last_parts and b"./" + entry.path in named)
                or (bounded and self._is_large(entry))
            ):
                yield entry

    def _named(
        self, child: Child | None, patience: Task
    ) -> tuple[set[bytes] | None, bool]:
        """The paths as `rg` named them, None if not all could be read; and whether it broke off."""
        if child is None:
            return None, False
        with child:
            output = b"".join(
                read_child_output(child.stdout, self.task, patience)
            )
            try:
                status = -1 if patience.expired else child.wait(5.0)
            except FilewrightError:
                status = -1
        return set(output.split(b"\0")) if status in (
            0,
            1,
        ) else None, status < 0

    def _is_large(self, entry: FolderEntry) -> bool:
        """Whether `rg` passes over a file for its size."""
        self.task.check()
        try:
            status = entry.status or self.boundary.stat(entry.location)
        except FilewrightError:
            return False  # it is gone
        return status.size > _LARGEST
