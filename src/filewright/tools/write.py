"""`write_content`: create, overwrite or append whole files, one or many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from filewright.boundary import Location
from filewright.edit import Create, Expected, Modify, splices_between
from filewright.errors import Code, FilewrightError, invalid
from filewright.text import Encoding, Snapshot, Splice, codec
from filewright.tools.context import Context
from filewright.tools.items import BatchArguments, BatchResult, Item, ItemResult, item_named, run_batch
from filewright.tools.pipeline import Decided
from filewright.tools.registry import Arguments, Tool
from filewright.tools.result import DiffWanted

_CREATED = Encoding("utf-8")
_UNSEEN = object()


class WriteItem(Arguments):
    """One file to write."""

    path: str
    content: str
    mode: Literal["create", "overwrite", "append"] = "create"
    newline: Literal["lf", "keep"] | None = None
    expected_version: str | None = None


class WriteArguments(BatchArguments):
    """The files to write."""

    items: Annotated[list[WriteItem], Field(min_length=1)]
    """`mode` is `"create"` (refuses what exists), `"overwrite"` or `"append"`"""
    diff: DiffWanted = "auto"


@dataclass
class _Target:
    """One file as the items so far leave it: `whole` new content, or the old with `tail` appended."""

    context: Context
    location: Location
    snapshot: Snapshot | None = None
    whole: bytes | None = None
    tail: bytes = b""
    versioned: bool = False
    last: int = 0
    """The index of the last item that names it."""
    identity: object = _UNSEEN
    """That of the file when it was opened first; None where there was none."""

    def open(self) -> Snapshot | None:
        """The file as it is, None where there is none. Raises `stale_version` if it is another since it was let go."""
        if self.snapshot is None and self.identity is not None:
            self.snapshot = _existing(self.context, self.location)
            found = self.snapshot.identity if self.snapshot is not None else None
            if self.identity not in (_UNSEEN, found):
                raise FilewrightError(
                    Code.STALE_VERSION,
                    f"{self.location.asked} was changed meanwhile",
                    "write it again",
                    path=self.location.asked,
                )
            self.identity = found
        return self.snapshot

    def let_go(self) -> None:
        """Let go of the file's content; it can be opened again."""
        if self.snapshot is not None:
            self.snapshot.let_go()
            self.snapshot = None

    def take(self, item: WriteItem) -> str:
        """Apply one item; says what was done."""
        if item.mode == "create":
            if self.snapshot is not None or self.whole is not None:
                raise FilewrightError(
                    Code.ALREADY_EXISTS,
                    f"{item.path} exists already",
                    'use mode="overwrite" or mode="append", or edit_content to change a part of it',
                    path=item.path,
                )
            self.whole = _encoded(item, _CREATED, b"\n")
            return "created"
        if item.mode == "append":
            if self.whole is not None:
                self.whole += _encoded(item, self._encoding(), _dominant(self.whole), appended=True)
            elif self.snapshot is not None:
                self.tail += _encoded(item, self._encoding(), self._terminator(), appended=True)
            else:
                self.whole = _encoded(item, _CREATED, b"\n")
                return "created"
            return "appended"
        existed = self.snapshot is not None or self.whole is not None
        encoding = self._encoding()
        self.whole = _encoded(item, encoding, self._terminator() if existed else b"\n")
        self.tail = b""
        return "overwritten" if existed else "created"

    def _encoding(self) -> Encoding:
        if self.snapshot is None or self.snapshot.binary is not None:
            return _CREATED
        if self.snapshot.encoding.invalid:
            return Encoding("utf-8", bom=self.snapshot.encoding.bom)  # new bytes are valid; the mark stays
        return self.snapshot.encoding

    def _terminator(self) -> bytes:
        if self.whole is not None:
            return _dominant(self.whole)
        if self.snapshot is None or self.snapshot.binary is not None:
            return b"\n"
        return self.snapshot.dominant

    def splices(self) -> tuple[Splice, ...]:
        """What turns the file that is there into what it is to be."""
        assert self.snapshot is not None
        if self.whole is None:
            return (Splice(self.snapshot.size, 0, self.tail),) if self.tail else ()
        return splices_between(self.snapshot, self.whole)

    def decided(self, index: int, result: ItemResult) -> Decided[Item]:
        """What is to become of the file; `result` is that of the last item that names it."""
        location, before, name = self.location, self.open(), self.location.shown
        if before is None:
            content = self.whole or b""
            empty = Snapshot.of_bytes(
                b"", encoding="utf-8", location=location, settings=self.context.settings
            )
            added = (Splice(0, 0, content),) if content else ()
            return Decided((index, result), location, [Create(location, content)], empty, added, None, name)
        splices = self.splices()
        if not splices:
            return Decided((index, replace(result, operation="unchanged")), location, (), before)
        follow = self.whole is None and not self.versioned
        step = Modify(location, Expected.of(before), splices, follow=follow)
        return Decided((index, result), location, [step], before, splices, name, name)


def _dominant(content: bytes) -> bytes:
    return Snapshot.of_bytes(content).dominant


def _encoded(item: WriteItem, encoding: Encoding, terminator: bytes, *, appended: bool = False) -> bytes:
    """The bytes of the content: terminators as asked, the file's own mark kept and never doubled."""
    text = item.content
    if text.startswith("\ufeff") and (encoding.bom or appended):
        text = text[1:]
    mark = b"" if appended else encoding.bom
    codec.check_text(text, "content")
    if item.newline == "keep":
        kept = [codec.encoded(part, encoding, b"\n") for part in text.split("\r")]
        return mark + "\r".encode(encoding.name).join(kept)
    return mark + codec.encoded(
        text, encoding, b"\n" if item.newline == "lf" else terminator, argument="content"
    )


def run(context: Context, arguments: WriteArguments) -> BatchResult:
    """Write every item; one transaction if `atomic`."""
    total = sum(len(item.content) for item in arguments.items)
    limit = context.settings.max_input_bytes
    if total > limit:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{total:,} characters to write in one call; the limit is {limit:,}",
            "write in several calls, with mode=append",
            size=total,
            limit=limit,
        )

    def plan(items: Sequence[WriteItem]) -> Iterator[Decided[Item]]:
        targets: dict[Location, _Target] = {}
        results: list[ItemResult] = []
        held = 0
        for index, item in enumerate(items):
            with item_named(index, len(items)):
                location = _located(context, item)
                target = targets.setdefault(location, _Target(context, location))
                snapshot = target.open()
                _check(context, target, item)
                target.last = index
                results.append(ItemResult(item.path, target.take(item)))
                held += len(snapshot.held or b"") if snapshot is not None else 0
                if held > context.settings.hold_bytes or (snapshot is not None and snapshot.held is None):
                    target.let_go()
        for index, item in enumerate(items):
            target = targets[context.boundary.locate(item.path)]
            if target.last == index:
                yield target.decided(index, results[index])
            else:
                yield Decided((index, results[index]), target.location, ())

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


def _check(context: Context, target: _Target, item: WriteItem) -> None:
    if item.expected_version is None:
        return
    if target.snapshot is None:
        raise FilewrightError(
            Code.STALE_VERSION,
            f"{item.path} does not exist, but version {item.expected_version} was expected",
            "list the folder; leave expected_version out to create it",
            path=item.path,
        )
    context.check_version(target.snapshot, item.expected_version)
    target.versioned = True


def _existing(context: Context, location: Location) -> Snapshot | None:
    try:
        snapshot = context.open(location)
    except FilewrightError as error:
        if error.code == Code.NOT_FOUND:
            return None
        raise
    if snapshot.held is not None:
        snapshot.close()  # What it holds stays readable, and thousands of files need no descriptor each.
    return snapshot


TOOL = Tool(
    name="write_content",
    title="Write whole files",
    description=(
        "Create, overwrite or append to whole files; parents are made. Overwriting keeps encoding, "
        "line ending and mode. To change a part use edit_content."
    ),
    arguments=WriteArguments,
    run=run,
    toolset="edit",
    writes=True,
    destructive=True,
    idempotent=False,
)
