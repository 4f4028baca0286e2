"""The package does not grow unnoticed: each room has a limit in code tokens, which is only ever lowered, and so has
what one call crosses, in modules and functions.

A room that needs more says in its front page which promise the surplus pays for, and raises its row in the same
commit. Whoever makes a room smaller lowers its limit. `python -m tests.test_size` prints what is there.
"""

from __future__ import annotations

import io
import sys
import tokenize
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import pytest
from tests.rows import each_row

import filewright
from filewright import Workspace

PACKAGE = Path(filewright.__file__).parent

ROOMS = {
    # room: (limit, goal), in code tokens
    "changes": (63_230, 42_000),
    "edit": (54_969, 40_000),
    "tools": (46_191, 32_000),
    "structure": (21_991, 20_500),
    "system": (22_198, 23_000),
    "boundary": (19_808, 20_000),
    "dialects": (13_694, 13_000),
    "search": (15_863, 16_000),
    "text": (12_561, 13_000),
    "server": (12_951, 13_000),
    "cli": (14_992, 12_000),
    "page": (13_900, 14_000),
    "(root)": (9_788, 11_900),
}
ALL = (322_136, 270_000)

CROSSED = {
    # call: (modules, goal, functions, goal) that it crosses once the package is warm, on Linux
    "edit_content": (44, 45, 310, 320),
    "undo": (37, 40, 273, 320),
    "apply_patch": (44, 48, 313, 350),
    "search_content": (32, 35, 214, 200),
    "read_content": (23, 25, 122, 200),
}

_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def tokens(source: str) -> int:
    """How many tokens of code there are: no comments, docstrings or ends of lines."""
    found, statement = 0, list[int]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NEWLINE:
            documents = statement == [tokenize.STRING]
            found += len(statement) if not documents else 0
            statement.clear()
        elif token.type not in _NO_CODE:
            statement.append(token.type)
    return found


@cache
def sizes() -> dict[str, int]:
    """The code tokens of each room; modules beside the rooms are `(root)`."""
    found = dict.fromkeys(ROOMS, 0)
    for path in PACKAGE.rglob("*.py"):
        inside = path.relative_to(PACKAGE).parts
        room = inside[0] if len(inside) > 1 else "(root)"
        found[room] = found.get(room, 0) + tokens(path.read_text(encoding="utf-8"))
    return found


def test_what_is_said_about_code_is_not_counted() -> None:
    documented = 'def twice(x):\n    """Two of it."""\n    # why\n\n    return x + x  # so\n'
    assert tokens(documented) == tokens("def twice(x):\n    return x + x\n") == 10


def test_each_room_has_a_limit() -> None:
    assert sizes().keys() == ROOMS.keys()


@each_row("room", ROOMS)
def test_a_room_is_within_its_limit(room: str) -> None:
    assert sizes()[room] <= ROOMS[room][0]


def test_the_whole_is_within_its_limit() -> None:
    assert sum(sizes().values()) <= ALL[0]


def _crossed(run: Callable[[], object]) -> tuple[int, int]:
    """How many modules and functions of the package a call goes through; a comprehension counts as one where it is."""
    found = set[tuple[str, str]]()

    def enter(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and PACKAGE in Path(code.co_filename).parents:
            found.add((code.co_filename, code.co_qualname))

    sys.setprofile(enter)
    try:
        run()
    finally:
        sys.setprofile(None)
    return len({module for module, _ in found}), len(found)


def crossed(folder: Path) -> dict[str, tuple[int, int]]:
    """The modules and functions that each of five calls crosses: the smallest of its kind, not the first."""
    root = folder / "root"
    root.mkdir()
    for name in "abcdef":
        (root / f"{name}.py").write_text("def total():\n    return one\n")
    with Workspace(root, state_dir=folder / "state") as workspace:

        def call(tool: str, arguments: dict[str, object]) -> None:
            answer = workspace.call(tool, arguments)
            assert not answer.is_error, answer.text

        def edit(name: str) -> None:
            edits = [{"search": "return one", "replace": "return two"}]
            call("edit_content", {"path": f"{name}.py", "edits": edits})

        def patch(name: str) -> None:
            hunk = "@@ -1,2 +1,2 @@\n def total():\n-    return one\n+    return two\n"
            call("apply_patch", {"patch": f"--- a/{name}.py\n+++ b/{name}.py\n{hunk}"})

        calls: dict[str, Callable[[str], object]] = {
            "edit_content": edit,
            "undo": lambda _: workspace.undo(workspace.newest()),
            "apply_patch": patch,
            "search_content": lambda _: call("search_content", {"pattern": "return"}),
            "read_content": lambda name: call("read_content", {"path": f"{name}.py"}),
        }
        found = dict[str, tuple[int, int]]()
        for names in ("aabbb", "ccdde"):
            for (tool, run), name in zip(calls.items(), names, strict=True):
                found[tool] = _crossed(partial(run, name))
        return found


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have functions of their own")
def test_a_warm_call_crosses_no_more(tmp_path: Path) -> None:
    for tool, (modules, functions) in crossed(tmp_path).items():
        assert (tool, modules) <= (tool, CROSSED[tool][0])
        assert (tool, functions) <= (tool, CROSSED[tool][2])


if __name__ == "__main__":
    rows = [(room, size, *ROOMS[room]) for room, size in sizes().items()]
    for row in [*rows, ("all", sum(sizes().values()), *ALL)]:
        print("{:12} {:8,}   limit {:8,}   goal {:8,}".format(*row))
    with TemporaryDirectory() as folder:
        for tool, (modules, functions) in crossed(Path(folder)).items():
            most, goal, most_functions, goal_functions = CROSSED[tool]
            print(f"{tool:15} {modules:3} modules    limit {most:3}   goal {goal:3}")
            print(f"{tool:15} {functions:3} functions  limit {most_functions:3}   goal {goal_functions:3}")
