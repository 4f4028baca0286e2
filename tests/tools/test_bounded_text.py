"""The budget of characters of one page."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.tools.bounded_text import CharacterBudget, clip


def test_first_result_always_fits() -> None:
    budget = CharacterBudget(10, reserve=5)
    assert budget.take(100)
    assert not budget.is_full
    assert not budget.take(1)
    assert budget.is_full


def test_keeps_reserve() -> None:
    budget = CharacterBudget(20, reserve=5)
    assert budget.take(10)
    assert budget.take(5)
    assert not budget.take(1)
    assert budget.used == 15
    assert budget.remaining == 5


def test_reserve_of_one_result() -> None:
    budget = CharacterBudget(20)
    assert budget.take(10)
    assert not budget.take(5, reserve=6)
    assert budget.take(5, reserve=5)


@given(st.text(alphabet="ab\n", max_size=200), st.integers(20, 100))
@examples(17, derandomize=True)
def test_clips_with_a_note(text: str, limit: int) -> None:
    shown = clip(text, limit, note="[cut]", at_line=True)
    assert len(shown) <= limit
    assert shown == text if len(text) <= limit else shown.endswith("[cut]")
