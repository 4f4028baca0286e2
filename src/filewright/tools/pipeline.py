"""The one way in which tools change files, and say what they have changed.

A tool decides file by file. While a file is open its diff, its new version and a warning of broken syntax are
made, within one budget for all files; then its content is let go of. All that was decided is committed as one
change, and decided anew if a file moved on in between. Its `Reply` begins with what is the tool's own, and
ends with what there is to say of any change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar

from filewright.boundary.location import Location
from filewright.changes.model import RecordedPath
from filewright.edit.build_diff import build_file_diff
from filewright.edit.changeset import ChangeSet, FilePlan, Modify, Step
from filewright.edit.diff import Diff, FileDiff
from filewright.errors import Code, FilewrightError
from filewright.structure.outlines import language_of_snapshot
from filewright.structure.symbol import Outline
from filewright.text import splice
from filewright.text.cache import REMEMBERED_WHOLE_BYTES
from filewright.text.notebook import NotebookView, view_if_notebook
from filewright.text.snapshot import VERSION_DIGITS, Snapshot
from filewright.text.splice import Splice
from filewright.tools.context import Context
from filewright.tools.registry import Arguments
from filewright.tools.result import DiffWanted, Page, clip, kept_form
from filewright.wording import pluralize

_TRIES = 36
_FREE_TRIES = 2
_TYPES = frozenset(
    ["class", "interface", "struct", "enum", "trait", "record", "object"]
)
"""Kinds of symbols of which one of a name is expected in a file."""

_WARNINGS = 20
"""Files whose broken syntax is told of; no more are parsed."""

_SHORT_LINES, _SHORT_CHARS = 40, 4_000
"""A diff up to this is shown unasked."""


class ChangeArguments(Arguments):
    """What every tool takes that changes files."""

    break_hard_links: bool | None = None
    """replace a file that has other names, and leave those as they were; default: the setting"""
    undoable: bool = True
    """false: of what is large keep nothing to undo with"""


class Spliced(Protocol):
    """What a tool decides for a text: at least its splices, in order."""

    @property
    def splices(self) -> Sequence[Splice]: ...


D = TypeVar("D")
S = TypeVar("S", bound=Spliced)


@dataclass(frozen=True, slots=True)
class Changed(Generic[D]):
    """What became of one file, or would: its diff, a warning, and the token it has (None: only a commit could tell).

    `form` is what is not plain about the file and was kept, for its line of the answer; `content` what a small one
    holds then, until it is noted as shown. The session `knows` all that the file holds then.
    """

    decision: D
    location: Location
    diff: FileDiff | None = None
    warning: str = ""
    version: str | None = None
    hard_links: int = 1
    form: str = ""
    content: bytes | None = field(default=None, repr=False)
    knows: bool = False


@dataclass(frozen=True, slots=True)
class Change(Generic[D]):
    """What became of the files of a call; `id` is None in a preview and where nothing was to be changed.

    `diff` and `warnings` are those of all files.
    """

    files: tuple[Changed[D], ...]
    id: str | None
    diff: Diff
    warnings: tuple[str, ...] = ()


def change(
    context: Context,
    tool: str,
    decide: Callable[[], Iterable[FilePlan[D]]],
    how: ChangeArguments | None = None,
    *,
    summary: Callable[[Sequence[Changed[D]]], str] | None = None,
    preview: bool | Callable[[], bool] = False,
    again: bool = True,
    unchanged: bool = False,
    max_lines: int | None = None,
) -> Change[D]:
    """Change the files as `decide` says, as one change, or show what would change (`preview`).

    What met `stale_version` is decided anew on what is there now, unless `again` is False (the caller named a version).
    With `unchanged` it is no error that all is so already. At most `max_lines` rows of diffs are made.
    """
    how = how or ChangeArguments()
    breaks = (
        context.settings.break_hard_links
        if how.break_hard_links is None
        else how.break_hard_links
    )
    rows = context.settings.diff_lines if max_lines is None else max_lines
    met: list[str] = []
    for remaining in reversed(range(_TRIES)):
        # At first other writers are not kept out; then they are, so that many edits of one file all land, and what is
        # left to come in between are programs that know nothing of us, such as one that writes a log.
        free = remaining >= _TRIES - _FREE_TRIES or preview is True
        with (
            nullcontext()
            if free
            else context.changes.writing(task=context.task)
        ):
            try:
                made, steps = _planned(
                    context, decide, rows, keep=preview is not True
                )
                only_shown = (
                    preview() if callable(preview) else preview
                )  # may depend on all that was found
                if only_shown or not steps:
                    return made
                if summary is not None:
                    said = summary(made.files)
                else:
                    said = f"{tool}: {', '.join(file.location.display_path for file in made.files)}"
                changes = ChangeSet(
                    tool,
                    clip(said, 200),
                    steps,
                    break_hard_links=breaks,
                    undoable=how.undoable,
                )
                record = context.changes.commit(changes, task=context.task)
                break
            except FilewrightError as error:
                if unchanged and error.code == Code.NO_CHANGE:
                    return made
                conflicts = error.details.get("conflicts", [])
                # One of which a part stays is the last.
                last = not again or not remaining or "stays" in error.details
                if last or error.code != Code.STALE_VERSION:
                    if met:
                        error.details["conflicts"] = [*met, *conflicts]
                        error.hint = "; ".join(
                            [*met, error.hint] if error.hint else met
                        )
                    raise
                # What an attempt met of others' saves is in the error of a later one. Those of a merge are no
                # sentences, and belong to their attempt only.
                met += [
                    conflict
                    for conflict in conflicts
                    if isinstance(conflict, str)
                ]
    files = []
    after = {entry.path: entry.after for entry in record.file_changes}
    for file in made.files:
        version = file.version
        if version is not None and file.knows:
            context.seen.made(context.session, file.location, version)
        left = (
            after.get(RecordedPath.from_location(file.location))
            if file.diff is not None
            else None
        )
        if left is not None and left.digest is not None:
            version = left.digest[
                :VERSION_DIGITS
            ]  # another may have added to it
        if version is not None and file.content is not None:
            context.shown.remember(file.location, version, file.content)
        files.append(replace(file, version=version, content=None))
    return replace(made, files=tuple(files), id=record.id)


def _planned(
    context: Context,
    decide: Callable[[], Iterable[FilePlan[D]]],
    rows: int,
    *,
    keep: bool,
) -> tuple[Change[D], tuple[Step, ...]]:
    """What would become of every file, and the steps to it; `keep` what small files will hold, as far as it goes."""
    made: list[Changed[D]] = []
    diffs: list[FileDiff] = []
    warnings: list[str] = []
    first: list[Step] = []
    steps: list[Step] = []
    memory = context.settings.shown_bytes // 4 if keep else 0
    for one in decide():
        context.task.check()
        file = _made(context, one, rows, warn=len(warnings) < _WARNINGS)
        if file.diff is not None:
            diffs.append(file.diff)
            rows -= file.diff.row_count + 1
        if file.warning:
            warnings.append(file.warning)
        memory -= len(file.content or b"")
        made.append(file if memory > 0 else replace(file, content=None))
        (first if one.is_copy else steps).extend(
            one.steps
        )  # copies are of what is there before all else
        if one.before is not None:
            one.before.release()
        del one, file
    return Change(tuple(made), None, Diff(tuple(diffs)), tuple(warnings)), (
        *first,
        *steps,
    )


def change_text(
    context: Context,
    tool: str,
    path: str,
    decide: Callable[[Snapshot], S],
    *,
    preview: bool = False,
) -> Change[S]:
    """Change the text file at `path` as `decide` says of its snapshot. Raises what either raises."""
    location = context.boundary.locate(path)

    def one() -> Iterable[FilePlan[S]]:
        context.boundary.require_writable(location)
        with context.open(location, text=True) as snapshot:
            yield decided(view_if_notebook(snapshot, context.task), decide)

    return change(context, tool, one, preview=preview)


def decided(page: Snapshot, decide: Callable[[Snapshot], S]) -> FilePlan[S]:
    """What `decide` makes of a text, or of a notebook's cells; of its file where the text is not in them."""
    try:
        return spliced(page, decide(page))
    except FilewrightError as error:
        if (
            not isinstance(page, NotebookView)
            or error.code is not Code.NO_MATCH
        ):
            raise
        try:  # whoever was shown the file itself gives its own text
            return spliced(page.file_snapshot, decide(page.file_snapshot))
        except FilewrightError:
            raise error from None


def spliced(page: Snapshot, decision: S) -> FilePlan[S]:
    """The decision to put splices into a file, or into the cells of a notebook."""
    location = page.location
    assert location is not None
    shown = tuple(decision.splices)
    file, splices = (
        (page.file_snapshot, page.to_file_splices(shown))
        if isinstance(page, NotebookView)
        else (page, shown)
    )
    steps = [Modify.from_snapshot(location, file, splices)] if splices else []
    name = location.display_path
    return FilePlan(
        decision, location, steps, file, splices, name, name, (page, shown)
    )


def _made(
    context: Context, one: FilePlan[D], rows: int, *, warn: bool
) -> Changed[D]:
    """What is told of a file, made while it is open."""
    before = one.before
    if before is None:
        return Changed(one.result, one.location)
    links = before.status.st_nlink if before.status is not None else 1
    if not one.steps:
        return Changed(
            one.result, one.location, version=before.version, hard_links=links
        )
    page, shown = one.view or (before, one.splices)
    header = FileDiff(
        one.old_name,
        one.new_name,
        mode_before=one.mode_before,
        mode_after=one.mode_after,
        is_copy=one.is_copy,
    )
    diff = build_file_diff(header, page, shown, max_lines=max(rows, 0))
    of_mark = one.splices and one.splices[0].offset < before.start
    form = (
        kept_form(before)
        if one.old_name and one.new_name and not of_mark
        else ""
    )
    warning, version, content = "", None, None
    if one.new_name is not None and before.content is not None:
        content = splice.apply_splices(before.content, one.splices)
        encoding = before.encoding.name
        after = Snapshot(
            content,
            encoding=encoding,
            location=one.location,
            settings=context.settings,
        )
        version = after.version
        if warn and one.splices:
            warning = _broken(context, one.location, before, after)
            warning = warning or _doubled(context, one.location, before, after)
        if len(before.content) > REMEMBERED_WHOLE_BYTES:
            content = None
    known = context.seen.known_to(context.session, one.location)
    knows = one.is_complete or (bool(known) and before.version in known)
    return Changed(
        one.result,
        one.location,
        diff,
        warning,
        version,
        links,
        form,
        content,
        knows,
    )


def _broken(
    context: Context, location: Location, before: Snapshot, after: Snapshot
) -> str:
    """What to warn of when a file that parsed does not any more, or a new one does not; never an obstacle."""
    if not before.size <= context.settings.parse_bytes:
        return ""
    try:
        language = language_of_snapshot(before)
        if language is None:
            return ""
        broken = context.outlines.outline(
            after, language, task=context.task
        ).errors
        if not broken.count or not (before.size or broken.certain):
            return ""  # of some languages a grammar knows only most: a new file may be right all the same
        if (
            before.size
            and context.outlines.outline(
                before, language, task=context.task
            ).errors.count
        ):
            return ""
    except FilewrightError as error:
        if error.code == Code.CANCELLED:
            raise
        return ""
    return f"{language} syntax error in {location.display_path} at line {broken.first[0].line}"


def _doubled(
    context: Context, location: Location, before: Snapshot, after: Snapshot
) -> str:
    """Return a warning of a type that a file defines twice after a change: a whole file was put into itself."""
    if not 0 < before.size <= context.settings.parse_bytes:
        return ""
    try:
        language = language_of_snapshot(before)
        if language is None:
            return ""
        types = _types(
            context.outlines.outline(after, language, task=context.task)
        )
        if all(count < 2 for count in types.values()):
            return ""
        earlier = _types(
            context.outlines.outline(before, language, task=context.task)
        )
    except FilewrightError as error:
        if error.code == Code.CANCELLED:
            raise
        return ""
    for (kind, name), count in types.items():
        if count == 2 and earlier[kind, name] == 1:
            return (
                f"{kind} {name} is defined twice now in {location.display_path}"
            )
    return ""


def _types(outline: Outline) -> Counter[tuple[str, str]]:
    """Return how often each type is defined at the top of a file."""
    return Counter(
        (symbol.kind, symbol.name)
        for symbol in outline.symbols
        if symbol.kind in _TYPES
    )


# What is said of a change


class Reply(Page):
    """The page with which a tool answers that it made a change, or, without a `change_id`, what it would change.

    `seen`: a preview of the same call had the same diff and `outcome`, if one is given. `brief` is what is shown
    unasked of the diff, if any of it is `shown`: all or "". `offers_diff`: callers are told of the argument diff.
    """

    def __init__(
        self,
        context: Context,
        call: Arguments,
        change: Change[Any],
        *,
        outcome: str | None = None,
        shown: object = True,
        offers_diff: bool = True,
    ) -> None:
        super().__init__(context.settings.page_chars)
        self._offers_diff = offers_diff
        self.wanted: DiffWanted = getattr(call, "diff", "auto")
        self.seen = False
        if outcome is not None and (
            change.id is None or context.previews.total
        ):
            self.seen = context.previewed(call, change, outcome)
        self._change = change
        diff = change.diff
        # What is shown unasked, by path: of all with a line of context, or of the shortest files without.
        self._short: dict[str, str] = {}
        by_length = (
            sorted(diff.files, key=attrgetter("row_count")) if shown else []
        )
        for around in (1, 0):
            self._short, lines, chars = {}, _SHORT_LINES, _SHORT_CHARS
            for file in by_length:
                text = file.brief(around)
                if text is None:
                    continue
                lines, chars = lines - text.count("\n"), chars - len(text)
                if lines < 0 or chars < 0:
                    break
                self._short[file.path] = text
            if len(self._short) == len(diff.files):
                break
        whole = len(self._short) == len(diff.files) and not diff.omitted_files
        self.brief = (
            "".join(self._short[file.path] for file in diff.files)
            if whole
            else ""
        )
        self._beside: set[str] = set()

    def done(
        self, verb: str, more: str = "", *, way: str = "", named: bool = True
    ) -> str:
        """That it was done, and, where it is to be `named`, by which change; or that it would be, and the `way`."""
        if self._change.id is None:
            return f"would be {verb} (preview; nothing was written{way}){more}"
        return f"{verb}{more}" + (
            f"; change {self._change.id}" if named else ""
        )

    def add_short(self, diff: FileDiff) -> None:
        """Add the diff of one file, if it is short, below a line that names the file; those of others are counted."""
        if diff.path in self._short:
            self._beside.add(diff.path)
            self.add_diff(
                re.sub(
                    r"(?s)\A.*?^(?=@@ )",
                    "",
                    self._short[diff.path],
                    flags=re.MULTILINE,
                )
            )

    def end(self) -> None:
        """Add what there is to say of any change: links that were broken, warnings, the diff as far as it is wanted.

        Unless it is wanted in full, the diff is shown with as much context as is short; a longer one, one that was
        seen, and what is left beside shorter ones are counted. The way to see what is left out is said.
        """
        made, diff, beside = self._change.id, self._change.diff, self._beside
        notes, warnings = [], []
        for file in self._change.files:
            if made and file.diff is not None and file.hard_links > 1:
                kept = "hard links; the other names keep the old content"
                notes.append(
                    f"[{file.location.display_path} had {file.hard_links} {kept}]"
                )
            if file.warning:
                warnings.append(f"[warning: {file.warning}]")
        self.extend([*notes, *warnings], reserve=self.room // 2, more="note")
        if beside:
            diff = replace(
                diff,
                files=tuple(
                    file for file in diff.files if file.path not in beside
                ),
            )
        if self.wanted == "none":
            return
        history = f"get_history with change_id={made}"
        text = (
            diff.text
            if self.wanted == "full"
            else ""
            if self.seen or beside
            else self.brief
        )
        if text:
            way = (
                history if made else "a narrower path or glob, or less at once,"
            )
            self.add_diff(text, rest=f"; {way} shows more")
            if self.wanted == "full" and diff.remark:
                self.add(f"[{way} shows more]")
            return
        if not diff.text:
            return
        more_than = "" if diff.all_counted else "more than "
        counts = f"{more_than}{pluralize(diff.added, 'line')} added"
        counts += f", {diff.removed} removed"
        counts += (
            f" in {pluralize(len(diff.files), 'other file')}" if beside else ""
        )
        if self.seen:
            way = ", as in the preview"
        elif made:
            way = f"; {history} shows them"
        else:
            way = "; diff=full shows them" if self._offers_diff else ""
        self.add(f"[{counts}{way}]")

    @property
    def facts(self) -> dict[str, Any]:
        """What the results of all changes have."""
        return {
            "text": self.text(),
            "change_id": self._change.id,
            "difference": self._change.diff,
            "preview": self._change.id is None,
        }
