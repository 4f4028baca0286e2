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
    records: list[object] = [
        {
            "level": "warn" if n == 3 else "info",
            "app": {"route": f"/{n % 4}", "took_ms": n},
            "request_id": f"r-{n:05}",
        }
        for n in range(50)
    ]
    text = _overview(root, workspace, records)
    assert (
        'worth a search: where {"level": "warn"}; by "app.route" with '
        'fields ["app.took_ms"]; sort "-app.took_ms" (the largest first); '
        "trace (the lines of one request_id)" in text
    )
    assert workspace.search(path="a.jsonl", where={"level": "warn"}).total == 1
