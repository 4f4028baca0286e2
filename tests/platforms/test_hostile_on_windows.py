"""What an attacker, or another program, puts in the way on Windows, or on Wine: skipped elsewhere."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.platforms.unix_only import ON_WINE

from filewright import Workspace, system
from filewright.system import Folder, nt

pytestmark = pytest.mark.skipif(
    sys.platform != "win32", reason="this is not Windows"
)

PROTECTED = [
    r".GIT\hooks\pre-commit", ".Git/config", r".git.\config", r".git \config", ".git. . /config", "GIT~1/config",
    r".git::$INDEX_ALLOCATION\config", r".git:$I30:$INDEX_ALLOCATION\config", ".git/config::$DATA", ".git/config.",
    ".g\u200cit/config", ".\uff27\uff29\uff34/config", r"src\..\.GIT\config", r".\.git\.\hooks\..\config",
    r"{top}\.git\config", r"\\?\{top}\.GIT\config", r"\??\{top}\.git\config", "//?/{top}/.git/config",
    r"\\.\{top}\.git\config", r"\\localhost\{drive}$\{below}\.git\config", r"{drive}:.git\config",
    ".ENVRC", ".Husky/pre-commit", ".MCP.json", ".mcp.json.", ".mcp.json ", ".mcp.json::$DATA", ".mcp.json:x",
    "src/.VSCode/Tasks.JSON", r"src\.claude\SETTINGS.json", "src/.claude./settings.json", r".CODEX\config.toml",
]  # fmt: skip
"""Spellings of what nothing is written to."""

UNUSUAL = [b"nul.txt", b"con", b"ends.", b"ends ", b"aux.tar.gz"]
"""Names that other programs can put on the disk, and that no path leads to."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for path in (
        ".git/config",
        ".git/hooks/keep",
        ".mcp.json",
        "src/a.py",
        "src/.claude/settings.json",
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(b"one\r\n")
    return root


@pytest.fixture
def workspace(root: Path) -> Iterator[Workspace]:
    with Workspace(root, state_dir=root.parent / "state") as opened:
        yield opened


@pytest.fixture
def folder(root: Path) -> Iterator[Folder]:
    with system.open_folder(os.fsencode(root / "src")) as opened:
        yield opened


def tree(root: Path) -> dict[str, bytes | None]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        if path.is_file()
        else None
        for path in root.rglob("*")
    }


def attempts(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every way a tool has to write to a path."""
    yield "write_content", {"items": [{"path": path, "content": "x"}]}
    yield (
        "edit_content",
        {"path": path, "edits": [{"search": "one", "replace": "x"}]},
    )
    yield "delete_items", {"paths": [path]}
    yield "move_items", {"items": [{"source": path, "destination": "src/b"}]}
    yield (
        "move_items",
        {
            "items": [{"source": "src/a.py", "destination": path}],
            "overwrite": True,
        },
    )
    yield (
        "move_items",
        {
            "items": [{"source": "src/a.py", "destination": path}],
            "overwrite": True,
            "copy": True,
        },
    )


def accepted(workspace: Workspace, path: str) -> list[str]:
    answers = [
        (tool, workspace.call(tool, arguments))
        for tool, arguments in attempts(path)
    ]
    errors = [str(getattr(answer, "error", None)) for _, answer in answers]
    assert not [
        error for error in errors if "unknown" in error or "internal" in error
    ]
    return [tool for tool, answer in answers if not answer.is_error]


@pytest.mark.parametrize("spelling", PROTECTED)
def test_nothing_is_written_to_what_is_protected(
    workspace: Workspace, root: Path, spelling: str
) -> None:
    top, before = str(root), tree(root)
    path = spelling.format(top=top, drive=top[0], below=top[3:])
    assert accepted(workspace, path) == []
    assert tree(root) == before


@pytest.mark.parametrize("name", [".git", ".mcp.json", "src/.claude"])
def test_a_short_name_is_no_way_to_what_is_protected(
    workspace: Workspace, root: Path, name: str
) -> None:
    above, before = (root / name).parent, tree(root)
    shown = subprocess.run(
        ["cmd", "/c", "dir", "/x", "/a", str(above)],
        capture_output=True,
        check=True,
    )
    lines = [
        line.decode("ascii", "replace").split()
        for line in shown.stdout.splitlines()
    ]
    short = [
        line[-2]
        for line in lines
        if line[-1:] == [Path(name).name] and "~" in line[-2]
    ]
    if not short:
        pytest.skip("this volume makes no short names")
    for path in (short[0], short[0].lower()):
        for below in (
            ("", "/config", "/new")
            if name.startswith(".")
            else ("/settings.json", "/hooks/new")
        ):
            assert (
                accepted(
                    workspace,
                    (above / f"{path}{below}").relative_to(root).as_posix(),
                )
                == []
            )
    assert tree(root) == before


@pytest.mark.parametrize(
    "path",
    [
        r"\\server\share\a", "//server/share/a", r"\\?\UNC\server\share\a", r"\\server@SSL\DavWWWRoot\a",
        r"\\localhost\pipe\a", r"\\127.0.0.1\c$\a", r"\\.\pipe\a", r"\\?\GLOBALROOT\Device\Mup\server\share\a",
    ],
)  # fmt: skip
def test_another_machine_is_not_even_asked(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """To open a path on another machine sends it the user's name and a hash of the password."""
    asked = []
    real = nt.open_below

    def recorded(
        folder: int | None, name: Any, *rest: Any, **options: Any
    ) -> int:
        asked.append(os.fsdecode(name).lower())
        return real(folder, name, *rest, **options)

    monkeypatch.setattr(nt, "open_below", recorded)
    for tool, arguments in (
        ("read_content", {"path": path}),
        ("list_files", {"path": path}),
        ("search_content", {"pattern": "one", "path": path}),
        *attempts(path),
    ):
        assert workspace.call(tool, arguments).is_error
    assert not [
        name
        for name in asked
        if any(word in name for word in ("server", "unc", "pipe", "127.0"))
    ]


SHARES = {
    "nothing": 0,
    "reading": nt.SHARE_READ,
    "writing": nt.SHARE_READ | nt.SHARE_WRITE,
    "all": nt.SHARE_ALL,
}
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "read": ("read_content", {"path": "src/a.py"}),
    "edit": (
        "edit_content",
        {"path": "src/a.py", "edits": [{"search": "one", "replace": "two"}]},
    ),
    "delete": ("delete_items", {"paths": ["src/a.py"]}),
    "move": (
        "move_items",
        {"items": [{"source": "src/a.py", "destination": "b.py"}]},
    ),
    "replace": (
        "move_items",
        {
            "items": [{"source": "new", "destination": "src/a.py"}],
            "overwrite": True,
        },
    ),
    "folder": (
        "move_items",
        {"items": [{"source": "src", "destination": "there"}]},
    ),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("share", SHARES)
def test_a_file_that_an_editor_holds_is_left_as_it_is_until_it_lets_go(
    workspace: Workspace, root: Path, folder: Folder, share: str, call: str
) -> None:
    (root / "new").write_bytes(b"new")
    before = tree(root)
    held = nt.open_below(
        folder.fileno(), b"a.py", nt.GENERIC_READ, share=SHARES[share]
    )
    folder.close()
    try:
        answer = workspace.call(*CALLS[call])
        if answer.is_error:
            assert answer.error.code == "in_use", answer.error
            assert answer.error.hint
            if share in ("reading", "writing"):
                assert tree(root) == before
    finally:
        nt.close(held)
    if answer.is_error:
        # On Wine the next change takes back what was begun: there what is held cannot be replaced, nor removed.
        assert share == "all" or tree(root) == before
        answer = workspace.call(*CALLS[call])
        assert not answer.is_error, answer.error
    if call != "read":
        assert tree(root) != before
        assert not workspace.call(
            "revert_edit", {"change_id": answer.change_id}
        ).is_error
    assert tree(root) == before


def test_a_rename_waits_for_who_lets_go_at_once(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.create(b"new").close()
    held = nt.open_below(folder.fileno(), b"a.py", nt.GENERIC_READ, share=0)
    monkeypatch.setattr(nt.time, "sleep", lambda _: nt.close(held))
    folder.rename(b"new", folder, b"a.py", "replace")
    assert b"new" not in folder.names()
    assert folder.stat(b"a.py").size == 0


@pytest.mark.parametrize(
    ("writable", "number"),
    [(True, errno.ETXTBSY), (False, errno.EACCES)],
    ids=["held", "without the right"],
)
@pytest.mark.parametrize("mode", ["exclusive", "replace"])
def test_a_folder_in_which_something_is_held_is_in_use(
    folder: Folder,
    monkeypatch: pytest.MonkeyPatch,
    mode: Any,
    writable: bool,
    number: int,
) -> None:
    """Windows says the same of both; Wine renames such a folder."""
    monkeypatch.setattr(nt, "rename", lambda *_, **__: nt.ACCESS_DENIED)
    monkeypatch.setattr(nt.time, "sleep", lambda _: None)
    monkeypatch.setattr(Folder, "is_writable", lambda *_: writable)
    with pytest.raises(OSError) as caught:
        folder.rename(b".claude", folder, b"other", mode)
    assert caught.value.errno == number


def test_what_goes_when_others_let_go_of_it_is_not_listed(
    workspace: Workspace, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nt.time, "sleep", lambda _: None)
    folder.create(b"going").close()
    held = nt.open_below(folder.fileno(), b"going", nt.READ_DATA)
    try:
        folder.remove(b"going")
        if not ON_WINE:  # Which finds it until then.
            with pytest.raises(OSError) as caught:
                folder.stat(b"going")
            assert caught.value.errno in (errno.ENOENT, errno.ETXTBSY)
            assert folder.stat_names([b"going"]) == [None]
        answer = workspace.call("list_files", {"path": "src", "details": True})
        assert not answer.is_error
        assert "a.py" in answer.text
        assert "could not be read" not in answer.text
    finally:
        nt.close(held)
    folder.create(b"going").close()


@pytest.mark.parametrize("levels", [6, 20])
def test_every_tool_works_below_260_characters(
    workspace: Workspace, root: Path, levels: int
) -> None:
    deep = "/".join(["x" * 50] * levels)
    calls: list[tuple[str, dict[str, Any]]] = [
        (
            "write_content",
            {
                "items": [
                    {
                        "path": f"{deep}/a.txt",
                        "content": "one\r\n",
                        "newline": "keep",
                    }
                ]
            },
        ),
        (
            "edit_content",
            {
                "path": f"{deep}/a.txt",
                "edits": [{"search": "one", "replace": "two"}],
            },
        ),
        (
            "read_content",
            {"path": str(root).replace("\\", "/") + f"/{deep}/a.txt"},
        ),
        (
            "read_content",
            {"path": f"\\\\?\\{root}\\{deep}\\a.txt".replace("/", "\\")},
        ),
        ("search_content", {"pattern": "two", "path": deep}),
        ("list_files", {"path": deep, "details": True}),
        (
            "move_items",
            {
                "items": [
                    {"source": f"{deep}/a.txt", "destination": f"{deep}/b.txt"}
                ],
                "copy": True,
            },
        ),
        (
            "move_items",
            {"items": [{"source": f"{deep}/b.txt", "destination": "b.txt"}]},
        ),
        ("delete_items", {"paths": [f"{deep}/a.txt"]}),
    ]
    before = tree(root)
    changes = []
    for tool, arguments in calls:
        answer = workspace.call(tool, arguments)
        assert not answer.is_error, (tool, arguments, answer.error)
        if change := getattr(answer, "change_id", None):
            changes.append(change)
    assert (root / "b.txt").read_bytes() == b"two\r\n"
    for change in reversed(changes):
        undone = workspace.call("revert_edit", {"change_id": change})
        assert not undone.is_error, undone.error
    assert tree(root) == before


def test_names_that_no_path_leads_to_are_shown_and_go_with_their_folder(
    workspace: Workspace, root: Path, folder: Folder
) -> None:
    with folder:
        folder.make_folder(b"odd")
        with folder.open_folder(b"odd") as odd:
            for name in [*UNUSUAL, b"plain.txt"]:
                fill(odd, name)
            odd.make_folder(b"aux")
            with odd.open_folder(b"aux") as below:
                fill(below, b"lpt1.")
    listed = workspace.call("list_files", {"path": "src/odd", "details": True})
    assert not listed.is_error
    assert "could not be read" not in listed.text
    assert [name for name in UNUSUAL if name.decode() not in listed.text] == []
    found = workspace.call("search_content", {"pattern": ".txt"}).text
    assert "src/odd/plain.txt" in found
    assert "src/odd/nul.txt" in found
    before, odd_ones = held(root), held(root / "src/odd")
    for tool, arguments, gone, there in (
        (
            "move_items",
            {"items": [{"source": "src/odd", "destination": "there"}]},
            True,
            "there",
        ),
        (
            "move_items",
            {
                "items": [{"source": "src/odd", "destination": "copy"}],
                "copy": True,
            },
            False,
            "copy",
        ),
        ("delete_items", {"paths": ["src/odd"], "recursive": True}, True, None),
    ):
        changed = workspace.call(tool, arguments)
        assert not changed.is_error, changed.error
        assert (root / "src/odd").exists() != gone
        if there is not None:
            assert held(root / there) == odd_ones
        undone = workspace.call("revert_edit", {"change_id": changed.change_id})
        assert not undone.is_error, undone.error
        assert held(root) == before


def fill(folder: Folder, name: bytes) -> None:
    with folder.create(name) as file:
        file.write(name, 0)


def held(path: Path) -> dict[bytes, bytes | None]:
    """All that is below a folder, under the names that the folders have; None for a folder."""
    found: dict[bytes, bytes | None] = {}

    def look(folder: Folder, above: bytes) -> None:
        for name, kind in folder.iter_entries():
            if kind == "folder":
                found[above + name] = None
                with folder.open_folder(name) as below:
                    look(below, above + name + b"/")
            else:
                with folder.open(name) as file:
                    found[above + name] = file.read(0, 1 << 20)

    with system.open_folder(os.fsencode(path)) as top:
        look(top, b"")
    return found
