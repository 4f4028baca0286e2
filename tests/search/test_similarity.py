"""Fuzzy search in one file: recall, ranks, limits and refusals."""

import random
import sysconfig
from pathlib import Path

import pytest
from tests.search.distances import distance

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search import similarity as similarity_module
from filewright.search.similarity import search_fuzzy
from filewright.text.snapshot import Snapshot

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
        monkeypatch.setattr(similarity_module, "ALWAYS_SWEPT_BYTES", 0)
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
def test_block_in_any_encoding_and_terminator(codec, end):
    rows = [
        f"row {n}: the quick brown fox, n° {n * 7919 % 1000}"
        for n in range(120)
    ]
    text = end.join(rows)
    data = text.encode(codec)
    snapshot = Snapshot(
        data, encoding=codec if codec in ("cp1252", "gb18030") else None
    )
    needle = "\n".join(rows[60:63]).replace("quick", "quikc", 1)
    best = search_fuzzy(snapshot, needle, limit=1).hits[0]
    found = data[best.offset : best.end].decode(
        codec.replace("utf-16", "utf-16-le")
    )
    assert (best.line, best.column) == (61, 1)
    assert found == end.join(rows[60:63])


def test_ranks_ties_and_runner_up():
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
def test_nothing_similar(opened, monkeypatch, hold, always):
    monkeypatch.setattr(similarity_module, "ALWAYS_SWEPT_BYTES", always)
    snapshot = opened(corpus(200_000).encode(), hold=hold)
    found = search_fuzzy(
        snapshot,
        "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich",
        min_similarity=0.7,
    )
    assert found.hits == ()
    assert found.complete
    assert found.runner_up is None or found.runner_up < 0.7


def test_similarity_is_that_of_the_region():
    line = b"a" * 3000 + b" return self.total_price " + b"b" * 3000
    (hit,) = search_fuzzy(
        Snapshot(line), "return self.totl_price", limit=1
    ).hits
    assert hit.score > 0.95
    assert line[hit.offset : hit.end] == b"return self.total_price"


def test_says_that_a_large_file_was_not_compared_whole(opened, monkeypatch):
    monkeypatch.setattr(similarity_module, "ALWAYS_SWEPT_BYTES", 0)
    monkeypatch.setattr(similarity_module, "MAX_SWEPT_BYTES", 0)
    snapshot = opened(b"some text here\n" * 1000)
    for needle in ("entirely different words of some length", "zzzzzz"):
        found = search_fuzzy(snapshot, needle)
        assert (found.hits, found.complete) == ((), False)
        assert "too large" in found.reason
    exact = search_fuzzy(snapshot, "text here", limit=2)
    assert [hit.score for hit in exact.hits] == [1.0, 1.0]


@pytest.mark.parametrize("needle", ["", "ab", "  \n x \n", "\ud800abcdef"])
def test_refuses_short_needles(needle):
    with pytest.raises(FilewrightError) as caught:
        search_fuzzy(Snapshot(b"text"), needle)
    assert caught.value.code is Code.INVALID_INPUT


@pytest.mark.parametrize("least", [0, -1, 1.5])
def test_refuses_similarities_out_of_range(least):
    with pytest.raises(FilewrightError):
        search_fuzzy(Snapshot(b"some text"), "some text", min_similarity=least)


def test_cancels(opened):
    task = Task()
    task.cancel()
    with pytest.raises(FilewrightError) as caught:
        search_fuzzy(opened(b"some text\n" * 100), "some texts", task=task)
    assert caught.value.code is Code.CANCELLED


def test_invalid_bytes():
    data = b"\xff\xfe bad \xe9\xff bytes\nx\ndef total_of(cart\xff):\n\xff\n"
    (hit,) = search_fuzzy(
        Snapshot(data, encoding="utf-8"), "def total_of(carts):", limit=1
    ).hits
    assert data[hit.offset : hit.end] == b"def total_of(cart\xff):"


def test_two_near_typos_in_a_short_needle(opened, monkeypatch):
    monkeypatch.setattr(similarity_module, "ALWAYS_SWEPT_BYTES", 0)
    monkeypatch.setattr(similarity_module, "MAX_SWEPT_BYTES", 0)
    rows = b"".join(
        b"row %d of a log that needs the engine\n" % n for n in range(3000)
    )
    snapshot = opened(rows + b"the needle_1 is here\n" + rows)
    found = search_fuzzy(snapshot, "the nedle_1 iss here", limit=2)
    assert [(hit.line, hit.score) for hit in found.hits] == [(3001, 0.9)]
