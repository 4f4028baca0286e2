"""The comparison of two versions of a file."""

from __future__ import annotations

from dataclasses import replace

from filewright.changes.blobs import content_after, content_before
from filewright.changes.diffs import DiffBuilder
from filewright.changes.file_versions import FileVersion, FileVersions
from filewright.changes.model import FileChange, FileState
from filewright.edit.diff import FileDiff
from filewright.errors import Code, FilewrightError, invalid

NOW = "now"
"""The name of the content that a file has on the disk."""


class VersionComparison:
    """Compares versions of one file, which are named as moments.

    A moment is `now`, the id of a change (right after it), or ``CHANGE^`` (right before
    it). `present` is the content on the disk, None if there is no file.
    """

    def __init__(
        self,
        diffs: DiffBuilder,
        versions: FileVersions,
        present: bytes | None,
    ) -> None:
        self._diffs = diffs
        self._versions = versions
        self._present = present

    def compare(
        self, first: str, last: str, *, max_lines: int, start: int = 0
    ) -> FileDiff:
        """Return the diff of two versions, from an offset on.

        Raise `not_found` for another change, and `unsupported` for a content that is
        not stored.
        """
        header = FileDiff(
            self._name_at(first),
            self._name_at(last),
            mode_before=self._mode_at(first),
            mode_after=self._mode_at(last),
        )
        before, after = self.read(first), self.read(last)
        if before is not None and after is not None:
            return self._diffs.compare_contents(
                header, before, after, max_rows=max_lines, start=start
            )
        return self._compare_edits(first, last, max_lines, start)

    def read(self, moment: str) -> bytes | None:
        """Return the content at a moment: empty without a file, None if not stored."""
        if moment == NOW:
            return self._present or b""
        version = self._find(moment)
        change = version.change
        if self._state_at(moment) is None:
            return b""
        if moment.endswith("^"):
            return content_before(change)
        return content_after(change)

    def _compare_edits(
        self, first: str, last: str, max_lines: int, start: int
    ) -> FileDiff:
        """Return the diff of a large file, of which only the edits are stored."""
        if NOW in (first, last):
            raise _not_stored()
        versions = [*self._versions.versions]
        newest = versions.index(self._find(last))
        oldest = versions.index(self._find(first))
        # The edit of the first version is part of it.
        stop = oldest + first.endswith("^")
        edits = [version.change for version in versions[newest:stop]]
        if last.endswith("^"):
            edits = edits[1:]
        edits.reverse()
        if not edits:
            raise _not_stored()
        change = edits[0]
        if len(edits) > 1:
            change = FileChange(
                edits[-1].path,
                edits[0].before,
                edits[-1].after,
                edits=tuple(edits),
                blobs=edits[0].blobs,
            )
        difference = self._diffs.diff_file_change(
            change, max_lines=max_lines, start=start
        )
        hunks = [hunk for diff in difference.diffs for hunk in diff.hunks]
        return replace(
            difference.diffs[0],
            hunks=tuple(
                replace(hunk, number=number)
                for number, hunk in enumerate(hunks, 1)
            ),
            added=difference.added,
            removed=difference.removed,
        )

    def _find(self, moment: str) -> FileVersion:
        """Return the version that a moment names. Raise `not_found`."""
        version = self._versions.find(moment.removesuffix("^"))
        if version is None:
            path = self._versions.path.display_path
            raise FilewrightError(
                Code.NOT_FOUND, f"{path} has no version {moment}"
            )
        if version.moved_with_folder:
            raise invalid("this change moved the file with its folder")
        return version

    def _state_at(self, moment: str) -> FileState | None:
        change = self._find(moment).change
        return change.before if moment.endswith("^") else change.after

    def _name_at(self, moment: str) -> str | None:
        """Return the path at a moment, or None without a file."""
        if moment == NOW:
            name = self._versions.path.display_path
            return name if self._present is not None else None
        if self._state_at(moment) is None:
            return None
        version = self._find(moment)
        if moment.endswith("^"):
            return version.former_path.display_path
        return version.change.path.display_path

    def _mode_at(self, moment: str) -> int | None:
        if moment == NOW:
            return None
        state = self._state_at(moment)
        return None if state is None else state.mode


def _not_stored() -> FilewrightError:
    return FilewrightError(
        Code.UNSUPPORTED, "the content of one of these versions is not stored"
    )
