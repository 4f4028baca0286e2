"""One text file changed by splices: opened, decided, committed, and done again if the file moved on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from filewright.boundary import Location
from filewright.changes import ChangeRecord
from filewright.edit import ChangeSet, Expected, Modify, unified
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import NotebookView, Snapshot, Splice, notebook_view
from filewright.tools import syntax
from filewright.tools.batch import hard_links_broken
from filewright.tools.context import Context
from filewright.tools.rendering import clip
from filewright.tools.retrying import until_settled


class Decision(Protocol):
    """What a tool decided for a file: at least its splices, in order."""

    @property
    def splices(self) -> Sequence[Splice]: ...


D = TypeVar("D", bound=Decision)


@dataclass(frozen=True, slots=True)
class Spliced(Generic[D]):
    """What became of a file; `record` is None in a preview and where nothing was to be changed.

    `version` is the token the file has, or would have; None where only a commit could tell.
    """

    decision: D
    location: Location
    record: ChangeRecord | None
    diff: str
    warning: str
    version: str | None
    hard_links: int


def _decided(
    snapshot: Snapshot, decide: Callable[[Snapshot], D], task: Task, *, as_file: bool
) -> tuple[D, Snapshot]:
    """The decision, and what it was made on: a notebook is decided by its cells, where the text is in them."""
    page = snapshot if as_file else notebook_view(snapshot, task)
    try:
        return decide(page), page
    except FilewrightError as error:
        if page is snapshot or error.code is not Code.NO_MATCH:
            raise
        try:  # whoever was shown the file itself gives its own text
            return decide(snapshot), snapshot
        except FilewrightError:
            raise error from None


def splice_file(
    context: Context,
    tool: str,
    path: str,
    decide: Callable[[Snapshot], D],
    task: Task,
    *,
    summary: str = "",
    preview: bool = False,
    encoding: str | None = None,
    expected_version: str | None = None,
    break_hard_links: bool | None = None,
    undoable: bool = True,
) -> Spliced[D]:
    """Change the text file at `path` as `decide` says of its snapshot. Raises what either raises."""
    location = context.boundary.locate(path)
    follow = expected_version is None

    def attempt() -> Spliced[D]:
        with context.open_for_edit(location, encoding=encoding) as snapshot:
            context.check_version(snapshot, expected_version)
            decision, page = _decided(snapshot, decide, task, as_file=encoding is not None)
            seen = tuple(decision.splices)
            splices = page.splices(seen) if isinstance(page, NotebookView) else seen
            links = snapshot.status.st_nlink if snapshot.status is not None else 1
            if not splices:
                return Spliced(decision, location, None, "", "", snapshot.version, links)
            name = location.shown
            shown = unified(name, name, page, seen, max_lines=context.settings.diff_lines)
            warning = syntax.compared(context, snapshot, splices, task)
            record = None
            if not preview:
                guess = snapshot.encoding
                matters = guess.sampled and any(not splice.replacement.isascii() for splice in splices)
                step = Modify(
                    location,
                    Expected.of(snapshot),
                    splices,
                    guess.name if matters else None,
                    follow=follow,
                )
                change = ChangeSet.of(
                    tool,
                    clip(summary or f"{tool}: {name}", 200),
                    [step],
                    break_hard_links=hard_links_broken(context, break_hard_links),
                    undoable=undoable,
                )
                record = context.changes.commit(change, task=task)
            version = context.version_after(snapshot, splices, record)
            return Spliced(decision, location, record, shown.text, warning, version, links)

    return until_settled(context, attempt, writes=not preview, again=follow, task=task)
