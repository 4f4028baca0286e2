"""How the indentation of a request maps to the file's: one shift, or one change of unit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import gcd

_UNITS = (4, 2, 8, 3, 1, 6)


@dataclass(frozen=True, slots=True)
class _Rule:
    """A step of `source_unit` columns (a tab is one step) becomes `unit`, `steps` more of them.

    With `unit` empty the rule is a pure shift: `added` is put before, or `removed` taken away.
    """

    added: str = ""
    removed: str = ""
    source_unit: int = 0
    unit: str = ""
    steps: int = 0

    def apply(self, indent: str) -> str | None:
        if not self.unit:
            if self.removed:
                if indent.startswith(self.removed):
                    return indent[len(self.removed) :]
                return "" if self.removed.startswith(indent) else None
            return self.added + indent
        steps, rest = self._counted(indent)
        if steps + self.steps < 0:
            return ""
        return self.unit * (steps + self.steps) + " " * rest

    def made(self, indent: str) -> str | None:
        """What an indent that no matched line has becomes: none where it shows another unit."""
        return None if self.unit[:1] == " " and self.rest(indent) else self.apply(indent)

    def clips(self, indent: str) -> bool:
        """Whether an indent is too small to lose what the rule takes away."""
        return bool(self.unit) and self._counted(indent)[0] + self.steps < 0

    def rest(self, indent: str) -> int:
        """The columns of an indent that make no whole step."""
        return self._counted(indent)[1]

    def _counted(self, indent: str) -> tuple[int, int]:
        """The steps and the columns beside them of a request's indent."""
        columns = sum(self.source_unit if char == "\t" else 1 for char in indent)
        return divmod(columns, self.source_unit)


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
        return made if made._shifts or made._changes_of_unit else None

    @cached_property
    def _shifts(self) -> tuple[_Rule, ...]:
        return tuple(_shifts(self.known))

    @cached_property
    def _changes_of_unit(self) -> tuple[_Rule, ...]:
        # Thirty units are tried, and most edits move nothing that the matched lines do not tell.
        return tuple(_changes_of_unit(self.known))

    @property
    def same(self) -> bool:
        """Whether every indent stays as it is."""
        return all(asked == found for asked, found in self.known.items())

    def extended(self, indents: Iterable[str], own: str = "") -> dict[str, tuple[str, ...]]:
        """What each of the request's `indents` may become in a file that indents by `own`.

        Each has one form where all readings agree; more, or none, where the lines that were matched do
        not tell, and nobody can say what is meant.
        """
        wanted = sorted(set(indents), key=len)
        rules = [] if self.known.keys() >= set(wanted) else self._readings(wanted, own)
        result: dict[str, tuple[str, ...]] = {}
        for indent in wanted:
            if indent in self.known:
                result[indent] = (self.known[indent],)
                continue
            forms = [form for rule in rules if (form := rule.made(indent)) is not None]
            result[indent] = tuple(dict.fromkeys(forms))
        return result

    def _readings(self, wanted: list[str], own: str) -> list[_Rule]:
        """The rules that agree with the unit of the file and with the one all indents of the request show."""
        shifts = list(self._shifts)
        indents = (*wanted, *self.known)
        mixed = any("\t" in form for form in (*self.known.values(), *self.known)) and any(
            " " in indent for indent in indents
        )
        if shifts and not mixed and len(self.known) > 1:
            return shifts  # two indents that moved by the same columns: the unit is the same
        widths = [len(indent) for indent in indents if indent and "\t" not in indent]
        unit = gcd(*widths) if widths else 0
        if shifts and not mixed and own == " " * unit:
            return shifts
        units = self._changes_of_unit
        fitting = [rule for rule in units if rule.source_unit == unit and own in ("", rule.unit)]
        of_file = [rule for rule in fitting if rule.unit == own]
        if of_file:
            # One pair of indents does not tell a shift from another unit.
            return [
                *(shifts if not mixed else []),
                *([rule for rule in of_file if not rule.steps] or of_file),
            ]
        if not fitting and not shifts:
            fitting = list(units)
        return [*shifts, *([rule for rule in fitting if not rule.steps] or fitting)]


def _shifts(known: dict[str, str]) -> Iterable[_Rule]:
    if all(asked == found for asked, found in known.items()):
        yield _Rule()
        return
    asked, found = next(iter(known.items()))
    if found.endswith(asked):
        rule = _Rule(added=found[: len(found) - len(asked)])
    elif asked.endswith(found):
        rule = _Rule(removed=asked[: len(asked) - len(found)])
    else:
        return
    # Nothing may be clipped where a line of the file says what becomes of it.
    if all(asked.startswith(rule.removed) and rule.apply(asked) == found for asked, found in known.items()):
        yield rule


def _changes_of_unit(known: dict[str, str]) -> Iterable[_Rule]:
    """Rules that explain all pairs, those without a shift first."""
    if all(asked == found for asked, found in known.items()):
        return
    tabs = any("\t" in found for found in known.values())
    asked_tabs = any("\t" in asked for asked in known)
    units = [(size, "\t") for size in _UNITS] if tabs else []
    if not tabs:
        units = [
            (size, " " * other)
            for size in _UNITS
            for other in _UNITS
            if (size == other if asked_tabs else size != other)
        ]
    distinct = len(known) > 1
    later: list[_Rule] = []
    for size, unit in units:
        steps = _steps(next(iter(known.items())), size, unit)
        if steps is None or (not tabs and not asked_tabs and not distinct and steps):
            continue
        rule = _Rule(source_unit=size, unit=unit, steps=steps)
        if not tabs and not asked_tabs and not _is_shown(rule, known):
            continue
        if all(rule.apply(asked) == found and not rule.clips(asked) for asked, found in known.items()):
            if steps:
                later.append(rule)
            else:
                yield rule
    yield from later


def _is_shown(rule: _Rule, known: dict[str, str]) -> bool:
    """Whether the indents show a change of unit from spaces to spaces: a slip in one of them shows none.

    A unit and a shift together explain any two pairs of indents, unless the request begins at the margin; and
    so do columns beside the steps. Odd units are what a slip makes of even ones; so is one depth of two.
    """
    whole = sum(bool(asked) and not rule.rest(asked) for asked in known)
    least = 1 + rule.source_unit % 2 + any(map(rule.rest, known))
    told = whole >= least and len({*known.values()}) == len(known)
    return told and (not rule.steps or len(known) > 2 or "" in known)


def _steps(pair: tuple[str, str], size: int, unit: str) -> int | None:
    """How many units the file has more than the request, by one pair."""
    asked, found = pair
    columns = sum(size if char == "\t" else 1 for char in asked)
    plain = _Rule(source_unit=size, unit=unit).apply(asked) or ""
    rest = columns % size
    body = found[: len(found) - rest] if rest and found.endswith(" " * rest) else found
    if body.count(unit) * len(unit) != len(body):
        return None
    return body.count(unit) - (len(plain) - rest) // len(unit)
