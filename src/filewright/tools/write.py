"""The tool `write_content`: create, overwrite or append to whole files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal

from pydantic import Field

from filewright.boundary.location import Location
from filewright.changes.model import ChangeRecord
from filewright.edit.build_diff import find_splices
from filewright.edit.changeset import ChangeSet, Create, FilePlan, Modify
from filewright.errors import (
    Code,
    FilewrightError,
    invalid,
    path_error,
    too_many,
)
from filewright.text import codec
from filewright.text.codec import Encoding
from filewright.text.declaration import declared_encoding
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice
from filewright.tools.arguments import RARE, Arguments
from filewright.tools.batch import (
    Batch,
    BatchArguments,
    BatchResult,
    ItemResult,
    PlannedItem,
    naming_item,
    run_batch,
)
from filewright.tools.context import Context
from filewright.tools.file_facts import describe_kept_form
from filewright.tools.losses import describe_overwrite_loss
from filewright.tools.result import DiffMode
from filewright.tools.tool import Tool

_NEW_FILE_ENCODING: Final = Encoding("utf-8")
# Lines from the end of a file in which a terminator is looked for: the last one may
# have none.
_LAST_LINES: Final = 2


class WriteItem(Arguments):
    """One file to write."""

    path: str
    content: str
    mode: Literal["create", "overwrite", "append"] = "create"
    newline: Annotated[Literal["lf", "keep"] | None, RARE] = None
    expected_version: Annotated[str | None, RARE] = None


class WriteArguments(BatchArguments):
    """The files to write."""

    items: Annotated[list[WriteItem], Field(min_length=1)]
    """`mode` is `"create"` (refuses what exists), `"overwrite"` or `"append"`"""
    diff: Annotated[DiffMode, RARE] = "auto"


@dataclass(frozen=True, slots=True)
class NewContent:
    """The bytes that the items of a call write to one file so far.

    With `is_whole`, they are its whole content; otherwise they are appended to it.
    """

    data: bytes = b""
    encoding: Encoding = _NEW_FILE_ENCODING
    is_whole: bool = False


def write_content(context: Context, arguments: WriteArguments) -> BatchResult:
    """Write every item, as one change if the call is atomic."""
    total = sum(len(item.content) for item in arguments.items)
    max_characters = context.settings.max_input_bytes
    if total > max_characters:
        raise too_many(
            total,
            max_characters,
            "characters to write",
            "write in several calls, with mode=append",
            "size",
        )
    return run_batch(
        Batch(context, "write_content", arguments, noun="file"),
        arguments.items,
        lambda items: plan_files(context, items),
        can_retry=fits_any_content,
    )


def fits_any_content(item: WriteItem) -> bool:
    """Return True for text that is appended, whatever the file holds.

    A file that is overwritten may hold text that the caller has not seen.
    """
    return item.mode == "append" and item.expected_version is None


def plan_files(
    context: Context, items: Sequence[WriteItem]
) -> Iterator[FilePlan[PlannedItem]]:
    """Yield the plans of all items, file by file."""
    indexes_by_file: dict[Location, list[int]] = {}
    refusal: FilewrightError | None = None
    for index, item in enumerate(items):
        try:
            with naming_item(index, len(items)):
                location = _locate(context, item.path)
        except FilewrightError as error:
            refusal = error
            break
        indexes_by_file.setdefault(location, []).append(index)
    for location, indexes in indexes_by_file.items():
        yield from _plan_file(context, location, items, indexes)
    # An error of an earlier item comes first.
    if refusal is not None:
        raise refusal


def write_bytes(
    context: Context, path: str, content: bytes, expected_version: str | None
) -> ChangeRecord | None:
    """Write a file byte for byte; return None if it has these bytes already.

    Raise `FilewrightError`.
    """
    if context.settings.read_only:
        raise FilewrightError(
            Code.READ_ONLY, "this workspace is read-only", path=path
        )
    context.changes.recover_if_needed()
    location = _locate(context, path)
    before = _open_existing(context, location)
    _check_expected_version(context, path, before, expected_version)
    step: Create | Modify = Create(location, content)
    if before is not None:
        splices = find_splices(before, content)
        if not splices:
            return None
        # The bytes are the caller's, whatever encoding the file seems to have.
        step = replace(
            Modify.from_snapshot(location, before, splices),
            encoding_check=None,
        )
    summary = f"write {location.display_path}"
    change_set = ChangeSet("write_bytes", summary, (step,))
    return context.changes.commit(change_set, task=context.task)


def _locate(context: Context, path: str) -> Location:
    location = context.boundary.locate(path)
    # Without this a file would be made where the caller wants a folder.
    if path.endswith("/"):
        raise invalid(
            f"{path} ends in /, which asks for a folder",
            "leave out the / to write a file; create_directories makes folders",
            path=path,
        )
    context.boundary.require_writable(location)
    return location


def _plan_file(
    context: Context,
    location: Location,
    items: Sequence[WriteItem],
    indexes: Sequence[int],
) -> Iterator[FilePlan[PlannedItem]]:
    """Yield the plans of the items that write one file; the last one has its content."""
    with naming_item(indexes[0], len(items)):
        before = _open_existing(context, location)
    content = NewContent()
    *earlier_indexes, last_index = indexes
    results: dict[int, ItemResult] = {}
    for index in indexes:
        item = items[index]
        with naming_item(index, len(items)):
            exists = before is not None or content.is_whole
            _check_item(context, item, before, exists=exists)
            appends = exists and item.mode == "append"
            content = _add_content(
                content, item, before, location, appends=appends
            )
        operation = "created"
        if exists:
            operation = "appended" if appends else "overwritten"
        results[index] = ItemResult(item.path, operation)
    for index in earlier_indexes:
        yield FilePlan(PlannedItem(index, results[index]), location, ())
    result = results[last_index]
    if before is None:
        yield FilePlan.for_new_file(
            PlannedItem(last_index, result), location, content.data
        )
        return
    notes = [_describe_kept_form(before, content)]
    # What other programs wrote is lost only by an overwrite of no certain version.
    if content.is_whole and items[indexes[0]].expected_version is None:
        notes.append(describe_overwrite_loss(context, before, content.data))
    result = replace(result, note="; ".join(filter(None, notes)))
    yield _plan_existing(
        location, before, content, PlannedItem(last_index, result)
    )


def _check_item(
    context: Context,
    item: WriteItem,
    before: Snapshot | None,
    *,
    exists: bool,
) -> None:
    """Raise an error if the file exists and must not, or has another version."""
    _check_expected_version(context, item.path, before, item.expected_version)
    if exists and item.mode == "create":
        raise path_error(
            Code.ALREADY_EXISTS,
            item.path,
            f"{item.path} exists already",
            'use mode="overwrite" or mode="append", or edit_content to change a '
            "part of it",
        )


def _check_expected_version(
    context: Context,
    path: str,
    before: Snapshot | None,
    expected_version: str | None,
) -> None:
    """Raise `stale_version` if a file does not have the expected version."""
    if expected_version is None:
        return
    if before is None:
        raise path_error(
            Code.STALE_VERSION,
            path,
            f"{path} does not exist, but version {expected_version} "
            "was expected",
            "list the folder to see its files, or leave out expected_version "
            "to create the file",
        )
    context.check_version(before, expected_version)


def _add_content(
    content: NewContent,
    item: WriteItem,
    before: Snapshot | None,
    location: Location,
    *,
    appends: bool,
) -> NewContent:
    """Return the content of a file with that of one more item."""
    is_text = before is not None and before.binary_type is None
    if content.is_whole and appends:
        # The text goes behind what an earlier item of the call writes.
        terminator = _last_terminator(Snapshot(content.data))
        encoding = content.encoding
    else:
        terminator = b"\n"
        if before is not None and is_text:
            terminator = (
                _last_terminator(before)
                if appends
                else _only_terminator(before)
            )
        encoding = _choose_encoding(
            before, item.content, location.name, appends=appends
        )
    data = _encode(item, encoding, terminator, appends=appends)
    if appends:
        return replace(content, data=content.data + data, encoding=encoding)
    return NewContent(encoding.bom + data, encoding, is_whole=True)


def _describe_kept_form(before: Snapshot, content: NewContent) -> str:
    """Return the unusual encoding and line ending that a file keeps, or ""."""
    if before.binary_type is not None:
        return ""
    kept_form = describe_kept_form(before)
    after = (
        content.data if content.is_whole else before.encoding.bom + content.data
    )
    form_of_text = describe_kept_form(
        Snapshot(after, encoding=content.encoding.name)
    )
    return kept_form.removeprefix("; ") if kept_form == form_of_text else ""


def _plan_existing(
    location: Location,
    before: Snapshot,
    content: NewContent,
    planned: PlannedItem,
) -> FilePlan[PlannedItem]:
    """Return the plan of a file that exists."""
    splices: Sequence[Splice] = ()
    if content.is_whole:
        splices = find_splices(before, content.data)
    elif content.data:
        splices = (Splice(before.size, 0, content.data),)
    if not splices:
        unchanged = replace(planned.result, operation="unchanged", note="")
        return FilePlan(
            replace(planned, result=unchanged), location, (), before
        )
    step = Modify.from_snapshot(location, before, splices)
    if content.is_whole or before.binary_type is not None:
        # The new bytes do not depend on the encoding that was guessed.
        step = replace(step, encoding_check=None)
    name = location.display_path
    return FilePlan(
        planned,
        location,
        [step],
        before,
        splices,
        old_name=name,
        new_name=name,
        is_complete=content.is_whole,
    )


def _open_existing(context: Context, location: Location) -> Snapshot | None:
    """Return the file as it is, or None if it does not exist."""
    try:
        snapshot = context.open(location)
    except FilewrightError as error:
        if error.code == Code.NOT_FOUND:
            return None
        raise
    if snapshot.content is not None:
        # A content in memory stays readable when the file is closed.
        snapshot.close()
    return snapshot


def _choose_encoding(
    before: Snapshot | None, content: str, file_name: bytes, *, appends: bool
) -> Encoding:
    """Return the encoding to write in.

    A whole file gets the encoding that its content declares, else that of the file as it
    is. Appended text gets that of the file.
    """
    declared = None if appends else declared_encoding(content, file_name)
    if before is not None and appends and before.unreadable_encoding:
        # Only ASCII has the same bytes in an encoding that cannot be read.
        return Encoding("ascii", declared_label=before.unreadable_encoding)
    if before is None or before.binary_type is not None:
        return declared or _NEW_FILE_ENCODING
    existing = before.encoding
    if appends:
        return existing
    if existing.bom:
        # A file that is written whole has no invalid bytes; its mark stays.
        if existing.has_invalid_bytes:
            return Encoding("utf-8", existing.bom)
        return existing
    if declared is not None:
        return declared
    # An encoding that only the old text declared, or that it did not keep to, goes with
    # the old text.
    if existing.declared_label or existing.has_invalid_bytes:
        return _NEW_FILE_ENCODING
    return existing


def _only_terminator(snapshot: Snapshot) -> bytes:
    """Return the terminator of all lines of a file; LF if it has several, or none."""
    terminators = snapshot.lines.terminators
    return b"\n" if terminators.name == "mixed" else terminators.dominant


def _last_terminator(snapshot: Snapshot) -> bytes:
    """Return the last terminator of a file, which appended text takes too."""
    offset = snapshot.size
    for _ in range(_LAST_LINES):
        if offset > snapshot.start:
            start = snapshot.lines.line_start(offset - 1)
            terminator = snapshot.lines.read_line(start).terminator
            if terminator:
                # In UTF-16, a terminator has zero bytes.
                return terminator.replace(b"\0", b"")
            offset = start
    return b"\n"


def _encode(
    item: WriteItem, encoding: Encoding, terminator: bytes, *, appends: bool
) -> bytes:
    """Return the content of an item as bytes, with the requested terminators.

    Its byte order mark is left out if the file has one, or if it is appended.
    """
    text = item.content
    if encoding.bom or appends:
        text = text.removeprefix("\ufeff")
    codec.check_text(text, "content")
    if item.newline == "keep":
        # The codec turns a carriage return into a terminator, so it never sees one.
        parts = [
            codec.encode(part, encoding, argument="content")
            for part in text.split("\r")
        ]
        return "\r".encode(encoding.name).join(parts)
    if item.newline == "lf":
        terminator = b"\n"
    return codec.encode(text, encoding, terminator, argument="content")


WRITE_CONTENT = Tool(
    name="write_content",
    title="Write whole files",
    description=(
        "Create, overwrite (keeps encoding, line ending, mode) or append to "
        "files; parents are made."
    ),
    toolset="edit",
    arguments=WriteArguments,
    run=write_content,
    writes=True,
    destructive=True,
    idempotent=False,
)
