"""The real server over real files: resources, completion, confinement, and clients that share a workspace."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    ElicitRequestParams,
    ElicitResult,
    ResourceLink,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)
from tests import processes

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    (folder / "sub" / "b.txt").write_text("three\n")
    return folder


@asynccontextmanager
async def connected(
    root: Path, *arguments: str, mode: str = "auto", **options: Any
) -> AsyncIterator[Client]:
    server = processes.for_client(
        [*processes.FILEWRIGHT, "serve", str(root), *arguments],
        {"FILEWRIGHT_STATE_DIR": str(root.parent / "state")},
    )
    async with Client(server, mode=mode, **options) as client:
        yield client


def text_of(result: Any) -> str:
    return "".join(
        part.text for part in result.content if isinstance(part, TextContent)
    )


async def read(client: Client, uri: str) -> str:
    [contents] = (await client.read_resource(uri)).contents
    assert isinstance(contents, TextResourceContents)
    return contents.text


CONTENTS = {
    "crlf": b"a\r\nb\r\n",
    "mark": b"\xef\xbb\xbfmark\n",
    "bad-byte": b"bad \xff byte\r\n",
    "cp1252": b"caf\xe9\r\n",
    "utf-16": b"\xff\xfea\x00\r\x00\n\x00",
    "empty": b"",
}


async def test_a_file_as_a_resource_is_its_bytes(root: Path) -> None:
    for name, content in CONTENTS.items():
        (root / name).write_bytes(content)
    read_contents: dict[str, bytes] = {}
    async with connected(root, mode="auto") as client:
        for name in CONTENTS:
            answer = await client.read_resource(f"filewright://file/{name}")
            [contents] = answer.contents
            if isinstance(contents, TextResourceContents):
                read_contents[name] = contents.text.encode()
            else:
                read_contents[name] = base64.b64decode(contents.blob)
    assert read_contents == CONTENTS


PATCH = "--- a/one.txt\n+++ b/one.txt\n@@ -1 +1 @@\n-x\n+y\n--- /dev/null\n+++ b/two.txt\n@@ -0,0 +1 @@\n+z\n"
ENVELOPE = "*** Begin Patch\n*** Update File: one.txt\n*** Move to: two.txt\n@@\n-x\n+y\n*** End Patch\n"


@pytest.mark.parametrize(
    ("patch", "files"),
    [(PATCH, "one.txt, two.txt"), (ENVELOPE, "one.txt \u2192 two.txt")],
)
async def test_the_question_before_a_patch_names_its_files(
    root: Path, patch: str, files: str
) -> None:
    asked: list[str] = []
    (root / "one.txt").write_text("x\n")

    async def ask(context: Any, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="decline")

    async with connected(
        root, "--confirm", "always", mode="auto", elicitation_callback=ask
    ) as client:
        refused = await client.call_tool("apply_patch", {"patch": patch})
        assert text_of(refused).startswith("cancelled")
    assert [question.partition("\n")[0] for question in asked] == [
        f"Allow apply_patch on {files}?"
    ]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_files_and_changes_are_resources(root: Path, mode: str) -> None:
    async with connected(root, mode=mode) as client:
        assert await read(client, "filewright://file/sub/b.txt") == "three\n"
        await client.call_tool(
            "edit_content",
            {"path": "a.txt", "edits": [{"search": "one", "replace": "1"}]},
        )
        [_app, change] = (await client.list_resources()).resources
        shown = await read(client, change.uri)
        assert "-one" in shown
        assert "+1" in shown
        for wrong in (
            "filewright://file/absent",
            "filewright://file/../outside",
            "http://x",
            "filewright://x/y",
        ):
            with pytest.raises(MCPError):
                await client.read_resource(wrong)


async def test_a_diff_that_was_cut_is_linked_whole(root: Path) -> None:
    (root / "long.txt").write_text(
        "".join(f"old {number}\n" for number in range(5000))
    )
    async with connected(root) as client:
        result = await client.call_tool(
            "replace_content",
            {
                "pattern": "old",
                "replacement": "new",
                "path": "long.txt",
                "preview": False,
            },
        )
        assert not result.is_error, text_of(result)
        # The way that every client has is enough beside the counts.
        assert "get_history with this change_id" in text_of(result)
        assert [part.type for part in result.content] == ["text"]
        result = await client.call_tool("get_history", {"change_id": "@"})
        [link] = [
            part for part in result.content if isinstance(part, ResourceLink)
        ]
        whole = await read(client, link.uri)
        assert "-old 0\n" in whole
        assert "+new 4999" in whole
        short = await client.call_tool(
            "edit_content",
            {"path": "a.txt", "edits": [{"search": "one", "replace": "1"}]},
        )
        assert [part.type for part in short.content] == ["text"]
        (root / "page.txt").write_text(
            "".join(f"old {number}\n" for number in range(50))
        )
        page = await client.call_tool(
            "replace_content",
            {
                "pattern": "old",
                "replacement": "new",
                "path": "page.txt",
                "preview": False,
            },
        )
        assert "get_history with this change_id" in text_of(page)
        assert [part.type for part in page.content] == ["text"]


async def test_paths_are_completed(root: Path) -> None:
    template = ResourceTemplateReference(uri="filewright://file/{+path}")
    async with connected(root) as client:

        async def completed(begun: str) -> list[str]:
            found = await client.complete(
                template, {"name": "path", "value": begun}
            )
            return found.completion.values

        assert await completed("") == ["a.txt", "sub/"]
        assert await completed("su") == ["sub/"]
        assert await completed("sub/") == ["sub/b.txt"]
        assert await completed("absent/x") == []
        assert await completed("../") == []


ITEMS = 20


def open_items(root: Path) -> Path:
    target = root / "list.txt"
    target.write_text(
        "".join(f"item {number}: open\n" for number in range(ITEMS))
    )
    return target


async def close_items(client: Client, numbers: range) -> None:
    for number in numbers:
        edit = {
            "search": f"item {number}: open",
            "replace": f"item {number}: done",
        }
        result = await client.call_tool(
            "edit_content", {"path": "list.txt", "edits": [edit]}
        )
        assert not result.is_error, text_of(result)


def all_done(target: Path) -> bool:
    return target.read_text() == "".join(
        f"item {number}: done\n" for number in range(ITEMS)
    )


async def test_servers_that_share_a_workspace_lose_no_edit(root: Path) -> None:
    target = open_items(root)
    async with (
        connected(root, mode="legacy") as first,
        connected(root) as second,
        anyio.create_task_group() as group,
    ):
        for client, start in (
            (first, 0),
            (first, 5),
            (second, 10),
            (second, 15),
        ):
            group.start_soon(
                close_items, client, range(start, start + ITEMS // 4)
            )
    assert all_done(target)


@pytest.mark.extra
async def test_clients_of_one_http_server_lose_no_edit(root: Path) -> None:
    target = open_items(root)
    command = [
        sys.executable,
        "-m",
        "filewright",
        "serve",
        str(root),
        "--http",
        "127.0.0.1:0",
    ]
    environment = {
        **os.environ,
        "FILEWRIGHT_STATE_DIR": str(root.parent / "state"),
    }

    async def one(url: str, mode: str, start: int) -> None:
        async with Client(url, mode=mode) as client:
            await close_items(client, range(start, start + ITEMS // 4))

    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=environment
    ) as server:
        assert server.stderr is not None
        try:
            url = next(
                found.group(1)
                for line in server.stderr
                if (found := re.search(r"on (http://\S+)", line))
            )
            async with anyio.create_task_group() as group:
                for index, mode in enumerate(
                    ("legacy", "auto", "legacy", "auto")
                ):
                    group.start_soon(one, url, mode, index * ITEMS // 4)
        finally:
            server.terminate()
            server.communicate()
    assert server.returncode == 0
    assert all_done(target)


async def test_a_long_search_is_cancelled_and_delays_nobody(root: Path) -> None:
    (root / "big.log").write_bytes(
        b"abcdefghij klmnop 0123456789\n" * 2_000_000
    )
    async with connected(root) as client, anyio.create_task_group() as group:
        searching = anyio.Event()

        async def search() -> None:
            searching.set()
            await client.call_tool(
                "search_content",
                {"pattern": "zbcdefghijjklmnopp01234567", "mode": "fuzzy"},
            )

        group.start_soon(search)
        await searching.wait()
        with anyio.fail_after(20):
            listed = await client.call_tool("list_files", {})
        assert "big.log" in text_of(listed)
        group.cancel_scope.cancel()


async def test_the_process_itself_cannot_write_outside(
    root: Path, tmp_path: Path
) -> None:
    from filewright.system import landlock

    outside = tmp_path / "outside.txt"
    program = (
        "import sys\n"
        "from filewright.server.confinement import confine\n"
        "from filewright.workspace import Workspace\n"
        "workspace = Workspace(sys.argv[1])\n"
        "print(confine(workspace, network=False))\n"
        "for place in sys.argv[2:]:\n"
        "    try:\n"
        "        open(place, 'w').close()\n"
        "        print('written')\n"
        "    except PermissionError:\n"
        "        print('refused')\n"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            program,
            str(root),
            str(root / "new.txt"),
            str(outside),
        ],
        env={**os.environ, "FILEWRIGHT_STATE_DIR": str(tmp_path / "state")},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    said, inside, elsewhere = done.stdout.splitlines()
    assert inside == "written"
    assert elsewhere == (
        "refused" if landlock.available_version() else "written"
    )
    assert re.search(
        "confined by Landlock"
        if landlock.available_version()
        else "not confined",
        said,
    )
