"""The address of an HTTP server, and the tokens of its callers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from filewright.errors import FilewrightError
from filewright.server.access import (
    Access,
    Bearer,
    Introspection,
    is_loopback,
    parse_address,
    read_tokens,
)

TOKEN = "a-token-of-more-than-sixteen"


def test_addresses() -> None:
    assert parse_address("127.0.0.1:80") == ("127.0.0.1", 80)
    assert parse_address("[::1]:80") == ("::1", 80)
    assert parse_address(":80") == parse_address("80") == ("127.0.0.1", 80)
    assert is_loopback("localhost")
    assert is_loopback("127.9.9.9")
    assert is_loopback("::1")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("example.org")
    with pytest.raises(FilewrightError, match="not HOST:PORT"):
        parse_address("host:99999")
    with pytest.raises(FilewrightError, match="refusing to serve"):
        Access("192.0.2.1", 80)


@pytest.mark.anyio
async def test_bearer_tokens() -> None:
    bearer = Bearer([TOKEN, "x" * 20])
    first, second = (
        await bearer.verify_token(TOKEN),
        await bearer.verify_token("x" * 20),
    )
    assert first is not None
    assert second is not None
    assert first.client_id != second.client_id
    assert await bearer.verify_token("") is None
    assert await bearer.verify_token(TOKEN + " ") is None


def test_reads_tokens(tmp_path: Path) -> None:
    file = tmp_path / "t"
    file.write_text("# comment\nfirst second\n\nthird\n")
    assert read_tokens("a,b c", file) == [
        "a",
        "b",
        "c",
        "first",
        "second",
        "third",
    ]
    with pytest.raises(FilewrightError, match="cannot read the token file"):
        read_tokens(None, tmp_path / "absent")


RESOURCE = "https://files.example/mcp"


ISSUER = "https://auth.example"


INTROSPECTION = Introspection(
    f"{ISSUER}/introspect", RESOURCE, ISSUER, "id", "secret"
)


TOKEN_OF_OURS = {"active": True, "aud": RESOURCE}


@pytest.mark.parametrize(
    ("claims", "granted"),
    [
        (
            {
                "active": True,
                "aud": RESOURCE,
                "client_id": "c",
                "scope": "files",
            },
            True,
        ),
        (
            {
                "active": True,
                "aud": [RESOURCE + "/", "other"],
                "client_id": "c",
            },
            True,
        ),
        ({"active": False, "aud": RESOURCE}, False),
        ({"active": "true", "aud": RESOURCE}, False),
        ([], False),
        ({**TOKEN_OF_OURS, "iss": ISSUER + "/"}, True),
        ({**TOKEN_OF_OURS, "iss": "https://other.example"}, False),
        ({**TOKEN_OF_OURS, "iss": [ISSUER]}, False),
        ({**TOKEN_OF_OURS, "exp": 4_000_000_000, "nbf": 1_000_000_000.5}, True),
        ({**TOKEN_OF_OURS, "exp": 1_000_000_000}, False),
        ({**TOKEN_OF_OURS, "exp": "4000000000"}, False),
        ({**TOKEN_OF_OURS, "exp": True}, False),
        ({**TOKEN_OF_OURS, "exp": [4_000_000_000]}, False),
        ({**TOKEN_OF_OURS, "exp": -1}, False),
        ({**TOKEN_OF_OURS, "exp": 10**400}, False),
        ({**TOKEN_OF_OURS, "nbf": -(10**400)}, False),
        ({**TOKEN_OF_OURS, "nbf": 4_000_000_000}, False),
        ("[" * 100_000 + "]" * 100_000, False),
        ("1" * 5_000, False),
        ({**TOKEN_OF_OURS, "nbf": "soon"}, False),
    ],
)
@pytest.mark.anyio
async def test_introspects_tokens(
    monkeypatch: pytest.MonkeyPatch, claims: Any, granted: bool
) -> None:
    import httpx2

    def answer(request: httpx2.Request) -> httpx2.Response:
        assert request.headers["authorization"].startswith("Basic ")
        assert b"token=abc" in request.content
        body = claims if isinstance(claims, str) else json.dumps(claims)
        return httpx2.Response(
            200, text=body, headers={"content-type": "application/json"}
        )

    real = httpx2.AsyncClient
    monkeypatch.setattr(
        httpx2,
        "AsyncClient",
        lambda **options: real(
            transport=httpx2.MockTransport(answer), **options
        ),
    )
    access = await INTROSPECTION.verify_token("abc")
    assert (access is not None) is granted
    if access is not None:
        assert access.resource is not None
        assert access.resource.rstrip("/") == RESOURCE


@pytest.mark.anyio
async def test_unreachable_authorization_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import httpx2

    def fail(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("down")

    real = httpx2.AsyncClient
    monkeypatch.setattr(
        httpx2,
        "AsyncClient",
        lambda **options: real(transport=httpx2.MockTransport(fail), **options),
    )
    assert await INTROSPECTION.verify_token("abc") is None
