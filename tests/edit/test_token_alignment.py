"""The tokens of a replacement that stay tokens of the search text."""

from __future__ import annotations

import pytest

from filewright.edit.token_alignment import (
    TokenChange,
    align_tokens,
    number_lines,
    split_lines,
    starts_line,
)
from filewright.edit.tokens import Token, tokenize


def tokens_of(text: str) -> list[Token]:
    return [token for line in text.split("\n") for token in tokenize(line)]


def kept(old: str, new: str, *, from_end: bool = False) -> list[str]:
    """Return the tokens that stay, each with the index of the old one."""
    base, theirs = tokens_of(old), tokens_of(new)
    change = TokenChange(base, base, [0] * len(base), theirs)
    alignment = align_tokens(change, from_end=from_end)
    for their_index, base_index in alignment.items():
        assert theirs[their_index].text == base[base_index].text
    return [
        f"{theirs[index].text}{alignment[index]}".strip()
        for index in sorted(alignment)
        if not theirs[index].ends_line
    ]


@pytest.mark.parametrize(
    ("old", "new", "from_end", "expected"),
    [
        pytest.param(
            "a b c", "a x c", False, ["a0", "c2"], id="one word is new"
        ),
        pytest.param("a a", "a", False, ["a0"], id="first"),
        pytest.param("a a", "a", True, ["a1"], id="last"),
        pytest.param(
            "f ( a )\ng ( b ]",
            "zz ( y )\nf ( a )",
            False,
            ["f0", "(1", "a2", ")3"],
            id="a line that shares signs only is new",
        ),
        pytest.param(
            "a b c\nd e f",
            "c x y z\nd e f",
            False,
            ["d4", "e5", "f6"],
            id="a line that shares a word by chance is new",
        ),
    ],
)
def test_aligns_words(
    old: str, new: str, from_end: bool, expected: list[str]
) -> None:
    assert kept(old, new, from_end=from_end) == expected


def test_aligns_ends_with_lines_of_most_words() -> None:
    base, theirs = tokens_of("a b\nc d"), tokens_of("new\na b\nc d")
    change = TokenChange(base, base, [0] * len(base), theirs)
    alignment = align_tokens(change, from_end=False)
    ends = [index for index, token in enumerate(theirs) if token.ends_line]
    assert [alignment.get(end) for end in ends] == [None, 2, 5]


def test_lines_of_tokens() -> None:
    tokens = tokens_of("a  b\n c")
    assert split_lines(tokens) == ["a  b", " c", ""]
    assert number_lines(tokens) == [0, 0, 0, 1, 1]
    firsts = [starts_line(tokens, index) for index in range(len(tokens))]
    assert firsts == [True, False, False, True, False]
