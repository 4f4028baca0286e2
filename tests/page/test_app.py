"""The app in a conversation: a host page on the published bridge, the real server behind it."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.page.conftest import expect
from tests.server.conftest import RawClient

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FrameLocator, Page

APP = "ui://filewright/change"
UI = {
    "io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}
}
PACKAGES = ("ext-apps@2", "client@2", "core@2", "server@2")
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'none'"
)
"""What the specification gives an app that names no origin."""

HOST = """
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

window.host = async (html, result, theme, tools) => {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.style = "width: 100%; border: 0";
  document.body.append(frame);
  const bridge = new AppBridge(null, { name: "host", version: "1" },
    tools ? { serverTools: {}, serverResources: {}, updateModelContext: { text: {} } } : {},
    { hostContext: { theme, styles: { variables: { "--color-text-primary": theme === "dark" ? "#eeeeee" : "#111111" } } } });
  window.context = [];
  bridge.oncalltool = async ({ name, arguments: given }) => window.call(name, given);
  bridge.onreadresource = async ({ uri }) => window.read(uri);
  bridge.onupdatemodelcontext = async (params) => { window.context.push(params); return {}; };
  bridge.addEventListener("sizechange", ({ height }) => { frame.style.height = `${height}px`; });
  bridge.addEventListener("initialized", async () => {
    await bridge.sendToolInput({ arguments: {} });
    await bridge.sendToolResult(result);
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
};
"""


@pytest.fixture(scope="session")
def host_script(
    npm: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory
) -> str:
    """The host's side, on the bridge that npm has."""
    folder = npm(
        *(f"@modelcontextprotocol/{name}" for name in PACKAGES),
        "zod@4",
        "esbuild",
    )
    bundle = tmp_path_factory.mktemp("host") / "bundle.js"
    command = [
        "node_modules/.bin/esbuild",
        "--bundle",
        "--format=iife",
        f"--outfile={bundle}",
    ]
    subprocess.run(
        command,
        cwd=folder,
        input=HOST,
        text=True,
        check=True,
        capture_output=True,
    )
    return bundle.read_text()


class Conversation:
    """A host page that shows the app beside the results of calls."""

    def __init__(self, page: Page, client: RawClient) -> None:
        self.page, self.client = page, client

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = self.client.call(name, arguments)["result"]
        return result

    def shows(
        self,
        result: dict[str, Any],
        *,
        theme: str = "light",
        tools: bool = True,
    ) -> FrameLocator:
        contents = self.client.ask("resources/read", {"uri": APP})["result"][
            "contents"
        ][0]
        assert contents["mimeType"] == "text/html;profile=mcp-app"
        html = contents["text"].replace(
            "<head>",
            f'<head><meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        )
        given = [html, result, theme, tools]
        self.page.evaluate("given => window.host(...given)", given)
        return self.page.frame_locator("iframe")


class Host:
    """A page on the bridge, which has one conversation after the other; `complaints` are of all of them."""

    def __init__(self, page: Page, script: str) -> None:
        self.page, self.complaints = page, list[str]()
        self.client: RawClient
        page.on(
            "console",
            lambda said: (
                self.complaints.append(said.text)
                if said.type == "error"
                else None
            ),
        )
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        body = f"<body><script>{script}</script></body>"
        page.route(
            "http://host.test/",
            lambda route: route.fulfill(content_type="text/html", body=body),
        )
        page.expose_function(
            "call", lambda name, given: self.client.call(name, given)["result"]
        )
        page.expose_function(
            "read",
            lambda uri: self.client.ask("resources/read", {"uri": uri})[
                "result"
            ],
        )

    def begin(self, client: RawClient) -> Conversation:
        """A conversation of which nothing is on the page yet."""
        self.client = client
        self.page.goto("http://host.test/")
        return Conversation(self.page, client)


@pytest.fixture(scope="module")
def host(browser: Browser, host_script: str) -> Iterator[Host]:
    page = browser.new_page()
    yield Host(page, host_script)
    page.close()


@pytest.fixture
def conversation(
    host: Host, agent: Callable[..., RawClient]
) -> Iterator[Conversation]:
    yield host.begin(agent(extensions=UI))
    host.page.goto("about:blank")
    assert host.complaints == []


def edited(conversation: Conversation, folder: Path) -> dict[str, Any]:
    (folder / "cart.py").write_text(
        "def total(lines):\n    return sum(lines)\n"
    )
    edit = {"search": "sum(lines)", "replace": "round(sum(lines), 2)"}
    return conversation.call(
        "edit_content", {"path": "cart.py", "edits": [edit]}
    )


@pytest.mark.parametrize(
    ("theme", "colour"),
    [("light", "rgb(17, 17, 17)"), ("dark", "rgb(238, 238, 238)")],
)
def test_theme_of_the_host(
    conversation: Conversation, folder: Path, theme: str, colour: str
) -> None:
    app = conversation.shows(edited(conversation, folder), theme=theme)
    expect(app.locator("td.code.new")).to_have_text(
        "+    return round(sum(lines), 2)"
    )
    expect(app.locator("body")).to_have_css("color", colour)
    expect(app.locator("html")).to_have_css("color-scheme", theme)
    conversation.page.wait_for_function(
        "document.querySelector('iframe').clientHeight > 100"
    )


def test_loads_hidden_lines(conversation: Conversation, folder: Path) -> None:
    (folder / "long.txt").write_text(
        "".join(f"old {at}\n" for at in range(1_500))
    )
    new = "".join(f"new {at}\n" for at in range(1_500))
    items = [{"path": "long.txt", "content": new, "mode": "overwrite"}]
    app = conversation.shows(
        conversation.call("write_content", {"items": items})
    )
    for kind in ("removed", "added"):
        for left in ("1,300", "300"):
            app.get_by_role(
                "button", name=f"⋯ {left} more {kind} lines", exact=True
            ).click()
    expect(app.get_by_role("button", name="more")).to_have_count(
        0, timeout=20_000
    )
    expect(app.locator("td.code.new")).to_have_count(1_500)
    expect(app.locator("td.code.old")).to_have_count(1_500)
    assert app.locator("td.code.new").last.inner_text() == "+new 1499"


def test_loads_parts(conversation: Conversation, folder: Path) -> None:
    (folder / "far.txt").write_text(
        "".join(f"line {at}\n" for at in range(1, 41))
    )
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><script>parent.call("x")</script></svg>'
    items = [{"path": f"{at:02}.txt", "content": "x\n"} for at in range(60)]
    app = conversation.shows(
        conversation.call(
            "write_content",
            {"items": [{"path": "00.svg", "content": svg}, *items]},
        )
    )
    expect(app.locator("article")).to_have_count(50)
    expect(app.locator("img")).to_have_attribute(
        "src", re.compile("^data:image/svg")
    )
    app.get_by_role("button", name="11 more files").click()
    expect(app.locator("article")).to_have_count(61)
    edit = {"search": "line 20\n", "replace": "twenty\n"}
    changed = conversation.call(
        "edit_content", {"path": "far.txt", "edits": [edit]}
    )
    conversation.page.evaluate("document.querySelector('iframe').remove()")
    app = conversation.shows(changed)
    app.get_by_role("button", name="16 unchanged lines").click()
    expect(app.locator("td.code", has_text="line 1").first).to_be_visible()
    expect(app.locator("tr:not(.head)")).to_have_count(24)


def test_lost_content(conversation: Conversation, folder: Path) -> None:
    (folder / "long.txt").write_text("old\n" * 300)
    items = [
        {"path": "long.txt", "content": "new\n" * 300, "mode": "overwrite"}
    ]
    result = conversation.call("write_content", {"items": items})
    made = result["_meta"]["filewright/view"]
    made["html"] = made["html"].replace(made["change_id"], "0123456789")
    app = conversation.shows(result)
    app.get_by_role("button", name="more removed lines").click()
    expect(app.locator("#acts")).to_contain_text("These lines are not stored.")


def test_app_undoes(conversation: Conversation, folder: Path) -> None:
    app = conversation.shows(edited(conversation, folder))
    app.get_by_role("button", name="Undo").click()
    expect(app.locator("#acts")).to_contain_text("Preview of the undo:")
    expect(app.locator("td.code.new")).to_have_text("+    return sum(lines)")
    assert "round" in (folder / "cart.py").read_text(), "nothing was done yet"
    app.get_by_role("button", name="Keep it").click()
    expect(app.locator("td.code.new")).to_have_text(
        "+    return round(sum(lines), 2)"
    )
    app.get_by_role("button", name="Undo").click()
    app.get_by_role("button", name="Undo now").click()
    expect(app.locator("#acts")).to_contain_text("Taken back.")
    assert "round" not in (folder / "cart.py").read_text()
    conversation.page.wait_for_function("window.context.length === 1")
    assert "The user took back" in json.dumps(
        conversation.page.evaluate("window.context")
    )
    app.get_by_role("button", name="Undo").click()
    app.get_by_role("button", name="Undo now").click()
    expect(app.locator("td.code.new")).to_have_text(
        "+    return round(sum(lines), 2)"
    )


def test_app_conflict(conversation: Conversation, folder: Path) -> None:
    app = conversation.shows(edited(conversation, folder))
    (folder / "cart.py").write_text(
        "def total(lines):\n    return math.fsum(lines)\n"
    )
    app.get_by_role("button", name="Undo").click()
    expect(app.locator("#acts")).to_contain_text("It cannot be undone now.")
    expect(app.locator("pre")).to_contain_text(
        "has changed since in the same lines"
    )
    assert "fsum" in (folder / "cart.py").read_text()


def test_host_without_tools(conversation: Conversation, folder: Path) -> None:
    app = conversation.shows(edited(conversation, folder), tools=False)
    expect(app.locator("td.code.new")).to_have_count(1)
    expect(app.locator("#acts")).to_be_hidden()
    expect(app.get_by_role("button", name="Undo")).to_have_count(0)


def test_several_files_and_a_refusal(
    conversation: Conversation, folder: Path
) -> None:
    items = [
        {"path": f"{name}.txt", "content": f"{name}\n"}
        for name in ("one", "two")
    ]
    app = conversation.shows(
        conversation.call("write_content", {"items": items})
    )
    expect(app.locator("article h2")).to_have_text(["one.txt", "two.txt"])


def test_refusal(conversation: Conversation) -> None:
    refused = conversation.call(
        "edit_content",
        {"path": "none.py", "edits": [{"search": "a", "replace": "b"}]},
    )
    app = conversation.shows(refused)
    expect(app.locator("pre")).to_contain_text("none.py")


HOSTILE = (
    "<script>parent.call('x')</script>",
    "<img src=x onerror=alert(1)>",
    "\x1b[31m\u202e",
)


def test_runs_no_script_of_a_file(
    conversation: Conversation, folder: Path
) -> None:
    items = [
        {"path": f"{at}.html", "content": f"{hostile}\n"}
        for at, hostile in enumerate(HOSTILE)
    ]
    app = conversation.shows(
        conversation.call("write_content", {"items": items})
    )
    expect(app.locator("td.code.new")).to_have_count(len(HOSTILE))
    expect(app.locator("main script, main img")).to_have_count(0)
    assert not set(app.locator("body").inner_text()) & set("\x1b\u202e")


def test_client_without_the_extension(
    agent: Callable[..., RawClient], folder: Path
) -> None:
    plain, able = agent(), agent(extensions=UI)
    (folder / "a.txt").write_text("x\n")
    results = [
        each.call(
            "edit_content",
            {"path": "a.txt", "edits": [{"search": old, "replace": new}]},
        )["result"]
        for each, old, new in ((plain, "x", "y"), (able, "y", "x"))
    ]
    assert "_meta" not in results[0]
    assert results[1]["_meta"]["filewright/view"]["change_id"]
    assert "structuredContent" not in results[1]
    assert "+x" in results[1]["content"][0]["text"], "the text is complete"


def test_tools_name_the_app(
    agent: Callable[..., RawClient],
) -> None:
    """Of every client: one without apps ignores it."""
    asked = agent()
    for tool in asked.ask("tools/list")["result"]["tools"]:
        named = tool.get("_meta", {}).get("ui", {}).get("resourceUri")
        assert named == (
            None if tool["annotations"]["readOnlyHint"] else APP
        ), tool["name"]
    listed = asked.ask("resources/list")["result"]["resources"]
    assert APP in [resource["uri"] for resource in listed]


def test_loads_nothing(
    agent: Callable[..., RawClient],
) -> None:
    page = agent().ask("resources/read", {"uri": APP})["result"]["contents"][0][
        "text"
    ]
    assert "http" not in page.replace("http://www.w3.org", "")
    assert "src=" not in page.partition("<script>")[0]
    assert "@import" not in page
