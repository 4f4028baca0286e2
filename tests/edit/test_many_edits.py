"""Several edits of one call against two literal readings: all on the original, or one after the other.

An applied call is one of the two. Text that both readings place alike is not refused. Text that is exactly
on the result of an earlier edit is never matched loosely elsewhere.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.edit.damages import STYLES, block, twin
from tests.files import named

from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.errors import Code, FilewrightError
from filewright.text.splice import apply_splices

REPOSITORIES = os.environ.get("FILEWRIGHT_EDIT_REPOSITORIES", "")


class Call(NamedTuple):
    name: str
    file: str
    edits: Sequence[tuple[str, str]]


def is_once(text: str, search: str) -> bool:
    """Whether a text is there once; places that overlap are two."""
    at = text.find(search)
    return at >= 0 and text.find(search, at + 1) < 0


def shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return count


def on_the_file(call: Call) -> str | None:
    """The result of edits that are all placed on the file; None where one is not there once, or two change the same.

    Edits may share what they leave alone; of what they put in at one place the first comes first.
    """
    places = []
    for search, replace in call.edits:
        if not is_once(call.file, search):
            return None
        at = call.file.index(search)
        head = shared(search, replace)
        old, new = search[head:], replace[head:]
        tail = shared(old[::-1], new[::-1])
        places.append(
            (at + head, at + len(search) - tail, new[: len(new) - tail])
        )
    places.sort(key=lambda place: place[:2])
    result, last = [], 0
    for start, end, replace in places:
        if start < last:
            return None
        result += [call.file[last:start], replace]
        last = end
    return "".join([*result, call.file[last:]])


def in_turn(call: Call) -> str | None:
    """The result of one edit after the other; None where one is not there once."""
    text = call.file
    for search, replace in call.edits:
        if not is_once(text, search):
            return None
        text = text.replace(search, replace)
    return text


def without_doubles(call: Call) -> str | None:
    """The result of edits in turn, without those that an earlier one has made by what it puts in."""
    text = call.file
    for search, replace in call.edits:
        made = (
            search in replace and is_once(call.file, search) and replace in text
        )
        if not made and not is_once(text, search):
            return None
        text = text if made else text.replace(search, replace)
    return text


def varied(rng: random.Random, lines: Sequence[str]) -> list[str]:
    """Some lines with one of them changed, gone, doubled, deeper, or with one more."""
    result = list(lines)
    at = rng.randrange(len(result))
    match rng.randrange(6):
        case 0:
            result[at] = result[at].replace("a", "o") + "x"
        case 1 if len(result) > 1:
            del result[at]
        case 2:
            result.insert(at, f"{result[at]} again")
        case 3:
            result = [f"    {line}" if line else line for line in result]
        case 4:
            result.append(rng.choice(result))
        case _:
            result[at] = f"new{rng.randrange(5)}()"
    return result


def calls(
    rng: random.Random, name: str, lines: list[str], count: int
) -> Iterator[Call]:
    """Calls of two to five edits of a file, of which some are of what an earlier one made."""
    file = "\n".join([*lines, ""])
    for _ in range(count):
        edits: list[tuple[str, str]] = []
        text = file
        for _ in range(rng.randint(2, 5)):
            source = rng.choice([file, text, text]).split("\n")[:-1]
            start = rng.randrange(len(source))
            old = source[start : start + rng.randint(1, 4)]
            if edits and rng.random() < 0.3:
                old = edits[-1][1].rstrip("\n").split("\n")
            search, replace = (
                "\n".join(part) + "\n" if part else ""
                for part in (old, varied(rng, old))
            )
            if not search.strip() or search == replace:
                continue
            edits.append((search, replace))
            text = text.replace(search, replace, 1)
        if len(edits) > 1:
            yield Call(name, file, edits)


def verdict(call: Call) -> str:
    """What became of a call beside its readings."""
    data = call.file.encode()
    readings = {
        reading
        for reading in (on_the_file(call), in_turn(call))
        if reading is not None
    }
    try:
        planned = plan_edits(
            named(call.name, data), [TextEdit(*edit) for edit in call.edits]
        )
    except FilewrightError as error:
        agreed = len(readings) == 1 and None not in (
            on_the_file(call),
            in_turn(call),
        )
        if not agreed or call.file in readings:
            return "refused"
        # What one changes another may not name as it was: whoever asks for both has to say which comes first.
        return (
            "overlap" if error.code is Code.OVERLAP else f"refused {error.code}"
        )
    result = apply_splices(data, planned.splices).decode()
    if result in readings or result == without_doubles(call):
        return "a reading"
    if not readings:
        return "no reading"
    plain = {reading.replace("\n", "") for reading in readings}
    return "blank lines" if result.replace("\n", "") in plain else "OTHERWISE"


def files(rng: random.Random, count: int) -> Iterator[tuple[str, list[str]]]:
    """Files made up of blocks and near twins of them."""
    for _ in range(count):
        style = rng.choice(STYLES)
        blocks = [block(rng, style) for _ in range(rng.randint(1, 3))]
        blocks += [
            twin(rng, rng.choice(blocks)) for _ in range(rng.randint(0, 2))
        ]
        rng.shuffle(blocks)
        yield f"a.{style}", [line for one in blocks for line in (*one, "")]


def measured(
    sources: Iterator[tuple[str, list[str]]], rng: random.Random, each: int
) -> Counter[str]:
    """How many calls went which way; `OTHERWISE` ones are shown."""
    counts: Counter[str] = Counter()
    for name, lines in sources:
        for call in calls(rng, name, lines, each):
            kind = verdict(call)
            counts[kind] += 1
            if kind == "OTHERWISE" or kind.startswith("refused "):
                print(kind, call)
    print(dict(counts))
    return counts


def check(counts: Counter[str]) -> None:
    assert counts["a reading"] > counts.total() // 5, counts
    assert counts["OTHERWISE"] == 0, counts
    assert (
        sum(counts[kind] for kind in counts if kind.startswith("refused "))
        <= counts.total() // 50
    ), counts


@pytest.mark.parametrize(
    "count", [60, pytest.param(2_000, marks=pytest.mark.sweep)]
)
def test_edits_of_generated_files(count: int) -> None:
    rng = random.Random(11)
    check(measured(files(rng, count), rng, 4))


@pytest.mark.sweep
@pytest.mark.skipif(
    not REPOSITORIES,
    reason="FILEWRIGHT_EDIT_REPOSITORIES names no folder of repositories",
)
def test_edits_of_repositories() -> None:
    from bench.generator.edits import changes, repositories

    rng = random.Random(11)
    sources = []
    for repository in repositories(Path(REPOSITORIES)):
        for change in changes(repository, 15, rng):
            sources.append(
                (change.name, change.file(change.search).split("\n")[:-1][:400])
            )
    check(measured(iter(sources), rng, 20))
