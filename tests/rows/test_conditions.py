"""Conditions on the fields of JSON lines."""

import json
import re

import pytest

from filewright import FilewrightError
from filewright.rows.conditions import parse_conditions
from filewright.rows.fields import show_fields

ENTRY = {
    "level": "Error",
    "ms": 512.5,
    "status": "503",
    "ok": False,
    "err": {"code": "E42", "causes": [{"id": 7}]},
    "a.b": "dotted",
    "none": None,
    "x.size": 7,
    "path": "/cart/items",
    "id": 1234567890123456789,
    "a/b": 7,
    "list": [1, 2],
    "max": float("inf"),
}


@pytest.mark.parametrize(
    ("where", "is_match"),
    [
        ({"level": "error"}, True),
        ({"level": "ERROR"}, False),
        ({"level": "Error"}, True),
        ({"level": ["warn", "error"]}, True),
        ({"level": "!=error"}, False),
        ({"ms": ">500"}, True),
        ({"ms": ">=512.5"}, True),
        ({"ms": "<500"}, False),
        ({"ms": 512.5}, True),
        ({"ms": "512.5"}, True),
        ({"path": "/cart*"}, True),
        ({"path": "*CART*"}, False),
        ({"path": "*cart*items"}, True),
        ({"path": "/cart/*/items"}, False),
        ({"path": ["x*", "*s"]}, True),
        ({"path": "!=/cart*"}, False),
        ({"status": ">=500"}, True),
        ({"status": 503}, True),
        ({"ok": False}, True),
        ({"ok": "false"}, True),
        ({"ok": 0}, False),
        ({"err.code": "e42"}, True),
        ({"err.causes.0.id": 7}, True),
        ({"err.causes.1.id": None}, True),
        ({"a.b": "dotted"}, True),
        ({"none": None}, True),
        ({"missing": "!=x"}, True),
        ({"missing": ">1"}, False),
        ({"level": "error", "ms": ">600"}, False),
        ({"id": 1234567890123456789}, True),
        ({"id": "1234567890123456789"}, True),
        ({"id": 1234567890123456788}, False),
        ({"id": ">1234567890123456788"}, True),
        ({"ms": "5*"}, True),
        ({"ms": "6*"}, False),
        ({"ok": "*"}, True),
        ({"none": "*"}, False),
        ({"level": "!=null"}, True),
        ({"none": "!=null"}, False),
    ],
    ids=str,
)
def test_accepts(where, is_match):
    conditions = parse_conditions(where)
    accepted = [condition.accepts(ENTRY) for condition in conditions]
    assert all(accepted) is is_match


@pytest.mark.parametrize(
    "where",
    [
        {"level": "error"},
        {"level": ["warn", "error"]},
        {"path": "/cart/items"},
        {"path": "/cart*ems"},
        {"ok": False},
        {"ok": ["false", True]},
        {"ms": ">500"},
        {"ms": 512.5},
        {"ms": [1, 512.5]},
        {"status": ">=500"},
        {"status": "503"},
        {"x.size": ">6"},
        {"id": 1234567890123456789},
        {"id": ">1234567890123456788"},
        {"max": ">5"},
    ],
    ids=str,
)
@pytest.mark.parametrize("slash", ["/", "\\/"], ids=["plain", "escaped"])
def test_quick_tests_lose_no_line(where, slash):
    (condition,) = parse_conditions(where)
    entry = json.dumps(ENTRY).replace("/", slash)
    assert condition.accepts(json.loads(entry))
    page = b"{}\n" + entry.encode() + b"\n{}\n"
    if condition.text_pattern is not None:
        match = re.search(condition.text_pattern.encode(), page)
        assert match is not None
        offsets = [match.start()]
    else:
        assert condition.number_pattern is not None
        offsets = list(condition.number_pattern.find(page))
    assert [page.count(b"\n", 0, offset) for offset in offsets] == [1]


@pytest.mark.parametrize(
    "where",
    [
        {"level": "!=error"},
        {"level": ["error", None]},
        {"level": ["error", 5]},
        {"level": "\u00fc"},
        {"err": None},
        {"list": "[1,2]"},
        {"ms": "5*"},
        {"a/b": ">3"},
    ],
    ids=str,
)
def test_no_quick_test(where):
    (condition,) = parse_conditions(where)
    assert condition.text_pattern is None
    assert condition.number_pattern is None


def test_refuses_objects():
    with pytest.raises(FilewrightError, match="compared with an object"):
        parse_conditions({"err": {"code": 1}})


def test_long_values():
    value = "x" * 300
    assert show_fields({"a": value}, ["a"]) == "x" * 199 + "…"
    (condition,) = parse_conditions({"a": value})
    assert condition.accepts({"a": value})
    assert not condition.accepts({"a": value + "y"})
