"""Why no row fits the conditions of a call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from filewright import FilewrightError
from filewright.workspace import Workspace

TABLE = "land,tag,betrag\nAT,24.05.2025,5\nAT,,7\nDE,01.06.2024,9\n"
LINES = '{"land":"AT","tag":null}\n{"land":"DE"}\n'


@pytest.mark.parametrize(
    ("name", "where", "reason"),
    [
        (
            "x.csv",
            {"land": "AT", "betrag": ">8"},
            "of 3 rows, land fits 2, betrag 1",
        ),
        (
            "x.csv",
            {"land": "*", "tag": "/\\.2025$/"},
            "of 3 rows, land fits 3, tag 0; in tag, * is the only wildcard",
        ),
        ("x.csv", {"land": "A?"}, "in land, * is the only wildcard"),
        ("x.csv", {"tag": None, "betrag": "5"}, "tag fits 1, betrag 1"),
        ("x.jsonl", {"land": "CH", "tag": None}, "land fits 0, tag 2"),
        ("x.jsonl", {"lnad": "AT"}, "is 'lnad' meant to be 'land'?"),
    ],
)
def test_counts_rows_of_each_condition(
    workspace: Workspace,
    root: Path,
    name: str,
    where: dict[str, Any],
    reason: str,
) -> None:
    (root / name).write_text(TABLE if name == "x.csv" else LINES)
    arguments = {"path": name, "where": where, "set": {"land": "X"}}
    with pytest.raises(FilewrightError) as caught:
        workspace.run("replace_content", arguments)
    assert reason in str(caught.value)
