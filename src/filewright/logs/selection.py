"""The conditions of a call on the entries of a log: their times and their fields."""

from __future__ import annotations

from dataclasses import dataclass

from filewright.rows.conditions import Condition


@dataclass(frozen=True, slots=True)
class EntrySelection:
    """The conditions of a call on the entries of a log.

    Without `has_pattern` every entry that fulfils them is a hit. Relative times are before
    `last_seconds`, by default the last entry of each file. `fields` are the paths of the
    fields that are shown or counted.
    """

    since: str | None = None
    until: str | None = None
    conditions: tuple[Condition, ...] = ()
    has_pattern: bool = True
    last_seconds: float | None = None
    fields: tuple[str, ...] = ()

    @property
    def has_time(self) -> bool:
        """Return True if entries are selected by their times."""
        return self.since is not None or self.until is not None

    @property
    def is_empty(self) -> bool:
        """Return True if every line is selected."""
        return not self.has_time and not self.conditions

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the paths of all fields that are compared, shown or counted."""
        return (
            *(condition.path for condition in self.conditions),
            *self.fields,
        )
