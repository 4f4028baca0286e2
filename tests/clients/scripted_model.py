"""A model that answers from a script, for a client that speaks Gemini's interface: one step a request, then a word."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Step(NamedTuple):
    """A tool that the model asks for; a client may put a prefix before the name of a server's tool."""

    tool: str
    arguments: Mapping[str, Any]


class ScriptedModel(NamedTuple):
    """Where the model is, and what the tools have answered it so far, by their names, the newest request last."""

    url: str
    answers: list[dict[str, str]]


@contextmanager
def scripted_model(steps: Sequence[Step]) -> Iterator[ScriptedModel]:
    """A server on this machine that plays the model, as long as the context lasts."""
    answers: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            content = b"".join(_answer(asked, steps, answers, streamed="stream" in self.path))
            self.send_response(200)
            self.send_header(
                "Content-Type", "text/event-stream" if "stream" in self.path else "application/json"
            )
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield ScriptedModel(f"http://127.0.0.1:{server.server_port}", answers)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _answer(
    asked: Mapping[str, Any], steps: Sequence[Step], answers: list[dict[str, str]], *, streamed: bool
) -> Iterator[bytes]:
    parts = [part for content in asked.get("contents", ()) for part in content["parts"]]
    answered = [part["functionResponse"] for part in parts if "functionResponse" in part]
    offered = [
        each["name"] for tool in asked.get("tools", ()) for each in tool.get("functionDeclarations", ())
    ]
    said: dict[str, Any] = {"text": "Done."}
    # A client also asks for summaries and the like, without tools: those are no steps of the script.
    if offered:
        answers.append({each["name"]: json.dumps(each["response"]) for each in answered})
        if len(answered) < len(steps):
            step = steps[len(answered)]
            name = next(each for each in offered if each == step.tool or each.endswith(f"_{step.tool}"))
            said = {"functionCall": {"name": name, "args": step.arguments}}
    used = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    candidate = {"content": {"role": "model", "parts": [said]}, "finishReason": "STOP", "index": 0}
    message = json.dumps({"candidates": [candidate], "usageMetadata": used, "totalTokens": 1}).encode()
    yield b"data: %s\r\n\r\n" % message if streamed else message
