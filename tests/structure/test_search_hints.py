from __future__ import annotations

import pytest

from filewright.languages import Language
from filewright.structure.search_hints import build_search_hints
from filewright.text.snapshot import Snapshot

LOG = b"""2026-11-20 10:00:00 INFO up
2026-11-20 10:20:00 WARN slow
2026-11-20 10:40:00 ERROR down
"""


@pytest.mark.parametrize("language", [Language.PYTHON, Language.TSX])
def test_code_has_patterns(language: Language) -> None:
    hints = build_search_hints(Snapshot(b""), language)
    assert hints.patterns == language.traits.suggested_searches != ()
    assert (hints.log, hints.csv, hints.json_lines) == (None, None, None)


@pytest.mark.parametrize(
    ("last_line", "pattern"),
    [
        (b"", "^.{0,20}2026-11-20 10"),
        (b"2026-11-21 10:59:59 ERROR x\n", "^.{0,20}2026-11-21"),
    ],
    ids=["hour of a day", "day of several"],
)
def test_log_patterns(last_line: bytes, pattern: str) -> None:
    hints = build_search_hints(Snapshot(LOG + last_line), Language.LOG)
    assert hints.log is not None
    assert hints.patterns[:3] == (r"\bERROR\b", r"\bWARN\b", pattern)


def test_log_without_its_name() -> None:
    assert build_search_hints(Snapshot(LOG), None).log is not None
    text = Snapshot(b"hello\nworld\nmore\n")
    assert build_search_hints(text, None).log is None


def test_json_lines_in_a_log() -> None:
    rows = b'{"level":"error","ms":1}\n' * 12 + LOG
    hints = build_search_hints(Snapshot(rows), Language.LOG)
    assert hints.rows is not None
    assert hints.json_lines is not None
    few = build_search_hints(Snapshot(rows[:60] + LOG * 4), Language.LOG)
    assert few.rows is None


def test_table_without_columns() -> None:
    text = Snapshot(b"hello\nworld\n")
    assert build_search_hints(text, Language.CSV).csv is None
