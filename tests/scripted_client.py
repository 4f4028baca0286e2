"""A client without a model: it reads what `setup` wrote for Claude Code, and does what one prompt asks for.

It edits by filewright's tool, by a tool of its own and by a shell, and calls the hooks as Claude Code does. The tutorial
shows what comes of it: `python -m tests.scripted_client` stands for `claude` there.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

EDIT = {
    "path": "cart.py",
    "edits": [{"search": "return total", "replace": "return round(total, 2)"}],
}
LOG = "# Changes\n\n- The total is rounded to cents.\n"
COMMAND = "sed -i s/things/pieces/ cart.py"


def hooks(event: str, **about: Any) -> None:
    """Call those of an event, as the settings have them."""
    settings = json.loads(
        Path(".claude/settings.local.json").read_text("utf-8")
    )
    told = json.dumps(
        {
            "session_id": SESSION,
            "cwd": str(Path.cwd()),
            "hook_event_name": event,
            **about,
        }
    )
    for group in settings["hooks"].get(event, ()):
        if re.fullmatch(group.get("matcher", ".*"), about.get("tool_name", "")):
            for hook in group["hooks"]:
                subprocess.run(
                    hook["command"],
                    shell=True,
                    input=told,
                    text=True,
                    check=True,
                )


def by_the_server(name: str, arguments: Any) -> None:
    """Call a tool of the server that is configured."""
    projects = json.loads(
        Path("~/.claude.json").expanduser().read_text("utf-8")
    )["projects"]
    entry = projects[str(Path.cwd())]["mcpServers"]["filewright"]
    about = {"name": "claude-code", "version": "2.4.1"}
    begin = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": about,
    }
    calls = (
        ("initialize", begin),
        ("tools/call", {"name": name, "arguments": arguments}),
    )
    with subprocess.Popen(
        [entry["command"], *entry["args"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        for number, (method, params) in enumerate(calls):
            request = {
                "jsonrpc": "2.0",
                "id": number,
                "method": method,
                "params": params,
            }
            server.stdin.write(json.dumps(request) + "\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
        assert not answer["result"]["isError"], answer
        server.stdin.close()


def by_its_own(tool: str, arguments: dict[str, str]) -> None:
    """Use a tool of the client's own, between the hooks around it."""
    about = {
        "tool_name": tool,
        "tool_input": arguments,
        "tool_use_id": f"toolu_{uuid.uuid4().hex[:12]}",
    }
    hooks("PreToolUse", **about)
    if tool == "Write":
        Path(arguments["file_path"]).write_text(arguments["content"], "utf-8")
    else:
        subprocess.run(arguments["command"], shell=True, check=True)
    hooks("PostToolUse", **about, tool_response={})


SESSION = str(uuid.uuid4())

if __name__ == "__main__":
    hooks("UserPromptSubmit", prompt=sys.argv[-1])
    by_the_server("edit_content", EDIT)
    by_its_own(
        "Write",
        {"file_path": str(Path("CHANGES.md").absolute()), "content": LOG},
    )
    by_its_own("Bash", {"command": COMMAND})
    print(
        "The total is rounded to cents now; CHANGES.md says so, and the texts speak of pieces."
    )
