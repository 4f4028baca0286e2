"""A path that names nothing is answered with the file that is meant, in a form that names it."""

from __future__ import annotations

import itertools
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from tests.samples import one_in

from filewright import Workspace
from filewright.boundary.location import Location
from filewright.text.spelling import peculiar_characters

KOTLIN = "src/app/Main.kt"
FILES = [
    KOTLIN,
    "src/app/Other.kt",
    "src/test/Helper.kt",
    "docs/guide.md",
    "a.py",
    "one/__init__.py",
    "two/__init__.py",
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("text\n")
    return root


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Any:
    with Workspace(root, state_dir=tmp_path / "state") as opened:
        yield opened


def _suggested(
    workspace: Workspace, path: str, tool: str = "read_content"
) -> str:
    """Return the one path that the refusal's hint names."""
    arguments: dict[str, Any] = {"path": path}
    if tool == "edit_content":
        arguments["edits"] = [{"search": "text", "replace": "other"}]
    result = workspace.call(tool, arguments)
    assert result.is_error, result.text
    hint = result.text.partition("\nhint: ")[2]
    match = re.match(r"did you mean (.*?)\?(?:;| |$)", hint)
    assert match, result.text
    return match[1]


TAILS = [
    "Main.kt", "app/Main.kt", "b/src/app/Main.kt", "a/src/app/Main.kt", "/src/app/Main.kt", "src\\app\\Main.kt",
    ".\\src\\app\\Main.kt", "/home/user/project/src/app/Main.kt", "C:\\Users\\me\\project\\src\\app\\Main.kt",
    "`src/app/Main.kt`", "'src/app/Main.kt'", "src%2Fapp%2FMain.kt", "src/main/Main.kt", "file:///src/app/Main.kt",
    "file://{root}/src/app/Main.kt", "src/app/Main.kt:12", "src/app/Main.kt:12:5", "src/app/Main.kt#L10", "@src/app/Main.kt",
    "src/app/main.kt", "SRC/APP/MAIN.KT", "project/src/app/Main.kt", "./app/Main.kt", "src/app/Main.kt ", "<src/app/Main.kt>",
    "src/app/Main", "~/project/src/app/Main.kt",
]  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "path"),
    one_in(
        2,
        [
            *itertools.product(
                ["read_content", "edit_content", "get_overview"], TAILS
            )
        ],
    ),
)
def test_names_the_file_with_that_tail(
    workspace: Workspace, root: Path, path: str, tool: str
) -> None:
    assert (
        _suggested(workspace, path.replace("{root}", str(root)), tool) == KOTLIN
    )


def _decomposed(name: str) -> str:
    return unicodedata.normalize("NFD", name)


LOOK_ALIKES = [
    ("v\u00a013.txt", "v 13.txt"),
    ("Shot 1.01\u202fAM.txt", "Shot 1.01 AM.txt"),
    (_decomposed("Größe.txt"), "Größe.txt"),
    ("Größe.txt", _decomposed("Größe.txt")),
    (_decomposed("한글.txt"), "한글.txt"),
    ("한글.txt", _decomposed("한글.txt")),
    ("ａ.txt", "a.txt"),
    ("it’s.txt", "it's.txt"),
    ("it's.txt", "it’s.txt"),
    ("a\u3000b.txt", "a b.txt"),
    ("za\u200bb.txt", "zab.txt"),
    ("sub/v\u00a013.txt", "v 13.txt"),
    ("s\u00a0b/x.txt", "s b/x.txt"),
    ("\u0430bc.txt", "abc.txt"),
    ("dash–ed.txt", "dash-ed.txt"),
]


@pytest.mark.parametrize(("name", "asked"), LOOK_ALIKES)
def test_names_a_look_alike_in_quoted_form(
    workspace: Workspace, root: Path, name: str, asked: str
) -> None:
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_text("found\n")
    path = _suggested(workspace, asked)
    assert unicodedata.normalize("NFC", path) == path
    assert not peculiar_characters(path)
    assert "found" in workspace.call("read_content", {"path": path}).text


def test_several_are_all_named(workspace: Workspace) -> None:
    assert (
        _suggested(workspace, "__init__.py")
        == "one/__init__.py or two/__init__.py"
    )
    assert _suggested(workspace, "b/one/__init__.py") == "one/__init__.py"


def test_very_many_are_counted(workspace: Workspace, root: Path) -> None:
    for number in range(12):
        (root / f"p{number}").mkdir()
        (root / f"p{number}" / "index.js").write_text("")
    result = workspace.call("read_content", {"path": "index.js"})
    assert "12 files have that name" in result.text
    assert "**/index.js" in result.text


def test_never_names_what_is_denied(workspace: Workspace, root: Path) -> None:
    (root / ".agentsignore").write_text("secret/\n*.key\n")
    (root / "secret").mkdir()
    (root / "secret" / "Hidden.kt").write_text("")
    (root / "docs" / "x.key").write_text("")
    for path in ("Hidden.kt", "b/secrets/Hidden.kt", "y/x.key2"):
        assert (
            "Hidden.kt?"
            not in workspace.call("read_content", {"path": path}).text
        )
        assert (
            "secret/"
            not in workspace.call(
                "read_content", {"path": path}
            ).text.partition("hint:")[2]
        )


def test_ignored_files_come_last(workspace: Workspace, root: Path) -> None:
    (root / ".gitignore").write_text("build/\n")
    (root / "build").mkdir()
    (root / "build" / "Main.kt").write_text("")
    (root / "build" / "Only.kt").write_text("")
    assert _suggested(workspace, "Main.kt") == KOTLIN
    assert _suggested(workspace, "Only.kt") == "build/Only.kt"


def test_folders_are_named(workspace: Workspace) -> None:
    result = workspace.call("list_files", {"path": "app"})
    assert "did you mean src/app?" in result.text


def test_nothing_is_opened_in_its_place(
    workspace: Workspace, root: Path
) -> None:
    for path in TAILS:
        result = workspace.call(
            "write_content",
            {
                "items": [
                    {
                        "path": "src\\app\\Main.kt",
                        "content": "x",
                        "mode": "append",
                    }
                ]
            },
        )
        del path, result
    assert (root / KOTLIN).read_text() == "text\n"


def test_items_of_a_batch_are_explained(workspace: Workspace) -> None:
    text = workspace.call("read_content", {"paths": ["a.py", "Main.kt"]}).text
    assert "did you mean src/app/Main.kt?" in text


def test_in_another_root(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "lib").mkdir(parents=True)
    (other / "lib" / "Unique.kt").write_text("x\n")
    with Workspace(root, other, state_dir=tmp_path / "state2") as workspace:
        path = _suggested(workspace, "Unique.kt")
        assert path == "other:lib/Unique.kt"
        assert not workspace.call("read_content", {"path": path}).is_error


def test_shown_form_is_read_back(workspace: Workspace, root: Path) -> None:
    location = workspace.context.boundary.locate('"v\\302\\24013.txt"')
    assert isinstance(location, Location)
    assert location.name == "v\u00a013.txt".encode()
