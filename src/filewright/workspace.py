"""The one object that owns roots, settings, caches, what was shown, and the history of changes."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Root
from filewright.changes.changes import Changes
from filewright.changes.model import RecordedCommand
from filewright.changes.state_dir import state_base_folder
from filewright.errors import Code, FilewrightError
from filewright.progress import Caller, Task, clean_caller_name
from filewright.recording.session import Recorder, command_summary, new_command
from filewright.settings import Settings
from filewright.system import Closable, own_process_key, process_namespace
from filewright.tools.methods import ToolMethods
from filewright.wording import escape_surrogates

if TYPE_CHECKING:
    from filewright.changes.diffs import FileDifference
    from filewright.changes.model import ChangeRecord, FileChange
    from filewright.changes.recovery import Recovery
    from filewright.changes.selection import Scope, Selection
    from filewright.edit.diff import Diff
    from filewright.recording.guard import GuardNote
    from filewright.recording.guard_check import CheckResult
    from filewright.recording.guard_report import GuardReport
    from filewright.recording.tool_arguments import ToolEdit
    from filewright.tools.bound_tools import BoundTools
    from filewright.tools.context import Context
    from filewright.tools.result import ToolResult
    from filewright.tools.revert import RevertResult
    from filewright.tools.sessions import ChangedFiles, SessionsResult
    from filewright.tools.tool import ListedTool, Tool

FILE = "filewright://file/"
HISTORY = "filewright://history/"
REVIEW = "filewright review"
"""The client by which history names what a person did on the review page."""
_WHOLE = {"page_chars": 8_000_000, "diff_lines": 200_000}
"""What a change may show as a resource, which no model is handed unasked."""

AnyPath = str | os.PathLike[str]


def default_roots() -> tuple[str, ...]:
    """`FILEWRIGHT_ROOTS` (separated as in PATH), else `CLAUDE_PROJECT_DIR`, else the current folder."""
    if named := os.environ.get("FILEWRIGHT_ROOTS"):
        return tuple(filter(None, named.split(os.pathsep)))
    return (os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd(),)


class Workspace(ToolMethods, Closable):
    """Folders an agent may work in, and every operation on them. Thread-safe.

    `root` and `more_roots` are existing folders (default: see `default_roots`); a name may be given
    as ``name=path``. What is changed is recorded under `session` (default: one of its own) and `client`.
    Every typed method (`ToolMethods`) returns its tool's own result and raises `FilewrightError`; `call`
    never raises for a problem of the request.
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
    ) -> None:
        self.settings = settings or Settings()
        if read_only is not None:
            self.settings = self.settings.replace(read_only=read_only)
        if state_dir is not None:
            self.settings = self.settings.replace(
                state_dir=os.fspath(state_dir)
            )
        roots = (root, *more_roots) if root is not None else default_roots()
        self._boundary = Boundary(
            [os.fspath(root) for root in roots],
            self.settings,
            state_folders=[state_base_folder(self.settings)],
        )
        self._changes = Changes(self._boundary, self.settings)
        self._recorder = Recorder(self._changes, self.settings)
        own = self._changes.caller
        self._changes.caller = Caller(
            clean_caller_name(session) or own.session, clean_caller_name(client)
        )
        self._tools_made: Context | None = None
        self._given: Task | None = None
        self._making = threading.Lock()

    def prepare(self) -> None:
        """Start the process by which outlines are made: the first would wait for it."""
        self.context.outlines.prepare()

    def close(self) -> None:
        """Give the roots' descriptors back; the workspace must not be used after."""
        if self._tools_made is not None:
            self._tools_made.close()
        self._recorder.close()
        self._changes.close()
        self._boundary.close()

    @property
    def roots(self) -> tuple[Root, ...]:
        """The roots, in the order they were given."""
        return self._boundary.roots

    @property
    def context(self) -> Context:
        """What the tools work on, made when it is first asked for: history and hooks need none of the tools."""
        with self._making:  # Two threads share one.
            if self._tools_made is None:
                from filewright.tools.context import Context

                self._tools_made = Context(
                    self._boundary, self.settings, self._changes
                )
            return self._tools_made

    @property
    def changes(self) -> Changes:
        """The changes that are made and on record here."""
        return self._changes

    # Tools for any model API

    def offer(
        self,
        dialect: str | None = None,
        toolsets: Collection[str] | None = None,
    ) -> BoundTools:
        """The native tools, or those of a `dialect`, over this workspace. Raises `invalid_input`."""
        from filewright.dialects.providers import find_provider
        from filewright.tools.bound_tools import BoundTools

        return BoundTools(find_provider(dialect), self.context, toolsets)

    @cached_property
    def _native(self) -> BoundTools:
        return self.offer()

    def tools(
        self,
        toolsets: Collection[str] | None = None,
        *,
        dialect: str | None = None,
    ) -> Sequence[ListedTool]:
        """Return the tools as MCP clients get them, or those of a `dialect`.

        Only those of `toolsets`, and none that writes in a read-only workspace.
        """
        return self.offer(dialect, toolsets).tools()

    @property
    def instructions(self) -> str:
        """The text that a model reads before its first call of the tools."""
        return self._native.instructions

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool. A problem of the request is an answer with `is_error`; nothing is raised for it."""
        return self._native.call(name, arguments, task=self._given)

    def run(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool; the result is the tool's own. Raises `FilewrightError`."""
        return self._native.run(name, arguments, task=self._given)

    def run_native(self, tool: Tool, arguments: Mapping[str, Any]) -> Any:
        """Run a declared tool, also one that only methods run."""
        return self._native.run_tool(tool, arguments, task=self._given)

    def under(self, task: Task) -> Workspace:
        """The same workspace, all of whose calls belong to `task`: cancelled with it, within its time limit."""
        made = copy(self)
        made._tools_made, made._given = self.context, task
        return made

    def _task(self) -> Task:
        return self._given or Task(seconds=self.settings.call_seconds)

    # History

    def history(
        self,
        path: str | None = None,
        *,
        limit: int = 20,
        before: str | None = None,
        session: str | None = None,
        client: str | None = None,
        since: str | None = None,
    ) -> Sequence[ChangeRecord]:
        """The newest changes, of all or of the file at `path`, older than the change `before`.

        Those of a `session`, of clients whose name begins with `client`, after the time or change `since`.
        """
        location = self._boundary.locate(path) if path is not None else None
        return self._changes.history(
            location=location,
            limit=limit,
            before=before,
            session=session,
            client=client,
            since=since,
        )

    def scope(
        self,
        change_id: str | None = None,
        *,
        session: str | None = None,
        since: str | None = None,
        path: str | None = None,
        hunk: int | None = None,
        named: str | None = None,
    ) -> Scope:
        """What is meant by one of a change, a session, and a moment; of it only a `path`, or one of its hunks.

        A session is named, or `current` or `last`; `since` is a time or a change, which itself is not meant.
        `named` is whichever of these a person has typed, a change or time being the moment since which.
        """
        from filewright.changes.selection import Scope
        from filewright.tools.revert import require_one_selector

        if named is not None:
            meant = self._changes.parse_scope(named)
            session, since = meant.session, meant.since
        location = self._boundary.locate(path) if path is not None else None
        return require_one_selector(
            "scope", Scope(change_id, session, since, location, hunk)
        )

    def select(self, scope: Scope | str) -> Selection:
        """One change, or what is left of several as if they had been one: its record, and what was kept.

        Raises `not_found`, `invalid_input`, and `no_change` where nothing is left.
        """
        return self._changes.select(scope, inside=True, task=self._task())

    def record(self, scope: Scope | str) -> ChangeRecord:
        """The record of what `select` gives."""
        return self.select(scope).record

    def difference(
        self, entry: FileChange, *, max_lines: int, start: int = 0
    ) -> FileDifference:
        """What became of one entry of what was selected: its diff, from `start` on, and its lines counted."""
        return self._changes.file_difference(
            entry, max_lines=max_lines, start=start
        )

    def newest(self) -> str | None:
        """The id of the newest change, for a look whether there is a new one; it may be of another root."""
        return self._changes.newest()

    def diff(
        self,
        scope: Scope | str,
        *,
        entries: slice | None = None,
        max_lines: int | None = None,
    ) -> Diff:
        """What was done, or done to some `entries` of the record, in about `max_lines` lines."""
        return self._changes.diff(
            scope, entries=entries, max_lines=max_lines, task=self._given
        )

    def newest_undoable(self) -> ChangeRecord | None:
        """The newest change that is neither undone nor itself an undo, so that undoing again goes further back.

        What configured a client is not meant.
        """
        undoable = (
            head.id
            for head in self._changes.effective_changes()
            if head.undoable
        )
        newest = next(undoable, None)
        return self._changes.record(newest) if newest is not None else None

    def undo(
        self, change_id: str | None = None, *, path: str | None = None
    ) -> RevertResult:
        """`revert_edit`: a change, or the newest of `path`, or what `newest_undoable` gives."""
        if change_id is None and path is None:
            newest = self.newest_undoable()
            if newest is None:
                raise FilewrightError(
                    Code.NOT_FOUND,
                    "there is no change to undo",
                    "nothing to do",
                )
            change_id = newest.id
        undone: Any = self.run(
            "revert_edit", {"change_id": change_id, "path": path}
        )
        return undone  # type: ignore[no-any-return]

    def redo(
        self, change_id: str | None = None, *, preview: bool = False
    ) -> RevertResult:
        """Take back an undo or a rewind: `change_id`, or the newest that is not taken back itself."""
        if change_id is None:
            change_id = self._changes.find_redoable()
            if change_id is None:
                raise FilewrightError(
                    Code.NOT_FOUND,
                    "there is no undo to take back",
                    "nothing to do",
                )
        return self.revert_edit(change_id, preview=preview)

    def restore(
        self, path: str, at: str, *, preview: bool = False
    ) -> RevertResult:
        """Give a file, or all below a folder, what was there right after the change `at`, or at that time.

        ``CHANGE^`` is right before a change. What is there now is overwritten, and can be had back.
        """
        return self.revert_edit(
            since=at, path=path, preview=preview, force=True
        )

    def sessions(
        self, *, limit: int = 20, cursor: str | None = None
    ) -> SessionsResult:
        """The sessions that changed something here, the latest first."""
        from filewright.tools.sessions import list_sessions

        return list_sessions(self.context.at(self._task()), limit, cursor)

    def changed_files(
        self, scope: Scope | str, *, offset: int = 0, limit: int = 100
    ) -> ChangedFiles:
        """What was done, file by file: the net diff of a session, or since a moment.

        Raises `not_found`, `invalid_input`, and `no_change` where all of it is undone.
        """
        from filewright.tools.sessions import list_changed_files

        return list_changed_files(
            self.context.at(self._task()), scope, offset, limit
        )

    # What a shell changes

    @property
    def recorder(self) -> Recorder:
        """The recorder of what shells and other tools change here."""
        return self._recorder

    def begin_command(
        self, identifier: str | None = None, *, command: str = ""
    ) -> str:
        """Note what is there before a command of a shell; returns the id for `end_command`.

        What is ignored is not looked at. What files hold is kept as far as a budget goes, first what the `command`
        line names, then the newest.
        """
        identifier = identifier or os.urandom(8).hex()
        caller = self._changes.caller
        begun = new_command(
            identifier,
            command_summary(command, None),
            session=caller.session,
            client=caller.client,
            process=own_process_key(),
            space=process_namespace(),
        )
        self._recorder.begin(begun, command, self._task())
        return identifier

    def end_command(
        self,
        identifier: str,
        command: str,
        *,
        turn: str | None = None,
        label: str | None = None,
    ) -> Sequence[ChangeRecord]:
        """Record what is different since, as changes of the tool `shell`; none if nothing is.

        Each root has changes of its own, and what was different before a tool's change is one of its own. Of two
        commands that run at one time it is not known which has done what: such a change is that of both. `label` is
        what history calls it where it was another tool of a client than its shell.

        Of files whose content was not kept the changes' notes say that they cannot be undone. Raises
        `not_found` if there was no such beginning.
        """
        caller = self._changes.caller
        ending = RecordedCommand(
            identifier,
            command_summary(command, label),
            caller.session,
            caller.client,
            clean_caller_name(turn),
        )
        return self._recorder.end(ending, self._task())

    def heal(
        self,
        records: Sequence[ChangeRecord],
        edits: Mapping[str, ToolEdit | None],
    ) -> list[GuardNote]:
        """Take back what a client's own edit tool damaged, as the setting `guard` says.

        `records` are what `end_command` returned for the tool; `edits` are the edits that
        it was told to make, by absolute path, None where they are not known.
        """
        from filewright.recording.guard import Guard

        return Guard(self._boundary, self._changes, self.settings).check(
            records, edits
        )

    def check_guard(
        self,
        *,
        since: str | None = None,
        staged: bool = False,
        paths: Collection[bytes] = (),
        fix: bool = False,
        keep_index: bool = False,
        task: Task | None = None,
    ) -> CheckResult:
        """Compare the files with git, and report those in which untouched lines changed.

        The first root is the top of a repository; `paths` are below it. The working
        tree is compared with HEAD, or with the commit where HEAD left the revision
        `since`; or what is `staged` with HEAD. With `fix` the damage is healed, and with
        `keep_index` git's index stays as it is.
        """
        from filewright.recording.guard_check import (
            CheckRequest,
            check_repository,
        )

        request = CheckRequest(
            since=since,
            is_staged=staged,
            paths=paths,
            is_healing=fix,
            keeps_index=keep_index,
        )
        return check_repository(
            self._boundary, self._changes, request, task or self._task()
        )

    def guard_report(self, session: str | None = None) -> GuardReport:
        """Count what the guard healed, by client, tool and kind, in all or in a session.

        A session is named, or `last`. Raise `not_found`.
        """
        from filewright.recording.guard_report import count_damage

        task = self._task()
        if session is None:
            return count_damage(self._changes.heads(task))
        name = self._changes.resolve_session(session)
        return count_damage(self._changes.heads(task, name))

    # For people and servers

    def recover(self) -> Recovery:
        """Settle what a crash left unfinished, and say what was found."""
        return self._changes.recover()

    def log_problems(self) -> list[str]:
        """What is wrong with the logs of the state, as SQLite checks them."""
        return self._changes.problems()

    def log_damage(self, *, seconds: float) -> list[str]:
        """Return which changes cannot be undone since the log is damaged there, as far as the time goes."""
        return self._changes.find_damage(Task(seconds=seconds))

    def left_over(self, *, seconds: float) -> list[str]:
        """Return the temporary files of filewright that no unfinished change names, as far as the time goes."""
        return self._changes.find_leftovers(Task(seconds=seconds))

    def leave_unsettled(self, change_id: str) -> None:
        """Call a change made that cannot be settled, with its files as they are. Raises `not_found` for any other."""
        self._changes.leave_unsettled(change_id)

    def resource(self, uri: str) -> tuple[str, str | bytes]:
        """Media type and content of ``filewright://file/PATH`` or ``filewright://history/CHANGE``.

        Files are given whole up to `settings.hold_bytes`, exactly: as text where their bytes are UTF-8,
        line endings and a mark included, else as bytes. Raises `not_found` for any other URI,
        and what reading raises.
        """
        from urllib.parse import unquote

        self._changes.recover_if_needed()
        if uri.startswith(FILE):
            location = self._boundary.locate(unquote(uri[len(FILE) :]))
            with self.context.open(location) as snapshot:
                held = snapshot.content
                if held is None:
                    raise FilewrightError(
                        Code.TOO_LARGE,
                        f"{location.requested_path} has {snapshot.size:,} bytes, more than a resource may have",
                        "read it in parts with read_content",
                        path=location.requested_path,
                        size=snapshot.size,
                    )
                if snapshot.binary_type is not None:
                    return snapshot.binary_type, held
                try:
                    return "text/plain", held.decode()
                except UnicodeDecodeError:
                    return f"text/plain; charset={snapshot.encoding.name}", held
        if uri.startswith(HISTORY):
            from filewright.tools.catalogue import load_tool
            from filewright.tools.registry import run_tool

            whole = self.context.under(self.settings.replace(**_WHOLE)).at(
                self._task()
            )
            shown = run_tool(
                load_tool("get_history"),
                whole,
                {"change_id": unquote(uri[len(HISTORY) :])},
            )
            return "text/plain", escape_surrogates(shown.text)
        raise FilewrightError(
            Code.NOT_FOUND,
            f"no resource {uri}",
            "filewright://file/PATH or filewright://history/CHANGE",
        )
