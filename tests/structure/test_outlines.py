"""Outlines of texts that are too large, or too slow, to be parsed whole."""

from typing import Any

import pytest

from filewright.boundary.launcher import Launcher
from filewright.languages import Language
from filewright.settings import Settings
from filewright.structure.outlines import Outlines


def test_time_limit_leaves_patterns():
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


def test_size_limit_leaves_patterns():
    text = b"class A:\n    def total(self):\n        pass\n\nasync def go():\n    pass\n"
    outlines = Outlines(Settings(parse_bytes=10))
    outline = outlines.outline(text, Language.PYTHON)
    assert [(s.kind, s.name, s.start_line) for s in outline.symbols] == [
        ("class", "A", 1), ("function", "total", 2), ("function", "go", 5),
    ]  # fmt: skip
    assert not outline.parsed


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
def test_memory_limit_leaves_a_part(memory: int, lines: int) -> None:
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
