"""Lines that a change removes although its session has never seen them."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Workspace
from filewright.progress import Caller, Task


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "a.py").write_text("def f():\n    return 1\n")
    (root / "b.py").write_text("b = 1\n")
    (root / "sub" / "c.py").write_text("c = 1\n")
    return root


def _overwrite(content: str, path: str = "n.md") -> dict[str, object]:
    return {"items": [{"path": path, "content": content, "mode": "overwrite"}]}


def _numbered(word: str, count: int) -> str:
    return "".join(f"{word} {number}\n" for number in range(count))


LOST = "lost what others changed since you read it"


REPLACING = {
    "write": ("write_content", _overwrite(_numbered("LINE", 100))),
    "move": (
        "move_items",
        {
            "items": [{"source": "a.py", "destination": "n.md"}],
            "overwrite": True,
        },
    ),
    "copy": (
        "move_items",
        {
            "items": [{"source": "a.py", "destination": "n.md"}],
            "overwrite": True,
            "copy": True,
        },
    ),
    "delete": ("delete_items", {"paths": ["n.md"]}),
}


@pytest.mark.parametrize("name", REPLACING)
def test_names_lost_lines(workspace: Workspace, root: Path, name: str) -> None:
    (root / "n.md").write_text(_numbered("line", 100))
    workspace.call("read_content", {"path": "n.md", "limit": 3})
    (root / "n.md").write_text(
        _numbered("line", 100).replace("line 50\n", "by the user\n")
    )
    tool, arguments = REPLACING[name]
    answer = workspace.call(tool, arguments)
    assert f'{LOST}: line 51 "by the user"' in answer.text
    assert "undo with revert_edit" in answer.text
    workspace.undo()
    assert "by the user" in (root / "n.md").read_text()


@pytest.mark.parametrize("name", REPLACING)
def test_known_lines(workspace: Workspace, root: Path, name: str) -> None:
    tool, arguments = REPLACING[name]
    (root / "n.md").write_text("one\ntwo\n")
    assert (
        LOST not in workspace.call(tool, arguments).text
    )  # It was never read.
    workspace.undo()
    workspace.call("read_content", {"path": "n.md"})
    assert LOST not in workspace.call(tool, arguments).text
    workspace.undo()
    workspace.call(
        "edit_content",
        {"path": "n.md", "edits": [{"search": "two", "replace": "three"}]},
    )
    workspace.call("write_content", _overwrite("four\n"))
    workspace.undo()
    assert LOST not in workspace.call(tool, arguments).text


def test_lines_written_whole(workspace: Workspace, root: Path) -> None:
    (root / "n.md").write_text("one\n")
    workspace.call("read_content", {"path": "n.md"})
    (root / "n.md").write_text("one\nby the user\n")
    assert (
        'line 2 "by the user"'
        in workspace.call("write_content", _overwrite("two\n")).text
    )
    assert (
        LOST not in workspace.call("write_content", _overwrite("three\n")).text
    )
    workspace.call(
        "write_content", {"items": [{"path": "new.md", "content": "one\n"}]}
    )
    assert (
        LOST
        not in workspace.call(
            "write_content", _overwrite("two\n", "new.md")
        ).text
    )
    (root / "new.md").write_text("by the user\n")
    assert (
        f'{LOST}: line 1 "by the user"'
        in workspace.call("delete_items", {"paths": ["new.md"]}).text
    )


def test_content_with_the_lines(workspace: Workspace, root: Path) -> None:
    (root / "n.md").write_text("one\ntwo\n")
    workspace.call("read_content", {"path": "n.md"})
    (root / "n.md").write_text("one\nby the user\ntwo\n")
    assert (
        LOST
        not in workspace.call(
            "write_content", _overwrite("1\nby the user\n2\n")
        ).text
    )


def test_removed_lines(workspace: Workspace, root: Path) -> None:
    (root / "n.md").write_text("one\ntwo\n")
    workspace.call("read_content", {"path": "n.md"})
    (root / "n.md").write_text("one\n")
    text = workspace.call("write_content", _overwrite("1\n2\n")).text
    assert LOST in text
    assert f"{LOST}: line" not in text


def test_lines_of_another_session(workspace: Workspace, root: Path) -> None:
    (root / "n.md").write_text("one\ntwo\nthree\n")
    edit = {
        "path": "n.md",
        "edits": [{"search": "two", "replace": "two, by B"}],
    }
    for session, tool, arguments in (
        ("a", "read_content", {"path": "n.md"}),
        ("b", "read_content", {"path": "n.md"}),
        ("b", "edit_content", edit),
    ):
        task = Task(caller=Caller(session))
        assert not workspace.offer().call(tool, arguments, task=task).is_error
    content = _overwrite("one, by A\ntwo\nthree\n")
    answer = workspace.offer().call(
        "write_content", content, task=Task(caller=Caller("a"))
    )
    assert f'{LOST}: line 2 "two, by B"' in answer.text


def test_files_of_a_folder(workspace: Workspace, root: Path) -> None:
    workspace.call("read_content", {"path": "sub/c.py"})
    (root / "sub" / "c.py").write_text("c = 1\nuser = 2\n")
    answer = workspace.call(
        "delete_items", {"paths": ["sub"], "recursive": True}
    )
    assert f'sub/c.py: {LOST}: line 2 "user = 2"' in answer.text


def test_large_file(workspace: Workspace, root: Path) -> None:
    (root / "n.md").write_text(_numbered("line", 200_000))
    workspace.call("read_content", {"path": "n.md", "limit": 3})
    (root / "n.md").write_text(_numbered("line", 200_001))
    assert LOST in workspace.call("delete_items", {"paths": ["n.md"]}).text
