"""Commands that may have made each difference."""

from __future__ import annotations

import pytest

from filewright.changes.model import FileState, RecordedKind
from filewright.recording.attribution import group_by_commands
from filewright.recording.model import Command, ObservedFile, Pair


def tool(name: str, *paths: str) -> Command:
    absolute = tuple(f"/r/{path}" for path in paths)
    return Command(name, name, "", paths=absolute, is_tool=True)


def file(path: str, kind: RecordedKind = "file") -> ObservedFile:
    return ObservedFile(path.encode(), FileState(kind), lambda: b"")


def grouped(pairs: list[Pair], *commands: Command) -> dict[str, list[str]]:
    """Return the paths of each group by the names of its commands."""
    groups: dict[str, list[str]] = {}
    for group in group_by_commands(pairs, commands, b"/r"):
        key = "+".join(command.key for command in group.commands)
        groups[key] = [
            file.path.decode()
            for old, new in group.pairs
            if (file := new or old) is not None
        ]
    return groups


A, B = tool("A", "a", "d/a"), tool("B", "b", "e/b")
SHELL = Command("S", "S", "")
CHANGED_A: Pair = (file("a"), file("a"))
CHANGED_B: Pair = (file("b"), file("b"))


@pytest.mark.parametrize(
    ("pairs", "commands", "groups"),
    [
        pytest.param([CHANGED_A], [A], {"A": ["a"]}, id="one"),
        pytest.param(
            [CHANGED_A, CHANGED_B],
            [A, SHELL],
            {"A+S": ["a", "b"]},
            id="shell-changes-any",
        ),
        pytest.param(
            [CHANGED_A, CHANGED_B], [A, B], {"A": ["a"], "B": ["b"]}, id="two"
        ),
        pytest.param(
            [CHANGED_A, (file("c"), None)],
            [A, B],
            {"A+B": ["c"], "A": ["a"]},
            id="unnamed",
        ),
        pytest.param(
            [CHANGED_A],
            [A, tool("C", "a")],
            {"A+C": ["a"]},
            id="named-by-both",
        ),
        pytest.param(
            [(None, file("d", "folder")), (None, file("d/a"))],
            [A, B],
            {"A": ["d", "d/a"]},
            id="new-folder",
        ),
        pytest.param(
            [
                (None, file("d", "folder")),
                (None, file("d/a")),
                (None, file("d/c")),
            ],
            [A, B],
            {"A+B": ["d/c", "d"], "A": ["d/a"]},
            id="folder-of-other-files",
        ),
        pytest.param(
            [(file("a"), None), (file("c"), file("a"))],
            [tool("A", "c"), tool("B", "a")],
            {"A+B": ["a", "a"]},
            id="takes-a-path",
        ),
    ],
)
def test_groups(
    pairs: list[Pair], commands: list[Command], groups: dict[str, list[str]]
) -> None:
    assert grouped(pairs, *commands) == groups
