"""Rotated logs: the files of one log, in the order of time, by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.walk_model import WalkOptions
from filewright.errors import too_many
from filewright.progress import Task
from filewright.text.compressed import strip_suffix

MAX_MEMBERS = 10_000
"""The most files of one log: each is opened to read its first time."""

_WILDCARDS = re.compile(rb"[*?\[]")
_DATE_PATTERN = rb"\d{4}[-_.]?\d\d[-_.]?\d\d(?:[-_.T]?\d+)*"
_DATED_NAME = re.compile(
    rb"(?P<before>.*?)[-_.](?P<date>" + _DATE_PATTERN + rb")(?P<after>.*)"
)
_NUMBERED_NAME = re.compile(
    rb"(?P<before>.+?)\.(?P<number>\d{1,5})(?P<after>\.[A-Za-z]\w*)?"
)
_UNDATED_KEY = b"\xff"
"""The date key of a name without a date, such as ``app.log``: it sorts after all dates."""

_DATE_DIGITS = 8
"""Digits of a year, a month and a day."""

_PADDED_DIGITS = 20
"""The width to which numbers are padded, so that they sort as texts."""


@dataclass(frozen=True, slots=True)
class RotatedName:
    """The parts of the name of a log's file: the log (`base`), and the place in it.

    `date` is empty without a date, `number` 0 without a number. A larger number is older.
    """

    base: bytes
    date: bytes = b""
    number: int = 0

    @property
    def age_key(self) -> tuple[bytes, int]:
        """Return the key that sorts the files of one log by time."""
        return self.date or _UNDATED_KEY, -self.number


def parse_name(name: bytes) -> RotatedName:
    """Return the parts of a name such as ``app.log.2.gz`` or ``app-2026-11-01.log``."""
    plain = strip_suffix(name)
    dated = _DATED_NAME.fullmatch(plain)
    if dated is not None:
        base = dated["before"] + dated["after"]
        date = _normalize_date(dated["date"])
        # A number as well as a date counts the files of one day, or the rotations.
        number = 0
        numbered = re.fullmatch(rb"(.*?)[-.](\d{1,5})", base)
        if numbered is not None:
            base, number = numbered[1], int(numbered[2])
        return RotatedName(base, date, number)
    numbered_name = _NUMBERED_NAME.fullmatch(plain)
    if numbered_name is not None:
        base = numbered_name["before"] + (numbered_name["after"] or b"")
        return RotatedName(base, number=int(numbered_name["number"]))
    return RotatedName(plain)


def _normalize_date(date: bytes) -> bytes:
    """Return a date as digits that sort by time.

    The numbers behind its day, such as the 2 and 10 of ``2026-11-01.2`` and
    ``2026-11-01.10``, get equal widths.
    """
    separated = re.sub(rb"\D+", b" ", date)
    day, tail = b"", separated
    while len(day) < _DATE_DIGITS:
        day, tail = day + tail[:1].strip(), tail[1:]
    numbers = [number.zfill(_PADDED_DIGITS) for number in tail.split()]
    return day + b"".join(numbers)


def order_members(names: Iterable[bytes]) -> list[bytes]:
    """Return the names of a log's files, the oldest first."""
    return sorted(names, key=_order_key)


def _order_key(name: bytes) -> tuple[tuple[bytes, int], int, list[int], bytes]:
    """Return the sort key of a name: ``app.log.old`` is older than ``app.log``.

    Numbers that are no sign of rotation, such as that of ``app-2.log``, grow with time.
    """
    letters = re.sub(rb"\d+", b"", name)
    numbers = [int(number) for number in re.findall(rb"\d{1,18}", name)]
    return parse_name(name).age_key, -len(letters), numbers, name


def has_wildcards(location: Location) -> bool:
    """Return True if the last name of a path has wildcards."""
    return bool(location.parts) and bool(_WILDCARDS.search(location.name))


def find_members(
    boundary: Boundary, location: Location, task: Task
) -> Sequence[Location]:
    """Return the files of a rotated log, the oldest first. Raise `too_large`.

    The location is one of them, or its last name has wildcards. Links such as `current`
    are left out: the target is a member itself, or belongs to another log.
    """
    requested_name = location.name
    base = parse_name(requested_name).base
    is_pattern = has_wildcards(location)
    # Most projects have their logs in `.gitignore`.
    options = WalkOptions(depth=1, include_ignored=True, kinds=["file"])
    member_names: list[bytes] = []
    for entry in boundary.walk(location.parent, options, task=task):
        if is_pattern:
            # A name need not be valid text: in Latin-1 each byte is a character.
            is_member = fnmatchcase(
                entry.name.decode("latin-1"), requested_name.decode("latin-1")
            )
        else:
            is_member = parse_name(entry.name).base == base
        if is_member:
            member_names.append(entry.name)
    if len(member_names) > MAX_MEMBERS:
        raise too_many(
            len(member_names),
            MAX_MEMBERS,
            "files of a rotated log",
            "give a pattern of fewer names, such as app-2026-11*",
        )
    parent = location.parent
    return [parent.child(member) for member in order_members(member_names)]
