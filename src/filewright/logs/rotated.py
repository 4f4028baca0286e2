"""Rotated logs: the files into which one log was divided, in the order of time."""

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
"""Files of one log: each is opened for its first time."""

_WILDCARDS = re.compile(rb"[*?\[]")
_DATE = rb"\d{4}[-_.]?\d\d[-_.]?\d\d(?:[-_.T]?\d+)*"
_DATED = re.compile(
    rb"(?P<before>.*?)[-_.](?P<date>" + _DATE + rb")(?P<after>.*)"
)
_NUMBERED = re.compile(
    rb"(?P<before>.+?)\.(?P<number>\d{1,5})(?P<after>\.[A-Za-z]\w*)?"
)
_NEWEST = b"\xff"
"""The key of a file without a date, such as ``app.log``: it is behind all dates."""

_DAY_DIGITS = 8
"""Digits of a year, a month and a day."""

_NUMBER_DIGITS = 20
"""Digits of a padded number: in this width, the order of texts is that of numbers."""


@dataclass(frozen=True, slots=True)
class RotatedName:
    """The parts of a member's name: the log that it belongs to, and its place in it.

    `date` is "" without a date, `number` 0 without a number. A larger number is older.
    """

    base: bytes
    date: bytes = b""
    number: int = 0

    @property
    def age_key(self) -> tuple[bytes, int]:
        """Return the key by which members are in the order of time."""
        return self.date or _NEWEST, -self.number


def parse_name(name: bytes) -> RotatedName:
    """Return the parts of a name such as ``app.log.2.gz`` or ``app-2026-11-01.log``."""
    plain = strip_suffix(name)
    dated = _DATED.fullmatch(plain)
    if dated is not None:
        rest = dated["before"] + dated["after"]
        date = _sortable_date(dated["date"])
        # A number besides the date counts the files of one day, or the rotations.
        number = 0
        numbered = re.fullmatch(rb"(.*?)[-.](\d{1,5})", rest)
        if numbered is not None:
            rest, number = numbered[1], int(numbered[2])
        return RotatedName(rest, date, number)
    numbered_name = _NUMBERED.fullmatch(plain)
    if numbered_name is not None:
        base = numbered_name["before"] + (numbered_name["after"] or b"")
        return RotatedName(base, number=int(numbered_name["number"]))
    return RotatedName(plain)


def _sortable_date(date: bytes) -> bytes:
    """Return a date as digits in the order of time.

    The numbers behind its day, such as the 2 and 10 of ``2026-11-01.2`` and
    ``2026-11-01.10``, get equal widths.
    """
    separated = re.sub(rb"\D+", b" ", date)
    day, rest = b"", separated
    while len(day) < _DAY_DIGITS:
        day, rest = day + rest[:1].strip(), rest[1:]
    numbers = [number.zfill(_NUMBER_DIGITS) for number in rest.split()]
    return day + b"".join(numbers)


def order_members(names: Iterable[bytes]) -> list[bytes]:
    """Return the names of members, the oldest first."""
    return sorted(names, key=_order_key)


def _order_key(name: bytes) -> tuple[tuple[bytes, int], int, list[int], bytes]:
    """Return the sort key of a name: ``app.log.old`` is older than ``app.log``.

    Of names with numbers that are no sign of rotation, such as ``app-2.log``, the larger
    number is newer.
    """
    letters = re.sub(rb"\d+", b"", name)
    numbers = [int(number) for number in re.findall(rb"\d{1,18}", name)]
    return parse_name(name).age_key, -len(letters), numbers, name


def has_wildcards(location: Location) -> bool:
    """Return True if the last name of a path is a pattern of names."""
    return bool(location.parts) and bool(_WILDCARDS.search(location.name))


def find_members(
    boundary: Boundary, location: Location, task: Task
) -> Sequence[Location]:
    """Return the files of a rotated log, the oldest first. Raise `too_large`.

    The location is that of one of them, or its last name is a pattern. Links such as
    `current` are left out: what they lead to is a member itself, or another log.
    """
    name = location.name
    base = parse_name(name).base
    is_pattern = has_wildcards(location)
    # Git ignores most logs.
    options = WalkOptions(depth=1, include_ignored=True, kinds=["file"])
    names: list[bytes] = []
    for entry in boundary.walk(location.parent, options, task=task):
        if is_pattern:
            # A name need not be valid text: in Latin-1 each byte is a character.
            is_member = fnmatchcase(
                entry.name.decode("latin-1"), name.decode("latin-1")
            )
        else:
            is_member = parse_name(entry.name).base == base
        if is_member:
            names.append(entry.name)
    if len(names) > MAX_MEMBERS:
        raise too_many(
            len(names),
            MAX_MEMBERS,
            "files of a rotated log",
            "give a pattern of fewer names, such as app-2026-11*",
        )
    parent = location.parent
    return [parent.child(member) for member in order_members(names)]
