"""Suggestions of refusals, followed to the letter and compared with the true result.

A true request is damaged so that the file lacks its text: a word or a number is another, or a line is
missing. At least nineteen of twenty suggestions are right, and none loses or doubles a line of the file, or
writes the damage.
"""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.edit.damages import STYLES, block, changed, twin
from tests.edit.test_corpus import FOLDER, cases
from tests.files import named

from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.errors import Code, FilewrightError
from filewright.text.splice import apply_splices

REPOSITORIES = os.environ.get("FILEWRIGHT_EDIT_REPOSITORIES", "")


WRONG_WORD = "zq"


"""Stands in every word that is misremembered, and in no file."""


class Request(NamedTuple):
    name: str
    file: str
    search: str
    replace: str
    expected: str


def damaged(rng: random.Random, true: Request) -> Iterator[Request]:
    """The request with its text misremembered in one way."""
    words = sorted(set(re.findall(r"[A-Za-z_]{4,}", true.search)))
    if words:
        word = rng.choice(words)
        other = word[:2] + WRONG_WORD + word[2:]
        search = re.sub(rf"\b{word}\b", other, true.search, count=1)
        yield true._replace(search=search)
        head = true.search.split(word)[0]
        if true.replace.startswith(head):
            yield true._replace(
                search=search,
                replace=re.sub(rf"\b{word}\b", other, true.replace, count=1),
            )
    lines, wanted = true.search.split("\n"), true.replace.split("\n")
    once = [
        line
        for line in lines[1:-1]
        if line.strip() and lines.count(line) == wanted.count(line) == 1
    ]
    if once:
        line = rng.choice(once)
        lines.remove(line)
        wanted.remove(line)
        yield true._replace(search="\n".join(lines), replace="\n".join(wanted))
    numbers = list(re.finditer(r"\d+", true.search))
    if numbers:
        one = rng.choice(numbers)
        search = f"{true.search[: one.start()]}{int(one[0]) + 3}{true.search[one.end() :]}"
        yield true._replace(search=search)


def followed(request: Request) -> str | None:
    """What comes of the first suggestion of a request that is nowhere; None if there is none."""
    data = request.file.encode()
    try:
        plan_edits(
            named(request.name, data),
            [TextEdit(request.search, request.replace)],
        )
    except FilewrightError as error:
        if error.code is not Code.NO_MATCH or not error.details["suggestions"]:
            return None
        better = TextEdit(**error.details["suggestions"][0])
        return apply_splices(
            data, plan_edits(named(request.name, data), [better]).splices
        ).decode()
    return None


def kind(request: Request, result: str) -> str:
    """What a result is: right, or in which way not."""
    if result == request.expected:
        return "right"
    there, wanted, made = (
        _lines(text) for text in (request.file, request.expected, result)
    )
    if WRONG_WORD in result:
        return "misremembered"
    if any(
        made[line] > max(wanted[line], there[line])
        for line in made
        if wanted[line]
    ):
        return "twice"
    if any(made[line] < wanted[line] <= there[line] for line in wanted):
        return "lost"
    return "another"


def _lines(text: str) -> Counter[str]:
    return Counter(line.strip() for line in text.split("\n") if line.strip())


def measured(requests: Iterable[Request], rng: random.Random) -> Counter[str]:
    """How many suggestions are of which kind."""
    counts: Counter[str] = Counter()
    for true in requests:
        for request in damaged(rng, true):
            result = followed(request)
            if result is not None:
                counts[kind(request, result)] += 1
                if kind(request, result) in ("misremembered", "twice", "lost"):
                    print(kind(request, result), request)
    return counts


def check(counts: Counter[str], least: int) -> None:
    assert counts.total() >= least, counts
    assert counts["right"] >= 0.95 * counts.total(), counts
    assert counts["misremembered"] + counts["twice"] + counts["lost"] == 0, (
        counts
    )


def made_up(rng: random.Random, count: int) -> Iterator[Request]:
    """True requests on files with near twins."""
    for _ in range(count):
        style = rng.choice(STYLES)
        blocks = [block(rng, style) for _ in range(rng.randint(1, 4))]
        blocks += [
            twin(rng, rng.choice(blocks)) for _ in range(rng.randint(0, 2))
        ]
        rng.shuffle(blocks)
        lines = [line for one in blocks for line in (*one, "")]
        start = rng.randrange(len(lines) - 1)
        region = lines[start : start + rng.randint(2, 8)]
        search, file = "\n".join(region), "\n".join([*lines, ""])
        if (
            not region[0].strip()
            or not region[-1].strip()
            or file.count(search) != 1
        ):
            continue
        replace = "\n".join(changed(rng, region, style))
        yield Request(
            f"a.{style}", file, search, replace, file.replace(search, replace)
        )


@pytest.mark.parametrize(
    "count", [250, pytest.param(6_000, marks=pytest.mark.sweep)]
)
def test_generated_requests(count: int) -> None:
    rng = random.Random(5)
    requests = made_up(rng, count)
    check(measured(requests, rng), count // 12)


@pytest.mark.skipif(not FOLDER, reason="FILEWRIGHT_EDIT_CORPUS names no folder")
def test_requests_of_corpus() -> None:
    classes = ("exact", "exact_trap", "eof_newline", "exact_ws_twin")
    true = [
        Request(
            "a.txt",
            case["file"],
            case["search"],
            case["replace"],
            case["expected"],
        )
        for case in cases()
        if case.get("class") in classes
    ]
    check(measured(true, random.Random(5)), 50)


@pytest.mark.sweep
@pytest.mark.skipif(
    not REPOSITORIES,
    reason="FILEWRIGHT_EDIT_REPOSITORIES names no folder of repositories",
)
def test_requests_of_repositories() -> None:
    from bench.generator.edits import changes, repositories, text

    rng = random.Random(5)
    true = []
    for repository in repositories(Path(REPOSITORIES)):
        for change in changes(repository, 90, rng):
            file, search, replace = (
                change.file(change.search),
                text(change.search),
                text(change.replace),
            )
            true.append(
                Request(
                    change.name,
                    file,
                    search,
                    replace,
                    change.file(change.replace),
                )
            )
    counts = measured(true, rng)
    print(counts)
    check(counts, 1_000)
