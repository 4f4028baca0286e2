"""Edits of a configuration change one entry and keep all other characters."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filewright.cli.setup.clients import CLIENTS
from filewright.cli.setup.components import Component

ENTRY = {"command": "/opt/a b/filewright", "args": ["serve", "."]}


def with_entry(text: str, client: str) -> str:
    """A configuration with a server of ours, as VS Code or Codex has it."""
    path = "config.toml" if client == "codex" else "mcp.json"
    return Component(CLIENTS[client], "server", path, ENTRY).add_to(text)


def plain(text: str) -> Any:
    """JSON without its remarks and trailing commas."""
    for other in (r"//[^\n]*|/\*.*?\*/", r",(?=\s*[}\]])"):
        text = re.sub(
            rf'("(?:\\.|[^"\\])*")|{other}',
            lambda m: m[1] or " ",
            text,
            flags=re.DOTALL,
        )
    return json.loads(text.removeprefix("\ufeff"))


JSON = {
    "remarks-a-trailing-comma-tabs-and-other-servers": (
        '{\n\t// mine\n\t"servers": {\n\t\t"other": {"command": "x"}, // keep\n\t},\n\t"inputs": [],\n}\n',
        '{\n\t// mine\n\t"servers": {\n\t\t"other": {"command": "x"}, // keep\n\t\t"filewright": {\n'
        '\t\t\t"command": "/opt/a b/filewright",\n\t\t\t"args": ["serve", "."]\n\t\t},\n\t},\n\t"inputs": [],\n}\n',
    ),
    "a-remark-behind-a-value-without-a-comma": (
        '{\n  "a": 1 // one\n}\n',
        '{\n  "a": 1, // one\n  "servers": {\n    "filewright": {\n      "command": "/opt/a b/filewright",\n'
        '      "args": ["serve", "."]\n    }\n  }\n}\n',
    ),
    "all-in-one-line-no-end-of-line": (
        '{"servers":{}}',
        '{"servers":{"filewright": {"command": "/opt/a b/filewright", "args": ["serve", "."]}}}',
    ),
    "an-entry-that-has-more": (
        '{"servers": {"filewright": {"command": "old", "env": {"A": "1"}, "disabled": true, "args": []}}}',
        '{"servers": {"filewright": {"command": "/opt/a b/filewright", "args": ["serve", "."], "disabled": true}}}',
    ),
    "braces-quotes-and-slashes-in-strings": (
        '{\r\n  "a": "}\\" // no { /* no",\r\n  "servers": { /* none */ }\r\n}\r\n',
        '{\r\n  "a": "}\\" // no { /* no",\r\n  "servers": { /* none */\r\n    "filewright": {\r\n'
        '      "command": "/opt/a b/filewright",\r\n      "args": ["serve", "."]\r\n    }\r\n   }\r\n}\r\n',
    ),
}


@pytest.mark.parametrize(
    ("before", "after"),
    [pytest.param(*row, id=name) for name, row in JSON.items()],
)
def test_keeps_json(before: str, after: str) -> None:
    assert with_entry(before, "vscode") == after
    assert plain(after)["servers"]["filewright"].items() >= ENTRY.items()
    assert with_entry(after, "vscode") == after


TOML = {
    "a-file-without-it": (
        'model = "x" # mine\n[mcp_servers.other]\ncommand = "y"',
        'model = "x" # mine\n[mcp_servers.other]\ncommand = "y"\n\n[mcp_servers.filewright]\n'
        'command = "/opt/a b/filewright"\nargs = ["serve", "."]',  # nor does it end its last line now
    ),
    "values-over-several-lines-remarks-tables-of-its-own-and-others-behind-it": (
        '[mcp_servers."filewright"] # mine\ncommand = "filewright" # a # remark\nargs = [\n  "serve", # why\n  "]",\n]\n'
        "startup_timeout_sec = 20\n\n[tui]\nx = 1\n",
        '[mcp_servers."filewright"] # mine\ncommand = "/opt/a b/filewright" # a # remark\nargs = ["serve", "."]\n'
        "startup_timeout_sec = 20\n\n[tui]\nx = 1\n",
    ),
    "an-environment-of-its-own": (
        '[mcp_servers.filewright]\ncommand = "filewright"\ntool_timeout_sec = 9\n\n[mcp_servers.filewright.env]\n'
        'PYTHONPATH = "./evil"\n\n# mine\n[tui]\nx = 1\n',
        '\n# mine\n[tui]\nx = 1\n\n[mcp_servers.filewright]\ncommand = "/opt/a b/filewright"\nargs = ["serve", "."]\n'
        "tool_timeout_sec = 9\n",
    ),
    "numbers-that-are-not-equal-to-themselves": (
        "a = nan\nb = [1.50, -inf]\nc = 1979-05-27T07:32:00Z\n",
        "a = nan\nb = [1.50, -inf]\nc = 1979-05-27T07:32:00Z\n\n[mcp_servers.filewright]\n"
        'command = "/opt/a b/filewright"\nargs = ["serve", "."]\n',
    ),
    "one-value-missing-ends-of-lines-of-windows": (
        '[mcp_servers.filewright]\r\nargs = ["serve", "."]\r\n',
        '[mcp_servers.filewright]\r\ncommand = "/opt/a b/filewright"\r\nargs = ["serve", "."]\r\n',
    ),
}


@pytest.mark.parametrize(
    ("before", "after"),
    [pytest.param(*row, id=name) for name, row in TOML.items()],
)
def test_keeps_toml(before: str, after: str) -> None:
    assert with_entry(before, "codex") == after
    assert with_entry(after, "codex") == after


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(
    config=st.dictionaries(st.text(), _JSON, max_size=4),
    others=st.dictionaries(
        st.text().filter(lambda name: name != "filewright"), _JSON, max_size=3
    )
    | st.none(),
    indent=st.sampled_from([None, 0, 2, "\t"]),
    remark=st.sampled_from(["", " // a } remark", " /* one, { */"]),
)
def test_keeps_every_character(
    config: dict[str, Any],
    others: dict[str, Any] | None,
    indent: int | str | None,
    remark: str,
) -> None:
    config.pop("servers", None)
    if others is not None:
        config["servers"] = others
    before = json.dumps(config, indent=indent, ensure_ascii=False)
    if indent is not None:
        before = before.replace("\n", f"{remark}\n")
    after = with_entry(before, "vscode")
    assert plain(after) == {
        **config,
        "servers": {**(others or {}), "filewright": ENTRY},
    }
    rest = iter(after)
    assert all(character in rest for character in before)
    assert with_entry(after, "vscode") == after
