"""The typed methods of a workspace for one call of a dialect's tool."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright import Workspace
from filewright.dialects.call import Call
from filewright.errors import Code, FilewrightError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (root / "crlf.txt").write_bytes(b"a\r\nb\r\n")
    return root


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Iterator[Call]:
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        yield Call(workspace.context)


@pytest.mark.parametrize(
    ("content", "expected"),
    [("x\ny\n", b"x\r\ny\r\n"), ("x\r\ny\n", b"x\r\ny\n")],
    ids=["without carriage returns", "as it is"],
)
def test_overwrite(
    call: Call, root: Path, content: str, expected: bytes
) -> None:
    call.overwrite("crlf.txt", content)
    assert (root / "crlf.txt").read_bytes() == expected


@pytest.mark.parametrize(
    ("path", "parts"),
    [("folder/x/y", (b"x", b"y")), ("folder/x/", (b"x",)), ("folder", ())],
)
def test_parts_below(call: Call, path: str, parts: tuple[bytes, ...]) -> None:
    assert call.parts_below("folder", path) == parts


def test_settings_are_those_of_the_call_alone(call: Call) -> None:
    page_call = call.with_page(300)
    assert page_call.settings.page_chars == 300
    assert page_call.settings.line_chars == 300
    assert call.settings.page_chars != 300


def test_exists(call: Call) -> None:
    assert call.exists("folder")
    assert not call.exists("missing")


@pytest.mark.parametrize(
    ("target", "kind"), [("folder", "folder"), ("crlf.txt", "file")]
)
def test_status_of_the_target_of_a_link(
    call: Call, root: Path, target: str, kind: str
) -> None:
    (root / "link").symlink_to(target)
    assert call.target_status("link").kind == kind


def test_status_of_a_missing_file(call: Call) -> None:
    with pytest.raises(FilewrightError) as caught:
        call.target_status("missing")
    assert caught.value.code is Code.NOT_FOUND
