"""The lines of a symbol, the blank lines around them, and texts in their place."""

from __future__ import annotations

import pytest
from tests.files import named

from filewright.edit.request import SymbolLines
from filewright.edit.symbol_lines import (
    StrippedText,
    find_symbol_lines,
    strip_blank_lines,
    trim_symbol_text,
)
from filewright.errors import Code, FilewrightError
from filewright.languages import Language
from filewright.structure.outline import Outline
from filewright.structure.symbol import Symbol

TEXT = (
    "import x\n\n\ndef a():\n    pass\n\n\n# b\ndef b():\n    pass\n\n\n"
    "class C:\n    def m(self):\n        pass\n\n    def n(self):\n        pass\n"
)


def symbol(text: str, code: str, name: str, *children: Symbol) -> Symbol:
    """Return the symbol of a piece of a text, with a comment that begins it."""
    block_start = text.index(code)
    start = block_start
    while text.startswith("#", start):
        start = text.index("\n", start) + 1
    end = block_start + len(code)
    return Symbol(
        name=name,
        kind="function",
        start_line=text.count("\n", 0, start) + 1,
        end_line=text.count("\n", 0, end) + 1,
        start=start,
        end=end,
        block_start=block_start,
        block_start_line=text.count("\n", 0, block_start) + 1,
        children=children,
    )


def find(text: str, name: str, *symbols: Symbol) -> SymbolLines:
    outline = Outline(Language.PYTHON, symbols, len(symbols))
    return find_symbol_lines(
        named("a.py", text.encode()), outline, name, "a.py"
    )


def find_in_text(name: str) -> SymbolLines:
    methods = (
        symbol(TEXT, "def m(self):\n        pass", "m"),
        symbol(TEXT, "def n(self):\n        pass", "n"),
    )
    return find(
        TEXT,
        name,
        symbol(TEXT, "def a():\n    pass", "a"),
        symbol(TEXT, "# b\ndef b():\n    pass", "b"),
        symbol(TEXT, TEXT[TEXT.index("class") :].rstrip(), "C", *methods),
    )


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "a",
            SymbolLines(
                4, 5, "", 2, 2, 8, False, False, False, gap=2, name="a"
            ),
        ),
        (
            "b",
            SymbolLines(
                8, 10, "", 2, 2, 13, False, False, False, gap=2, name="b"
            ),
        ),
        (
            "C",
            SymbolLines(
                13, 18, "", 2, 0, None, False, True, False, gap=2, name="C"
            ),
        ),
        (
            "m",
            SymbolLines(
                14, 15, "    ", 0, 1, 17, True, False, False, gap=1, name="C.m"
            ),
        ),
        (
            "n",
            SymbolLines(
                17,
                18,
                "    ",
                1,
                0,
                None,
                False,
                True,
                False,
                gap=1,
                name="C.n",
            ),
        ),
    ],
)
def test_lines(name: str, lines: SymbolLines) -> None:
    assert find_in_text(name) == lines


def test_refuses_symbol_of_unknown_end() -> None:
    outline = Outline(
        Language.PYTHON, (symbol(TEXT, "def a():\n    pass", "a"),), 1
    )
    file = named("a.py", TEXT.encode())
    assert find_symbol_lines(file, outline.truncated_at(6), "a", "a.py")
    with pytest.raises(FilewrightError, match="parsed to line 5") as caught:
        find_symbol_lines(file, outline.truncated_at(5), "a", "a.py")
    assert caught.value.code is Code.UNSUPPORTED


def test_refuses_lines_with_other_code() -> None:
    text = "int a; int b;\n"
    symbols = symbol(text, "int a;", "a"), symbol(text, "int b;", "b")
    with pytest.raises(FilewrightError, match="shares a line with function b"):
        find(text, "a", *symbols)
    text = "x = {\n  a() }\n"
    with pytest.raises(FilewrightError, match="with its enclosing block"):
        find(text, "a", symbol(text, "a()", "a"))


@pytest.mark.parametrize(
    ("text", "stripped"),
    [
        ("a\n", ("a\n", 0, 0)),
        ("\n\na\n\n", ("a\n", 2, 1)),
        ("a", ("a", 0, 0)),
        ("\na\n ", ("a\n", 1, 0)),
        ("\n \n", ("\n \n", 0, 0)),
    ],
)
def test_strips(text: str, stripped: tuple[str, int, int]) -> None:
    assert strip_blank_lines(text) == StrippedText(*stripped)


@pytest.mark.parametrize(
    ("text", "trimmed"),
    [
        pytest.param("\n\nx\n\n\n", "x\n", id="those of the file"),
        pytest.param("\n\n\nx\n", "\nx\n", id="more above"),
        pytest.param("x\n\n\n\n", "x\n\n", id="more below"),
        pytest.param("\n\n", "\n\n", id="blank lines alone"),
        pytest.param("x\r\n", "x\n", id="carriage return"),
    ],
)
def test_trims(text: str, trimmed: str) -> None:
    assert trim_symbol_text(text, find_in_text("b")) == trimmed
