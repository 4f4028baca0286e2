"""A room's face: the names that other rooms may use, each loaded from its module when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from filewright.annotations import Any


def face_of(package: str, parts: Mapping[str, str]) -> tuple[Callable[[str], Any], list[str]]:
    """The `__getattr__` and `__all__` of a package whose modules `parts` hold these names.

    A name is given as it is, or as `shown=name`. The package imports the same names for type checkers; those
    it imports in any case are here too.
    """
    shown = (entry.partition("=")[0] for names in parts.values() for entry in names.split())
    return names_of(package, parts), sorted(shown)


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
