"""Where the HTTP server listens and whom it lets in: beyond this machine nobody without a token."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from filewright.errors import invalid

if TYPE_CHECKING:
    from filewright.server.tokens import Bearer, Introspection


@dataclass(frozen=True)
class OAuth:
    """The authorization server whose tokens are accepted: its issuer URL and the scopes a token needs."""

    issuer: str
    introspection: Introspection
    scopes: Sequence[str] = ()


@dataclass(frozen=True)
class Access:
    """Where to listen and whom to let in.

    `public_url` is how clients reach the server (behind a proxy it differs from `host` and `port`);
    `hosts` and `origins` are let through besides the address itself.
    """

    host: str
    port: int
    bearer: Bearer | None = None
    oauth: OAuth | None = None
    public_url: str | None = None
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not is_loopback(self.host) and self.bearer is None and self.oauth is None:
            raise invalid(
                f"refusing to serve on {self.host} without authentication: anyone could change files",
                "set FILEWRIGHT_HTTP_TOKENS or --token-file, or listen on 127.0.0.1",
            )


def parse_address(text: str) -> tuple[str, int]:
    """`HOST:PORT`, `[IPv6]:PORT`, `:PORT` or `PORT` (the last two on 127.0.0.1); port 0 is any free one."""
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise invalid(f"{text!r} is not HOST:PORT", "for example 127.0.0.1:8765")
    return host, int(port)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach `host`."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
