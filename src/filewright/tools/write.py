"""`write_content`: create, overwrite or append whole files, one or many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from filewright.boundary import Location
from filewright.edit import Expected, Modify, splices_between
from filewright.errors import Code, FilewrightError, check_limit, invalid, refused
from filewright.text import Encoding, Snapshot, Splice, codec
from filewright.tools.context import Context
from filewright.tools.items import BatchArguments, BatchResult, Item, ItemResult, item_named, run_batch
from filewright.tools.pipeline import Decided, created
from filewright.tools.registry import Arguments
from filewright.tools.result import DiffWanted

_CREATED = Encoding("utf-8")


class WriteItem(Arguments):
    """One file to write."""

    path: str
    content: str
    mode: Literal["create", "overwrite", "append"] = "create"
    newline: Literal["lf", "keep"] | None = None
    expected_version: str | None = None

    @property
    def adds(self) -> bool:
        """Whether it is put to whatever the file holds."""
        return self.mode == "append" and self.expected_version is None


class WriteArguments(BatchArguments):
    """The files to write."""

    items: Annotated[list[WriteItem], Field(min_length=1)]
    """`mode` is `"create"` (refuses what exists), `"overwrite"` or `"append"`"""
    diff: DiffWanted = "auto"


def write_content(context: Context, arguments: WriteArguments) -> BatchResult:
    """Write every item; one transaction if `atomic`."""
    total = sum(len(item.content) for item in arguments.items)
    hint = "write in several calls, with mode=append"
    check_limit(total, context.settings.max_input_bytes, "characters to write", hint, key="size")

    def plan(items: Sequence[WriteItem]) -> Iterator[Decided[Item]]:
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
        if refusal is not None:  # what is wrong with an earlier item is said first
            raise refusal

    return run_batch(
        context,
        "write_content",
        arguments,
        arguments.items,
        plan,
        noun="file",
        diff=arguments.diff,
    )


def _located(context: Context, item: WriteItem) -> Location:
    location = context.boundary.locate(item.path)
    if item.path.endswith("/"):
        raise invalid(
            f"{item.path} ends in /, which asks for a folder",
            "leave the / out to write a file; create_directories makes folders",
            path=item.path,
        )
    context.boundary.guard_write(location)
    return location


def _decided(
    context: Context, location: Location, items: Sequence[WriteItem], indexes: Sequence[int]
) -> Iterator[Decided[Item]]:
    """What is to become of a file, by the items that name it: `whole` new content, or the old and a `tail`."""
    before: Snapshot | None = None
    whole: bytes | None = None
    tail = b""
    for index in indexes:
        item = items[index]
        with item_named(index, len(items)):
            if index == indexes[0]:
                before = _existing(context, location)
            if item.expected_version is not None and before is None:
                message = f"{item.path} does not exist, but version {item.expected_version} was expected"
                hint = "list the folder; leave expected_version out to create it"
                raise refused(Code.STALE_VERSION, item.path, message, hint)
            if before is not None:
                context.check_version(before, item.expected_version)
            exists = before is not None or whole is not None
            if exists and item.mode == "create":
                hint = 'use mode="overwrite" or mode="append", or edit_content to change a part of it'
                raise refused(Code.ALREADY_EXISTS, item.path, f"{item.path} exists already", hint)
            encoding, end = _form(before)
            if whole is not None:
                end = Snapshot.of_bytes(whole).dominant
            appends = exists and item.mode == "append"
            data = _encoded(item, encoding, end, appended=appends)
            if appends and whole is None:
                tail += data
            else:
                whole = whole + data if appends and whole is not None else data
            result = ItemResult(item.path, "appended" if appends else "overwritten" if exists else "created")
        if index != indexes[-1]:
            yield Decided((index, result), location, ())
    if before is None:
        yield created(context, (index, result), location, whole or b"")
        return
    splices: Sequence[Splice] = (Splice(before.size, 0, tail),) if tail else ()
    if whole is not None:
        splices = splices_between(before, whole)
    if not splices:
        yield Decided((index, replace(result, operation="unchanged")), location, (), before)
        return
    step = Modify(location, Expected.of(before), splices)
    yield Decided((index, result), location, [step], before, splices, location.shown, location.shown)


def _existing(context: Context, location: Location) -> Snapshot | None:
    try:
        snapshot = context.open(location)
    except FilewrightError as error:
        if error.code == Code.NOT_FOUND:
            return None
        raise
    if snapshot.held is not None:
        snapshot.close()  # what it holds stays readable, whatever happens next
    return snapshot


def _form(before: Snapshot | None) -> tuple[Encoding, bytes]:
    """The encoding and the line end of what is written over a file, or added to it."""
    if before is None or before.binary is not None:
        return _CREATED, b"\n"
    if before.encoding.invalid:
        return Encoding(
            "utf-8", bom=before.encoding.bom
        ), before.dominant  # new bytes are valid; the mark stays
    return before.encoding, before.dominant


def _encoded(item: WriteItem, encoding: Encoding, terminator: bytes, *, appended: bool) -> bytes:
    """The bytes of the content: terminators as asked, the file's own mark kept and never doubled."""
    text = item.content
    if text.startswith("\ufeff") and (encoding.bom or appended):
        text = text[1:]
    mark = b"" if appended else encoding.bom
    codec.check_text(text, "content")
    if item.newline == "keep":
        kept = [codec.encoded(part, encoding, b"\n") for part in text.split("\r")]
        return mark + "\r".encode(encoding.name).join(kept)
    end = b"\n" if item.newline == "lf" else terminator
    return mark + codec.encoded(text, encoding, end, argument="content")
