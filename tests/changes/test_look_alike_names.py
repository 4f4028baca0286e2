"""A file that is made beside a name that looks the same is told of."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Workspace

PAIRS = [
    ("v\u00a013.txt", "v 13.txt"),
    ("Gro\u0308\u00dfe.txt", "Gr\u00f6\u00dfe.txt"),
    ("it\u2019s.txt", "it's.txt"),
    ("p\u0430th.py", "path.py"),
    ("path.py", "p\u0430th.py"),
    ("zero\u200bwidth", "zerowidth"),
]


@pytest.mark.parametrize(("there", "made"), PAIRS)
def test_new_look_alike(tmp_path: Path, there: str, made: str) -> None:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / there).write_text("old\n")
    (root / "source").write_text("x\n")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for tool, arguments in (
            ("write_content", {"items": [{"path": f"sub/{made}", "content": "new\n"}]}),
            (
                "move_items",
                {
                    "items": [{"source": "source", "destination": f"sub/{made}"}],
                    "copy": True,
                },
            ),
            (
                "apply_patch",
                {
                    "patch": f"*** Begin Patch\n*** Add File: sub/{made}\n+x\n*** End Patch\n"
                },
            ),
        ):
            result = workspace.call(tool, arguments)
            assert not result.is_error, result.text
            assert "looks the same as" in result.text
            assert (
                workspace.call("delete_items", {"paths": [f"sub/{made}"]}).is_error
                is False
            )


@pytest.mark.parametrize(("there", "made"), PAIRS)
def test_moved_look_alike(tmp_path: Path, there: str, made: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / there).write_text("old\n")
    (root / "source").write_text("x\n")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        result = workspace.call(
            "move_items", {"items": [{"source": "source", "destination": made}]}
        )
        assert "looks the same as" in result.text


def test_plain_names_are_not(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for name in ("b.txt", "A.txt2", "a txt", "\u00e9.txt"):
            result = workspace.call(
                "write_content", {"items": [{"path": name, "content": "x\n"}]}
            )
            assert "looks the same" not in result.text
        result = workspace.call(
            "write_content",
            {"items": [{"path": "a.txt", "content": "x\n", "mode": "overwrite"}]},
        )
        assert "looks the same" not in result.text


def test_denied_names_are_not(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "v\u00a013.key").write_text("")
    (root / ".agentsignore").write_text("v\u00a013.key\n")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        result = workspace.call(
            "write_content", {"items": [{"path": "v 13.key", "content": "x\n"}]}
        )
    assert "looks the same" not in result.text
