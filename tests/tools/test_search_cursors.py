"""Cursors of searches, matches of several lines, and similar text in a tree."""

import os

import pytest

from filewright.errors import Code, FilewrightError


def test_every_line_of_a_match_is_shown_as_a_match(root, workspace):
    (root / "f").write_text("".join(f"Content line {n}\n" for n in range(6)))
    result = workspace.search(
        r"line 1\nContent line 2",
        path="f",
        mode="regex",
        multiline=True,
        context=1,
    )
    assert result.text.splitlines()[:5] == [
        "f", "1- Content line 0", "2: Content line 1", "3: Content line 2", "4- Content line 3",
    ]  # fmt: skip
    (hit,) = result.data["results"]
    assert (hit["line"], hit["last_line"], hit["more_lines"]) == (
        2,
        3,
        ["Content line 2"],
    )
    assert hit["context_after"] == ["Content line 3"]


def test_matches_that_meet_in_a_line_show_it_once(root, workspace):
    (root / "f").write_text("a1\nb2 a1\nb2\nend\n")
    result = workspace.search(
        r"a1\nb2", path="f", mode="regex", multiline=True, context=0
    )
    assert result.text.splitlines()[:4] == ["f", "1: a1", "2: b2 a1", "3: b2"]
    assert [hit["line"] for hit in result.data["results"]] == [1, 2]


@pytest.mark.parametrize("where", ["app.log", "."])
def test_a_cursor_is_of_the_file_it_was_given_for(root, workspace, where):
    log = root / "app.log"
    log.write_text("needle old\n" * 20)
    cursor = workspace.search("needle", path=where, max_results=5).data[
        "next_cursor"
    ]
    with log.open("a") as file:
        file.write("needle new\n")  # a log that only grows is the same file
    assert (
        workspace.search("needle", path=where, cursor=cursor).data["results"][
            -1
        ]["text"]
        == "needle new"
    )
    os.rename(log, root / "app.log.1.gz")
    log.write_text("needle rotated\n" * 2)
    with pytest.raises(FilewrightError) as caught:
        workspace.search("needle", path=where, cursor=cursor)
    assert caught.value.code is Code.STALE_VERSION
    assert "app.log" in caught.value.message
    log.write_text("another text of the same name, rewritten in place\n" * 20)
    with pytest.raises(FilewrightError) as caught:
        workspace.search("needle", path=where, cursor=cursor)
    assert caught.value.code is Code.STALE_VERSION


@pytest.mark.parametrize(
    "cursor", ["garbage", "WyJzZWFyY2giLCJtYXRjaGVzIixbMSwiLCwiLCIiXV0"]
)
def test_a_cursor_that_is_none_is_refused(root, workspace, cursor):
    (root / "f").write_text("needle\n")
    with pytest.raises(FilewrightError) as caught:
        workspace.search("needle", cursor=cursor)
    assert caught.value.code is Code.INVALID_INPUT


def test_similar_text_is_looked_for_where_exact_text_is(root, workspace):
    for name in (".hidden.py", "ignored.log", "left_out.py", "shown.py"):
        (root / name).write_text("def total_of_cart(items):\n")
    (root / ".gitignore").write_text("*.log\n")

    def names(**options):
        found = workspace.search(
            "def total_of_cart(item):", mode="fuzzy", **options
        )
        return sorted(hit["path"] for hit in found.data["results"])

    assert names() == [".hidden.py", "left_out.py", "shown.py"]
    assert names(include_hidden=False, exclude=["left_*"]) == ["shown.py"]
    assert "ignored.log" in names(include_ignored=True)


def test_a_line_with_two_similar_places_is_listed_once(root, workspace):
    (root / "f").write_text(
        "x\ntotal_of_cart(items) == total_of_carts(items)\ny\n"
    )
    result = workspace.search("total_of_cart(items)", path="f", mode="fuzzy")
    (hit,) = result.data["results"]
    assert (hit["line"], hit["similarity"], len(hit["submatches"])) == (
        2,
        1.0,
        2,
    )
