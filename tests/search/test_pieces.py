import random
import re

import pytest

from filewright.progress import Task
from filewright.search import pieces as pieces_module
from filewright.search.pieces import (
    Diagonal,
    Occurrence,
    choose_pieces,
    find_occurrences,
    vote_diagonals,
)

# Parts

PIECES = [b"needle01", b"aybe=two", b"third;ok"]


def test_chooses_rare_pieces_all_over_the_needle():
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


def test_elects_the_diagonal_with_most_votes():
    occurrences = [Occurrence(1000 + 10 * k, 10 * k, k) for k in range(5)]
    occurrences += [
        Occurrence(5000, 0, 0),
        Occurrence(9000, 30, 3),
        Occurrence(9001 + 10, 40, 4),
    ]
    diagonals = vote_diagonals(sorted(occurrences), 50, 2)
    assert diagonals == [Diagonal(5, 1000), Diagonal(2, 8970)]


@pytest.mark.parametrize("seed", range(6))
def test_finds_all_pieces_with_and_without_rg(
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
