"""Text files changed by splices: opened, decided, committed together, and done again if one moved on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from filewright.boundary import Location
from filewright.changes import ChangeRecord
from filewright.edit import ChangeSet, Modify, unified
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import NotebookView, Snapshot, Splice, notebook_view
from filewright.tools import syntax
from filewright.tools.batch import hard_links_broken
from filewright.tools.context import Context
from filewright.tools.described import kept_form
from filewright.tools.rendering import clip
from filewright.tools.retrying import until_settled


class Decision(Protocol):
    """What a tool decided for a file: at least its splices, in order."""

    @property
    def splices(self) -> Sequence[Splice]: ...


D = TypeVar("D", bound=Decision)


@dataclass(frozen=True, slots=True)
class Decided(Generic[D]):
    """An open file and what was decided for it; `follow` as in `Modify`.

    `page` is what the decision's splices are of: the file, or of a notebook its cells.
    """

    snapshot: Snapshot
    page: Snapshot
    decision: D
    follow: bool

    @property
    def splices(self) -> Sequence[Splice]:
        """Those of the file."""
        seen = tuple(self.decision.splices)
        return self.page.splices(seen) if isinstance(self.page, NotebookView) else seen


@dataclass(frozen=True, slots=True)
class Spliced(Generic[D]):
    """What became of a file; `record` is None in a preview and where nothing was to be changed.

    `version` is the token the file has, or would have; None where only a commit could tell. `form` is what
    is not plain about the file and was kept, for its line of the answer.
    """

    decision: D
    location: Location
    record: ChangeRecord | None
    diff: str
    warning: str
    version: str | None
    hard_links: int
    form: str = ""


def decided(
    snapshot: Snapshot,
    decide: Callable[[Snapshot], D],
    task: Task,
    *,
    as_file: bool = False,
    follow: bool = True,
) -> Decided[D]:
    """What `decide` makes of a file; of a notebook by its cells, where the text is in them."""
    page = snapshot if as_file else notebook_view(snapshot, task)
    try:
        return Decided(snapshot, page, decide(page), follow)
    except FilewrightError as error:
        if page is snapshot or error.code is not Code.NO_MATCH:
            raise
        try:  # whoever was shown the file itself gives its own text
            return Decided(snapshot, snapshot, decide(snapshot), follow)
        except FilewrightError:
            raise error from None


def splice_file(
    context: Context,
    tool: str,
    path: str,
    decide: Callable[[Snapshot], D],
    task: Task,
    *,
    preview: bool = False,
) -> Spliced[D]:
    """Change the text file at `path` as `decide` says of its snapshot. Raises what either raises."""
    location = context.boundary.locate(path)

    def attempt() -> Spliced[D]:
        with context.open_for_edit(location) as snapshot:
            made = decided(snapshot, decide, task)
            return commit_splices(context, tool, [made], task, preview=preview)[0]

    return until_settled(context, attempt, writes=not preview, task=task)


def commit_splices(
    context: Context,
    tool: str,
    files: Sequence[Decided[D]],
    task: Task,
    *,
    summary: str = "",
    preview: bool = False,
    break_hard_links: bool | None = None,
    undoable: bool = True,
) -> list[Spliced[D]]:
    """Change the open files as one change, or show what would change; those without splices stay as they are."""
    made: list[Spliced[D]] = []
    steps: list[Modify] = []
    left = context.settings.diff_lines
    for file in files:
        snapshot, splices = file.snapshot, tuple(file.splices)
        location = snapshot.location
        assert location is not None
        links = snapshot.status.st_nlink if snapshot.status is not None else 1
        if not splices:
            made.append(Spliced(file.decision, location, None, "", "", snapshot.version, links))
            continue
        name = location.shown
        seen = tuple(file.decision.splices)
        shown = unified(name, name, file.page, seen, max_lines=left) if left > 0 else None
        left -= shown.shown if shown is not None else 0
        text = shown.text if shown is not None else "... 1 more file not shown\n"
        warning = syntax.compared(context, snapshot, splices, task)
        made.append(Spliced(file.decision, location, None, text, warning, None, links, kept_form(snapshot)))
        steps.append(Modify.of(location, snapshot, splices, follow=file.follow))
    record = None
    if steps and not preview:
        change = ChangeSet.of(
            tool,
            clip(summary or f"{tool}: {', '.join(step.location.shown for step in steps)}", 200),
            steps,
            break_hard_links=hard_links_broken(context, break_hard_links),
            undoable=undoable,
        )
        record = context.changes.commit(change, task=task)
    return [_committed(context, one, file, record) for one, file in zip(made, files, strict=True)]


def _committed(
    context: Context, one: Spliced[D], file: Decided[D], record: ChangeRecord | None
) -> Spliced[D]:
    """The same with the change and the version that came of it."""
    splices = tuple(file.splices)
    if not splices:
        return one
    version = context.version_after(file.snapshot, splices, record)
    if record is not None:
        context.remember_after(file.snapshot, splices, version)
    return replace(one, record=record, version=version)
