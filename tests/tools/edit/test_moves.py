"""Text that an edit moves or copies from one place to another."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tools.sources import methods

from filewright import Workspace


@pytest.mark.parametrize(
    "half",
    [
        "one\n\ud800\n".encode("utf-16", "surrogatepass"),
        "one\nt".encode("utf-16") + b"w",
        b"one\n\xff\n",
    ],
)
@pytest.mark.parametrize("target", ["wide.txt", "returns.txt"])
def test_names_the_file_of_invalid_bytes(odd_files, workspace, half, target):
    (odd_files / "half.txt").write_bytes(half)
    (odd_files / "wide.txt").write_bytes("a\n".encode("utf-16"))
    (odd_files / "returns.txt").write_bytes(b"a\r\n")
    source = {
        "path": "half.txt",
        "start_line": 2,
        "end_line": 2,
        "expected_version": workspace.read("half.txt").version,
    }
    made = workspace.call(
        "edit_content",
        {
            "edits": [
                {
                    "path": target,
                    "at": {"after": "0"},
                    "from": source,
                    "copy": True,
                }
            ]
        },
    )
    assert made.code == "invalid_input"
    assert "invalid bytes in lines 2-2 of half.txt" in made.text


def version(workspace: Workspace, path: str) -> str:
    return workspace.read(path).version


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_keeps_mixed_line_ends(
    root: Path, workspace: Workspace, encoding: str
) -> None:
    path = root / "mixed.txt"
    path.write_bytes("\ufeffa\nb\r\nc\rd\n".encode(encoding))
    edit = {"from": {"start_line": 2, "end_line": 3}, "at": {"after": 0}}
    workspace.edit(
        "mixed.txt", [edit], expected_version=version(workspace, "mixed.txt")
    )
    assert path.read_bytes() == "\ufeffb\r\nc\ra\nd\n".encode(encoding)


def test_refuses_two_places(root: Path, workspace: Workspace) -> None:
    (root / "a.py").write_text("A = 1\nB = 2\n")
    edits = [
        {"path": f"{name}.py", "from": {"path": "a.py", "symbol": "B"}}
        for name in "bc"
    ]
    refused = workspace.call("edit_content", {"edits": edits})
    assert refused.data["code"] == "invalid_input"
    assert "edit 2 of 2: symbol B is also moved by another edit" in refused.text
    assert [each.name for each in root.iterdir()] == ["a.py"]
    edits[1]["copy"] = True  # type: ignore[assignment]
    workspace.edit(None, edits)
    assert (
        (root / "b.py").read_text() == (root / "c.py").read_text() == "B = 2\n"
    )


def test_refuses_a_place_beside_itself(
    root: Path, workspace: Workspace
) -> None:
    (root / "one.py").write_text("def one():\n    return 1\n")
    edit = {"from": {"symbol": "one"}, "at": {"after": "one"}}
    refused = workspace.call(
        "edit_content", {"path": "one.py", "edits": [edit]}
    )
    assert refused.data["code"] == "invalid_input"
    assert "symbol one is at that place already" in refused.text
    assert (root / "one.py").read_text() == "def one():\n    return 1\n"


def test_keeps_every_byte(root: Path, workspace: Workspace) -> None:
    odd = b"def one():\n    return 1\r\n\n\ndef two():\r    return '\xff\xfe'\n"
    (root / "odd.py").write_bytes(odd)
    done = workspace.call(
        "edit_content",
        {
            "path": "odd.py",
            "edits": [{"from": {"symbol": "one"}, "at": {"after": "two"}}],
        },
    )
    assert not done.is_error, done.text
    assert b"def one():\n    return 1\r\n" in (root / "odd.py").read_bytes()
    assert sorted((root / "odd.py").read_bytes()) == sorted(odd)


def test_form_of_the_target(root: Path, workspace: Workspace) -> None:
    (root / "a.py").write_bytes(
        "A = 1\n\n\ndef käse():\n    return 'größe'\n\n\nB = 2\n".encode()
    )
    (root / "b.py").write_bytes(
        "# für Köln, über Öfen, schöne Grüße\r\nC = 3\r\n".encode("latin-1")
    )
    done = workspace.call(
        "edit_content",
        {
            "edits": [
                {
                    "path": "b.py",
                    "from": {"path": "a.py", "symbol": "käse"},
                    "at": {"after": "C"},
                }
            ]
        },
    )
    assert not done.is_error, done.text
    assert (root / "a.py").read_bytes() == b"A = 1\n\n\nB = 2\n"
    assert (root / "b.py").read_bytes() == (
        "# für Köln, über Öfen, schöne Grüße\r\nC = 3\r\n\r\n\r\ndef käse():\r\n    return 'größe'\r\n".encode(
            "latin-1"
        )
    )
    assert len(done.data["files"]) == 2
    workspace.undo()
    assert (root / "a.py").read_bytes().startswith(b"A = 1\n\n\ndef k")


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_end_of_the_file_without_a_place(
    root: Path, workspace: Workspace, end: str
) -> None:
    line = end or "\n"
    (root / "a.py").write_text(
        "A = 1\n\n\ndef one():\n    return 1\n\n\nB = 2\n"
    )
    before = (
        f"import re{line}{line}{line}def two():{line}    return 2{end}".encode()
    )
    (root / "b.py").write_bytes(before)
    moved = {"path": "a.py", "symbol": "one"}
    done = workspace.call(
        "edit_content", {"edits": [{"path": "b.py", "from": moved}]}
    )
    assert not done.is_error, done.text
    # A file without an end of its last line has none afterwards either.
    parted = line * 2 if end else line * 3
    assert (
        (root / "b.py").read_bytes()
        == before + f"{parted}def one():{line}    return 1{end}".encode()
    )
    assert (root / "a.py").read_text() == "A = 1\n\n\nB = 2\n"
    workspace.undo()
    assert (root / "b.py").read_bytes() == before
    lines = {"path": "a.py", "start_line": 8, "end_line": 8}
    version = workspace.read("a.py").version
    workspace.edit(
        None, [{"path": "b.py", "from": {**lines, "expected_version": version}}]
    )
    assert (
        root / "b.py"
    ).read_bytes() == before + f"{'' if end else line}B = 2{end}".encode()
    within = {"path": "a.py", "from": {"symbol": "one"}}
    workspace.edit(None, [within])
    assert (
        root / "a.py"
    ).read_text() == "A = 1\n\n\ndef one():\n    return 1\n"


def test_reindents_a_copy(root: Path, workspace: Workspace) -> None:
    (root / "a.py").write_text("class A:\n    def f(self):\n        return 1\n")
    (root / "b.py").write_text("x = 1\n")
    edit = {
        "path": "b.py",
        "from": {"path": "a.py", "symbol": "A.f"},
        "at": {"after": "x"},
        "copy": True,
    }
    workspace.edit(None, [edit])
    assert (
        root / "b.py"
    ).read_text() == "x = 1\n\n\n    def f(self):\n        return 1\n"
    workspace.undo()
    workspace.edit(None, [{**edit, "reindent": True}])
    assert (
        root / "b.py"
    ).read_text() == "x = 1\n\n\ndef f(self):\n    return 1\n"
    assert (root / "a.py").read_text().startswith("class A:\n    def f")


@pytest.mark.parametrize("above", ["class A:\n", 'class A:\n    """Of a."""\n'])
def test_keeps_blank_lines_behind_a_class(
    root: Path, workspace: Workspace, above: str
) -> None:
    below = "\n\ndef f():\n    pass\n"
    (root / "a.py").write_text(
        f"{above}    def m(self):\n        pass\n{below}"
    )
    workspace.edit("a.py", [{"at": {"symbol": "A.m"}, "delete": True}])
    assert (root / "a.py").read_text() == above + below


def test_indentation_of_the_place(root: Path, workspace: Workspace) -> None:
    (root / "a.py").write_text(
        'def f():\n\tif x:\n\t\ty = """\n\traw"""\n\t\tpass\n'
    )
    (root / "b.py").write_text("class B:\n  def m(self):\n    pass\n")
    edit = {
        "path": "b.py",
        "from": {"path": "a.py", "symbol": "f"},
        "at": {"after": "B.m"},
        "reindent": True,
    }
    workspace.run("edit_content", {"edits": [edit]})
    assert (root / "b.py").read_text() == (
        'class B:\n  def m(self):\n    pass\n\n  def f():\n    if x:\n      y = """\n\traw"""\n      pass\n'
    )


def test_block_of_yaml_moves_with_its_key(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.yaml").write_text("a:\n  b:\n    c: 1\n")
    edit = {"at": {"symbol": "a.b.c"}, "replace": "c: |\n  x\n    y\n"}
    workspace.run("edit_content", {"path": "a.yaml", "edits": [edit]})
    assert (
        root / "a.yaml"
    ).read_text() == "a:\n  b:\n    c: |\n      x\n        y\n"


@pytest.mark.parametrize(
    ("place", "result"),
    [({"before": "A.a"}, "cab"), ({"after": "A.a"}, "acb")],
    ids=["first", "second"],
)
def test_moves_last_symbol_up(
    root: Path, workspace: Workspace, place: dict[str, str], result: str
) -> None:
    (root / "a.ts").write_text(methods(*"abc"))
    workspace.edit("a.ts", [{"from": {"symbol": "A.c"}, "at": place}])
    assert (root / "a.ts").read_text() == methods(*result)
