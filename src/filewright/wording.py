"""How an answer words what recurs: counts, lists that are cut, and what may have been meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def counted(number: int, noun: str) -> str:
    """``1 line``, ``2 lines``, ``3 matches``."""
    plural = noun + ("es" if noun.endswith(("ch", "s", "x")) else "s")
    plural = noun[:-1] + "ies" if noun.endswith("y") else plural
    return f"{number:,} {noun if number == 1 else plural}"


def sized(size: int) -> str:
    """``1 byte``, ``2.5 KB``, ``1.0 GB``."""
    for unit, length in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if size >= length:
            return f"{size / length:.1f} {unit}"
    return counted(size, "byte")


def listed(items: Sequence[object], most: int, joined: str = ", ", *, noun: str = "") -> str:
    """``a, b and 3 more``: the first `most` of some items, and how many more (of what `noun` names) there are."""
    shown = joined.join(map(str, items[:most]))
    left = len(items) - most
    return f"{shown} and {counted(left, f'more {noun}') if noun else f'{left:,} more'}" if left > 0 else shown


def alike(wanted: str, names: Iterable[str], most: int = 1) -> list[str]:
    """The `most` names that are spelled most like the one wanted, if they are at all; the case hardly counts."""
    from difflib import get_close_matches

    lowered = {name.lower(): name for name in names}
    return [lowered[name] for name in get_close_matches(wanted.lower(), lowered, most)]


def did_you_mean(wanted: str, names: Iterable[str], otherwise: str) -> str:
    """The name that may have been meant, as a question; `otherwise` where there is none."""
    near = alike(wanted, names)
    return f"did you mean {near[0]}?" if near else otherwise
