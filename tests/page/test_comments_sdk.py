"""The way of a comment from the page to the SDK's own client over stdio."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
from anyio import to_thread
from mcp import Client
from mcp_types import TextContent
from tests import processes
from tests.page.conftest import Served

MARK = "[The user commented on the review page: "
EDIT = {
    "path": "a.txt",
    "edits": [{"search": "two\n", "replace": "zwei\ndrei\n"}],
}


def test_the_sdks_client_gets_it_over_stdio(
    folder: Path, tmp_path: Path
) -> None:
    with ThreadPoolExecutor(
        1
    ) as thread:  # this one may have the browser's event loop
        thread.submit(
            anyio.run, _the_sdks_client_gets_it, folder, tmp_path
        ).result()


async def _the_sdks_client_gets_it(folder: Path, tmp_path: Path) -> None:
    (folder / "a.txt").write_text("one\ntwo\n")
    state = tmp_path / "state"
    server = processes.for_client(
        [*processes.FILEWRIGHT, "serve", str(folder), "--state-dir", str(state)]
    )
    async with Client(server) as client:
        await client.call_tool("edit_content", EDIT)
        served = await to_thread.run_sync(Served, folder, state)
        try:
            with served.client() as page:
                name = (
                    page.get("/list")
                    .text.partition('data-change="')[2]
                    .partition('"')[0]
                )
                given = {
                    "kind": "change",
                    "name": name,
                    "index": 0,
                    "before": False,
                    "first": 2,
                    "last": 3,
                }
                done = page.post(
                    "/comment",
                    json={**given, "words": "Not in German, please."},
                )
                assert done.status_code == 200, done.text
                answers = [
                    await client.call_tool("list_files", {}) for _ in range(2)
                ]
                assert (
                    "delivered"
                    in page.get(f"/change/{name}?part=comments").text
                )
        finally:
            await to_thread.run_sync(served.end)
    texts = [
        [part.text for part in each.content if isinstance(part, TextContent)]
        for each in answers
    ]
    assert texts[0][-1].startswith(MARK)
    assert "> zwei\n> drei\nNot in German, please.\n" in texts[0][-1]
    assert len(texts[0]) == 2, "it stands apart from what the tool says"
    assert MARK not in "".join(texts[1])
