"""An agent is told in its next answer what the person took back on the page, once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.page.conftest import Served, said
from tests.server.conftest import RawClient


def test_what_was_taken_back_is_told_once_to_every_agent_at_work(
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


def test_what_agents_do_themselves_is_no_news(
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
