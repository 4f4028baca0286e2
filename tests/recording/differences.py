"""What the code answers or does otherwise than the first version, on purpose, each with the reason.

Three kinds, from the loosest to the strictest:

`Wording`   old words become new ones wherever they stand: a regular expression on the recorded text and what
            takes its place (as in `re.sub`); codes and files are the same.
`Retold`    the texts of some calls may be anything; codes and files are the same. `covers` says which calls.
`Outcome`   exactly these calls have another code or leave another tree, which is given (their text may be
            anything). `python -m tests.recording` prints the entries, ready to be pasted here.

An entry that explains nothing any more fails the test, and has to go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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


WORDINGS: tuple[Wording, ...] = (
    Wording(
        why="the argument is called force now; wholly is still taken",
        old=r"\bwholly\b",
        new="force",
        tool="revert_edit",
    ),
    Wording(
        why="a refused undo says that force would bring the earlier content back",
        old=r"\(get_history lists them\), or show this change's diff \(get_history with change_id\) and edit "
        r"the file by hand",
        new="(get_history lists them), show this change's diff (get_history with change_id) and edit the file "
        "by hand, or give force=true to have the earlier content over what is there now",
        tool="revert_edit",
    ),
)

RETOLD: tuple[Retold, ...] = ()

OUTCOMES: tuple[Outcome, ...] = ()
