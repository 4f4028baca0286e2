"""Edits of several files, and of merge conflicts by their number."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Workspace


def test_edits_of_several_files_are_one_change(
    root: Path, workspace: Workspace
) -> None:
    for name in "abc":
        (root / f"{name}.py").write_text(f"{name} = 1\n")
    edits = [
        {"path": f"{name}.py", "search": "= 1", "replace": "= 2"}
        for name in "abc"
    ]
    done = workspace.edit(None, edits)
    assert [file.path for file in done.files] == ["a.py", "b.py", "c.py"]
    assert len(workspace.get_history().changes) == 1
    workspace.undo()
    assert (root / "c.py").read_text() == "c = 1\n"
    refused = workspace.call(
        "edit_content",
        {"edits": [*edits[:2], {**edits[2], "search": "nowhere at all"}]},
    )
    assert refused.data["code"] == "no_match"
    assert "c.py: edit 3 of 3" in refused.text
    assert (root / "a.py").read_text() == "a = 1\n"


OURS = "größer\nours\n"


BASE = "base\n"


THEIRS = "theirs ü\n"


TAKEN = {"ours": OURS, "theirs": THEIRS, "both": OURS + THEIRS}


def conflict(*, diff3: bool, end: str = "\n") -> str:
    base = f"||||||| 1a2b3c\n{BASE}" if diff3 else ""
    return f"<<<<<<< HEAD\n{OURS}{base}=======\n{THEIRS}>>>>>>> topic{end}"


def resolve(workspace: Workspace, *edits: object):
    return workspace.call(
        "edit_content", {"path": "f.txt", "edits": list(edits)}
    )


@pytest.mark.parametrize("take", [*TAKEN])
@pytest.mark.parametrize("diff3", [False, True], ids=["plain", "diff3"])
@pytest.mark.parametrize(
    ("encoding", "newline"),
    [
        ("utf-8", "\n"),
        ("cp1252", "\r\n"),
        ("utf-16", "\r\n"),
        ("utf-8-sig", "\r"),
    ],
)
def test_takes_side_of_conflict(
    workspace: Workspace,
    root: Path,
    take: str,
    diff3: bool,
    encoding: str,
    newline: str,
) -> None:
    text = f"top\n\n{conflict(diff3=diff3)}{conflict(diff3=diff3)}end\n"
    path = root / "f.txt"
    path.write_bytes(text.replace("\n", newline).encode(encoding))
    answer = resolve(workspace, {"at": {"conflict": 1}, "take": take})
    assert not answer.is_error, answer.text
    wanted = f"top\n\n{TAKEN[take]}{conflict(diff3=diff3)}end\n"
    assert path.read_bytes() == wanted.replace("\n", newline).encode(encoding)
    answer = resolve(workspace, {"conflict": 1, "take": take, "replace": ""})
    assert not answer.is_error, answer.text
    wanted = f"top\n\n{TAKEN[take] * 2}end\n"
    assert path.read_bytes() == wanted.replace("\n", newline).encode(encoding)


def test_several_conflicts(workspace: Workspace, root: Path) -> None:
    path = root / "f.txt"
    mixed = conflict(diff3=True).replace("ours\n", "ours\r\n")
    path.write_bytes((mixed + mixed + conflict(diff3=False, end="")).encode())
    answer = resolve(
        workspace,
        {"at": {"conflict": 1}, "take": "theirs"},
        {"at": {"conflict": 2}, "take": "ours"},
        {"at": {"conflict": 3}, "take": "both"},
    )
    assert not answer.is_error, answer.text
    wanted = THEIRS + OURS.replace("ours\n", "ours\r\n") + OURS + THEIRS
    assert path.read_bytes() == wanted.encode()


def test_replaces_conflict(workspace: Workspace, root: Path) -> None:
    (root / "f.txt").write_text(f"a\n{conflict(diff3=True)}b\n")
    answer = resolve(workspace, {"at": {"conflict": 1}, "replace": "mine\n"})
    assert not answer.is_error, answer.text
    assert (root / "f.txt").read_text() == "a\nmine\nb\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a\n=======\nb\n", "f.txt has no conflict"),
        ("<<<<<<< a\nb\n=======\nc\n", "line 1 of f.txt"),
        ("<<<<<<< a\n<<<<<<< b\n", "line 2 of f.txt"),
        ("<<<<<<< a\n=======\n=======\n>>>>>>> b\n", "line 3 of f.txt"),
        ("<<<<<<< a\n>>>>>>> b\n", "line 2 of f.txt"),
        (">>>>>>> b\n", "line 1 of f.txt"),
        ("<<<<<<< a\n=======\n||||||| c\n>>>>>>> b\n", "line 3 of f.txt"),
    ],
)
def test_refuses_conflict_markers(
    workspace: Workspace, root: Path, text: str, problem: str
) -> None:
    (root / "f.txt").write_text(text)
    answer = resolve(workspace, {"at": {"conflict": 1}, "take": "ours"})
    assert answer.code == "invalid_input"
    assert problem in answer.text
    assert (root / "f.txt").read_text() == text


@pytest.mark.parametrize(
    "edit",
    [
        {"at": {"conflict": 1}},
        {"at": {"conflict": 1}, "delete": True},
        {"at": {"conflict": 1}, "take": "mine"},
        {"at": {"lines": [1, 2]}, "take": "ours"},
        {"at": {"conflict": 0}, "take": "ours"},
    ],
)
def test_refuses_arguments_of_conflicts(
    workspace: Workspace, root: Path, edit: dict[str, object]
) -> None:
    (root / "f.txt").write_text(conflict(diff3=False))
    answer = resolve(workspace, edit)
    assert answer.code == "invalid_input"
    assert (root / "f.txt").read_text() == conflict(diff3=False)


@pytest.mark.parametrize(
    ("take", "is_diff3", "sides"),
    [
        pytest.param("ours", False, "ours = HEAD, the first side", id="ours"),
        pytest.param(
            "theirs", True, "theirs = topic, the second side", id="theirs"
        ),
        pytest.param(
            "both",
            True,
            "ours = HEAD, the first side; theirs = topic, the second side; "
            "both = without the base",
            id="both",
        ),
    ],
)
def test_says_which_side_it_took(
    workspace: Workspace, root: Path, take: str, is_diff3: bool, sides: str
) -> None:
    (root / "f.txt").write_text(conflict(diff3=is_diff3))
    edit = {"at": {"conflict": 1}, "take": take}
    assert resolve(workspace, edit).text.endswith(f"\n[{sides}]")


@pytest.mark.parametrize(
    ("take", "row"),
    [
        ("ours", "conflict 1 (lines 2-9): ours kept, 2 lines: größer"),
        ("theirs", "conflict 1 (lines 2-9): theirs kept, 1 line: theirs ü"),
        ("both", "conflict 1 (lines 2-9): both kept, 3 lines: größer"),
    ],
)
def test_tells_lines_that_stay(
    workspace: Workspace, root: Path, take: str, row: str
) -> None:
    text = f"top\n{conflict(diff3=True)}end\n"
    (root / "f.txt").write_text(text)
    edits = [
        {"at": {"conflict": 1}, "take": take},
        {"search": "end", "replace": "END"},
    ]
    answer = resolve(workspace, *edits)
    assert row in answer.text.splitlines()
    # The edit of another line is shown as ever.
    assert "\n-end\n+END\n" in answer.text
    assert "<<<<<<<" not in answer.text
    history = workspace.call("get_history", {"change_id": answer.change_id})
    assert "-<<<<<<< HEAD" in history.text
    (root / "f.txt").write_text(text)
    shown = workspace.call(
        "edit_content", {"path": "f.txt", "edits": edits, "diff": "full"}
    )
    assert "-<<<<<<< HEAD" in shown.text
    assert row not in shown.text


@pytest.mark.parametrize(
    ("side", "row"),
    [
        ("", "conflict 1 (lines 1-4): ours kept, no line"),
        ("\n \n", "conflict 1 (lines 1-6): ours kept, 2 blank lines"),
        ("\n x\n", "conflict 1 (lines 1-6): ours kept, 2 lines: x"),
    ],
    ids=["none", "blank", "below-blank"],
)
def test_tells_which_text_stays(
    workspace: Workspace, root: Path, side: str, row: str
) -> None:
    (root / "f.txt").write_text(f"<<<<<<< a\n{side}=======\nb\n>>>>>>> c\n")
    answer = resolve(workspace, {"at": {"conflict": 1}, "take": "ours"})
    assert row in answer.text.splitlines()
