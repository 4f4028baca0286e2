"""`write_content`: create, overwrite or append whole files, one or many."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated, Literal

import xxhash
from pydantic import Field

from filewright.boundary import Location
from filewright.edit import diff
from filewright.edit.changeset import Create, Expected, Modify, Step
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import Encoding, Snapshot, Splice, codec, content_version, splice
from filewright.tools import syntax
from filewright.tools.batch import Manner, Outcome, Planned, answer, item_named, run_batch
from filewright.tools.context import Context
from filewright.tools.registry import Arguments, Tool, ToolResult

_CREATED = Encoding("utf-8")


class WriteItem(Arguments):
    """One file to write."""

    path: str
    content: str
    mode: Literal["create", "overwrite", "append"] = "create"
    newline: Annotated[
        Literal["lf", "keep"] | None, Field(description="default: \\n in a new file, else the file's own")
    ] = None
    expected_version: str | None = None


class WriteArguments(Arguments):
    """The files to write."""

    items: Annotated[list[WriteItem], Field(min_length=1)]
    atomic: bool = True
    break_hard_links: bool | None = None
    undoable: bool = True


@dataclass
class _Target:
    """One file as the items so far leave it: `whole` new content, or the old with `tail` appended."""

    location: Location
    snapshot: Snapshot | None
    whole: bytes | None = None
    tail: bytes = b""
    versioned: bool = False
    last: Outcome | None = None

    def take(self, item: WriteItem) -> str:
        """Apply one item; says what was done."""
        if item.mode == "create":
            if self.snapshot is not None or self.whole is not None:
                raise FilewrightError(
                    Code.ALREADY_EXISTS,
                    f"{item.path} exists already",
                    hint='use mode="overwrite" or mode="append", or edit_content to change a part of it',
                    details={"path": item.path},
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
        return diff.splices_between(self.snapshot, self.whole)

    def step(self) -> Step | None:
        """The step of the change set, or None if nothing changes."""
        if self.snapshot is None:
            return Create(self.location, self.whole or b"")
        splices = self.splices()
        if not splices:
            return None
        follow = self.whole is None and not self.versioned
        return Modify(self.location, Expected.of(self.snapshot), splices, follow=follow)


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


def run(context: Context, arguments: WriteArguments, task: Task) -> ToolResult:
    """Write every item; one transaction if `atomic`."""
    total = sum(len(item.content) for item in arguments.items)
    limit = context.settings.max_input_bytes
    if total > limit:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{total:,} characters to write in one call; the limit is {limit:,}",
            hint="write in several calls, with mode=append",
            details={"size": total, "limit": limit},
        )

    def plan(items: Sequence[WriteItem], stack: ExitStack) -> Planned:
        targets: dict[Location, _Target] = {}
        outcomes: list[Outcome] = []
        for index, item in enumerate(items):
            with item_named(index, len(items)):
                location = context.boundary.locate(item.path)
                if item.path.endswith("/"):
                    raise FilewrightError(
                        Code.INVALID_INPUT,
                        f"{item.path} ends in /, which asks for a folder",
                        hint="leave the / out to write a file; create_directories makes folders",
                        details={"path": item.path},
                    )
                context.boundary.guard_write(location)
                target = targets.get(location)
                if target is None:
                    snapshot = _existing(context, location)
                    if snapshot is not None:
                        stack.enter_context(snapshot)
                    target = targets[location] = _Target(location, snapshot)
                _check(context, target, item)
                outcomes.append(Outcome(item.path, target.take(item), location))
                target.last = outcomes[-1]
        steps = [step for target in targets.values() if (step := _settle(context, target, task)) is not None]
        return Planned(steps, outcomes)

    manner = Manner("write_content", arguments.atomic, arguments.break_hard_links, arguments.undoable)
    outcomes, records = run_batch(context, manner, arguments.items, plan, task)
    return answer(context, outcomes, records, "file")


def _check(context: Context, target: _Target, item: WriteItem) -> None:
    if item.expected_version is None:
        return
    if target.snapshot is None:
        raise FilewrightError(
            Code.STALE_VERSION,
            f"{item.path} does not exist, but version {item.expected_version} was expected",
            hint="list the folder; leave expected_version out to create it",
            details={"path": item.path},
        )
    context.check_version(target.snapshot, item.expected_version)
    target.versioned = True


def _settle(context: Context, target: _Target, task: Task) -> Step | None:
    """The step for one file, its diff and new version noted with the last item that names it."""
    step = target.step()
    outcome = target.last
    assert outcome is not None
    if isinstance(step, Modify):
        assert target.snapshot is not None
        name = target.location.shown
        shown = diff.unified(name, name, target.snapshot, step.splices, max_lines=context.settings.diff_lines)
        outcome.diff = shown.text
        _warn(context, outcome, target.snapshot, step.splices, task)
        if target.snapshot.status is not None and target.snapshot.status.st_nlink > 1:
            outcome.facts["hard_links"] = target.snapshot.status.st_nlink
        if target.snapshot.held is not None:
            outcome.facts["version"] = version_of(splice.apply(target.snapshot.held, step.splices))
    elif isinstance(step, Create):
        outcome.facts["version"] = version_of(step.content)
        nothing = Snapshot.of_bytes(
            b"", encoding="utf-8", location=target.location, settings=context.settings
        )
        _warn(context, outcome, nothing, (Splice(0, 0, step.content),), task)
    else:
        assert target.snapshot is not None
        outcome.operation = "unchanged"
        outcome.facts["version"] = target.snapshot.version
    return step


def _warn(
    context: Context, outcome: Outcome, before: Snapshot, splices: Sequence[Splice], task: Task
) -> None:
    """Note with the outcome that what is written does not parse."""
    warning = syntax.compared(context, before, splices, task)
    if warning:
        outcome.facts["syntax_warning"] = warning
        outcome.note = "; ".join(filter(None, (outcome.note, f"warning: {warning}")))


def version_of(content: bytes) -> str:
    """The version token of a content."""
    return content_version(xxhash.xxh3_128_digest(content))


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
        "Create, overwrite or append to whole files; parents are made. Overwriting keeps encoding, byte-order mark, "
        "line ending and mode, and shows a diff. To change a part use edit_content."
    ),
    arguments=WriteArguments,
    run=run,
    toolset="edit",
    writes=True,
    destructive=True,
    idempotent=False,
)
