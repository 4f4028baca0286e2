"""`write_content`: create, overwrite or append whole files, one or many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from filewright.boundary.location import Location
from filewright.edit.build_diff import find_splices
from filewright.edit.changeset import FilePlan, Modify
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
from filewright.tools.context import Context
from filewright.tools.items import (
    BatchArguments,
    BatchResult,
    Item,
    ItemResult,
    item_named,
    run_batch,
)
from filewright.tools.losses import lost_by_overwriting
from filewright.tools.registry import RARE, Arguments
from filewright.tools.result import DiffWanted
from filewright.tools.tool import Tool

_CREATED = Encoding("utf-8")


class WriteItem(Arguments):
    """One file to write."""

    path: str
    content: str
    mode: Literal["create", "overwrite", "append"] = "create"
    newline: Annotated[Literal["lf", "keep"] | None, RARE] = None
    expected_version: Annotated[str | None, RARE] = None

    @property
    def adds(self) -> bool:
        """Whether it is put to whatever the file holds."""
        return self.mode == "append" and self.expected_version is None


class WriteArguments(BatchArguments):
    """The files to write."""

    items: Annotated[list[WriteItem], Field(min_length=1)]
    """`mode` is `"create"` (refuses what exists), `"overwrite"` or `"append"`"""
    diff: Annotated[DiffWanted, RARE] = "auto"


def write_content(context: Context, arguments: WriteArguments) -> BatchResult:
    """Write every item; one transaction if `atomic`."""
    total = sum(len(item.content) for item in arguments.items)
    most = context.settings.max_input_bytes
    if total > most:
        raise too_many(
            total,
            most,
            "characters to write",
            "write in several calls, with mode=append",
            "size",
        )

    def plan(items: Sequence[WriteItem]) -> Iterator[FilePlan[Item]]:
        files: dict[Location, list[int]] = {}
        refusal: FilewrightError | None = None
        for index, item in enumerate(items):
            try:
                with item_named(index, len(items)):
                    files.setdefault(_located(context, item), []).append(index)
            except FilewrightError as error:
                refusal = error
                break
        for location, indexes in files.items():
            yield from _decided(context, location, items, indexes)
        if (
            refusal is not None
        ):  # what is wrong with an earlier item is said first
            raise refusal

    return run_batch(
        context, "write_content", arguments, arguments.items, plan, noun="file"
    )


def _located(context: Context, item: WriteItem) -> Location:
    location = context.boundary.locate(item.path)
    if item.path.endswith("/"):
        raise invalid(
            f"{item.path} ends in /, which asks for a folder",
            "leave the / out to write a file; its folders are made with it",
            path=item.path,
        )
    context.boundary.require_writable(location)
    return location


def _decided(
    context: Context,
    location: Location,
    items: Sequence[WriteItem],
    indexes: Sequence[int],
) -> Iterator[FilePlan[Item]]:
    """What is to become of a file, by the items that name it: it holds `data` alone if `whole`, or ends with it."""
    with item_named(indexes[0], len(items)):
        before = _existing(context, location)
    whole, data, encoding = False, b"", _CREATED
    for index in indexes:
        item = items[index]
        with item_named(index, len(items)):
            if item.expected_version is not None:
                if before is None:
                    raise path_error(
                        Code.STALE_VERSION,
                        item.path,
                        f"{item.path} does not exist, but version {item.expected_version} was expected",
                        "list the folder; leave expected_version out to create it",
                    )
                context.check_version(before, item.expected_version)
            exists = before is not None or whole
            if exists and item.mode == "create":
                raise path_error(
                    Code.ALREADY_EXISTS,
                    item.path,
                    f"{item.path} exists already",
                    'use mode="overwrite" or mode="append", or edit_content to change a part of it',
                )
            appends = exists and item.mode == "append"
            end = b"\n"
            if before is not None and before.binary_type is None:
                end = (
                    _last_terminator(before)
                    if appends
                    else _only_terminator(before)
                )
            if whole and appends:
                end = _last_terminator(
                    Snapshot(data)
                )  # and the encoding of what is written already
            else:
                encoding = _encoding(
                    before, item.content, location.name, appends=appends
                )
            new = _encoded(item, encoding, end, appended=appends)
            if not appends:
                whole, data = True, encoding.bom
            data += new
            result = ItemResult(
                item.path,
                "appended"
                if appends
                else "overwritten"
                if exists
                else "created",
            )
        if index != indexes[-1]:
            yield FilePlan((index, result), location, ())
    if before is None:
        yield FilePlan.for_new_file((index, result), location, data)
        return
    splices: Sequence[Splice]
    if whole:
        splices = find_splices(before, data)
    else:
        splices = (Splice(before.size, 0, data),) if data else ()
    if not splices:
        yield FilePlan(
            (index, replace(result, operation="unchanged")),
            location,
            (),
            before,
        )
        return
    if whole and items[indexes[0]].expected_version is None:
        result = replace(
            result, note=lost_by_overwriting(context, before, data)
        )
    step = Modify.from_snapshot(location, before, splices)
    if whole or before.binary_type is not None:
        step = replace(
            step, encoding_check=None
        )  # what is written depends on no guess
    name = location.display_path
    yield FilePlan(
        (index, result),
        location,
        [step],
        before,
        splices,
        name,
        name,
        is_complete=whole,
    )


def _encoding(
    before: Snapshot | None, content: str, file_name: bytes, *, appends: bool
) -> Encoding:
    """Return the encoding to write in: of a whole file the one it declares, else the one that the file has."""
    declared = None if appends else declared_encoding(content, file_name)
    if before is not None and appends and before.unreadable_encoding:
        # Bytes that are no ASCII would be other characters there.
        return Encoding("ascii", declared_label=before.unreadable_encoding)
    if before is None or before.binary_type is not None:
        return declared or _CREATED
    existing = before.encoding
    if appends or existing.bom:
        # New bytes are valid in a file written whole; the mark stays.
        return (
            Encoding("utf-8", existing.bom)
            if existing.has_invalid_bytes and not appends
            else existing
        )
    if declared is not None:
        return declared
    # What only its own words made it, or was never quite that, does not outlast them.
    return (
        _CREATED
        if existing.declared_label or existing.has_invalid_bytes
        else existing
    )


def _existing(context: Context, location: Location) -> Snapshot | None:
    try:
        snapshot = context.open(location)
    except FilewrightError as error:
        if error.code == Code.NOT_FOUND:
            return None
        raise
    if snapshot.content is not None:
        snapshot.close()  # what it holds stays readable, whatever happens next
    return snapshot


def _only_terminator(snapshot: Snapshot) -> bytes:
    """Return the terminator of all lines of a file; LF where it has several, or none."""
    terminators = snapshot.lines.terminators
    return b"\n" if terminators.name == "mixed" else terminators.dominant


def _last_terminator(snapshot: Snapshot) -> bytes:
    """Return the terminator of the last line that has one, which what is appended takes too."""
    offset = snapshot.size
    for _ in range(2):
        if offset > snapshot.start:
            begin = snapshot.lines.line_start(offset - 1)
            terminator = snapshot.lines.read_line(begin).terminator
            if terminator:
                return terminator.replace(b"\0", b"")  # of UTF-16 too
            offset = begin
    return b"\n"


def _encoded(
    item: WriteItem, encoding: Encoding, terminator: bytes, *, appended: bool
) -> bytes:
    """The bytes of the content without a mark that the file has or would get in its middle, terminators as asked."""
    text = item.content
    if encoding.bom or appended:
        text = text.removeprefix("\ufeff")
    codec.check_text(text, "content")
    if item.newline == "keep":
        kept = [
            codec.encode(part, encoding, argument="content")
            for part in text.split("\r")
        ]
        return "\r".encode(encoding.name).join(kept)
    end = b"\n" if item.newline == "lf" else terminator
    return codec.encode(text, encoding, end, argument="content")


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
