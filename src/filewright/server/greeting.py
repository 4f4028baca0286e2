"""The first words with a client, before the SDK is there: its import takes most of a start.

A client of the handshake era says hello, asks for the tools and pings. What those are answered depends on nothing that
the SDK knows, so it is said at once, byte for byte as the SDK would say it (a test compares them). Anything else,
in any form that is not the plainest, is the SDK's business, and so is all that follows it.
"""

from __future__ import annotations

import json
import threading
from typing import Any

from filewright import __version__
from filewright.server.listing import listing
from filewright.surface import Offer

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The versions that begin with a handshake; another one is for the SDK to answer."""
_CAPABILITIES = {"roots", "sampling", "elicitation", "experimental", "extensions", "tasks"}
_ABOUT = {"name", "version", "title", "description", "websiteUrl"}

_CAN = {
    "capabilities": {
        "completions": {},
        "resources": {"listChanged": False, "subscribe": False},
        "tools": {"listChanged": False},
    }
}
_NAME = {"serverInfo": {"name": "filewright", "title": "filewright", "version": __version__}}


class Greeting:
    """Answers to the first messages, of what is offered; `told` has those that were given, by their requests' ids."""

    def __init__(self, offer: Offer) -> None:
        self.told: dict[int | str, bytes] = {}
        self.listed = threading.Event()
        """Set once the tools were listed, or will not be here."""
        self._offer = offer
        self._welcomed = False
        self._over = False

    def answer(self, line: bytes) -> bytes:
        """What is said to a message, if anything."""
        if self._over:
            return b""
        try:
            asked = json.loads(line)
        except (ValueError, RecursionError):
            asked = None
        match asked:
            case {"jsonrpc": "2.0", "method": "notifications/initialized", **rest} if not rest:
                return b""
            case {"jsonrpc": "2.0", "id": number, "method": method, **rest} if self._can_repeat(number):
                result = self._result(method, rest.pop("params", None))
                if result is not None and not rest:
                    answer = {"jsonrpc": "2.0", "id": number, "result": result}
                    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
                    self.told[number] = text.encode() + b"\n"
                    self._welcomed = self._welcomed or method == "initialize"
                    if method == "tools/list":
                        self.listed.set()
                    return self.told[number]
        self._over = True
        self.listed.set()
        return b""

    def _can_repeat(self, number: Any) -> bool:
        """Whether an id is a plain one, and is new."""
        if isinstance(number, str):
            plain = number.isascii() and number.isprintable()
        else:
            plain = type(number) is int and abs(number) < 1 << 53
        return plain and number not in self.told

    def _result(self, method: Any, params: Any) -> dict[str, Any] | None:
        """What a request is answered, its members in the order of the SDK; None: not here."""
        if method == "initialize" and not self._welcomed:
            return self._welcome(params)
        if params not in (None, {}):
            return None
        if method == "tools/list" and self._welcomed:
            return {"tools": listing(self._offer.tools())}
        return {} if method == "ping" else None

    def _welcome(self, params: Any) -> dict[str, Any] | None:
        match params:
            case {
                "protocolVersion": version,
                "capabilities": dict() as can,
                "clientInfo": dict() as who,
                **rest,
            }:
                known = version in VERSIONS and can.keys() <= _CAPABILITIES and not rest
                named = _ABOUT >= who.keys() >= {"name", "version"}
                plain = all(isinstance(value, str) for value in who.values()) and all(
                    isinstance(each, dict) and all(_is_plain(value, name) for value in each.values())
                    for name, each in can.items()
                )
                if known and named and plain:
                    return {
                        **_CAN,
                        "instructions": self._offer.instructions,
                        "protocolVersion": version,
                        **_NAME,
                    }
        return None


def _is_plain(value: Any, name: str) -> bool:
    """Whether a member of a capability is of a shape that the SDK accepts wherever it stands."""
    if name == "roots":
        return isinstance(value, bool)
    return isinstance(value, dict) and (
        name in ("experimental", "extensions") or all(_is_plain(each, name) for each in value.values())
    )
