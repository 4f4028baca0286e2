"""One server process from start to end: logging, confinement, workspace, transport, orderly leave."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from filewright import system
from filewright.changes.state_dir import state_base_folder
from filewright.listening import on_exit_signal, record_exit_signals
from filewright.settings import Settings
from filewright.wording import escape_unsendable

if TYPE_CHECKING:
    from filewright.server.access import Access
    from filewright.server.calls import CallRunner
    from filewright.server.http import HttpTransport
    from filewright.server.stdio import StdioTransport
    from filewright.workspace import Workspace

_logger = logging.getLogger("filewright.server")

GREETING_SECONDS = 0.03
"""How long a start waits for a client that asks for the tools at once."""
QUIET_SECONDS = 0.2
"""How long a server is left alone before it loads what no call has needed yet."""
DRAIN_SECONDS = 30.0
"""How long the process waits for changes that are being committed when it is asked to stop."""


def serve(
    roots: Sequence[str],
    settings: Settings,
    *,
    toolsets: Sequence[str] | None = None,
    dialect: str | None = None,
    access: Access | None = None,
) -> int:
    """Serve `roots` (none: the workspace's own default) until the client leaves or a signal comes; the exit status.

    With `toolsets` or a `dialect`; over HTTP where there is an `access`. Raises `FilewrightError` when it cannot begin.
    """
    logging.basicConfig(
        stream=sys.stderr,
        level=settings.log_level.upper(),
        format="filewright: %(levelname)s: %(message)s",
    )
    for chatty in ("mcp", "uvicorn", "httpx2"):
        logging.getLogger(chatty).setLevel(
            max(logging.WARNING, logging.getLogger().level)
        )
    with contextlib.ExitStack() as leaving:
        wire = (
            leaving.enter_context(system.claim_standard_streams())
            if access is None
            else None
        )
        gc.disable()  # While modules load: they make a million objects and no garbage.
        leaving.callback(gc.enable)
        from filewright.workspace import Workspace

        # before this process is confined: it is read from /proc
        process = system.client_process_key() if wire else None
        workspace = Workspace(*roots, settings=settings)
        leaving.callback(workspace.close)
        served = ", ".join(
            escape_unsendable(os.fsdecode(root.path))
            for root in workspace.roots
        )
        _logger.info(
            "serving %s; history in %s",
            served,
            escape_unsendable(state_base_folder(settings)),
        )
        if settings.landlock and sys.platform == "linux":
            # While there is a single thread: the kernel confines each by itself.
            _logger.info(confine(workspace, network=access is not None))
        noted = record_exit_signals()
        offer = workspace.offer(dialect, toolsets)
        inbox = None
        if wire is not None:
            from filewright.server.greeting import Greeting
            from filewright.server.inbox import Inbox
            from filewright.server.listing import recent_resources

            # The first messages are answered before the SDK loads, which would slow that down.
            # With client roots, which changes may be listed depends on the client's answer.
            resources = (
                None
                if settings.client_roots
                else partial(recent_resources, workspace)
            )
            greeting = Greeting(offer, resources)
            inbox = Inbox(wire, limit=settings.message_bytes, greeting=greeting)
            inbox.greeting.listed.wait(GREETING_SECONDS)
        from filewright.server.calls import CallRunner
        from filewright.server.protocol import Handlers

        calls = CallRunner(
            workers=settings.workers, seconds=settings.call_seconds
        )
        server = Handlers(workspace, offer, calls, process).server()
        transport: StdioTransport | HttpTransport
        if inbox is not None:
            from filewright.server.stdio import StdioTransport

            transport = StdioTransport(server, inbox)
        elif access is not None:
            from filewright.server.http import HttpTransport

            transport = HttpTransport(server, access, calls, workspace)
        gc.freeze()
        gc.enable()
        import asyncio

        async def until_stopped() -> None:
            on_exit_signal(transport.stop, noted)
            await transport.run()

        leave = threading.Event()
        loader = threading.Thread(
            target=load_while_idle, args=(calls, workspace, leave), daemon=True
        )
        loader.start()
        try:
            asyncio.run(until_stopped())
        finally:
            leave.set()
            loader.join()  # the interpreter must not end while an extension is loaded: that aborts the process
        if not calls.close(DRAIN_SECONDS):
            logging.shutdown()
            os._exit(
                1
            )  # a thread that cannot be ended would hold the interpreter for ever
    return 0


_NEEDED = (
    "sqlite3",
    "re2",
    "rapidfuzz.process",
    "stringzilla",
    "filewright.changes.commit",
    "filewright.changes.undo",
)
"""What calls import late: for history, searches, similar text and long lines, and to change and undo."""


def load_while_idle(
    calls: CallRunner,
    workspace: Workspace,
    leave: threading.Event,
    *,
    quiet: float = QUIET_SECONDS,
) -> None:
    """Load and start what calls will need, bit by bit while none is made: the first call of each would wait for it.

    Ends early once `leave` is set.
    """
    from filewright.tools.surface import entries

    steps: list[Callable[[], object]] = [
        *(
            tool.load for tool in entries().values()
        ),  # the model of its arguments, too
        *(partial(import_module, name) for name in _NEEDED),
        workspace.prepare,
    ]
    leave.wait(quiet)
    for step in steps:
        while not calls.idle and not leave.wait(quiet):
            pass
        if leave.is_set():
            return
        step()


NAME_SERVICE = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/gai.conf",
    "/etc/ssl",
    "/etc/pki",
    "/run/systemd/resolve",
)


def confine(workspace: Workspace, *, network: bool) -> str:
    """Give up for good what this process will not need, before its first message; says what holds, for the log.

    With Landlock the kernel then refuses to write outside the roots and the state folder, and to read outside those,
    the system's programs and libraries and git's settings, whatever bug we or a parser have.
    `network` leaves TCP, which a server on HTTP needs. Must be called before any thread is started.
    """
    from pathlib import Path

    from filewright.system import landlock

    system.stop_flush_threads()  # A recovery may have needed them.
    roots = [root.descriptor for root in workspace.roots]
    state = state_base_folder(workspace.settings)
    excludes = workspace.context.boundary.excludes_path
    reads: list[int | str | bytes] = [
        "/etc/gitconfig",
        *(NAME_SERVICE if network else ()),
    ]
    reads += [] if excludes is None else [excludes]
    writes: list[int | str | bytes] = [*roots, state]
    missing = ""
    if workspace.settings.read_only:
        reads, writes = reads + writes, []
    else:
        try:
            Path(state).mkdir(mode=0o700, parents=True, exist_ok=True)
        except (
            OSError
        ) as error:  # the first change will say what is wrong with it
            writes, missing = [*roots], f"; no state folder: {error.strerror}"
    return landlock.confine(writes, reads, network=network).summary + missing
