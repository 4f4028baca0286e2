"""Which changes are meant: one, those of a session, or all since a moment; and how a caller names them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from filewright.changes.record import time_of
from filewright.errors import Code, FilewrightError

if TYPE_CHECKING:
    from filewright.boundary import Location
    from filewright.changes.contents import Contents
    from filewright.changes.record import ChangeRecord

_AGO = re.compile(r"(\d{1,9}) ?(s|seconds?|m|min|minutes?|h|hours?|d|days?|w|weeks?)( ago)?")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_CLOCK = re.compile(r"\d{1,2}:\d{2}(:\d{2})?")
PAUSE = 600
"""Seconds between two changes of a session that may be of one prompt, where its client does not tell the turns."""
_EPOCH = datetime.fromtimestamp(0, UTC).astimezone()


@dataclass(frozen=True, slots=True)
class Scope:
    """What is meant: a change, a session, a prompt, or all that was changed since a moment (one of the four).

    `prompt` is a change, with which all that came of the same prompt is meant (see `prompts`).
    `since` is a time, as `moment_of` reads it, or a change, which itself is not meant. `path` takes of
    that what was done at a place or below it; `hunk`, counted from 1, one hunk of one file.
    """

    change_id: str | None = None
    session: str | None = None
    since: str | None = None
    path: Location | None = None
    hunk: int | None = None
    prompt: str | None = None


@dataclass(frozen=True, slots=True)
class Selected:
    """What a `Scope` has turned out to be: `ids`, newest first, and what these changes did together.

    `what` names it in a message, `summary` in the history if it is undone; `named` are those names for
    programs. `partial`: only some of what the changes did.
    """

    contents: Contents
    ids: tuple[str, ...]
    what: str
    summary: str
    named: Mapping[str, Any]
    partial: bool = False
    hunk: int | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """How many changes a session made, the numbers of the first and of the last, and the client of that."""

    name: str | None
    changes: int
    first: int
    last: int
    client: str | None

    @property
    def begun(self) -> datetime:
        """When it made its first change."""
        return time_of(self.first)

    @property
    def ended(self) -> datetime:
        """When it made its last."""
        return time_of(self.last)


def effective(records: Iterable[ChangeRecord], chosen: Collection[str]) -> set[str]:
    """Those of the `chosen` that are neither undone nor have undone one another; `records` newest first.

    All records must be there from the oldest chosen on.
    """
    left = set(chosen)
    for undo in undoing(records):
        if undo.id not in chosen:
            left.difference_update(undo.reverts)
        elif left.issuperset(undo.reverts):
            left.difference_update(undo.reverts, (undo.id,))
    return left


def cancelling(records: Iterable[ChangeRecord], among: Collection[str]) -> set[str]:
    """The changes `among` these that have undone others of them, and those."""
    found: set[str] = set()
    for undo in undoing(records):
        if undo.id in among and all(one in among for one in undo.reverts):
            found.update(undo.reverts, (undo.id,))
    return found


def undoing(records: Iterable[ChangeRecord]) -> Iterator[ChangeRecord]:
    """The undos that are not undone themselves, newest first."""
    undone: set[str] = set()
    for record in records:
        if record.reverts and not record.partial and record.id not in undone:
            undone.update(record.reverts)
            yield record


def prompts(records: Iterable[ChangeRecord]) -> list[list[ChangeRecord]]:
    """The changes by the prompts they came of, each newest first as `records` are.

    Those of a session belong together as long as they are of one turn; where turns are not known, as long as there
    is no pause.
    """
    found: list[list[ChangeRecord]] = []
    last: dict[str | None, list[ChangeRecord]] = {}
    for record in records:
        later = last.get(record.session)
        if later is None or not _of_one_prompt(record, later[-1]):
            last[record.session] = later = []
            found.append(later)
        later.append(record)
    return found


def _of_one_prompt(record: ChangeRecord, later: ChangeRecord) -> bool:
    pause = later.number - record.number
    return record.turn == later.turn and (record.turn is not None or pause <= PAUSE * 10**9)


def moment_of(text: str, now: datetime | None = None) -> int | None:
    """A time in nanoseconds since the epoch; None if the text is none.

    It may be ISO 8601 (without a zone: local time), a time of today (``14:30``), or how long ago
    (``10 min``, ``2h ago``).
    """
    text = text.strip()
    now = (now or datetime.now()).astimezone()
    if (ago := _AGO.fullmatch(text)) is not None:
        seconds = int(ago[1]) * _SECONDS[ago[2][0]]
        moment = now - min(timedelta(seconds=seconds), now - _EPOCH)
    else:
        if _CLOCK.fullmatch(text):
            text = f"{now:%Y-%m-%d}T{text.zfill(8 if text.count(':') == 2 else 5)}"
        if not re.match(r"\d{4}-\d", text):
            return None
        try:
            moment = datetime.fromisoformat(text).astimezone()
        except (ValueError, OverflowError, OSError):
            return None
    # The time of a change is shown without its nanoseconds, and names that change itself, not what is before.
    within = moment.microsecond * 1000 + 999 if moment.microsecond else 0
    return int(moment.replace(microsecond=0).timestamp()) * 10**9 + within


def local_time(time_ns: int) -> str:
    """A time for people, in their zone, to the second."""
    return f"{datetime.fromtimestamp(time_ns // 10**9).astimezone():%Y-%m-%d %H:%M:%S}"


def not_unique(what: str, text: str, found: Iterable[str]) -> FilewrightError:
    """The beginning of a name that several have."""
    names = ", ".join(found)
    return FilewrightError(
        Code.INVALID_INPUT,
        f"{text} begins the name of more than one {what}: {names}",
        hint="give more of it",
        details={"given": text},
    )
