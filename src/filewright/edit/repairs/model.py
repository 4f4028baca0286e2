"""A request without its damage."""

from __future__ import annotations

from dataclasses import dataclass

UNNUMBERED = "took away the line numbers"


UNESCAPED = "undid one level of escaping"


DIFF_SIGNS = "took away the signs of a diff"


@dataclass(frozen=True, slots=True)
class RepairedRequest:
    """A request without its damage; `what` says in words what was taken away.

    With `whole_lines` the damage was such that only whole lines can be meant; `first_number` is the number that its
    first line bore, which must be the number of the line it means.
    """

    search: str
    replace: str
    what: str
    whole_lines: bool = False
    first_number: int | None = None
