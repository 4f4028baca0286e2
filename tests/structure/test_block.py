from __future__ import annotations

from pathlib import Path

import pytest

from filewright.languages import Language
from filewright.structure.block import find_block, symbol_block
from filewright.structure.lookup import find_symbol
from filewright.structure.outline import Outline
from filewright.structure.outlines import Outlines
from filewright.text.snapshot import Snapshot

FIXTURES = Path(__file__).with_name("fixtures")

# file, line, depth, first line, last line, kind
CASES = [
    ("python.py", 44, 1, 43, 44, "function"),
    ("python.py", 44, 2, 38, 46, "method"),
    ("python.py", 44, 3, 27, 62, "class"),
    ("python.py", 44, 9, 27, 62, "class"),
    (
        "python.py",
        38,
        1,
        38,
        46,
        "method",
    ),  # its comment and decorator belong to it
    (
        "python.py",
        35,
        1,
        27,
        62,
        "class",
    ),  # an attribute is read with its class
    ("python.py", 7, 1, 4, 9, "import"),
    ("python.py", 83, 1, 82, 83, "block"),
    ("javascript.js", 15, 2, 11, 18, "function"),
    ("javascript.js", 37, 1, 36, 38, "method"),
    ("javascript.js", 73, 2, 72, 74, "test"),
    ("typescript.ts", 29, 2, 19, 33, "class"),
    ("go.go", 43, 1, 42, 48, "method"),
    ("go.go", 26, 1, 23, 28, "struct"),
    ("rust.rs", 52, 1, 47, 53, "method"),
    ("rust.rs", 13, 1, 11, 18, "struct"),
    ("java.java", 24, 1, 20, 27, "method"),
    ("cpp.cpp", 47, 1, 44, 48, "method"),
    ("cpp.cpp", 38, 1, 13, 41, "class"),
    ("csharp.cs", 29, 1, 25, 30, "method"),
    ("ruby.rb", 19, 1, 18, 20, "method"),
    ("php.php", 33, 1, 29, 36, "method"),
    ("swift.swift", 15, 1, 14, 16, "property"),
    ("bash.sh", 15, 1, 12, 20, "function"),
    ("sql.sql", 4, 1, 1, 7, "table"),
    ("sql.sql", 35, 1, 34, 37, "paragraph"),
    ("yaml.yaml", 13, 1, 12, 14, "key"),
    ("yaml.yaml", 10, 1, 8, 14, "key"),
    ("markdown.md", 7, 1, 5, 9, "section"),
    ("markdown.md", 7, 2, 5, 29, "heading"),
    ("markdown.md", 17, 1, 17, 22, "heading"),
]


@pytest.mark.parametrize(
    ("name", "line", "depth", "first", "last", "kind"), CASES
)
def test_definition_around_a_line(
    name: str,
    line: int,
    depth: int,
    first: int,
    last: int,
    kind: str,
    outlines: Outlines,
) -> None:
    data = (FIXTURES / name).read_bytes()
    outline = outlines.outline(data, Language(name.partition(".")[0]))
    block = find_block(data, line, outline, depth)
    assert (block.start_line, block.end_line, block.kind) == (first, last, kind)


@pytest.mark.parametrize(
    "name",
    sorted(path.name for path in FIXTURES.iterdir() if path.suffix != ".txt"),
)
def test_blocks_hold_their_lines(name: str, outlines: Outlines) -> None:
    data = (FIXTURES / name).read_bytes()
    outline = outlines.outline(data, Language(name.partition(".")[0]))
    lines = data.decode().split("\n")[:-1]
    for line, text in enumerate(lines, 1):
        inner = find_block(data, line, outline)
        outer = find_block(data, line, outline, 2)
        if text.strip():
            assert inner.start_line <= line <= inner.end_line <= len(lines)
        assert outer.start_line <= inner.start_line
        assert inner.end_line <= outer.end_line


MAKEFILE = b"""# Builds.
all: one two

one: a.c
\tcc a.c
\tcc b.c

NAME = value
two:
\tif x; then \\
\t\techo y; \\
\tfi
"""


@pytest.mark.parametrize(
    ("line", "first", "last"),
    [(5, 4, 6), (6, 4, 6), (4, 4, 6), (11, 10, 12), (8, 8, 12), (1, 1, 2)],
)
def test_indentation(line: int, first: int, last: int) -> None:
    block = find_block(MAKEFILE, line, None)
    assert (block.start_line, block.end_line) == (first, last)


PERL = b"""use strict;

# Adds.
sub add {
    my ($a, $b) = @_;
    if ($a) {
        return $a;
    }
    return $a + $b;
}

sub other {
    1;
}
"""


@pytest.mark.parametrize(
    ("line", "depth", "first", "last"),
    [
        (7, 1, 6, 8),
        (7, 2, 3, 10),
        (9, 1, 3, 10),
        (10, 1, 3, 10),
        (4, 1, 3, 10),
        (3, 1, 3, 10),
        (13, 1, 12, 14),
    ],
)
def test_braces(line: int, depth: int, first: int, last: int) -> None:
    block = find_block(PERL, line, None, depth)
    assert (block.start_line, block.end_line) == (first, last)


def test_paragraphs() -> None:
    text = b"One\ntwo.\n\nThree\nfour.\n\n\nFive.\n"
    outline = Outline(Language.TEXT, parsed=False)
    assert [
        (b.start_line, b.end_line)
        for b in (find_block(text, 5, outline, d) for d in (1, 2))
    ] == [
        (4, 5),
        (1, 8),
    ]


LOG = b"""10:00:00 start
10:00:01 failed
Traceback:
  File "x"
10:00:02 again
10:00:03 end
"""


@pytest.mark.parametrize(
    ("line", "depth", "first", "last"),
    [
        (3, 1, 2, 4),
        (2, 1, 2, 4),
        (6, 1, 6, 6),
        (1, 1, 1, 1),
        (4, 2, 1, 5),
        (4, 9, 1, 6),
    ],
)
def test_records(line: int, depth: int, first: int, last: int) -> None:
    block = find_block(LOG, line, Outline(Language.LOG, parsed=False), depth)
    assert (block.start_line, block.end_line, block.kind) == (
        first,
        last,
        "record",
    )


def test_symbol_has_its_comment(
    outlines: Outlines,
) -> None:
    data = (FIXTURES / "rust.rs").read_bytes()
    found = find_symbol(outlines.outline(data, Language.RUST), "Point::new")
    block = symbol_block((*found.ancestors, found.symbol))
    assert (block.start_line, block.end_line) == (47, 53)
    assert block.path == "impl Point<T> › method new"


@pytest.mark.parametrize("data", [b"\n\n\n", b"\n", b" \n\t\n"])
@pytest.mark.parametrize(
    "language",
    [
        Language.PYTHON,
        Language.MARKDOWN,
        Language.SQL,
        Language.TEXT,
        Language.LOG,
    ],
)
def test_blank_text(
    data: bytes, language: Language, outlines: Outlines
) -> None:
    block = find_block(data, 1, outlines.outline(data, language), 2)
    assert 1 <= block.start_line <= block.end_line


def test_blank_line_between_definitions(
    outlines: Outlines,
) -> None:
    data = b"def a():\n    pass\n\n\ndef b():\n    pass\n\n"
    outline = outlines.outline(data, Language.PYTHON)
    assert [find_block(data, line, outline).path for line in (3, 4, 7)] == [
        "function b",
        "function b",
        "function b",
    ]


def test_huge_line() -> None:
    snapshot = Snapshot(b"x" * 3_000_000)
    assert find_block(snapshot, 1, None).end_line == 1
