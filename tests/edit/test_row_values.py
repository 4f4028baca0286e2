"""New values of rows, against the writers of Python: every other byte stays."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace

COLUMNS = ("nr", "land", "text")
PIECES = ("a", "AT", "1", "", '"', ";", ",", "\t", "\n", " ", "ü", "\\")
NEW_VALUES = ("", "b", 'x"y', "c;d", "e,f", "ü\ng", "1.5", " h ")
SCALARS = (None, True, False, 0, 1, 2.5, "a", "AT", "ü\\/", 'x"', "")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("root")


@pytest.fixture(scope="module")
def workspace(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workspace]:
    with Workspace(root, state_dir=tmp_path_factory.mktemp("state")) as opened:
        yield opened


def change(
    workspace: Workspace, path: Path, before: bytes, **arguments: Any
) -> bytes:
    """Return a file after a change of its rows, or as it was if no row has one."""
    path.write_bytes(before)
    reply = workspace.call(
        "replace_content",
        {"path": path.name, "preview": False, **arguments},
    )
    assert reply.code in (None, "no_match", "no_change"), reply.text
    return path.read_bytes()


def write_table(rows: list[list[str]], dialect: dict[str, Any]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, **dialect).writerows(rows)
    return text.getvalue()


@pytest.mark.parametrize("seed", range(25))
def test_tables(workspace: Workspace, root: Path, seed: int) -> None:
    chance = random.Random(seed)
    dialect = {
        "delimiter": chance.choice(",;\t|"),
        "lineterminator": chance.choice(["\n", "\r\n"]),
        "quoting": chance.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    }
    encoding = chance.choice(["utf-8", "utf-8-sig", "utf-16", "cp1252"])
    rows = []
    for number in range(chance.randrange(2, 30)):
        texts = chance.choices(PIECES, k=4)
        land = chance.choice(["AT", "DE", '"AT"', "AT;x"])
        rows.append([str(number), land, "".join(texts)])
    # A text by which the encoding is known.
    rows.append(["x", "ü", "Größe für Öl, schöne Straße in Köln, Übung"])
    values = {
        name: chance.choice(NEW_VALUES)
        for name in chance.sample(COLUMNS, chance.randrange(1, 3))
    }
    expected = []
    for row in rows:
        entry = dict(zip(COLUMNS, row, strict=True))
        expected.append(
            [*(entry | values).values()] if entry["land"] == "AT" else row
        )
    header = [*COLUMNS]
    before = write_table([header, *rows], dialect)
    after = change(
        workspace,
        root / "x.csv",
        before.encode(encoding),
        where={"land": "AT"},
        set=values,
    ).decode(encoding)
    terminator = dialect["lineterminator"]
    if dialect["quoting"] == csv.QUOTE_ALL:
        # Line ends in fields are those of the file.
        new_text = [[*row] for row in expected]
        for row, old in zip(new_text, rows, strict=True):
            for index, value in enumerate(row):
                if value != old[index]:
                    row[index] = value.replace("\n", terminator)
        assert after == write_table([header, *new_text], dialect)
    read = csv.reader(
        io.StringIO(after, newline=""), delimiter=dialect["delimiter"]
    )
    assert [[value.replace("\r\n", "\n") for value in row] for row in read] == [
        header,
        *expected,
    ]


@pytest.mark.parametrize("seed", range(25))
def test_json(workspace: Workspace, root: Path, seed: int) -> None:
    chance = random.Random(seed)
    style: dict[str, Any] = {
        "ensure_ascii": chance.random() < 0.5,
        "separators": chance.choice([(",", ":"), (", ", ": ")]),
    }
    is_document = chance.random() < 0.5
    rows: list[dict[str, Any]] = []
    for number in range(chance.randrange(1, 20)):
        inner = {"x": chance.choice(SCALARS), "y.z": chance.choice(SCALARS)}
        rows.append(
            {
                "nr": number,
                "in": inner,
                "list": [chance.choice(SCALARS), {"land": "AT"}],
                "land": chance.choice(["AT", "DE", 1]),
            }
        )
    # The escapes that a file has are known by its characters.
    rows.append({"text": "ü"})
    values = {
        path: chance.choice(SCALARS)
        for path in chance.sample(["nr", "in.x", "in.y.z", "list.0"], 2)
    }

    def write(entries: list[dict[str, Any]]) -> bytes:
        if is_document:
            return json.dumps(entries, indent=1, **style).encode()
        return "".join(
            json.dumps(entry, **style) + "\n" for entry in entries
        ).encode()

    before = write(rows)
    where = {"land": "AT", "nr": ">2"}
    for row in rows:
        if row.get("land") != "AT" or row["nr"] <= 2:
            continue
        for path, value in values.items():
            if path == "nr":
                row["nr"] = value
            elif path == "list.0":
                row["list"][0] = same_or(row["list"][0], value)
            else:
                key = path.removeprefix("in.")
                row["in"][key] = same_or(row["in"][key], value)
    name = "x.json" if is_document else "x.jsonl"
    after = change(workspace, root / name, before, where=where, set=values)
    assert after == write(rows)


def same_or(old: Any, value: Any) -> Any:
    """Return the old value if it is equal as JSON, so that its spelling stays."""
    if isinstance(old, bool) or isinstance(value, bool):
        return value
    return old if old == value else value
