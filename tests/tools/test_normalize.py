"""Arguments in the forms in which clients send them are taken where they have one meaning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace

EDIT = {"search": "two", "replace": "2"}
EMPTY_EDIT_FIELDS: dict[str, Any] = {
    "path": "",
    "move_to": "",
    "cell": "",
    "expected_version": "",
    "content": "",
    "symbol": "",
    "from": {"path": None, "symbol": ""},
    "at": {"lines": [], "symbol": ""},
    "start_line": None,
}


@pytest.fixture
def files(root: Path) -> Path:
    (root / "a.txt").write_text("one\ntwo\nthree\n")
    (root / "b.txt").write_text("one\ntwo\n")
    return root


def text(value: Any) -> str:
    return json.dumps(value)


EDITS: list[tuple[str, Any]] = [
    ("edits as text", {"path": "a.txt", "edits": text([EDIT])}),
    ("one edit as text", {"path": "a.txt", "edits": text(EDIT)}),
    ("items as text", {"path": "a.txt", "edits": [text(EDIT)]}),
    ("one edit", {"path": "a.txt", "edits": EDIT}),
    (
        "booleans as text",
        {
            "path": "a.txt",
            "edits": [{**EDIT, "replace_all": "False"}],
            "preview": "false",
        },
    ),
    ("all as text", text({"path": "a.txt", "edits": [EDIT]})),
    (
        "null fields",
        {
            "path": "a.txt",
            "edits": [{**EDIT, "content": None, "at": None, "path": None}],
        },
    ),
    (
        "empty fields",
        {
            "path": "a.txt",
            "edits": [{**EDIT, **EMPTY_EDIT_FIELDS}],
            "cell": "",
            "encoding": "",
        },
    ),
    ("flat", {"path": "a.txt", **EDIT}),
    ("flat beside null", {"path": "a.txt", "edits": None, **EDIT}),
    (
        "old_string",
        {"file_path": "a.txt", "old_string": "two", "new_string": "2"},
    ),
    (
        "old_str",
        {"path": "a.txt", "edits": [{"old_str": "two", "new_str": "2"}]},
    ),
    (
        "oldText",
        {"path": "a.txt", "edits": [{"oldText": "two", "newText": "2"}]},
    ),
    (
        "a reason",
        {
            "path": "a.txt",
            "edits": [EDIT],
            "explanation": "because",
            "instruction": "do it",
        },
    ),
    (
        "the same name filled in",
        {"path": "a.txt", "edits": [{**EDIT, "old_string": ""}]},
    ),
]


@pytest.mark.parametrize(
    "arguments", [row[1] for row in EDITS], ids=[row[0] for row in EDITS]
)
def test_takes_an_edit(
    arguments: Any, files: Path, workspace: Workspace
) -> None:
    made = workspace.call("edit_content", arguments)
    assert not made.is_error, made.text
    assert (files / "a.txt").read_text() == "one\n2\nthree\n"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (0, "new\none\ntwo\nthree\n"),
        (1, "one\nnew\ntwo\nthree\n"),
        (3, "one\ntwo\nthree\nnew\n"),
    ],
)
def test_takes_insert_line(
    line: int, expected: str, files: Path, workspace: Workspace
) -> None:
    workspace.call("read_content", {"path": "a.txt"})
    made = workspace.call(
        "edit_content",
        {"path": "a.txt", "insert_line": line, "insert_text": "new\n"},
    )
    assert not made.is_error, made.text
    assert (files / "a.txt").read_text() == expected


def test_takes_places_as_text(files: Path, workspace: Workspace) -> None:
    workspace.call("read_content", {"path": "a.txt"})
    edit = {"at": text({"lines": [2, 2]}), "replace": "2", "search": ""}
    made = workspace.call("edit_content", {"path": "a.txt", "edits": [edit]})
    assert not made.is_error, made.text
    assert (files / "a.txt").read_text() == "one\n2\nthree\n"


def test_takes_all_fields_null_beside_content(
    files: Path, workspace: Workspace
) -> None:
    edit = {
        "search": None,
        "replace": "",
        "at": None,
        "delete": None,
        "move_to": None,
        "path": "n.txt",
    }
    made = workspace.call(
        "edit_content", {"edits": [{**edit, "content": "n\n"}]}
    )
    assert not made.is_error, made.text
    assert (files / "n.txt").read_text() == "n\n"


OTHERS: list[tuple[str, str, Any, str]] = [
    ("a path for paths", "read_content", {"paths": "a.txt"}, "three"),
    ("file_path", "read_content", {"file_path": "a.txt"}, "three"),
    (
        "view_range",
        "read_content",
        {"path": "a.txt", "view_range": [2, -1]},
        "three",
    ),
    (
        "a number as text",
        "read_content",
        {"path": "a.txt", "start": "3"},
        "three",
    ),
    ("a whole float", "read_content", {"path": "a.txt", "start": 3.0}, "three"),
    (
        "an empty list",
        "read_content",
        {"path": "a.txt", "paths": [], "items": []},
        "three",
    ),
    (
        "empty texts",
        "read_content",
        {"path": "a.txt", "symbol": "", "pattern": "", "encoding": ""},
        "three",
    ),
    (
        "an empty symbol",
        "get_overview",
        {"path": "a.txt", "symbol": ""},
        "a.txt",
    ),
    ("an empty cursor", "list_files", {"cursor": "", "glob": ""}, "a.txt"),
    ("query", "search_content", {"query": "three"}, "a.txt"),
    (
        "empty searches",
        "search_content",
        {"pattern": "three", "patterns": [], "glob": "", "without": ""},
        "a.txt",
    ),
    (
        "patterns as text",
        "search_content",
        {"patterns": text(["three", "four"])},
        "a.txt",
    ),
    ("one pattern", "search_content", {"patterns": "three"}, "a.txt"),
    (
        "empty history",
        "get_history",
        {"path": "", "change_id": "", "session": "", "since": "", "cursor": ""},
        "",
    ),
    (
        "replace",
        "replace_content",
        {"pattern": "three", "replace": "3", "preview": "false"},
        "1 match",
    ),
    (
        "a flat item",
        "write_content",
        {"path": "n.txt", "content": "n\n"},
        "n.txt: created",
    ),
    (
        "file_text",
        "write_content",
        {"file_path": "n.txt", "file_text": "n\n"},
        "n.txt: created",
    ),
    (
        "items as text",
        "write_content",
        {"items": text([{"path": "n.txt", "content": ""}])},
        "n.txt: created",
    ),
    (
        "a flat pair",
        "move_items",
        {"source": "a.txt", "destination": "z.txt"},
        "moved",
    ),
    (
        "old_path",
        "move_items",
        {"items": [{"old_path": "a.txt", "new_path": "z.txt"}]},
        "moved",
    ),
    ("a path to delete", "delete_items", {"path": "a.txt"}, "a.txt: deleted"),
    ("a path as paths", "delete_items", {"paths": "a.txt"}, "a.txt: deleted"),
    ("paths as text", "delete_items", {"paths": '["a.txt"]'}, "a.txt: deleted"),
]
PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
OTHERS += [
    ("input", "apply_patch", {"input": PATCH}, "1 file changed"),
    (
        "empty patch_path",
        "apply_patch",
        {"patch": PATCH, "patch_path": "", "root": ""},
        "1 file changed",
    ),
    (
        "names as text",
        "apply_patch",
        {"patch": PATCH, "names": "{}"},
        "1 file changed",
    ),
]


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [row[1:] for row in OTHERS],
    ids=[f"{row[1]}-{row[0]}" for row in OTHERS],
)
def test_takes(
    tool: str, arguments: Any, says: str, files: Path, workspace: Workspace
) -> None:
    made = workspace.call(tool, arguments)
    assert not made.is_error, made.text
    assert says in made.text


REFUSED: list[tuple[str, str, Any, str]] = [
    (
        "both names",
        "edit_content",
        {"path": "a.txt", "edits": [{**EDIT, "old_str": "one"}]},
        "old_str means search here",
    ),
    (
        "two synonyms",
        "read_content",
        {"file_path": "a.txt", "file": "b.txt"},
        "path is given twice",
    ),
    (
        "offset",
        "read_content",
        {"path": "a.txt", "offset": 1},
        "give start instead of offset",
    ),
    (
        "globs",
        "search_content",
        {"pattern": "x", "glob": ["*.py", "*.md"]},
        "{*.py,*.md}",
    ),
    (
        "patterns",
        "search_content",
        {"pattern": ["x", "y"]},
        "patterns or items take several",
    ),
    (
        "paths",
        "read_content",
        {"path": ["a.txt", "b.txt"]},
        "paths or items take several",
    ),
    (
        "half of a text",
        "edit_content",
        {"path": "a.txt", "edits": '[{"search": "two"'},
        "'edits'",
    ),
    (
        "a number for text",
        "edit_content",
        {"path": "a.txt", "edits": [{"search": 2, "replace": "3"}]},
        "search",
    ),
    (
        "text of another type",
        "edit_content",
        {"path": "a.txt", "edits": "3"},
        "'edits'",
    ),
    (
        "a line that is no number",
        "edit_content",
        {"path": "a.txt", "insert_line": -1, "insert_text": "x"},
        "insert_line",
    ),
    (
        "delete beside a lost place",
        "edit_content",
        {"path": "a.txt", "edits": [{"at": None, "delete": "true"}]},
        "place",
    ),
    (
        "delete beside a lost search",
        "edit_content",
        {"path": "a.txt", "search": "", "delete": True},
        "place",
    ),
    (
        "many unknown names",
        "read_content",
        {f"name{n}": 1 for n in range(40)},
        "40 unknown arguments",
    ),
]


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [row[1:] for row in REFUSED],
    ids=[f"{row[1]}-{row[0]}" for row in REFUSED],
)
def test_refuses(
    tool: str, arguments: Any, says: str, files: Path, workspace: Workspace
) -> None:
    made = workspace.call(tool, arguments)
    assert made.code == "invalid_input", made.text
    assert says in made.text.replace("'path' is", "path is"), made.text
    assert (files / "a.txt").read_text() == "one\ntwo\nthree\n"
