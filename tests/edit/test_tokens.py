"""Tokens of lines, and the file's own spelling of those of a request."""

from __future__ import annotations

import pytest

from filewright.edit.tokens import LINE_END, pair_tokens, tokenize


@pytest.mark.parametrize(
    ("line", "tokens"),
    [
        ("", [("", LINE_END)]),
        ("a1_b", [("", "a1_b"), ("", LINE_END)]),
        (
            "x  +=1 ",
            [("", "x"), ("  ", "+"), ("", "="), ("", "1"), (" ", LINE_END)],
        ),
        (
            "e\u0301t\u00e9!",
            [("", "e\u0301t\u00e9"), ("", "!"), ("", LINE_END)],
        ),
        ("\u200ba", [("", "\u200ba"), ("", LINE_END)]),
        ("a\u00a0 b", [("", "a"), ("\u00a0 ", "b"), ("", LINE_END)]),
    ],
    ids=["empty", "word", "signs", "marks", "invisible", "spaces"],
)
def test_tokenizes(line: str, tokens: list[tuple[str, str]]) -> None:
    assert [(token.gap, token.text) for token in tokenize(line)] == tokens


@pytest.mark.parametrize(
    ("request_line", "file_line", "file_tokens"),
    [
        ("a b", "a b", ["a", " b", LINE_END]),
        ("a b", "a \t b  ", ["a", " \t b", "  \n"]),
        ('f("x")', "f(\u201cx\u201d)", ["f", "(", "\u201c", "x", "\u201d", ")", "\n"]),
        ("\u00e9 ", "e\u0301", ["e\u0301", "\n"]),
        ("\ud55c", "\u1112\u1161\u11ab", ["\u1112\u1161\u11ab", "\n"]),
        ("ab", "a\u200bb", ["a\u200bb", "\n"]),
    ],
    ids=["equal", "spaces", "quotes", "composed", "syllable", "invisible"],
)  # fmt: skip
def test_pairs(
    request_line: str, file_line: str, file_tokens: list[str]
) -> None:
    pairs = pair_tokens(request_line, file_line)
    assert pairs is not None
    assert [pair.file.gap + pair.file.text for pair in pairs] == file_tokens
    request_tokens = [pair.request for pair in pairs]
    assert (
        "".join(token.gap + token.text for token in request_tokens)
        == f"{request_line}\n"
    )


@pytest.mark.parametrize("file_line", ["a  c", "ab", "a b c", "A b"])
def test_pairs_no_other_lines(file_line: str) -> None:
    assert pair_tokens("a b", file_line) is None
