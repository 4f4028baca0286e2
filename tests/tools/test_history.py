"""The history of changes: several with their diffs, and changes by others between them."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import FilewrightError, Workspace


@pytest.fixture
def changes(root: Path, workspace: Workspace) -> list[str]:
    """Make two changes of a file, with one of a person between them; the newest last."""
    (root / "a.txt").write_text("".join(f"{n}\n" for n in range(30)))
    ids: list[str] = []
    for line in ("5", "25"):
        edit = {
            "search": f"{line}\n",
            "replace": f"{line}!\n",
            "start_line": int(line) + 1,
        }
        change = workspace.edit("a.txt", [edit])
        assert change.change_id is not None
        ids.append(change.change_id)
        content = (root / "a.txt").read_text()
        if line == "5":
            (root / "a.txt").write_text(content.replace("15", "15?"))
    return ids


@pytest.mark.parametrize("is_list", [True, False], ids=["list", "commas"])
def test_shows_several(
    workspace: Workspace, changes: list[str], is_list: bool
) -> None:
    change_id = changes if is_list else ", ".join(changes)
    answer = workspace.call("get_history", {"change_id": change_id})
    assert not answer.is_error, answer.text
    rows = [row for row in answer.text.splitlines() if row.startswith("1")]
    assert [row.split()[0] for row in rows] == changes
    assert "\n@@ -5,3 +5,3 @@\n 4\n-5\n+5!\n 6\n" in answer.text
    assert [change["change_id"] for change in answer.data["changes"]] == changes
    assert "\n+25!\n" in answer.data["changes"][1]["diff"]


def test_narrows_changes_to_a_path(root: Path, workspace: Workspace) -> None:
    (root / "docs").mkdir()
    ids: list[str] = []
    for word in ("one", "two"):
        edits = [
            {"path": path, "content": f"{word} of {path}\n"}
            for path in (f"docs/{word}.md", f"{word}.txt")
        ]
        done = workspace.call("edit_content", {"edits": edits})
        ids.append(done.data["change_id"])
    for change_id, path, words in (
        (ids[0], "docs", ["+one of docs/one.md"]),
        (ids, "docs", ["+one of docs/one.md", "+two of docs/two.md"]),
        (ids, "two.txt", ["+two of two.txt"]),
    ):
        call = {"change_id": change_id, "path": path}
        answer = workspace.call("get_history", call)
        lines = answer.text.splitlines()
        added = [line for line in lines if line.startswith(("+o", "+t"))]
        assert added == words
    for change_id in (ids[0], ids):
        call = {"change_id": change_id, "path": "x"}
        refused = workspace.call("get_history", call)
        assert refused.code == "not_found", refused.text
    filters = {"change_id": ids[0], "session": "current"}
    assert workspace.call("get_history", filters).code == "invalid_input"


def test_refuses_unknown_of_several(
    workspace: Workspace, changes: list[str]
) -> None:
    answer = workspace.call("get_history", {"change_id": f"{changes[0]},zz"})
    assert answer.code == "not_found"


def test_leaves_room_for_each(root: Path, workspace: Workspace) -> None:
    ids: list[str] = []
    for name in ("a.txt", "b.txt"):
        change = workspace.write(name, f"{'a line' * 20}\n" * 2_000)
        assert change.change_id is not None
        ids.append(change.change_id)
    answer = workspace.call("get_history", {"change_id": ",".join(ids)})
    for name, change_id in zip(("a.txt", "b.txt"), ids, strict=True):
        way = f"[{name}: get_history with change_id={change_id} shows its diff]"
        assert way in answer.text


def test_tells_changes_outside(
    root: Path, workspace: Workspace, changes: list[str]
) -> None:
    first, second = changes
    outside = "[changed outside of filewright afterwards]"
    newest, oldest = workspace.get_history("a.txt").text.splitlines()[:2]
    assert newest.startswith(second)
    assert outside not in newest
    assert oldest.startswith(first)
    assert oldest.endswith(outside)
    (root / "a.txt").write_text("all new\n")
    newest = workspace.get_history("a.txt").text.splitlines()[0]
    assert newest.endswith(outside)
    # Nor is it said where changes are left out of the list.
    assert outside not in workspace.get_history("a.txt", since=first).text


LONG = "".join(f"line {n}\n" for n in range(100))


def test_names_three_files(root: Path, workspace: Workspace) -> None:
    for n in range(5):
        (root / f"m{n}.py").write_text("old\n")
    workspace.replace("old", "new", preview=False)
    workspace.edit("m0.py", [{"search": "new", "replace": "newer"}])
    rows = workspace.get_history().text.splitlines()
    assert rows[0].endswith("edit m0.py: 1 edit")
    assert "[m0.py, m1.py, m2.py and 2 more files]" in rows[1]


def test_says_whose_a_change_is(root: Path, tmp_path: Path) -> None:
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
        assert rows[1].endswith("[by a person, with filewright review]")
        assert rows[2].endswith("[agent 2, session x]")
        assert rows[3].endswith("created b.txt")
        assert rows[4] == "[those without a name: this session]"


def test_survives_a_restart(root, tmp_path):
    (root / "f").write_text("one\n")
    with Workspace(root, state_dir=tmp_path / "s") as first:
        first.edit("f", [{"search": "one", "replace": "two"}])
        first.write("new", "x")
    with Workspace(root, state_dir=tmp_path / "s") as second:
        assert [r.tool for r in second.history()] == [
            "write_content",
            "edit_content",
        ]
        second.undo()
        second.undo()
        assert (root / "f").read_text() == "one\n"
        assert not (root / "new").exists()
        with pytest.raises(FilewrightError):
            second.undo()


def test_rows_share_time_and_name_session_once(
    root: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    for session in ("codex-1", "codex-2", "mine"):
        with Workspace(
            root, state_dir=state, session=session, client="codex"
        ) as theirs:
            theirs.write(f"{session}.txt", "c")
    with Workspace(root, state_dir=state, session="me") as mine:
        history = mine.get_history()
    rows = history.text.splitlines()
    names = ["codex, session mine", "session codex-2", "session codex-1"]
    minute = ""
    for change, row, name in zip(history.changes, rows, names, strict=True):
        assert row.endswith(f"{change.summary}  [{name}]")
        # A row of the same minute does not repeat it.
        assert (" ago)  " in row) is (change.time[:16] != minute)
        minute = change.time[:16]
