"""Edits of whole files: creating, deleting and moving them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from filewright.edit.changeset import FilePlan
from filewright.edit.import_rewriting import NewLine
from filewright.edit.model import Tier
from filewright.edit.outcome import EditOutcome
from filewright.edit.source import Source
from filewright.errors import missing
from filewright.text.codec import check_text
from filewright.text.declaration import encode_as_declared
from filewright.text.snapshot import Snapshot
from filewright.tools.edit.arguments import CreateFile, MoveFile, MoveText
from filewright.tools.edit.call import EditCall, FileEdits, NumberedEdit
from filewright.tools.edit.descriptions import (
    DescribedLines,
    PlacedText,
    find_known_lines,
    find_placed_text,
)
from filewright.tools.edit.file_plan import FileEditPlan
from filewright.tools.edit.moves import (
    LaidOutText,
    MovedText,
    MoveTarget,
    describe_arrival,
    lay_out_moved_text,
)
from filewright.tools.edit.places import TextVersion, find_insertion_point
from filewright.wording import escape_controls


@dataclass(frozen=True, slots=True)
class _NewText:
    """The text of a new file so far, and the outcomes of the edits that wrote it.

    `placed_texts` are the texts that moved or were copied into it.
    """

    text: Snapshot
    outcomes: tuple[EditOutcome, ...] = ()
    placed_texts: tuple[PlacedText, ...] = ()


def plan_new_file(
    call: EditCall, file: FileEdits, moved_texts: Mapping[int, MovedText]
) -> FilePlan[FileEditPlan]:
    """Plan a new file from its content and from the texts that move into it."""
    # Texts come from files in any encoding; here they are put together as UTF-8.
    new = _NewText(Snapshot(b"", encoding="utf-8", location=file.location))
    for numbered in file.edits:
        edit, number = numbered.edit, numbered.number
        content = None
        if isinstance(edit, (CreateFile, MoveText)):
            content = edit.content
        if content is not None:
            # A version is that of a file that exists.
            if edit.expected_version is not None:
                raise missing(file.requested_path)
            check_text(content, "content")
            new = _insert(new, number, "file created", content.encode(), 1)
        if isinstance(edit, MoveText):
            text = TextVersion(new.text, None, is_known=True)
            point = find_insertion_point(call, number, file, text, edit.at)
            moved_text = moved_texts[number]
            target = MoveTarget(file, new.text, point)
            laid_out_text = lay_out_moved_text(
                call, number, edit, moved_text, target
            )
            description = describe_arrival(edit, moved_text)
            new = _insert(
                new, number, description, laid_out_text.data, point.line
            )
            new = _with_placed_text(new, laid_out_text)
    added_lines: list[NewLine] = []
    for added in file.added_imports:
        for splice in added.edit.splices:
            line = new.text.lines.line_at(splice.offset)
            new = _insert(new, 0, "", splice.replacement, line)
            added_lines += (
                NewLine(line + shown.line, line + shown.last, shown.text)
                for shown in added.lines
            )
    # An import has no outcome of its own.
    outcomes = tuple(outcome for outcome in new.outcomes if outcome.named)
    content_bytes = new.text.read(0, new.text.size)
    known_lines = find_known_lines(
        new.placed_texts, new.text.lines.count_lines()
    )
    described = DescribedLines(
        added=known_lines,
        placed_texts=new.placed_texts,
        added_imports=tuple(added_lines),
    )
    return FilePlan.for_new_file(
        FileEditPlan((), outcomes, described=described),
        file.location,
        encode_as_declared(content_bytes, file.location.name),
    )


def _insert(
    new: _NewText, number: int, description: str, data: bytes, line: int
) -> _NewText:
    """Return the text of a new file with whole lines inserted before a line."""
    text = new.text
    offset = text.lines.offset_of(line)
    outcome = whole_file_outcome(
        number, description, line, line + len(data.splitlines()) - 1
    )
    if offset == text.size and offset and not text.lines.ends_in_terminator():
        data = text.dominant_terminator + data
    content = text.read(0, text.size)
    return _NewText(
        Snapshot(
            content[:offset] + data + content[offset:],
            encoding="utf-8",
            location=text.location,
        ),
        (*new.outcomes, outcome),
        tuple(
            placed_text.shift(line, data.count(b"\n"))
            for placed_text in new.placed_texts
        ),
    )


def _with_placed_text(new: _NewText, text: LaidOutText) -> _NewText:
    """Return the text of a new file with the place of the text that was inserted last."""
    placed_text = find_placed_text(new.outcomes[-1], text, Source(new.text))
    return replace(new, placed_texts=(*new.placed_texts, placed_text))


def plan_unedited_file(
    call: EditCall,
    file: FileEdits,
    whole: NumberedEdit,
    shown_text: Snapshot | None,
) -> FilePlan[FileEditPlan]:
    """Return the plan of a file that is deleted or moved, and not edited.

    `shown_text` is its text, or None if it cannot be shown.
    """
    plan = FilePlan(
        FileEditPlan((), ()),
        file.location,
        steps=(),
        before=shown_text,
        new_name=file.location.display_path,
        old_name=file.location.display_path,
    )
    return with_whole_edit(call, plan, whole)


def with_whole_edit(
    call: EditCall,
    plan: FilePlan[FileEditPlan],
    whole: NumberedEdit,
) -> FilePlan[FileEditPlan]:
    """Return the plan of a file that is also deleted or moved."""
    if isinstance(whole.edit, MoveFile):
        boundary = call.context.boundary
        destination = boundary.locate(whole.edit.move_to)
        boundary.require_writable(destination, link_itself=True)
        origin = escape_controls(plan.location.display_path)
        description = f"moved from {origin}"
        plan = plan.with_move(destination)
    else:
        plan = plan.with_deletion()
        description = "the file is deleted"
    outcome = whole_file_outcome(whole.number, description, note=description)
    result = replace(plan.result, outcomes=(*plan.result.outcomes, outcome))
    return replace(plan, result=result)


def whole_file_outcome(
    number: int,
    description: str,
    first_line: int = 1,
    last_line: int = 0,
    *,
    note: str = "",
) -> EditOutcome:
    """Return the outcome of an edit that creates, deletes or moves a file.

    `first_line` and `last_line` are the lines that it wrote, by default none.
    """
    return EditOutcome(
        index=number,
        tier=Tier.EXACT,
        first=1,
        last=0,
        new_first=first_line,
        new_last=last_line,
        places=1,
        named=description,
        note=note,
    )
