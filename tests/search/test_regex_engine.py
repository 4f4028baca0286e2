"""RE2 as the engine of all regular expressions."""

import pytest

from filewright.errors import Code, FilewrightError
from filewright.search.regex_engine import compile_re2


def test_latin1_makes_every_byte_a_character() -> None:
    assert compile_re2("^.$", latin1=True).fullmatch(b"\xff") is not None
    assert compile_re2("^.$").fullmatch(b"\xff") is None


def test_line_break_only_in_multiline_patterns() -> None:
    assert compile_re2(r"a\nb").fullmatch(b"a\nb") is not None
    assert compile_re2(r"a\sb", multiline=False).fullmatch(b"a\nb") is None


def test_refuses_a_pattern_that_is_too_large() -> None:
    with pytest.raises(FilewrightError) as caught:
        compile_re2("(?:a{1000}){1000}")
    assert caught.value.code is Code.INVALID_INPUT
    assert caught.value.details["argument"] == "pattern"
