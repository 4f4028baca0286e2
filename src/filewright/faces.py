"""A room's face: the names that other rooms may use, each loaded from its module when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from filewright.annotations import Any


def face_of(
    package: str, parts: Mapping[str, str]
) -> tuple[Callable[[str], Any], list[str]]:
    """The `__getattr__` of a package whose modules `parts` hold these names, and the names, sorted.

    A name is given as it is, or as `shown=name`; a module of an empty list is itself such a name. The package
    imports the same names for type checkers.
    """
    places = {
        shown: (part, name or shown)
        for part, names in parts.items()
        for shown, _, name in (entry.partition("=") for entry in names.split())
    }

    def load(name: str) -> Any:
        if parts.get(name) == "":
            return import_module(f"{package}.{name}")
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        part, own = places[name]
        return getattr(import_module(f"{package}.{part}"), own)

    return load, sorted(places)
