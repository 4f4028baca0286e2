"""Words near the matches of a pattern: longer ones, other case, parts of an expression."""

from __future__ import annotations

from typing import Any

import pytest

from filewright.progress import Task
from filewright.search.near_words import MAX_COUNTED_WORDS, NearWords
from filewright.search.pattern import compile_pattern
from filewright.text.snapshot import Snapshot

WORD = {"case": "sensitive", "whole_word": True}
PLAIN = {"case": "sensitive"}
REGEX = {"case": "sensitive", "mode": "regex"}


@pytest.mark.parametrize(
    ("pattern", "options", "text", "counts"),
    [
        pytest.param(
            "get",
            WORD,
            "get gets get_it reget, Get GET get",
            {"gets": 1, "get_it": 1, "reget": 1, "Get": 1, "GET": 1},
            id="whole word",
        ),
        pytest.param(
            "get", PLAIN, "get gets GETS", {"GETS": 1}, id="other case"
        ),
        pytest.param("größe", WORD, "größe größen", {"größen": 1}, id="umlaut"),
        pytest.param(
            r"(^|[^\w-])slide-nr($|[^\w-])",
            REGEX,
            "slide-nr slide-nr-a data-slide-nr=1",
            {"slide-nr-a": 1, "data-slide-nr": 1},
            id="literal of an expression",
        ),
        pytest.param(
            r"\bold_name\(", REGEX, "old_name(1) old_name", {"old_name": 1},
            id="only calls",
        ),
        pytest.param("one two", PLAIN, "One two", None, id="two words"),
        pytest.param(r"\b(one|two)\b", REGEX, "ones", None, id="alternatives"),
        pytest.param(r"[a-z]+\d{3}", REGEX, "abc123", None, id="no literal"),
        pytest.param(
            r'"version": "8\.0', REGEX, "Version", None, id="word and number"
        ),
        pytest.param(r"from a import (old)", REGEX, "olds", None, id="phrase"),
        pytest.param("id", WORD, "ids", None, id="too short"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_counts(
    pattern: str,
    options: dict[str, Any],
    text: str,
    counts: dict[str, int] | None,
    encoding: str,
) -> None:
    near_words = NearWords.around(compile_pattern(pattern, **options))
    if counts is None:
        assert near_words is None
        return
    assert near_words is not None
    near_words.add(Snapshot(text.encode(encoding), encoding=encoding), Task())
    assert near_words.counts == counts
    assert near_words.is_complete


def test_limit() -> None:
    near_words = NearWords.around(compile_pattern("one", **WORD))
    assert near_words is not None
    near_words.add(Snapshot(b"ones " * (MAX_COUNTED_WORDS + 5)), Task())
    assert near_words.counts == {"ones": MAX_COUNTED_WORDS}
    assert not near_words.is_complete
