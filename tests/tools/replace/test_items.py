"""`replace_content` with items: several replacements as one change, all of them of the files as they were."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from tests.samples import one_in
from tests.tools.replacements import item, refused, replaced

from filewright import Code, Workspace


def test_two_names_change_places_since_all_look_at_the_file_as_it_was(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text("left = right\n")
    (root / "b.py").write_text("right(left)\n")
    made = replaced(workspace, item("left", "right"), item("right", "left"))
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
    refusal = refused(workspace, item("one", "two"), item("two", "three"))
    assert refusal.code == Code.NO_MATCH
    assert refusal.message == (
        "item 2 of 2: the pattern matches nowhere; nothing was changed"
    )
    assert (root / "a.txt").read_text() == "one\n"


def test_an_item_that_matches_nothing_refuses_all(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text("one two\n")
    found = [item("one", "1"), item("none", "0"), item("two", "2")]
    for more in (
        {},
        {"expected_count": 2},
        {"max_count": 5},
        {"preview": True},
    ):
        refusal = refused(workspace, *found, **more)
        assert (refusal.code, refusal.message) == (
            Code.NO_MATCH,
            "item 2 of 3: the pattern matches nowhere; nothing was changed",
        )
        assert refusal.details["item"] == 1
    refusal = refused(workspace, *found, item("nil", "0"))
    assert refusal.message.splitlines() == [
        "item 2 of 4: the pattern matches nowhere; nothing was changed",
        "also: item 4 of 4: the pattern matches nowhere; nothing was changed",
    ]
    assert (root / "a.txt").read_text() == "one two\n"


def test_counts_and_limits_are_of_all_items(
    root: Path, workspace: Workspace
) -> None:
    for name in "ab":
        (root / name).write_text("one two two\n")
    (root / "c").write_text("two\n")
    items = item("one", "1"), item("two", "2")
    wrong = refused(workspace, *items, expected_count=2)
    assert wrong.code == Code.INVALID_INPUT
    assert "the pattern matches 7 times, not the expected 2" in wrong.message
    over = workspace.run("replace_content", {"items": [*items], "max_count": 6})
    assert over.preview
    assert over.text.startswith(
        "7 matches in 3 files are more than max_count=6 (preview; nothing was written;"
    )
    many = refused(
        workspace, item("one", "1"), item("two", "2", path="c"), max_files=2
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
    items = [item("one", "1"), item("two", "2")]
    shown = workspace.run("replace_content", {"items": items, "diff": "full"})
    assert "preview=false writes" in shown.text
    assert {"+1 0", "+2 0"} <= set(shown.diff.split("\n"))
    done = replaced(workspace, *items)
    assert "as in the preview]" in done.text


def test_a_regex_with_groups_goes_beside_a_literal_and_each_has_files_of_its_own(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text("get(item, 3) costs $1\n")
    (root / "a.md").write_text("get(item, 3) costs $1\n")
    (root / "sub").mkdir()
    (root / "sub/b.py").write_text("Costs\n")
    made = replaced(
        workspace,
        item(r"get\((\w+), (?P<n>\d)\)", "$1[${n}]", mode="regex", glob="*.py"),
        item("$1", "$2"),
        item("COSTS", "$0", path="sub", case="insensitive", whole_word=True),
    )
    assert (root / "a.py").read_text() == "item[3] costs $2\n"
    assert (root / "a.md").read_text() == "get(item, 3) costs $2\n"
    assert (root / "sub/b.py").read_text() == "$0\n"
    assert made.item_counts == (1, 2, 1)
    history = workspace.history()
    assert history[0].summary == (
        "replaced 'get\\\\((\\\\w+), (?P<n>\\\\d)\\\\)' by '$1[${n}]' and 2 more in 3 files"
    )


@pytest.mark.parametrize(
    ("end", "encoding"),
    one_in(
        3,
        [
            *itertools.product(
                ["\n", "\r\n"], ["utf-8", "utf-8-sig", "cp1252", "utf-16"]
            )
        ],
    ),
)
def test_bytes_of_any_encoding_and_line_end_stay(
    root: Path, workspace: Workspace, encoding: str, end: str
) -> None:
    before = end.join(["für eins", "  zwei drei", "vier", "fünf", ""])
    (root / "a.txt").write_bytes(before.encode(encoding))
    replaced(
        workspace,
        item("vier\nfünf", "vier\nneu\nfünf"),
        item("eins", "één"),
        item(r"(zwei) (drei)", "$2\n$1", mode="regex"),
    )
    after = end.join(["für één", "  drei", "zwei", "vier", "neu", "fünf", ""])
    assert (root / "a.txt").read_bytes() == after.encode(encoding)
    workspace.undo()
    assert (root / "a.txt").read_bytes() == before.encode(encoding)
