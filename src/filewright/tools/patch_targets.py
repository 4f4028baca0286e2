"""The files that a patch names, at the paths in the patch or elsewhere.

A file that does not exist there may have been moved by a recorded change, or a file in
another folder may have its name and content. Such a file is never used silently: the
answer or the refusal names it.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice

from filewright.boundary.location import Location, Root
from filewright.boundary.walk_model import WalkOptions
from filewright.changes.model import ChangeRecord, RecordedPath
from filewright.edit.patch.file_plan import fits_file
from filewright.edit.patch.model import FilePatch, Patch
from filewright.edit.patch.renamed_words import is_name
from filewright.edit.patch.targets import PatchTarget
from filewright.errors import Code, FilewrightError
from filewright.hints import Hint
from filewright.tools.context import Context
from filewright.wording import escape_controls

MAX_CHANGES = 500
"""The newest changes that are searched for where a file was moved to."""

MAX_WALKED_FILES = 100_000
"""The files whose names are compared to find a file elsewhere."""

MAX_CANDIDATES = 50
"""The files of one name that are opened."""

MAX_LEADING_PARTS = 32
"""The leading parts of a path that are left out to find a file."""


@dataclass
class PatchTargets:
    """The targets of a patch, found for one plan.

    `root` and `strip` are as in the call; `names` maps files of the patch to the names
    that they have now. `origins` says, by the path of a file, how it was found where it
    is not at the path of the patch.
    """

    context: Context
    patch: Patch
    root: str
    strip: int
    names: Mapping[str, str]
    is_partial: bool
    origins: dict[str, str] = field(default_factory=dict)
    _walked: dict[Root, list[Location]] = field(default_factory=dict)

    @property
    def words(self) -> Mapping[str, str]:
        """The names in code that the caller says are others now."""
        return {
            old: new
            for old, new in self.names.items()
            if is_name(old) and is_name(new) and old not in self._changed_files
        }

    def find(self, path: str) -> PatchTarget:
        """Return the target of a path. Raise the errors of the boundary."""
        current_path = self._current_path(path)
        location = self.context.boundary.locate(current_path or path)
        if current_path:
            self.origins[location.display_path] = f", for {path}"
        try:
            return self._open_target(location)
        except FilewrightError as error:
            if error.code != Code.NOT_FOUND:
                raise
            return self._find_missing(path, location, error)

    def _open_target(self, location: Location) -> PatchTarget:
        """Return the target of a file that exists."""
        context = self.context
        context.boundary.require_writable(location)
        with context.open(location, hold=False) as snapshot:
            status = snapshot.status
        assert status is not None
        return PatchTarget(
            location,
            partial(context.open, location),
            key=(status.st_dev, status.st_ino),
            mode=stat.S_IMODE(status.st_mode),
        )

    def _find_missing(
        self, path: str, location: Location, error: FilewrightError
    ) -> PatchTarget:
        """Return the target of a file that is not at its path: elsewhere, or nowhere."""
        file = self._changed_files.get(path)
        if file is not None:
            moved_to = self._moved_to(location)
            if moved_to is not None:
                origin = f", where {path} was moved to"
                self.origins[moved_to.display_path] = origin
                return self._open_target(moved_to)
            if self.is_partial:
                namesake = self._find_elsewhere(location, file)
                if namesake is not None:
                    origin = f", found for {path} by its name and content"
                    self.origins[namesake.display_path] = origin
                    return self._open_target(namesake)
        folder: object = location.parent.display_path
        with suppress(FilewrightError):
            folder = self.context.boundary.stat(location.parent).identity
        # The folder tells whether two spellings of a missing name are the same file.
        # The advice costs a walk, and the patch may create the file.
        missing = partial(self._explain, path, location, file, error)
        return PatchTarget(
            location, None, key=(folder, location.name), missing=missing
        )

    @cached_property
    def _changed_files(self) -> Mapping[str, FilePatch]:
        """The files that the patch expects to exist, by path.

        A new file is not among them: it has its name even if a file of that name was
        moved away.
        """
        files: dict[str, FilePatch] = {}
        for file in (*self.patch.files, *self.patch.alternative_files):
            if file.old_path is not None:
                files[file.old_path] = file
        return files

    def _current_path(self, path: str) -> str | None:
        """Return the name that the caller says a file has now, or None.

        Both names are relative to the workspace, or both as in the patch.
        """
        if path not in self._changed_files:
            return None
        if path in self.names:
            return self.names[path]
        prefix = f"{self.root.rstrip('/')}/"
        name = self.names.get(path.removeprefix(prefix))
        if name is not None and self._exists(prefix + name):
            return prefix + name
        return name

    def _exists(self, path: str) -> bool:
        return self.context.exists(self.context.boundary.locate(path))

    # Moved by a change on record

    @cached_property
    def _newest_changes(self) -> Sequence[ChangeRecord]:
        return self.context.changes.history(limit=MAX_CHANGES)

    def _moved_to(self, location: Location) -> Location | None:
        """Return where changes on record have moved a missing file, or None.

        A file that was created, deleted or put at one of its names ends the trail.
        """
        changes = self.context.changes
        start = changes.recorded_path(location)
        current = start
        for record in reversed(self._newest_changes):
            renamed = _follow_renames(record, current)
            if renamed is not None:
                current = renamed
            elif _is_replaced(record, (start, current)):
                current = start
        if current == start:
            return None
        target = changes.locate(current)
        if target is None or not self.context.exists(target):
            return None
        return target

    # Elsewhere, by name and content

    def _find_elsewhere(
        self, location: Location, file: FilePatch, *, any_name: bool = False
    ) -> Location | None:
        """Return the one other file in which all hunks have a place, or None.

        Candidates have the same name, or a longer one in the same folder; with
        `any_name`, any name with the same ending in that folder.
        """
        stem, dot, suffix = location.name.partition(b".")
        candidates: list[Location] = []
        for other in self._all_files(location.root):
            if other.name == location.name:
                candidates.append(other)
        for other in self._all_files(location.root):
            is_sibling = other.parent == location.parent
            if not is_sibling or not other.name.endswith(dot + suffix):
                continue
            has_longer_name = len(stem) > 2 and other.name.startswith(stem)
            if any_name or has_longer_name:
                candidates.append(other)
        if not file.hunks or len(candidates) > MAX_CANDIDATES:
            # Among so many, a single file that fits could not be proven.
            return None
        matches: list[Location] = []
        for candidate in candidates:
            with (
                suppress(FilewrightError),
                self.context.open(candidate) as snapshot,
            ):
                if fits_file(file, snapshot, self.context.task):
                    matches.append(candidate)
        return matches[0] if len(matches) == 1 else None

    def _all_files(self, root: Root) -> Sequence[Location]:
        """Return the first files below a root, walked once for each plan."""
        if root not in self._walked:
            walk = self.context.boundary.walk(
                Location(root, ()),
                WalkOptions(kinds=["file"], for_change=True),
                task=self.context.task,
            )
            self._walked[root] = [
                entry.location for entry in islice(walk, MAX_WALKED_FILES)
            ]
        return self._walked[root]

    # Advice in the refusal

    def _explain(
        self,
        path: str,
        location: Location,
        file: FilePatch | None,
        error: FilewrightError,
    ) -> FilewrightError:
        """Return the error for a missing file with advice that would find one."""
        if file is not None:
            self._add_advice(path, location, file, error)
        self.context.explain(error)
        return error

    def _add_advice(
        self,
        path: str,
        location: Location,
        file: FilePatch,
        error: FilewrightError,
    ) -> None:
        """Add to an error the arguments with which a missing file is found."""
        strip, shorter_path = self._find_strip(path, file)
        if strip is not None:
            existing = escape_controls(shorter_path)
            error.hint = Hint(
                f"with strip={strip} the path is {existing}, which exists",
                shell=f"name {existing}, which exists",
            )
            error.details["strip"] = strip
            return
        arguments = "partial=true"
        match = self._find_elsewhere(location, file)
        if match is None:
            match = self._find_elsewhere(location, file, any_name=True)
            if match is None:
                return
            names = {path: match.display_path}
            call = json.dumps(names, ensure_ascii=False)
            arguments = f"names={call}"
            error.details["names"] = names
        error.hint = Hint(
            f"its hunks fit only {match.display_path}; {arguments} applies "
            "them there",
            shell=f"its hunks fit only {match.display_path}; name that file",
        )
        error.details["alike"] = [match.display_path]

    def _find_strip(self, path: str, file: FilePatch) -> tuple[int | None, str]:
        """Return the `strip` with which a file exists, and its path; None without one."""
        prefix = ""
        if self.root not in ("", "."):
            prefix = f"{self.root.rstrip('/')}/"
        parts = path.removeprefix(prefix).split("/")
        for left_out in range(1, min(len(parts), MAX_LEADING_PARTS)):
            shorter_path = prefix + "/".join(parts[left_out:])
            if self._exists(shorter_path):
                first_strip = max(self.strip, int(file.has_prefix))
                return first_strip + left_out, shorter_path
        return None, ""


def _follow_renames(
    record: ChangeRecord, path: RecordedPath
) -> RecordedPath | None:
    """Return the path to which a change renamed a file or its folder, or None."""
    for entry in record.file_changes:
        old = entry.renamed_from
        if old is None or old.root != path.root:
            continue
        if path.parts[: len(old.parts)] == old.parts:
            rest = path.parts[len(old.parts) :]
            return RecordedPath(entry.path.root, (*entry.path.parts, *rest))
    return None


def _is_replaced(record: ChangeRecord, paths: Iterable[RecordedPath]) -> bool:
    """Return True if a change created, deleted or moved a file at one of the paths."""
    actions = ("created", "deleted", "moved")
    return any(
        entry.path in paths and entry.action in actions
        for entry in record.file_changes
    )


def find_patch_root(
    context: Context, patch: Patch, strip: int, patch_path: str
) -> str:
    """Return the folder that the paths of a patch file are relative to.

    It is the folder of the patch if files of the patch exist there, and none does
    relative to the root.
    """

    def has_files(root: str) -> bool:
        for file in patch.relocate(root, strip).files:
            if file.old_path is not None and context.exists(
                context.boundary.locate(file.old_path)
            ):
                return True
        return False

    folder = patch_path.rpartition("/")[0] or "."
    return folder if not has_files(".") and has_files(folder) else "."
