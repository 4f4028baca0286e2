"""The address of an HTTP server, and the tokens of its callers.

Beyond this machine every caller needs a token: a bearer token of the server's own, or
one of an OAuth authorization server.
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

MIN_TOKEN_CHARS = 16
"""Shorter tokens can be guessed: 16 characters of base64 are 96 bits."""
INTROSPECTION_SECONDS = 10.0
"""The time for an answer of the authorization server; the request is refused then."""
CLOCK_SLACK_SECONDS = 30.0
"""The most by which the authorization server's clock may differ from ours."""
_MAX_TIME = 1e12
"""Seconds since 1970 above which a number is no time: JSON's have any size."""


class Bearer:
    """A fixed set of tokens. Only their digests are kept."""

    def __init__(self, tokens: Sequence[str]) -> None:
        """Raise `invalid_input` for a token that is too short."""
        for token in tokens:
            if len(token) < MIN_TOKEN_CHARS:
                raise invalid(
                    f"a bearer token has {len(token)} characters, "
                    f"it needs at least {MIN_TOKEN_CHARS}",
                    "make one with: python -c "
                    "'import secrets; print(secrets.token_urlsafe(32))'",
                )
        self._digests = [
            hashlib.sha256(token.encode()).digest() for token in tokens
        ]

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the access that a token gives, or None for an unknown one."""
        digest = hashlib.sha256(
            token.encode("utf-8", "surrogateescape")
        ).digest()
        # All digests are compared, so that the time tells nothing about them.
        matches = [
            hmac.compare_digest(digest, known) for known in self._digests
        ]
        if True not in matches:
            return None
        number = matches.index(True) + 1
        return AccessToken(token=token, client_id=f"bearer-{number}", scopes=[])


@dataclass(frozen=True)
class Introspection:
    """The tokens of an OAuth authorization server, checked there (RFC 7662).

    `resource` is the public URL of this server. A token is refused if it is for another
    audience, of another `issuer`, without the `scopes`, not valid yet, or if its times
    cannot be read.
    """

    endpoint: str
    resource: str
    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    scopes: Sequence[str] = ()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the access that the authorization server grants a token.

        Return None for an inactive token, and for one that cannot be checked.
        """
        import httpx2

        try:
            async with httpx2.AsyncClient(
                timeout=INTROSPECTION_SECONDS, follow_redirects=False
            ) as client:
                response = await client.post(
                    self.endpoint,
                    data={"token": token},
                    auth=(self.client_id, self.client_secret),
                )
                response.raise_for_status()
                claims = response.json()
            if not isinstance(claims, dict):
                return None
            return self._grant(token, claims)
        except (httpx2.HTTPError, ValueError, RecursionError) as error:
            _logger.warning(
                "cannot introspect a token at %s: %s", self.endpoint, error
            )
            return None

    def _grant(
        self, token: str, claims: Mapping[str, Any]
    ) -> AccessToken | None:
        if claims.get("active") is not True:
            return None
        # An answer need not name an issuer (RFC 7662, 2.2), but no other one.
        issuer = claims.get("iss")
        if issuer is not None and not _is_same_url(issuer, self.issuer):
            return None
        expires = claims.get("exp")
        if not _is_valid_now(claims.get("nbf"), expires):
            return None
        audiences = claims.get("aud")
        if not isinstance(audiences, list):
            audiences = [audiences]
        resource = None
        for audience in audiences:
            if _is_same_url(audience, self.resource):
                resource = audience
                break
        return AccessToken(
            token=token,
            client_id=str(claims.get("client_id") or "unknown"),
            scopes=str(claims.get("scope") or "").split(),
            expires_at=None if expires is None else int(expires),
            resource=resource,
            subject=str(claims.get("sub") or "") or None,
            claims=dict(claims),
        )


def _is_same_url(value: object, url: str) -> bool:
    return isinstance(value, str) and value.rstrip("/") == url.rstrip("/")


def _is_valid_now(begins: Any, expires: Any) -> bool:
    """Return True if now lies between two times; None is no limit.

    Return False if one of them is no time.
    """
    now = time.time()
    begins = now if begins is None else begins
    expires = now if expires is None else expires
    for moment in (begins, expires):
        if type(moment) not in (int, float) or not abs(moment) < _MAX_TIME:
            return False
    is_valid = (
        begins - CLOCK_SLACK_SECONDS <= now < expires + CLOCK_SLACK_SECONDS
    )
    return bool(is_valid)


@dataclass(frozen=True, slots=True)
class AllowedNames:
    """The values of the headers Host and Origin by which requests may name a server."""

    hosts: Sequence[str]
    origins: Sequence[str]


@dataclass(frozen=True)
class Access:
    """The address of the server, and the callers that it admits.

    Without a `verifier` every caller of this machine is admitted. Behind a proxy
    `public_url` is the address for clients. Requests may also name the `hosts` and
    `origins`.
    """

    host: str
    port: int
    verifier: Bearer | Introspection | None = None
    public_url: str | None = None
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Raise `invalid_input` for an open server beyond this machine."""
        if not is_loopback(self.host) and self.verifier is None:
            raise invalid(
                f"refusing to serve on {self.host} without authentication: "
                "anyone could change files",
                "set FILEWRIGHT_HTTP_TOKENS or --token-file, or listen on "
                "127.0.0.1",
            )

    def allowed_names(self, port: int) -> AllowedNames:
        """Return the names of the server, which listens on a port; the first is its own."""
        names = [f"[{self.host}]" if ":" in self.host else self.host]
        if is_loopback(self.host):
            names += ["localhost", "127.0.0.1", "[::1]"]
        hosts = [f"{name}:{port}" for name in names]
        origins = [f"http://{host}" for host in hosts]
        if port in (80, 443):
            hosts += names
        if self.public_url:
            origin = "/".join(self.public_url.split("/")[:3])
            origins.append(origin)
            hosts.append(origin.partition("://")[2])
        hosts += self.hosts
        origins += self.origins
        return AllowedNames([host.lower() for host in hosts], origins)

    def authentication(self, port: int) -> AuthSettings | None:
        """Return the settings of the SDK, or None without a verifier."""
        if self.verifier is None:
            return None
        facts: dict[str, Any]
        if isinstance(self.verifier, Introspection):
            facts = {
                "issuer_url": self.verifier.issuer,
                "resource_server_url": self.verifier.resource,
                "required_scopes": list(self.verifier.scopes) or None,
                "validate_token_resource": True,
            }
        else:
            own_origin = self.allowed_names(port).origins[0]
            facts = {
                "issuer_url": self.public_url or own_origin,
                "resource_server_url": None,
            }
        # Validated from texts: the types of the fields add a slash to the issuer.
        return AuthSettings.model_validate(facts)


def read_tokens(variable: str | None, file: Path | None) -> list[str]:
    """Return the tokens in an environment variable's value and in a file.

    They are separated by white space or commas; lines of the file that begin with `#`
    are comments. Raise `invalid_input` for a file that cannot be read.
    """
    texts = [variable or ""]
    if file is not None:
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
            is_public = file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH)
        except (OSError, UnicodeDecodeError) as error:
            raise invalid(
                f"cannot read the token file {file}: {error}",
                "name a readable text file",
            ) from error
        if is_public:
            _logger.warning(
                "the token file %s can be read by others; chmod 600 it", file
            )
        for line in lines:
            if not line.lstrip().startswith("#"):
                texts.append(line)
    return " ".join(texts).replace(",", " ").split()


def parse_address(text: str) -> tuple[str, int]:
    """Return host and port of `HOST:PORT`, `[IPv6]:PORT`, `:PORT` or `PORT`.

    Without a host it is 127.0.0.1; port 0 is any free one. Raise `invalid_input`.
    """
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise invalid(
            f"{text!r} is not HOST:PORT", "for example 127.0.0.1:8765"
        )
    return host, int(port)


def is_loopback(host: str) -> bool:
    """Return True if only this machine can reach a host."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
