"""The rows of one hunk of a unified diff, as they are read."""

from __future__ import annotations

from filewright.edit.patch.model import Row, rows_of
from filewright.edit.patch.source import Source

RESEND = "send the whole patch again, as a unified diff that is complete"


class Body:
    """The rows of one hunk as they are read."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.rows: list[Row] = []
        self.old = self.new = 0
        self.old_ended = self.new_ended = True
        self.at_end = False
        self.end = 0
        self._bare: list[bool] = []

    def take(self, at: int) -> bool:
        """Read the line at index `at`; False if no line of a hunk looks like that."""
        line = self.source[at]
        sign = line[:1] if line not in ("", "\r") else " "
        if sign == "\\":
            self._unended(at)
            return True
        if sign not in " +-":
            return False
        if (sign != "+" and not self.old_ended) or (sign != "-" and not self.new_ended):
            raise self.source.refused(
                at, "a line follows the one that has no newline at the end of its file", RESEND
            )
        rows = rows_of(sign, line[1:] if line[:1] == sign else line)
        self.rows += rows
        self._bare += [line in ("", "\r")] * len(rows)
        self.old += sign != "+"
        self.new += sign != "-"
        self.end = at + 1
        return True

    def _unended(self, at: int) -> None:
        if not self.rows:
            raise self.source.refused(at, "there is no line above this remark", RESEND)
        self.end = at + 1
        last = self.rows[-1]
        sign = last.sign
        self.at_end = True
        if last.terminator == "\r\n":
            # What the file ends with is a lone return; the newline is the patch's own.
            self.rows[-1] = Row(sign, last.text, "\r")
            return
        self.old_ended = self.old_ended and sign == "+"
        self.new_ended = self.new_ended and sign == "-"

    def drop_blank_end(self, at: int) -> None:
        """Leave out empty lines at the end that are not marked as rows: they only separate."""
        while self.rows and self._bare[-1]:
            self.rows.pop()
            self._bare.pop()
            self.old -= 1
            self.new -= 1
        self.end = at


def looks_cut(rows: list[Row]) -> bool:
    """Whether a hunk shorter than announced lacks the context a diff ends with."""
    lead = next((i for i, row in enumerate(rows) if row.sign != " "), len(rows))
    tail = next((i for i, row in enumerate(reversed(rows)) if row.sign != " "), len(rows))
    return tail < max(1, min(3, lead))
