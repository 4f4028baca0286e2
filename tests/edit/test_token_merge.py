"""Text that search and replacement share stays the file's own, in every file, request and tier.

The search text is made of words; the file spells it in another way, which a tier ignores; the replacement
changes words, adds lines and removes lines. The generator knows each byte that must come out.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.edit.cases import Desk
from tests.examples import examples
from tests.files import named

from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.errors import FilewrightError
from filewright.text.splice import apply_splices

SHAPES = {
    "a.py": ["{0} = {1}({2}, '{3}')", "{0}.{1}(\"{2}\") - {3}  # it's {4}", "return {0}[{1}] - {2}", "# the {0} isn't - as {1} says - \"{2}\""],
    "a.js": ["const {0} = {1}(\"{2}\", {3});", "{0}.{1}('{2}'); // it's {3}", "{0}({1} - {2});", "// the {0} of \"{1}\" - {2}"],
    "a.md": ["The {0} of {1} isn't \"{2}\" - so {3}.", "- {0} is {1}, and {2} - {3}", "Café {0} and {1} über {2}.", "{0} {1} {2} {3} {4}"],
    "a.tsv": ["{0} {1} {2} {3}", "{0} {1} \"{2}\" {3} {4}"],
    "a.c": ["int {0} = {1}({2}, \"{3}\");", "{0}->{1} = {2} - {3}; /* it's {4} */", "{0}({1}, {2});"],
}  # fmt: skip


class Line(NamedTuple):
    """A line in three ways: as it is asked for, as the file has it, and as it must be afterwards; None is no line."""

    asked: str | None
    own: str | None
    wanted: str | None
    result: str | None


class Request(NamedTuple):
    name: str
    file: str
    search: str
    replace: str
    expected: str


Way = Callable[[random.Random, str], str]


def _curled(rng: random.Random, text: str) -> str:
    text = re.sub(r'"([^"]*)"', "“\\1”", text)
    text = re.sub(r"(?<=\w)'(?=\w)", "’", text)
    return text.replace(" - ", f" {rng.choice('–—')} ")


def _spaced(rng: random.Random, text: str) -> str:
    return re.sub(
        r"(?<=\S) +(?=\S)",
        lambda match: rng.choice([match[0], "   ", "\t", " \t"]),
        text,
    )


def _no_break(rng: random.Random, text: str) -> str:
    return re.sub(
        r"(?<=\w) (?=\w)", lambda _: rng.choice([" ", "\u00a0", "\u202f"]), text
    )


def _decomposed(rng: random.Random, text: str) -> str:
    return unicodedata.normalize("NFD", text)


WAYS: dict[str, Way] = {
    "as it is": lambda rng, text: text,
    "trailing": lambda rng, text: text + rng.choice(["", " ", "  ", "\t"]),
    "quotes": _curled,
    "no-break": _no_break,
    "decomposed": _decomposed,
    "blanks": _spaced,
    "all of it": lambda rng, text: _spaced(rng, _no_break(rng, _curled(rng, _decomposed(rng, text)))) + rng.choice(["", " "]),
}  # fmt: skip
INDENTS = [
    ("", ""),
    ("    ", ""),
    ("\t", "    "),
    ("        ", "    "),
    ("  ", ""),
]
"""Indentation of the file and of the request."""


def _line(
    rng: random.Random, way: Way, name: str, words: list[str]
) -> tuple[str, list[str]]:
    shape = rng.choice(SHAPES[name])
    used = [words.pop() for _ in range(len(set(re.findall(r"\{\d\}", shape))))]
    return shape, used


def made(seed: int, way: str, *, blank_lines: bool = False) -> Request:
    """A request, the file that it is made for, and what must come of it."""
    rng = random.Random(seed)
    name = rng.choice([*SHAPES])
    words = [
        f"{rng.choice(['load', 'item', 'user', 'north', 'path'])}{number}"
        for number in range(400)
    ]
    rng.shuffle(words)
    own_indent, asked_indent = (
        rng.choice(INDENTS) if name != "a.tsv" else ("", "")
    )
    first = rng.randrange(2)
    lines: list[Line] = []
    for at in range(first, first + rng.randint(1, 6)):
        shape, used = _line(rng, WAYS[way], name, words)
        asked = shape.format(*used)
        state = rng.getstate()
        own = WAYS[way](rng, asked)
        # Beside a line that goes or comes nothing else changes: what belongs to which would be a matter of taste.
        kind = (
            rng.choice(["change", "change", "drop", "add"])
            if at % 2 and rng.random() < 0.8
            else "keep"
        )
        if kind == "change":
            # Each way says a word as it is said, so that the result is the changed line said in the same way.
            other = list(used)
            for index in rng.sample(
                range(len(used)), rng.randint(1, min(2, len(used)))
            ):
                other[index] = f"new{words.pop()}"
            rng.setstate(state)
            wanted, result = (
                shape.format(*other),
                WAYS[way](rng, shape.format(*other)),
            )
            if not name.endswith((".md", ".tsv")):
                # Blanks at the end of a line mean something in prose; in code they are as the request has them.
                result = result.rstrip()
            lines.append(
                Line(
                    asked_indent + asked,
                    own_indent + own,
                    asked_indent + wanted,
                    own_indent + result,
                )
            )
        elif kind == "drop":
            lines.append(
                Line(asked_indent + asked, own_indent + own, None, None)
            )
        else:
            lines.append(
                Line(
                    asked_indent + asked,
                    own_indent + own,
                    asked_indent + asked,
                    own_indent + own,
                )
            )
        if kind == "add":
            new = f"brand_new{rng.randrange(1000)}(x)"
            lines.append(Line(None, None, asked_indent + new, own_indent + new))
        if blank_lines and kind in ("keep", "change") and rng.random() < 0.4:
            lines.append(Line(None, "", None, ""))
        if kind == "drop" and len(lines) > 1 and lines[-2].own == "":
            del lines[-2]
    while lines[-1].own == "":
        lines.pop()
    head = [f"first {number}" for number in range(rng.randint(0, 3))]
    tail = [f"last {number}" for number in range(rng.randint(0, 3))]
    ends = rng.choice([["\n"], ["\r\n"], ["\n", "\r\n"]])
    file, expected = "", ""
    for line in [
        *(Line(None, text, None, text) for text in head),
        *lines,
        *(Line(None, text, None, text) for text in tail),
    ]:
        end = rng.choice(ends)
        if line.own is None:
            # A new line ends as the one above it, which may be the file's or new.
            end = (
                re.search(r"\r?\n$", expected)
                or re.search(r"\r?\n$", file)
                or ["\n"]
            )[0]
        else:
            file += line.own + end
        if line.result is not None:
            expected += line.result + end
    search = "".join(
        f"{line.asked}\n" for line in lines if line.asked is not None
    )
    replace = "".join(
        f"{line.wanted}\n" for line in lines if line.wanted is not None
    )
    return Request(name, file, search, replace, expected)


def done(request: Request) -> str | None:
    """The file after the edit; None if it was refused."""
    data = request.file.encode()
    try:
        planned = plan_edits(
            named(request.name, data),
            [TextEdit(request.search, request.replace)],
        )
    except FilewrightError:
        return None
    return apply_splices(data, planned.splices).decode()


CASES = st.builds(
    made,
    st.integers(0, 1 << 40),
    st.sampled_from([*WAYS]),
    blank_lines=st.booleans(),
)


@examples(75, derandomize=True)
@given(request=CASES)
def test_applies_only_the_difference(request: Request) -> None:
    result = done(request)
    assert result in (None, request.expected)


@pytest.mark.parametrize(
    "count", [40, pytest.param(2_000, marks=pytest.mark.sweep)]
)
@pytest.mark.parametrize("way", WAYS)
def test_applies_most_requests(way: str, count: int) -> None:
    requests = [made(seed, way) for seed in range(count)]
    results = [
        done(request)
        for request in requests
        if request.search != request.replace
    ]
    assert results.count(None) <= len(results) // 20


def as_patch(request: Request, *, numbered: bool) -> str:
    """The request as a hunk: lines that the texts share at their ends are context."""
    old, new = request.search.splitlines(), request.replace.splitlines()
    above = 0
    while above < min(len(old), len(new)) and old[above] == new[above]:
        above += 1
    rows = [f" {line}" for line in old[:above]]
    rows += [f"-{line}" for line in old[above:]] + [
        f"+{line}" for line in new[above:]
    ]
    if numbered:
        first = (
            request.file.replace("\r\n", "\n")
            .split("\n")
            .index(next(iter(request.file.splitlines())))
            + 1
        )
        head = f"--- a/{request.name}\n+++ b/{request.name}\n@@ -{first},{len(old)} +{first},{len(new)} @@\n"
        return head + "\n".join(rows) + "\n"
    return "\n".join(
        [
            "*** Begin Patch",
            f"*** Update File: {request.name}",
            "@@",
            *rows,
            "*** End Patch",
            "",
        ]
    )


@pytest.mark.parametrize(
    "count", [4, pytest.param(2_000, marks=pytest.mark.sweep)]
)
@pytest.mark.parametrize("numbered", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_patch_applies_only_the_difference(
    desk: Desk, way: str, numbered: bool, count: int
) -> None:
    failures = []
    for seed in range(count):
        request = made(1000 + seed, way, blank_lines=seed % 2 == 0)
        if request.search != request.replace:
            result = desk.patch(
                request.name, request.file, as_patch(request, numbered=numbered)
            )
            if result.text not in (None, request.expected):
                failures.append((request, result.text))
    assert not failures, failures[:3]
