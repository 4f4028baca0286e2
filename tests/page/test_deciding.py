"""Decisions: hunks, files and prompts are accepted, and the rest is undone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from tests.page.conftest import Served, expect

from filewright import Workspace
from filewright.mailbox.prompts import PromptTexts
from filewright.progress import Caller, Task

if TYPE_CHECKING:
    from playwright.sync_api import Page

LINES = "".join(f"line {number}\n" for number in range(1, 81))


def agent(workspace: Workspace, session: str, client: str, turn: str) -> Any:
    """Return the tools as an agent of a session calls them."""
    return workspace.under(Task(caller=Caller(session, client, turn)))


def edit(tools: Any, path: str, *numbers: int) -> str:
    """Replace some lines of a file by the same in capitals."""
    result = tools.edit(
        path,
        [
            {"search": f"line {number}\n", "replace": f"LINE {number}\n"}
            for number in numbers
        ],
    )
    assert isinstance(result.change_id, str)
    return result.change_id


@pytest.fixture
def story(workspace: Workspace, folder: Path) -> dict[str, str]:
    """Two prompts of two clients; return the id of each change by its file."""
    for name in ("a.txt", "b.txt", "gone.txt"):
        (folder / name).write_text(LINES)
    texts = PromptTexts(workspace)
    texts.add("c1", "t1", "Write it in capitals\nbut not all")
    texts.add("x1", "u1", "Clean up")
    claude = agent(workspace, "c1", "claude-code 2.1", "t1")
    codex = agent(workspace, "x1", "codex-mcp-client 0.1", "u1")
    return {
        "a.txt": edit(claude, "a.txt", 5, 25, 45, 65),
        "b.txt": edit(claude, "b.txt", 9),
        "gone.txt": codex.delete("gone.txt").change_id,
        "new.txt": codex.write("new.txt", "new\n").change_id,
    }


@pytest.fixture
def client(
    story: dict[str, str], serve: Callable[..., Served]
) -> Iterator[httpx2.Client]:
    with serve().client() as opened:
        yield opened


def view_address(client: httpx2.Client) -> str:
    """Return the address of the view that the page opens with."""
    html = client.get("/?part=view").text
    (address,) = re.findall(r'<section [^>]*data-address="([^"]*)"', html)
    return str(address)


def progress(client: httpx2.Client, address: str) -> str:
    """Return the bar's words about a view."""
    html = client.get(f"{address}?part=bar").text
    return re.sub(r"<[^>]*>", "", html).strip().partition("\n")[0]


def hunk_keys(client: httpx2.Client, address: str, path: str) -> list[str]:
    """Return the keys of the hunks of a file in a view."""
    html = client.get(f"{address}?part=view").text
    article = html.partition(f'data-path="{path}"')[2].partition("</article>")[
        0
    ]
    return re.findall(r'<tbody class="hunk[^>]*data-mark="([^"]*)"', article)


def file_key(client: httpx2.Client, address: str, path: str) -> str:
    html = client.get(f"{address}?part=view").text
    keys = re.findall(f'data-mark="([^"]*)" data-path="{path}"', html)
    return str(keys[0])


def request(address: str, **fields: Any) -> dict[str, Any]:
    """Return the body of a request about a view."""
    kind, name = address.strip("/").replace("%5E", "^").split("/")
    return {"kind": kind, "name": name, **fields}


def decide(client: httpx2.Client, address: str, **fields: Any) -> int:
    """Decide about content of a view; return the status of the answer."""
    body = request(address, **{"accept": True, **fields})
    return client.post("/decide", json=body).status_code


def test_opens_the_landing_view(client: httpx2.Client) -> None:
    html = client.get("/?part=view").text

    assert "4 files by 2 agents since " in html
    headings = re.findall(r'<header class="group">\s*<h2><a[^>]*>([^<]*)', html)
    assert headings == ["Clean up", "Write it in capitals …"]
    names = re.findall(r'<span class="base">([^<]*)', html)
    assert names == ["gone.txt", "new.txt", "a.txt", "b.txt"]
    assert progress(client, view_address(client)) == "7 of 7 hunks open"


def test_undoes_the_rest_as_one_change(
    client: httpx2.Client, workspace: Workspace, folder: Path
) -> None:
    address = view_address(client)
    first, _, third, _ = hunk_keys(client, address, "a.txt")
    assert decide(client, address, path="a.txt", hunks=[first, third]) == 200
    assert (
        decide(client, address, files=[file_key(client, address, "new.txt")])
        == 200
    )
    assert progress(client, address) == "4 of 7 hunks open"
    # Another program saves a line that no hunk is about.
    text = (folder / "a.txt").read_text()
    (folder / "a.txt").write_text(text.replace("line 80", "mine"))
    before = {path.name: path.read_text() for path in folder.iterdir()}

    preview = client.post("/act", json=request(address, rest=True)).text
    assert "1 file brought back, 2 files edited" in preview
    assert "Undo 3 files" in preview
    answer = client.post(
        "/act", json=request(address, rest=True, preview=False)
    ).json()
    assert answer["said"] == "Undid 3 files."

    capitals = LINES.replace("line 5\n", "LINE 5\n").replace(
        "line 45\n", "LINE 45\n"
    )
    assert (folder / "a.txt").read_text() == capitals.replace("line 80", "mine")
    assert (folder / "b.txt").read_text() == LINES
    assert (folder / "gone.txt").read_text() == LINES
    assert (folder / "new.txt").exists()
    assert "Undid 3 files of" in client.get("/list").text
    workspace.redo()
    assert before == {path.name: path.read_text() for path in folder.iterdir()}


def test_decision_lapses(client: httpx2.Client, workspace: Workspace) -> None:
    address = view_address(client)
    keys = hunk_keys(client, address, "a.txt")
    decide(client, address, path="a.txt", hunks=keys)
    assert progress(client, address) == "3 of 7 hunks open"

    claude = agent(workspace, "c1", "claude-code 2.1", "t2")
    claude.edit("a.txt", [{"search": "LINE 25\n", "replace": "LINE five\n"}])

    assert progress(client, address) == "4 of 7 hunks open"
    assert (
        decide(client, address, accept=False, path="a.txt", hunks=keys) == 200
    )
    assert progress(client, address) == "7 of 7 hunks open"


def test_accepts_only_as_the_person_saw_it(
    client: httpx2.Client, workspace: Workspace
) -> None:
    address = view_address(client)
    key = file_key(client, address, "b.txt")
    newest = workspace.newest()
    edit(agent(workspace, "c1", "claude-code 2.1", "t2"), "b.txt", 50)

    assert decide(client, address, files=[key]) == 409
    assert decide(client, address, newest=newest) == 409
    assert progress(client, address) == "8 of 8 hunks open"


def test_shows_the_last_prompt_if_nothing_is_new(
    client: httpx2.Client, workspace: Workspace
) -> None:
    address = view_address(client)
    assert decide(client, address, newest=workspace.newest()) == 200

    html = client.get("/?part=view").text
    assert "Nothing new since" in html
    assert '<h1 id="change-title">Clean up</h1>' in html
    edit(agent(workspace, "c1", "claude-code 2.1", "t2"), "b.txt", 50)
    html = client.get("/?part=view").text
    assert "1 file by claude-code since" in html
    assert "LINE 50" in html
    # What was accepted before is no part of it.
    assert "LINE 25" not in html


def test_hunk_stays_undone(
    client: httpx2.Client, story: dict[str, str], workspace: Workspace
) -> None:
    address = f"/change/{story['a.txt']}"
    answer = client.post(
        "/act", json=request(address, path="a.txt", hunk=2, preview=False)
    ).json()
    assert answer["said"] == "Undid hunk 2 of a.txt."
    assert progress(client, address) == "3 of 4 hunks open"
    assert "Undid a.txt of “Write it in capitals …”" in client.get("/list").text

    workspace.redo()
    assert progress(client, address) == "4 of 4 hunks open"


def test_shows_what_came_before_it_acts(
    client: httpx2.Client, workspace: Workspace, folder: Path
) -> None:
    address = view_address(client)
    seen = workspace.newest()
    edit(agent(workspace, "c1", "claude-code 2.1", "t2"), "b.txt", 50)

    answer = client.post(
        "/act", json=request(address, rest=True, preview=False, newest=seen)
    )

    assert answer.status_code == 409
    assert "Something was changed meanwhile" in answer.text
    assert not (folder / "gone.txt").exists()


def test_keys_accept_and_undo(
    story: dict[str, str], folder: Path, opened: Callable[..., Page]
) -> None:
    page = opened(landing=True)
    bar = page.locator(".bar")
    expect(bar).to_contain_text("7 of 7 hunks open")
    page.keyboard.press("]")
    page.keyboard.press("y")
    expect(bar).to_contain_text("6 of 7 hunks open")
    page.keyboard.press("y")
    expect(bar).to_contain_text("5 of 7 hunks open")
    page.keyboard.press("y")
    file = page.locator('article[data-path="a.txt"]')
    expect(file.locator("tbody.hunk.accepted")).to_have_count(1)
    expect(file.locator("tbody.hunk.accepted td.code")).to_have_count(8)
    expect(file.locator("tbody.hunk.accepted td.code").first).to_be_hidden()
    page.keyboard.press("x")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Undo 1 hunk").click()
    expect(page.locator("#said")).to_contain_text("Undid hunk 2 of a.txt.")
    expect(file.locator("tbody.hunk")).to_have_count(3)
    assert "line 25\n" in (folder / "a.txt").read_text()
    page.locator("#said").get_by_role("button", name="Undo this").click()
    dialog.locator("[data-do]").click()
    expect(file.locator("tbody.hunk")).to_have_count(4)
    assert "LINE 25\n" in (folder / "a.txt").read_text()
    page.keyboard.press("Shift+Y")
    expect(page.locator(".nothing-new")).to_be_visible()


def test_the_list_shows_where_the_person_was(
    story: dict[str, str],
    workspace: Workspace,
    serve: Callable[..., Served],
    opened: Callable[..., Page],
) -> None:
    served = serve()
    page = opened(served, landing=True)
    expect(page.locator("#rows .here")).to_have_count(0)
    expect(page.locator("#rows .day")).to_have_text(["Today"])
    expect(page.locator("#rows .prompt .summary")).to_have_text(
        ["Clean up", "Write it in capitals …"]
    )
    edit(agent(workspace, "c2", "claude-code 2.1", "t9"), "b.txt", 70)
    expect(page.locator("#rows .row")).to_have_count(5, timeout=20_000)
    page.goto(f"{served.address}/static/icon.svg")
    edit(agent(workspace, "c2", "claude-code 2.1", "t10"), "b.txt", 72)
    page = opened(served, landing=True)
    here = page.locator("#rows .here")
    expect(here).to_have_text("you were here")
    following = here.evaluate("(here) => here.nextElementSibling.textContent")
    assert "codex" in following or "b.txt" in following
