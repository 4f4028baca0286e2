"""Whole files written as bytes, by `Workspace.write_bytes`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.tools.utf16 import MARKS, WIDE_TEXT, wide

from filewright import Code, FilewrightError, Settings, Workspace

EVERY_BYTE = bytes(range(256))


def test_writes_bytes_as_they_are(workspace: Workspace, root: Path) -> None:
    (root / "a").mkdir()
    created = workspace.write_bytes("a/b.bin", EVERY_BYTE)
    assert created is not None
    assert (root / "a" / "b.bin").read_bytes() == EVERY_BYTE
    workspace.undo(created.id)
    assert not (root / "a" / "b.bin").exists()


@pytest.mark.parametrize(
    "before",
    [b"caf\xe9\r\nlast", "café\n".encode("utf-16"), EVERY_BYTE, b""],
    ids=["latin-1", "utf-16", "binary", "empty"],
)
def test_replaces_content_whatever_its_encoding(
    workspace: Workspace, root: Path, before: bytes
) -> None:
    (root / "file").write_bytes(before)
    content = "日本\n".encode("shift-jis") + b"\x00\r"
    assert workspace.write_bytes("file", content) is not None
    assert (root / "file").read_bytes() == content
    workspace.undo()
    assert (root / "file").read_bytes() == before


def test_same_bytes_are_no_change(workspace: Workspace, root: Path) -> None:
    (root / "file").write_bytes(EVERY_BYTE)
    assert workspace.write_bytes("file", EVERY_BYTE) is None
    assert workspace.newest() is None


def test_refuses_another_version(workspace: Workspace, root: Path) -> None:
    (root / "file").write_bytes(b"one\n")
    version = workspace.read("file").version
    workspace.write_bytes("file", b"two\n", expected_version=version)
    for path in ("file", "other"):
        with pytest.raises(FilewrightError) as refusal:
            workspace.write_bytes(path, b"three\n", expected_version=version)
        assert refusal.value.code == Code.STALE_VERSION
    assert (root / "file").read_bytes() == b"two\n"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../out", Code.PATH_ESCAPE),
        ("folder", Code.NOT_A_FILE),
        ("new/", Code.INVALID_INPUT),
        (".git/config", Code.PERMISSION_DENIED),
    ],
)
def test_refuses_paths(
    workspace: Workspace, root: Path, path: str, code: Code
) -> None:
    (root / "folder").mkdir()
    with pytest.raises(FilewrightError) as refusal:
        workspace.write_bytes(path, b"")
    assert refusal.value.code == code


def test_is_refused_in_a_read_only_workspace(
    root: Path, tmp_path: Path
) -> None:
    settings = Settings(read_only=True)
    with (
        Workspace(root, state_dir=tmp_path / "s", settings=settings) as opened,
        pytest.raises(FilewrightError) as refusal,
    ):
        opened.write_bytes("file", EVERY_BYTE)
    assert refusal.value.code == Code.READ_ONLY
    assert list(root.iterdir()) == []


@pytest.mark.parametrize(
    ("before", "mode", "content", "newline", "after", "note"),
    [
        (None, "create", "a\r\nb\rc\n", None, b"a\nb\nc\n", ""),
        (None, "create", "a\r\nb\rc\n", "keep", b"a\r\nb\rc\n", ""),
        (b"x\r\ny\r\n", "overwrite", "a\nb\n", None, b"a\r\nb\r\n", "crlf kept"),
        (b"x\r\ny\r\n", "overwrite", "a\nb\n", "lf", b"a\nb\n", ""),
        (b"x\r\ny\r\n", "overwrite", "a\nb\n", "keep", b"a\nb\n", ""),
        (b"\xef\xbb\xbfx\n", "overwrite", "y\n", None, b"\xef\xbb\xbfy\n", "utf-8 with BOM kept"),
        (b"\xef\xbb\xbfx\n", "overwrite", "\ufeffy\n", None, b"\xef\xbb\xbfy\n", "utf-8 with BOM kept"),
        (b"x\r\n", "append", "a\nb\n", None, b"x\r\na\r\nb\r\n", "crlf kept"),
        (b"\xef\xbb\xbfx\n", "append", "y\n", None, b"\xef\xbb\xbfx\ny\n", "utf-8 with BOM kept"),
        (None, "append", "y\n", None, b"y\n", ""),
        (None, "overwrite", "y\n", None, b"y\n", ""),
        (b"\0binary", "overwrite", "text\n", None, b"text\n", ""),
        ("für Bäume und Äpfel\r\n".encode("cp1252"), "overwrite", "über Öl\n", None, "über Öl\r\n".encode("cp1252"), "cp1252 and crlf kept"),
        (b"", "append", "a\n", None, b"a\n", ""),
        ("x\n".encode("utf-16-le"), "append", "a\n", None, "x\n".encode("utf-16-le") + b"a\n", ""),
    ],
)  # fmt: skip
def test_whole_writes(
    root, workspace, before, mode, content, newline, after, note
):
    if before is not None:
        (root / "f").write_bytes(before)
        (root / "f").chmod(0o640)
    item = {
        "path": "f",
        "content": content,
        "mode": mode,
        **({"newline": newline} if newline else {}),
    }
    result = workspace.run("write_content", {"items": [item]})
    assert (root / "f").read_bytes() == after, result.text
    assert result.results[0].note == note
    if before is not None:
        assert (root / "f").stat().st_mode & 0o777 == 0o640
        assert "diff" in result.data["results"][0]
    workspace.undo(result.data["change_id"])
    assert (
        (root / "f").read_bytes() == before
        if before is not None
        else not (root / "f").exists()
    )


@pytest.mark.parametrize("newline", ["lf", "keep"])
def test_refuses_either_of_two_encodings(root, workspace, newline):
    (root / "f").write_bytes(
        b"100 \xe9 200\n"
    )  # a few letters of Windows-1252, or damaged UTF-8
    item = {"path": "f", "content": "é\n", "mode": "append", "newline": newline}
    result = workspace.call("write_content", {"items": [item]})
    assert result.code == "unencodable", result.text
    assert "content holds 'é'" in result.text
    assert (root / "f").read_bytes() == b"100 \xe9 200\n"
    workspace.write("f", "é\n", mode="overwrite")
    assert (root / "f").read_bytes() == "é\n".encode()


def test_appends_in_order(root, workspace):
    items = [
        {"path": "log", "content": f"{n}\n", "mode": "append"}
        for n in range(50)
    ]
    workspace.run("write_content", {"items": items})
    assert (root / "log").read_text() == "".join(f"{n}\n" for n in range(50))


def test_bounded_diff(root, workspace):
    old = "".join(f"old {n}\n" for n in range(20_000))
    (root / "f").write_text(old)
    result = workspace.write(
        "f", "".join(f"new {n}\n" for n in range(20_000)), mode="overwrite"
    )
    assert len(result.text) <= workspace.settings.page_chars


COOKIE = "# -*- coding: latin-1 -*-\n"


def test_overwrites_by_the_new_declaration(
    root: Path, workspace: Workspace
) -> None:
    old = COOKIE + "x = 'é'\n"
    for new, expected in (
        ("# coding: utf-8\nx = 'é'\n", "utf-8"),
        ("x = 'é'\n", "utf-8"),
        ("# coding: cp1250\nx = 'ž'\n", "cp1250"),
    ):
        (root / "a.py").write_bytes(old.encode("latin-1"))
        workspace.write_all(
            [{"path": "a.py", "content": new, "mode": "overwrite"}]
        )
        assert (root / "a.py").read_bytes() == new.encode(expected)


@pytest.mark.parametrize("codec", MARKS)
@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_utf16(mode: Any, codec: str, root: Path, workspace: Workspace) -> None:
    (root / "f").write_bytes(wide(WIDE_TEXT, codec))
    workspace.write("f", "neu\nmehr\n", mode=mode)
    assert (root / "f").read_bytes() == wide(
        (WIDE_TEXT if mode == "append" else "") + "neu\r\nmehr\r\n", codec
    )
