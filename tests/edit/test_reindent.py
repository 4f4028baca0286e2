"""Statements wrapped, extended or removed by requests of another indentation.

The request begins inside an indent, is flat, or is moved to either side. The syntax tree of the result must
equal that of the whole request, unless the edit is refused.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable

import pytest
from tests.files import named

from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.errors import FilewrightError
from filewright.text.splice import apply_splices

Lines = list[str]


def made(rng: random.Random) -> tuple[Lines, int, int]:
    """A file of functions, and the first and last line of a statement in it."""
    lines: Lines = []
    statements: list[tuple[int, int]] = []
    for number in range(rng.randint(1, 3)):
        depth = rng.choice([4, 4, 8])
        lines += (
            [f"def f{number}():"]
            if depth == 4
            else [f"class C{number}:", "    def f(self):"]
        )
        for at in range(rng.randint(1, 4)):
            start, blank = len(lines), " " * depth
            match rng.randrange(3):
                case 0:
                    lines.append(f"{blank}go{number}{at}()")
                case 1:
                    lines += [
                        f"{blank}if x{number}{at}:",
                        f"{blank}    run{number}{at}()",
                    ]
                case _:
                    lines += [
                        f"{blank}call{number}{at}(",
                        f"{blank}    a, b",
                        f"{blank})",
                    ]
            statements.append((start, len(lines)))
        lines.append("")
    return lines, *rng.choice(statements)


def changed(rng: random.Random, old: Lines) -> Lines:
    """The statement wrapped, with another before or behind it, gone, or changed."""
    blank = old[0][: len(old[0]) - len(old[0].lstrip())]
    return rng.choice(
        [
            [f"{blank}if brand_new:", *(f"    {line}" for line in old)],
            [f"{blank}brand_new()", *old],
            [*old, f"{blank}brand_new()"],
            [f"{blank}pass"],
            [old[0].replace("0", "9"), *old[1:]],
        ]
    )


def _first(rng: random.Random, lines: Lines) -> Lines:
    return [lines[0].lstrip(), *lines[1:]]


def _partly(rng: random.Random, lines: Lines) -> Lines:
    return [lines[0][2:], *lines[1:]]


def _flat(rng: random.Random, lines: Lines) -> Lines:
    return [line.lstrip() for line in lines]


def _dedented(rng: random.Random, lines: Lines) -> Lines:
    common = len(lines[0]) - len(lines[0].lstrip())
    return [line[common:] for line in lines]


def _moved(rng: random.Random, lines: Lines) -> Lines:
    return [f"   {line}" for line in lines]


WAYS: dict[str, Callable[[random.Random, Lines], Lines]] = {
    "the first line's indentation is lost": _first,
    "a part of it is lost": _partly,
    "all indentation is lost": _flat,
    "moved to the left margin": _dedented,
    "moved to the right": _moved,
}


@pytest.mark.parametrize(
    "count", [80, pytest.param(2_000, marks=pytest.mark.sweep)]
)
@pytest.mark.parametrize("way", WAYS)
def test_writes_code_that_compiles_alike(way: str, count: int) -> None:
    rng = random.Random(way)
    failures, applied = [], 0
    for _ in range(count):
        lines, start, end = made(rng)
        old = lines[start:end]
        new = changed(rng, old)
        file, right = (
            "\n".join(lines),
            "\n".join([*lines[:start], *new, *lines[end:]]),
        )
        search, replace = (
            "\n".join(WAYS[way](rng, part)) for part in (old, new)
        )
        last = rng.choice(["", "\n"])
        if search == replace or file.count(search) > 1:
            continue
        try:
            planned = plan_edits(
                named("a.py", file.encode()),
                [TextEdit(search + last, replace + last)],
            )
        except FilewrightError:
            continue
        applied += 1
        result = apply_splices(file.encode(), planned.splices).decode()
        try:
            same = ast.dump(ast.parse(result)) == ast.dump(ast.parse(right))
        except SyntaxError:
            same = False
        if not same:
            failures.append((search + last, replace + last, result))
    assert not failures, f"{len(failures)} of {applied}: {failures[:3]}"
    assert applied >= count // 7
