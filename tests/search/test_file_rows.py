"""The rows of a file: of a table, of JSON lines, or of a JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from filewright import FilewrightError, Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(root, state_dir=tmp_path / "state") as opened:
        yield opened


TABLE = 'nr;land;text\n1;AT;"a\nb"\n2;DE;AT\n3;at;c\n4;AT;d\n5;AT\n'


def search(workspace: Workspace, **arguments: Any) -> Any:
    return workspace.run("search_content", arguments)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"where": {"land": "AT"}}, [2, 6]),
        ({"where": {"land": "at"}}, [2, 5, 6]),
        ({"where": {"land": "at"}, "case": "sensitive"}, [5]),
        ({"where": {"nr": ">1", "text": "!=d"}}, [4, 5]),
        ({"where": {"land": "AT"}, "pattern": "b"}, [3]),
        ({"where": {"2": "D*"}}, [4]),
    ],
    ids=["exact", "any case", "sensitive", "compared", "pattern", "number"],
)
def test_table(
    root: Path,
    workspace: Workspace,
    encoding: str,
    arguments: dict[str, Any],
    lines: list[int],
) -> None:
    (root / "x.csv").write_bytes(TABLE.encode(encoding))
    result = search(workspace, path="x.csv", **arguments)
    assert [hit.line for hit in result.results] == lines
    counted = search(workspace, path="x.csv", output="counts", **arguments)
    assert [file.count for file in counted.files] == [len(lines)]


def test_fields_and_counts(root: Path, workspace: Workspace) -> None:
    (root / "x.csv").write_text(TABLE)
    result = search(
        workspace, path="x.csv", where={"land": "AT"}, fields=["nr", "text"]
    )
    assert [hit.text for hit in result.results] == ["1\ta\nb", "4\td"]
    assert "1 row of another length" in result.text
    counted = search(workspace, path="x.csv", by="land")
    assert [(value.value, value.count) for value in counted.values] == [
        ("AT", 2),
        ("DE", 1),
        ("at", 1),
    ]


def test_pages(root: Path, workspace: Workspace) -> None:
    (root / "x.csv").write_text(TABLE)
    first = search(workspace, path="x.csv", where={"land": "AT"}, max_results=1)
    second = search(
        workspace,
        path="x.csv",
        where={"land": "AT"},
        max_results=1,
        cursor=first.next_cursor,
    )
    assert [hit.line for hit in second.results] == [6]


def test_document(root: Path, workspace: Workspace) -> None:
    rows = [{"name": name, "tags": [name]} for name in ("a", "b", "a")]
    (root / "x.json").write_text(json.dumps(rows, indent=1))
    result = search(
        workspace, path="x.json", where={"name": "a", "tags.0": "a"}
    )
    assert [hit.text for hit in result.results] == ['  "name": "a",'] * 2


def test_unknown_column(root: Path, workspace: Workspace) -> None:
    (root / "x.csv").write_text(TABLE)
    with pytest.raises(FilewrightError, match="did you mean 'land'"):
        search(workspace, path="x.csv", where={"lnad": "AT"})


def test_folder(root: Path, workspace: Workspace) -> None:
    (root / "a.csv").write_text(TABLE)
    (root / "b.csv").write_text("a,b\n1,2\n")
    (root / "c.csv").write_text('nr;land\n1;"AT"x\n2;AT\n')
    (root / "d.jsonl").write_text('{"land": "AT"}\n')
    result = search(workspace, where={"land": "AT"}, output="counts")
    assert [(file.path, file.count) for file in result.files] == [
        ("a.csv", 2),
        ("d.jsonl", 1),
    ]
    assert "1 file without these columns" in result.text
    assert "c.csv has a quoted field in line 2" in result.text
