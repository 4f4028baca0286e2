"""Choices that a person makes in a terminal, with the arrow keys.

The library of the lists is imported when a list is shown: it takes longer to import
than most commands take to run.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from filewright.cli import write

if TYPE_CHECKING:
    from questionary import Question

MAX_NUMBERED_CHOICES = 9
"""The choices that a digit points at."""
LIST_MARGIN = 8
"""The columns that a list takes beside the title of a row."""


@dataclass(frozen=True, slots=True)
class Option:
    """A row of a list, and the value that it stands for.

    `is_checked` is for lists from which several are chosen.
    """

    title: str
    value: str
    is_checked: bool = False


def can_ask() -> bool:
    """Return True if a person can be asked: input and output are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def require_terminal(usage: str) -> None:
    """Raise `click.UsageError` with `usage`, the command to type, if there is no terminal."""
    if not can_ask():
        raise click.UsageError(usage)


def choose_one(question: str, options: Sequence[Option]) -> str:
    """Return the value of the option that a person chooses.

    The command ends with status 1 if the person leaves the list.
    """
    import questionary

    # Digits point at rows only where each row has one.
    choices: list[questionary.Choice] = []
    for number, option in enumerate(options, start=1):
        choices.append(
            questionary.Choice(
                option.title,
                value=option.value,
                shortcut_key=(
                    str(number) if number <= MAX_NUMBERED_CHOICES else False
                ),
            )
        )
    return str(
        _ask(
            questionary.select(
                question,
                choices,
                qmark="",
                pointer="❯",
                use_shortcuts=len(choices) <= MAX_NUMBERED_CHOICES,
                instruction="(arrows, Enter; Esc to leave)",
            )
        )
    )


def choose_several(question: str, options: Sequence[Option]) -> list[str]:
    """Return the values of the options that a person checks, perhaps none.

    The command ends with status 1 if the person leaves the list.
    """
    import questionary

    choices = [
        questionary.Choice(
            option.title,
            value=option.value,
            checked=option.is_checked,
        )
        for option in options
    ]
    values: list[str] = _ask(
        questionary.checkbox(
            question,
            choices,
            qmark="",
            pointer="❯",
            instruction="(Space to choose, Enter; Esc to leave)",
        )
    )
    return values


def _ask(question: Question) -> Any:
    """Return the answer to a question; end with status 1 if it is not answered."""
    bindings: Any = question.application.key_bindings

    def leave(event: Any) -> None:
        event.app.exit(exception=KeyboardInterrupt, style="class:aborting")

    # The library knows Ctrl+C alone; people press Escape or q to leave a list.
    for key in ("escape", "q"):
        bindings.add(key, eager=True)(leave)
    try:
        return question.unsafe_ask()
    except (KeyboardInterrupt, EOFError):
        write("nothing was changed", to_error=True)
        sys.exit(1)
