"""`replace_content` with items: several replacements as one change, all of them of the files as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from filewright import Code, FilewrightError, Workspace


def _item(pattern: str, replacement: str, **more: Any) -> dict[str, Any]:
    return {"pattern": pattern, "replacement": replacement, **more}


def _replaced(workspace: Workspace, *items: dict[str, Any], **more: Any) -> Any:
    return workspace.run(
        "replace_content", {"items": [*items], "preview": False, **more}
    )


def _refused(
    workspace: Workspace, *items: dict[str, Any], **more: Any
) -> FilewrightError:
    with pytest.raises(FilewrightError) as refusal:
        _replaced(workspace, *items, **more)
    return refusal.value


def test_two_names_change_places_since_all_look_at_the_file_as_it_was(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text("left = right\n")
    (root / "b.py").write_text("right(left)\n")
    made = _replaced(workspace, _item("left", "right"), _item("right", "left"))
    assert (root / "a.py").read_text() == "right = left\n"
    assert (root / "b.py").read_text() == "left(right)\n"
    assert made.text.startswith("4 matches in 2 files replaced; change ")
    assert "[matches of each item: 2, 2]" in made.text
    assert (made.count, made.item_counts) == (4, (2, 2))
    assert [(file.path, file.count) for file in made.files] == [
        ("a.py", 2),
        ("b.py", 2),
    ]
    workspace.undo()
    assert (root / "a.py").read_text() == "left = right\n"
    assert (root / "b.py").read_text() == "right(left)\n"


def test_what_one_item_writes_another_does_not_find(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text("one\n")
    refusal = _refused(workspace, _item("one", "two"), _item("two", "three"))
    assert refusal.code == Code.NO_MATCH
    assert refusal.message == "item 2 of 2: the pattern is nowhere"
    assert (root / "a.txt").read_text() == "one\n"


def test_an_item_that_matches_nothing_refuses_all(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text("one two\n")
    found = [_item("one", "1"), _item("none", "0"), _item("two", "2")]
    for more in (
        {},
        {"expected_count": 2},
        {"max_count": 5},
        {"preview": True},
    ):
        refusal = _refused(workspace, *found, **more)
        assert (refusal.code, refusal.message) == (
            Code.NO_MATCH,
            "item 2 of 3: the pattern is nowhere",
        )
        assert refusal.details["item"] == 1
    assert (root / "a.txt").read_text() == "one two\n"


@pytest.mark.parametrize(
    ("text", "items", "line"),
    [
        (
            "x\na total of\n",
            [_item("total", "sum"), _item("a total", "one")],
            2,
        ),
        (
            "x\na total of\n",
            [_item("a total", "one"), _item("total", "sum")],
            2,
        ),
        (
            "total\n",
            [_item("total", "sum"), _item("t.t", "x", mode="regex")],
            1,
        ),
        ("total\n", [_item("total", "sum"), _item("total", "sum")], 1),
        (
            "a\nb\nc\n",
            [_item("a\nb", "a\nnew\nb"), _item("a\nb\n", "a\nother\nb\n")],
            2,
        ),
    ],
)
def test_what_two_items_change_is_refused_and_both_are_named(
    root: Path,
    workspace: Workspace,
    text: str,
    items: list[dict[str, Any]],
    line: int,
) -> None:
    (root / "a.txt").write_text("so far only one\n")
    (root / "b.txt").write_text(text)
    items[0] = {**items[0], "path": "b.txt"}
    for more in ({}, {"preview": True}):
        refusal = _refused(workspace, *items, _item("only", "but"), **more)
        assert refusal.code == Code.OVERLAP
        assert (
            refusal.message == f"items 1 and 2 overlap at line {line} of b.txt"
        )
        assert "leave out item 1: item 2 matches at its 1 match" in refusal.hint
    assert (root / "a.txt").read_text() == "so far only one\n"
    assert (root / "b.txt").read_text() == text


@pytest.mark.parametrize(
    ("items", "hint"),
    [
        ([_item("m.f($A)", "m.g($A)"), _item("f($A)", "g($A)")], "item 1: item 2 matches at its 1 match in this file too"),
        ([_item("f($A)", "g($A)"), _item("m.f($A)", "m.g($A)")], "item 2: item 1 matches at its 1 match in this file too"),
        ([_item("x + f(", "y + f("), _item("f(1) + y", "2")], "item 1: item 2 matches at its 1 match in this file too"),
        ([_item("z = f", "y = f"), _item("f(1)", "g(1)")], "send one of them in a later call"),
    ],
)  # fmt: skip
def test_names_the_item_to_leave_out(
    root: Path, workspace: Workspace, items: list[dict[str, Any]], hint: str
) -> None:
    (root / "a.py").write_text("m.f(x)\n")
    (root / "b.py").write_text("f(x)\nx + f(1) + y\nz = f(1)\nz = f(2)\n")
    mode = "code" if "$" in items[0]["pattern"] else "literal"
    refusal = _refused(workspace, *items, mode=mode)
    assert refusal.code == Code.OVERLAP
    assert hint in refusal.hint


def test_what_only_touches_does_not_overlap(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text("foo.bar\n")
    _replaced(
        workspace, _item(".", "->"), _item("bar", "ba"), _item("foo", "foot")
    )
    assert (root / "a.txt").read_text() == "foot->ba\n"


def test_counts_and_limits_are_of_all_items(
    root: Path, workspace: Workspace
) -> None:
    for name in "ab":
        (root / name).write_text("one two two\n")
    (root / "c").write_text("two\n")
    items = _item("one", "1"), _item("two", "2")
    wrong = _refused(workspace, *items, expected_count=2)
    assert wrong.code == Code.INVALID_INPUT
    assert "the pattern matches 7 times, not the expected 2" in wrong.message
    over = workspace.run("replace_content", {"items": [*items], "max_count": 6})
    assert over.preview
    assert over.text.startswith(
        "7 matches in 3 files are more than max_count=6 (preview; nothing was written;"
    )
    many = _refused(
        workspace, _item("one", "1"), _item("two", "2", path="c"), max_files=2
    )
    assert (many.code, many.details["limit"]) == (Code.TOO_LARGE, 2)
    assert {(root / name).read_text() for name in "ab"} == {"one two two\n"}
    workspace.run("replace_content", {"items": [*items], "max_count": 7})
    assert [(root / name).read_text() for name in "abc"] == [
        "1 2 2\n",
        "1 2 2\n",
        "2\n",
    ]
    assert len(workspace.history()) == 1


def test_a_preview_shows_all_and_what_it_showed_is_not_shown_again(
    root: Path, workspace: Workspace
) -> None:
    lines = [
        f"{word} {number}\n" for number in range(60) for word in ("one", "two")
    ]
    (root / "a.txt").write_text("".join(lines))
    items = [_item("one", "1"), _item("two", "2")]
    shown = workspace.run("replace_content", {"items": items, "diff": "full"})
    assert "preview=false writes" in shown.text
    assert {"+1 0", "+2 0"} <= set(shown.diff.split("\n"))
    done = _replaced(workspace, *items)
    assert "as in the preview]" in done.text


def test_a_regex_with_groups_goes_beside_a_literal_and_each_has_files_of_its_own(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text("get(item, 3) costs $1\n")
    (root / "a.md").write_text("get(item, 3) costs $1\n")
    (root / "sub").mkdir()
    (root / "sub/b.py").write_text("Costs\n")
    made = _replaced(
        workspace,
        _item(
            r"get\((\w+), (?P<n>\d)\)", "$1[${n}]", mode="regex", glob="*.py"
        ),
        _item("$1", "$2"),
        _item("COSTS", "$0", path="sub", case="insensitive", whole_word=True),
    )
    assert (root / "a.py").read_text() == "item[3] costs $2\n"
    assert (root / "a.md").read_text() == "get(item, 3) costs $2\n"
    assert (root / "sub/b.py").read_text() == "$0\n"
    assert made.item_counts == (1, 2, 1)
    history = workspace.history()
    assert history[0].summary == (
        "replaced 'get\\\\((\\\\w+), (?P<n>\\\\d)\\\\)' by '$1[${n}]' and 2 more in 3 files"
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_bytes_of_any_encoding_and_line_end_stay(
    root: Path, workspace: Workspace, encoding: str, end: str
) -> None:
    before = end.join(["für eins", "  zwei drei", "vier", "fünf", ""])
    (root / "a.txt").write_bytes(before.encode(encoding))
    _replaced(
        workspace,
        _item("vier\nfünf", "vier\nneu\nfünf"),
        _item("eins", "één"),
        _item(r"(zwei) (drei)", "$2\n$1", mode="regex"),
    )
    after = end.join(["für één", "  drei", "zwei", "vier", "neu", "fünf", ""])
    assert (root / "a.txt").read_bytes() == after.encode(encoding)
    workspace.undo()
    assert (root / "a.txt").read_bytes() == before.encode(encoding)


def test_items_of_a_file_alone_and_of_a_tree_meet_in_it(
    root: Path, workspace: Workspace
) -> None:
    (root / "sub").mkdir()
    (root / "sub/a.txt").write_text("one two\n")
    (root / "b.txt").write_text("one two\n")
    _replaced(workspace, _item("one", "1", path="sub/a.txt"), _item("two", "2"))
    assert (root / "sub/a.txt").read_text() == "1 2\n"
    assert (root / "b.txt").read_text() == "one 2\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "argument 'pattern' is missing"),
        ({"pattern": "a"}, "argument 'replacement' is missing"),
        ({"items": []}, "items"),
        (
            {"items": [{"pattern": "a"}]},
            "items[0]: argument 'replacement' is missing",
        ),
        (
            {"items": [_item("a", "b")], "pattern": "c"},
            "argument 'pattern' is of one replacement",
        ),
        (
            {"items": [_item("a", "b")], "replacement": "c"},
            "argument 'replacement' is of one replacement",
        ),
        (
            {"items": [_item("a", "b", max_count=3)]},
            "max_count is of all items",
        ),
        ({"items": [{"items": [_item("a", "b")]}]}, "items is of all items"),
        (
            {"items": [_item("a", "b"), _item("(", "b", mode="regex")]},
            "item 2 of 2: ",
        ),
        (
            {"items": [_item("a", "b"), _item("(a)", "$2", mode="regex")]},
            "item 2 of 2: ",
        ),
        (
            {"items": [_item("a", "b"), _item("a", "b", path="../x")]},
            "item 2 of 2: ",
        ),
        ({"items": [_item("a", "b", patern="x")]}, "items[0].patern"),
    ],
)
def test_what_is_no_replacement_is_refused(
    root: Path, workspace: Workspace, arguments: dict[str, Any], said: str
) -> None:
    (root / "a.txt").write_text("a\n")
    answer = workspace.call("replace_content", {**arguments, "preview": False})
    assert answer.is_error
    assert said in answer.text
    assert (root / "a.txt").read_text() == "a\n"
