"""Which changes are meant: one, those of a session, or all since a moment; and how a caller names them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice

from filewright.annotations import TYPE_CHECKING, Any, NamedTuple
from filewright.changes.record import time_of
from filewright.errors import Code, FilewrightError

if TYPE_CHECKING:
    from filewright.boundary import Location
    from filewright.changes.record import ChangeRecord

_AGO = r"(\d{1,9}) ?(s|seconds?|m|min|minutes?|h|hours?|d|days?|w|weeks?)( ago)?"
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_CLOCK = r"\d{1,2}:\d{2}(:\d{2})?"
PAUSE = 600
"""Seconds between two changes of a session that may be of one prompt, where its client does not tell the turns."""
_EPOCH = datetime.fromtimestamp(0, UTC).astimezone()


class Scope(NamedTuple):
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


class Selected(NamedTuple):
    """What a `Scope` has turned out to be: `ids`, newest first, and the `record` of what these changes did together.

    `what` names it in a message, `summary` in the history if it is undone; `named` are those names for
    programs. `partial`: only some of what the changes did.
    """

    record: ChangeRecord
    ids: tuple[str, ...]
    what: str
    summary: str
    named: Mapping[str, Any]
    partial: bool = False
    hunk: int | None = None


class Session(NamedTuple):
    """How many changes a session made, the numbers of the first and of the last, and the client of that."""

    name: str | None
    changes: int
    first: int
    last: int
    client: str | None

    def joined(self, other: Session) -> Session:
        """Both as one."""
        newer = max(self, other, key=lambda each: each.last)
        return newer._replace(changes=self.changes + other.changes, first=min(self.first, other.first))

    @property
    def begun(self) -> datetime:
        """When it made its first change."""
        return time_of(self.first)

    @property
    def ended(self) -> datetime:
        """When it made its last."""
        return time_of(self.last)


def undoing(heads: Iterable[ChangeRecord]) -> Iterator[ChangeRecord]:
    """The undos among changes, newest first as these are, that are not undone themselves."""
    undone: set[str] = set()
    for head in heads:
        if head.reverts and not head.partial and head.id not in undone:
            undone.update(head.reverts)
            yield head


def undone_by(heads: Iterable[ChangeRecord]) -> dict[str, str]:
    """Which change is undone, and by which one; `heads` newest first."""
    return {name: undo.id for undo in undoing(heads) for name in undo.reverts}


def effective(undos: Iterable[ChangeRecord], chosen: Collection[str]) -> set[str]:
    """Those of the `chosen` that none of the `undos` has undone, and that have not undone one another.

    The undos are newest first, and none of them is undone itself.
    """
    left = set(chosen)
    for undo in undos:
        if undo.id not in chosen:
            left.difference_update(undo.reverts)
        elif left.issuperset(undo.reverts):
            left.difference_update(undo.reverts, (undo.id,))
    return left


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
    if (ago := re.fullmatch(_AGO, text)) is not None:
        seconds = int(ago[1]) * _SECONDS[ago[2][0]]
        moment = now - timedelta(seconds=min(seconds, (now - _EPOCH).total_seconds()))
    else:
        if re.fullmatch(_CLOCK, text):
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


def named_by(given: str, names: Iterable[str], what: str) -> str | None:
    """The one of the `names` that begins with what a caller gives. Raises `invalid_input` if several do."""
    found = list(islice((name for name in names if name.startswith(given)), 5))
    if len(found) > 1:
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"{given} begins the name of more than one {what}: {', '.join(found)}",
            hint="give more of it",
            details={"given": given},
        )
    return found[0] if found else None
