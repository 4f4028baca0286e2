"""Searching through the tool: what is shown, how it goes on, and what other tools get wrong."""

import json
from pathlib import Path

import pytest

from filewright import FilewrightError, Workspace


@pytest.fixture
def tree(root):
    for folder in ("a", "b", "b/c"):
        (root / folder).mkdir()
    for n in range(30):
        place = root / ("a", "b", "b/c")[n % 3]
        (place / f"f{n:02}.py").write_text(
            f"class C{n}:\n    def m(self):\n        needle = {n}\n        return needle\n"
        )
    (root / "skipped.log").write_text("needle\n")
    (root / ".gitignore").write_text("*.log\n")
    (root / "data.bin").write_bytes(b"\0needle\0")
    return root


def pages(workspace, **arguments):
    """All pages of a search, each bounded."""
    cursor = None
    for _ in range(200):
        result = workspace.search(
            **arguments, **({"cursor": cursor} if cursor else {})
        )
        assert len(result.text) <= workspace.settings.page_chars
        yield result
        cursor = result.data["next_cursor"]
        assert result.data["complete"] == (cursor is None)
        if cursor is None:
            return
        assert cursor in result.text


@pytest.mark.parametrize("limit", [1, 7, 59, 60, 1000])
def test_pages_hold_every_hit_once_in_order(tree, workspace, limit):
    hits = [
        (hit["path"], hit["line"])
        for page in pages(workspace, pattern="needle", max_results=limit)
        for hit in page.data["results"]
    ]
    assert hits == sorted(hits)
    assert len(hits) == len(set(hits)) == 60


def test_binary_files_are_skipped_and_counted_ignored_ones_left_out(
    tree, workspace
):
    result = workspace.search("needle", max_results=100)
    assert "1 binary file skipped" in result.text
    assert "skipped.log" not in result.text


@pytest.mark.parametrize(
    ("output", "row"), [("files", "a/f00.py"), ("counts", "a/f00.py: 2")]
)  # fmt: skip
def test_files_and_counts(tree, workspace, output, row):
    found = list(
        pages(workspace, pattern="needle", output=output, max_results=11)
    )
    listed = [entry["path"] for page in found for entry in page.data["files"]]
    assert len(listed) == len(set(listed)) == 30
    assert row in found[0].text.splitlines()


def test_the_enclosing_definition_is_named(tree, workspace):
    result = workspace.search("return needle", path="a/f00.py")
    assert result.data["results"][0]["symbol"] == "C0.m"


def test_context_groups_do_not_repeat_lines(root, workspace):
    (root / "f").write_text(
        "".join(
            f"line {n}{' hit' if n in (3, 5, 20) else ''}\n"
            for n in range(1, 31)
        )
    )
    text = workspace.search("hit", path="f", context=2).text
    assert text.splitlines() == [
        "f", "1- line 1", "2- line 2", "3: line 3 hit", "4- line 4", "5: line 5 hit", "6- line 6", "7- line 7",
        "--", "18- line 18", "19- line 19", "20: line 20 hit", "21- line 21", "22- line 22",
        "[3 matching lines in 1 file, all shown]",
    ]  # fmt: skip


def test_a_hit_deep_in_a_long_line_is_shown(root, workspace):
    (root / "f").write_text(
        "short\n" + "x" * 50_000 + "NEEDLE" + "y" * 50_000 + "\n"
    )
    result = workspace.search("NEEDLE", path="f")
    hit = result.data["results"][0]
    assert "NEEDLE" in hit["text"]
    assert hit["column"] == 50_001
    assert hit["truncated"]
    start, end = hit["submatches"][0]
    assert hit["text"][start:end] == "NEEDLE"
    assert len(result.text) < 2_000


def test_a_hundred_megabyte_line_is_not_a_reply(root, workspace):
    (root / "f").write_bytes(b"ab " * 10_000_000)
    result = workspace.search("ab", path="f", max_results=5)
    assert len(result.text) < 10_000


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"mode": "regex", "pattern": r"^b.r$"}, [2]),
        ({"mode": "regex", "pattern": r"FOO"}, [1]),
        ({"mode": "regex", "pattern": r"foo", "case": "insensitive"}, [1, 4]),
        ({"pattern": "foo"}, [1, 4]),
        ({"pattern": "Foo"}, []),
        ({"pattern": "oo", "whole_word": True, "case": "insensitive"}, []),
        ({"pattern": "foo", "invert": True}, [2, 3]),
        (
            {
                "mode": "regex",
                "pattern": r"o$",
                "invert": True,
                "case": "insensitive",
            },
            [2, 3],
        ),
        ({"mode": "regex", "pattern": r"bar\nbaz", "multiline": True}, [2]),
        ({"pattern": "bar\nbaz"}, [2]),
    ],
)
def test_modes(root, workspace, arguments, lines):
    (root / "f").write_bytes(b"FOO\r\nbar\r\nbaz\r\nfoo")
    result = workspace.run("search_content", {"path": "f", **arguments})
    assert [hit["line"] for hit in result.data["results"]] == lines


def test_a_file_is_changed_at_its_beginning_alone(root, workspace):
    for n in range(4):
        (root / f"p{n}.json").write_text(
            '{"version": 1,\n{"version": 1}\n' if n else '\n{"version": 1}\n'
        )
    found = workspace.search(
        pattern=r'\A\{"version": 1', mode="regex", output="counts"
    )
    assert "3 matching lines in 3 files" in found.text
    change = {
        "pattern": r'\A(\{\s*"version": )1',
        "replacement": "${1}2",
        "mode": "regex",
        "multiline": True,
    }
    workspace.call(
        "replace_content", {**change, "expected_count": 3, "preview": False}
    )
    assert (root / "p0.json").read_text() == '\n{"version": 1}\n'
    assert (root / "p3.json").read_text() == '{"version": 2,\n{"version": 1}\n'


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252", "utf-8-sig"])
def test_files_are_searched_in_their_own_encoding(root, workspace, encoding):
    (root / "f").write_bytes("Le café est prêt\nvoilà\n".encode(encoding))
    for arguments in (
        {"pattern": "prêt"},
        {"pattern": "pr.t", "mode": "regex"},
    ):
        assert [
            h["line"]
            for h in workspace.run("search_content", arguments).data["results"]
        ] == [1]


def test_fuzzy_finds_what_is_similar_and_nothing_that_is_not(root, workspace):
    (root / "f").write_text(
        "def alpha(): pass\ndef compute_totals(values, tax):\n    return sum(values)\n"
    )
    result = workspace.search(
        "def comptue_totals(values, tax):", path="f", mode="fuzzy"
    )
    assert [h["line"] for h in result.data["results"]] == [2]
    assert 0.9 < result.data["results"][0]["similarity"] < 1
    assert (
        workspace.search(
            "zebra crossing ahead here", path="f", mode="fuzzy"
        ).data["results"]
        == []
    )


def test_fuzzy_over_a_tree_ranks_by_similarity(tree, workspace):
    result = workspace.search(
        "        needel = 17", mode="fuzzy", max_results=3
    )
    assert result.data["results"][0]["path"].endswith("f17.py")
    scores = [hit["similarity"] for hit in result.data["results"]]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("argument", ["invert", "multiline", "whole_word"])
def test_what_has_no_meaning_in_a_fuzzy_search_is_refused(
    root, workspace, argument
):
    (root / "f").write_text("x\n")
    result = workspace.call(
        "search_content", {"pattern": "x", "mode": "fuzzy", argument: True}
    )
    assert result.code == "invalid_input"


def test_a_catastrophic_pattern_is_answered(root, workspace):
    (root / "f").write_text("a" * 50_000 + "\n")
    assert (
        workspace.search("(a+)+b", path="f", mode="regex").data["results"] == []
    )


@pytest.mark.parametrize("path", [".", "book.ipynb"])
def test_a_notebook_is_searched_for_similar_text_by_its_cells(
    root, workspace, path
):
    cell = {
        "cell_type": "code",
        "id": "a",
        "metadata": {},
        "source": ["def totl_of(cart):\n", "    return 1\n"],
    }
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (root / "book.ipynb").write_text(json.dumps(book))
    (hit,) = workspace.search("def total_of(cart):", path, mode="fuzzy").results
    assert (hit.text, hit.symbol) == (
        "def totl_of(cart):",
        workspace.search("totl_of").results[0].symbol,
    )


@pytest.fixture
def parts_left_out(root):
    (root / "a.txt").write_text("alpha\n")
    (root / "b.py").write_text("beta\n")
    for folder, text in {"src": "alpha\n", "dist": "gamma\n"}.items():
        (root / folder).mkdir()
        (root / folder / "c.txt").write_text(text)
    (root / ".gitignore").write_text("dist\n")
    return root


@pytest.mark.parametrize(
    "named", [{"path": "src/c.txt"}, {"path": "src/c.txt", "mode": "fuzzy"}]
)
@pytest.mark.parametrize(
    ("chosen", "fits"),
    [
        ({"glob": "*.txt"}, True),
        ({"glob": "src/*.txt"}, True),
        ({"glob": "!*.py"}, True),
        ({"glob": "*.py"}, False),
        ({"glob": "!c*"}, False),
        ({"type": "txt"}, True),
        ({"type": "py"}, False),
    ],
)
def test_glob_and_type_say_of_a_file_that_is_named_whether_it_is_meant(
    parts_left_out, workspace, named, chosen, fits
):
    found = workspace.call(
        "search_content", {"pattern": "alpha", **named, **chosen}
    )
    assert [hit.path for hit in found.results] == (
        ["src/c.txt"] if fits else []
    )
    assert fits or found.text == "no match\n[glob or type leaves out src/c.txt]"


def test_a_glob_says_of_a_file_that_is_named_whether_it_is_replaced(
    parts_left_out, workspace, contents
):
    asked = {
        "pattern": "alpha",
        "replacement": "new",
        "path": "a.txt",
        "preview": False,
    }
    before = contents()
    refused = workspace.call("replace_content", {**asked, "glob": "*.py"})
    assert (refused.code, contents()) == ("no_match", before)
    assert "glob leaves out a.txt" in refused.text
    assert not workspace.call(
        "replace_content", {**asked, "glob": "*.txt"}
    ).is_error
    assert (parts_left_out / "a.txt").read_text() == "new\n"


@pytest.mark.parametrize(
    ("asked", "left_out"),
    [
        ({"pattern": "alpha", "glob": "*.py"}, "matches left out by glob, type or ignore rules: a.txt, src/c.txt"),
        ({"pattern": "alpha", "glob": "!{src,a*}"}, "left out by glob, type or ignore rules: a.txt, src/c.txt"),
        ({"pattern": "gamma"}, "left out by glob, type or ignore rules: dist/c.txt"),
        ({"pattern": "gamma", "include_ignored": True, "glob": "*.py"}, "left out by glob, type or ignore rules: "),
        ({"pattern": "zeta", "glob": "*.py"}, ""),
        ({"pattern": "zeta"}, ""),
    ],
)  # fmt: skip
def test_what_finds_nothing_names_the_files_that_it_left_out(
    parts_left_out, workspace, asked, left_out
):
    found = workspace.call("search_content", asked)
    refused = workspace.call("replace_content", {**asked, "replacement": "new"})
    assert found.text.startswith("no match\n")
    assert refused.code == "no_match"
    for text in (found.text, refused.text):
        assert left_out in text
        assert bool(left_out) == ("left out" in text)


def test_each_of_several_patterns_names_the_files_that_it_left_out(
    parts_left_out, workspace
):
    found = workspace.call(
        "search_content",
        {"patterns": ["alpha", "gamma", "delta"], "glob": "*.py"},
    )
    assert "rules: a.txt, src/c.txt]" in found.text
    assert "rules: dist/c.txt]" in found.text
    assert found.text.endswith("\nno match: 'delta'")


def test_items_without_a_pattern_take_the_outer_one(
    root: Path, workspace: Workspace
) -> None:
    (root / "one.txt").write_text("needle\n")
    (root / "two.txt").write_text("needle\nthread\n")
    items = [
        {"path": "one.txt"},
        {"path": "two.txt"},
        {"path": "two.txt", "pattern": "thread"},
    ]
    found = workspace.search("needle", items=items)
    assert [(hit.path, hit.line) for hit in found.results] == [
        ("one.txt", 1),
        ("two.txt", 1),
        ("two.txt", 2),
    ]
    with pytest.raises(FilewrightError, match="items"):
        workspace.search(items=items)


def test_reads_the_columns_around_a_match_in_a_long_line(
    root: Path, workspace: Workspace
) -> None:
    words = " ".join(f"w{n}" for n in range(20_000))
    (root / "r.js").write_text("x\n" * 100 + f"HIT {words} HIT end\n")
    read = workspace.read("r.js", pattern="w15000 ")
    assert "w15000 " in read.content
    assert (read.start_line, read.match_line) == (101, 101)
    second = workspace.read("r.js", pattern="HIT", occurrence=2)
    assert second.content.rstrip().endswith("w19999 HIT end")
    assert workspace.read("r.js", pattern="HIT").start_line < 101
    with pytest.raises(FilewrightError, match="2 matches"):
        workspace.read("r.js", pattern="HIT", occurrence=3)


def test_every_row_of_long_lines_shows_the_whole_match(root, workspace):
    pattern = r'"at": "\S+", "took": \d+'
    for number in range(12):
        end = f'"text": "{"x" * 120}", "took": {number}'
        (root / f"{number:02}.jsonl").write_text(
            f'{{"{"k" * 300}": 1, "at": "10:00", "took": {number}, {end}}}\n'
        )
        (root / f"{number:02}.log").write_text(
            f'{"y" * 300} "at": "{"z" * 200 * (number + 1)}", "took": {number}7 end\n'
        )
    found = workspace.search(pattern, mode="regex")
    assert found.complete
    rows = found.text.splitlines()
    for number in range(12):
        assert any(f'"at": "10:00", "took": {number}' in row for row in rows)
        assert any(f'"took": {number}7' in row for row in rows)
    assert max(map(len, rows)) < workspace.settings.match_chars + 60
