from __future__ import annotations

import json

from filewright.structure.data_facts import (
    JsonLinesFacts,
    summarize_json_lines,
)
from filewright.structure.sample import read_sample
from filewright.text.snapshot import Snapshot


def json_lines_of(content: bytes) -> JsonLinesFacts:
    return summarize_json_lines(read_sample(Snapshot(content)))


def test_types_of_json_lines() -> None:
    facts = json_lines_of(
        b'{"a": 1, "b": "x"}\n{"a": null}\nnot json\n{"a": 2.5, "c": [1]}\n'
    )
    assert facts.keys[0] == ("a", "null|number", 1.0)
    assert {key.name for key in facts.keys} == {"a", "b", "c"}
    assert facts.invalid == 1


def test_shares_of_alternating_json_lines() -> None:
    names = ["gateway", "db", "auth", "cart"]
    rows = []
    for number in range(400):
        row = {names[number % 4]: number, "at": {"h": number}, "a.b": "x"}
        rows.append(json.dumps(row))
    facts = json_lines_of("\n".join(rows).encode())
    assert {key.name: key.share for key in facts.keys} == {
        **dict.fromkeys(names, 0.25),
        "at.h": 1.0,
        "a.b": 1.0,
    }


def test_cut_and_deep_lines_are_not_invalid() -> None:
    long_line = b'{"a": "' + b"x" * 5_000 + b'"}\n'
    deep_line = b"[" * 1_900 + b"\n"
    facts = json_lines_of(long_line + b'{"b": 1}\n' + deep_line)
    assert [key.name for key in facts.keys] == ["b"]
    assert facts.sampled_lines - facts.invalid == 1
