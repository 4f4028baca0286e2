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
<<<<<<< HEAD
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
=======
        "the hint names no tool, since every surface has its own",
        r"list_files of (\S+) shows what is there",
        r"list \1 to see what is there",
>>>>>>> e490f2d (Explain what the one call path answers otherwise; leave form feeds as they are)
    ),
)

RETOLD: tuple[Retold, ...] = (
    Retold(
        "a refusal names every unknown argument and up to five other problems, not the first and a count",
        lambda was, now: was.code == now.code == "invalid_input" and "(and " in was.text,
    ),
    Retold(
        "every dialect says where a missing path led and which names are like it, as the native tools do",
        lambda was, now: was.code == now.code == "not_found" and ", in the root " in now.text,
    ),
    Retold(
        "a character that cannot be shown is spelled out in every answer, not only in those of the server",
        lambda was, now: any(spelled in now.text for spelled in ("\\u0000", "\\u000b", "\\udcff")),
    ),
)

OUTCOMES: tuple[Outcome, ...] = (
    Outcome(
        "an optional argument that is null is absent: adapters fill in nulls for what a model left out",
        {"filesystem-00.04": Now(None, "77f10f025d25d6b0")},
    ),
)
