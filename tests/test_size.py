"""The package does not grow unnoticed: each room has a limit in code tokens, which is only ever lowered.

A room that needs more says in its front page which promise the surplus pays for, and raises its row in the same
commit. Whoever makes a room smaller lowers its limit. `python -m tests.test_size` prints what is there.
"""

from __future__ import annotations

import io
import tokenize
from functools import cache
from pathlib import Path

from tests.rows import each_row

import filewright

PACKAGE = Path(filewright.__file__).parent

ROOMS = {
    # room: (limit, goal), in code tokens
    "changes": (63_407, 42_000),
    "edit": (54_970, 40_000),
    "tools": (46_268, 32_000),
    "structure": (21_992, 20_500),
    "system": (22_322, 23_000),
    "boundary": (19_902, 20_000),
    "dialects": (13_699, 13_000),
    "search": (15_981, 16_000),
    "text": (12_620, 13_000),
    "server": (12_951, 13_000),
    "cli": (14_992, 12_000),
    "page": (13_900, 14_000),
    "(root)": (9_799, 11_900),
}
ALL = (322_983, 270_000)

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


if __name__ == "__main__":
    rows = [(room, size, *ROOMS[room]) for room, size in sizes().items()]
    for row in [*rows, ("all", sum(sizes().values()), *ALL)]:
        print("{:12} {:8,}   limit {:8,}   goal {:8,}".format(*row))
