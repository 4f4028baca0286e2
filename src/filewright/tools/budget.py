"""The budget of characters that decides where a page of results ends."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class CharacterBudget:
    """The characters of one page: `limit` in all, `used` so far.

    `reserve` are those for the lines at its end, such as a cursor.
    """

    limit: int
    reserve: int = 0
    used: int = 0
    is_full: bool = False

    @property
    def remaining(self) -> int:
        """Return how many characters are left."""
        return self.limit - self.used

    def take(self, characters: int, *, reserve: int = 0) -> bool:
        """Use so many characters; return False if they do not fit beside the reserve.

        The first result always fits, since a page without one could not continue.
        """
        needed = self.used + characters + self.reserve + reserve
        if self.used and needed > self.limit:
            self.is_full = True
            return False
        self.used += characters
        return True
