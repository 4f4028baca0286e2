"""The tools, the command line and the server on Windows, or on Wine: skipped elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.platforms.unix_only import ON_WINE
from tests.system.windows_name_tables import ALLOWED, PATHS_REFUSED, REFUSED

from filewright import Workspace

pytestmark = pytest.mark.skipif(
    sys.platform != "win32", reason="this is not Windows"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_bytes(b"def f():\r\n    return 1\r\n")
    (tmp_path / "outside.txt").write_bytes(b"outside")
    return root


@pytest.fixture
def workspace(root: Path) -> Iterator[Workspace]:
    with Workspace(root, state_dir=root.parent / "state") as opened:
        yield opened


def write(workspace: Workspace, path: str, content: str = "x") -> Any:
    return workspace.call(
        "write_content", {"items": [{"path": path, "content": content}]}
    )


def below(folder: Path) -> dict[str, bytes | None]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        if path.is_file()
        else None
        for path in folder.rglob("*")
        if "state" not in path.parts
    }


PATHS = [path.decode("utf-8", "surrogateescape") for path in PATHS_REFUSED]
NAMES = [
    name.decode("utf-8", "surrogateescape")
    for name in REFUSED
    # What is a path of several names, or of none, is no hostile name.
    if name
    not in (
        b"",
        b".",
        b"..",
        b"/",
        b"\\",
        b"/a",
        b"\\a",
        b"..\\a",
        b"a/b",
        b"a\\b",
        b"a/",
        b"a\\",
        b"a\\..",
    )
]


OUT = [
    "..",
    "../outside.txt",
    r"..\outside.txt",
    r"src\..\..\outside.txt",
    "/outside.txt",
    r"\outside.txt",
]


@pytest.mark.parametrize(
    "paths",
    [PATHS, NAMES, [f"src/{name}" for name in NAMES], OUT],
    ids=["paths", "names", "below", "out"],
)
def test_a_hostile_path_is_refused_by_every_tool(
    workspace: Workspace, root: Path, paths: list[str]
) -> None:
    before = below(root.parent)
    accepted = []
    for path in paths:
        for tool, arguments in (
            ("read_content", {"path": path}),
            ("list_files", {"path": path}),
            (
                "edit_content",
                {"path": path, "edits": [{"search": "a", "replace": "b"}]},
            ),
            ("write_content", {"items": [{"path": path, "content": "x"}]}),
        ):
            error = getattr(workspace.call(tool, arguments), "error", None)
            if (
                error is None
                or error.code
                not in ("invalid_input", "path_escape", "not_found")
                or not error.hint
            ):
                accepted.append((tool, path, error))
    assert accepted == []
    assert below(root.parent) == before


def test_an_unusual_name_is_a_file_to_every_tool(
    workspace: Workspace, root: Path
) -> None:
    for name in ALLOWED:
        # Half a character has no place in a caller's text, and ~ is the user's folder.
        if (
            b"\xed\xa0" in name
            or b"\xed\xb0" in name
            or len(name) > 200
            or name.startswith(b"~")
        ):
            continue
        path = name.decode()
        made = write(workspace, f"src/{path}", "one\n")
        assert not made.is_error, (path, made)
        edits = [{"search": "one", "replace": "1"}]
        changed = workspace.call(
            "edit_content", {"path": f"src\\{path}", "edits": edits}
        )
        assert not changed.is_error, (path, changed)
        assert (root / "src" / path).read_bytes() == b"1\n"
        (root / "src" / path).unlink()


def test_a_path_is_one_file_however_it_is_written(
    workspace: Workspace, root: Path
) -> None:
    top = str(root)
    for path in (
        "src/a.py",
        "src\\a.py",
        r".\src\.\a.py",
        r"src\..\src\a.py",
        "SRC/A.PY",
        f"{top}\\src\\a.py",
        f"{top}/src/a.py".replace("\\", "/"),
        f"{top[0].lower()}{top[1:]}\\src\\a.py",
        f"\\\\?\\{top}\\src\\a.py",
    ):
        answer = workspace.call("read_content", {"path": path})
        assert not answer.is_error, (path, answer.error)
        assert answer.path == "src/a.py"


@pytest.mark.skipif(
    not ON_WINE,
    reason="only Wine has a network of its own: a folder of its settings",
)
def test_a_share_is_one_in_whatever_case_it_is_written() -> None:
    shares = Path("Z:" + os.environ["WINEPREFIX"], "dosdevices", "unc")
    try:
        (shares / "server" / "share" / "root").mkdir(parents=True)
        with Workspace(
            r"\\Server\share\root", state_dir=shares / "state"
        ) as workspace:
            assert not write(workspace, "a.txt").is_error
            for path in (
                r"\\SERVER\Share\root\a.txt",
                "//server/share/Root/A.TXT",
                r"\\?\UNC\Server\SHARE\root\a.txt",
            ):
                answer = workspace.call("read_content", {"path": path})
                assert not answer.is_error, (path, answer.error)
                assert answer.path == "a.txt"
            assert (
                workspace.call(
                    "read_content", {"path": r"\\server\other\root\a.txt"}
                ).error.code
                == "path_escape"
            )
    finally:
        shutil.rmtree(shares, ignore_errors=True)


def test_line_endings_and_marks_are_kept(
    workspace: Workspace, root: Path
) -> None:
    for name, content in (
        ("crlf.txt", b"one\r\ntwo\r\n"),
        ("mixed.txt", b"one\r\ntwo\nthree\r"),
        ("mark.txt", b"\xef\xbb\xbfone\r\ntwo"),
        ("wide.txt", "\ufeffone\r\ntwo\r\n".encode("utf-16-le")),
        ("ansi.txt", "one\r\nÄrger\r\n".encode("cp1252")),
    ):
        (root / name).write_bytes(content)
        changed = workspace.call(
            "edit_content",
            {"path": name, "edits": [{"search": "one", "replace": "1"}]},
        )
        assert not changed.is_error, (name, changed.error)
        wide = "utf-16-le" if name == "wide.txt" else "ascii"
        assert (root / name).read_bytes() == content.replace(
            "one".encode(wide), "1".encode(wide), 1
        )
        assert not workspace.call(
            "revert_edit", {"change_id": changed.change_id}
        ).is_error
        assert (root / name).read_bytes() == content


def test_what_is_read_only_and_what_is_in_use(
    workspace: Workspace, root: Path
) -> None:
    hold = (
        "import ctypes, sys\n"
        "ctypes.windll.kernel32.CreateFileW.restype = ctypes.c_void_p\n"
        "h = ctypes.windll.kernel32.CreateFileW(sys.argv[1], 0x80000000, 0, None, 3, 0, None)\n"
        "print(h, flush=True); sys.stdin.read()"
    )
    path = root / "src" / "a.py"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdout
        assert child.stdin
        child.stdout.readline()
        assert (
            workspace.call("read_content", {"path": "src/a.py"}).error.code
            == "in_use"
        )
        child.stdin.close()
        child.wait()
    path.chmod(0o444)
    answer = workspace.call(
        "edit_content",
        {"path": "src/a.py", "edits": [{"search": "1", "replace": "2"}]},
    )
    assert answer.is_error
    assert answer.error.code == "permission_denied"
    path.chmod(0o666)
    assert path.read_bytes() == b"def f():\r\n    return 1\r\n"


def rights(path: Path) -> list[Any]:
    """Its access control list, as another program reads it."""
    security = pytest.importorskip("win32security")
    found = security.GetFileSecurity(
        str(path), security.DACL_SECURITY_INFORMATION
    ).GetSecurityDescriptorDacl()
    entries = (found.GetAce(index) for index in range(found.GetAceCount()))
    return [
        (*entry[:-1], security.ConvertSidToStringSid(entry[-1]))
        for entry in entries
    ]


def keep_to_us(path: Path) -> list[Any]:
    """Let nobody but the owner at it; its access control list from then on."""
    security = pytest.importorskip("win32security")
    wanted = (
        security.DACL_SECURITY_INFORMATION | security.OWNER_SECURITY_INFORMATION
    )
    descriptor = security.GetFileSecurity(str(path), wanted)
    ours = security.ACL()
    ours.AddAccessAllowedAce(
        security.ACL_REVISION, 0x1F01FF, descriptor.GetSecurityDescriptorOwner()
    )
    descriptor.SetSecurityDescriptorDacl(1, ours, 0)
    security.SetFileSecurity(
        str(path), security.DACL_SECURITY_INFORMATION, descriptor
    )
    return rights(path)


def test_who_may_read_a_file_may_read_it_after_a_change_and_nobody_else(
    workspace: Workspace, root: Path
) -> None:
    file, folder = root / "src" / "a.py", root / "src"
    usual = rights(file), rights(folder)
    ours = keep_to_us(file), keep_to_us(folder)
    assert ours[0] != usual[0]
    assert ours[1] != usual[1]
    (root / "src" / "usual.py").write_bytes(b"x")
    for tool, arguments in (
        (
            "edit_content",
            {"path": "src/a.py", "edits": [{"search": "1", "replace": "2"}]},
        ),
        (
            "write_content",
            {
                "items": [
                    {"path": "src/a.py", "content": "x", "mode": "overwrite"}
                ]
            },
        ),
        (
            "move_items",
            {"items": [{"source": "src", "destination": "copy"}], "copy": True},
        ),
        (
            "move_items",
            {"items": [{"source": "src/a.py", "destination": "b.py"}]},
        ),
        ("delete_items", {"paths": ["src/a.py"]}),
        ("delete_items", {"paths": ["src"], "recursive": True}),
    ):
        changed = workspace.call(tool, arguments)
        assert not changed.is_error, changed.error
        for path in (file, root / "copy" / "a.py", root / "b.py"):
            assert not path.exists() or rights(path) == ours[0], tool
        for path in (folder, root / "copy"):
            assert not path.exists() or rights(path) == ours[1], tool
        undone = workspace.call("revert_edit", {"change_id": changed.change_id})
        assert not undone.is_error, undone.error
        assert (rights(file), rights(folder)) == ours, tool
        assert rights(root / "src" / "usual.py") == usual[0]


def test_an_outline_comes_from_a_process_of_its_own(
    workspace: Workspace,
) -> None:
    answer = workspace.call("get_overview", {"path": "src/a.py"})
    assert [symbol.name for symbol in answer.outline] == ["f"]


def test_the_server_answers_over_standard_input(root: Path) -> None:
    messages = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "0"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {
                "name": "read_content",
                "arguments": {"path": r"src\a.py"},
            },
        },
        {
            "jsonrpc": "2.0",
            "id": 3,
            "method": "tools/call",
            "params": {
                "name": "read_content",
                "arguments": {"path": "nul.txt"},
            },
        },
    ]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "filewright",
            "serve",
            str(root),
            "--state-dir",
            str(root.parent / "state"),
        ],
        input=b"".join(
            json.dumps(message).encode() + b"\n" for message in messages
        ),
        capture_output=True,
        timeout=120,
        check=False,
    )
    answers = {
        line["id"]: line
        for line in map(json.loads, done.stdout.splitlines())
        if "id" in line
    }
    assert done.returncode == 0, done.stderr
    assert b"\r" not in done.stdout
    assert "return 1" in answers[2]["result"]["content"][0]["text"]
    assert answers[3]["result"]["isError"]


def test_the_command_line_speaks_utf_8_and_no_other_line_end(
    root: Path,
) -> None:
    (root / "Ä.txt").write_bytes("Grüße\r\n".encode())
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "filewright",
            "call",
            "read_content",
            json.dumps({"path": "Ä.txt"}),
            "--root",
            str(root),
        ],
        capture_output=True,
        env={**os.environ, "PYTHONUTF8": "0"},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Grüße" in done.stdout.decode()
    assert b"\r" not in done.stdout
