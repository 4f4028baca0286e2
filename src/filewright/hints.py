"""Hints of errors that name a tool or an argument, with their words for a shell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self


class Hint(str):
    """A next step that is written differently for tools and for the command line.

    The text itself names tools and arguments. `shell` names the commands and options
    that do the same.
    """

    __slots__ = ("shell",)

    shell: str

    def __new__(cls, text: str, *, shell: str) -> Self:
        hint = super().__new__(cls, text)
        hint.shell = shell
        return hint

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, str]]:
        # Unpickling passes only the text to a class that needs the other words too.
        return (str(self),), {"shell": self.shell}


def for_shell(hint: str) -> str:
    """Return a hint in the words of the command line."""
    return hint.shell if isinstance(hint, Hint) else hint


def names_tools(hint: str) -> bool:
    """Return True if a hint means nothing to a reader who has no tools."""
    return isinstance(hint, Hint)


def join_hints(hints: Iterable[str]) -> str | None:
    """Return several hints as one, without repetitions; None for no hints."""
    distinct = list(dict.fromkeys(hints))
    if not distinct:
        return None
    text = "; ".join(distinct)
    shell = "; ".join(for_shell(hint) for hint in distinct)
    return text if shell == text else Hint(text, shell=shell)
