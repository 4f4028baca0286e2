"""Calls that wait on the page: what the person sees, and the answers."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.page.conftest import Served, expect, said
from tests.server.conftest import RawClient

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]

EDIT = {"path": "a.txt", "edits": [{"search": "one", "replace": "two"}]}


@pytest.fixture
def asking(
    agent: Callable[..., RawClient], folder: Path
) -> Callable[..., RawClient]:
    (folder / "a.txt").write_text("one\n")
    (folder / "full").mkdir()
    (folder / "full/in.txt").write_text("inside\n")
    return partial(agent, "--confirm", "always")


QUESTIONS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("edit_content", EDIT, ["Allow edit_content on a.txt?", "-one", "+two"]),
    (
        "write_content",
        {"items": [{"path": "b.txt", "content": "new\x1b[31m\n"}]},
        ["Allow write_content on b.txt?", "+new\\x1b[31m"],
    ),
    (
        "write_content",
        {"items": [{"path": "a.txt", "content": "new\n", "mode": "overwrite"}]},
        ["Allow write_content on a.txt?", "-one\n+new"],
    ),
    (
        "delete_items",
        {"paths": ["a.txt"]},
        ["Allow delete_items on a.txt?", "deleted file", "-one"],
    ),
    (
        "delete_items",
        {"paths": ["full"], "recursive": True},
        [
            "Allow delete_items on full/?",
            "deletes full/ (1 file, 7 bytes).",
            "-inside",
        ],
    ),
    (
        "move_items",
        {
            "items": [{"source": "full/in.txt", "destination": "a.txt"}],
            "overwrite": True,
        },
        [
            "Allow move_items on a.txt, full/in.txt → a.txt?",
            "deletes a.txt (4 bytes)",
            "-one",
            "rename to a.txt",
        ],
    ),
    (
        "move_items",
        {
            "items": [{"source": "full/in.txt", "destination": "a.txt"}],
            "overwrite": True,
            "copy": True,
        },
        ["Allow move_items on a.txt?", "-one", "+inside"],
    ),
    (
        "move_items",
        {"items": [{"source": "full", "destination": "other"}], "copy": True},
        ["Allow move_items on full → other?"],
    ),
    (
        "replace_content",
        {
            "pattern": "one",
            "replacement": "1",
            "path": "a.txt",
            "preview": False,
        },
        ["Allow replace_content on a.txt?", "-one\n+1"],
    ),
    ("edit_content", {**EDIT, "path": "none.txt"}, ["none.txt", "not_found"]),
]


def test_question_shows_the_diff(
    asking: Callable[..., RawClient], folder: Path
) -> None:
    client = asking(elicitation={})
    for tool, arguments, shown in QUESTIONS:
        call = client.begin(tool, arguments)
        asked = client.receive()
        assert asked["method"] == "elicitation/create"
        for part in shown:
            assert part in asked["params"]["message"], (tool, arguments)
        client.send(
            {
                "jsonrpc": "2.0",
                "id": asked["id"],
                "result": {"action": "decline"},
            }
        )
        assert said(client.answer(call)).startswith(
            "cancelled: the user did not allow"
        )
        assert (folder / "a.txt").read_text() == "one\n"
        assert sorted(os.listdir(folder)) == ["a.txt", "full"]


def test_allows_a_call(
    asking: Callable[..., RawClient],
    folder: Path,
    serve: Callable[..., Served],
    opened: Opened,
) -> None:
    client, page = asking(), opened()
    first = said(client.call("edit_content", EDIT))
    assert first.startswith(
        "cancelled: edit_content waits for the user's answer"
    )
    assert "filewright review" in first
    waiting = page.get_by_role("button", name="wants to edit a.txt")
    waiting.click(timeout=20_000)
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("td.code.new")).to_have_text("+two")
    dialog.get_by_role("button", name="Later").click()
    assert "waits for" in said(client.call("edit_content", EDIT)), (
        "nothing was said yet"
    )
    waiting.click()
    dialog.get_by_role("button", name="Allow", exact=True).click()
    expect(waiting).to_have_count(0, timeout=20_000)
    other = {"path": "a.txt", "edits": [{"search": "one", "replace": "three"}]}
    assert "waits for" in said(client.call("edit_content", other)), (
        "it was not allowed"
    )
    assert (folder / "a.txt").read_text() == "one\n"
    assert "waits for" in said(asking().call("edit_content", EDIT)), (
        "another agent was not allowed it"
    )
    (folder / "a.txt").write_text("one\n")
    assert "1 edit applied" in said(client.call("edit_content", EDIT))
    assert (folder / "a.txt").read_text() == "two\n"
    (folder / "a.txt").write_text("one\n")
    assert "waits for" in said(client.call("edit_content", EDIT)), (
        "a word counts once"
    )


def test_refuses_a_call(
    asking: Callable[..., RawClient], folder: Path, opened: Opened
) -> None:
    client = asking()
    client.call("delete_items", {"paths": ["a.txt"]})
    page = opened()
    page.get_by_role("button", name="wants to delete a.txt").click()
    page.get_by_role("dialog").get_by_role("button", name="Refuse").click()
    expect(page.locator(".waiting")).to_have_count(0, timeout=20_000)
    assert "did not allow" in said(
        client.call("delete_items", {"paths": ["a.txt"]})
    )
    assert (folder / "a.txt").exists()


def test_runs_no_script_of_a_call(
    asking: Callable[..., RawClient], opened: Opened
) -> None:
    client = asking()
    hostile = "<img src=x onerror=alert(1)>"
    items = [{"path": f"{hostile}.html", "content": f"{hostile}\n"}]
    client.call("write_content", {"items": items})
    page = opened()
    expect(page.locator(".waiting")).to_contain_text(hostile)
    page.locator(".waiting").click()
    expect(page.get_by_role("dialog").locator("td.code.new")).to_contain_text(
        hostile
    )
    expect(page.locator("dialog img, nav img")).to_have_count(0)


def test_answer_counts_for_its_diff(
    asking: Callable[..., RawClient], folder: Path, opened: Opened
) -> None:
    client = asking()
    call = ("delete_items", {"paths": ["full"], "recursive": True})
    client.call(*call)
    page = opened()
    page.locator(".waiting").click(timeout=20_000)
    expect(page.get_by_role("dialog").locator("td.code.old")).to_have_text(
        "-inside"
    )
    (folder / "full/more.txt").write_text("more\n")
    page.get_by_role("dialog").get_by_role(
        "button", name="Allow", exact=True
    ).click()
    expect(page.locator(".waiting")).to_have_count(0, timeout=20_000)
    assert "waits for" in said(client.call(*call)), (
        "something else would be deleted by now"
    )
    assert (folder / "full/in.txt").exists()
    page.locator(".waiting").click(timeout=20_000)
    expect(page.get_by_role("dialog").locator("td.code.old")).to_have_text(
        ["-inside", "-more"]
    )
    page.get_by_role("dialog").get_by_role(
        "button", name="Allow", exact=True
    ).click()
    expect(page.locator(".waiting")).to_have_count(0, timeout=20_000)
    assert "waits for" not in said(client.call(*call))
    assert not (folder / "full").exists()


def test_asks_again_about_another_diff(
    asking: Callable[..., RawClient], folder: Path
) -> None:
    client = asking(elicitation={})
    call = client.begin("delete_items", {"paths": ["a.txt"]})
    for shown, then in (("-one", "two\n"), ("-two", None)):
        asked = client.receive()
        assert asked["method"] == "elicitation/create"
        assert shown in asked["params"]["message"]
        if then is not None:
            (folder / "a.txt").write_text(then)
        agreed = {"action": "accept", "content": {"confirm": True}}
        client.send({"jsonrpc": "2.0", "id": asked["id"], "result": agreed})
    assert not client.answer(call)["result"].get("isError")
    assert not (folder / "a.txt").exists()


def test_counts_all_lost_files(
    asking: Callable[..., RawClient], folder: Path, opened: Opened
) -> None:
    for index in range(1_200):
        (folder / f"full/{index}.txt").write_text("gone\n" * 20)
    (folder / "logo.bin").write_bytes(b"\0" * 5_000)
    client, page = asking(), opened()
    client.call("delete_items", {"paths": ["full", "a.txt"], "recursive": True})
    page.locator(".waiting").click(timeout=20_000)
    lost = page.get_by_role("dialog").locator(".lost")
    expect(page.get_by_role("dialog").locator("h1")).to_have_text(
        "raw wants to delete full/ (1,201 files) and a.txt"
    )
    expect(lost).to_contain_text(
        "Deletes 1,202 files, 117.2 KB (can be undone)"
    )
    expect(lost.locator("li")).to_have_text(
        ["full/ (1,201 files, 117.2 KB)", "a.txt (4 bytes)"]
    )
    page.get_by_role("dialog").get_by_role("button", name="Later").click()
    items = [{"path": "logo.bin", "content": "text\n", "mode": "overwrite"}]
    client.call("write_content", {"items": items})
    page.get_by_role("button", name="logo.bin").click(timeout=20_000)
    expect(lost.locator("li")).to_have_text("logo.bin (4.9 KB)")


def test_question_counts_files(
    asking: Callable[..., RawClient], folder: Path
) -> None:
    for index in range(300):
        (folder / f"full/{index:03}.txt").write_text("old\n" * 3)
    client = asking(elicitation={})
    call = client.begin(
        "replace_content",
        {
            "pattern": "old",
            "replacement": "new",
            "path": "full",
            "preview": False,
        },
    )
    asked = client.receive()
    first = asked["params"]["message"].partition("\n")[0]
    assert first == (
        "Allow replace_content on full/000.txt, full/001.txt, full/002.txt, full/003.txt, full/004.txt "
        "and 295 more files?"
    )
    client.send(
        {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}}
    )
    client.answer(call)


def test_question_names_overwritten_files(
    asking: Callable[..., RawClient], folder: Path
) -> None:
    (folder / "z.bin").write_bytes(b"\0" * 5_000)
    long = "".join(f"{at}\n" for at in range(5_000))
    items = [
        {"path": "n.txt", "content": long},
        {"path": "z.bin", "content": "text\n", "mode": "overwrite"},
    ]
    client = asking(elicitation={})
    call = client.begin("write_content", {"items": items})
    asked = client.receive()
    message = asked["params"]["message"]
    assert message.startswith(
        "Allow write_content on z.bin, n.txt?\n\nThis deletes z.bin (4.9 KB)."
    )
    client.send(
        {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}}
    )
    client.answer(call)


def test_count_on_a_phone(
    asking: Callable[..., RawClient], opened: Opened
) -> None:
    asking().call("delete_items", {"paths": ["a.txt"]})
    page = opened(viewport={"width": 390, "height": 800})
    expect(page.locator("#show-list")).to_have_attribute(
        "data-count", "1", timeout=20_000
    )
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    expect(page.locator(".waiting")).to_be_visible()


def test_gives_the_reason_of_a_refusal(
    asking: Callable[..., RawClient], folder: Path, opened: Opened
) -> None:
    client = asking()
    client.call("delete_items", {"paths": ["full"], "recursive": True})
    page = opened()
    waiting = page.get_by_role("button", name="wants to delete full/ (1 file)")
    expect(waiting).to_contain_text("left")
    waiting.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Deletes 1 file, 7 bytes; it can be undone")
    expect(dialog.get_by_role("timer")).to_have_text(
        re.compile(r"^(9|10):\d\d left$")
    )
    reason = "Keep full/,\x1b it is <b>needed</b>"
    dialog.get_by_label("Reason for refusing").fill(reason)
    dialog.get_by_role("button", name="Refuse").click()
    expect(page.locator(".waiting")).to_have_count(0, timeout=20_000)
    answer = said(
        client.call("delete_items", {"paths": ["full"], "recursive": True})
    )
    assert "did not allow" in answer
    assert "The user says: Keep full/," in answer
    assert "it is <b>needed</b>" in answer
    assert "\x1b" not in answer


def test_allows_a_tool_for_a_session(
    asking: Callable[..., RawClient], folder: Path, opened: Opened
) -> None:
    client, other = asking(), asking()
    client.call("edit_content", EDIT)
    page = opened()
    page.get_by_role("button", name="wants to edit a.txt").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Allow for this session").click()
    expect(dialog).to_be_hidden()
    assert "1 edit applied" in said(client.call("edit_content", EDIT))
    again = {"path": "a.txt", "edits": [{"search": "two", "replace": "three"}]}
    assert "1 edit applied" in said(client.call("edit_content", again))
    assert "waits for" in said(
        client.call("delete_items", {"paths": ["a.txt"]})
    ), "another tool is asked for"
    assert "waits for" in said(
        other.call(
            "edit_content",
            {"path": "a.txt", "edits": [{"search": "three", "replace": "x"}]},
        )
    ), "another session is asked for"
    allowance = page.locator(".allowance")
    expect(allowance).to_contain_text(
        "may use edit_content without asking", timeout=20_000
    )
    allowance.get_by_role("button", name="Ask again").click()
    expect(allowance).to_have_count(0)
    back = {"path": "a.txt", "edits": [{"search": "three", "replace": "one"}]}
    assert "waits for" in said(client.call("edit_content", back))


def test_notifies(asking: Callable[..., RawClient], opened: Opened) -> None:
    page = opened()
    page.evaluate(
        """() => {
          window.told = [];
          window.Notification = class extends EventTarget {
            static permission = "granted";
            constructor(title, options) { super(); window.told.push(options.body); }
          };
          Object.defineProperty(document, "hidden", { value: true });
        }"""
    )
    asking().call("edit_content", EDIT)
    expect(page.locator(".waiting")).to_have_count(1, timeout=20_000)
    assert page.evaluate("window.told") == ["raw wants to edit a.txt"]
    assert "icon-waiting" in str(
        page.locator('link[rel="icon"]').get_attribute("href")
    )
