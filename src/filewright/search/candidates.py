"""Candidates: the files of a tree that may hold a match, in path order.

The boundary's walk says which files there are, so a search and a listing agree. `rg`,
confined to the roots, reads a few thousand files ahead, and names those that match. It
only narrows the walk: a file that the walk does not yield is never opened. Where `rg`
did not run, or could not read a file, every file of the batch is a candidate.

`rg` reads each file to its end, and holds whole lines. Sizes are not asked beforehand,
which would cost as much as the search. But if a batch takes long or breaks off, `rg` is
started again for the files up to a size only, and larger ones are candidates.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from filewright.boundary.boundary import Boundary
from filewright.boundary.launcher import Child, find_program
from filewright.boundary.location import Location
from filewright.boundary.walk_model import FolderEntry, WalkOptions
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.search.prefilter import RG_MEMORY_BYTES, read_child_output
from filewright.search.tree_options import TreeOptions
from filewright.search.window import NO_TIMEOUT
from filewright.text.compressed import has_compressed_name
from filewright.text.notebook import NOTEBOOK_SUFFIX

BATCH_FILES = (512, 4_000, 8_000)
"""Files in the first, the second and all further batches: the first is soon done."""

_MAX_ARGUMENT_BYTES = 400 << 10
"""Bytes of paths for one `rg`, well below the limits of kernels for a command."""

_MAX_PENDING_BATCHES = 3
"""Batches that `rg` reads ahead of the search, at the same time."""

_LARGE_FILE_BYTES = 16 << 20
"""A file that is left to the search here if `rg` is slow, or holds whole files."""

_PATIENCE_SECONDS = 2.0
"""Time for a batch before large files are left out of it."""

_END_SECONDS = 5.0
"""Time for `rg` to end after its last output."""


@dataclass(slots=True)
class _Batch:
    """Files of the walk in order, and the paths that `rg` gets to read them.

    A path is that of a file, or of a folder of which the walk left nothing out.
    """

    entries: list[FolderEntry] = field(default_factory=list)
    paths: dict[bytes, None] = field(default_factory=dict)
    argument_bytes: int = 0
    child: Child | None = None

    def add_path(self, path: bytes) -> None:
        """Add a path, unless it was added before."""
        if path not in self.paths:
            self.paths[path] = None
            # The kernel counts a pointer and a terminator for each argument too.
            self.argument_bytes += len(path) + 16

    def is_full(self, max_files: int) -> bool:
        """Return True if further files belong to the next batch."""
        if len(self.entries) >= max_files:
            return True
        return self.argument_bytes > _MAX_ARGUMENT_BYTES


@dataclass(frozen=True, slots=True)
class _RgOutput:
    """The output of one run of `rg`.

    `paths` are the files that it named, None if it could not read all of them.
    `broke_off` is True if it did not end by itself.
    """

    paths: set[bytes] | None
    broke_off: bool = False


class CandidateFiles:
    """The files to search: those that may hold a match of one of the `patterns` of `rg`.

    Without patterns every file is a candidate. `searched` counts the files that the walk
    yielded so far, with or without a match. With `multiline`, `rg` would hold a whole file
    in memory, so it reads no large one.
    """

    def __init__(
        self,
        boundary: Boundary,
        location: Location,
        options: TreeOptions,
        patterns: tuple[str, ...],
        *,
        task: Task,
        after: Location | None = None,
        multiline: bool = False,
    ) -> None:
        self.searched = 0
        self._boundary = boundary
        self._location = location
        self._options = options
        self._patterns = patterns
        self._task = task
        self._multiline = multiline
        self.walk = boundary.walk(
            location,
            WalkOptions(
                glob=options.glob,
                exclude=options.exclude,
                include_hidden=options.include_hidden,
                include_ignored=options.include_ignored,
                details=multiline,
                kinds=["file"],
                after=after,
            ),
            task=task,
        )

    def __iter__(self) -> Iterator[Location]:
        pending: deque[_Batch] = deque()
        batches = self._iterate_batches()
        try:
            while True:
                self._start_ahead(pending, batches)
                if not pending:
                    break
                batch = pending.popleft()
                for entry in self._filter(batch):
                    yield entry.location
                self.searched += len(batch.entries)
                self._task.report(self.searched, None, "files searched")
        finally:
            for batch in pending:
                if batch.child is not None:
                    batch.child.close()

    def _start_ahead(
        self, pending: deque[_Batch], batches: Iterator[_Batch]
    ) -> None:
        """Add batches until enough are pending, and start `rg` for each."""
        while len(pending) < _MAX_PENDING_BATCHES:
            batch = next(batches, None)
            if batch is None:
                return
            pending.append(batch)
            batch.child = self._start_rg(batch, skip_large=self._multiline)

    def _iterate_batches(self) -> Iterator[_Batch]:
        """Yield the files of the walk in batches, which become larger."""
        matches_type = self._options.matches_type
        sizes = iter(BATCH_FILES)
        max_files = next(sizes)
        last_folder: object = None
        is_whole_folder = False
        batch = _Batch()
        for entry in self.walk:
            if not matches_type(entry.name):
                continue
            folder = entry.folder
            # A whole folder is one path, so it stays in one batch.
            if not is_whole_folder or folder is not last_folder:
                if batch.is_full(max_files):
                    yield batch
                    max_files = next(sizes, max_files)
                    batch = _Batch()
                # `rg` opens all files of a folder. It gets a folder only if the walk
                # left nothing out, which is faster than the paths of its files.
                is_whole_folder = (
                    folder.is_complete and self._options.file_type is None
                )
                last_folder = folder
                batch.add_path(folder.prefix if is_whole_folder else entry.path)
            batch.entries.append(entry)
        if batch.entries:
            yield batch

    def _start_rg(self, batch: _Batch, *, skip_large: bool) -> Child | None:
        """Start `rg` for a batch, if it can run and has patterns to look for."""
        program = find_program("rg")
        if not self._patterns or program is None:
            return None
        arguments = [program, "--no-config", "--no-messages", "--color=never"]
        # The walk has applied the rules and decides what is text, so `rg` reads every
        # file, and of a folder only its own files.
        arguments += ["-uu", "-a", "-l", "-0", "-j2", "--max-depth", "1"]
        if self._multiline:
            arguments.append("-U")
        if skip_large:
            arguments += ["--max-filesize", str(_LARGE_FILE_BYTES)]
        for pattern in self._patterns:
            arguments += ["-e", pattern]
        arguments.append("--")
        for path in batch.paths:
            arguments.append(os.fsdecode(b"./" + path))
        try:
            with self._boundary.open_folder(self._location) as folder:
                return self._boundary.launcher.start(
                    arguments,
                    folder=folder.fileno(),
                    memory=RG_MEMORY_BYTES,
                    seconds=self._task.remaining,
                )
        except (FilewrightError, OSError):
            # It cannot be started, or the folder is gone: the files are opened here.
            return None

    def _filter(self, batch: _Batch) -> Iterator[FolderEntry]:
        """Yield the entries of a batch that may hold a match."""
        skips_large = self._multiline
        patience = Task(seconds=None if skips_large else _PATIENCE_SECONDS)
        output = self._read_output(batch.child, patience)
        if output.broke_off and not skips_large:
            skips_large = True
            child = self._start_rg(batch, skip_large=True)
            output = self._read_output(child, NO_TIMEOUT)
        paths = output.paths
        if paths is None:
            yield from batch.entries
            return
        # The name alone excludes most entries; a path takes longer to build.
        names = {path.rpartition(b"/")[2] for path in paths}
        for entry in batch.entries:
            name = entry.name
            # `rg` sees the text of a notebook's cells, and of a compressed file, in another
            # form, so these files are always candidates.
            if (
                name.endswith(NOTEBOOK_SUFFIX)
                or has_compressed_name(name)
                or (name in names and b"./" + entry.path in paths)
                or (skips_large and self._is_large(entry))
            ):
                yield entry

    def _read_output(self, child: Child | None, patience: Task) -> _RgOutput:
        """Read the paths that `rg` names, until `patience` expires."""
        if child is None:
            return _RgOutput(None)
        with child:
            blocks = read_child_output(child.stdout, self._task, patience)
            output = b"".join(blocks)
            status = -1
            if not patience.expired:
                try:
                    status = child.wait(_END_SECONDS)
                except FilewrightError:
                    status = -1
        if status in (0, 1):
            return _RgOutput(set(output.split(b"\0")))
        return _RgOutput(None, broke_off=status < 0)

    def _is_large(self, entry: FolderEntry) -> bool:
        """Return True for a file that `rg` leaves out for its size."""
        self._task.check()
        try:
            status = entry.status or self._boundary.stat(entry.location)
        except FilewrightError:
            # The file is gone.
            return False
        return status.size > _LARGE_FILE_BYTES
