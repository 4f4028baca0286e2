import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.languages import Language
from filewright.settings import Settings
from filewright.structure.outlines import Outlines
from filewright.structure.parser import ParsedText, build_outline, parse_text
from filewright.text.snapshot import Snapshot


@pytest.mark.extra
def test_yaml_of_more_lines_than_its_grammar_counts():
    text = b"".join(b"k%d:\n  a: 1\n" % n for n in range(18_000))
    outlines = Outlines(Settings(parse_seconds=30))
    outline = outlines.outline(text, Language.YAML)
    outlines.close()
    assert outline.errors.count == 0
    assert outline.last_parsed_line == 32_000
    assert [symbol.name for symbol in outline.symbols] == [
        f"k{n}" for n in range(18_000)
    ]


BASE = b"""import os

class A:
    # one
    def f(self, x):
        return [x, "s"]

    def g(self): pass

def top():
    if x:
        return {1: 2}
"""


@examples(13, derandomize=True)
@given(
    edits=st.lists(
        st.tuples(
            st.integers(0, len(BASE)),
            st.integers(0, 20),
            st.sampled_from(
                [
                    b"",
                    b"x",
                    b"\n",
                    b"def h(): pass\n",
                    b'"',
                    b"(",
                    b"    ",
                    b"class B:\n  y = 1\n",
                    b"# c\n",
                    b"\r",
                ]
            ),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_incremental_parse_equals_a_fresh_one(
    edits: list[tuple[int, int, bytes]],
) -> None:
    data = BASE
    previous = parse_text(data, "utf-8", Language.PYTHON, 20)
    for offset, length, text in edits:
        data = data[:offset] + text + data[offset + length :]
        assert isinstance(previous, ParsedText)
        previous = parse_text(data, "utf-8", Language.PYTHON, 20, previous)
        fresh = parse_text(data, "utf-8", Language.PYTHON, 20)
        assert isinstance(previous, ParsedText)
        assert isinstance(fresh, ParsedText)
        if (
            not fresh.tree.root_node.has_error
        ):  # a broken text may be recovered from in more than one way
            assert build_outline(previous) == build_outline(fresh)


@pytest.mark.parametrize(
    "codec",
    ["utf-8", "utf-16-le", "utf-16-be", "cp1252", "iso8859-15", "mac-roman"],
)
def test_same_symbols_in_every_encoding(codec: str, outlines: Outlines) -> None:
    text = "# é\nclass Käse:\n    def größe(self):\n        return 'ä'\n"
    outline = outlines.outline(
        Snapshot(text.encode(codec), encoding=codec), Language.PYTHON
    )
    assert [
        (s.name, s.kind, s.start_line, s.end_line) for _, s in outline.walk()
    ] == [
        ("Käse", "class", 2, 4),
        ("größe", "method", 3, 4),
    ]
    assert not outline.errors.count
    method = outline.symbols[0].children[0]
    assert (
        text.encode(codec)[method.start : method.end]
        .decode(codec)
        .startswith("def größe")
    )


def test_utf_32_is_not_parsed() -> None:
    assert isinstance(
        parse_text(
            "x = 1".encode("utf-32-le"), "utf-32-le", Language.PYTHON, 1
        ),
        str,
    )
