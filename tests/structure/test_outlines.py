"""What is given of a text too large, or too slow, to be parsed whole; and how long comparing may take."""

from typing import Any

import pytest

from filewright.boundary.launcher import Launcher
from filewright.languages import PARSED, Language
from filewright.progress import Task
from filewright.settings import Settings
from filewright.structure.changed_symbols import (
    OutlinedText,
    find_changed_symbols,
    find_touched_symbols,
)
from filewright.structure.definition_patterns import find_definitions
from filewright.structure.outline import Outline
from filewright.structure.outlines import Outlines
from filewright.structure.symbol import Symbol
from filewright.text.snapshot import Snapshot


def flat(count: int, name: str = "f") -> tuple[bytes, Outline]:
    """A text of `count` functions of one name, and its outline, each two lines long."""
    rows = [
        b"def %s(): #%d\n  pass\n" % (name.encode(), n) for n in range(count)
    ]
    symbols, start = [], 0
    for number, row in enumerate(rows):
        end, line = start + len(row) - 1, 2 * number + 1
        symbols.append(
            Symbol(name, "function", line, line + 1, start, end, start, line)
        )
        start = end + 1
    return b"".join(rows), Outline("python", tuple(symbols), count)


def test_many_symbols_of_one_name_are_paired_in_linear_time():
    before, old = flat(8_000)
    after, new = before.replace(b"pass", b"skip"), old
    changed = find_changed_symbols(
        OutlinedText(before, old),
        OutlinedText(after, new),
        task=Task(seconds=60),
    )
    assert len(changed) == 8_000
    ranges = [(line, line) for line in range(1, 16_000, 2)]
    assert (
        len(find_touched_symbols(new, ranges, task=Task(seconds=60))) == 8_000
    )


def test_equal_texts_of_one_name_are_matched_first_and_the_rest_in_order():
    before, old = flat(3)
    lines = before.split(b"\n")
    moved = b"\n".join(
        [*lines[4:6], *lines[0:2], b"def f(): #new", b"  pass", b""]
    )
    changed = find_changed_symbols(
        OutlinedText(before, old), OutlinedText(moved, old)
    )
    assert [
        (c.status, c.start_line) for c in changed if c.kind == "function"
    ] == [("modified", 5)]


def test_what_could_not_be_parsed_in_time_is_outlined_by_patterns():
    text = b"".join(
        b"def f%d(x):\n    return [x, %d]\n" % (n, n) for n in range(60_000)
    )
    outlines = Outlines(Settings(parse_seconds=0.02))
    outline = outlines.outline(text, Language.PYTHON)
    outlines.close()
    assert not outline.is_whole
    assert "patterns" in (outline.note or "")
    names = [symbol.name for symbol in outline.symbols]
    assert names[:3] == ["f0", "f1", "f2"]
    assert len(names) >= 5_000
    lines = [symbol.start_line for symbol in outline.symbols]
    assert lines == [2 * n + 1 for n in range(len(lines))]


def test_a_file_above_the_limit_is_outlined_by_patterns():
    text = b"class A:\n    def total(self):\n        pass\n\nasync def go():\n    pass\n"
    outlines = Outlines(Settings(parse_bytes=10))
    outline = outlines.outline(text, Language.PYTHON)
    assert [(s.kind, s.name, s.start_line) for s in outline.symbols] == [
        ("class", "A", 1), ("function", "total", 2), ("function", "go", 5),
    ]  # fmt: skip
    assert not outline.parsed


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            Language.TYPESCRIPT,
            "export class A {\n}\nconst go = async (x) => 1\nfunction f() {}\n",
            ["A", "go", "f"],
        ),
        (
            Language.GO,
            "func (c *Cart) Total() int {\n}\ntype Cart struct {\n}\n",
            ["Total", "Cart"],
        ),
        (
            Language.C,
            "static int add(int a,\n        int b)\n{\n}\nif (x) {\nint main(void) {\n",
            ["add", "main"],
        ),
        (
            Language.SQL,
            "CREATE TABLE IF NOT EXISTS [dbo].[Album] (\ncreate view v as\n",
            ["[dbo].[Album]", "v"],
        ),
        (
            Language.JSON,
            '{\n  "name": "x",\n  "inner": {\n      "deep": 1\n',
            ["name", "inner"],
        ),
        (Language.YAML, "name: x\ninner:\n  deep: 1\n", ["name", "inner"]),
        (Language.MARKDOWN, "# One\ntext\n## Two\n", ["One", "Two"]),
        (
            Language.RUST,
            "pub(crate) async fn go() {\nimpl X {\nstruct S;\n",
            ["go", "S"],
        ),
    ],
)
def test_patterns_find_what_looks_like_a_definition(language, text, expected):
    data = text.encode()
    found = find_definitions(Snapshot(data), language)
    assert [symbol.name for symbol in found] == expected


def test_patterns_are_linear_whatever_the_text():
    for language in sorted(PARSED):
        for text in (
            b"a" * 100_000,
            b"int " * 25_000,
            b"(" * 100_000,
            b'"' * 100_000,
            b"{ [ <" * 25_000,
        ):
            find_definitions(Snapshot(text), language, task=Task(seconds=60))


@pytest.mark.extra
def test_yaml_of_more_lines_than_its_grammar_counts_has_no_error_and_the_keys_of_the_rest():
    text = b"".join(b"k%d:\n  a: 1\n" % n for n in range(18_000))
    outlines = Outlines(Settings(parse_seconds=30))
    outline = outlines.outline(text, Language.YAML)
    outlines.close()
    assert outline.errors.count == 0
    assert outline.last_parsed_line == 32_000
    assert [symbol.name for symbol in outline.symbols] == [
        f"k{n}" for n in range(18_000)
    ]


@pytest.mark.needs(
    "confinement"
)  # the parser's memory is bounded where it is confined
@pytest.mark.parametrize(
    ("memory", "lines"),
    [
        pytest.param(256 << 20, 130_000, marks=pytest.mark.extra),
        pytest.param(512 << 20, 250_000, marks=pytest.mark.sweep),
    ],
    ids=["small", "as it is"],
)
def test_of_a_tree_that_passes_the_parsers_memory_a_part_is_parsed(
    memory: int, lines: int
) -> None:
    class Narrow(Launcher):
        def start(self, *given: Any, **named: Any) -> Any:
            return super().start(*given, **{**named, "memory": memory})

    text = b"{%b}" % b",\n".join(
        b'"k%d": {"a": 1, "b": [1, 2, 3]}' % n for n in range(lines)
    )
    outlines = Outlines(Settings(parse_seconds=60), Narrow())
    outline = outlines.outline(text, Language.JSON)
    outlines.close()
    assert outline.parsed
    assert outline.last_parsed_line is not None
    assert outline.last_parsed_line > lines // 5
    assert [symbol.name for symbol in outline.symbols[:2]] == ["k0", "k1"]
    assert f"to line {outline.symbols[-1].start_line}" in (outline.note or "")
