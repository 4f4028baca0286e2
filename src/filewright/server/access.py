"""Where the HTTP server listens and whom it lets in: beyond this machine nobody without a token.

Tokens are bearer tokens of our own, or those of an OAuth authorization server.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import logging
import stat
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings

from filewright.errors import invalid

_logger = logging.getLogger(__name__)

SHORTEST = 16
INTROSPECTION_SECONDS = 10.0
CLOCK_SECONDS = 30.0
"""How far the authorization server's clock may be from ours."""
_NO_TIME = 1e12
"""Seconds since 1970 from which on a number is no time; integers of JSON have any number of digits."""


class Bearer:
    """A fixed set of tokens, compared in constant time; only their digests are kept."""

    def __init__(self, tokens: Sequence[str]) -> None:
        for token in tokens:
            if len(token) < SHORTEST:
                raise invalid(
                    f"a bearer token has {len(token)} characters, it needs at least {SHORTEST}",
                    "make one with: python -c 'import secrets; print(secrets.token_urlsafe(32))'",
                )
        self._digests = [
            hashlib.sha256(token.encode()).digest() for token in tokens
        ]

    async def verify_token(self, token: str) -> AccessToken | None:
        """The access a token gives; None if it is not one of ours."""
        digest = hashlib.sha256(
            token.encode("utf-8", "surrogateescape")
        ).digest()
        matches = [
            hmac.compare_digest(digest, known) for known in self._digests
        ]
        if True not in matches:
            return None
        return AccessToken(
            token=token,
            client_id=f"bearer-{matches.index(True) + 1}",
            scopes=[],
        )


@dataclass(frozen=True)
class Introspection:
    """Tokens of an OAuth authorization server, each checked at its introspection endpoint (RFC 7662).

    `resource` is this server's public URL: a token issued for another audience is refused, and so is
    one of another `issuer`, one without the `scopes`, one that is not valid yet, and one whose times cannot be read.
    """

    endpoint: str
    resource: str
    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    scopes: Sequence[str] = ()

    async def verify_token(self, token: str) -> AccessToken | None:
        """What the authorization server says of `token`; None if it is inactive or cannot be checked."""
        import httpx2

        try:
            async with httpx2.AsyncClient(
                timeout=INTROSPECTION_SECONDS, follow_redirects=False
            ) as client:
                answer = await client.post(
                    self.endpoint,
                    data={"token": token},
                    auth=(self.client_id, self.client_secret),
                )
                answer.raise_for_status()
                claims = answer.json()
            return (
                self._access(token, claims)
                if isinstance(claims, dict)
                else None
            )
        except (httpx2.HTTPError, ValueError, RecursionError) as error:
            _logger.warning(
                "cannot introspect a token at %s: %s", self.endpoint, error
            )
            return None

    def _access(
        self, token: str, claims: Mapping[str, Any]
    ) -> AccessToken | None:
        issuer, audience, expires = (
            claims.get("iss"),
            claims.get("aud"),
            claims.get("exp"),
        )
        # Introspection answers need not name an issuer (RFC 7662, 2.2); one that does must name ours.
        known = issuer is None or _is_same(issuer, self.issuer)
        if (
            claims.get("active") is not True
            or not known
            or not _is_timely(expires, claims.get("nbf"))
        ):
            return None
        audiences = audience if isinstance(audience, list) else [audience]
        return AccessToken(
            token=token,
            client_id=str(claims.get("client_id") or "unknown"),
            scopes=str(claims.get("scope") or "").split(),
            expires_at=None if expires is None else int(expires),
            resource=next(
                (each for each in audiences if _is_same(each, self.resource)),
                None,
            ),
            subject=str(claims.get("sub") or "") or None,
            claims=dict(claims),
        )


def _is_same(given: object, url: str) -> bool:
    return isinstance(given, str) and given.rstrip("/") == url.rstrip("/")


def _is_timely(expires: Any, begins: Any) -> bool:
    """Whether these are times, where they are given, and now lies between them."""
    now = time.time()
    times = [now if at is None else at for at in (begins, expires)]
    if not all(type(at) in (int, float) and abs(at) < _NO_TIME for at in times):
        return False
    return bool(times[0] - CLOCK_SECONDS <= now < times[1] + CLOCK_SECONDS)


@dataclass(frozen=True)
class Access:
    """Where to listen and whom to let in: anybody on this machine, or who has a token that the `verifier` knows.

    `public_url` is how clients reach the server (behind a proxy it differs from `host` and `port`);
    `hosts` and `origins` are let through besides the address itself.
    """

    host: str
    port: int
    verifier: Bearer | Introspection | None = None
    public_url: str | None = None
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not is_loopback(self.host) and self.verifier is None:
            raise invalid(
                f"refusing to serve on {self.host} without authentication: anyone could change files",
                "set FILEWRIGHT_HTTP_TOKENS or --token-file, or listen on 127.0.0.1",
            )

    def served_as(self, port: int) -> tuple[list[str], list[str]]:
        """The hosts and the origins by which requests may name a server that listens there."""
        names = [f"[{self.host}]" if ":" in self.host else self.host]
        if is_loopback(self.host):
            names += ["localhost", "127.0.0.1", "[::1]"]
        hosts = [f"{name}:{port}" for name in names]
        origins = [f"http://{host}" for host in hosts]
        if port in (80, 443):
            hosts += names
        if self.public_url:
            origins.append("/".join(self.public_url.split("/")[:3]))
            hosts.append(origins[-1].partition("://")[2])
        return [host.lower() for host in (*hosts, *self.hosts)], [
            *origins,
            *self.origins,
        ]

    def authentication(self, port: int) -> AuthSettings | None:
        """The same as the SDK wants to know it; as text, so that no slash is added to the issuer."""
        if self.verifier is None:
            return None
        facts: dict[str, Any] = {
            "issuer_url": self.public_url or self.served_as(port)[1][0]
        }
        if isinstance(self.verifier, Introspection):
            facts = {
                "issuer_url": self.verifier.issuer,
                "required_scopes": list(self.verifier.scopes) or None,
                "validate_token_resource": True,
            }
        resource = getattr(self.verifier, "resource", None)
        return AuthSettings.model_validate(
            {**facts, "resource_server_url": resource}
        )


def read_tokens(listed: str | None, file: Path | None) -> list[str]:
    """Tokens from an environment variable's value and from a file: separated by white space or commas.

    Lines of the file that begin with `#` are comments. Raises `FilewrightError` for a file that cannot
    be read.
    """
    found = [listed or ""]
    if file is not None:
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
            readable = file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH)
        except (OSError, UnicodeDecodeError) as error:
            raise invalid(
                f"cannot read the token file {file}: {error}",
                "name a readable text file",
            ) from error
        if readable:
            _logger.warning(
                "the token file %s can be read by others; chmod 600 it", file
            )
        found += [line for line in lines if not line.lstrip().startswith("#")]
    return " ".join(found).replace(",", " ").split()


def parse_address(text: str) -> tuple[str, int]:
    """`HOST:PORT`, `[IPv6]:PORT`, `:PORT` or `PORT` (the last two on 127.0.0.1); port 0 is any free one."""
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise invalid(
            f"{text!r} is not HOST:PORT", "for example 127.0.0.1:8765"
        )
    return host, int(port)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach `host`."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
