"""The kinds of damage that clients' edit tools do, and how history names them.

A healing is a change of the tool `guard`; its summary names the file and the
kinds of damage. Damage that was not healed is named in the same form by a note
of the edit that did it, so that a report can read both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from filewright.changes.selection import GUARD_TOOL

_UNHEALED = "left as it is"


class Damage(StrEnum):
    """Kinds of changes that no edit asks for."""

    REPLACED_BYTES = "replaced-bytes"
    LINE_ENDINGS = "line-endings"
    BYTE_ORDER_MARK = "byte-order-mark"
    INDENTATION = "indentation"
    TRAILING_WHITESPACE = "trailing-whitespace"
    FINAL_NEWLINE = "final-newline"
    NORMALISATION = "normalisation"
    QUOTES = "quotes"
    TRUNCATED = "truncated"
    MODE = "mode"
    ENCODING = "encoding"
    SYMLINK = "symlink"
    HARD_LINK = "hard-link"


@dataclass(frozen=True, slots=True)
class Healing:
    """The bytes that a file should have, and the damage that they repair.

    `content` is None if nothing is to be written. `lines` counts the damaged
    lines. `doubt` says why something that looks damaged stays as it is, or is
    empty. `encoding` is that of the file, or empty if it is not known.
    """

    content: bytes | None = None
    damage: tuple[Damage, ...] = ()
    lines: int = 0
    doubt: str = ""
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class GuardSentence:
    """A sentence of the history about the damage of one file.

    Without kinds the file was left as it is, and `advice` says why.
    """

    path: str
    damage: tuple[Damage, ...]
    advice: str = ""

    def __str__(self) -> str:
        kinds = ", ".join(self.damage) or _UNHEALED
        advice = f"; {self.advice}" if self.advice else ""
        return f"{GUARD_TOOL}: {self.path}: {kinds}{advice}"

    @classmethod
    def parse(cls, text: str) -> GuardSentence | None:
        """Return the sentence that a summary or a note holds, or None."""
        match = _SENTENCE.fullmatch(text)
        if match is None:
            return None
        damage: list[Damage] = []
        if match["kinds"] != _UNHEALED:
            damage += map(Damage, match["kinds"].split(", "))
        return cls(match["path"], tuple(damage), match["advice"] or "")


_KIND = "|".join(Damage)
# The path may hold the same punctuation, but no kinds.
_SENTENCE = re.compile(
    rf"{GUARD_TOOL}: (?P<path>.+?): "
    rf"(?P<kinds>{_UNHEALED}|(?:{_KIND})(?:, (?:{_KIND}))*)"
    r"(?:; (?P<advice>.*))?"
)


def join_names(names: Sequence[str]) -> str:
    """Return names as a sentence lists them."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
