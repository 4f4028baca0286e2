"""What the code answers or does otherwise than the first version, on purpose, each with the reason.

Three kinds, from the loosest to the strictest:

`Wording`   old words become new ones wherever they stand: a regular expression on the recorded text and what
            takes its place (as in `re.sub`); codes and files are the same.
`Retold`    the texts of some calls may be anything; codes and files are the same. `covers` says which calls.
`Outcome`   exactly these calls have another code or leave another tree, which is given (their text may be
            anything). `python -m tests.recording` prints the entries, ready to be pasted here.

The entries of each room are in a module of `explained/`, as `WORDINGS`, `RETOLD` and `OUTCOMES`. An entry that
explains nothing any more fails the test, and has to go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from tests.recording.sessions import Call


@dataclass(frozen=True, slots=True)
class Wording:
    """`why` the new words are right; ``old`` is searched in texts, ``new`` put in its place.

    `surface` and `tool` narrow it to the calls of one surface or tool.
    """

    why: str
    old: str
    new: str
    surface: str | None = None
    tool: str | None = None


@dataclass(frozen=True, slots=True)
class Retold:
    """`why` the texts of the calls that `covers` may be anything. It is asked of the recorded call and the new one."""

    why: str
    covers: Callable[[Call, Call], bool]


@dataclass(frozen=True, slots=True)
class Now:
    """The code that a call gives now (None: it succeeds), and the digest of the tree it leaves."""

    code: str | None
    tree: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """`why` each of `calls`, by its id, has another code or leaves another tree."""

    why: str
    calls: dict[str, Now]


def _explained() -> list[object]:
    """The modules of `explained/`."""
    names = sorted(path.stem for path in (Path(__file__).parent / "explained").glob("[a-z]*.py"))
    return [import_module(f"tests.recording.explained.{name}") for name in names]


def wordings() -> tuple[Wording, ...]:
    """Every `Wording`, in the order they are applied."""
    return tuple(entry for module in _explained() for entry in getattr(module, "WORDINGS", ()))


def retold() -> tuple[Retold, ...]:
    """Every `Retold`."""
    return tuple(entry for module in _explained() for entry in getattr(module, "RETOLD", ()))


def outcomes() -> tuple[Outcome, ...]:
    """Every `Outcome`."""
    return tuple(entry for module in _explained() for entry in getattr(module, "OUTCOMES", ()))
