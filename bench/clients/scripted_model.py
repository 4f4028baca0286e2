"""A model that answers from a script: one step a request, and a word at the end.

It speaks the interfaces of Anthropic, Gemini and OpenAI.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Step(NamedTuple):
    """A tool that the model asks for: with arguments, or with a text, as Codex has it for a patch.

    `server` is the name of the server that has the tool, None for a tool of the client.
    """

    tool: str
    arguments: Mapping[str, Any] | str
    server: str | None = None


class ScriptedModel(NamedTuple):
    """Where the model is, and what the tools have answered to the newest request."""

    url: str
    answers: list[str]
    requests: list[str]
    """The newest request, whole: what a hook has told the model is in it."""


@contextmanager
def scripted_model(steps: Sequence[Step]) -> Iterator[ScriptedModel]:
    """A server on this machine that plays the model, as long as the context lasts."""
    answers: list[str] = []
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(
                self.rfile.read(int(self.headers["Content-Length"]))
            )
            if "/messages" in self.path:
                answer = _messages
            elif "contents" in asked:
                answer = _gemini
            elif "messages" in asked:
                answer = _completions
            else:
                answer = _responses
            told, messages = answer(asked, steps)
            # A client also asks for a title, a summary and the like, without tools: those are no steps of the script.
            if asked.get("tools"):
                answers[:] = told
                requests[:] = [json.dumps(asked, ensure_ascii=False)]
            kind = "text/event-stream"
            lines = []
            for each in messages:
                name = f"event: {each['type']}\r\n" if "type" in each else ""
                lines.append(f"{name}data: {json.dumps(each)}\r\n\r\n")
            streamed = (
                asked.get("stream")
                if "messages" in asked
                else "stream" in self.path
            )
            if "input" not in asked and not streamed:
                kind, lines = "application/json", [json.dumps(messages[0])]
            self._reply("".join(lines), kind)

        def do_GET(self) -> None:
            self._reply('{"models": [], "data": []}', "application/json")

        def _reply(self, text: str, kind: str) -> None:
            content = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        url = f"http://127.0.0.1:{server.server_port}"
        yield ScriptedModel(url, answers, requests)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _offered_name(step: Step, offered: Sequence[str]) -> str | None:
    """Return the client's name for a tool of a server; None if it has none."""
    if step.server:
        for name in offered:
            if step.server in name and name.endswith(step.tool):
                return name
    return None


def _messages(
    asked: Mapping[str, Any], steps: Sequence[Step]
) -> tuple[list[str], list[dict[str, Any]]]:
    told = []
    for message in asked["messages"]:
        content = (
            message["content"] if isinstance(message["content"], list) else []
        )
        told += [
            json.dumps(part)
            for part in content
            if part["type"] == "tool_result"
        ]
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta: dict[str, Any] = {"type": "text_delta", "text": "Done."}
    stop_reason = "end_turn"
    if asked.get("tools") and len(told) < len(steps):
        step = steps[len(told)]
        offered = [tool["name"] for tool in asked["tools"]]
        usual = f"mcp__{step.server}__{step.tool}" if step.server else step.tool
        name = _offered_name(step, offered) or usual
        block = {
            "type": "tool_use",
            "id": f"toolu_{len(told)}",
            "name": name,
            "input": {},
        }
        delta = {
            "type": "input_json_delta",
            "partial_json": json.dumps(step.arguments),
        }
        stop_reason = "tool_use"
    message = {
        "id": "answer", "type": "message", "role": "assistant", "model": "scripted", "content": [],
        "stop_reason": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    return told, [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop_reason},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    ]


def _gemini(
    asked: Mapping[str, Any], steps: Sequence[Step]
) -> tuple[list[str], list[dict[str, Any]]]:
    parts = [part for content in asked["contents"] for part in content["parts"]]
    told = [
        json.dumps(part["functionResponse"])
        for part in parts
        if "functionResponse" in part
    ]
    said: dict[str, Any] = {"text": "Done."}
    if asked.get("tools") and len(told) < len(steps):
        step = steps[len(told)]
        name = (
            step.tool
            if step.server is None
            else f"mcp_{step.server}_{step.tool}"
        )
        said = {"functionCall": {"name": name, "args": step.arguments}}
    used = {
        "promptTokenCount": 1,
        "candidatesTokenCount": 1,
        "totalTokenCount": 2,
    }
    candidate = {
        "content": {"role": "model", "parts": [said]},
        "finishReason": "STOP",
        "index": 0,
    }
    return told, [
        {"candidates": [candidate], "usageMetadata": used, "totalTokens": 1}
    ]


def _completions(
    asked: Mapping[str, Any], steps: Sequence[Step]
) -> tuple[list[str], list[dict[str, Any]]]:
    told = [
        json.dumps(message)
        for message in asked["messages"]
        if message["role"] == "tool"
    ]
    said: dict[str, Any] = {"role": "assistant", "content": "Done."}
    if asked.get("tools") and len(told) < len(steps):
        step = steps[len(told)]
        offered = [tool["function"]["name"] for tool in asked["tools"]]
        name = _offered_name(step, offered) or step.tool
        function = {"name": name, "arguments": json.dumps(step.arguments)}
        call = {
            "index": 0,
            "id": f"call-{len(told)}",
            "type": "function",
            "function": function,
        }
        said = {"role": "assistant", "content": None, "tool_calls": [call]}
    streamed = bool(asked.get("stream"))
    answer = {
        "id": "answer", "created": 1, "model": "scripted",
        "object": "chat.completion.chunk" if streamed else "chat.completion",
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }  # fmt: skip
    ended = "tool_calls" if "tool_calls" in said else "stop"
    content = {"delta" if streamed else "message": said}
    return told, [
        {**answer, "choices": [{"index": 0, **content, "finish_reason": ended}]}
    ]


def _responses(
    asked: Mapping[str, Any], steps: Sequence[Step]
) -> tuple[list[str], list[dict[str, Any]]]:
    told = [
        json.dumps(item)
        for item in asked.get("input", ())
        if item.get("type", "").endswith("call_output")
    ]
    number = len(told)
    item: dict[str, Any] = {
        "type": "message", "role": "assistant", "id": "word",
        "content": [{"type": "output_text", "text": "Done."}],
    }  # fmt: skip
    if asked.get("tools") and number < len(steps):
        step = steps[number]
        called = {"call_id": f"call-{number}", "name": step.tool}
        if isinstance(step.arguments, str):
            item = {
                "type": "custom_tool_call",
                **called,
                "input": step.arguments,
            }
        else:
            item = {
                "type": "function_call",
                **called,
                "arguments": json.dumps(step.arguments),
            }
        if step.server is not None:
            item["namespace"] = f"mcp__{step.server}"
    used = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    return told, [
        {"type": "response.created", "response": {"id": "answer"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {
            "type": "response.completed",
            "response": {"id": "answer", "usage": used},
        },
    ]
