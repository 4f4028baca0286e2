"""New text in files that declare their encoding, and files in encodings that are not edited."""

from pathlib import Path

import pytest

from filewright import FilewrightError, Workspace

COOKIE = "# -*- coding: latin-1 -*-\n"


def test_edits_an_ascii_file_in_its_declared_encoding(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text(COOKIE + 'x = "e"\n')
    workspace.edit("a.py", [{"search": 'x = "e"', "replace": 'x = "é"'}])
    assert (root / "a.py").read_bytes() == (COOKIE + 'x = "é"\n').encode(
        "latin-1"
    )


def test_replaces_and_appends_in_the_declared_encoding(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.xml").write_text(
        '<?xml version="1.0" encoding="koi8-r"?>\n<a>x</a>\n'
    )
    workspace.replace(
        "x", "ж", path="a.xml", whole_word=True, preview=False, max_files=1
    )
    (root / "a.py").write_text(COOKIE)
    workspace.write("a.py", "x = 'é'\n", mode="append")
    assert "<a>ж</a>".encode("koi8-r") in (root / "a.xml").read_bytes()
    assert (root / "a.py").read_bytes().endswith(b"x = '\xe9'\n")


def test_refuses_what_the_declared_encoding_lacks(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text(COOKIE + "x = 1\n")
    with pytest.raises(
        FilewrightError,
        match="which latin-1, the encoding that the file declares",
    ):
        workspace.edit("a.py", [{"search": "x = 1", "replace": "x = '€'"}])
    assert (root / "a.py").read_text() == COOKIE + "x = 1\n"


@pytest.mark.parametrize("label", ["utf-7", "iso-2022-jp", "cp037"])
def test_keeps_a_file_ascii_that_declares_what_is_not_written(
    tmp_path: Path, label: str
) -> None:
    (tmp_path / "a.py").write_text(f"# coding: {label}\nx = 1\n")
    with Workspace(tmp_path) as workspace:
        with pytest.raises(FilewrightError, match="unencodable"):
            workspace.edit("a.py", [{"search": "x = 1", "replace": "x = 'é'"}])
        workspace.edit("a.py", [{"search": "x = 1", "replace": "x = 2"}])
    assert (tmp_path / "a.py").read_text() == f"# coding: {label}\nx = 2\n"


def test_writes_new_files_as_they_declare(
    root: Path, workspace: Workspace
) -> None:
    content = COOKIE + "x = 'é'\n"
    workspace.write_all(
        [
            {"path": "a.py", "content": content},
            {"path": "b.txt", "content": "é\n"},
        ]
    )
    workspace.edit("c.py", [{"content": content}])
    workspace.write_all(
        [
            {"path": "d.py", "content": COOKIE},
            {"path": "d.py", "content": "x = 'é'\n", "mode": "append"},
        ]
    )
    (root / "from.txt").write_text(content)
    workspace.edit(
        "e.py",
        [
            {
                "from": {
                    "path": "from.txt",
                    "start_line": 1,
                    "end_line": 2,
                    "expected_version": workspace.read("from.txt").version,
                }
            }
        ],
    )
    for name in ("a.py", "c.py", "d.py", "e.py"):
        assert (root / name).read_bytes() == content.encode("latin-1"), name
    assert (root / "b.txt").read_text() == "é\n"
    with pytest.raises(FilewrightError, match="unencodable"):
        workspace.write_all([{"path": "f.py", "content": COOKIE + "x = '€'\n"}])
    assert not (root / "f.py").exists()


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
