"""The map from the indentation of a request to that of the file.

Either all indents are shifted by one text, or one unit of indentation replaces another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import gcd

_UNIT_WIDTHS = (4, 2, 8, 3, 1, 6)


@dataclass(frozen=True, slots=True)
class _UnitChange:
    """The change from steps of `size` columns (a tab is one step) to steps of `unit`.

    `added_steps` is the depth of the file at the margin of the request.
    """

    size: int
    unit: str
    added_steps: int

    def count_steps(self, indent: str) -> tuple[int, int]:
        """Return the steps that an indent becomes, and the columns that are no step."""
        columns = sum(self.size if char == "\t" else 1 for char in indent)
        steps, rest_columns = divmod(columns, self.size)
        return steps + self.added_steps, rest_columns

    def map_known(self, indent: str) -> str:
        """Return the file's form of an indent, "" if it has fewer steps than are lost."""
        steps, rest_columns = self.count_steps(indent)
        return self.unit * steps + " " * rest_columns

    def map_new(self, indent: str) -> str | None:
        """Return the file's form of an indent that no matched line has.

        None if it shows another unit.
        """
        _, rest_columns = self.count_steps(indent)
        if rest_columns and self.unit.startswith(" "):
            return None
        return self.map_known(indent)


@dataclass(frozen=True)
class Indentation:
    """The map from the indents of a request to those of the file.

    `known` has the indents of the matched lines.
    """

    known: dict[str, str]

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> Indentation | None:
        """Return the map that takes each request indent to that of the file, or None."""
        known: dict[str, str] = {}
        for request_indent, file_indent in pairs:
            if known.setdefault(request_indent, file_indent) != file_indent:
                return None
        indentation = cls(known)
        if indentation._shift is None and not indentation._unit_changes:
            return None
        return indentation

    @cached_property
    def _shift(self) -> Callable[[str], str | None] | None:
        """Return the function that adds one text to all indents, or takes it away."""
        request_indent, file_indent = next(iter(self.known.items()), ("", ""))
        added = removed = ""
        if file_indent.endswith(request_indent):
            added = file_indent[: len(file_indent) - len(request_indent)]
        if request_indent.endswith(file_indent):
            removed = request_indent[: len(request_indent) - len(file_indent)]
        # A matched line shows its indent in the file. The shift must explain it wholly,
        # without cutting off at the margin.
        for known_indent, expected in self.known.items():
            if not known_indent.startswith(removed):
                return None
            if added + known_indent[len(removed) :] != expected:
                return None

        def shift(indent: str) -> str | None:
            if indent.startswith(removed):
                return added + indent[len(removed) :]
            return "" if removed.startswith(indent) else None

        return shift

    @cached_property
    def _unit_changes(self) -> tuple[_UnitChange, ...]:
        """Return the changes of unit that explain all pairs; those without steps first."""
        # Some thirty units are tried, and most edits need none of them.
        if self.same:
            return ()
        changes = _find_unit_changes(self.known)
        return tuple(
            sorted(changes, key=lambda change: change.added_steps != 0)
        )

    @property
    def same(self) -> bool:
        """Return True if every indent stays as it is."""
        return all(
            request_indent == file_indent
            for request_indent, file_indent in self.known.items()
        )

    def extended(
        self, indents: Iterable[str], file_unit: str = ""
    ) -> dict[str, tuple[str, ...]]:
        """Return the forms that each of `indents` may take in the file.

        `file_unit` is the usual unit of the file. An indent has one form if all readings
        agree. It has several, or none, if the matched lines do not show which.
        """
        new_indents = sorted(set(indents), key=len)
        rules = self._rules(new_indents, file_unit)
        forms: dict[str, tuple[str, ...]] = {}
        for indent in new_indents:
            if indent in self.known:
                forms[indent] = (self.known[indent],)
                continue
            results = dict.fromkeys(rule(indent) for rule in rules)
            forms[indent] = tuple(form for form in results if form is not None)
        return forms

    def _rules(
        self, new_indents: Iterable[str], file_unit: str
    ) -> list[Callable[[str], str | None]]:
        """Return the rules by which new indents are mapped."""
        # Several units may explain the matched lines. Prefer the one that the file uses
        # and that all indents of the request show.
        widths = [
            len(indent)
            for indent in (*new_indents, *self.known)
            if "\t" not in indent
        ]
        request_unit = gcd(*widths)
        changes: list[_UnitChange] = []
        for change in self._unit_changes:
            if change.size == request_unit and file_unit in ("", change.unit):
                changes.append(change)
        # One pair of indents may be a shift or another unit. Both are rules then, and the
        # caller refuses a line for which they disagree.
        if not changes and self._shift is None:
            changes = [*self._unit_changes]
        plain = [
            change for change in changes if not change.added_steps
        ] or changes
        rules: list[Callable[[str], str | None]] = []
        if self._shift is not None:
            rules.append(self._shift)
        rules.extend(change.map_new for change in plain)
        return rules


def _find_unit_changes(known: dict[str, str]) -> Iterator[_UnitChange]:
    """Yield the changes of unit that explain all pairs."""
    file_has_tabs = any("\t" in indent for indent in known.values())
    request_has_tabs = any("\t" in indent for indent in known)
    (first_request_indent, first_file_indent), *others = known.items()
    for size in _UNIT_WIDTHS:
        widths: tuple[int, ...] = _UNIT_WIDTHS
        if file_has_tabs:
            widths = (0,)
        elif request_has_tabs:
            widths = (size,)
        for width in widths:
            unit = " " * width or "\t"
            steps, rest_columns = _UnitChange(size, unit, 0).count_steps(
                first_request_indent
            )
            added = (len(first_file_indent) - rest_columns) // len(unit) - steps
            change = _UnitChange(size, unit, added)
            if not file_has_tabs and not request_has_tabs:
                if size == width or (not others and change.added_steps):
                    continue
                if not _is_shown(change, known):
                    continue
            if _explains(change, known):
                yield change


def _explains(change: _UnitChange, known: dict[str, str]) -> bool:
    """Return True if a change of unit takes every indent to that of the file."""
    return all(
        change.map_known(request_indent) == file_indent
        and change.count_steps(request_indent)[0] >= 0
        for request_indent, file_indent in known.items()
    )


def _is_shown(change: _UnitChange, known: dict[str, str]) -> bool:
    """Return True if the indents prove a change from spaces to other spaces.

    A slip in one indent must not look like a change of unit: all new lines would be
    indented by it. So an odd unit needs two indents of whole steps, because a slip makes
    it of an even one; so do indents with columns that are no step. Two depths must not
    become one. And a unit with a shift explains any two pairs of indents, so that it
    needs a third pair, or a line of the request at the margin.
    """
    rest_columns_of = {
        request_indent: change.count_steps(request_indent)[1]
        for request_indent in known
    }
    whole_count = sum(
        bool(request_indent) and not rest_columns
        for request_indent, rest_columns in rest_columns_of.items()
    )
    least_count = 1 + change.size % 2 + any(rest_columns_of.values())
    are_distinct = len(set(known.values())) == len(known)
    if whole_count < least_count or not are_distinct:
        return False
    return not change.added_steps or len(known) > 2 or "" in known
