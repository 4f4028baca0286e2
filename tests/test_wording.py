"""`wording`: counts, lists, suggestions and text that is safe to show."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright import wording
from filewright.wording import escape_surrogates, escape_unsendable


@pytest.mark.parametrize(
    ("count", "noun", "words"),
    [
        (1, "line", "1 line"),
        (0, "line", "0 lines"),
        (2, "match", "2 matches"),
        (1_000, "entry", "1,000 entries"),
        (3, "class", "3 classes"),
    ],
)
def test_pluralizes(count, noun, words):
    assert wording.pluralize(count, noun) == words


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (1, "1 byte"),
        (1_023, "1,023 bytes"),
        (2_560, "2.5 KB"),
        (1 << 30, "1.0 GB"),
    ],
)
def test_formats_sizes(size, words):
    assert wording.format_size(size) == words


def test_joins_all_items_within_limit():
    assert wording.join_limited(["a", 2], 2) == "a, 2"


def test_counts_items_past_limit():
    assert wording.join_limited("abcd", 2) == "a, b and 2 more"
    assert (
        wording.join_limited("abc", 1, "; ", noun="file")
        == "a and 2 more files"
    )


def test_finds_closest_match_in_any_case():
    assert wording.closest_matches("READ_CONTNT", ["read_content", "x"]) == [
        "read_content"
    ]
    assert wording.did_you_mean("raed", ["read"], "?") == "did you mean read?"
    assert wording.did_you_mean("write", ["read"], "no") == "no"


@pytest.mark.parametrize(
    ("text", "content", "line"),
    [
        pytest.param("plain é", "plain é", "plain é", id="plain"),
        pytest.param("a\tb\n", "a\tb\n", "a\tb\\x0a", id="line end"),
        pytest.param("\x1b[2J", r"\x1b[2J", r"\x1b[2J", id="control"),
        pytest.param("\u202e", r"\u202e", r"\u202e", id="direction"),
        pytest.param("\u200d", "\u200d", r"\u200d", id="joiner"),
        pytest.param("\U000e0041", "\U000e0041", r"\U000e0041", id="tag"),
    ],
)
def test_escapes(text, content, line):
    assert wording.escape_controls(text) == content
    assert wording.to_one_line(text) == line


def test_escapes_surrogates_only():
    assert wording.escape_surrogates("a\ud800\x01é") == "a\\ud800\x01é"
    assert wording.escape_surrogates("\x01") == "\x01"


def test_keeps_tabs_and_line_ends_of_sent_text():
    assert (
        wording.escape_unsendable("\t\x01\r\n\ud800") == "\t\\u0001\r\n\\ud800"
    )


def test_describes_hidden_characters():
    assert wording.describe_hidden_characters("plain\n") == []
    assert len(wording.describe_hidden_characters("\x1b\u200b")) == 2


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("\xa0", "NO-BREAK SPACE (U+00A0)"),
        ("\u200b", "ZERO WIDTH SPACE (U+200B)"),
        ("\ufeff", "BYTE ORDER MARK (U+FEFF)"),
        ("\ufe0f", "VARIATION SELECTOR-16 (U+FE0F)"),
        ("а", "CYRILLIC SMALL LETTER A (U+0430)"),
        ("\0", "NULL (U+0000)"),
        ("\x1b", "ESCAPE (U+001B)"),
        ("\x01", "control character (U+0001)"),
        ("\x90", "control character (U+0090)"),
        ("\ud800", "half of a surrogate pair (U+D800)"),
        ("\ud83d", "half of a surrogate pair (U+D83D)"),
        ("\ue000", "private use (U+E000)"),
        ("\U0001f600", "GRINNING FACE (U+1F600)"),
    ],
)
def test_names_characters(character, name):
    assert wording.character_name(character) == name


def test_limits_lines():
    assert wording.limit_lines(["a", "b"], 2, noun="file") == ["a", "b"]
    assert wording.limit_lines(["a", "b", "c"], 1, noun="file") == [
        "a",
        "2 more files",
    ]


ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=60)


@given(ANY_TEXT)
@examples(25, derandomize=True)
def test_unsendable_characters(
    text: str,
) -> None:
    shown = escape_unsendable(text)
    shown.encode("utf-8")
    assert not [
        character
        for character in shown
        if ord(character) < 32 and character not in "\t\n\f\r"
    ]
    assert not [
        character
        for character in shown
        if 0x7F <= ord(character) <= 0x9F and character != "\x85"
    ]
    assert escape_unsendable(shown) == shown


@given(st.text(max_size=60))
@examples(17, derandomize=True)
def test_plain_text_is_left_as_it_is(text: str) -> None:
    plain = "".join(
        character
        for character in text
        if character.isprintable() or character in "\n\t"
    )
    assert escape_unsendable(plain) == plain


@given(ANY_TEXT)
@examples(17, derandomize=True)
def test_json_stays_the_same_json(text: str) -> None:
    document = json.dumps({"text": text}, ensure_ascii=False)
    assert json.loads(escape_unsendable(document)) == {"text": text}


def test_surrogates() -> None:
    assert escape_surrogates("\x1b \udc80 ü") == "\x1b \\udc80 ü"
