"""The refusal of files that are not text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from filewright import FilewrightError, Workspace


def sparse(path: Path, head: bytes = b"one\ntwo\n") -> Path:
    """A file of a terabyte, of which the disk holds the beginning."""
    path.write_bytes(head)
    os.truncate(path, 1 << 40)
    return path


@pytest.mark.parametrize("tool", ["read_content", "get_overview"])
def test_hole_of_a_terabyte(root, workspace, tool):
    sparse(root / "log")
    result = workspace.call(tool, {"path": "log"})
    assert result.code == "is_binary"
    assert "encoding" in result.text


def test_refuses_text_with_shift_states(
    root: Path, workspace: Workspace
) -> None:
    data = "日本語 F\n".encode("iso2022_jp")
    (root / "j.txt").write_bytes(data)
    for call in (
        lambda: workspace.replace("F", "G", path="j.txt", preview=False),
        lambda: workspace.edit(
            "j.txt", [{"search": "F", "replace": "G", "replace_all": True}]
        ),
        lambda: workspace.read("j.txt"),
        lambda: workspace.search("8l", path="j.txt"),
    ):
        with pytest.raises(FilewrightError, match="ISO-2022-JP") as caught:
            call()
        assert caught.value.code == "is_binary"
        assert "iconv -f ISO-2022-JP" in (caught.value.hint or "")
    with pytest.raises(FilewrightError, match="unencodable"):
        workspace.write_all(
            [{"path": "j.txt", "content": "é\n", "mode": "append"}]
        )
    assert (root / "j.txt").read_bytes() == data


def test_says_how_to_repair_a_source_with_a_nul(
    root: Path, workspace: Workspace
) -> None:
    (root / "sep.ts").write_bytes(b"let a = 1;\nconst SEP = '\0';\n")
    edits = [
        {"search": "const SEP = '\0';", "replace": "const SEP = '\\u0000';"}
    ]
    with pytest.raises(FilewrightError, match=r"sep\.ts is not text") as caught:
        workspace.edit("sep.ts", edits)
    assert "NULL (U+0000) at line 2, column 14" in (caught.value.hint or "")
    workspace.edit("sep.ts", edits, encoding="utf-8")
    assert (
        root / "sep.ts"
    ).read_bytes() == b"let a = 1;\nconst SEP = '\\u0000';\n"
    (root / "x.bin").write_bytes(bytes(range(256)) * 4)
    with pytest.raises(FilewrightError) as caught:
        workspace.read("x.bin")
    assert "NULL" not in (caught.value.hint or "")


def test_never_edited(compressed_log):
    with pytest.raises(FilewrightError, match="compressed with gzip") as caught:
        compressed_log.edit(
            "app.log.gz", edits=[{"search": "ERROR", "replace": "x"}]
        )
    assert caught.value.code == "unsupported"
    assert "gunzip" in caught.value.hint


def test_never_replaced(compressed_log, root):
    before = (root / "app.log.gz").read_bytes()
    text = compressed_log.call(
        "replace_content",
        {
            "path": "app.log.gz",
            "pattern": "ERROR",
            "replacement": "x",
            "preview": False,
        },
    ).text
    assert text.startswith("unsupported: app.log.gz is compressed")
    assert (root / "app.log.gz").read_bytes() == before


def test_left_out_of_tree_replacements(compressed_log, root):
    (root / "plain.log").write_text("ERROR\n")
    before = (root / "app.log.gz").read_bytes()
    compressed_log.call(
        "replace_content",
        {"pattern": "ERROR", "replacement": "x", "preview": False},
    )
    assert (root / "app.log.gz").read_bytes() == before
    assert (root / "plain.log").read_text() == "x\n"
