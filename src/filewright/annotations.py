"""What our annotations need of `typing`, which type checkers see instead.

An agent waits for a hook around each of its commands. To import `typing`, and to make named tuples with it, would be
four to eight milliseconds of that each time; and nothing of ours looks at an annotation as it runs.
"""

# mypy: implicit-reexport

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, ClassVar, Literal, NamedTuple, Self, dataclass_transform
else:
    # What may be written with brackets, and with `|` beside others.
    Any = ClassVar = Literal = Self = tuple

    class _Fields(type):
        """Makes a named tuple of a class whose annotated names are its fields."""

        def __new__(cls, name, _, given):
            fields = given.get("__annotations__", ())
            defaults = [given.pop(field) for field in fields if field in given]
            made = namedtuple(
                name, fields, defaults=defaults, module=given["__module__"]
            )
            return type(name, (made,), {**given, "__slots__": ()})

    NamedTuple = type.__new__(_Fields, "NamedTuple", (), {})

    def dataclass_transform(**_):
        """Says to type checkers that a class takes its fields by their names."""
        return lambda made: made
