"""The text that reports a change: what was done, notes, warnings and the diff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from filewright.edit.diff import Diff, FileDiff
from filewright.hints import Hint, fill
from filewright.tools.bounded_text import BoundedText
from filewright.tools.equal_changes import group_equal_changes
from filewright.tools.pipeline import Change
from filewright.tools.result import DiffMode
from filewright.wording import pluralize

MAX_SHORT_LINES = 40
MAX_SHORT_CHARS = 4_000
"""The size up to which a diff is shown unasked."""

LINES_OF_A_FILE = 2
"""The lines that each file counts for besides its own: many files are told in sum."""

MAX_SMALL_FILE_LINES = 16
MAX_SMALL_FILES_LINES = 80
"""The lines of a small diff of one file, and of all small ones that are shown."""


@dataclass(frozen=True, slots=True)
class DiffView:
    """How a reply shows the diff of a change.

    `mode` is the argument `diff` of the call. With `is_seen`, a preview of the same
    call showed the same diff. With `has_news`, the diff shows more than the request
    did. Where not all files can be shown, those of `first_paths` are shown before
    others. With `shows_small_files`, files with a short diff are shown though all
    are more. Files of `bare_paths` are shown without context. `loose_lines` are, by
    path, ranges of lines afterwards that are not as the request has them: there, lines
    that replace others have context.
    """

    mode: DiffMode = "auto"
    is_seen: bool = False
    has_news: bool = True
    first_paths: frozenset[str] = frozenset()
    shows_small_files: bool = False
    bare_paths: frozenset[str] = frozenset()
    loose_lines: Mapping[str, Sequence[range]] = field(default_factory=dict)


class ChangeReply(BoundedText):
    """The text of a change; without a `change_id` it says what would be changed."""

    def __init__(
        self, max_characters: int, change: Change[Any], view: DiffView
    ) -> None:
        super().__init__(max_characters)
        self._change = change
        self._view = view
        self._short_diffs: Mapping[str, str] = {}
        if view.has_news:
            self._short_diffs = choose_short_diffs(change.diff, view)
        self._shown_paths: set[str] = set()

    @property
    def is_seen(self) -> bool:
        """True if a preview of the same call showed the same diff."""
        return self._view.is_seen

    @property
    def is_brief(self) -> bool:
        """True if short diffs are shown, each below the line of its file."""
        return self._view.mode == "auto" and not self._view.is_seen

    @property
    def is_short(self) -> bool:
        """True if the whole diff is short enough to be shown unasked."""
        diff = self._change.diff
        return (
            len(self._short_diffs) == len(diff.files) and not diff.omitted_files
        )

    @property
    def brief_diff(self) -> str:
        """The whole diff if it is short enough to be shown unasked, else ""."""
        if not self.is_short:
            return ""
        files = self._change.diff.files
        text = "".join(
            file.with_path(self._short_diffs[file.path]) for file in files
        )
        # Lines that are not as the request has them are shown with their context.
        if any(self._view.loose_lines.values()):
            return text
        grouped_text = group_equal_changes(files)
        is_shorter = 0 < len(grouped_text) < len(text)
        return grouped_text if is_shorter else text

    @property
    def shows_diff(self) -> bool:
        """True if the diff is shown here as a whole, or was shown or declined before."""
        return self._view.is_seen or self.is_short or self._view.mode != "auto"

    def shows_file(self, diff: FileDiff) -> bool:
        """Return True if the diff of one file is to be shown."""
        if self._view.mode == "none":
            return False
        return self._view.mode == "full" or diff.path in self._short_diffs

    def shows_whole(self, diff: FileDiff) -> bool:
        """Return True if the diff of one file is to be shown, with all its hunks."""
        return self.shows_file(diff) and diff in self._change.diff.files

    def status(
        self,
        verb: str,
        more: str = "",
        *,
        next_step: str = "",
        names_change: bool = True,
    ) -> str:
        """Return that something was done, by which change, or that it would be done."""
        change_id = self._change.id
        if change_id is None:
            return f"would be {verb} (preview; nothing was written{next_step}){more}"
        if names_change:
            return f"{verb}{more}; change {change_id}"
        return f"{verb}{more}"

    def add_short_diff(
        self, diff: FileDiff, *, names_file: bool = False
    ) -> None:
        """Add the diff of one file, if it is short.

        With `names_file`, it is below the path; else the line before names the file.
        """
        text = self._short_diffs.get(diff.path)
        if text is None:
            return
        self._shown_paths.add(diff.path)
        self.add_diff(diff.with_path(text) if names_file else text)

    def finish(self) -> None:
        """Add the end of every report: broken links, warnings and the diff in the requested mode.

        A diff that is long or was seen before is replaced by its counts and the way to
        see it.
        """
        self._add_notes()
        if self._view.mode == "none":
            return
        rest = self._change.diff
        if self._shown_paths:
            files = [
                file
                for file in rest.files
                if file.path not in self._shown_paths
            ]
            rest = replace(rest, files=tuple(files))
        text = ""
        if self._view.mode == "full":
            text = rest.text
        elif not self._view.is_seen and not self._shown_paths:
            text = self.brief_diff
        if text:
            self._add_whole_diff(text, rest)
        elif rest.text:
            counts = self._count_lines(rest)
            self.add(fill("[{}{}]", counts, self._way_to_see_diff()))

    def _add_notes(self) -> None:
        """Add notes on hard links that were broken, then the warnings."""
        notes: list[str] = []
        warnings: list[str] = []
        for file in self._change.files:
            is_changed = self._change.id is not None and file.diff is not None
            if is_changed and file.hard_links > 1:
                notes.append(
                    f"[{file.location.display_path} had {file.hard_links} hard "
                    "links; the other names keep the old content]"
                )
            if file.warning:
                warnings.append(f"[warning: {file.warning}]")
        # The notes of thousands of files must leave room for the diff.
        self.extend([*notes, *warnings], reserve=self.room // 2, noun="note")

    def _add_whole_diff(self, text: str, diff: Diff) -> None:
        way = "a narrower path or glob, or fewer changes per call,"
        if self._change.id is not None:
            way = _name_change(self._change.id)
        self.add_diff(text, rest=fill("; {} shows more", way))
        if self._view.mode == "full" and diff.remark:
            self.add(fill("[{} shows more]", way))

    def _count_lines(self, diff: Diff) -> str:
        """Return the lines added and removed in the files whose diff is not shown."""
        added, removed = diff.added, diff.removed
        if added == removed:
            counts = f"{pluralize(added, 'line')} each way"
        elif not added:
            counts = f"{pluralize(removed, 'line')} removed"
        elif not removed:
            counts = f"{pluralize(added, 'line')} added"
        else:
            counts = f"{pluralize(added, 'line')} added, {removed:,} removed"
        if not diff.all_counted:
            counts = f"more than {counts}"
        if self._shown_paths:
            counts += f" in {pluralize(len(diff.files), 'other file')}"
        return counts

    def _way_to_see_diff(self) -> str:
        if self._view.is_seen:
            return ", as in the preview"
        if self._change.id is not None:
            return fill("; all: {}", _name_change(self._change.id))
        return ""


def _name_change(change_id: str) -> str:
    """Return the call, or the command, that shows the diff of a change.

    The call does not repeat the id, which the answer has named above.
    """
    return Hint(
        "get_history with this change_id",
        shell=f"filewright show {change_id}",
    )


def choose_short_diffs(diff: Diff, view: DiffView) -> Mapping[str, str]:
    """Return the diffs to show unasked, by path.

    These are the diffs of all files with context, if that is short; else those
    of the first paths and of the shortest files, without context. If the view shows
    small files, more of them, as long as each is small.
    """

    def rank(file: FileDiff) -> tuple[bool, int]:
        return file.path not in view.first_paths, file.row_count

    short_diffs: dict[str, str] = {}
    for context_lines in (1, 0):
        short_diffs = {}
        lines_shown = characters_shown = 0
        for file in sorted(diff.files, key=rank):
            text = file.short(
                0 if file.path in view.bare_paths else context_lines,
                loose_lines=view.loose_lines.get(file.path, ()),
            )
            if text is None:
                continue
            lines = LINES_OF_A_FILE + text.count("\n")
            max_lines = MAX_SHORT_LINES
            is_small = lines <= MAX_SMALL_FILE_LINES and not context_lines
            if view.shows_small_files and is_small:
                max_lines = MAX_SMALL_FILES_LINES
            if (
                lines_shown + lines > max_lines
                or characters_shown + len(text) > MAX_SHORT_CHARS
            ):
                if file.path in view.first_paths:
                    continue
                # All that follow are longer.
                break
            lines_shown += lines
            characters_shown += len(text)
            short_diffs[file.path] = text
        if len(short_diffs) == len(diff.files):
            break
    return short_diffs
