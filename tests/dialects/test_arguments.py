"""Numbers in the environment variables of an original."""

from __future__ import annotations

import pytest

from filewright.dialects.arguments import Variable

LINES = Variable("ORIGINAL_LINES", at_least=40, at_most=1000)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(None, 500, id="not set"),
        pytest.param("", 500, id="empty"),
        pytest.param("many", 500, id="no number"),
        pytest.param("1.5", 500, id="no integer"),
        pytest.param("200", 200, id="set"),
        pytest.param("-3", 40, id="too small"),
        pytest.param("9" * 30, 1000, id="too large"),
    ],
)
def test_integer(value, expected, monkeypatch):
    monkeypatch.delenv(LINES.name, raising=False)
    if value is not None:
        monkeypatch.setenv(LINES.name, value)
    assert LINES.integer(500) == expected


def test_number_without_an_upper_bound(monkeypatch):
    threshold = Variable("ORIGINAL_THRESHOLD", at_least=0.3)
    monkeypatch.setenv(threshold.name, "0.75")
    assert threshold.number(0.8) == 0.75
    monkeypatch.setenv(threshold.name, "0.1")
    assert threshold.number(0.8) == 0.3
    monkeypatch.setenv(threshold.name, "x")
    assert threshold.number(0.8) == 0.8
