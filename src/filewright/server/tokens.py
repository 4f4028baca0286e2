"""Who may use the server over HTTP: bearer tokens of our own, or those of an OAuth authorization server."""

from __future__ import annotations

import hashlib
import hmac
import logging
import stat
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp.server.auth.provider import AccessToken

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
        self._digests = [hashlib.sha256(token.encode()).digest() for token in tokens]

    async def verify_token(self, token: str) -> AccessToken | None:
        """The access a token gives; None if it is not one of ours."""
        digest = hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
        matches = [hmac.compare_digest(digest, known) for known in self._digests]
        if True not in matches:
            return None
        return AccessToken(token=token, client_id=f"bearer-{matches.index(True) + 1}", scopes=[])


@dataclass(frozen=True)
class Introspection:
    """Tokens of an OAuth authorization server, each checked at its introspection endpoint (RFC 7662).

    `resource` is this server's public URL: a token issued for another audience is refused, and so is
    one of another `issuer`, one that is not valid yet, and one whose times cannot be read.
    """

    endpoint: str
    resource: str
    issuer: str
    client_id: str
    client_secret: str = field(repr=False)

    async def verify_token(self, token: str) -> AccessToken | None:
        """What the authorization server says of `token`; None if it is inactive or cannot be checked."""
        import httpx2

        try:
            async with httpx2.AsyncClient(timeout=INTROSPECTION_SECONDS, follow_redirects=False) as client:
                answer = await client.post(
                    self.endpoint, data={"token": token}, auth=(self.client_id, self.client_secret)
                )
                answer.raise_for_status()
                claims = answer.json()
            return self._access(token, claims) if isinstance(claims, dict) else None
        except (httpx2.HTTPError, ValueError, RecursionError) as error:
            _logger.warning("cannot introspect a token at %s: %s", self.endpoint, error)
            return None

    def _access(self, token: str, claims: Mapping[str, Any]) -> AccessToken | None:
        if claims.get("active") is not True or not self._is_from_issuer(claims) or not _is_timely(claims):
            return None
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        wanted = self.resource.rstrip("/")
        meant = next((str(each) for each in audiences if each and str(each).rstrip("/") == wanted), None)
        expires = claims.get("exp")
        subject = claims.get("sub")
        return AccessToken(
            token=token,
            client_id=str(claims.get("client_id") or "unknown"),
            scopes=str(claims.get("scope") or "").split(),
            expires_at=None if expires is None else int(expires),
            resource=meant,
            subject=str(subject) if subject else None,
            claims=dict(claims),
        )

    def _is_from_issuer(self, claims: Mapping[str, Any]) -> bool:
        """Introspection answers need not name an issuer (RFC 7662, 2.2); one that does must name ours."""
        issuer = claims.get("iss")
        return issuer is None or (isinstance(issuer, str) and issuer.rstrip("/") == self.issuer.rstrip("/"))


def _is_timely(claims: Mapping[str, Any]) -> bool:
    """Whether `exp` and `nbf`, where they are given, are times, and now lies between them."""
    now = time.time()
    for name in ("exp", "nbf"):
        at = claims.get(name)
        if at is None:
            continue
        if isinstance(at, bool) or not isinstance(at, (int, float)) or not abs(at) < _NO_TIME:
            return False
        if now >= at + CLOCK_SECONDS if name == "exp" else now < at - CLOCK_SECONDS:
            return False
    return True


def read_tokens(listed: str | None, file: Path | None) -> list[str]:
    """Tokens from an environment variable's value and from a file: separated by white space or commas.

    Lines of the file that begin with `#` are comments. Raises `FilewrightError` for a file that cannot
    be read.
    """
    tokens = (listed or "").replace(",", " ").split()
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
            readable = file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH)
        except (OSError, UnicodeDecodeError) as error:
            raise invalid(
                f"cannot read the token file {file}: {error}",
                "name a readable text file",
            ) from error
        if readable:
            _logger.warning("the token file %s can be read by others; chmod 600 it", file)
        for line in text.splitlines():
            if not line.lstrip().startswith("#"):
                tokens += line.replace(",", " ").split()
    return tokens
