"""A request without its damage, and the form of a function that repairs one text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

# The descriptions end up in the answer: "found after removing the line numbers".
UNNUMBERED = "removing the line numbers"
UNESCAPED = "undoing one level of escaping"
DIFF_SIGNS = "removing the diff signs"

TextRepair: TypeAlias = Callable[[str], str | None]
"""Takes one kind of damage away from a text.

Returns the text itself if it has no such damage, and None if it has half of it.
"""


@dataclass(frozen=True, slots=True)
class RepairedRequest:
    """A request without its damage; `description` says in words what was taken away.

    With `whole_lines` only whole lines can be meant, as by any damage before each line.
    `first_number` is the number that the first line had: it must be the number of the
    line that it means.
    """

    search: str
    replace: str
    description: str
    whole_lines: bool = False
    first_number: int | None = None
