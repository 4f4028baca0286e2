"""Does an edit land where it should, and nowhere else? Scored on the history of any git repository.

    python -m bench edits PATH/TO/REPOSITORY ... [--changes 200] [--seed 0] [--classes a,b] [--json FILE]

Every change of the history that touches one stretch of one text file is a true edit: its old lines
with some context are the search text, the new lines the replacement, the file after it the expected
result. From each, requests are made as models make them, one class of mistake at a time, and requests
that must be refused. The table says for each class how many were applied correctly, noted (at the right
place, with the damage of the replacement as it was given, and a note that says so), were left without
that note (unnoted), were applied lossily (right place, but bytes nobody asked to change), were missed, or
ended WRONG (elsewhere or mangled, or applied where they had to be refused).

git is only asked to read objects: no hooks, no configuration, no filters, no network.
"""

from __future__ import annotations

import argparse
import codecs
import html
import json
import os
import random
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from bench.generator.damages import INSIDE, KINDS, LEFT_OUT
from filewright.boundary.location import Location, Root
from filewright.edit.linediff import align
from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.errors import Code, FilewrightError
from filewright.system import Folder
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices

MOST_BYTES = 64 << 10
CONTEXT = (1, 2, 3)
SUFFIXES = tuple(
    f".{suffix}"
    for suffix in re.findall(
        r"\w+",
        "c cc cfg cpp cs css go h hpp html java js json kt lua md php py rb rs rst scala sh sql swift toml "
        "ts tsx txt yaml yml",
    )
)
HISTORY = Root("history", b"/history", cast(Folder, None), (1, 1))
"""A root that is not opened: nothing is read from below it."""
REFUSALS = {
    Code.NO_MATCH,
    Code.AMBIGUOUS_MATCH,
    Code.ALREADY_APPLIED,
    Code.INVALID_INPUT,
    Code.NO_CHANGE,
    Code.STALE_VERSION,
}


@dataclass(frozen=True)
class Change:
    """One stretch of a file changed: the lines around it, the lines before and after."""

    above: list[str]
    old: list[str]
    new: list[str]
    below: list[str]
    context: int
    ended: bool
    name: str = "the text"

    @property
    def head(self) -> list[str]:
        """The context above."""
        return self.above[
            len(self.above) - min(self.context, len(self.above)) :
        ]

    @property
    def tail(self) -> list[str]:
        """The context below."""
        return self.below[: self.context]

    @property
    def search(self) -> list[str]:
        """The lines asked for."""
        return [*self.head, *self.old, *self.tail]

    @property
    def replace(self) -> list[str]:
        """The lines wanted."""
        return [*self.head, *self.new, *self.tail]

    def file(self, middle: Sequence[str], *, ending: str = "\n") -> str:
        """The file with `middle` for the lines asked for."""
        rest = self.above[: len(self.above) - len(self.head)]
        lines = [*rest, *middle, *self.below[len(self.tail) :]]
        return ending.join(lines) + (ending if self.ended else "")


@dataclass(frozen=True)
class Request:
    """One request; `expected` None where it must be refused; `either` where a refusal is as right.

    `literal` is the file with the replacement as it was given, damage and all. Under `same` two texts are one that
    differ in the damage alone.
    """

    file: str
    search: str
    replace: str
    expected: str | None
    base: str | None = None
    either: bool = False
    literal: str | None = None
    same: Callable[[str], str] | None = None


Maker = Callable[[Change, random.Random], Request | None]
MAKERS: dict[str, Maker] = {}


def makes(maker: Maker) -> Maker:
    """Register a class of requests under its function's name."""
    MAKERS[maker.__name__] = maker
    return maker


def text(lines: Sequence[str], *, ended: bool = True) -> str:
    """Lines as a text."""
    return "\n".join(lines) + ("\n" if ended and lines else "")


def asked(
    change: Change,
    damage: Callable[[str], str],
    *,
    replaced: bool = True,
) -> Request | None:
    """The request with each line of search (and replace) damaged; None if that changes nothing."""
    search = [damage(line) for line in change.search]
    replace = (
        [damage(line) for line in change.replace]
        if replaced
        else change.replace
    )
    if search == change.search or text(search) in change.file(change.search):
        return None
    return Request(
        change.file(change.search),
        text(search),
        text(replace),
        change.file(change.replace),
    )


def there(change: Change, damage: Callable[[str], str]) -> Request | None:
    """The plain request of a file whose lines there are damaged; changed lines come as they are wanted."""
    if any(
        block and change.head and block[-1] == change.head[-1]
        for block in (change.old, change.new)
    ):
        return None  # which of two equal lines was kept, nobody can say
    there = [damage(line) for line in change.search]
    if there == change.search:
        return None
    if any(
        Counter(change.replace)[line] > count
        for line, count in Counter(change.search).items()
        if line.strip()
    ):
        return None  # which of them is new, nobody can say
    head, tail = (
        there[: len(change.head)],
        there[len(there) - len(change.tail) :],
    )
    tail = tail if change.tail else []
    kept = list(change.new)
    for match in align(change.old, change.new):
        for step in range(match.length):
            kept[match.right + step] = there[
                len(change.head) + match.left + step
            ]
    return Request(
        change.file(there),
        text(change.search),
        text(change.replace),
        change.file([*head, *kept, *tail]),
    )


@makes
def exact(change: Change, _: random.Random) -> Request | None:
    """The text as it is."""
    return Request(
        change.file(change.search),
        text(change.search),
        text(change.replace),
        change.file(change.replace),
    )


@makes
def crlf_file(change: Change, _: random.Random) -> Request | None:
    """The file has CRLF, the request LF."""
    return Request(
        change.file(change.search, ending="\r\n"),
        text(change.search),
        text(change.replace),
        change.file(change.replace, ending="\r\n"),
    )


@makes
def trailing_blanks_in_file(
    change: Change, chance: random.Random
) -> Request | None:
    """The file has blanks at ends of lines that the request dropped."""
    request = there(
        change, lambda line: line + chance.choice(["", " ", "  ", "\t"])
    )
    # In prose two blanks break a line, so a line that changes may keep them.
    return request and replace(
        request, same=lambda text: re.sub(r"[ \t]+$", "", text, flags=re.M)
    )


@makes
def trailing_blanks_in_request(
    change: Change, chance: random.Random
) -> Request | None:
    """The search text has blanks at ends of lines that the file has not."""
    return asked(
        change,
        lambda line: line.rstrip() + chance.choice(["", " ", "  "]),
        replaced=False,
    )


@makes
def dedented(change: Change, _: random.Random) -> Request | None:
    """The request was moved to the left margin."""
    solid = [line for line in (*change.search, *change.replace) if line.strip()]
    indents = [line[: len(line) - len(line.lstrip(" \t"))] for line in solid]
    common = min(indents, key=len)
    if not all(indent.startswith(common) for indent in indents):
        return None
    return (
        asked(change, lambda line: line.removeprefix(common))
        if common
        else None
    )


@makes
def indented_too_far(change: Change, chance: random.Random) -> Request | None:
    """The request was moved to the right."""
    more = chance.choice(["  ", "    "])
    return asked(change, lambda line: more + line if line.strip() else line)


@makes
def tabs_for_spaces(change: Change, _: random.Random) -> Request | None:
    """The request has tabs where the file has four spaces."""
    lines = [line for line in (*change.search, *change.replace) if line.strip()]
    indents = {len(line) - len(line.lstrip(" ")) for line in lines}
    if any(line.lstrip(" ").startswith("\t") for line in lines) or any(
        n % 4 for n in indents
    ):
        return None
    return asked(
        change,
        lambda line: re.sub(
            "^ +", lambda match: "\t" * (len(match[0]) // 4), line
        ),
    )


@makes
def quotes_in_request(change: Change, _: random.Random) -> Request | None:
    """The request has typographic quotes where the file has plain ones."""
    if not text([*change.search, *change.replace]).isascii():
        return None
    return asked(change, lambda line: re.sub('"([^"]*)"', "“\\1”", line))


@makes
def quotes_in_file(change: Change, _: random.Random) -> Request | None:
    """The file has typographic apostrophes and no-break spaces where the request has plain ones."""

    def typeset(text: str) -> str:
        return re.sub(
            r"(?<=\w)'(?=\w)",
            "’",
            re.sub(r"(?<=\w) (?=of |the )", "\u00a0", text),
        )

    request = there(change, typeset)
    # What stays of a line that changes is the file's, and what is new may follow it.
    return request and replace(
        request, same=lambda text: text.replace("’", "'").replace("\u00a0", " ")
    )


@makes
def blank_line_dropped(change: Change, _: random.Random) -> Request | None:
    """The search text lacks a blank line that the file has."""
    inner = change.search[1:-1]
    if all(line.strip() for line in inner) or not change.search[-1].strip():
        return None
    search = [
        change.search[0],
        *(line for line in inner if line.strip()),
        change.search[-1],
    ]
    return Request(
        change.file(change.search),
        text(search),
        text(change.replace),
        change.file(change.replace),
    )


@makes
def blank_lines_at_edges(
    change: Change, chance: random.Random
) -> Request | None:
    """Search and replacement begin or end with blank lines that the file has not."""
    lead, trail = chance.choice([("\n", ""), ("", "\n\n"), ("\n", "\n")])
    return Request(
        change.file(change.search),
        lead + text(change.search) + trail,
        lead + text(change.replace) + trail,
        change.file(change.replace),
    )


@makes
def line_numbers(change: Change, chance: random.Random) -> Request | None:
    """Line numbers were copied in."""
    form = chance.choice(
        ["{}\t{}", "{:>6}\t{}", "{}: {}", "{} | {}", "L{}: {}", "{:>4}→{}"]
    )
    first = len(change.above) - len(change.head) + 1

    def numbered(lines: Sequence[str]) -> str:
        return text(
            [
                form.format(first + index, line)
                for index, line in enumerate(lines)
            ]
        )

    both = chance.random() < 0.5
    return Request(
        change.file(change.search),
        numbered(change.search),
        numbered(change.replace) if both else text(change.replace),
        change.file(change.replace),
    )


@makes
def code_fence(change: Change, chance: random.Random) -> Request | None:
    """A code fence was copied in."""
    if "```" in text([*change.search, *change.replace]):
        return None
    fence = chance.choice(["```\n", "```text\n"])
    replace = text(change.replace)
    return Request(
        change.file(change.search),
        fence + text(change.search) + "```\n",
        fence + replace + "```\n" if chance.random() < 0.5 else replace,
        change.file(change.replace),
    )


@makes
def escaped(change: Change, _: random.Random) -> Request | None:
    """The texts were escaped once too often."""

    def doubled(lines: Sequence[str]) -> str:
        return json.dumps(text(lines, ended=False), ensure_ascii=False)[1:-1]

    if len(change.search) < 2:
        return None
    return Request(
        change.file(change.search),
        doubled(change.search),
        doubled(change.replace),
        change.file(change.replace),
    )


@makes
def elided(change: Change, chance: random.Random) -> Request | None:
    """Lines that both keep are left out with dots."""
    below = change.below[: change.context + 6]
    if (
        len(below) < change.context + 6
        or not change.tail
        or not below[-1].strip()
    ):
        return None
    dots = chance.choice(["...", "# ... existing code ...", "// ..."])
    if dots == "..." and change.name.endswith((".py", ".pyi")):
        dots = "# ..."  # bare dots are an expression there
    if change.file(change.search).count(text(below[-1:])) != 1:
        return None
    return Request(
        change.file(change.search),
        text([*change.search, dots, below[-1]]),
        text([*change.replace, dots, below[-1]]),
        change.file(change.replace),
    )


@makes
def typo_in_comment(change: Change, chance: random.Random) -> Request | None:
    """One word of a comment was misspelled in the request."""
    for index, line in enumerate(change.search):
        words = list(re.finditer(r"(?<=[a-z] )[a-z]{5,}(?= [a-z])", line))
        if words and re.match(r"\s*(#|//|\*) ", line):
            word = chance.choice(words)
            at = chance.randrange(1, len(word[0]) - 2)
            typo = (
                word[0][:at] + word[0][at + 1] + word[0][at] + word[0][at + 2 :]
            )
            if typo == word[0]:
                continue
            wrong = line[: word.start()] + typo + line[word.end() :]
            search = [
                *change.search[:index],
                wrong,
                *change.search[index + 1 :],
            ]
            return Request(
                change.file(change.search),
                text(search),
                text(change.replace),
                change.file(change.replace),
                either=True,
            )
    return None


@makes
def near_decoy(change: Change, chance: random.Random) -> Request | None:
    """A copy with one token changed stands elsewhere, and the request is loose."""
    copy = token_changed(change, chance)
    request = indented_too_far(change, chance)
    if copy is None or request is None or not change.ended:
        return None
    return Request(
        request.file + text(copy),
        request.search,
        request.replace,
        str(request.expected) + text(copy),
    )


@makes
def several_at_once(change: Change, chance: random.Random) -> Request | None:
    """A CRLF file, numbered and moved lines."""
    request = line_numbers(change, chance)
    if request is None or request.expected is None:
        return None
    return Request(
        request.file.replace("\n", "\r\n"),
        request.search.replace("\n", " \n"),
        request.replace,
        request.expected.replace("\n", "\r\n"),
    )


def attacked(
    change: Change, search: Sequence[str], replace: Sequence[str] | None = None
) -> Request | None:
    """The true change asked for with another search text, which says it right or says nothing."""
    if (
        not change.ended
        or list(search) == change.search
        or text(search).strip() in change.file(change.search)
    ):
        return None
    wanted = text(change.replace if replace is None else replace)
    return Request(
        change.file(change.search),
        text(search),
        wanted,
        change.file(change.replace),
        either=True,
    )


def inside(change: Change) -> list[int]:
    """The lines with text of the search text but for its first and its last."""
    return [index for index, line in enumerate(change.search) if line.strip()][
        1:-1
    ]


@makes
def a_line_dropped(change: Change, chance: random.Random) -> Request | None:
    """A line of the search text is missing."""
    if not inside(change):
        return None
    at = chance.choice(inside(change))
    return attacked(change, [*change.search[:at], *change.search[at + 1 :]])


@makes
def a_line_doubled(change: Change, chance: random.Random) -> Request | None:
    """A line of the search text is there twice."""
    if not inside(change):
        return None
    at = chance.choice(inside(change))
    return attacked(change, [*change.search[: at + 1], *change.search[at:]])


@makes
def two_lines_swapped(change: Change, chance: random.Random) -> Request | None:
    """Two lines of the search text stand in each other's place."""
    if len(inside(change)) < 2:
        return None
    one, other = chance.sample(inside(change), 2)
    search = list(change.search)
    search[one], search[other] = search[other], search[one]
    return attacked(change, search)


@makes
def a_word_renamed(change: Change, chance: random.Random) -> Request | None:
    """One word of the search text is another word of the file."""
    words = sorted(set(re.findall(r"[A-Za-z_]{4,}", text(change.search))))
    others = sorted(
        set(re.findall(r"[A-Za-z_]{4,}", change.file([]))) - set(words)
    )
    if not words or not others:
        return None
    word, other = chance.choice(words), chance.choice(others)
    return attacked(
        change,
        re.sub(rf"\b{word}\b", other, text(change.search))
        .removesuffix("\n")
        .split("\n"),
    )


@makes
def a_slip_in_an_indent(
    change: Change, chance: random.Random
) -> Request | None:
    """A blank too much or too few before one line of the search text."""
    at = chance.randrange(len(change.search))
    line = change.search[at]
    if not line.strip():
        return None
    slipped = (
        line[1:]
        if line.startswith(" ") and chance.random() < 0.5
        else f" {line}"
    )
    return attacked(
        change, [*change.search[:at], slipped, *change.search[at + 1 :]]
    )


@makes
def only_the_search_indented(
    change: Change, chance: random.Random
) -> Request | None:
    """The search text is moved to the right, and the replacement is in the file's indentation."""
    more = chance.choice(["  ", "    ", "\t"])
    return attacked(
        change,
        [more + line if line.strip() else line for line in change.search],
    )


@makes
def a_near_twin(change: Change, chance: random.Random) -> Request | None:
    """A copy with one token changed stands elsewhere, and a word of the search text is misspelled."""
    copy, misspelled = (
        token_changed(change, chance),
        typo_in_comment(change, chance),
    )
    if copy is None or misspelled is None or not change.ended:
        return None
    return Request(
        misspelled.file + text(copy), misspelled.search, misspelled.replace,
        str(misspelled.expected) + text(copy), either=True,
    )  # fmt: skip


@makes
def numbers_of_an_older_text(
    change: Change, _: random.Random
) -> Request | None:
    """Line numbers were copied in, and three lines have gone since."""
    first = len(change.above) - len(change.head) + 4
    search = [
        f"{first + index}: {line}" for index, line in enumerate(change.search)
    ]
    return attacked(
        change,
        search,
        [
            f"{first + index}: {line}"
            for index, line in enumerate(change.replace)
        ],
    )


@makes
def a_marker_in_the_replacement(
    change: Change, chance: random.Random
) -> Request | None:
    """The replacement alone leaves lines out."""
    mark = chance.choice(
        ["# ... existing code ...", "// ... rest of the code unchanged ..."]
    )
    if len(change.replace) < 3 or "existing code" in change.file(change.search):
        return None
    replace = [change.replace[0], mark, change.replace[-1]]
    if not {*filter(str.strip, change.search)} - {*replace}:
        return None  # no line goes
    return Request(
        change.file(change.search), text(change.search), text(replace), None
    )


def partly(
    change: Change,
    search: Sequence[str],
    replace: Sequence[str],
    *,
    ended: bool = True,
) -> Request | None:
    """The true change with damage in either text, or in a part: the true result or a refusal."""
    asked, wanted = text(search, ended=ended), text(replace, ended=ended)
    if not change.ended or (
        asked == text(change.search) and wanted == text(change.replace)
    ):
        return None
    if list(search) != change.search and asked.strip("\n") in change.file(
        change.search
    ):
        return None  # the text is there as it is, here or elsewhere
    as_given = None
    if [line.rstrip() for line in search] == [
        line.rstrip() for line in change.search
    ]:
        as_given = change.file(
            wanted.removesuffix("\n").split("\n") if wanted else []
        )
    right = change.file(change.replace)
    return Request(
        change.file(change.search),
        asked,
        wanted,
        right,
        either=True,
        literal=as_given,
    )


def quoted(line: str) -> str:
    """A line with its quotes escaped."""
    return re.sub(r"([\"'])", r"\\\1", line)


def some(
    change: Change, chance: random.Random, damage: Callable[[str], str]
) -> Request | None:
    """Damage line by line: in both texts, in one of them, or in the lines that are new."""
    search, replace = change.search, change.replace
    kind = chance.randrange(4)
    if kind in (0, 1):
        search = [damage(line) for line in search]
    if kind in (0, 2):
        replace = [damage(line) for line in replace]
    if kind == 3:
        replace = [line if line in search else damage(line) for line in replace]
    if search == change.search:
        # What a string of a new line says may be meant so.
        pairs = zip(change.replace, replace, strict=True)
        replace = [
            line
            if line not in change.search and re.search("[\"'`]", line)
            else one
            for line, one in pairs
        ]
    return partly(change, search, replace)


@makes
def quotes_escaped(change: Change, chance: random.Random) -> Request | None:
    """Quotes are escaped, in both texts or in a part."""
    kind = chance.choice(['"', "'", "\"'"])
    return some(
        change, chance, lambda line: re.sub(rf"([{kind}])", r"\\\1", line)
    )


@makes
def backslashes_doubled(
    change: Change, chance: random.Random
) -> Request | None:
    """Backslashes are doubled in the search text, or in both; in the replacement alone that is a request."""
    search, replace = (
        [line.replace("\\", "\\\\") for line in one]
        for one in (change.search, change.replace)
    )
    if search == change.search:
        return None
    return partly(
        change, search, replace if chance.random() < 0.5 else change.replace
    )


@makes
def escapes_undone(change: Change, chance: random.Random) -> Request | None:
    """A newline, a tab or a quote that a string says is there as itself; of new lines it may be wanted."""
    said, meant = chance.choice([("\\n", "\n"), ("\\t", "\t"), ('\\"', '"')])

    def undone(lines: Sequence[str]) -> list[str]:
        return [
            re.sub(rf"(?<!\\){re.escape(said)}", meant, line) for line in lines
        ]

    search = undone(change.search)
    if search == change.search:
        return None
    return partly(
        change,
        search,
        undone(change.replace) if chance.random() < 0.5 else change.replace,
    )


@makes
def entities(change: Change, chance: random.Random) -> Request | None:
    """Signs of markup are entities, in both texts or in a part."""
    full = chance.random() < 0.5
    return some(
        change, chance, lambda line: as_entities(change, line, quote=full)
    )


def as_entities(change: Change, line: str, *, quote: bool) -> str:
    """A line with entities for its signs; in markup they are text."""
    markup = change.name.endswith(
        (".html", ".xml", ".vue", ".svelte", ".jsx", ".tsx", ".php")
    )
    return line if markup else html.escape(line, quote=quote)


@makes
def newlines_said(change: Change, chance: random.Random) -> Request | None:
    """A text came as one line: both, or one of them, with their quotes escaped or not."""
    if any(line.endswith("\\") for line in (*change.search, *change.replace)):
        return None  # the newline behind it cannot be told from a backslash that is said
    texts = []
    for lines, damaged in zip(
        (change.search, change.replace),
        chance.choice([(1, 1), (1, 0), (0, 1)]),
        strict=True,
    ):
        escapes: list[Callable[[str], str]] = [
            quoted,
            str,
            lambda line: json.dumps(line, ensure_ascii=False)[1:-1],
        ]
        escape = chance.choice(escapes)
        texts.append(["\\n".join(map(escape, lines))] if damaged else lines)
    return partly(change, *texts, ended=False)


@makes
def diff_prefixes(change: Change, chance: random.Random) -> Request | None:
    """Lines bear the signs of a diff: all, or the new ones only."""
    if re.search(r"^\+", change.file(change.search), re.MULTILINE):
        return None
    # Where no sign is before the other lines of a text, a plus may be an item's.
    blank = (
        " "
        if change.name.endswith((".md", ".rst", ".txt"))
        else chance.choice([" ", ""])
    )
    kept = {line for line in change.replace if line in change.search}
    replace = [
        (blank if line in kept else "+") + line for line in change.replace
    ]
    if chance.random() < 0.3:
        replace = [*(f"-{line}" for line in change.old), *replace]
    return partly(change, [blank + line for line in change.search], replace)


def scaled(line: str, width: int, other: int) -> str:
    """A line with each step of its indent of another width."""
    indent = len(line) - len(line.lstrip(" "))
    return " " * (indent // width * other + indent % width) + line[indent:]


@makes
def odd_indentation(change: Change, chance: random.Random) -> Request | None:
    """The search text has another unit or lies some columns aside; the replacement may have a third."""
    kind = chance.randrange(3)
    if kind == 0:
        more = " " * chance.choice([1, 2, 3, 4, 8])
        return partly(
            change,
            [more + line if line.strip() else line for line in change.search],
            change.replace,
        )
    width, other = chance.choice([(4, 2), (2, 4), (4, 8), (4, 3), (2, 3)])
    third = other if kind == 1 else chance.choice([width, 2, 4, 8])
    search = [scaled(line, width, other) for line in change.search]
    if any(
        (len(line) - len(line.lstrip(" "))) % width
        for line in (*change.search, *change.replace)
    ):
        return None  # columns beside the steps are of no unit
    if search == change.search:
        return None  # the text is there as it is, and the replacement is taken literally
    return partly(
        change, search, [scaled(line, width, third) for line in change.replace]
    )


@makes
def other_separators(change: Change, chance: random.Random) -> Request | None:
    """Line numbers are set off otherwise in the replacement, or in its new lines."""
    forms = [
        "{}: {}",
        "{}:  {}",
        "{}:{}",
        "{} {}",
        "{}| {}",
        "{}|{}",
        "{}\t{}",
        "{}\t {}",
        "{}. {}",
    ]
    one, other = chance.choice(forms), chance.choice(forms)
    first = len(change.above) - len(change.head) + 1
    whole = chance.random() < 0.5
    if not whole and one.replace(" ", "") == other.replace(" ", ""):
        return None  # a line that is some blanks deeper, and nothing says that it is not
    search = [
        one.format(first + at, line) for at, line in enumerate(change.search)
    ]
    replace = [
        (other if whole or line not in change.search else one).format(
            first + at, line
        )
        for at, line in enumerate(change.replace)
    ]
    return partly(change, search, replace)


@makes
def damage_in_the_replacement_alone(
    change: Change, chance: random.Random
) -> Request | None:
    """The replacement alone has half a fence, numbers, a marker, entities, quotes or said newlines."""
    replace = list(change.replace)
    if not replace:
        return None
    at = chance.randrange(len(replace))
    kind = chance.randrange(6)
    if (
        kind in (3, 4)
        and replace[at] not in change.search
        and re.search("[\"'`]", replace[at])
    ):
        return None  # what a string of a new line says may be meant so
    if kind == 0:
        replace = chance.choice(
            [["```", *replace], [*replace, "```"], ["```", *replace, "```"]]
        )
    elif kind == 1:
        start = chance.randrange(1, 90)
        replace = [
            f"{start + index}: {line}" for index, line in enumerate(replace)
        ]
    elif kind == 2:
        replace = [
            replace[0],
            chance.choice(
                ["# [existing code]", "// ...", "# rest of the code unchanged"]
            ),
        ]
    elif kind == 3:
        replace[at] = as_entities(change, replace[at], quote=False)
    elif kind == 4:
        replace[at] = quoted(replace[at])
    else:
        replace = ["\\n".join(replace)]
    search = change.search
    if chance.random() < 0.5:
        search = [
            line + " " if line.strip() else line for line in search
        ]  # found by a looser tier
    if kind == 0 and (
        "```" in change.file(change.search) or change.name.endswith(".md")
    ):
        return None
    return partly(change, search, replace)


@makes
def repaired_inside_an_indent(
    change: Change, chance: random.Random
) -> Request | None:
    """The first line lost its indent, and a repair has to be made besides."""
    search = [change.search[0].lstrip(), *change.search[1:]]
    replace = list(change.replace)
    if replace and chance.random() < 0.5:
        replace[0] = replace[0].lstrip()
    if search[0] == change.search[0]:
        return None
    damages: list[Callable[[str], str]] = [
        quoted,
        html.escape,
        lambda line: line.replace("'", "’"),
    ]
    damage = chance.choice(damages)
    search, replace = (
        [damage(line) for line in lines] for lines in (search, replace)
    )
    if text(search, ended=False) in change.file(change.search):
        return None
    return partly(change, search, replace)


def damaged(kind: str) -> Maker:
    """A class of requests with one kind of damage: in both texts, in the search text or in the replacement."""
    damage = KINDS[kind]

    def make(change: Change, chance: random.Random) -> Request | None:
        file, search, wanted = (
            change.file(change.search),
            text(change.search),
            text(change.replace),
        )
        side = chance.choice(["both", "search", "replacement"])
        state = chance.getstate()
        asked, given = search, wanted
        if side != "replacement" and kind not in LEFT_OUT:
            asked = damage(search, chance)
        if side != "search" or kind in LEFT_OUT:
            chance.setstate(state)
            given = damage(wanted, chance)
        if not asked.endswith("\n"):
            given = given.removesuffix("\n")
        exact = asked == search
        if (
            not change.ended
            or not wanted
            or (exact and given == wanted)
            or (not exact and asked.strip("\n") in file)
        ):
            return None
        if exact and chance.random() < 0.3:
            asked = "\n".join(
                line + " " if line.strip() else line
                for line in search.split("\n")
            )
        if kind in LEFT_OUT:
            # Where no line goes, or the file says so, it is a text.
            left = (
                len(change.search) > given.count("\n")
                and given.split("\n")[1] not in file
            )
            return Request(file, asked, given, None) if left else None
        literal = (
            change.file(given.removesuffix("\n").split("\n")) if exact else None
        )
        inside = kind in INSIDE
        same = (lambda one: damage(one, random.Random(0))) if inside else None
        return Request(
            file,
            asked,
            given,
            change.file(change.replace),
            either=asked != search,
            literal=literal,
            same=same,
        )

    make.__doc__ = kind
    return make


MAKERS.update({kind: damaged(kind) for kind in KINDS})


@makes
def a_kept_line_moved(change: Change, chance: random.Random) -> Request | None:
    """A line that is spelled otherwise than in the file goes elsewhere in the replacement."""
    if len(change.search) < 3 or len(set(change.search)) < len(change.search):
        return None
    damage: Callable[[str], str] = chance.choice(
        [
            lambda line: line + " ",
            lambda line: line.replace('"', "“"),
            lambda line: f"  {line}",
        ]
    )
    line, *others = change.search
    at = chance.randrange(1, len(others) + 1)
    wanted = [*others[:at], line, *others[at:]]
    search = [damage(one) for one in change.search]
    if search == change.search or not line.strip():
        return None
    replace = [damage(one) for one in wanted]
    return Request(
        change.file(change.search),
        text(search),
        text(replace),
        change.file(wanted),
        either=True,
    )


def drifted(change: Change, at: int) -> tuple[str, str] | None:
    """The file, and the expected result, after someone else has changed line `at` asked for."""
    line = change.search[at]
    if not re.search(r"\w{3}", line):
        return None
    other = re.sub(r"(\w{3,})", r"\1_other", line, count=1)
    there = [*change.search[:at], other, *change.search[at + 1 :]]
    wanted = [
        other if index == at else line
        for index, line in enumerate(change.replace)
    ]
    return change.file(there), change.file(wanted)


@makes
def drift_clean(change: Change, _: random.Random) -> Request | None:
    """Someone else changed another line since the text was shown."""
    if len(change.head) < 3:
        return None
    made = drifted(change, 0)
    if made is None:
        return None
    return Request(
        made[0],
        text(change.search),
        text(change.replace),
        made[1],
        change.file(change.search),
    )


@makes
def drift_conflict(change: Change, _: random.Random) -> Request | None:
    """Someone else changed the same line since the text was shown."""
    at = len(change.head)
    if not change.old or any(
        match.left == 0 for match in align(change.old, change.new)
    ):
        return None
    made = drifted(change, at)
    if made is None:
        return None
    return Request(
        made[0],
        text(change.search),
        text(change.replace),
        None,
        change.file(change.search),
    )


@makes
def ambiguous(change: Change, _: random.Random) -> Request | None:
    """The text stands there twice."""
    file = (
        change.file(change.search)
        + ("" if change.ended else "\n")
        + text(change.search)
    )
    return Request(file, text(change.search), text(change.replace), None)


@makes
def ambiguous_but_for_blanks(
    change: Change, chance: random.Random
) -> Request | None:
    """The text stands there twice but for the indentation, and the request has neither's."""
    request = dedented(change, chance)
    if request is None:
        return None
    copy = [f"  {line}" if line.strip() else line for line in change.search]
    return Request(
        request.file + ("" if change.ended else "\n") + text(copy),
        request.search,
        request.replace,
        None,
    )


@makes
def already_applied(change: Change, _: random.Random) -> Request | None:
    """The change is there already."""
    file = change.file(change.replace)
    if is_there(file, change.search) or not text(change.replace).strip():
        return None  # lines that stand there at another indent may be the ones that are meant
    return Request(file, text(change.search), text(change.replace), None)


@makes
def stale_token(change: Change, chance: random.Random) -> Request | None:
    """One token of the code is another."""
    there = token_changed(change, chance)
    if there is None or is_there(change.file(there), change.search):
        return None
    return Request(
        change.file(there), text(change.search), text(change.replace), None
    )


@makes
def stale_decoy(change: Change, chance: random.Random) -> Request | None:
    """The text is gone; a copy with one token changed stands elsewhere."""
    copy = token_changed(change, chance)
    if (
        copy is None
        or not change.ended
        or is_there(change.file([]), change.search)
    ):
        return None
    return Request(
        change.file([]) + text(copy),
        text(change.search),
        text(change.replace),
        None,
    )


def is_there(file: str, lines: Sequence[str]) -> bool:
    """Whether the lines stand in a file but for their indents."""
    return text([line.strip() for line in lines]) in text(
        [line.strip() for line in file.split("\n")]
    )


def token_changed(change: Change, chance: random.Random) -> list[str] | None:
    """The text with one letter more in one identifier that code shows to be one; in prose it is a typo."""
    lines = change.search
    if change.name.endswith((".md", ".rst", ".txt")):
        return None
    places = [
        (index, match)
        for index, line in enumerate(lines)
        for match in re.finditer(r"\b[A-Za-z_]{3,}(?=[(\[=;])", line)
        if not re.search(r"#|//|\*|[\"'`]", line)
    ]
    if not places:
        return None
    index, match = chance.choice(places)
    line = lines[index]
    return [
        *lines[:index],
        line[: match.end()] + "s" + line[match.end() :],
        *lines[index + 1 :],
    ]


def git(repository: Path, *arguments: str, data: bytes | None = None) -> bytes:
    """The output of a git command that only reads objects."""
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }
    safe = [
        "-c",
        "core.fsmonitor=false",
        "-c",
        f"core.hooksPath={os.devnull}",
        "-c",
        "protocol.allow=never",
    ]
    done = subprocess.run(
        ["git", "-C", str(repository), *safe, *arguments],
        input=data, env=environment, capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(done.stderr.decode("utf-8", "replace"))
    return done.stdout


def repositories(folder: Path) -> list[Path]:
    """The git repositories in a folder, bare ones too."""
    return [
        path
        for path in sorted(folder.iterdir())
        if (path / ".git").exists() or (path / "HEAD").exists()
    ]


def changes(
    repository: Path, limit: int, chance: random.Random
) -> Iterator[Change]:
    """Single-stretch changes of text files, newest first."""
    found = 0
    for commit in git(
        repository, "rev-list", "--no-merges", "--max-count=20000", "HEAD"
    ).split():
        raw = git(
            repository,
            "diff-tree",
            "-r",
            "-z",
            "--no-commit-id",
            "--diff-filter=M",
            commit.decode(),
        )
        fields = raw.split(b"\0")
        for entry, name in zip(fields[::2], fields[1::2], strict=False):
            if not name.decode("utf-8", "replace").endswith(SUFFIXES):
                continue
            old, new = entry.split()[2:4]
            change = single(
                git(repository, "cat-file", "blob", old.decode()),
                git(repository, "cat-file", "blob", new.decode()),
                chance.choice(CONTEXT),
            )
            if change is not None:
                yield replace(change, name=name.decode("utf-8", "replace"))
                found += 1
                if found == limit:
                    return


def single(old: bytes, new: bytes, context: int) -> Change | None:
    """The change, if it is one stretch of ordinary text that stands there once."""
    if (
        max(len(old), len(new)) > MOST_BYTES
        or b"\r" in old + new
        or b"\0" in old + new
        or not old
    ):
        return None
    if old.startswith(codecs.BOM_UTF8):
        return None
    try:
        before, after = old.decode().split("\n"), new.decode().split("\n")
    except UnicodeDecodeError:
        return None
    ended = not before[-1]
    if ended != (not after[-1]):
        return None
    if ended:
        before.pop()
        after.pop()
    matches = align(before, after)
    head = (
        matches[0].length
        if matches and matches[0].left == matches[0].right == 0
        else 0
    )
    if len(matches) > 2 or sum(match.length for match in matches) < head + (
        len(matches) > 1
    ):
        return None
    tail = (
        matches[-1].length if len(matches) > 1 or (matches and not head) else 0
    )
    change = Change(
        before[:head], before[head : len(before) - tail], after[head : len(after) - tail],
        before[len(before) - tail :] if tail else [], context, ended,
    )  # fmt: skip
    whole = f"\n{change.file(change.search)}"
    solid = sum(char.isalnum() for char in text(change.search)) > 8
    once = whole.count(f"\n{text(change.search)}") == 1 and text(
        change.replace
    ) != text(change.search)
    return (
        change
        if solid and once and change.ended and change.search[0].strip()
        else None
    )


def verdict(request: Request, name: str) -> tuple[str, float]:
    """What became of a request, and the seconds it took."""
    data = request.file.encode()
    bases = () if request.base is None else (request.base.encode(),)
    snapshot = Snapshot(
        data, location=Location(HISTORY, tuple(name.encode().split(b"/")))
    )
    start = time.process_time()
    try:
        planned = plan_edits(
            snapshot, [TextEdit(request.search, request.replace)], bases=bases
        )
    except FilewrightError as error:
        if error.code not in REFUSALS:
            raise
        refused = (
            "correct"
            if request.expected is None or request.either
            else "missed"
        )
        return refused, time.process_time() - start
    seconds = time.process_time() - start
    outcome = planned.outcomes[0]
    said = bool(outcome.note or getattr(outcome, "notes", ()))
    return kind_of(
        request, apply_splices(data, planned.splices).decode(), noted=said
    ), seconds


def kind_of(request: Request, result: str, *, noted: bool) -> str:
    """What a result is; `noted` says whether the answer has a word on it."""
    if result == request.expected:
        return "correct"
    if request.expected is None:
        return "WRONG"
    made, wanted, given = (
        [line.rstrip() for line in one.split("\n") if line.strip()]
        for one in (result, request.expected, request.literal or "")
    )
    alike = request.same is not None and damaged_alone(request, result)
    if alike and request.literal is None and not request.either:
        return "correct"
    if alike or made == given:
        return "noted" if noted else "unnoted"
    return "lossy" if made == wanted else "WRONG"


def damaged_alone(request: Request, result: str) -> bool:
    """Whether a result is as expected but for the spelling of lines that are new."""
    assert request.same is not None
    assert request.expected is not None
    if request.same(result) != request.same(request.expected):
        return False
    there = set(request.file.split("\n"))
    pairs = zip(result.split("\n"), request.expected.split("\n"), strict=False)
    return all(made == wanted or wanted not in there for made, wanted in pairs)


VERDICTS = ("correct", "noted", "unnoted", "lossy", "missed", "WRONG")


def score(
    all_changes: Sequence[Change],
    names: Sequence[str],
    seed: int,
    shown: Sequence[str] = (),
) -> dict[str, Counter[str]]:
    """Verdicts by class, printed as a table; before it the requests whose verdict is one of `shown`."""
    table: dict[str, Counter[str]] = {}
    times: list[float] = []
    for name in names:
        chance = random.Random(f"{seed} {name}")
        counts: Counter[str] = Counter()
        for change in all_changes:
            request = MAKERS[name](change, chance)
            if request is not None:
                kind, seconds = verdict(request, change.name)
                counts[kind] += 1
                times.append(seconds)
                if kind in shown:
                    print(
                        json.dumps(
                            {
                                "class": name,
                                "verdict": kind,
                                "name": change.name,
                            }
                            | facts(request)
                        )
                    )
        table[name] = counts
    width = max(map(len, names))
    print(
        f"{'class':{width}} {'n':>6} "
        + " ".join(f"{kind:>8}" for kind in VERDICTS)
    )
    for name, counts in [
        *table.items(),
        ("all", sum(table.values(), Counter())),
    ]:
        n = counts.total() or 1
        shares = " ".join(
            f"{100 * counts[kind] / n:7.1f}%" for kind in VERDICTS
        )
        print(f"{name:{width}} {counts.total():6} {shares}")
    if len(times) > 1:
        cuts = statistics.quantiles(times, n=100)
        print(
            f"CPU time: p50 {1000 * cuts[49]:.2f} ms, p99 {1000 * cuts[98]:.2f} ms, longest {1000 * max(times):.0f} ms"
        )
    return table


def facts(request: Request) -> dict[str, str | None]:
    """A request as plain values, to be looked at or tried again."""
    return {
        "file": request.file,
        "search": request.search,
        "replace": request.replace,
        "expected": request.expected,
        "base": request.base,
    }


def main(words: Sequence[str]) -> int:
    """Print the scores of a repository's edits."""
    parser = argparse.ArgumentParser(
        prog="python -m bench edits", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument(
        "--changes",
        type=int,
        default=200,
        help="changes of each history to use",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--classes", default="", help="only these, with commas between"
    )
    parser.add_argument(
        "--show",
        default="",
        help="print the requests of these verdicts as JSON, with commas between",
    )
    parser.add_argument("--json", type=Path, help="write the counts here too")
    options = parser.parse_args(words)
    names = options.classes.split(",") if options.classes else list(MAKERS)
    unknown = [name for name in names if name not in MAKERS]
    if unknown:
        parser.error(
            f"no such class: {', '.join(unknown)}; there are {', '.join(MAKERS)}"
        )
    chance = random.Random(options.seed)
    found = [
        change
        for path in options.repositories
        for change in changes(path, options.changes, chance)
    ]
    if not found:
        sys.exit("no change of one stretch of one text file in that history")
    print(
        f"{len(found)} changes of {', '.join(path.resolve().name for path in options.repositories)}"
    )
    table = score(found, names, options.seed, options.show.split(","))
    if options.json:
        options.json.write_text(
            json.dumps(
                {name: dict(counts) for name, counts in table.items()}, indent=2
            )
        )
    return 0
