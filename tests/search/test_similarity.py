"""Fuzzy search: exact places by an independent aligner, recall, ranks, and nothing where nothing is."""

import importlib
import random
import re
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search.alignment import (
    find_best_fit,
    find_nearest_region,
    fold_text,
)
from filewright.search.pieces import (
    Diagonal,
    Occurrence,
    choose_pieces,
    find_occurrences,
    vote_diagonals,
)
from filewright.search.similarity import search_fuzzy
from filewright.text.snapshot import Snapshot

search_module = importlib.import_module("filewright.search.similarity")
pieces_module = importlib.import_module("filewright.search.pieces")


def distance(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = (
                row[j],
                min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y)),
            )
    return row[-1]


@examples(25, derandomize=True)
@given(st.text("abé ", min_size=1, max_size=9), st.text("abé ", max_size=14))
def test_the_region_found_is_a_nearest_one(needle, text):
    start, end, found = find_nearest_region(needle, text)
    assert distance(needle, text[start:end]) == found
    regions = (
        text[a:b] for a in range(len(text) + 1) for b in range(a, len(text) + 1)
    )
    assert found == min(distance(needle, region) for region in regions)


@pytest.mark.parametrize(
    ("needle", "text", "region"),
    [
        (
            "foo;",
            "  foo:\n",
            "foo:",
        ),  # a changed last character belongs to the region
        ("xfoo", "  yfoo", "yfoo"),
        ('say "hi"', "he said: say “hi”!", "say “hi”"),
        (
            "if a:\n    b()",
            "        if a:\n            b()\n",
            "if a:\n            b()",
        ),
        ("a  b\tc", "x a b c y", "a b c"),
    ],
)
def test_regions_have_the_ends_one_would_give_them(needle, text, region):
    fit = find_best_fit(needle, text)
    assert text[fit.start : fit.end] == region


@examples(17, derandomize=True)
@given(st.text(" \t\na“’-x", max_size=30))
def test_folding_knows_where_each_character_was(text):
    folded = fold_text(text)
    plain, places = folded.text, folded.offsets
    assert len(plain) == len(places)
    assert places == sorted(set(places))
    assert plain == " ".join(plain.split())


# Recall


def corpus(size: int) -> str:
    root = Path(sysconfig.get_path("stdlib"))
    text = ""
    for name in sorted(path.name for path in root.glob("*.py")):
        text += (root / name).read_text(encoding="utf-8", errors="replace")
        if len(text) > size:
            break
    return text[:size]


def mutated(text: str, rate: float, chance: random.Random) -> str:
    result = []
    for c in text:
        if chance.random() >= rate:
            result.append(c)
            continue
        kind = chance.randrange(3)
        if kind:
            result.append(chance.choice("abcdefghij_ (),.=0123"))
        if kind == 2:
            result.append(c)
    return "".join(result)


@pytest.mark.extra
@pytest.mark.parametrize(
    ("lines", "rate", "whole"),
    [(1, 0.05, True), (1, 0.05, False), (12, 0.03, False), (12, 0.05, True)],
)
@pytest.mark.parametrize(
    "blocks", [5, pytest.param(100, marks=pytest.mark.sweep)]
)
def test_recall_against_an_exact_aligner(
    opened, monkeypatch, lines, rate, whole, blocks
):
    edlib = pytest.importorskip("edlib")
    text = corpus(900_000)
    data = text.encode("ascii", "replace")
    if not whole:
        monkeypatch.setattr(search_module, "ALWAYS_SWEPT_BYTES", 0)
    snapshot = opened(data)
    chance = random.Random(f"{lines} {rate}")
    rows = data.decode().split("\n")
    tried = found = 0
    while tried < blocks:
        at = chance.randrange(len(rows) - lines)
        block = "\n".join(rows[at : at + lines]).strip()
        if len(block) < 40 * min(lines, 5):
            continue
        tried += 1
        needle = mutated(block, rate, chance)
        best = edlib.align(needle.encode(), data, mode="HW")["editDistance"]
        hits = search_fuzzy(snapshot, needle, min_similarity=0.75, limit=3).hits
        found += any(
            distance(needle, data[h.offset : h.end].decode()) <= best
            for h in hits
        )
    assert found == tried


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "cp1252", "gb18030"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_block_is_found_in_any_encoding_and_with_any_terminator(codec, end):
    rows = [
        f"row {n}: the quick brown fox, n° {n * 7919 % 1000}"
        for n in range(400)
    ]
    text = end.join(rows)
    data = text.encode(codec)
    snapshot = Snapshot(
        data, encoding=codec if codec in ("cp1252", "gb18030") else None
    )
    needle = "\n".join(rows[200:203]).replace("quick", "quikc", 1)
    best = search_fuzzy(snapshot, needle, limit=1).hits[0]
    found = data[best.offset : best.end].decode(
        codec.replace("utf-16", "utf-16-le")
    )
    assert (best.line, best.column) == (201, 1)
    assert found == end.join(rows[200:203])


def test_hits_are_ranked_and_ties_and_the_runner_up_are_told():
    snapshot = Snapshot(
        b"def total(cart):\nx\ndef totals(cart):\ny\ndef total(cart):\nz\ndef total(card, tax):\n"
    )
    found = search_fuzzy(snapshot, "def total(cart):", limit=3)
    assert [(hit.line, hit.score) for hit in found.hits] == [
        (1, 1.0),
        (5, 1.0),
        (3, pytest.approx(0.941, abs=0.001)),
    ]
    assert found.tied == 2
    assert found.runner_up == pytest.approx(0.8125)
    assert found.complete


@pytest.mark.parametrize("hold", [True, False])
@pytest.mark.parametrize("always", [0, 1 << 20])
def test_nothing_is_above_the_threshold_when_nothing_is_there(
    opened, monkeypatch, hold, always
):
    monkeypatch.setattr(search_module, "ALWAYS_SWEPT_BYTES", always)
    snapshot = opened(corpus(200_000).encode(), hold=hold)
    found = search_fuzzy(
        snapshot,
        "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich",
        min_similarity=0.7,
    )
    assert found.hits == ()
    assert found.complete
    assert found.runner_up is None or found.runner_up < 0.7


def test_similarity_is_of_the_region_not_of_the_line():
    line = b"a" * 3000 + b" return self.total_price " + b"b" * 3000
    (hit,) = search_fuzzy(
        Snapshot(line), "return self.totl_price", limit=1
    ).hits
    assert hit.score > 0.95
    assert line[hit.offset : hit.end] == b"return self.total_price"


def test_a_large_file_that_was_not_compared_whole_says_so(opened, monkeypatch):
    monkeypatch.setattr(search_module, "ALWAYS_SWEPT_BYTES", 0)
    monkeypatch.setattr(search_module, "MAX_SWEPT_BYTES", 0)
    snapshot = opened(b"some text here\n" * 1000)
    for needle in ("entirely different words of some length", "zzzzzz"):
        found = search_fuzzy(snapshot, needle)
        assert (found.hits, found.complete) == ((), False)
        assert "too large" in found.reason
    exact = search_fuzzy(snapshot, "text here", limit=2)
    assert [hit.score for hit in exact.hits] == [1.0, 1.0]


@pytest.mark.parametrize("needle", ["", "ab", "  \n x \n", "\ud800abcdef"])
def test_a_needle_that_is_like_anything_is_refused(needle):
    with pytest.raises(FilewrightError) as caught:
        search_fuzzy(Snapshot(b"text"), needle)
    assert caught.value.code is Code.INVALID_INPUT


@pytest.mark.parametrize("least", [0, -1, 1.5])
def test_a_similarity_is_between_0_and_1(least):
    with pytest.raises(FilewrightError):
        search_fuzzy(Snapshot(b"some text"), "some text", min_similarity=least)


def test_a_fuzzy_search_is_cancelled(opened):
    task = Task()
    task.cancel()
    with pytest.raises(FilewrightError) as caught:
        search_fuzzy(opened(b"some text\n" * 100), "some texts", task=task)
    assert caught.value.code is Code.CANCELLED


def test_invalid_bytes_do_not_move_a_region():
    data = b"\xff\xfe bad \xe9\xff bytes\nx\ndef total_of(cart\xff):\n\xff\n"
    (hit,) = search_fuzzy(
        Snapshot(data, encoding="utf-8"), "def total_of(carts):", limit=1
    ).hits
    assert data[hit.offset : hit.end] == b"def total_of(cart\xff):"


# Parts


def test_pieces_are_spread_over_the_needle_and_rare_in_the_file():
    needle = b"the rare word xylophone quartz and the rest of the line"
    drawn = b"the rare word and the rest of the line " * 100
    pieces = choose_pieces(needle, drawn, 10_000_000)
    for piece, places in pieces.items():
        assert all(
            needle[place : place + len(piece)] == piece for place in places
        )
    scale = 10_000_000 / len(drawn)
    assert sum(map(drawn.count, pieces)) * scale <= 200_000
    places = {place for places in pieces.values() for place in places}
    assert min(places) < 14 < max(places)
    assert any(b"loph" in piece for piece in pieces)


def test_two_typos_close_together_leave_a_piece_of_a_short_needle(
    opened, monkeypatch
):
    monkeypatch.setattr(search_module, "ALWAYS_SWEPT_BYTES", 0)
    monkeypatch.setattr(search_module, "MAX_SWEPT_BYTES", 0)
    rows = b"".join(
        b"row %d of a log that needs the engine\n" % n for n in range(3000)
    )
    snapshot = opened(rows + b"the needle_1 is here\n" + rows)
    found = search_fuzzy(snapshot, "the nedle_1 iss here", limit=2)
    assert [(hit.line, hit.score) for hit in found.hits] == [(3001, 0.9)]


def test_the_place_where_most_pieces_agree_is_elected():
    occurrences = [Occurrence(1000 + 10 * k, 10 * k, k) for k in range(5)]
    occurrences += [
        Occurrence(5000, 0, 0),
        Occurrence(9000, 30, 3),
        Occurrence(9001 + 10, 40, 4),
    ]
    diagonals = vote_diagonals(sorted(occurrences), 50, 2)
    assert diagonals == [Diagonal(5, 1000), Diagonal(2, 8970)]


PIECES = [b"needle01", b"aybe=two", b"third;ok"]


@pytest.mark.parametrize("seed", range(6))
def test_pieces_are_found_beside_rg_however_far_apart_and_in_lines_of_any_length(
    opened, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(pieces_module, "MIN_PREFILTER_BYTES", 1)
    chance = random.Random(seed)
    made: list[bytes] = []
    for _ in range(400):
        made.append(
            chance.randbytes(chance.choice([1, 30, 3_000, 20_000]))
            .hex()
            .encode()
        )
        made.append(
            chance.choice(
                [b"", b"\n", b"\n", b"\r\n", *PIECES, chance.choice(PIECES) * 3]
            )
        )
    data = b"".join(made)
    chosen = {piece: [number] for number, piece in enumerate(PIECES)}
    found = {
        (at, number)
        for at, _, number in find_occurrences(opened(data), chosen, Task())
    }
    there = {
        (m.start(), PIECES.index(m[0]))
        for m in re.finditer(b"|".join(PIECES), data)
    }
    assert found == there
