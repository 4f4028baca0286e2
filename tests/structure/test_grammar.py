"""Grammars with their queries."""

from __future__ import annotations

from filewright.languages import Language
from filewright.structure.grammar import load_grammar


def test_is_loaded_once() -> None:
    assert load_grammar(Language.PYTHON) is load_grammar(Language.PYTHON)


def test_skipped_patterns_have_no_kind() -> None:
    for pattern in load_grammar(Language.PYTHON).patterns:
        assert pattern.kind in (pattern.capture, "-")


def test_holder_decides_on_the_kind() -> None:
    functions = [
        pattern
        for pattern in load_grammar(Language.PYTHON).patterns
        if pattern.capture == "function"
    ]
    kinds = {pattern.kind_within("class") for pattern in functions}
    assert "method" in kinds
    assert {pattern.kind_within("") for pattern in functions} == {"function"}
