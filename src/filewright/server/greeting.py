"""Answers to a client's first messages, before the SDK is imported.

The import takes most of a start. A client begins with a handshake (or, since 2026, with
`server/discover`) and lists tools and resources; some offer no tool until all of these
are answered. The answers need nothing of the SDK, so they are sent at once, with the
content that the SDK would send (`test_same_bytes_as_the_sdk`). Any other message waits
for the SDK; messages behind it are still answered here until the SDK takes over. Without
this module `test_answers_before_a_transport_connects` fails.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from filewright import __version__
from filewright.bounded_json import parse_json
from filewright.errors import FilewrightError
from filewright.server.listing import RESOURCE_TEMPLATES, describe_tools
from filewright.tools.bound_tools import BoundTools

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The protocol versions that begin with a handshake; the SDK answers any other."""
MODERN_VERSION = "2026-07-28"
"""The protocol version whose requests each carry the client's version and capabilities in `_meta`."""
TOOLS_TTL_MS = 3_600_000
"""Milliseconds for which a modern client may keep the list of tools."""

_METHOD_NOT_FOUND = -32601
_META_PREFIX = "io.modelcontextprotocol/"
_LIST_PARAMS = {"_meta", "cursor"}
_MAX_EXACT_ID = 1 << 53
"""The first integer that JSON of other programs, which have floats alone, may change."""
_CAPABILITIES = {
    "roots",
    "sampling",
    "elicitation",
    "experimental",
    "extensions",
    "tasks",
}
_OPEN_CAPABILITIES = {"experimental", "extensions"}
"""The capabilities whose members may hold any object."""
_CLIENT_FIELDS = {"name", "version", "title", "description", "websiteUrl"}
_CLIENT_NEEDS = {"name", "version"}

_SERVER_CAPABILITIES = {
    "completions": {},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}
_SERVER_INFO = {
    "name": "filewright",
    "title": "filewright",
    "version": __version__,
}

Message = dict[str, Any]
ListResources = Callable[[], list[Message]]
Era = Literal["handshake", "modern"]

_NO_PROMPTS: Message = {
    "error": {
        "code": _METHOD_NOT_FOUND,
        "message": "Method not found",
        "data": "prompts/list",
    }
}
"""The error of a server without prompts; some clients ask for them all the same."""


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """The line to send for a message, if any; if settled, the SDK need not see it."""

    line: bytes = b""
    is_settled: bool = False


class Greeting:
    """The answers to the first messages of a client that is offered `bound_tools`.

    `list_resources` returns the resources as JSON. Without it, because the resources
    depend on an answer of the client, `resources/list` is left to the SDK.
    """

    def __init__(
        self,
        bound_tools: BoundTools,
        list_resources: ListResources | None = None,
    ) -> None:
        self.opening_id: int | str | None = None
        """The id of the request that opened the connection, once it is answered.

        The SDK is given it too, to learn the era of the protocol. Its answer is dropped.
        """
        self.listed = threading.Event()
        """Set once the tools were listed, or when the SDK has to list them."""
        self._bound_tools = bound_tools
        self._list_resources = list_resources
        self._era: Era | None = None
        self._leaves_all_to_sdk = False

    def answer(self, line: bytes) -> FirstAnswer:
        """Return the answer to a message; it has no line if the SDK has to answer."""
        message = None
        if not self._leaves_all_to_sdk:
            try:
                message = parse_json(line)
            except (ValueError, RecursionError):
                pass  # The SDK's transport says what is wrong with it.
        match message:
            case {
                "jsonrpc": "2.0",
                "id": request_id,
                "method": str(method),
                **rest,
            }:
                return self._answer_request(request_id, method, rest)
            case {"jsonrpc": "2.0", "method": str(), **rest} if (
                "id" not in rest
            ):
                pass  # A notification changes nothing that is answered here.
            case _ if self._era is None:
                self._leave_all_to_sdk()
        return FirstAnswer()

    def _answer_request(
        self, request_id: Any, method: str, rest: Mapping[Any, Any]
    ) -> FirstAnswer:
        """Return the answer to a request whose other members are `rest`."""
        is_opening = self._era is None
        reply = None
        if rest.keys() <= {"params"} and self._can_repeat(request_id):
            reply = self._reply(method, rest.get("params"))
        if reply is None:
            if is_opening:
                self._leave_all_to_sdk()
            return FirstAnswer()
        if is_opening:
            self.opening_id = request_id
        if method == "tools/list":
            self.listed.set()
        answer = {"jsonrpc": "2.0", "id": request_id, **reply}
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        # The SDK must see the request that opens the connection.
        return FirstAnswer(text.encode() + b"\n", is_settled=not is_opening)

    def _leave_all_to_sdk(self) -> None:
        """Answer nothing more: only the SDK understands how the client opened."""
        self._leaves_all_to_sdk = True
        self.listed.set()

    def _can_repeat(self, request_id: object) -> bool:
        """Return True for a plain id other than that of the opening request."""
        if isinstance(request_id, str):
            is_plain = request_id.isascii() and request_id.isprintable()
        else:
            is_plain = (
                type(request_id) is int and abs(request_id) < _MAX_EXACT_ID
            )
        return is_plain and request_id != self.opening_id

    def _reply(self, method: str, params: Any) -> Message | None:
        """Return the `result` or `error` of a request, or None if the SDK has to answer it."""
        if method == "initialize":
            return self._reply_to_handshake(params)
        params = {} if params is None else params
        if not _are_plain_params(params):
            return None
        era: Era = "handshake"
        if _is_modern_envelope(params.get("_meta", {})):
            era = "modern"
            # Modern clients shake no hands: their first request opens the connection.
            self._era = self._era or era
        if era != self._era:
            return None
        if method == "prompts/list":
            return _NO_PROMPTS
        if era == "modern":
            return self._reply_to_modern(method)
        if method == "ping":
            return {"result": {}}
        result = self._list(method)
        return None if result is None else {"result": result}

    def _reply_to_handshake(self, params: Any) -> Message | None:
        """Return the answer to `initialize` if its parameters have the plain form."""
        if self._era is not None:
            return None
        match params:
            case {
                "protocolVersion": str(version),
                "capabilities": dict(capabilities),
                "clientInfo": dict(client),
                **rest,
            }:
                is_plain = version in HANDSHAKE_VERSIONS and not rest
                if (
                    not is_plain
                    or not _is_plain_client(client)
                    or not _are_plain_capabilities(capabilities)
                ):
                    return None
                self._era = "handshake"
                return {
                    "result": {
                        "capabilities": _SERVER_CAPABILITIES,
                        "instructions": self._bound_tools.instructions,
                        "protocolVersion": version,
                        "serverInfo": _SERVER_INFO,
                    }
                }
        return None

    def _reply_to_modern(self, method: str) -> Message | None:
        """Return the answer to a modern request, with the members that all results have."""
        result = self._list(method)
        if method == "server/discover":
            result = {
                "capabilities": {
                    **_SERVER_CAPABILITIES,
                    "extensions": {f"{_META_PREFIX}ui": {}},
                },
                "instructions": self._bound_tools.instructions,
                "supportedVersions": [MODERN_VERSION],
            }
        if result is None:
            return None
        return {
            "result": {
                **result,
                "cacheScope": "private",
                "resultType": "complete",
                "ttlMs": TOOLS_TTL_MS if method == "tools/list" else 0,
                "_meta": {f"{_META_PREFIX}serverInfo": _SERVER_INFO},
            }
        }

    def _list(self, method: str) -> Message | None:
        """Return the tools, templates or resources; None for any other request."""
        if method == "tools/list":
            return {"tools": describe_tools(self._bound_tools.tools())}
        if method == "resources/templates/list":
            return {"resourceTemplates": RESOURCE_TEMPLATES}
        if method == "resources/list" and self._list_resources is not None:
            try:
                return {"resources": self._list_resources()}
            except FilewrightError:
                return None  # The SDK's handler tells the client what is wrong.
        return None


def _are_plain_params(params: Any) -> bool:
    """Return True for parameters that all requests for lists may have."""
    if not isinstance(params, dict) or not params.keys() <= _LIST_PARAMS:
        return False
    meta = params.get("_meta", {})
    if not isinstance(meta, dict):
        return False
    # The exact types: JSON's true is an int of Python.
    has_plain_token = type(meta.get("progressToken", "")) in (int, str)
    return has_plain_token and type(params.get("cursor", "")) is str


def _is_modern_envelope(meta: Mapping[str, Any]) -> bool:
    """Return True if `meta` is the plain envelope of a modern request."""
    envelope = {
        key: value for key, value in meta.items() if key != "progressToken"
    }
    match envelope:
        case {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": dict(capabilities),
            "io.modelcontextprotocol/clientInfo": dict(client),
            **rest,
        }:
            is_plain = version == MODERN_VERSION and not rest
            return (
                is_plain
                and _is_plain_client(client)
                and _are_plain_capabilities(capabilities)
            )
    return False


def _is_plain_client(client: Mapping[str, Any]) -> bool:
    """Return True if a client describes itself in texts alone."""
    has_only_texts = all(isinstance(value, str) for value in client.values())
    return has_only_texts and _CLIENT_NEEDS <= client.keys() <= _CLIENT_FIELDS


def _are_plain_capabilities(capabilities: Mapping[str, Any]) -> bool:
    """Return True if the SDK would accept the capabilities, whatever they mean."""
    return all(
        _is_plain_capability(name, capability)
        for name, capability in capabilities.items()
    )


def _is_plain_capability(name: str, capability: Any) -> bool:
    """Return True if one capability has a form that the SDK accepts."""
    if name not in _CAPABILITIES or not isinstance(capability, dict):
        return False
    if name == "roots":
        return all(isinstance(member, bool) for member in capability.values())
    if name in _OPEN_CAPABILITIES:
        return all(isinstance(member, dict) for member in capability.values())
    return all(member == {} for member in capability.values())
