"""Several searches in one call: shares of the page, shared lines, errors of one."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import FilewrightError, Workspace
from filewright.errors import Code
from filewright.progress import Task
from filewright.search.tree import TreeSearch
from filewright.tools.search.arguments import SearchArguments
from filewright.tools.search.once import search_once
from filewright.tools.search.several import search_again


def test_patterns_one_by_one(root: Path, workspace: Workspace) -> None:
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


def test_names_every_malformed_pattern(
    root: Path, workspace: Workspace
) -> None:
    with pytest.raises(FilewrightError) as refused:
        workspace.search(patterns=["fine", "a(", "[z-"], mode="regex")
    assert refused.value.code == "invalid_input"
    assert "a(" in refused.value.message
    assert "[z-" in refused.value.message


def test_several_places(root: Path, workspace: Workspace) -> None:
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


def test_file_deleted_between_passes(
    root: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a.txt").write_text(
        "".join(f"needle {n} {'x' * 90}\n" for n in range(100))
    )
    items = [{"pattern": "needle", "path": "a.txt", "max_results": 100}]
    items += [{"pattern": f"no {n}", "path": "a.txt"} for n in range(9)]
    from filewright.tools.search import once, several

    def gone(task: object, *work: float) -> object:
        # Spare time of a length of its own is for what may be there in another spelling.
        asked.extend([] if work else [task])
        if (
            len(asked) == 2
        ):  # the first is for the count of what the first pass did not show
            (root / "a.txt").unlink()
        return spare(task, *work)  # type: ignore[arg-type]

    asked, spare = list[object](), once.best_effort
    whole = workspace.search(items=items)
    for module in (once, several):
        monkeypatch.setattr(module, "best_effort", gone)
    found = workspace.search(items=items)
    assert not (root / "a.txt").exists()
    assert 0 < len(found.results) < len(whole.results)


def test_uses_characters_left_by_others(
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


def test_says_notes_on_files_once(root: Path, workspace: Workspace) -> None:
    """Of what only leaves out, the kinds are said once for one pattern."""
    (root / "a.py").write_text(
        "run(1)\n# run\nrun = 'run'\ndef g(:\n    run(((\n"
    )
    items: list[dict[str, object]] = [
        {"only": kind} for kind in ("comments", "strings", "imports")
    ]
    items += [{"only": "comments", "pattern": "ru"}, {"output": "uses"}]
    text = workspace.search("run", items=items).text
    assert text.count("1 file searched") == 1
    assert text.count("so look twice") == 1
    assert text.count("other matches left out (") == 2, text
    assert "only imports: 5 other matches left out]" in text


class ShortTask(Task):
    """A task whose time is over after so many looks at it."""

    looks = 0

    def check(self) -> None:
        self.looks -= 1
        if not self.looks:
            raise FilewrightError(Code.TIMEOUT, "the time limit passed")
        super().check()


def test_keeps_a_page_with_a_cursor(root: Path, workspace: Workspace) -> None:
    """A longer page that ran out of time does not take the place of a whole one."""
    for number in range(60):
        (root / f"{number:02}.txt").write_text(f"needle {'x' * 90}\n")
    context = workspace.context
    arguments = SearchArguments(pattern="needle", max_results=60)
    outcome = search_once(context, arguments, 2_000)
    assert outcome.next_cursor
    for looks in range(60, 160, 20):
        task = ShortTask()
        task.looks = looks
        (again,) = search_again(context.at(task), [outcome])
        assert again.is_complete or again.next_cursor


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
def test_requires_one_kind_of_pattern(
    root: Path, workspace: Workspace, arguments: dict[str, object]
) -> None:
    assert (
        workspace.call("search_content", arguments).data["code"]
        == "invalid_input"
    )


def test_shares_lines(root: Path, workspace: Workspace) -> None:
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


def test_items_take_pattern_of_call(root: Path, workspace: Workspace) -> None:
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
    with pytest.raises(FilewrightError, match="item 1 has no pattern"):
        workspace.search(items=items)


def test_long_pattern_is_named_briefly(root, workspace):
    (root / "a.txt").write_text("one two three\n")
    text = workspace.call(
        "search_content",
        {"patterns": ["one", "one two th|(never there, however long)"]}
        | {"mode": "regex"},
    ).text
    assert "1: one two three   [also 2]\n" in text
    assert "\npattern 2 'one two th|(never there, however long)':\n" in text
    items = [{"pattern": "one"}, {"pattern": "one", "context": 0}]
    text = workspace.call("search_content", {"items": items}).text
    assert "1: one two three   [also 2]\n" in text
    assert "\npattern 2 'one':\n" in text


def test_shows_searches_in_time(root, workspace, monkeypatch):
    (root / "a.txt").write_text("needle\n")
    whole = TreeSearch.__iter__

    def stopped(self):
        if self.found:
            raise FilewrightError(Code.TIMEOUT, "the time limit of 2 s passed")
        self.found.append(self)
        return whole(self)

    monkeypatch.setattr(TreeSearch, "found", [], raising=False)
    monkeypatch.setattr(TreeSearch, "__iter__", stopped)
    result = workspace.call(
        "search_content", {"patterns": ["needle", "e", "d"]}
    )
    assert result.text.startswith("pattern 'needle':\na.txt\n1: needle\n"), (
        result.text
    )
    assert result.text.count("timeout: the time limit of 2 s passed") == 2
    assert result.data["complete"] is False
    assert (
        workspace.call("search_content", {"patterns": ["e", "d"]}).code
        == Code.TIMEOUT
    )
