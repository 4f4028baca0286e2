"""The one way in which tools change files, and say what they have changed.

A tool decides file by file. While a file is open its diff, its new version and a warning of broken syntax are
made, within one budget for all files; then its content is let go of. All that was decided is committed as one
change, and decided anew if a file moved on in between. Its `Reply` begins with what is the tool's own, and
ends with what there is to say of any change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from filewright.boundary import Location
from filewright.changes import ChangeRecord
from filewright.edit import ChangeSet, Decided, Diff, FileDiff, Modify, Step, unified
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.structure import language_of_snapshot
from filewright.text import (
    SHOWN_WHOLE_BYTES,
    NotebookView,
    Snapshot,
    Splice,
    content_version,
    notebook_view,
    splice,
)
from filewright.tools.context import Context
from filewright.tools.registry import Arguments
from filewright.tools.result import DiffWanted, Page, clip, kept_form
from filewright.wording import counted

_TRIES = 36
_FREE_TRIES = 2
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


T = TypeVar("T")
D = TypeVar("D")
S = TypeVar("S", bound=Spliced)


@dataclass(frozen=True, slots=True)
class Changed(Generic[D]):
    """What became of one file, or would: its diff, a warning, and the token it has (None: only a commit could tell).

    `form` is what is not plain about the file and was kept, for its line of the answer; `content` what a small one
    holds then, until it is noted as shown.
    """

    decision: D
    location: Location
    diff: FileDiff | None = None
    warning: str = ""
    version: str | None = None
    hard_links: int = 1
    form: str = ""
    content: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Change(Generic[D]):
    """What became of the files of a call; `record` is None in a preview and where nothing was to be changed."""

    files: tuple[Changed[D], ...]
    record: ChangeRecord | None

    @property
    def id(self) -> str | None:
        """The change's id."""
        return self.record.id if self.record is not None else None

    @property
    def diff(self) -> Diff:
        """The diffs of all files."""
        return Diff(tuple(file.diff for file in self.files if file.diff is not None))

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of all files."""
        return tuple(file.warning for file in self.files if file.warning)


def change(
    context: Context,
    tool: str,
    decide: Callable[[], Iterable[Decided[D]]],
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

    def attempt() -> Change[D]:
        made: list[Changed[D]] = []
        first: list[Step] = []
        steps: list[Step] = []
        left = context.settings.diff_lines if max_lines is None else max_lines
        memory = context.settings.shown_bytes // 4
        for one in decide():
            context.task.check()
            warned = sum(bool(file.warning) for file in made)
            file = _made(context, one, left, warn=warned < _WARNINGS)
            left -= file.diff.rows + 1 if file.diff is not None else 0
            memory -= len(file.content or b"")
            made.append(file if memory > 0 and preview is not True else replace(file, content=None))
            (first if one.copied else steps).extend(one.steps)  # copies are of what is there before all else
            if one.before is not None:
                one.before.let_go()
            del one, file
        only_shown = preview() if callable(preview) else preview  # which may depend on all that was found
        if only_shown or not (first or steps):
            return Change(tuple(made), None)
        said = summary(made) if summary else f"{tool}: {', '.join(file.location.shown for file in made)}"
        changes = ChangeSet(
            tool,
            clip(said, 200),
            (*first, *steps),
            break_hard_links=hard_links_broken(context, how.break_hard_links if how else None),
            undoable=how is None or how.undoable,
        )
        try:
            record = context.changes.commit(changes, task=context.task)
        except FilewrightError as error:
            if error.code != Code.NO_CHANGE or not unchanged:
                raise
            return Change(tuple(made), None)
        for index, file in enumerate(made):
            version = _version(context, file, record) if file.diff else file.version
            if version and file.content is not None:
                context.shown.record(file.location, version, file.content)
            made[index] = replace(file, version=version, content=None)
        return Change(tuple(made), record)

    return _until_settled(context, attempt, writes=preview is not True, again=again)


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

    def one() -> Iterable[Decided[S]]:
        with context.open_for_edit(location) as snapshot:
            yield decided(snapshot, decide, context.task)

    return change(context, tool, one, preview=preview)


def decided(
    snapshot: Snapshot,
    decide: Callable[[Snapshot], S],
    task: Task,
    *,
    as_file: bool = False,
) -> Decided[S]:
    """What `decide` makes of a text; of a notebook by its cells, where the text is in them."""
    page = snapshot if as_file else notebook_view(snapshot, task)
    try:
        return spliced(snapshot, page, decide(page))
    except FilewrightError as error:
        if page is snapshot or error.code is not Code.NO_MATCH:
            raise
        try:  # whoever was shown the file itself gives its own text
            return spliced(snapshot, snapshot, decide(snapshot))
        except FilewrightError:
            raise error from None


def spliced(snapshot: Snapshot, page: Snapshot, decision: S) -> Decided[S]:
    """The decision to put splices into a file, or into the cells of a notebook (`page`)."""
    location = snapshot.location
    assert location is not None
    shown = tuple(decision.splices)
    splices = page.splices(shown) if isinstance(page, NotebookView) else shown
    steps = [Modify.of(location, snapshot, splices)] if splices else []
    name = location.shown
    return Decided(decision, location, steps, snapshot, splices, name, name, (page, shown))


def _made(context: Context, one: Decided[D], left: int, *, warn: bool) -> Changed[D]:
    """What is told of a file, made while it is open."""
    before = one.before
    if before is None:
        return Changed(one.decision, one.location)
    links = before.status.st_nlink if before.status is not None else 1
    if not one.steps:
        return Changed(one.decision, one.location, version=before.version, hard_links=links)
    page, shown = one.shown or (before, one.splices)
    diff = unified(
        one.old, one.new, page, shown, max_lines=max(left, 0),
        mode_before=one.mode_before, mode_after=one.mode_after, copied=one.copied,
    )  # fmt: skip
    stays = one.old and one.new and not any(splice.offset < before.start for splice in one.splices)
    form = kept_form(before) if stays else ""
    made = Changed(one.decision, one.location, diff, hard_links=links, form=form)
    if one.new is None or before.held is None:
        return made
    encoding, content = before.encoding.name, splice.apply(before.held, one.splices)
    after = Snapshot.of_bytes(content, encoding=encoding, location=one.location, settings=context.settings)
    warning = _broken(context, one.location, before, after) if warn and one.splices else ""
    small = len(before.held) <= SHOWN_WHOLE_BYTES
    return replace(made, warning=warning, version=after.version, content=content if small else None)


def _version(context: Context, file: Changed[D], record: ChangeRecord) -> str | None:
    """The version that a commit has given a file, which another may have added to."""
    entry = context.changes.entry_at(record, file.location)
    if entry is not None and entry.after is not None and entry.after.digest is not None:
        return content_version(bytes.fromhex(entry.after.digest))
    return file.version


def _broken(context: Context, location: Location, before: Snapshot, after: Snapshot) -> str:
    """What to warn of when a file that parsed does not any more, or a new one does not; never an obstacle."""
    if not before.size <= context.settings.parse_bytes:
        return ""
    try:
        language = language_of_snapshot(before)
        if language is None:
            return ""
        broken = context.outline(after, language).errors
        if not broken.count or not (before.size or broken.certain):
            return ""  # of some languages a grammar knows only most: a new file may be right all the same
        if before.size and context.outline(before, language).errors.count:
            return ""
    except FilewrightError as error:
        if error.code == Code.CANCELLED:
            raise
        return ""
    return f"{language} syntax error in {location.shown} at line {broken.first[0].line}"


def hard_links_broken(context: Context, asked: bool | None) -> bool:
    """Whether a file with other names may be replaced."""
    return context.settings.break_hard_links if asked is None else asked


def _until_settled(context: Context, attempt: Callable[[], T], *, writes: bool, again: bool) -> T:
    """What `attempt` answers, made anew if it met `stale_version`.

    At first other writers are not kept out; then they are, so that many edits of one file all land, and what is left
    to come in between are programs that know nothing of us, such as one that writes a log. A preview never locks.
    What an earlier attempt met of others' saves is in the error of a later one; one of which a part stays is the last.
    """
    met: list[str] = []
    for remaining in reversed(range(_TRIES)):
        free = remaining >= _TRIES - _FREE_TRIES or not writes
        with nullcontext() if free else context.changes.writing(task=context.task):
            try:
                return attempt()
            except FilewrightError as error:
                conflicts = error.details.get("conflicts", [])
                last = not again or not remaining or "stays" in error.details
                if last or error.code != Code.STALE_VERSION:
                    if met:
                        error.details["conflicts"] = [*met, *conflicts]
                        error.hint = "; ".join([*met, error.hint] if error.hint else met)
                    raise
                # Those of a merge are no sentences, and belong to this attempt only.
                met += [conflict for conflict in conflicts if isinstance(conflict, str)]
    raise AssertionError("unreachable")


# What is said of a change


class Reply(Page):
    """The page with which a tool answers that it made a change, or, without a `change_id`, what it would change.

    `seen`: a preview of the same call had the same `outcome`. `brief` is what is shown unasked of the diff: all or "".
    """

    def __init__(
        self,
        context: Context,
        call: Arguments,
        change_id: str | None,
        diff: Diff,
        files: Sequence[Changed[Any]] = (),
        *,
        outcome: str | None = None,
    ) -> None:
        super().__init__(context.settings.page_chars)
        self.wanted: DiffWanted = getattr(call, "diff", "auto")
        self.seen = outcome is not None and context.previewed(call, outcome, preview=change_id is None)
        self._id, self._diff, self._files = change_id, diff, files
        self._short = _short_diffs(diff)
        whole = len(self._short) == len(diff.files) and not diff.more
        self.brief = "".join(self._short[file.path] for file in diff.files) if whole else ""
        self._beside: set[str] = set()

    def done(self, verb: str, more: str = "", *, way: str = "", named: bool = True) -> str:
        """That it was done, and, where it is to be `named`, by which change; or that it would be, and the `way`."""
        if self._id is None:
            return f"would be {verb} (preview; nothing was written{way}){more}"
        return f"{verb}{more}" + (f"; change {self._id}" if named else "")

    def add_short(self, diff: FileDiff) -> None:
        """Add the diff of one file, if it is short, below a line that names the file; those of others are counted."""
        if diff.path in self._short:
            self._beside.add(diff.path)
            self.add_diff(re.sub(r"(?s)\A.*?^(?=@@ )", "", self._short[diff.path], flags=re.MULTILINE))

    def end(self) -> None:
        """Add what there is to say of any change: links that were broken, warnings, the diff as far as it is wanted.

        Unless it is wanted in full, the diff is shown with as much context as is short; a longer one, one that was
        seen, and what is left beside shorter ones are counted. The way to see what is left out is said.
        """
        linked = [file for file in self._files if self._id and file.diff is not None and file.hard_links > 1]
        kept = "hard links; the other names keep the old content"
        notes = [f"[{file.location.shown} had {file.hard_links} {kept}]" for file in linked]
        notes += [f"[warning: {file.warning}]" for file in self._files if file.warning]
        self.extend(notes, reserve=self.room // 2, more="note")
        beside = self._beside
        diff = replace(self._diff, files=tuple(file for file in self._diff.files if file.path not in beside))
        if self.wanted == "none" or not diff.text:
            return
        history = f"get_history with change_id={self._id}"
        text = diff.text if self.wanted == "full" else "" if self.seen or beside else self.brief
        if text:
            way = history if self._id else "a narrower path or glob, or less at once,"
            self.add_diff(text, rest=f"; {way} shows more")
            if diff.remark:
                self.add(f"[{way} shows more]")
            return
        counts = f"{'' if diff.counted else 'more than '}{diff.added} lines added, {diff.removed} removed"
        counts += f" in {counted(len(diff.files), 'other file')}" if beside else ""
        way = f"; {history if self._id else 'diff=full'} shows them"
        self.add(f"[{counts}{', as in the preview' if self.seen else way}]")

    @property
    def facts(self) -> dict[str, Any]:
        """What the results of all changes have."""
        return {
            "text": self.text(),
            "change_id": self._id,
            "difference": self._diff,
            "preview": self._id is None,
        }


def _short_diffs(diff: Diff) -> dict[str, str]:
    """What is shown unasked of a diff, by path: of all with a line of context, or of the shortest files without."""
    shown: dict[str, str] = {}
    by_length = sorted((file for file in diff.files if not file.truncated), key=lambda file: file.rows)
    for context in (1, 0):
        shown, lines, chars = {}, _SHORT_LINES, _SHORT_CHARS
        for file in by_length:
            text = file.brief(context)
            lines, chars = lines - text.count("\n"), chars - len(text)
            if lines < 0 or chars < 0:
                break
            shown[file.path] = text
        if len(shown) == len(diff.files):
            break
    return shown
