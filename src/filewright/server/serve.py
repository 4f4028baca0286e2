"""One server process from start to end."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from filewright import system
from filewright.changes.state_dir import state_base_folder
from filewright.listening import on_exit_signal, record_exit_signals
from filewright.settings import Settings
from filewright.wording import escape_unsendable

if TYPE_CHECKING:
    import io

    from filewright.server.access import Access
    from filewright.server.http import HttpTransport
    from filewright.server.inbox import Inbox
    from filewright.server.stdio import StdioTransport
    from filewright.tools.bound_tools import BoundTools
    from filewright.workspace import Workspace

_logger = logging.getLogger("filewright.server")

GREETING_SECONDS = 0.03
"""The time for which a start waits for a client that asks for the tools at once."""
DRAIN_SECONDS = 30.0
"""The time in which running commits may end when the process is asked to stop."""
_NOISY_LOGGERS = ("mcp", "uvicorn", "httpx2")


def serve(
    roots: Sequence[str],
    settings: Settings,
    *,
    toolsets: Sequence[str] | None = None,
    dialect: str | None = None,
    access: Access | None = None,
) -> int:
    """Serve roots until the client leaves or a signal comes; return the exit status.

    Without roots, the workspace's default is served. With `access` the server listens
    on HTTP. Raise `FilewrightError` if it cannot begin.
    """
    _configure_logging(settings)
    with contextlib.ExitStack() as stack:
        streams = None
        if access is None:
            streams = stack.enter_context(system.claim_standard_streams())
        from filewright.workspace import Workspace

        # It is read from /proc, which is closed to a confined process.
        client_process = system.client_process_key() if streams else None
        workspace = Workspace(*roots, settings=settings)
        stack.callback(workspace.close)
        _log_start(workspace)
        if settings.landlock and sys.platform == "linux":
            from filewright.server.confinement import confine

            # While there is a single thread: the kernel confines each by itself.
            _logger.info(confine(workspace, network=access is not None))
        signals = record_exit_signals()
        bound_tools = workspace.offer(dialect, toolsets)
        inbox = None
        if streams is not None:
            inbox = _open_inbox(workspace, bound_tools, streams)
        from filewright.server.calls import CallRunner
        from filewright.server.handlers import Handlers
        from filewright.server.preloading import preload_while_idle

        calls = CallRunner(
            workers=settings.workers, seconds=settings.call_seconds
        )
        server = Handlers(
            workspace, bound_tools, calls, client_process
        ).server()
        transport: StdioTransport | HttpTransport
        if inbox is not None:
            from filewright.server.stdio import StdioTransport

            transport = StdioTransport(server, inbox)
        else:
            from filewright.server.http import HttpTransport

            assert access is not None
            transport = HttpTransport(server, access, calls, workspace)

        async def run() -> None:
            on_exit_signal(transport.stop, signals)
            await transport.run()

        # Imported after the greeting, which it would delay.
        import asyncio

        with preload_while_idle(calls, workspace):
            asyncio.run(run())
        if not calls.close(DRAIN_SECONDS):
            # A thread that does not end would keep the interpreter from ending.
            logging.shutdown()
            os._exit(1)
    return 0


def _configure_logging(settings: Settings) -> None:
    logging.basicConfig(
        stream=sys.stderr,
        level=settings.log_level.upper(),
        format="filewright: %(levelname)s: %(message)s",
    )
    level = max(logging.WARNING, logging.getLogger().level)
    for name in _NOISY_LOGGERS:
        logging.getLogger(name).setLevel(level)


def _log_start(workspace: Workspace) -> None:
    roots = ", ".join(
        escape_unsendable(os.fsdecode(root.path)) for root in workspace.roots
    )
    state = escape_unsendable(state_base_folder(workspace.settings))
    _logger.info("serving %s; history in %s", roots, state)


def _open_inbox(
    workspace: Workspace,
    bound_tools: BoundTools,
    streams: tuple[io.FileIO, io.FileIO],
) -> Inbox:
    """Read from the client, and answer its first messages before the SDK loads."""
    from filewright.server.greeting import Greeting
    from filewright.server.inbox import Inbox
    from filewright.server.listing import list_recent_resources

    list_resources = None
    # With client roots, the answer of the client decides which changes are visible.
    if not workspace.settings.client_roots:
        list_resources = partial(list_recent_resources, workspace)
    greeting = Greeting(bound_tools, list_resources)
    inbox = Inbox(
        streams, limit=workspace.settings.message_bytes, greeting=greeting
    )
    # Importing the SDK meanwhile would slow the answers down.
    greeting.listed.wait(GREETING_SECONDS)
    return inbox
