"""Answers to a client's first messages, before the SDK is imported.

The import takes most of a start. A client begins with a handshake (or, since 2026, with
`server/discover`) and lists tools and resources; some offer no tool until all of these
are answered. The answers need nothing of the SDK, so they are sent at once, with the
content that the SDK would send (a test compares them). Any other message waits for the
SDK; messages behind it are still answered here until the SDK takes over.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from filewright import __version__
from filewright.bounded_json import parse_json
from filewright.errors import FilewrightError
from filewright.server.listing import RESOURCE_TEMPLATES, listing
from filewright.tools.bound_tools import BoundTools

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The protocol versions that begin with a handshake; the SDK answers any other."""
MODERN_VERSION = "2026-07-28"
"""The protocol version whose requests each carry the client's version and capabilities in `_meta`."""
TOOLS_TTL_MS = 3_600_000
"""Milliseconds for which a modern client may keep the list of tools."""

_METHOD_NOT_FOUND = -32601
_META = "io.modelcontextprotocol/"
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


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """The line to send for a message, if any; if settled, the SDK need not see it."""

    line: bytes = b""
    is_settled: bool = False


class Greeting:
    """The answers to the first messages of a client that is offered `offer`.

    `list_resources` returns the resources as JSON. Without it, because the resources
    depend on an answer of the client, `resources/list` is left to the SDK.
    """

    def __init__(
        self, offer: BoundTools, list_resources: ListResources | None = None
    ) -> None:
        self.opening_id: int | str | None = None
        """The id of the request that opened the connection, once it is answered.

        The SDK is given it too, to learn the era of the protocol. Its answer is dropped.
        """
        self.listed = threading.Event()
        """Set once the tools were listed, or when the SDK has to list them."""
        self._offer = offer
        self._list_resources = list_resources
        self._is_modern: bool | None = None
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
            case _ if self._is_modern is None:
                self._leave_all_to_sdk()
        return FirstAnswer()

    def _answer_request(
        self, request_id: Any, method: str, rest: Mapping[Any, Any]
    ) -> FirstAnswer:
        """Return the answer to a request whose other members are `rest`."""
        opens = self._is_modern is None
        reply = None
        if rest.keys() <= {"params"} and self._can_repeat(request_id):
            reply = self._reply(method, rest.get("params"))
        if reply is None:
            if opens:
                self._leave_all_to_sdk()
            return FirstAnswer()
        if opens:
            self.opening_id = request_id
        if method == "tools/list":
            self.listed.set()
        answer = {"jsonrpc": "2.0", "id": request_id, **reply}
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        # The SDK must see the request that opens the connection.
        return FirstAnswer(text.encode() + b"\n", is_settled=not opens)

    def _leave_all_to_sdk(self) -> None:
        """Answer nothing more: only the SDK understands how the client opened."""
        self._leaves_all_to_sdk = True
        self.listed.set()

    def _can_repeat(self, request_id: object) -> bool:
        """Return True for a plain id other than that of the opening request."""
        if isinstance(request_id, str):
            is_plain = request_id.isascii() and request_id.isprintable()
        else:
            is_plain = type(request_id) is int and abs(request_id) < 1 << 53
        return is_plain and request_id != self.opening_id

    def _reply(self, method: str, params: Any) -> Message | None:
        """Return the `result` or `error` of a request, or None if the SDK has to answer it."""
        if method == "initialize":
            return self._handshake(params)
        if params is not None and not isinstance(params, dict):
            return None
        meta = (params or {}).get("_meta", {})
        if not isinstance(meta, dict) or type(
            meta.get("progressToken", "")
        ) not in (
            int,
            str,
        ):
            return None
        is_modern = _is_modern_request(meta)
        if self._is_modern is None and is_modern:
            self._is_modern = True
        if is_modern is not self._is_modern or not (params or {}).keys() <= {
            "_meta",
            "cursor",
        }:
            return None
        if type((params or {}).get("cursor", "")) is not str:
            return None
        return self._listing(method)

    def _handshake(self, params: Any) -> Message | None:
        """Return the answer to `initialize` if its parameters have the plain form."""
        if self._is_modern is not None:
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
                self._is_modern = False
                return {
                    "result": {
                        "capabilities": _SERVER_CAPABILITIES,
                        "instructions": self._offer.instructions,
                        "protocolVersion": version,
                        "serverInfo": _SERVER_INFO,
                    }
                }
        return None

    def _listing(self, method: str) -> Message | None:
        """Return the answer to a request that lists something, by the era of the connection."""
        if method == "prompts/list":
            # A server without prompts; some clients ask for them all the same.
            return {
                "error": {
                    "code": _METHOD_NOT_FOUND,
                    "message": "Method not found",
                    "data": method,
                }
            }
        result: Message | None = None
        lifetime = 0
        if method == "tools/list":
            result = {"tools": listing(self._offer.tools())}
            lifetime = TOOLS_TTL_MS
        elif method == "resources/templates/list":
            result = {"resourceTemplates": RESOURCE_TEMPLATES}
        elif method == "resources/list" and self._list_resources is not None:
            try:
                result = {"resources": self._list_resources()}
            except FilewrightError:
                return None  # The SDK's handler tells the client what is wrong.
        elif method == "ping" and not self._is_modern:
            return {"result": {}}
        elif method == "server/discover" and self._is_modern:
            result = {
                "capabilities": {
                    **_SERVER_CAPABILITIES,
                    "extensions": {f"{_META}ui": {}},
                },
                "instructions": self._offer.instructions,
                "supportedVersions": [MODERN_VERSION],
            }
        if result is None or not self._is_modern:
            return None if result is None else {"result": result}
        stamp = {
            "cacheScope": "private",
            "resultType": "complete",
            "ttlMs": lifetime,
            "_meta": {f"{_META}serverInfo": _SERVER_INFO},
        }
        return {"result": {**result, **stamp}}


def _is_modern_request(meta: Mapping[str, Any]) -> bool:
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
    texts = all(isinstance(value, str) for value in client.values())
    return texts and _CLIENT_NEEDS <= client.keys() <= _CLIENT_FIELDS


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
