"""The refusals of a change set, and their words."""

from __future__ import annotations

from filewright.boundary import Location
from filewright.errors import Code, FilewrightError


def missing(where: Location) -> FilewrightError:
    """Nothing has that name."""
    return FilewrightError(
        Code.NOT_FOUND,
        f"{where.asked} does not exist",
        hint="list the folder to see what is there",
        details={"path": where.asked},
    )


def taken(where: Location) -> FilewrightError:
    """The name is taken."""
    return FilewrightError(
        Code.ALREADY_EXISTS,
        f"{where.asked} already exists",
        hint="choose another name, or ask to overwrite",
        details={"path": where.asked},
    )


def into_itself(source: Location, destination: Location) -> FilewrightError:
    """A folder cannot be below itself."""
    return FilewrightError(
        Code.INVALID_INPUT,
        f"{source.asked} cannot be put into itself ({destination.asked})",
        hint="choose a destination outside of it",
        details={"path": source.asked},
    )


def stale(asked: str) -> FilewrightError:
    """The refusal of a change made against content that is no longer there."""
    return FilewrightError(
        Code.STALE_VERSION,
        f"{asked} has changed since it was read; nothing was changed",
        hint="read it again and redo the edit on what is there now",
        details={"path": asked},
    )


def in_use(asked: str) -> FilewrightError:
    """The refusal of a change of a file that another program writes to."""
    return FilewrightError(
        Code.IN_USE,
        f"{asked} is open for writing in another program",
        hint="wait until it is closed, or stop that program",
        details={"path": asked},
    )


def too_deep(asked: str, levels: int) -> FilewrightError:
    """For a tree with more levels than one change takes on."""
    return FilewrightError(
        Code.TOO_LARGE,
        f"{asked if len(asked) < 200 else asked[:100] + '…'} has more than {levels} levels of folders, "
        "which is too deep for one change; nothing was changed",
        hint="begin with a folder further down; moving is possible at any depth",
        details={"levels": levels},
    )


def on_another_device(where: Location) -> FilewrightError:
    """The refusal of what would reach into another file system."""
    return FilewrightError(
        Code.UNSUPPORTED,
        f"{where.shown} is on another file system (a mount); nothing was changed",
        hint="name what is inside that file system, or leave it out",
        details={"path": where.shown},
    )
