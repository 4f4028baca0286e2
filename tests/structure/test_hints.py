from __future__ import annotations

import json
import re

import pytest

from filewright.languages import Language
from filewright.structure.hints import build_hints, read_sample, summarize_csv
from filewright.text.snapshot import Snapshot

LOG = b"""starting
2026-11-20 10:00:00,123 INFO  app: up
2026-11-20 10:00:01,000 WARN  app: slow
Traceback (most recent call last):
2026-11-20 10:00:02,500 ERROR app: down
2026-11-20 10:00:03,000 INFO  app: up INFO
"""

STAMPS = [
    (b"2026-11-21T09:03:26.5Z GET /", "2026-11-21T09:03:26.5Z"),
    (
        b'127.0.0.1 - - [21/Nov/2026:09:03:26 +0000] "GET /"',
        "21/Nov/2026:09:03:26 +0000",
    ),
    (b"Nov  1 09:03:26 host sshd[1]: x", "Nov  1 09:03:26"),
    (b"[2026/11/21 09:03:26] x", "2026/11/21 09:03:26"),
    (b"1700000000.123 x", "1700000000.123"),
    (b"09:03:26 x", "09:03:26"),
    (b'{"ts": "2026-11-21T09:03:26Z"}', "2026-11-21T09:03:26Z"),
]


def test_a_log_tells_first_and_last_time_and_levels() -> None:
    snapshot = Snapshot(LOG)
    facts = build_hints(snapshot, Language.LOG).log
    assert facts is not None
    assert facts.first is not None
    assert facts.last is not None
    assert (facts.first.text, snapshot.lines.line_at(facts.first.offset)) == (
        "2026-11-20 10:00:00,123",
        2,
    )
    assert (facts.last.text, snapshot.lines.line_at(facts.last.offset)) == (
        "2026-11-20 10:00:03,000",
        6,
    )
    assert facts.levels == {"INFO": 2, "WARN": 1, "ERROR": 1}
    assert facts.complete
    assert facts.often == {}


def test_what_a_log_complains_of_often_is_named_once_and_patterns_are_as_it_writes() -> (
    None
):
    log = b"".join(
        b"2026-11-20 10:%02d:00 WARN [worker-%d] retry %d succeeded\n"
        % (n, n % 4, n)
        + b"2026-11-20 10:%02d:01 INFO fine\n" % n
        for n in range(50)
    )
    found = build_hints(
        Snapshot(log + b"2026-11-20 10:59:59 ERROR pool is empty\n"),
        Language.LOG,
    )
    assert found.log is not None
    assert found.log.often == {"WARN [worker-0] retry 0 succeeded": 50}
    assert found.patterns[:3] == (
        r"\bERROR\b",
        r"\bWARN\b",
        "^.{0,20}2026-11-20 10",
    )
    later = build_hints(
        Snapshot(log + b"2026-11-21 10:59:59 ERROR x\n"), Language.LOG
    )
    assert "^.{0,20}2026-11-21" in later.patterns


@pytest.mark.parametrize(("line", "stamp"), STAMPS)
def test_timestamps_of_many_kinds(line: bytes, stamp: str) -> None:
    facts = build_hints(Snapshot(line + b"\n"), Language.LOG).log
    assert facts is not None
    assert facts.first is not None
    assert facts.first.text == stamp


def test_a_log_is_recognised_without_its_name() -> None:
    assert build_hints(Snapshot(LOG), None).log is not None
    assert build_hints(Snapshot(b"hello\nworld\nmore\n"), None).log is None


def test_a_large_log_is_sampled_at_its_ends(tmp_path: object) -> None:
    lines = [
        b"2026-11-20 10:%02d:%02d ERROR number %d\n" % (n // 60 % 60, n % 60, n)
        for n in range(40_000)
    ]
    reads: list[int] = []

    class Counting(Snapshot):
        def read(self, offset: int, length: int) -> bytes:
            reads.append(length)
            return super().read(offset, length)

    data = b"".join(lines)
    snapshot = Counting(data, encoding="utf-8")
    facts = build_hints(snapshot, Language.LOG).log
    assert facts is not None
    assert not facts.complete
    assert facts.first is not None
    assert facts.first.offset == 0
    assert facts.last is not None
    assert facts.last.offset == len(data) - len(lines[-1])
    assert set(facts.levels) == {"ERROR"}
    assert sum(reads) < 400_000 < len(data)


CSV = [
    (b"id,name,age\n1,Ann,3\n2,Bob,4\n", ",", ("id", "name", "age")),
    (b"id;name\n1;a,b\n2;c,d\n", ";", ("id", "name")),
    (b"a\tb\n1\t2\n", "\t", ("a", "b")),
    (b'1,"x,y",3\n4,"z",6\n', ",", None),
    (b'name,text\na,"two\nlines"\n', ",", ("name", "text")),
]


@pytest.mark.parametrize(("data", "delimiter", "names"), CSV)
def test_columns_of_a_csv(
    data: bytes, delimiter: str, names: tuple[str, ...] | None
) -> None:
    facts = summarize_csv(read_sample(Snapshot(data)))
    assert facts is not None
    assert (facts.delimiter, facts.names) == (delimiter, names)


def test_text_without_columns_has_none() -> None:
    assert build_hints(Snapshot(b"hello\nworld\n"), Language.CSV).csv is None


def test_keys_of_json_lines() -> None:
    data = b'{"a": 1, "b": "x"}\n{"a": null}\nnot json\n{"a": 2.5, "c": [1]}\n'
    facts = build_hints(Snapshot(data), Language.JSON_LINES).json_lines
    assert facts is not None
    assert facts.keys[0] == ("a", "null|number", 1.0)
    assert {key for key, _, _ in facts.keys} == {"a", "b", "c"}
    assert facts.invalid == 1


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_samples_in_sixteen_bits(codec: str) -> None:
    text = LOG.decode().replace("\n", "\r\n")
    snapshot = Snapshot(text.encode(codec), encoding=codec)
    facts = build_hints(snapshot, Language.LOG).log
    assert facts is not None
    assert facts.last is not None
    assert snapshot.lines.line_at(facts.last.offset) == 6


def test_code_gets_patterns() -> None:
    assert any(
        "def" in pattern
        for pattern in build_hints(Snapshot(b""), Language.PYTHON).patterns
    )
    assert build_hints(Snapshot(b""), Language.TSX).patterns


def test_json_lines_of_taking_turns_are_all_seen() -> None:
    names = ["gateway", "db", "auth", "cart"]
    lines = [
        json.dumps({names[n % 4]: n, "at": {"h": n}, "a.b": "x"})
        for n in range(400)
    ]
    found = build_hints(
        Snapshot("\n".join(lines).encode()), Language.JSON_LINES
    )
    assert found.json_lines is not None
    assert {key: share for key, _, share in found.json_lines.keys} == {
        **dict.fromkeys(names, 0.25),
        "at.h": 1.0,
        "a.b": 1.0,
    }
    assert found.patterns
    for pattern in found.patterns:
        assert re.search(
            pattern.replace("VALUE", ""),
            lines[0] + lines[1] + lines[2] + lines[3],
        ), pattern
    assert not any('"at' in pattern for pattern in found.patterns)
