"""A minimal server over stdio for the tools of a library.

A driver runs in the environment of its library, which has nothing of ours: it
gives `serve` a function for each tool and answers as an MCP server does.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping


class RefusedError(Exception):
    """A request that the library refuses."""


def serve(tools: Mapping[str, Callable[..., object]]) -> None:
    """Answer calls of the tools until the input ends."""
    # What a library prints is not to get between the answers.
    answers = sys.stdout
    sys.stdout = sys.stderr
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result: dict[str, object] = {}
        if message["method"] == "tools/call":
            parameters = message["params"]
            try:
                text = str(tools[parameters["name"]](**parameters["arguments"]))
                failed = False
            except Exception as error:  # noqa: BLE001 - the kinds are the library's
                text, failed = f"{type(error).__name__}: {error}", True
            content = [{"type": "text", "text": text[:4000]}]
            result = {"content": content, "isError": failed}
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
