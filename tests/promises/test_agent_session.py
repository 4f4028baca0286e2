"""A whole session of an agent on a copy of a real package, through the real server.

Whatever it does, the tree is at every stage byte for byte what the edits mean and nothing else.
"""

import hashlib
import os
import re
import shutil
import sys
from pathlib import Path

import mypy
import pytest
from mcp import Client, StdioServerParameters

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def tree(root: Path) -> dict[str, tuple[str, int, int]]:
    """Digest, mode and mtime of every file below `root`."""
    return {
        os.path.relpath(path, root): seen(path)
        for folder, _, names in os.walk(root)
        for path in (os.path.join(folder, name) for name in names)
    }


def seen(path: str | Path) -> tuple[str, int, int]:
    status = os.stat(path)
    with open(path, "rb") as file:
        return (
            hashlib.sha256(file.read()).hexdigest(),
            status.st_mode,
            status.st_mtime_ns,
        )


def crlf(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


def every_other_crlf(data: bytes) -> bytes:
    lines = data.split(b"\n")
    return b"".join(
        line + ((b"\r\n" if i % 2 else b"\n") if i < len(lines) - 1 else b"")
        for i, line in enumerate(lines)
    )


# what a file is made into, the old text, the new text, how the new text stands in the file
EDITS = [
    ("build.py", lambda d: d, b"def build(", b"def construct("),
    ("checker.py", crlf, b"class TypeChecker(", b"class Checker("),
    (
        "checkexpr.py",
        lambda d: b"\xef\xbb\xbf" + d,
        b"class ExpressionChecker(",
        b"class Expressions(",
    ),
    ("nodes.py", every_other_crlf, b"class MypyFile(", b"class SourceFile("),
    (
        "types.py",
        lambda d: d + b"# stray \xff\xfe bytes\n",
        b"class UnboundType(",
        b"class FreeType(",
    ),
    (
        "main.py",
        lambda d: d.rstrip(b"\n"),
        b"def process_options(",
        b"def options_of(",
    ),
    (
        "errors.py",
        lambda d: d.replace(b"\n", b"\r"),
        b"class ErrorInfo",
        b"class Info",
    ),
    (
        "fixup.py",
        lambda d: d + "# café, prêt à côté\n".encode("latin-1"),
        b"class NodeFixer(",
        b"class Fixer(",
    ),
    (
        "util.py",
        lambda d: d + b"# form feed \x0c and \xe2\x80\xa8 inside\n",
        b"def split_module_names(",
        b"def parts(",
    ),
    (
        "meet.py",
        lambda d: d.replace(b"\n", b"\n\n", 40),
        b"def trivial_meet(",
        b"def small_meet(",
    ),
]


@pytest.fixture
def package(tmp_path) -> Path:
    source = Path(mypy.__file__).parent
    if not (source / "build.py").exists():
        pytest.fail("the installed package has no sources")
    root = tmp_path / "package"
    shutil.copytree(
        source, root, ignore=shutil.ignore_patterns("__pycache__", "*.so")
    )
    for name, change, old, _ in EDITS:
        path = root / name
        data = change(path.read_bytes())
        assert data.count(old) == 1, name
        path.write_bytes(data)
    return root


class Agent:
    """The client, and the two things every call is asked for."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, **arguments) -> str:
        result = await self.client.call_tool(tool, arguments)
        text = "\n".join(
            part.text for part in result.content if part.type == "text"
        )
        assert not result.is_error, text
        return text

    async def refused(self, tool: str, **arguments) -> str:
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error
        return result.content[0].text


@pytest.mark.extra
@pytest.mark.parametrize(
    "mode", ["auto", pytest.param("legacy", marks=pytest.mark.sweep)]
)
async def test_no_other_byte_changes(package, tmp_path, mode):
    assert sum(1 for _ in package.rglob("*")) > 1000
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "filewright", "serve", str(package)],
        env={**os.environ, "FILEWRIGHT_STATE_DIR": str(tmp_path / "state")},
    )
    start = tree(package)
    known = dict(start)
    async with Client(server, mode=mode) as client:
        agent = Agent(client)
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert len(names) == 12

        listed = await agent("list_files", glob="*.py", limit=10_000)
        assert all(name in listed for name, *_ in EDITS)

        changes: dict[str, str] = {}
        expected = {name: (package / name).read_bytes() for name, *_ in EDITS}
        for name, _, old, new in EDITS:
            text = old.decode()
            hit = await agent(
                "search_content", pattern=text, glob="*.py", case="sensitive"
            )
            assert name in hit
            around = await agent(
                "read_content", path=name, pattern=text, limit=7
            )
            assert text in around
            version = re.search(r"version (\S+?)[;\]]", around)[1]
            edit = {
                "path": name,
                "edits": [{"search": text, "replace": new.decode()}],
            }

            preview = await agent("edit_content", **edit, preview=True)
            assert "preview" in preview
            assert "+" + new.decode() in preview.replace("+    ", "+")
            assert tree(package) == known, (
                "the preview, or the edit before, changed another file"
            )

            done = await agent("edit_content", **edit, expected_version=version)
            changes[name] = re.search(r"change (\S+)", done)[1]
            expected[name] = expected[name].replace(old, new)
            assert (package / name).read_bytes() == expected[name], name
            known[name] = seen(package / name)

            stale = await agent.refused(
                "edit_content", **edit, expected_version=version
            )
            assert stale.startswith("stale_version")

        after = tree(package)
        assert {p for p in after if after[p] != start[p]} == {
            name for name, *_ in EDITS
        }
        assert [after[p][1] for p in start] == [start[p][1] for p in start]

        created = await agent(
            "write_content",
            items=[{"path": "new/deep/file.txt", "content": "one\r\ntwo\n"}],
        )
        assert (package / "new/deep/file.txt").read_bytes() == b"one\ntwo\n"
        await agent(
            "revert_edit", change_id=re.search(r"change (\S+?);", created)[1]
        )
        assert not (package / "new").exists()

        log = await agent("get_history", limit=50)
        assert all(change in log for change in changes.values())
        undone = [name for name, *_ in EDITS][::2]
        for name in undone:
            await agent("revert_edit", change_id=changes[name])

    final = tree(package)
    for path, (digest, permissions, _) in final.items():
        if path in expected and path not in undone:
            assert digest == hashlib.sha256(expected[path]).hexdigest()
        else:
            assert (digest, permissions) == start[path][:2], path
    assert final.keys() == start.keys()
