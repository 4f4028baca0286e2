"""Lines of JSON that fit conditions, found in pages of any text."""

import gzip
import json
import random

import pytest

from filewright.logs.selection import EntrySelection
from filewright.progress import Task
from filewright.rows.conditions import parse_conditions
from filewright.rows.fields import parse_entry
from filewright.search.selected_lines import (
    SelectedLines,
    iterate_selected_lines,
)
from filewright.settings import Settings
from filewright.text.compressed import TextCache, view_if_compressed
from filewright.text.snapshot import Snapshot

LEVELS = "error", "Error", "warn", "\N{KELVIN SIGN}o", "ko", None, 7, "x_error"


def make_entries(count: int) -> list[str]:
    chance = random.Random(count)
    rows = []
    for number in range(count):
        entry = {
            "n": number,
            "level": chance.choice(LEVELS),
            "ms": chance.choice([number, str(number), number / 3, "1_0"]),
            "max.ms": {"ms": -number},
            "text": chance.choice(["level: error", '"level":"error"', "a\rb"]),
        }
        separators = chance.choice([(",", ":"), (" , ", " : ")])
        rows.append(
            json.dumps(entry, ensure_ascii=False, separators=separators)
        )
    rows[5] = '{"level": "error"'
    rows[6] = '{"text":"%s","level":"error","ms":3}' % ("x" * 700_000)
    return rows


ROWS = make_entries(300)
PARSED_ROWS = [(row.encode(), parse_entry(row.encode())) for row in ROWS]
CONDITIONS = [
    {"level": "error"},
    {"level": "Error"},
    {"level": ["warn", "KO"]},
    {"level": "ko"},
    {"level": 7},
    {"level": "!=error"},
    {"ms": ">=250"},
    {"ms": [3, "1_0"]},
    {"max.ms.ms": "<-290"},
    {"level": "error", "ms": "<100"},
    {"level": None},
    {"text": "level*error"},
]


@pytest.mark.parametrize("terminator", ["\n", "\r\n", "\r"], ids=repr)
@pytest.mark.parametrize("where", CONDITIONS, ids=str)
@pytest.mark.parametrize("is_compressed", [False, True], ids=["plain", "gzip"])
def test_finds_lines_that_fit(where, terminator, is_compressed):
    text = terminator.join(ROWS).encode()
    data, settings = text, Settings()
    if is_compressed:
        data = gzip.compress(text, 1)
        settings = Settings(hold_bytes=1_000)
    snapshot = Snapshot(data, settings=settings)
    conditions = parse_conditions(where)
    expected = []
    for row, entry in PARSED_ROWS:
        if entry is not None and all(c.accepts(entry) for c in conditions):
            expected.append(row)
    selection = EntrySelection(conditions=conditions, has_pattern=False)
    with view_if_compressed(snapshot, TextCache()) as opened:
        selected = SelectedLines.of(opened, selection, Task())
        lines = list(iterate_selected_lines(opened, selected, 0, Task()))
        assert [line.body for line in lines] == expected
        for line in lines:
            assert opened.read(line.offset, line.length) == line.body
            assert text[line.body_end : line.end] == line.terminator
