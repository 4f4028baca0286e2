"""The arguments of dialects: models that pass over unknown names, and defaults from variables."""

from __future__ import annotations

import os
from dataclasses import dataclass

from pydantic import ConfigDict

from filewright.tools.arguments import Arguments


class LenientArguments(Arguments):
    """Arguments of originals that pass over unknown names; the answer mentions them."""

    # The schema does not invite unknown names, though they are accepted.
    model_config = ConfigDict(
        extra="allow", json_schema_extra={"additionalProperties": False}
    )


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable of an original with a number, and the bounds of that number."""

    name: str
    at_least: float
    at_most: float | None = None

    def integer(self, default: int) -> int:
        """Return the integer in the variable within its bounds, or `default`."""
        try:
            value = int(os.environ.get(self.name, ""))
        except ValueError:
            return default
        return int(self._bound(value))

    def number(self, default: float) -> float:
        """Return the number in the variable within its bounds, or `default`."""
        try:
            value = float(os.environ.get(self.name, ""))
        except ValueError:
            return default
        return self._bound(value)

    def _bound(self, value: float) -> float:
        value = max(self.at_least, value)
        if self.at_most is not None:
            value = min(value, self.at_most)
        return value
