"""Who may use the server over HTTP: bearer tokens of our own, or those of an OAuth authorization server."""

from __future__ import annotations

import hashlib
import hmac
import logging
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp.server.auth.provider import AccessToken

from filewright.errors import Code, FilewrightError

_logger = logging.getLogger(__name__)

SHORTEST = 16
INTROSPECTION_SECONDS = 10.0


class Bearer:
    """A fixed set of tokens, compared in constant time; only their digests are kept."""

    def __init__(self, tokens: Sequence[str]) -> None:
        for token in tokens:
            if len(token) < SHORTEST:
                raise FilewrightError(
                    Code.INVALID_INPUT,
                    f"a bearer token has {len(token)} characters, it needs at least {SHORTEST}",
                    hint="make one with: python -c 'import secrets; print(secrets.token_urlsafe(32))'",
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

    `resource` is this server's public URL: a token issued for another audience is refused.
    """

    endpoint: str
    resource: str
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
        except (httpx2.HTTPError, ValueError) as error:
            _logger.warning("cannot introspect a token at %s: %s", self.endpoint, error)
            return None
        return _access(token, claims, self.resource) if isinstance(claims, dict) else None


def _access(token: str, claims: Mapping[str, Any], resource: str) -> AccessToken | None:
    if claims.get("active") is not True:
        return None
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    wanted = resource.rstrip("/")
    meant = next((str(each) for each in audiences if each and str(each).rstrip("/") == wanted), None)
    expires = claims.get("exp")
    subject = claims.get("sub")
    return AccessToken(
        token=token,
        client_id=str(claims.get("client_id") or "unknown"),
        scopes=str(claims.get("scope") or "").split(),
        expires_at=int(expires) if isinstance(expires, (int, float)) else None,
        resource=meant,
        subject=str(subject) if subject else None,
        claims=dict(claims),
    )


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
            raise FilewrightError(
                Code.INVALID_INPUT,
                f"cannot read the token file {file}: {error}",
                hint="name a readable text file",
            ) from error
        if readable:
            _logger.warning("the token file %s can be read by others; chmod 600 it", file)
        for line in text.splitlines():
            if not line.lstrip().startswith("#"):
                tokens += line.replace(",", " ").split()
    return tokens
