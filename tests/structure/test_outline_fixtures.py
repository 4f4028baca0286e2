"""The exact outline of one rich file per language.

After a deliberate change: `python tests/structure/test_outline_fixtures.py` writes the expected
outlines anew; read the difference before committing it.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from filewright.languages import PARSED, Language, language_of
from filewright.settings import Settings
from filewright.structure.outline import Outline
from filewright.structure.outlines import Outlines

FIXTURES = Path(__file__).with_name("fixtures")
EXAMPLES = sorted(path for path in FIXTURES.iterdir() if path.suffix != ".txt")
NAMES = [path.stem for path in EXAMPLES]

MARKS = (b"(", b"}", b'"', b"\n", b"\xff", b"/*", b"<", b";")


def rendered(outline: Outline) -> str:
    """One line per symbol: kind, name, name it is found by, lines, and where its block begins."""
    lines = []
    for around, symbol in outline.walk():
        lookup_name = f" = {symbol.lookup_name}" if symbol.lookup_name else ""
        above = symbol.start_line - symbol.block_start_line
        block = f" (block from {symbol.block_start_line})" if above else ""
        lines.append(
            f"{'  ' * len(around)}{symbol.kind} {symbol.name}{lookup_name}"
            f" {symbol.start_line}-{symbol.end_line}{block}\n"
        )
    return "".join(lines)


def outline_of(path: Path, outlines: Outlines) -> Outline:
    data = path.read_bytes()
    return outlines.outline(data, language_of(path.name.encode(), data))


def test_every_grammar_has_an_example() -> None:
    assert {Language(path.stem) for path in EXAMPLES} == PARSED


@pytest.mark.parametrize("path", EXAMPLES, ids=NAMES)
def test_outline(path: Path, outlines: Outlines) -> None:
    outline = outline_of(path, outlines)
    assert outline.language == path.stem
    assert rendered(outline) == (FIXTURES / f"{path.stem}.txt").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("path", EXAMPLES, ids=NAMES)
def test_no_errors_and_nested_ranges(path: Path, outlines: Outlines) -> None:
    outline = outline_of(path, outlines)
    data = path.read_bytes()
    assert outline.errors.count == 0, outline.errors
    for around, symbol in outline.walk():
        assert 0 <= symbol.block_start <= symbol.start < symbol.end <= len(data)
        assert symbol.start_line == data.count(b"\n", 0, symbol.start) + 1
        assert (
            symbol.end_line == data.count(b"\n", 0, symbol.end - 1) + 1
            or symbol.kind == "heading"
        )
        assert (
            symbol.block_start_line
            == data.count(b"\n", 0, symbol.block_start) + 1
        )
        if around:
            assert around[-1].block_start <= symbol.block_start
            assert symbol.end <= around[-1].end


@pytest.mark.parametrize("path", EXAMPLES, ids=NAMES)
@pytest.mark.parametrize("terminator", [b"\r\n", b"\r"])
def test_other_terminators(
    path: Path, terminator: bytes, outlines: Outlines
) -> None:
    data = path.read_bytes().replace(b"\n", terminator)
    other = outlines.outline(data, Language(path.stem))

    def places(outline: Outline) -> list[tuple[str, int, int, int]]:
        return [
            (s.name, s.block_start_line, s.start_line, s.end_line)
            for _, s in outline.walk()
        ]

    assert places(other) == places(outline_of(path, outlines))


@pytest.mark.parametrize(
    "rounds", [6, pytest.param(400, marks=pytest.mark.sweep)]
)
@pytest.mark.parametrize("path", EXAMPLES, ids=NAMES)
def test_mutated_examples(path: Path, rounds: int, outlines: Outlines) -> None:
    """Broken text gives a poorer outline, never a broken one."""
    chance = random.Random(path.name)
    for _ in range(rounds):
        data = bytearray(path.read_bytes())
        for _ in range(chance.randint(1, 5)):
            start = chance.randrange(len(data))
            piece = data[start : start + chance.randint(0, 60)]
            data[start : start + len(piece)] = piece * chance.choice(
                (0, 2, 3)
            ) or chance.choice(MARKS)
        outline = outlines.outline(bytes(data), Language(path.stem))
        assert outline.parsed or outline.note
        for _, symbol in outline.walk():
            assert (
                0
                <= symbol.block_start
                <= symbol.start
                <= symbol.end
                <= len(data)
            )
            assert (
                1
                <= symbol.block_start_line
                <= symbol.start_line
                <= symbol.end_line
            )


if __name__ == "__main__":
    made = Outlines(Settings())
    for example in EXAMPLES:
        text = rendered(outline_of(example, made))
        example.with_name(f"{example.stem}.txt").write_text(
            text, encoding="utf-8"
        )
    made.close()
