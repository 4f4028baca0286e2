"""A workspace for programs with an event loop: calls are awaited, and none blocks it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Coroutine, Sequence
from functools import update_wrapper
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    ParamSpec,
    Self,
    TypeVar,
    Unpack,
    overload,
)

import anyio
import anyio.to_thread

from filewright.progress import Report, Task
from filewright.settings import Settings
from filewright.tools.methods import ReadOptions, ReadRequest, ToolMethods
from filewright.tools.tool import ListedTool
from filewright.workspace import AnyPath, Workspace

if TYPE_CHECKING:
    from filewright.tools.read.result import FileRead, FilesRead

P = ParamSpec("P")
R = TypeVar("R")


def _awaited(
    method: Callable[Concatenate[Workspace, P], R],
) -> Callable[Concatenate[AsyncWorkspace, P], Coroutine[Any, Any, R]]:
    """Return a method with the same arguments and result that runs in a worker thread."""

    async def call(
        self: AsyncWorkspace, /, *arguments: P.args, **named: P.kwargs
    ) -> R:
        return await self._in_thread(
            lambda task: method(self.blocking.under(task), *arguments, **named)
        )

    update_wrapper(call, method)
    return call


class AsyncWorkspace:
    """A `Workspace` whose methods are awaited, under asyncio or trio.

    Each call runs in one of anyio's worker threads. A call that is cancelled stops its
    work at the next check and waits for its end, so that a change is made whole or not at
    all. `report` is called from the worker threads with the progress of long calls.
    """

    def __init__(
        self,
        root: AnyPath | None = None,
        *more_roots: AnyPath,
        read_only: bool | None = None,
        state_dir: AnyPath | None = None,
        settings: Settings | None = None,
        session: str | None = None,
        client: str | None = None,
        report: Report | None = None,
    ) -> None:
        roots = (root, *more_roots) if root is not None else ()
        self.blocking = Workspace(
            *roots,
            read_only=read_only,
            state_dir=state_dir,
            settings=settings,
            session=session,
            client=client,
        )
        """The workspace itself, for calls that never wait, such as `roots`."""
        self._report = report

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Release the roots and the child processes; the workspace must not be used after."""
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self.blocking.close)

    def tools(
        self,
        toolsets: Collection[str] | None = None,
        *,
        dialect: str | None = None,
    ) -> Sequence[ListedTool]:
        """Return the tools, as `Workspace.tools`."""
        return self.blocking.tools(toolsets, dialect=dialect)

    call = _awaited(Workspace.call)
    list_files = _awaited(ToolMethods.list_files)
    stat = _awaited(ToolMethods.stat)
    get_overview = _awaited(ToolMethods.get_overview)
    get_overviews = _awaited(ToolMethods.get_overviews)
    get_map = _awaited(ToolMethods.get_map)
    search = _awaited(ToolMethods.search)
    edit = _awaited(ToolMethods.edit)
    apply_patch = _awaited(ToolMethods.apply_patch)
    replace = _awaited(ToolMethods.replace)
    write = _awaited(ToolMethods.write)
    write_all = _awaited(ToolMethods.write_all)
    create_directories = _awaited(ToolMethods.create_directories)
    move = _awaited(ToolMethods.move)
    copy = _awaited(ToolMethods.copy)
    delete = _awaited(ToolMethods.delete)
    set_permissions = _awaited(ToolMethods.set_permissions)
    get_history = _awaited(ToolMethods.get_history)
    revert_edit = _awaited(ToolMethods.revert_edit)

    # A decorator cannot carry overloads over, so this one is written out.

    @overload
    async def read(
        self, path: str, **options: Unpack[ReadOptions]
    ) -> FileRead: ...

    @overload
    async def read(
        self, *, paths: Sequence[str], **options: Unpack[ReadOptions]
    ) -> FilesRead: ...

    @overload
    async def read(
        self, *, items: Sequence[ReadRequest], **options: Unpack[ReadOptions]
    ) -> FilesRead: ...

    async def read(self, *paths: Any, **options: Any) -> FileRead | FilesRead:
        """Read a file, or a place in each of several files, as `Workspace.read`."""
        read: Callable[..., FileRead | FilesRead] = ToolMethods.read
        return await self._in_thread(
            lambda task: read(self.blocking.under(task), *paths, **options)
        )

    undo = _awaited(Workspace.undo)
    redo = _awaited(Workspace.redo)
    restore = _awaited(Workspace.restore)
    write_bytes = _awaited(Workspace.write_bytes)
    sessions = _awaited(Workspace.sessions)
    changed_files = _awaited(Workspace.changed_files)

    async def _in_thread(self, work: Callable[[Task], R]) -> R:
        """Run `work` in a worker thread. Cancel its task if this coroutine is cancelled."""
        task = Task(
            seconds=self.blocking.settings.call_seconds, report=self._report
        )
        begun, ended = threading.Event(), threading.Event()

        def run() -> R:
            begun.set()
            try:
                task.check()
                return work(task)
            finally:
                ended.set()

        try:
            # Abandoned, so that the cancellation arrives here and reaches the work.
            return await anyio.to_thread.run_sync(run, abandon_on_cancel=True)
        except anyio.get_cancelled_exc_class():
            task.cancel()
            # The work may be committing, and its outcome must be known at the return.
            if begun.is_set():
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(ended.wait)
            raise
