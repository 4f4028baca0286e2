"""A room's face: the names that other rooms may use, each loaded from its module when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def names_of(package: str, parts: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose modules `parts` hold these names (`name`, or `shown=name`).

    A module of an empty list is itself such a name.
    """
    places = {
        shown: (part, name or shown)
        for part, names in parts.items()
        for shown, _, name in (entry.partition("=") for entry in names.split())
    }
    whole = {part for part, names in parts.items() if not names}

    def load(name: str) -> Any:
        if name in whole:
            return import_module(f"{package}.{name}")
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        part, own = places[name]
        return getattr(import_module(f"{package}.{part}"), own)

    return load
