"""The options of a search in a tree: the files, and the kind of result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from filewright.languages import name_matcher


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """The files that a search looks at, and the result that it gives.

    `glob` and `exclude` are as the walk takes them. `file_type` is a language or an
    extension (`python`, `rs`). `limit` counts hits if the output is `matches`, else
    files. `invert` finds the lines that do not match. Notebooks are searched by their
    cells.
    """

    limit: int
    output: Literal["matches", "files", "counts"] = "matches"
    glob: str | None = None
    exclude: Sequence[str] = ()
    file_type: str | None = None
    invert: bool = False
    include_hidden: bool = True
    include_ignored: bool = False

    @property
    def matches_type(self) -> Callable[[bytes], bool]:
        """Return the function that tells if a file's name is of the `file_type`.

        Raises `invalid_input` for an unknown type.
        """
        if self.file_type is None:
            return _accept_every_name
        return name_matcher(self.file_type)


def _accept_every_name(_name: bytes) -> bool:
    return True
