"""The fields of a client's JSON, which has several names for the same value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def first_text(
    arguments: Mapping[str, Any],
    names: tuple[str, ...],
    *,
    is_empty_allowed: bool = False,
) -> str | None:
    """Return the first text among the arguments of some names."""
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str) and (value or is_empty_allowed):
            return value
    return None
