"""The map from the indentation of a request to that of the file: one shift, or one change of unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import gcd

_UNITS = (4, 2, 8, 3, 1, 6)


@dataclass(frozen=True, slots=True)
class _Scale:
    """A step of `size` columns (a tab is one step) becomes `unit`, `steps` more of them."""

    size: int
    unit: str
    steps: int

    def counted(self, indent: str) -> tuple[int, int]:
        """The steps that a request's indent becomes, and the columns beside them."""
        steps, rest = divmod(
            sum(self.size if char == "\t" else 1 for char in indent), self.size
        )
        return steps + self.steps, rest

    def of_known(self, indent: str) -> str:
        """What an indent becomes; none where it is too small to lose what is taken away."""
        steps, rest = self.counted(indent)
        return self.unit * steps + " " * rest

    def of_new(self, indent: str) -> str | None:
        """What an indent that no matched line has becomes: none of the forms where it shows another unit."""
        return (
            None
            if self.unit[:1] == " " and self.counted(indent)[1]
            else self.of_known(indent)
        )


@dataclass(frozen=True)
class Indentation:
    """The map from the indents of a request to those of the file."""

    known: dict[str, str]

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> Indentation | None:
        """The map that takes each request's indent to the file's; None if there is no such map."""
        known: dict[str, str] = {}
        for asked, found in pairs:
            if known.setdefault(asked, found) != found:
                return None
        made = cls(known)
        return made if made._shift or made._scales else None

    @cached_property
    def _shift(self) -> Callable[[str], str | None] | None:
        """The one text that is put before all indents, or taken away."""
        asked, found = next(iter(self.known.items()), ("", ""))
        added = found[: len(found) - len(asked)] if found.endswith(asked) else ""
        removed = asked[: len(asked) - len(found)] if asked.endswith(found) else ""
        # Nothing may be clipped where a line of the file says what becomes of it.
        if not all(
            one.startswith(removed) and added + one[len(removed) :] == other
            for one, other in self.known.items()
        ):
            return None

        def shifted(indent: str) -> str | None:
            if indent.startswith(removed):
                return added + indent[len(removed) :]
            return "" if removed.startswith(indent) else None

        return shifted

    @cached_property
    def _scales(self) -> tuple[_Scale, ...]:
        # Thirty units are tried, and most edits move nothing that the matched lines do not tell.
        found = () if self.same else tuple(_scales(self.known))
        return tuple(sorted(found, key=lambda scale: scale.steps != 0))

    @property
    def same(self) -> bool:
        """Whether every indent stays as it is."""
        return all(asked == found for asked, found in self.known.items())

    def extended(
        self, indents: Iterable[str], own: str = ""
    ) -> dict[str, tuple[str, ...]]:
        """What each of the request's `indents` may become in a file that indents by `own`.

        Each has one form where all readings agree; more, or none, where the lines that were matched do
        not tell, and nobody can say what is meant.
        """
        wanted = sorted(set(indents), key=len)
        # The rules that agree with the unit of the file and with the one all indents of the request show.
        unit = gcd(
            *(len(indent) for indent in (*wanted, *self.known) if "\t" not in indent)
        )
        fitting = [
            scale
            for scale in self._scales
            if scale.size == unit and own in ("", scale.unit)
        ]
        # One pair of indents does not tell a shift from another unit.
        chosen = fitting or ([] if self._shift else self._scales)
        plain = [scale for scale in chosen if not scale.steps] or chosen
        rules = [
            *([self._shift] if self._shift else []),
            *(scale.of_new for scale in plain),
        ]
        forms = {
            indent: dict.fromkeys(rule(indent) for rule in rules) for indent in wanted
        }
        return {
            indent: (self.known[indent],)
            if indent in self.known
            else tuple(form for form in forms[indent] if form is not None)
            for indent in wanted
        }


def _scales(known: dict[str, str]) -> Iterator[_Scale]:
    """The changes of unit that explain all pairs."""
    tabs, asked_tabs = (
        any("\t" in indent for indent in side) for side in (known.values(), known)
    )
    (first, found), *others = known.items()
    for size in _UNITS:
        for width in (0,) if tabs else (size,) if asked_tabs else _UNITS:
            unit = " " * width or "\t"
            steps, rest = _Scale(size, unit, 0).counted(first)
            scale = _Scale(size, unit, (len(found) - rest) // len(unit) - steps)
            bare = not tabs and not asked_tabs
            if bare and (
                (not others and scale.steps)
                or size == width
                or not _is_shown(scale, known)
            ):
                continue
            if all(
                scale.of_known(one) == other and scale.counted(one)[0] >= 0
                for one, other in known.items()
            ):
                yield scale


def _is_shown(scale: _Scale, known: dict[str, str]) -> bool:
    """Whether the indents show a change of unit from spaces to spaces: a slip in one of them shows none.

    A unit and a shift together explain any two pairs of indents, unless the request begins at the margin; and
    so do columns beside the steps. Odd units are what a slip makes of even ones; so is one depth of two.
    """
    rests = {asked: scale.counted(asked)[1] for asked in known}
    whole = sum(bool(asked) and not rest for asked, rest in rests.items())
    least = 1 + scale.size % 2 + any(rests.values())
    told = whole >= least and len({*known.values()}) == len(known)
    return told and (not scale.steps or len(known) > 2 or "" in known)
