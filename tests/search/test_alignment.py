import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.search.distances import distance

from filewright.search.alignment import (
    find_best_fit,
    find_nearest_region,
    fold_text,
)


@examples(25, derandomize=True)
@given(st.text("abé ", min_size=1, max_size=9), st.text("abé ", max_size=14))
def test_region_is_a_nearest_one(needle, text):
    nearest = find_nearest_region(needle, text)
    region = text[nearest.start : nearest.end]
    assert distance(needle, region) == nearest.distance
    regions = (
        text[a:b] for a in range(len(text) + 1) for b in range(a, len(text) + 1)
    )
    assert nearest.distance == min(
        distance(needle, region) for region in regions
    )


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
def test_ends_of_regions(needle, text, region):
    fit = find_best_fit(needle, text)
    assert text[fit.start : fit.end] == region


@examples(17, derandomize=True)
@given(st.text(" \t\na“’-x", max_size=30))
def test_folding_keeps_offsets(text):
    folded = fold_text(text)
    plain, places = folded.text, folded.offsets
    assert len(plain) == len(places)
    assert places == sorted(set(places))
    assert plain == " ".join(plain.split())
