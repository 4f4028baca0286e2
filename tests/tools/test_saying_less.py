"""What was said is not said again: diffs, footers, context; and several searches in one call."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filewright import Workspace
from filewright.errors import FilewrightError
from filewright.tools.search_rendering import braced

LONG = "".join(f"line {n}\n" for n in range(100))


def test_a_short_diff_is_shown_once_and_a_change_as_previewed_is_counted(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text("old = 1\nprint(old)\n")
    asked = {"pattern": "old", "replacement": "new", "whole_word": True}
    preview = workspace.call("replace_content", asked)
    assert "\n-old = 1\n" in preview.text
    done = workspace.call(
        "replace_content", {**asked, "preview": False, "expected_count": 2}
    )
    assert done.text.startswith("2 matches in 1 file replaced; change ")
    assert "[2 lines added, 2 removed, as in the preview]" in done.text
    assert "\n-old" not in done.text


@pytest.mark.parametrize("tool", ["edit_content", "apply_patch"])
def test_edits_and_patches_do_not_repeat_their_preview_either(
    root: Path, workspace: Workspace, tool: str
) -> None:
    (root / "a.py").write_text("old = 1\n")
    asked = {
        "edit_content": {
            "path": "a.py",
            "edits": [{"search": "old", "replace": "new"}],
        },
        "apply_patch": {
            "patch": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-old = 1\n+new = 1\n"
        },
    }[tool]
    assert "\n+new = 1" in workspace.call(tool, {**asked, "preview": True}).text
    done = workspace.call(tool, asked).text
    assert "as in the preview" in done
    assert "+new = 1" not in done


def test_what_is_no_longer_as_previewed_is_shown(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text("old = 1\n")
    asked = {"pattern": "old", "replacement": "new"}
    workspace.call("replace_content", asked)
    (root / "a.py").write_text("# changed since\nold = 1\n")
    assert (
        "\n-old = 1\n"
        in workspace.call("replace_content", {**asked, "preview": False}).text
    )


def test_a_diff_that_is_long_by_its_context_is_shown_without(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text(LONG)
    edits = [
        {"search": f"line {n}\n", "replace": f"row {n}\n"}
        for n in range(10, 90, 10)
    ]
    done = workspace.call(
        "edit_content", {"path": "a.txt", "edits": edits}
    ).text
    assert "@@ -81 +81 @@\n-line 80\n+row 80" in done
    assert "\n line" not in done
    assert " added, " not in done


def test_a_long_diff_is_counted_with_the_way_to_it(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text(LONG)
    asked = {"pattern": "line", "replacement": "row"}
    assert (
        "[100 lines added, 100 removed]"
        in workspace.call("replace_content", asked).text
    )
    assert (
        "\n+row 99"
        in workspace.call("replace_content", {**asked, "diff": "full"}).text
    )
    (root / "a.txt").write_text(
        LONG.replace("line 7\n", "line seven\n")
    )  # so that no preview showed it
    done = workspace.call("replace_content", {**asked, "preview": False})
    change = done.data["change_id"]
    assert f"get_history with change_id={change} shows them" in done.text
    assert (
        "+row 50" in workspace.call("get_history", {"change_id": change}).text
    )
    assert "@@" not in workspace.call("write_content", {
        "items": [{"path": "a.txt", "content": "short\n", "mode": "overwrite"}], "diff": "none",
    }).text  # fmt: skip


def test_edits_whose_diff_is_not_shown_name_their_lines(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text(LONG)
    (root / "b.txt").write_text(LONG)
    edits = [
        {
            "path": "a.txt",
            "search": LONG[LONG.index("line 20\n") :],
            "replace": "",
        }
    ]
    edits += [
        {"path": "b.txt", "search": f"line {n}\n", "replace": "row\n"}
        for n in (7, 3)
    ]
    done = workspace.call("edit_content", {"edits": edits}).text
    assert "a.txt: 1 edit (line 21) applied" in done
    assert "b.txt: 2 edits (lines 8, 4) applied" in done
    (root / "a.txt").write_text(LONG)
    assert (
        "a.txt: 1 edit applied"
        in workspace.call(
            "edit_content", {"edits": edits[:1], "diff": "none"}
        ).text
    )


def test_of_a_diff_that_is_long_the_files_whose_diffs_are_short_are_shown(
    root: Path, workspace: Workspace
) -> None:
    for name in "abcdefghijk":
        (root / f"{name}.txt").write_text(LONG)
    edits = [
        {
            "path": "a.txt",
            "search": LONG[LONG.index("line 20\n") :],
            "replace": "",
        }
    ]
    edits += [
        {"path": f"{name}.txt", "search": "line 7\n", "replace": "row\n"}
        for name in "bcdefghijk"
    ]
    done = workspace.call("edit_content", {"edits": edits}).text
    assert (
        "\nb.txt: 1 edit (line 8) applied\n@@ -8 +8 @@\n-line 7\n+row\nc.txt: 1 edit (line 8)"
        in done
    )
    assert done.count("\n@@ -8 +8 @@\n-line 7\n+row\n") == 8
    assert "\n-line 20" not in done
    assert (
        "[2 lines added, 82 removed in 3 other files; get_history with change_id="
        in done
    )


def test_whoever_gives_the_count_is_shown_no_examples(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text(LONG)
    asked = {"pattern": "line", "replacement": "row", "preview": False}
    done = workspace.call(
        "replace_content", {**asked, "expected_count": 100}
    ).text
    assert " like a.txt:" not in done
    (root / "a.txt").write_text(LONG)
    assert (
        "100 like a.txt:1: line 0"
        in workspace.call("replace_content", asked).text
    )


def test_an_undo_names_its_files_and_shows_what_it_merged(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text(LONG)
    (root / "b.txt").write_text("line\n")
    change = workspace.replace(
        "line", "row", glob="a.txt", preview=False
    ).change_id
    undone = workspace.call("revert_edit", {"change_id": change})
    assert "modified: a.txt" in undone.text
    assert "@@" not in undone.text
    again = workspace.replace(
        "line 5\n", "row 5\n", path="a.txt", preview=False
    ).change_id
    workspace.edit("a.txt", [{"search": "line 90\n", "replace": "kept\n"}])
    merged = workspace.call("revert_edit", {"change_id": again})
    assert "(merged)" in merged.text
    assert "\n+line 5\n" in merged.text


CASES = [
    # hits in the file, lines of context shown around the first one
    (1, 2),
    (5, 2),
    (6, 0),
]


@pytest.mark.parametrize(("hits", "lines"), CASES)
def test_few_hits_have_context_and_many_have_none(
    root: Path, workspace: Workspace, hits: int, lines: int
) -> None:
    (root / "f.txt").write_text(
        "".join(
            f"{'hit' if n % 10 == 5 and n < 10 * hits else 'x'} {n}\n"
            for n in range(100)
        )
    )
    for path in (".", "f.txt"):
        text = workspace.call(
            "search_content", {"pattern": "hit", "path": path}
        ).text
        assert text.count("- x") == 2 * lines * hits
        assert (
            f"{hits} matching line{'s' if hits > 1 else ''} in 1 file, all shown"
            in text
        )
        asked = workspace.call(
            "search_content", {"pattern": "hit", "path": path, "context": 1}
        )
        assert asked.text.count("- x") == 2 * hits


@pytest.mark.parametrize(
    "name", ["app.log", "app.log.1", "rows.csv", "rows.tsv", "orders.jsonl"]
)
def test_beside_the_few_hits_in_records_is_only_what_goes_on_with_one(
    root: Path, workspace: Workspace, name: str
) -> None:
    (root / name).write_text(
        "one\ntwo\nhit failed\n  at place 7\n\tat place 8\nthree\n"
    )
    found = workspace.call("search_content", {"pattern": "hit"}).text
    assert found.splitlines()[1:-1] == [
        "3: hit failed",
        "4-   at place 7",
        "5- \tat place 8",
    ]
    asked = workspace.call(
        "search_content", {"pattern": "hit", "context": 1}
    ).text
    assert asked.splitlines()[1:-1] == [
        "2- two",
        "3: hit failed",
        "4-   at place 7",
    ]


def test_the_last_line_says_how_many_there_are_and_what_was_skipped(
    root: Path, workspace: Workspace
) -> None:
    (root / ".gitignore").write_text("built/\n")
    (root / "built").mkdir()
    (root / "built/a.py").write_text("hit\n")
    (root / "image.bin").write_bytes(b"\0hit\n")
    for n in range(30):
        (root / f"m{n:02}.py").write_text("hit\n" * 4)
    few = workspace.call(
        "search_content", {"pattern": "hit", "max_results": 10}
    )
    assert (
        "[10 shown of 120 matching lines in 30 files; continue with cursor="
        in few.text
    )
    assert few.data["total"] == 120
    assert (
        "32 files searched; 1 ignored name skipped; 1 binary file skipped"
        in few.text
    )
    whole = workspace.call(
        "search_content",
        {"pattern": "hit", "include_ignored": True, "output": "counts"},
    )
    assert "121 matching lines in 31 files, all shown" in whole.text
    replaced = workspace.call(
        "replace_content",
        {"pattern": "hit", "replacement": "x", "include_ignored": True},
    )
    assert replaced.text.startswith("121 matches in 31 files")
    assert "33 files searched; 1 binary file skipped" in replaced.text


def test_a_definition_is_named_where_it_says_something_new(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text(
        "class Cart:\n    def total(self):\n        hit = 1\n        return hit\n\n    def hit(self):\n        pass\n"
    )
    rows = workspace.call(
        "search_content", {"pattern": "hit", "context": 0}
    ).text.splitlines()
    assert rows[1:4] == [
        "3:         hit = 1   [Cart.total]",
        "4:         return hit",
        "6:     def hit(self):   [Cart]",
    ]


def test_several_patterns_are_answered_one_by_one(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text("one\ntwo\none\n")
    (root / "b.py").write_text("two\n")
    found = workspace.search(patterns=["one", "two", "three"])
    assert [each.total for each in found.searches] == [2, 2, None]
    assert [hit.path for hit in found.results] == [
        "a.py",
        "a.py",
        "a.py",
        "b.py",
    ]
    assert found.text.count("pattern '") == 2
    assert found.text.endswith("\nno match: 'three'")
    nothing = workspace.search(patterns=["three", "four"])
    assert nothing.text == "no match: 'three', 'four'\n[2 files searched]"
    (root / "a.py").write_text("zero\none\ntwo\nthree\none\n")
    assert (
        "0- "
        not in workspace.search(patterns=["one", "two", "three", "zero"]).text
    )
    assert (
        "1- zero\n2: one\n" in workspace.search(patterns=["one", "zero"]).text
    )


def test_lines_that_say_something_else_too_are_left_out(
    root: Path, workspace: Workspace
) -> None:
    """In literal and regex searches, of a file and a tree, however it is asked for."""
    log = "ERROR mailbox full\nERROR pool is empty\nINFO x\nERROR ERROR Mailbox Full\nERROR disk\n"
    (root / "a.log").write_bytes(log.replace("\n", "\r\n").encode())
    (root / "b.log").write_text("ERROR mailbox full")
    (root / "long.log").write_text(
        "ERROR "
        + "x" * 2_000_000
        + "\nERROR y mailbox full"
        + " z" * 500_000
        + "\n"
    )
    for path, mode, without, lines in [
        ("a.log", "literal", "mailbox full", [2, 5]),
        ("a.log", "regex", "mailbox f.*|disk$", [2]),
        ("a.log", "literal", "ERROR", []),
        ("b.log", "literal", "mailbox", []),
        (".", "literal", "mailbox full", [2, 5, 1]),
    ]:
        asked = {
            "pattern": "ERROR",
            "mode": mode,
            "without": without,
            "path": path,
        }
        found = workspace.call("search_content", asked).data
        assert [hit["line"] for hit in found["results"]] == lines, asked
        counted = workspace.call(
            "search_content", {**asked, "output": "counts"}
        ).data
        assert sum(file["count"] for file in counted["files"]) == len(lines)
        named = workspace.call(
            "search_content", {**asked, "output": "files"}
        ).data
        assert len(named["files"]) == len(
            {hit["path"] for hit in found["results"]}
        )
    for wrong in [
        {"mode": "fuzzy"},
        {"multiline": True},
        {"without": "(", "mode": "regex"},
    ]:
        made = workspace.call(
            "search_content", {"pattern": "ERROR", "without": "x", **wrong}
        )
        assert made.data["code"] == "invalid_input", wrong


def test_counts_that_are_cut_give_the_totals(
    root: Path, workspace: Workspace
) -> None:
    for n in range(30):
        (root / f"m{n:02}.py").write_text("hit hit\nhit\n")
    text = workspace.call(
        "search_content",
        {"pattern": "hit", "output": "counts", "max_results": 4},
    ).text
    assert (
        "[4 files shown of 60 matching lines in 30 files; continue with cursor="
        in text
    )


def test_a_long_preview_shows_a_line_of_each_kind(
    root: Path, workspace: Workspace
) -> None:
    for n in range(60):
        (root / f"m{n:02}.py").write_bytes(
            f"rates = rate({n})\r\n# rate is slow {n}\r\n".encode()
        )
    (root / "z.py").write_text('NAMES = ["rate"]\n')
    asked = {"pattern": "rate", "replacement": "fetch", "whole_word": True}
    text = workspace.call("replace_content", asked).text
    assert (
        "60 like m00.py:1:\n-rates = rate(0)\n+rates = fetch(0)\n"
        "60 like m00.py:2:\n-# rate is slow 0\n+# fetch is slow 0\n"
        'z.py:1:\n-NAMES = ["rate"]\n+NAMES = ["fetch"]\n'
    ) in text
    assert (
        "like"
        not in workspace.call(
            "replace_content", {**asked, "preview": False}
        ).text
    )
    assert len(text) < 900


def test_every_malformed_pattern_is_named(
    root: Path, workspace: Workspace
) -> None:
    with pytest.raises(FilewrightError) as refused:
        workspace.search(patterns=["fine", "a(", "[z-"], mode="regex")
    assert refused.value.code == "invalid_input"
    assert "a(" in refused.value.message
    assert "[z-" in refused.value.message


def test_searches_of_several_places_are_one_call(
    root: Path, workspace: Workspace
) -> None:
    """Each with what it does not say from the call; one that fails says so itself."""
    (root / "src/dist").mkdir(parents=True)
    (root / "src/a.py").write_text("def f():\n    return flag()\n")
    (root / "src/dist/a.py").write_text("flag\n")
    (root / "s.ini").write_text("[x]\nTimeout = 3\n")
    items = [
        {"pattern": "flag", "path": "src", "glob": "!dist"},
        {"pattern": "^time", "path": "s.ini", "mode": "regex", "context": None},
        {"pattern": "flag", "path": "none"},
        {"pattern": "nowhere", "path": "src"},
        {"pattern": "return", "path": "src", "glob": "!dist", "context": 0.0},
    ]
    answer = workspace.call(
        "search_content", {"items": items, "case": "insensitive"}
    )
    assert answer.text.splitlines() == [
        "pattern 'flag' in src:", "src/a.py", "1- def f():", "2:     return flag()   [f]   [also 'return']",
        "[1 matching line in 1 file, all shown; 1 file searched]",
        "pattern '^time' in s.ini:", "1- [x]", "2: Timeout = 3", "[1 matching line in 1 file, all shown]",
        "pattern 'flag' in none:", "not_found: cannot look at none: No such file or directory",
        "hint: list the folder to see its entries",
        "pattern 'return' in src:", "[1 matching line in 1 file, all shown; 1 line shown above]",
        "no match: 'nowhere' in src",
    ]  # fmt: skip
    assert not answer.is_error
    assert not answer.data["complete"]
    assert answer.data["searches"][2]["code"] == "not_found"
    assert workspace.call(
        "search_content", {"items": [items[2], {**items[2], "path": "nor"}]}
    ).is_error


def test_a_file_that_goes_between_two_passes_of_its_search_stays_found(
    root: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a.txt").write_text(
        "".join(f"needle {n} {'x' * 90}\n" for n in range(100))
    )
    items = [{"pattern": "needle", "path": "a.txt", "max_results": 100}]
    items += [{"pattern": f"no {n}", "path": "a.txt"} for n in range(9)]
    from filewright.tools import search_once, search_several

    def gone(task: object, *work: float) -> object:
        # Spare time of a length of its own is for what may be there in another spelling.
        asked.extend([] if work else [task])
        if (
            len(asked) == 2
        ):  # the first is for the count of what the first pass did not show
            (root / "a.txt").unlink()
        return spare(task, *work)  # type: ignore[arg-type]

    asked, spare = list[object](), search_once.best_effort
    whole = workspace.search(items=items)
    for module in (search_once, search_several):
        monkeypatch.setattr(module, "best_effort", gone)
    found = workspace.search(items=items)
    assert not (root / "a.txt").exists()
    assert 0 < len(found.results) < len(whole.results)


def test_a_search_has_the_room_that_others_leave(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text(
        "".join(f"needle {n} {'x' * 50}\n" for n in range(100))
    )
    items = [{"pattern": "needle", "path": "a.txt", "max_results": 100}]
    items += [{"pattern": f"no {n}", "path": "a.txt"} for n in range(9)]
    whole = workspace.search(items=items)
    assert len(whole.results) == 100
    assert whole.complete
    many = workspace.search(items=items[:1] * 10)
    assert not many.complete
    assert len(many.text) < 12_500


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"pattern": "a", "patterns": ["b"]},
        {"patterns": ["a"], "items": [{"pattern": "b"}]},
        {"items": [{"path": "."}]},
        {"items": [{"patterns": ["a"]}]},
        {"items": [{"items": [{"pattern": "a"}]}]},
        {"items": [{"pattern": "a", "cursor": "x"}]},
        {"items": ["a"]},
        {"items": [{"pattern": "a"}] * 21},
        {"patterns": []},
        {"patterns": ["a"], "cursor": "x"},
        {"patterns": ["a"] * 21},
    ],
)
def test_one_pattern_or_several(
    root: Path, workspace: Workspace, arguments: dict[str, object]
) -> None:
    assert (
        workspace.call("search_content", arguments).data["code"]
        == "invalid_input"
    )


def test_history_names_up_to_three_files_of_a_change(
    root: Path, workspace: Workspace
) -> None:
    for n in range(5):
        (root / f"m{n}.py").write_text("old\n")
    workspace.replace("old", "new", preview=False)
    workspace.edit("m0.py", [{"search": "new", "replace": "newer"}])
    rows = workspace.get_history().text.splitlines()
    assert rows[0].endswith("edit m0.py: 1 edit")
    assert "[m0.py, m1.py, m2.py and 2 more files]" in rows[1]


def test_lines_that_are_alike_are_counted_as_one_and_the_rarest_come_first(
    root: Path, workspace: Workspace
) -> None:
    lines = [
        f"12:00:{n % 60:02} WARN retry {n} of job {n:08x}-00ff"
        for n in range(500)
    ]
    lines[321] = "12:00:59 WARN the pool is empty " + "z" * 500
    lines[400] = "12:00:59 \u00fcber WARN pool 7 is empty"
    (root / "a.log").write_bytes("\r\n".join(lines).encode())
    (root / "b.log").write_bytes(
        "\ufeffx WARN y\nWARN retry 5\n".encode("utf-16-le")
    )
    asked = {"pattern": "WARN", "output": "kinds"}
    text = workspace.call("search_content", {**asked, "path": "a.log"}).text
    rows = text.splitlines()
    assert [row.partition(" ")[0] for row in rows[:2]] == ["322:", "401:"]
    assert rows[2].startswith(
        "498 like 1: 12:00:00 WARN retry 0 of job 00000000-00ff"
    )
    assert rows[3] == "[3 kinds of 500 matching lines]"
    tree = workspace.call("search_content", asked).data
    assert [
        (kind["path"], kind["line"], kind["count"]) for kind in tree["kinds"]
    ] == [
        *(
            ("a.log", 322, 1),
            ("a.log", 401, 1),
            ("b.log", 1, 1),
            ("b.log", 2, 1),
        ),
        ("a.log", 1, 498),
    ]
    cut = workspace.call("search_content", {**asked, "max_results": 2}).text
    most = "the largest (498 lines) is like a.log:1: 12:00:00 WARN retry 0 of job 00000000-00ff"
    assert (
        f"5 kinds of 502 matching lines; 3 more frequent kinds not shown; {most}"
        in cut
    )
    less = workspace.call("search_content", {**asked, "without": "retry"}).data
    assert [kind["count"] for kind in less["kinds"]] == [1, 1, 1]
    for name, start in (("two", "  "), ("four", "    "), ("tabs", "\t")):
        (root / f"{name}.json").write_text(f'{start}"version": "1"\r\n')
    named = {"pattern": "version", "glob": "*.json", "output": "kinds"}
    indented = workspace.call("search_content", named).data["kinds"]
    assert [(kind["count"], kind["text"]) for kind in indented] == [
        (1, '\t"version": "1"'),
        (2, '"version": "1"'),
    ]
    for wrong in [{"mode": "fuzzy"}, {"multiline": True}, {"invert": True}]:
        assert (
            workspace.call("search_content", {**asked, **wrong}).data["code"]
            == "invalid_input"
        )


def test_broken_syntax_is_told_of_behind_the_diffs_that_are_shown(
    workspace: Workspace, root: Path
) -> None:
    for number in range(4):
        (root / f"m{number}.py").write_text("x = (1)\n" * 200)
    made = workspace.replace("(1)", "(1", preview=False)
    assert len(made.warnings) == 4


def test_the_preview_of_an_undo_names_what_the_undo_does(
    workspace: Workspace, root: Path
) -> None:
    created = workspace.write("n.txt", "new\n").change_id
    assert "deleted: n.txt" in workspace.revert_edit(created, preview=True).text
    deleted = workspace.delete("n.txt").change_id
    assert "created: n.txt" in workspace.revert_edit(deleted, preview=True).text
    workspace.revert_edit(deleted)
    moved = workspace.move("n.txt", "m.txt").change_id
    assert (
        "moved: m.txt → n.txt"
        in workspace.revert_edit(moved, preview=True).text
    )


def test_the_preview_of_an_undo_names_each_file_below_a_folder_once(
    workspace: Workspace, root: Path
) -> None:
    made = workspace.write("new/deep/a.txt", "new\n").change_id
    assert (
        workspace.revert_edit(made, preview=True).diff.count(
            "deleted file mode"
        )
        == 1
    )


def test_patterns_that_meet_in_a_line_share_it(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text(
        "".join(f"x{n}\n" for n in range(20)) + "one two\nthree\n"
    )
    (root / "b.py").write_text("two\n")
    text = workspace.search(patterns=["one", "two", "three"]).text
    assert text.splitlines() == [
        "pattern 'one':", "a.py", "19- x18", "20- x19", "21: one two   [also 'two']", "22- three",
        "[1 matching line in 1 file, all shown; 2 files searched]",
        "pattern 'two':", "b.py", "1: two",
        "[2 matching lines in 2 files, all shown; 1 line shown above]",
        "pattern 'three':", "a.py", "22: three",
        "[1 matching line in 1 file, all shown]",
    ]  # fmt: skip
    found = workspace.search(patterns=["one", "two"])
    assert [hit.line for hit in found.searches[1].results] == [21, 1]


def test_what_max_results_cuts_off_is_counted(
    root: Path, workspace: Workspace
) -> None:
    """However large what is left is, as long as counting it takes no longer than a second of work."""
    line = b"x" * 200 + b"\n"
    (root / "a.log").write_bytes((line * 100 + b"needle\n") * 4_000)
    for path in (".", "a.log"):
        found = workspace.search("needle", path=path, max_results=3)
        assert found.total == 4_000
        assert (
            "[3 shown of 4,000 matching lines in 1 file; continue with cursor="
            in found.text
        )


def test_a_hit_on_a_definition_shows_a_short_body(
    root: Path, workspace: Workspace
) -> None:
    rows = "".join(f"    row{n}()\n" for n in range(9))
    (root / "a.py").write_text(
        f"def short():\n{rows}    return 1\n\n\ndef long():\n{rows}{rows}\n"
    )
    text = workspace.search("def short").text
    assert "\n11-     return 1\n[1 matching" in text
    assert "14-" not in text
    (hit,) = workspace.search("def long").results
    assert hit.context_after == ("    row0()", "    row1()")
    (hit,) = workspace.search("def short", context=1).results
    assert len(hit.context_after) == 1
    many = "".join(f"def needle{n}():\n    return {n}\n\n\n" for n in range(9))
    (root / "b.py").write_text(many)
    assert "return" not in workspace.search("def needle").text


def test_a_count_that_is_expected_is_carried_out_at_once(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text("old old\n")
    asked = {"pattern": "old", "replacement": "new"}
    refused = workspace.call("replace_content", {**asked, "expected_count": 3})
    assert refused.code == "invalid_input"
    shown = workspace.call(
        "replace_content", {**asked, "expected_count": 2, "preview": True}
    )
    assert "preview" in shown.text
    assert (root / "a.txt").read_text() == "old old\n"
    done = workspace.call("replace_content", {**asked, "expected_count": 2})
    assert "2 matches in 1 file replaced; change" in done.text
    assert (root / "a.txt").read_text() == "new new\n"


def test_matches_are_counted_where_lines_have_several_as_a_replacement_expects_them(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text("old old\nold\n")
    (root / "b.txt").write_text("one old\n")
    found = workspace.search("old")
    assert "[3 matching lines (4 matches) in 2 files, all shown" in found.text
    assert (
        "[1 matching line in 1 file, all shown" in workspace.search("one").text
    )
    done = workspace.replace("old", "new", expected_count=4)
    assert done.count == 4
    assert done.change_id is not None


def test_a_replacement_without_a_diff_is_told_in_one_line(
    root: Path, workspace: Workspace
) -> None:
    for number in range(9):
        (root / f"{number}.txt").write_text("old old\n")
    done = workspace.replace("old", "new", max_count=50, diff="none")
    assert done.text.splitlines()[0] == (
        f"18 matches in 9 files replaced; change {done.change_id} "
        "(0.txt: 2, 1.txt: 2, 2.txt: 2 and 6 more files)"
    )
    assert "6.txt" not in done.text
    assert len(done.files) == 9


def test_who_asks_for_so_many_lines_is_not_told_that_there_are_more(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text(LONG)
    assert "left out" not in workspace.read("a.txt", limit=3).text
    assert (
        "left out"
        not in workspace.call(
            "read_content", {"items": [{"path": "a.txt", "limit": 3}]}
        ).text
    )
    (root / "b.txt").write_text("x" * 200 + "\n" + LONG * 50)
    assert " left out; continue with start=501]" in workspace.read("b.txt").text
    assert (
        " left out; continue with start="
        in workspace.read("b.txt", limit=4000).text
    )  # cut by the page


def test_history_says_whose_a_change_is(root: Path, tmp_path: Path) -> None:
    (root / "a.txt").write_text("a")
    with Workspace(
        root, state_dir=tmp_path / "state", session="me", client="agent 1"
    ) as mine:
        mine.write("b.txt", "b")
        for client in ("agent 2", "filewright review", None):
            with Workspace(
                root, state_dir=tmp_path / "state", session="x", client=client
            ) as theirs:
                theirs.write(f"{client}.txt", "c")
        found = mine.get_history()
        assert [change.by for change in found.changes] == [
            "another",
            "a person",
            "another",
            "this session",
        ]
        rows = found.text.splitlines()
        assert rows[0].endswith("[another, session x]")
        assert rows[1].endswith("[a person, by filewright review]")
        assert rows[2].endswith("[agent 2, session x]")
        assert rows[3].endswith("created b.txt")
        assert rows[4] == "[those without a name: this session]"


def test_of_an_edit_that_was_found_as_given_nothing_but_its_diff_is_said(
    root: Path, workspace: Workspace
) -> None:
    long = "x" * 130
    (root / "a.py").write_text(f"zero\n{long}\nold = 1\none\ntwo\n")
    done = workspace.call(
        "edit_content",
        {
            "path": "a.py",
            "edits": [{"search": "old = 1", "replace": "new = 1"}],
        },
    )
    assert done.text.splitlines()[1:] == [
        "--- a/a.py", "+++ b/a.py", "@@ -3,2 +3,2 @@", "-old = 1", "+new = 1", " one",
    ]  # fmt: skip
    assert done.diff.startswith(
        f"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,5 +1,5 @@\n zero\n {long}\n"
    )
    loose = workspace.call("edit_content", {
        "path": "a.py", "edits": [{"search": "new  =  1", "replace": "new  =  2"}], "diff": "none",
    })  # fmt: skip
    assert "\nedit 1: line 3, found by blanks" in loose.text
    exact = workspace.call("edit_content", {
        "path": "a.py", "edits": [{"search": "two", "replace": "2"}], "diff": "none",
    })  # fmt: skip
    assert "\n" not in exact.text


def test_a_replacement_names_its_files_once(
    root: Path, workspace: Workspace
) -> None:
    for n in range(3):
        (root / f"m{n}.py").write_text("a\nb\nold\nc\nd\n" * 2)
    done = workspace.call(
        "replace_content",
        {"pattern": "old", "replacement": "new", "max_count": 6},
    )
    assert done.text.splitlines()[1:3] == ["[3 files searched]", "--- a/m0.py"]
    assert done.text.count("m0.py") == 2
    for n in range(30):
        (root / f"n{n:02}.py").write_text("a\nb\nold\n" * 3)
    many = workspace.call(
        "replace_content",
        {"pattern": "old", "replacement": "new", "max_count": 90},
    )
    assert many.text.splitlines()[0].endswith(
        " (n00.py: 3, n01.py: 3, n02.py: 3 and 27 more files)"
    )


def test_a_long_line_beside_a_hit_is_left_out_and_one_with_many_hits_is_cut_short(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.jsonl").write_text(
        "".join(
            f'{{"id": {n}, "text": "{"x" * 120}"}}\n' for n in range(100, 110)
        )
    )
    found = workspace.call("search_content", {"pattern": '"id": 105'}).text
    assert "105" in found
    assert "104" not in found
    assert (
        "104"
        in workspace.call(
            "search_content", {"pattern": '"id": 105', "context": 1}
        ).text
    )
    (root / "min.js").write_text(
        "".join(f"{'y' * 600}hit{n}" for n in range(8))
    )
    rows = workspace.call(
        "search_content", {"pattern": "hit", "path": "min.js"}
    ).text.splitlines()
    assert all(
        len(row) < 140 for row in rows[1:9]
    )  # 60 characters on either side, or 30 of the same line again
    assert all(f"hit{n}" in row for n, row in enumerate(rows[1:9]))


def test_lines_that_differ_in_short_hexadecimal_names_are_of_one_kind(
    root: Path, workspace: Workspace
) -> None:
    rows = [f"ERROR session {n * 7919:05x} lost" for n in range(10, 500)]
    (root / "a.log").write_text("\n".join([*rows, "ERROR dead beef"]))
    text = workspace.call(
        "search_content", {"pattern": "ERROR", "output": "kinds"}
    ).text
    assert text.count("lost") < 4
    assert "491: ERROR dead beef" in text


def test_of_many_hits_lines_of_more_than_240_characters_are_cut(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text(
        "".join(f"hit{n} {'x' * (190 + 10 * n)}\n" for n in range(10))
    )
    found = workspace.search("hit")
    assert [
        len(row) > 230 or "…" in row for row in found.text.splitlines()[5:11]
    ] == [True] * 6
    assert [hit.truncated for hit in found.results] == [False] * 5 + [True] * 5
    assert not any(
        hit.truncated for hit in workspace.search("hit", context=0).results
    )


def test_files_that_count_alike_are_counted_together(
    root: Path, workspace: Workspace
) -> None:
    for n in range(30):
        (root / f"p{n:02}").mkdir()
        (root / f"p{n:02}/package.json").write_text(
            "hit\n" * (2 if n == 7 else 1)
        )
    rows = workspace.call(
        "search_content", {"pattern": "hit", "output": "counts"}
    ).text.splitlines()
    assert rows[9:11] == ["p09/package.json: 1", "p10/package.json: 1"]
    assert rows[11:] == [
        "[and 19 more package.json: 1]",
        "[31 matching lines in 30 files, all shown; 30 files searched]",
    ]
    found = workspace.search("hit", output="counts")
    assert [file.count for file in found.files] == [1] * 7 + [2] + [1] * 22
    assert (
        workspace.search("hit", output="files").text.count("package.json") == 30
    )


def test_hits_that_are_alike_in_many_files_are_said_once(
    root: Path, workspace: Workspace
) -> None:
    names = [f"packages/p{n}/package.json" for n in range(8)]
    for n, name in enumerate(names):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text(
            "{\n" * (1 + n % 2) + '  "version": "7.0.1",\n'
        )
    (root / "packages/p8").mkdir()
    (root / "packages/p8/package.json").write_text('  "version": "7.0.1"\n')
    found = workspace.search('"version"')
    assert found.text.splitlines() == [
        "packages/{p0/package.json:2,p1/package.json:3,p2/package.json:2,p3/package.json:3,p4/package.json:2,"
        'p5/package.json:3,p6/package.json:2,p7/package.json:3}:   "version": "7.0.1",',
        "packages/p8/package.json",
        '1:   "version": "7.0.1"',
        "[9 matching lines in 9 files, all shown; 9 files searched]",
    ]
    assert [(hit.path, hit.line) for hit in found.results] == [
        *((name, 2 + n % 2) for n, name in enumerate(names)),
        ("packages/p8/package.json", 1),
    ]
    even = workspace.search(
        '"version"', glob="packages/p{0,2,4,6,8}/*", context=0
    ).text.splitlines()
    assert (
        even[0]
        == 'packages/{p0,p2,p4,p6}/package.json:2:   "version": "7.0.1",'
    )


def test_files_whose_hits_are_all_alike_are_named_together(
    root: Path, workspace: Workspace
) -> None:
    for name in ("a/x.txt", "a/y.txt", "b.txt"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("one hit\n-\n-\nhit two\n-\n")
    (root / "c.txt").write_text("one hit\n-\n-\n-\nhit two\n")
    assert workspace.search("hit").text.splitlines()[:-1] == [
        "a/x.txt, a/y.txt, b.txt", "1: one hit", "4: hit two",
        "c.txt", "1: one hit", "5: hit two",
    ]  # fmt: skip
    assert workspace.search("hit", path="a").text.splitlines()[:2] == [
        "a/{x.txt,y.txt}",
        "1: one hit",
    ]


@given(
    st.lists(
        st.text("ab/.:3", min_size=1, max_size=12),
        min_size=1,
        max_size=6,
        unique=True,
    )
)
def test_paths_in_braces_are_each_of_them(paths: list[str]) -> None:
    said = braced(paths)
    first, brace, rest = said.partition("{")
    between, _, last = rest.partition("}")
    assert (
        [f"{first}{each}{last}" for each in between.split(",")] == paths
        if brace
        else said == ", ".join(paths)
    )


def test_counts_are_of_all_files(root: Path, workspace: Workspace) -> None:
    for n in range(70):
        (root / f"m{n:02}.py").write_text("hit\n" * (1 + n % 3))
    found = workspace.search("hit", output="counts")
    assert [file.count for file in found.files] == [
        1 + n % 3 for n in range(70)
    ]
    assert found.complete
    assert found.text.endswith(
        "[139 matching lines in 70 files, all shown; 70 files searched]"
    )
    assert (
        len(workspace.search("hit", output="counts", max_results=5).files) == 5
    )
    assert len(workspace.search("hit", output="files").files) == 70


def test_what_stays_of_a_file_is_named_in_full(
    root: Path, workspace: Workspace
) -> None:
    (root / "mixed.txt").write_bytes(b"one\r\ntwo\n")
    (root / "page.py").write_bytes(
        "# coding: cp1252\nx = 'é'\n".encode("cp1252")
    )
    edit = {"edits": [{"search": "one", "replace": "1"}]}
    assert (
        "; mixed line endings kept"
        in workspace.call("edit_content", {"path": "mixed.txt", **edit}).text
    )
    edit = {"edits": [{"search": "x", "replace": "y"}]}
    assert (
        "; encoding cp1252 kept"
        in workspace.call("edit_content", {"path": "page.py", **edit}).text
    )


def test_one_line_is_no_lines(root: Path, workspace: Workspace) -> None:
    (root / "a.txt").write_text("x\n")
    asked = {"pattern": "x", "replacement": "y"}
    workspace.call("replace_content", asked)
    done = workspace.call("replace_content", {**asked, "preview": False}).text
    assert "[1 line added, 1 removed, as in the preview]" in done
