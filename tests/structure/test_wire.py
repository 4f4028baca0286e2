from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.structure.outline import Outline, SyntaxIssue, SyntaxReport
from filewright.structure.symbol import Symbol
from filewright.structure.wire import decode_outline, encode_line


def symbols() -> st.SearchStrategy[Symbol]:
    number = st.integers(0, 1 << 40)
    kind = st.sampled_from(["class", "function"])
    row = st.tuples(
        st.text(max_size=5), kind, *[number] * 6, st.text(max_size=3)
    )
    plain = row.map(lambda values: Symbol(*values))
    return st.recursive(
        plain,
        lambda inner: st.tuples(plain, st.lists(inner, max_size=3)).map(
            lambda pair: pair[0]._replace(children=tuple(pair[1]))
        ),
        max_leaves=12,
    )


@examples(15, derandomize=True)
@given(st.lists(symbols(), max_size=4), st.booleans())
def test_outline_survives_the_wire(
    found: list[Symbol], truncated: bool
) -> None:
    report = SyntaxReport(
        3, (SyntaxIssue(1, 2, "a", "unexpected"),), certain=False
    )
    count = sum(1 for _ in Outline("c", tuple(found)).walk())
    outline = Outline(
        "c", tuple(found), count, truncated=truncated, note="n", errors=report
    )
    assert decode_outline(encode_line(outline)) == outline
    shortened = outline.shorten(3)
    kept, left_out = shortened.symbols, shortened.left_out
    assert sum(1 for _ in Outline("c", kept).walk()) + left_out == count
    assert sum(1 for _ in Outline("c", kept).walk()) == min(3, count)
