"""A condition on a column of a table: judged field by field, and searched for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from filewright.rows.conditions import Condition
from filewright.rows.fields import to_text
from filewright.rows.numbers import FindForm
from filewright.rows.table_syntax import TableSyntax
from filewright.text.codec import Encoding

_MAX_CACHED_VERDICTS = 10_000
_MAX_CACHED_FIELD_BYTES = 200
_UNQUOTED_TEXT = re.compile(r"[^\r\n\"]+")


@dataclass(frozen=True, slots=True)
class ColumnCondition:
    """A condition on the column with an index.

    `needle` occurs in every field that fits, and maybe in others; it is None if there is
    no such pattern. `find_form` returns the form of numbers or dates in the column.
    """

    index: int
    condition: Condition
    syntax: TableSyntax
    encoding: Encoding
    needle: re.Pattern[bytes] | None
    find_form: FindForm
    # A column often has few values, so its verdicts are cached.
    _verdicts: dict[bytes, bool | None] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        condition: Condition,
        index: int,
        syntax: TableSyntax,
        encoding: Encoding,
        find_form: FindForm,
    ) -> ColumnCondition:
        """Return a condition on a column of a table."""
        condition = compare_column(condition)
        needle = _build_needle(condition, encoding)
        return cls(index, condition, syntax, encoding, needle, find_form)

    def judge(self, field_bytes: bytes) -> bool | None:
        """Return True if a field fits, or None if that is uncertain."""
        if field_bytes in self._verdicts:
            return self._verdicts[field_bytes]
        text = self.syntax.read_text(field_bytes, self.encoding)
        verdict = self.condition.judge(text, self.find_form)
        is_short = len(field_bytes) < _MAX_CACHED_FIELD_BYTES
        if is_short and len(self._verdicts) < _MAX_CACHED_VERDICTS:
            self._verdicts[field_bytes] = verdict
        return verdict

    def explain(self, field_bytes: bytes) -> str:
        """Return why it is uncertain whether a field fits."""
        text = self.syntax.read_text(field_bytes, self.encoding)
        return self.condition.explain(text)


def compare_column(condition: Condition) -> Condition:
    """Return a condition on columns: an empty field is the only one without a value."""
    expected = ["" if value is None else value for value in condition.expected]
    return replace(condition, expected=tuple(expected))


def _build_needle(
    condition: Condition, encoding: Encoding
) -> re.Pattern[bytes] | None:
    """Return a pattern that occurs in every field that fits, or None if there is none."""
    if condition.sign != "=" or encoding.is_multibyte:
        return None
    flags = 0
    alternatives = []
    for expected in condition.expected:
        # A star stands for any text; the longest text between stars is searched for.
        longest_text = max(to_text(expected).split("*"), key=len)
        # Ignoring case, the sign of the unit kelvin is a k too, but of several bytes.
        if condition.ignores_case or not isinstance(expected, str):
            flags = re.IGNORECASE
            if not longest_text.isascii() or "k" in longest_text.lower():
                return None
        if not _UNQUOTED_TEXT.fullmatch(longest_text):
            return None
        try:
            alternatives.append(re.escape(longest_text.encode(encoding.name)))
        except UnicodeEncodeError:
            return None
    return re.compile(b"|".join(alternatives), flags)
