"""The plan of one text: of a file, or of a notebook as its cells show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from filewright.edit.changeset import FilePlan, Modify, Step
from filewright.errors import Code, FilewrightError
from filewright.text.notebook import NotebookView
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice


class HasSplices(Protocol):
    """A plan of a text that has its splices in order."""

    @property
    def splices(self) -> Sequence[Splice]: ...


TextPlanT = TypeVar("TextPlanT", bound=HasSplices)


def plan_text(
    text: Snapshot, plan: Callable[[Snapshot], TextPlanT]
) -> FilePlan[TextPlanT]:
    """Return the plan of a text, or of a notebook as the cells show it.

    If an edit is not in the cells, it may be in the JSON text of the notebook itself.
    """
    try:
        return to_file_plan(text, plan(text))
    except FilewrightError as error:
        if (
            not isinstance(text, NotebookView)
            or error.code is not Code.NO_MATCH
        ):
            raise
        try:
            return to_file_plan(text.file_snapshot, plan(text.file_snapshot))
        except FilewrightError:
            # The caller was shown the cells, so the refusal is about them.
            raise error from None


def to_file_plan(text: Snapshot, plan: TextPlanT) -> FilePlan[TextPlanT]:
    """Return the file plan that puts the splices of a text into its file."""
    location = text.location
    assert location is not None
    text_splices = plan.splices
    file, file_splices = text, text_splices
    if isinstance(text, NotebookView):
        file = text.file_snapshot
        file_splices = tuple(text.to_file_splices(text_splices))
    steps: list[Step] = []
    if file_splices:
        steps.append(Modify.from_snapshot(location, file, file_splices))
    name = location.display_path
    if name == location.spelling:
        # An equal text that is held already: a change may have 100,000 files.
        name = location.spelling
    return FilePlan(
        result=plan,
        location=location,
        steps=steps,
        before=file,
        splices=file_splices,
        old_name=name,
        new_name=name,
        view=(text, text_splices),
    )
