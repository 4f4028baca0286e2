"""A whole step is one call: files made, deleted and moved together with edits, as one change."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Workspace

SHOP = """\
import math


def total(lines):
    return math.fsum(lines)


def rate():
    return 19


def count(lines):
    return len(lines)
"""


@pytest.fixture
def shop(root: Path) -> Path:
    (root / "shop.py").write_text(SHOP)
    (root / "old.txt").write_text("old\n")
    return root


def tree(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()
    }


def test_a_module_is_split_in_one_call_and_one_change(shop: Path, workspace: Workspace) -> None:
    before = tree(shop)
    done = workspace.call(
        "edit_content",
        {
            "edits": [
                {"path": "sums.py", "content": "import math\n\n\n"},
                {"path": "sums.py", "from": {"path": "shop.py", "symbol": "total"}},
                {"path": "sums.py", "from": {"path": "shop.py", "symbol": "count"}},
                {"path": "shop.py", "search": "import math", "replace": "from sums import count, total"},
                {"path": "old.txt", "delete": True},
                {"path": "shop.py", "move_to": "store/shop.py"},
            ]
        },
    )
    assert not done.is_error, done.text
    assert tree(shop) == {
        "store/shop.py": b"from sums import count, total\n\n\ndef rate():\n    return 19\n",
        "sums.py": b"import math\n\n\ndef total(lines):\n    return math.fsum(lines)\n\n\n"
        b"def count(lines):\n    return len(lines)\n",
    }
    assert len(workspace.history()) == 1
    assert "deleted" in done.text
    assert "moved from shop.py" in done.text
    workspace.undo()
    assert tree(shop) == before


def test_a_preview_of_a_whole_step_shows_it_and_writes_nothing(shop: Path, workspace: Workspace) -> None:
    before = tree(shop)
    edits = [{"path": "new.py", "content": "A = 1\n"}, {"path": "old.txt", "delete": True}]
    seen = workspace.call("edit_content", {"edits": edits, "preview": True})
    assert not seen.is_error, seen.text
    assert "+A = 1" in seen.text
    assert "-old" in seen.text
    assert tree(shop) == before


def test_a_file_without_text_is_moved_and_deleted_too(shop: Path, workspace: Workspace) -> None:
    (shop / "a.bin").write_bytes(b"\0\1\2" * 100)
    (shop / "b.bin").write_bytes(b"\0\1\3" * 100)
    edits = [{"path": "a.bin", "move_to": "c/a.bin"}, {"path": "b.bin", "delete": True}]
    done = workspace.call("edit_content", {"edits": edits})
    assert not done.is_error, done.text
    assert (shop / "c/a.bin").read_bytes() == b"\0\1\2" * 100
    assert not (shop / "b.bin").exists()


REFUSED = [
    ([{"path": "shop.py", "content": "x"}], "already_exists"),
    ([{"path": "no.py", "delete": True}], "not_found"),
    ([{"path": "no.py", "move_to": "yes.py"}], "not_found"),
    ([{"path": "shop.py", "move_to": "old.txt"}], "already_exists"),
    ([{"path": "shop.py", "content": "x", "delete": True}], "invalid_input"),
    ([{"path": "shop.py", "content": "x", "search": "y", "replace": "z"}], "invalid_input"),
    ([{"path": "shop.py", "from": {"path": "old.txt", "symbol": "a"}}], "invalid_input"),
    ([{"path": "shop.py", "delete": True, "expected_version": "0" * 16}], "stale_version"),
    ([{"path": "new.py", "search": "a", "replace": "b"}], "not_found"),
    ([{"path": "new.py", "content": None}], "invalid_input"),
    ([{"path": "../new.py", "content": "x"}], "path_escape"),
    (
        [{"path": "new.py", "content": "x"}, {"path": "shop.py", "search": "nothing", "replace": ""}],
        "no_match",
    ),
]


@pytest.mark.parametrize(("edits", "code"), REFUSED)
def test_what_is_refused_changes_nothing(
    shop: Path, workspace: Workspace, edits: list[dict[str, object]], code: str
) -> None:
    before = tree(shop)
    done = workspace.call("edit_content", {"edits": edits})
    assert done.code == code, done.text
    assert tree(shop) == before


def test_a_symbol_moved_to_a_line_has_blank_lines_around_it(shop: Path, workspace: Workspace) -> None:
    version = workspace.read("shop.py").version
    edit = {"from": {"symbol": "count"}, "insert_after": 2, "expected_version": version}
    done = workspace.call("edit_content", {"path": "shop.py", "edits": [edit]})
    assert not done.is_error, done.text
    text = (shop / "shop.py").read_text()
    assert text == SHOP.replace("\n\n\ndef count(lines):\n    return len(lines)\n", "\n").replace(
        "import math\n\n\n", "import math\n\n\ndef count(lines):\n    return len(lines)\n\n\n"
    )


def test_what_was_shown_stands_in_for_its_version(shop: Path, workspace: Workspace) -> None:
    edit = {"at": {"lines": [9, 9]}, "replace": "    return 7"}
    refused = workspace.call("edit_content", {"path": "shop.py", "edits": [edit]})
    assert refused.code == "invalid_input"
    version = workspace.read("shop.py").version
    assert version in refused.text
    done = workspace.call("edit_content", {"path": "shop.py", "edits": [edit]})
    assert not done.is_error, done.text
    assert (shop / "shop.py").read_text() == SHOP.replace("return 19", "return 7")
    again = workspace.call("edit_content", {"path": "shop.py", "edits": [edit]})
    assert again.code == "invalid_input"  # it was changed since; whoever sees only a diff may count otherwise


def test_what_another_session_was_shown_stands_in_for_nothing(shop: Path, workspace: Workspace) -> None:
    from filewright import Task
    from filewright.progress import Caller

    workspace.run("read_content", {"path": "shop.py"}, task=Task(caller=Caller("other")))
    edit = {"at": {"lines": [9, 9]}, "replace": "    return 7"}
    assert workspace.call("edit_content", {"path": "shop.py", "edits": [edit]}).code == "invalid_input"


AT = [
    ({"text": "return 19"}, {"replace": "return 7"}, ("return 19", "return 7")),
    ({"symbol": "rate"}, {"delete": True}, ("def rate():\n    return 19\n\n\n", "")),
    ({"after": "rate"}, {"replace": "A = 1"}, ("return 19\n", "return 19\n\n\nA = 1\n")),
    ({"before": 1}, {"replace": "# shop"}, ("import math", "# shop\nimport math")),
]


@pytest.mark.parametrize(("at", "what", "change"), AT)
def test_one_at_says_where(
    shop: Path, workspace: Workspace, at: dict[str, object], what: dict[str, object], change: tuple[str, str]
) -> None:
    done = workspace.call("edit_content", {"path": "shop.py", "edits": [{"at": at, **what}]})
    assert not done.is_error, done.text
    assert (shop / "shop.py").read_text() == SHOP.replace(*change, 1)


def test_a_replacement_of_no_more_than_was_allowed_is_made_at_once(shop: Path, workspace: Workspace) -> None:
    asked = {"pattern": "lines", "replacement": "rows", "whole_word": True}
    seen = workspace.call("replace_content", {**asked, "max_count": 3})
    assert not seen.is_error, seen.text
    assert "4 matches in 1 file are more than max_count=3 (preview; nothing was written" in seen.text
    assert (shop / "shop.py").read_text() == SHOP
    looked = workspace.call("replace_content", {**asked, "max_count": 4, "preview": True})
    assert "nothing was written" in looked.text
    done = workspace.call("replace_content", {**asked, "max_count": 4})
    assert "4 matches in 1 file replaced; change" in done.text, done.text
    assert (shop / "shop.py").read_text() == SHOP.replace("lines", "rows")
