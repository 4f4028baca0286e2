"""The first words with a client, before the SDK is there: its import takes most of a start.

A client of the handshake era says hello, asks for the tools and pings. What those are answered depends on nothing that
the SDK knows, so it is said at once, byte for byte as the SDK would say it (a test compares them). Anything else,
in any form that is not the plainest, is for the SDK, and so is all that follows it.
"""

from __future__ import annotations

import json
import threading
from typing import Any

from filewright import __version__
from filewright.server.listing import listing
from filewright.tools import Offer

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The versions that begin with a handshake; another one is for the SDK to answer."""
_CAPABILITIES = {"roots", "sampling", "elicitation", "experimental", "extensions", "tasks"}
_OPEN = {"experimental", "extensions"}
"""Those whose members may hold anything."""
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
    """Answers to the first messages, of what is offered."""

    def __init__(self, offer: Offer) -> None:
        self.welcomed: int | str | None = None
        """The id of the handshake, which the SDK is to answer too, for itself: its answer is not sent again."""
        self.listed = threading.Event()
        """Set once the tools were listed, or will not be here."""
        self._offer = offer
        self._over = False

    def answer(self, line: bytes) -> tuple[bytes, bool]:
        """What is said to a message, and whether that settles it: else it is for the SDK, too."""
        try:
            asked = None if self._over else json.loads(line)
        except (ValueError, RecursionError):
            asked = None
        match asked:
            case {"jsonrpc": "2.0", "method": "notifications/initialized", **rest} if not rest:
                return b"", False
            case {"jsonrpc": "2.0", "id": number, "method": method, **rest} if self._can_repeat(number):
                result = self._result(method, rest.pop("params", None))
                if result is not None and not rest:
                    answer = {"jsonrpc": "2.0", "id": number, "result": result}
                    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
                    if method == "initialize":
                        self.welcomed = number
                    if method == "tools/list":
                        self.listed.set()
                    return text.encode() + b"\n", method != "initialize"
        self._over = True
        self.listed.set()
        return b"", False

    def _can_repeat(self, number: Any) -> bool:
        """Whether an id is a plain one, and not that of the handshake."""
        if isinstance(number, str):
            plain = number.isascii() and number.isprintable()
        else:
            plain = type(number) is int and abs(number) < 1 << 53
        return plain and number != self.welcomed

    def _result(self, method: Any, params: Any) -> dict[str, Any] | None:
        """What a request is answered, its members in the order of the SDK; None: not here."""
        if method == "initialize" and self.welcomed is None:
            match params:
                case {"protocolVersion": version, "capabilities": dict(can), "clientInfo": dict(who), **rest}:
                    known = version in VERSIONS and _ABOUT >= who.keys() >= {"name", "version"} and not rest
                    named = all(isinstance(value, str) for value in who.values())
                    if known and named and all(_is_plain(*capability) for capability in can.items()):
                        says = {"instructions": self._offer.instructions, "protocolVersion": version}
                        return {**_CAN, **says, **_NAME}
        elif params in (None, {}):
            if method == "tools/list" and self.welcomed is not None:
                return {"tools": listing(self._offer.tools())}
            return {} if method == "ping" else None
        return None


def _is_plain(name: str, capability: Any) -> bool:
    """Whether a capability is of a shape that the SDK accepts whatever it means."""
    return (
        name in _CAPABILITIES
        and isinstance(capability, dict)
        and all(
            isinstance(each, bool)
            if name == "roots"
            else each == {} or (isinstance(each, dict) and name in _OPEN)
            for each in capability.values()
        )
    )
