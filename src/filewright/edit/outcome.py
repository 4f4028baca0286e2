"""The result of planning: the splices of a call, and the outcome of each of its edits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from filewright.edit.model import Tier
from filewright.edit.notes import Note
from filewright.edit.request import EditRole
from filewright.text.splice import Splice


@dataclass(frozen=True, slots=True)
class EditOutcome:
    """The outcome of edit number `index` (from 0).

    Lines are counted from 1; `first` and `last` are those of the place of the edit,
    `new_first` and `new_last` those in the result. A `last` before its `first` means no
    lines, as at an insertion. `places` counts the places that changed; `on_result` says
    that the edit was located in the result of the edits before it. `inner` is the tier of
    a repaired request, `repairs` says how it was repaired, and `named` how the request
    named its lines. `remainder` tells the blank lines that a removed symbol leaves. `note`
    is a hint for the reader, and `notes` are on lines of the result that look damaged.
    `role` is that of the edit.
    """

    index: int
    tier: Tier
    first: int
    last: int
    new_first: int
    new_last: int
    places: int
    similarity: float = 1.0
    inner: Tier | None = None
    repairs: tuple[str, ...] = ()
    on_result: bool = False
    note: str = ""
    named: str = ""
    remainder: str = ""
    notes: tuple[Note, ...] = ()
    role: EditRole = EditRole.REQUESTED

    @property
    def text(self) -> str:
        """Return the outcome as one line for a reader."""
        number = self.index + 1
        if self.named:
            text = f"edit {number}: {self.lines}, {self.named}{self.remainder}"
            return text if self.places else f"{text}, changes nothing"
        parts = [f"edit {number}: {self.lines}, found by {self.tier}"]
        if self.inner is not None and self.inner is not self.tier:
            parts.append(f"({self.inner})")
        if self.repairs:
            parts.append(f"after {' and '.join(self.repairs)}")
        if self.similarity < 1:
            parts.append(f"{self.similarity:.1%} alike")
        if self.on_result:
            parts.append("in the result of earlier edits")
        if not self.places:
            parts.append("changes nothing")
        text = " ".join(parts)
        return f"{text}; {self.note}" if self.note else text

    @property
    def is_of_symbol(self) -> bool:
        """Return True if the request named the lines by a symbol."""
        return self.named.startswith("symbol")

    @property
    def lines(self) -> str:
        """Return the place of the edit in words."""
        if self.places > 1:
            return f"{self.places} places from line {self.first}"
        if self.last > self.first:
            return f"lines {self.first}-{self.last}"
        return f"line {self.first}"

    def data(self) -> dict[str, Any]:
        """Return the outcome as plain values."""
        return {
            "edit": self.index,
            "tier": str(self.tier),
            "inner_tier": self.inner and str(self.inner),
            "line_number": self.first,
            "lines_before": [self.first, self.last],
            "lines_after": [self.new_first, self.new_last],
            "places": self.places,
            "similarity": round(self.similarity, 4),
            "repairs": list(self.repairs),
            "on_result": self.on_result,
            "note": self.note or None,
            "notes": [
                {"line": note.line, "text": note.text} for note in self.notes
            ],
        }


@dataclass(frozen=True, slots=True)
class EditPlan:
    """The splices of a call, in order, and the outcome of each edit."""

    splices: tuple[Splice, ...]
    outcomes: tuple[EditOutcome, ...]
