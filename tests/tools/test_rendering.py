"""Text that leaves the server can be encoded, cannot steer a terminal, and has an end."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.tools.bounded_text import clip
from filewright.wording import escape_surrogates, escape_unsendable

ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=60)


@given(ANY_TEXT)
@examples(25, derandomize=True)
def test_safe_text_can_be_encoded_and_holds_no_control_character(
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


def test_only_what_cannot_be_encoded_is_spelled_out_in_resources() -> None:
    assert escape_surrogates("\x1b \udc80 ü") == "\x1b \\udc80 ü"


@given(st.text(alphabet="ab\n", max_size=200), st.integers(20, 100))
@examples(17, derandomize=True)
def test_bounded_text_ends_with_the_note_within_the_limit(
    text: str, limit: int
) -> None:
    shown = clip(text, limit, note="[cut]", at_line=True)
    assert len(shown) <= limit
    assert shown == text if len(text) <= limit else shown.endswith("[cut]")
