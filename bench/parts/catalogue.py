"""All parts of the bench."""

from __future__ import annotations

from collections.abc import Sequence

from bench.parts import bytes as bytes_part
from bench.parts import calls, crash, damaged, patches, race, size
from bench.parts.part import Options, Part

PARTS = (
    bytes_part.PART,
    calls.PART,
    damaged.PART,
    patches.PART,
    crash.PART,
    race.PART,
)

NAMES = (*(part.name for part in PARTS), "size")
"""The names of the parts, in the order of the tables."""


def find_parts(names: Sequence[str], options: Options) -> list[Part]:
    """Return the parts of some names: one for each size of `size`."""
    parts = [part for part in PARTS if part.name in names]
    if "size" in names:
        megabytes = (1,) if options.is_quick else options.megabytes
        parts += [size.part(number) for number in megabytes]
    return parts
