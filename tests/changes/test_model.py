"""Ids of changes sort as their numbers do, and values are equal however they are held."""

from __future__ import annotations

from filewright.changes.model import (
    LazySequence,
    format_change_id,
    parse_change_id,
)


def test_ids_sort_as_numbers() -> None:
    numbers = [0, 1, 31, 32, 10**18, 10**18 + 1, 2**63]
    assert [
        parse_change_id(format_change_id(number)) for number in numbers
    ] == numbers
    assert sorted(map(format_change_id, numbers)) == [
        format_change_id(number) for number in numbers
    ]
    assert parse_change_id("../etc/passwd") is None
    assert parse_change_id("i" * 13) is None


def test_lazy_values_compare_by_value() -> None:
    lazy = LazySequence(2, lambda: iter("ab"))
    assert lazy == LazySequence(2, lambda: iter("ab"))
    held = ("a", "b")
    assert lazy == held
    assert held == lazy
    assert lazy != ("a", "c")
    assert lazy != ("a",)
    assert lazy != ["a", "b"]
