"""The client's own roots, where the server is to serve nothing beyond them (`--client-roots`).

Only clients of the handshake era name roots. They are asked for before the first call and again after
each `notifications/roots/list_changed`; they narrow what is served and never widen it. A client that
cannot be asked, or that gives no answer, is served nothing until it does; one without the capability
is served the roots as they are.
"""

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
from filewright.boundary import Boundary
from filewright.errors import Code, FilewrightError

_logger = logging.getLogger(__name__)


class ClientRoots:
    """Keeps a boundary within the client's roots, if that is `wanted`."""

    def __init__(self, boundary: Boundary, wanted: bool) -> None:
        self._boundary = boundary
        self._wanted = wanted
        self._known = not wanted
        self._asking = asyncio.Lock()

    async def changed(self, _context: ServerRequestContext[Any, Any], _params: Any) -> None:
        """The client has other roots now: it is asked before the next call."""
        self._known = not self._wanted

    async def settle(self, context: ServerRequestContext[Any, Any]) -> None:
        """Know the client's roots before it is answered. Raises `permission_denied` where it does not say."""
        async with self._asking:
            if self._known:
                return
            capabilities = context.session.client_capabilities
            if capabilities is None or capabilities.roots is None:
                _logger.warning("--client-roots is set, but this client names no roots: all are served")
                self._known = True
                return
            self._boundary.narrow(())
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # roots are of the era that this is for
                    answer = await context.session.list_roots()
            except (MCPError, NoBackChannelError) as error:
                raise FilewrightError(
                    Code.PERMISSION_DENIED,
                    "the client did not say which of its roots may be served",
                    hint="try again, or serve without --client-roots",
                ) from error
            uris = [urlsplit(str(root.uri)) for root in answer.roots]
            files = [(uri.netloc, unquote_to_bytes(uri.path)) for uri in uris if uri.scheme == "file"]
            self._boundary.narrow([os.fsdecode(system.path_of_url(*file)) for file in files])
            self._known = True
