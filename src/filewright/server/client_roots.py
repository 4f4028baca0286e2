"""The client's own roots, within which a server with `--client-roots` stays."""

from __future__ import annotations

import asyncio
import logging
import os
import warnings
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError, NoBackChannelError

from filewright import system
from filewright.boundary.boundary import Boundary
from filewright.errors import Code, FilewrightError

_logger = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]


class ClientRoots:
    """The roots that the client names; they narrow the boundary and never widen it.

    Only clients of the handshake era name roots. They are asked before the first call,
    and again after each `notifications/roots/list_changed`. A client that cannot be
    asked, or that does not answer, is served nothing until it does. A client without
    the capability is served all roots. Without `is_enabled` no client is asked.
    """

    def __init__(self, boundary: Boundary, is_enabled: bool) -> None:
        self._boundary = boundary
        self._is_enabled = is_enabled
        self._is_current = not is_enabled
        self._asking = asyncio.Lock()

    async def invalidate(self, _context: Context, _params: Any) -> None:
        """Ask the client again before its next call: its roots have changed."""
        self._is_current = not self._is_enabled

    async def require(self, context: Context) -> None:
        """Make sure that the client's roots are known.

        Raise `permission_denied` if the client does not name them.
        """
        async with self._asking:
            if self._is_current:
                return
            capabilities = context.session.client_capabilities
            if capabilities is None or capabilities.roots is None:
                _logger.warning(
                    "--client-roots is set, but this client names no roots: "
                    "all are served"
                )
            else:
                # Nothing is served while the client is asked, and if it does not answer.
                self._boundary.restrict(())
                self._boundary.restrict(await _request_roots(context))
            self._is_current = True


async def _request_roots(context: Context) -> list[str]:
    """Ask the client for its roots; return their paths."""
    try:
        with warnings.catch_warnings():
            # The SDK deprecates roots, which later protocols do not have.
            warnings.simplefilter("ignore")
            answer = await context.session.list_roots()
    except (MCPError, NoBackChannelError) as error:
        raise FilewrightError(
            Code.PERMISSION_DENIED,
            "the client did not say which of its roots may be served",
            hint="try again, or serve without --client-roots",
        ) from error
    paths: list[str] = []
    for root in answer.roots:
        url = urlsplit(str(root.uri))
        if url.scheme != "file":
            continue
        # A URL with another host names no folder of this machine.
        path = system.path_from_file_url(url.netloc, unquote_to_bytes(url.path))
        if path is not None:
            paths.append(os.fsdecode(path))
    return paths
