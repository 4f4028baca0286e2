"""Overviews of files of records: how their keys are written, and the searches that they propose."""

from __future__ import annotations

import json
import re
from pathlib import Path

from filewright import Workspace


def _overview(root: Path, workspace: Workspace, records: list[object]) -> str:
    (root / "a.jsonl").write_text(
        "".join(json.dumps(record) + "\n" for record in records)
    )
    return workspace.call("get_overview", {"path": "a.jsonl"}).text


def test_json_lines_keys(root: Path, workspace: Workspace) -> None:
    records = [
        {"ts": n, **({"db": {"ms": n}} if n % 103 < 62 else {})}
        for n in range(103)
    ]
    text = _overview(root, workspace, records)
    (keys,) = re.findall(r"(?m)^  keys: (.*)$", text)
    assert keys == "ts (number, 100%), db.ms (number, 60%)"


def test_proposed_searches_match(root: Path, workspace: Workspace) -> None:
    text = _overview(
        root,
        workspace,
        [{"build": {"id": n}, "level": "info"} for n in range(50)],
    )
    (row,) = re.findall(r"(?m)^worth a search \(mode=regex\): (.*)$", text)
    for pattern in row.split("   "):
        value = pattern.replace("VALUE", "info" if "level" in pattern else "")
        assert workspace.search(value, mode="regex", path="a.jsonl").results, (
            pattern
        )
