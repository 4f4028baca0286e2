"""Texts that name a tool or an argument, with their words for a shell."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Self


class Hint(str):
    """A text, such as a next step, that is worded differently for the command line.

    The text itself names tools and arguments. `shell` names the commands and options
    that do the same. `plain` is for readers who have neither, such as clients with
    other tools; "" if there is nothing that they could do.
    """

    __slots__ = ("plain", "shell")

    shell: str
    plain: str

    def __new__(cls, text: str, *, shell: str, plain: str = "") -> Self:
        hint = super().__new__(cls, text)
        hint.shell = shell
        hint.plain = plain
        return hint

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, str]]:
        # Unpickling passes only the text to a class that needs the other words too.
        return (str(self),), {"shell": self.shell, "plain": self.plain}


def for_shell(text: str) -> str:
    """Return a text in the words of the command line."""
    return text.shell if isinstance(text, Hint) else text


def without_tools(text: str) -> str:
    """Return a text for a reader who has neither the tools nor a shell."""
    return text.plain if isinstance(text, Hint) else text


def names_tools(text: str) -> bool:
    """Return True if a text means nothing to a reader who has no tools."""
    return isinstance(text, Hint)


def fill(template: str, *parts: str) -> str:
    """Return a template with the parts in place of its braces, in both wordings.

    An f-string would lose the words of its parts for the shell.
    """
    text = template.format(*parts)
    if not any(isinstance(part, Hint) for part in parts):
        return text
    return Hint(text, shell=template.format(*map(for_shell, parts)))


def join_words(separator: str, texts: Iterable[str]) -> str:
    """Return several texts as one, in both wordings."""
    texts = list(texts)
    text = separator.join(texts)
    if not any(isinstance(part, Hint) for part in texts):
        return text
    return Hint(
        text,
        shell=separator.join(map(for_shell, texts)),
        plain=separator.join(filter(None, map(without_tools, texts))),
    )


def change_words(text: str, change: Callable[[str], str]) -> str:
    """Return a text of which both wordings are changed by a function."""
    changed = change(text)
    if not isinstance(text, Hint):
        return changed
    return Hint(changed, shell=change(text.shell))


def join_hints(hints: Iterable[str]) -> str | None:
    """Return several hints as one, without repetitions; None for no hints."""
    distinct = list(dict.fromkeys(hints))
    return join_words("; ", distinct) if distinct else None
