"""Taking back on the page: previews, undos, conflicts, and news of them for agents."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.page.conftest import Served, expect, numbered, said
from tests.server.conftest import RawClient

from filewright import Workspace
from filewright.progress import Caller, Task

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]


def agent(workspace: Workspace, session: str = "s1") -> Any:
    """The tools as an agent of a session calls them."""
    return workspace.under(Task(caller=Caller(session, "agent 1.0")))


def replace(tools: Any, path: str, old: str, new: str) -> str:
    found = tools.edit(
        path, [{"search": f"{old}\n", "replace": f"{new}\n"}]
    ).change_id
    assert isinstance(found, str)
    return found


@pytest.fixture
def tree(folder: Path) -> Path:
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(numbered(40))
    return folder


def do(page: Page) -> None:
    dialog = page.get_by_role("dialog")
    dialog.locator("[data-do]").click()
    expect(dialog).to_be_hidden()


def test_undoes_and_redoes_a_change(
    workspace: Workspace, tree: Path, opened: Opened
) -> None:
    replace(agent(workspace), "a.txt", "line 5", "LINE 5")
    page = opened()
    page.keyboard.press("u")
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("td.code.new")).to_have_text("+line 5")
    assert "LINE 5" in (tree / "a.txt").read_text(), "nothing was done yet"
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    assert "LINE 5" in (tree / "a.txt").read_text()
    page.get_by_role("button", name="Undo", exact=True).click()
    do(page)
    assert (tree / "a.txt").read_text() == numbered(40)
    expect(page.locator("#rows .row")).to_have_count(2, timeout=20_000)
    expect(page.locator(".about")).to_contain_text("undone by")
    page.get_by_role("button", name="Redo").click()
    do(page)
    assert "LINE 5" in (tree / "a.txt").read_text()
    assert {record.client for record in workspace.history(limit=2)} == {
        "filewright review"
    }


def test_undoes_a_file(
    workspace: Workspace, tree: Path, opened: Opened
) -> None:
    patch = "".join(
        f"--- a/{name}\n+++ b/{name}\n@@ -1,2 +1,2 @@\n-line 1\n+LINE 1\n line 2\n"
        for name in ("a.txt", "b.txt")
    )
    agent(workspace).apply_patch(patch)
    page = opened()
    page.locator("article", has_text="b.txt").get_by_role(
        "button", name="Undo file"
    ).click()
    do(page)
    assert "LINE 1" in (tree / "a.txt").read_text()
    assert (tree / "b.txt").read_text() == numbered(40)


def test_undoes_a_hunk(
    workspace: Workspace, tree: Path, opened: Opened
) -> None:
    edits = [
        {"search": f"line {at}\n", "replace": f"LINE {at}\n"}
        for at in (5, 20, 35)
    ]
    agent(workspace).edit("a.txt", edits)
    page = opened()
    page.get_by_role("button", name="Undo hunk 2").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("td.code.new")).to_have_text("+line 20")
    do(page)
    now = (tree / "a.txt").read_text()
    assert "LINE 5" in now
    assert "LINE 35" in now
    assert "line 20" in now


def test_undoes_a_session(
    workspace: Workspace, tree: Path, opened: Opened
) -> None:
    replace(agent(workspace), "a.txt", "line 5", "LINE 5")
    replace(agent(workspace, "s2"), "a.txt", "line 30", "another's")
    replace(agent(workspace), "a.txt", "LINE 5", "LINE five")
    replace(agent(workspace), "b.txt", "line 1", "LINE 1")
    page = opened()
    page.get_by_role("link", name="whole session").first.click()
    expect(page.locator("h1")).to_contain_text("Everything in the session s1")
    expect(page.locator("article.file")).to_have_count(2)
    expect(page.locator(".about")).to_contain_text("3 changes as one")
    page.get_by_role("button", name="Undo the session").click()
    do(page)
    assert (tree / "a.txt").read_text() == numbered(40).replace(
        "line 30\n", "another's\n"
    )
    assert (tree / "b.txt").read_text() == numbered(40)


def test_goes_back_to_a_change(
    workspace: Workspace, tree: Path, opened: Opened
) -> None:
    replace(agent(workspace), "a.txt", "line 5", "LINE 5")
    replace(agent(workspace), "b.txt", "line 1", "LINE 1")
    replace(agent(workspace, "s2"), "b.txt", "line 2", "LINE 2")
    page = opened()
    page.locator("#rows .row").last.click()
    expect(page.locator("#view h2")).to_have_text("a.txt")
    page.get_by_role("button", name="Go back to this point").click()
    do(page)
    assert "LINE 5" in (tree / "a.txt").read_text()
    assert (tree / "b.txt").read_text() == numbered(40)


def test_restores_a_file(
    workspace: Workspace, tree: Path, opened: Opened
) -> None:
    replace(agent(workspace), "a.txt", "line 5", "LINE 5")
    replace(agent(workspace), "a.txt", "line 6", "LINE 6")
    page = opened()
    page.locator("#rows .row").last.click()
    expect(page.locator("td.code.new")).to_have_text("+LINE 5")
    page.get_by_role("button", name="Set file to this version").click()
    do(page)
    assert (tree / "a.txt").read_text() == numbered(40).replace(
        "line 5\n", "LINE 5\n"
    )


def test_conflict(workspace: Workspace, tree: Path, opened: Opened) -> None:
    replace(agent(workspace), "a.txt", "line 5", "LINE 5")
    theirs = (tree / "a.txt").read_text().replace("LINE 5", "<b>mine</b>")
    (tree / "a.txt").write_text(theirs)
    page = opened()
    page.keyboard.press("u")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Nothing was changed")
    expect(dialog.locator("figure pre")).to_have_text(["<b>mine</b>", "line 5"])
    assert (tree / "a.txt").read_text() == theirs
    dialog.get_by_role("button", name="Preview overwriting").click()
    expect(dialog.locator("td.code.old")).to_have_text("-<b>mine</b>")
    assert (tree / "a.txt").read_text() == theirs
    do(page)
    assert (tree / "a.txt").read_text() == numbered(40)


def test_shows_the_preview_again_after_a_change(
    workspace: Workspace, tree: Path, opened: Opened
) -> None:
    replace(agent(workspace), "a.txt", "line 5", "LINE 5")
    page = opened()
    page.keyboard.press("u")
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("td.code.new")).to_have_text("+line 5")
    theirs = (tree / "a.txt").read_text().replace("LINE 5", "mine")
    (tree / "a.txt").write_text(theirs)
    dialog.locator("[data-do]").click()
    expect(dialog).to_contain_text("Nothing was changed")
    assert (tree / "a.txt").read_text() == theirs


def test_read_only_page(
    workspace: Workspace,
    tree: Path,
    serve: Callable[..., Served],
    opened: Opened,
) -> None:
    change = replace(agent(workspace), "a.txt", "line 5", "LINE 5")
    page = opened(serve("--read-only"))
    expect(page.locator("td.code.new")).to_have_text("+LINE 5")
    expect(page.locator("[data-act]")).to_have_count(0)
    refused = page.evaluate(
        """async (name) => (await fetch('/act', {method: 'POST', body: JSON.stringify({kind: 'change', name, preview: false}),
        headers: {'x-filewright-key': key}})).status""",
        change,
    )
    assert refused == 403
    assert "LINE 5" in (tree / "a.txt").read_text()


def test_needs_the_key(
    workspace: Workspace, tree: Path, serve: Callable[..., Served]
) -> None:
    change = replace(agent(workspace), "a.txt", "line 5", "LINE 5")
    body = json.dumps({"kind": "change", "name": change, "preview": False})
    with serve().client() as client:
        for headers in (
            {"x-filewright-key": ""},
            {"x-filewright-key": "0" * 64},
            {
                "x-filewright-key": "",
                "cookie": f"filewright={client.headers['x-filewright-key']}",
            },
            {"origin": "https://evil.example"},
            {"origin": "http://127.0.0.1:1"},
            {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site"},
        ):
            assert (
                client.post("/act", content=body, headers=headers).status_code
                == 403
            )
        assert client.get("/act").status_code == 405
        assert "LINE 5" in (tree / "a.txt").read_text()
        assert client.post("/act", content=body).status_code == 200
        assert (tree / "a.txt").read_text() == numbered(40)


def test_refuses_bad_requests(
    workspace: Workspace, tree: Path, serve: Callable[..., Served]
) -> None:
    change = replace(agent(workspace), "a.txt", "line 5", "LINE 5")
    deep = b"[" * 30_000 + b"]" * 30_000
    with serve().client() as client:
        for bad, status in (
            (b"{", 400),
            (b"[]", 400),
            (b"{}", 400),
            (deep, 400),
            (b'{"kind": "change", "name": ' + deep[:50_000] + b"}", 400),
            (b'{"kind": "change", "name": "\\ud800"}', 400),
            (b'{"kind": "change", "name": "x", "path": "\\udc80"}', 400),
            (b'{"kind": "change", "name": "\xff"}', 400),
            (
                b'{"kind": "change", "name": "x", "path": "a", "hunk": 1'
                + b"0" * 20
                + b"}",
                400,
            ),
            (
                b'{"kind": "change", "name": "x", "path": "a", "hunk": 1'
                + b"0" * 5_000
                + b"}",
                400,
            ),
            (json.dumps({"kind": "change", "name": 5}).encode(), 400),
            (
                json.dumps(
                    {"kind": "change", "name": change, "hunk": 1}
                ).encode(),
                400,
            ),
            (
                json.dumps(
                    {
                        "kind": "change",
                        "name": change,
                        "path": "a.txt",
                        "hunk": 9,
                    }
                ).encode(),
                404,
            ),
            (
                json.dumps(
                    {"kind": "change", "name": "0000000000000"}
                ).encode(),
                404,
            ),
            (json.dumps({"kind": "session", "name": "none"}).encode(), 404),
            (
                json.dumps(
                    {"kind": "change", "name": change, "path": "../x"}
                ).encode(),
                422,
            ),
            (
                json.dumps(
                    {"kind": "change", "name": change, "path": "a\0"}
                ).encode(),
                400,
            ),
            (b" " * 70_000, 400),
        ):
            answer = client.post("/act", content=bad)
            assert answer.status_code == status, (bad[:80], answer.text)
            answer = client.post("/word", content=bad)
            assert answer.status_code == 400, (bad[:80], answer.text)
        for call in ("\ud800", "x", "", "\0" * 9):
            answer = client.post(
                "/word", content=json.dumps({"call": call, "allow": True})
            )
            assert answer.status_code in (400, 404), (call, answer.text)
        for number in (
            "1" + "0" * 20,
            "1" + "0" * 5_000,
            "-1",
            "1.5",
            "x",
            "",
            "٣",
            "-" + "9" * 12,
        ):
            for part in (
                f"files&start={number}",
                f"file&index={number}",
                f"image&index={number}",
            ):
                answer = client.get(f"/change/{change}?part={part}")
                assert answer.status_code in (400, 404), (
                    part,
                    answer.status_code,
                )
            lines = client.get(
                f"/change/{change}?part=lines&index=0&from={number}&to={number}&shift={number}"
            )
            assert lines.status_code in (400, 404), number
        for name in ("%ff", "%00", "x" * 5_000, "..%2f..%2fetc", "%ed%a0%80"):
            for kind in ("change", "session", "since"):
                answer = client.get(f"/{kind}/{name}?part=view")
                assert answer.status_code in (400, 404), (
                    kind,
                    name,
                    answer.status_code,
                    answer.text,
                )
            assert (
                client.get(
                    f"/list?before={name}&q={name}&chosen={name}"
                ).status_code
                == 200
            )
            assert client.get(f"/waiting/{name}").status_code == 404
        assert "LINE 5" in (tree / "a.txt").read_text()


def test_undo_is_told_to_every_agent(
    folder: Path, agent: Callable[..., RawClient], serve: Callable[..., Served]
) -> None:
    (folder / "a.txt").write_text(
        "".join(f"line {at}\n" for at in range(1, 31))
    )
    one, other = agent(), agent()
    assert "took back" not in said(other.call("list_files"))
    edits = [
        {"search": f"line {at}\n", "replace": f"LINE {at}\n"} for at in (5, 25)
    ]
    change = said(one.call("edit_content", {"path": "a.txt", "edits": edits}))
    assert "took back" not in change
    served = serve()
    with served.client() as page:
        name = (
            page.get("/list")
            .text.partition('data-change="')[2]
            .partition('"')[0]
        )
        done = page.post(
            "/act",
            json={
                "kind": "change",
                "name": name,
                "path": "a.txt",
                "hunk": 2,
                "preview": False,
            },
        )
        assert done.status_code == 200, done.text
    for client in (one, other):
        news = said(
            client.call("read_content", {"path": "a.txt"})
        ).splitlines()[-1]
        assert news.startswith("[the user took back on the review page: ")
        assert "hunk 2 of a.txt" in news
        assert done.json()["change_id"] in news
        assert "took back" not in said(client.call("list_files")), (
            "it is told once"
        )
    assert "took back" not in said(agent().call("list_files")), (
        "it is no news to who comes later"
    )


def test_agents_hear_of_no_agent(
    folder: Path, agent: Callable[..., RawClient]
) -> None:
    (folder / "a.txt").write_text("one\n")
    one, other = agent(), agent()
    other.call("list_files")
    one.call(
        "edit_content",
        {"path": "a.txt", "edits": [{"search": "one", "replace": "two"}]},
    )
    said(one.call("revert_edit", {"path": "a.txt"}))
    assert "took back" not in said(other.call("list_files"))
