"""Whole files written as bytes, by `Workspace.write_bytes`."""

from __future__ import annotations

from pathlib import Path

import pytest

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
