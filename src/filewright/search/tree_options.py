"""tree_options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from filewright.languages import name_matcher


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """Which files, and what is wanted of them.

    `glob` and `exclude` are as the walk takes them, `file_type` is a language or extension (`python`,
    `rs`), and `limit` is in hits for `matches`, else in files; `invert` finds lines without a match.
    Notebooks are searched by their cells.
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
        """Whether a file of a name is of the kind that is wanted. Raises `invalid_input` for what is none."""
        return (
            name_matcher(self.file_type) if self.file_type is not None else bool
        )
