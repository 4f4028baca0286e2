"""The score on a corpus of edit requests, where one is at hand.

``FILEWRIGHT_EDIT_CORPUS`` names a folder with ``*.jsonl`` or ``*.jsonl.zst`` files; each line has
``class, file, search, replace, expect`` (``apply`` or ``refuse``), ``expected``, ``accept``, ``lossy``.
"""

from __future__ import annotations

import io
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from filewright.edit import Edit, plan
from filewright.errors import Code, FilewrightError
from filewright.text import Snapshot, apply

FOLDER = os.environ.get("FILEWRIGHT_EDIT_CORPUS", "")
REFUSALS = {
    Code.NO_MATCH,
    Code.AMBIGUOUS_MATCH,
    Code.ALREADY_APPLIED,
    Code.NO_CHANGE,
    Code.STALE_VERSION,
    Code.OVERLAP,
}


def cases() -> Iterator[dict[str, Any]]:
    for path in sorted(Path(FOLDER).iterdir()):
        if path.suffix == ".zst":
            import zstandard

            reader = zstandard.ZstdDecompressor(max_window_size=1 << 28).stream_reader(path.open("rb"))
            text = io.TextIOWrapper(reader, encoding="utf-8", newline="\n")
        elif path.suffix == ".jsonl":
            text = path.open(encoding="utf-8", newline="\n")
        else:
            continue
        with text:
            yield from (case for line in text if line.strip() and "expect" in (case := json.loads(line)))


def verdict(case: dict[str, Any]) -> str:
    data = case["file"].encode()
    try:
        planned = plan(Snapshot(data), [Edit(case["search"], case["replace"])])
    except FilewrightError as error:
        if error.code not in REFUSALS:
            raise
        return "correct" if case["expect"] == "refuse" else "missed"
    result = apply(data, planned.splices).decode()
    if case["expect"] == "refuse":
        return "wrong"
    if result == case["expected"] or result in case["accept"]:
        return "correct"
    bare = ["".join(text.split()) for text in (result, case["expected"], *case["lossy"].values())]
    return "lossy" if bare[0] in bare[1:] else "wrong"


@pytest.mark.skipif(not FOLDER, reason="FILEWRIGHT_EDIT_CORPUS names no folder")
def test_the_score_on_the_corpus() -> None:
    by_class: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for case in cases():
        by_class[case["expect"], case["class"]][verdict(case)] += 1
    total = sum(by_class.values(), Counter[str]())
    assert total.total() > 0
    assert total["wrong"] <= 0.0005 * total.total()
    assert total["lossy"] <= 0.003 * total.total()
    applied = Counter[str]()
    for (expect, name), counts in by_class.items():
        assert expect != "refuse" or counts["correct"] == counts.total(), (name, counts)
        if expect == "apply" and not name.startswith("drift"):
            assert counts["correct"] >= 0.95 * counts.total(), (name, counts)
            applied += counts
    assert applied["correct"] >= 0.993 * applied.total(), applied
