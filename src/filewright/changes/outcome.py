"""The outcome of a rollback or a clean-up of one change."""

from __future__ import annotations

from dataclasses import dataclass, field

from filewright.changes.model import RecordedPath
from filewright.errors import FilewrightError


@dataclass(frozen=True, slots=True)
class RestoredContent:
    """The size and digest of a content that a rollback put back."""

    size: int
    digest: str


@dataclass(slots=True)
class Outcome:
    """The notes that a rollback or a clean-up takes on its way, for one change."""

    conflicts: list[str] = field(default_factory=list)
    """Sentences about saves of other programs, with the paths of their versions."""
    waiting: list[str] = field(default_factory=list)
    """Paths of displaced files that another program still has open."""
    unsettled: list[str] = field(default_factory=list)
    """Operations that could not be settled, each with the reason."""
    rolled_back_files: list[str] = field(default_factory=list)
    """The results for files, in words: "a.txt as before", "b.txt removed"."""
    partially_applied: list[str] = field(default_factory=list)
    """Paths where part of the change may remain in the save of another program."""
    restored: dict[RecordedPath, RestoredContent] = field(default_factory=dict)
    """The content that each file got back which had shown the change for a moment."""
    cleaned_files: int = 0
    """The number of displaced files that were still there."""
    set_aside_as: str = ""
    """The name under which the log keeps the operation for a person, if it does."""


def describe_error(error: OSError | FilewrightError) -> str | None:
    """Return the reason of an error, in words."""
    if isinstance(error, FilewrightError):
        return error.message
    return error.strerror
