"""What others change in files that a caller was shown is said in the next answer, once."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from filewright import Workspace
from filewright.progress import Caller, Task

links = pytest.mark.skipif(
    sys.platform == "win32", reason="links need a privilege there"
)
LINE = "[changed since you read it: a.py]"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "a.py").write_text("def f():\n    return 1\n")
    (root / "b.py").write_text("b = 1\n")
    (root / "sub" / "c.py").write_text("c = 1\n")
    return root


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        yield workspace


def listed(workspace: Workspace) -> str:
    return workspace.call("list_files", {"path": "sub"}).text


def rewrite(path: Path) -> None:
    path.write_text("def f():\n    return 22\n")


def rename_over(path: Path) -> None:
    rewrite(path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


def same_size_and_time(path: Path) -> None:
    before = path.stat()
    path.write_text(path.read_text().replace("1", "2"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("change", [rewrite, rename_over, same_size_and_time])
@pytest.mark.parametrize("tool", ["read_content", "get_overview"])
def test_a_change_by_another_is_said_once(
    workspace: Workspace, root: Path, change: Callable[[Path], None], tool: str
) -> None:
    workspace.call(tool, {"path": "a.py"})
    assert LINE not in listed(workspace)
    change(root / "a.py")
    answer = workspace.call("list_files", {"path": "sub"})
    assert answer.text.endswith(LINE)
    assert answer.data["notices"] == [LINE.strip("[]")]
    assert LINE not in listed(workspace)
    change(root / "b.py")
    assert "changed since" not in listed(workspace)


@pytest.mark.parametrize(
    "change", [os.utime, lambda path: path.write_bytes(path.read_bytes())]
)
def test_the_same_content_is_no_change(
    workspace: Workspace, root: Path, change: Callable[[Path], None]
) -> None:
    workspace.call("read_content", {"path": "a.py"})
    change(root / "a.py")
    assert "changed since" not in listed(workspace)


def test_changes_made_here_are_no_news(workspace: Workspace) -> None:
    for path in ("a.py", "sub/c.py"):
        workspace.call("read_content", {"path": path})
    edit = {
        "path": "a.py",
        "edits": [{"search": "return 1", "replace": "return 3"}],
    }
    texts = [workspace.call("edit_content", edit).text, listed(workspace)]
    workspace.undo()
    texts += [listed(workspace)]
    workspace.call("replace_content", {"pattern": "1", "replacement": "4"})
    texts += [
        workspace.call(
            "move_items", {"items": [{"source": "sub", "destination": "other"}]}
        ).text
    ]
    texts += [workspace.call("list_files", {}).text]
    assert not any("since you read it" in text for text in texts)


def test_what_is_gone_is_said(workspace: Workspace, root: Path) -> None:
    workspace.call("read_content", {"path": "a.py"})
    (root / "a.py").unlink()
    assert "[gone since you read it: a.py]" in listed(workspace)
    assert "since you read it" not in listed(workspace)


def test_an_answer_that_fails_leaves_it_to_the_next(
    workspace: Workspace, root: Path
) -> None:
    workspace.call("read_content", {"path": "a.py"})
    rewrite(root / "a.py")
    assert workspace.call("read_content", {"path": "missing"}).is_error
    assert LINE in listed(workspace)


@pytest.mark.parametrize("change", [rewrite, Path.unlink])
def test_what_is_denied_meanwhile_is_not_named(
    workspace: Workspace, root: Path, change: Callable[[Path], None]
) -> None:
    workspace.call("read_content", {"path": "a.py"})
    (root / ".agentsignore").write_text("a.py\n")
    change(root / "a.py")
    assert "a.py" not in listed(workspace)


@links
@pytest.mark.parametrize("deny", ["keys/", "prod.pem", "/keys/prod.pem"])
@pytest.mark.parametrize("change", [rewrite, Path.unlink])
def test_what_is_denied_meanwhile_is_not_named_by_a_link_to_it(
    workspace: Workspace, root: Path, deny: str, change: Callable[[Path], None]
) -> None:
    (root / "keys").mkdir()
    (root / "keys" / "prod.pem").write_text("key\n")
    (root / "current").symlink_to("keys")
    workspace.call("read_content", {"path": "current/prod.pem"})
    (root / ".agentsignore").write_text(f"{deny}\n")
    change(root / "keys" / "prod.pem")
    assert "prod.pem" not in listed(workspace)


@links
def test_a_file_that_was_read_through_a_link_is_followed_there(
    workspace: Workspace, root: Path
) -> None:
    (root / "link.py").symlink_to("a.py")
    workspace.call("read_content", {"path": "link.py"})
    assert "since you read it" not in listed(workspace)
    rewrite(root / "a.py")
    assert "[changed since you read it: link.py]" in listed(workspace)
    (root / "a.py").unlink()
    assert "[gone since you read it: link.py]" in listed(workspace)


def test_a_call_under_other_limits_leaves_it_as_it_is_who_is_told_of_a_commit(
    workspace: Workspace,
) -> None:
    context = workspace.context
    told: list[object] = []
    context.changes.after_commit = told.append
    limited = context.under(context.settings)
    assert context.changes.after_commit == told.append
    assert limited.seen is context.seen


def test_what_a_search_shows_in_the_room_that_others_leave_it_is_shown_to_its_own_session(
    workspace: Workspace, root: Path
) -> None:
    for number in range(400):
        (root / f"{number:03}.txt").write_text(
            f"apple {number:03} {'-' * 80}\n"
        )
    mine = workspace.under(Task(caller=Caller("mine")))
    asked = {"patterns": ["apple", "pear"], "max_results": 1_000}
    found = mine.run("search_content", asked)
    assert 100 < len(found.results) < 400
    for hit in found.results:
        location = workspace.context.boundary.locate(hit.path)
        assert (
            workspace.context.seen.shown_version("mine", location) is not None
        ), hit.path
