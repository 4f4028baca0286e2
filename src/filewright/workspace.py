"""The workspace: the object that owns roots, settings, caches and the history of changes."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Root
from filewright.changes.changes import Changes
from filewright.changes.model import RecordedCommand
from filewright.changes.state_dir import state_base_folder
from filewright.errors import (
    Code,
    FilewrightError,
    invalid,
    not_in_change,
)
from filewright.progress import Caller, Task, clean_caller_name
from filewright.recording.session import (
    Recorder,
    command_summary,
    new_command,
    recorded_line,
)
from filewright.settings import Settings
from filewright.system import Closable, own_process_key, process_namespace
from filewright.tools.methods import ToolMethods
from filewright.wording import escape_surrogates

if TYPE_CHECKING:
    from filewright.changes.blame import Blame
    from filewright.changes.content_search import HistorySearch
    from filewright.changes.diffs import FileDifference
    from filewright.changes.file_versions import FileVersions
    from filewright.changes.model import (
        ChangeRecord,
        FileChange,
        RecordedPath,
    )
    from filewright.changes.patches import ExportedPatch
    from filewright.changes.recovery import Recovery
    from filewright.changes.selection import Scope, Selection
    from filewright.edit.diff import Diff, FileDiff
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

FILE_URI = "filewright://file/"
"""The beginning of the URI of a file; its path follows."""

HISTORY_URI = "filewright://history/"
"""The beginning of the URI of a change; its id follows."""

REVIEW_CLIENT = "filewright review"
"""The name of the client in changes that a person makes on the review page."""

GIT_SECONDS = 10.0
"""The time for asking git about the lines that are older than the history."""

SEARCH_SECONDS = 3.0
"""The time of one search in the history; a further call continues it."""

RESOURCE_LIMITS = {"page_chars": 8_000_000, "diff_lines": 200_000}
"""The limits of a change as a resource, which a model gets only if it asks for it."""

AnyPath = str | os.PathLike[str]


class Resource(NamedTuple):
    """The content of a resource, text or bytes, and its media type."""

    media_type: str
    content: str | bytes


def default_roots() -> tuple[str, ...]:
    """Return the folders to work in if the caller names none.

    They are those of `FILEWRIGHT_ROOTS` (separated as in PATH), else
    `CLAUDE_PROJECT_DIR`, else the current folder.
    """
    paths = os.environ.get("FILEWRIGHT_ROOTS")
    if paths:
        return tuple(path for path in paths.split(os.pathsep) if path)
    return (os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd(),)


class Workspace(ToolMethods, Closable):
    """The folders that an agent may work in, and every operation on them. Thread-safe.

    `root` and `more_roots` are existing folders (default: see `default_roots`); with
    ``name=path`` a root has a name of its own. Changes are recorded under `session`
    (default: one of its own) and `client`. Every method that runs a tool (`ToolMethods`)
    returns the tool's own result and raises `FilewrightError`; `call` never raises for a
    problem of the request.
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
        self._context: Context | None = None
        self._task_of_calls: Task | None = None
        self._context_lock = threading.Lock()

    def prepare(self) -> None:
        """Start the process that parses files, so that the first outline need not wait."""
        self.context.outlines.prepare()

    def close(self) -> None:
        """Release the roots and the child processes; the workspace must not be used after."""
        if self._context is not None:
            self._context.close()
        self._recorder.close()
        self._changes.close()
        self._boundary.close()

    @property
    def roots(self) -> tuple[Root, ...]:
        """The roots, in the order they were given."""
        return self._boundary.roots

    @property
    def context(self) -> Context:
        """The context of the tools, made when it is first needed.

        History and hooks need none, and start faster without the modules of the tools.
        """
        # Two threads that need it at the same time share one.
        with self._context_lock:
            if self._context is None:
                from filewright.tools.context import Context

                self._context = Context(
                    self._boundary, self.settings, self._changes
                )
            return self._context

    @property
    def changes(self) -> Changes:
        """The changes of this workspace: commits, history, undo."""
        return self._changes

    # Tools for any model API

    def offer(
        self,
        dialect: str | None = None,
        toolsets: Collection[str] | None = None,
    ) -> BoundTools:
        """Return the native tools, or those of a `dialect`, bound to this workspace.

        Raise `invalid_input` for an unknown dialect.
        """
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

        The `api` of a tool is its declaration for a model's API. With `toolsets`, only
        tools of these are returned; in a read-only workspace, only tools that read.
        """
        return self.offer(dialect, toolsets).tools()

    @property
    def instructions(self) -> str:
        """The text that a model reads before its first call of the tools."""
        return self._native.instructions

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool and return its answer; that of a refused call has `is_error`."""
        return self._native.call(name, arguments, task=self._task_of_calls)

    def run(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool and return its own result. Raise `FilewrightError`."""
        return self._native.run(name, arguments, task=self._task_of_calls)

    def run_native(self, tool: Tool, arguments: Mapping[str, Any]) -> Any:
        """Run a declared tool, also one that only methods run."""
        return self._native.run_tool(tool, arguments, task=self._task_of_calls)

    def under(self, task: Task) -> Workspace:
        """Return the same workspace, whose calls are cancelled and limited with `task`."""
        workspace = copy(self)
        workspace._context = self.context
        workspace._task_of_calls = task
        return workspace

    def _task(self) -> Task:
        return self._task_of_calls or Task(seconds=self.settings.call_seconds)

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
        """Return the newest changes, of all files or of one, older than the change `before`.

        They can be limited to a `session`, to clients whose names begin with `client`,
        and to changes after the time or change `since`.
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
        """Return the scope of a change, of a session, or of the time since a moment.

        `path` and `hunk` narrow it to a file or folder, and to one hunk of a file. A
        session is an id, `current` or `last`; `since` is a time, or a change that is not
        itself in the scope. `named` is any of these as a person typed it; a change or a
        time then means the time since it.
        """
        from filewright.changes.selection import Scope
        from filewright.tools.revert import require_one_selector

        if named is not None:
            typed_scope = self._changes.parse_scope(named)
            session, since = typed_scope.session, typed_scope.since
        location = self._boundary.locate(path) if path is not None else None
        return require_one_selector(
            "scope", Scope(change_id, session, since, location, hunk)
        )

    def select(self, scope: Scope | str) -> Selection:
        """Return one change, or several as one, without changes that are undone.

        Raise `not_found`, `invalid_input`, and `no_change` if all of them are undone.
        """
        return self._changes.select(scope, inside=True, task=self._task())

    def record(self, scope: Scope | str) -> ChangeRecord:
        """Return the record of a selection: one change, or several as one."""
        return self.select(scope).record

    def difference(
        self, entry: FileChange, *, max_lines: int, start: int = 0
    ) -> FileDifference:
        """Return the diff of one file change, from row `start` on, and counts of its lines.

        `entry` is one of the file changes of a selection.
        """
        return self._changes.file_difference(
            entry, max_lines=max_lines, start=start
        )

    def newest(self) -> str | None:
        """Return the id of the newest change in any root; a caller notices a new one by it."""
        return self._changes.newest()

    def diff(
        self,
        scope: Scope | str,
        *,
        entries: slice | None = None,
        max_lines: int | None = None,
    ) -> Diff:
        """Return the diff of changes in about `max_lines` lines.

        With `entries`, only these file changes of the record are in it.
        """
        return self._changes.diff(
            scope,
            entries=entries,
            max_lines=max_lines,
            task=self._task_of_calls,
        )

    def blame(self, path: str, *, git_seconds: float = GIT_SECONDS) -> Blame:
        """Return the change that made each line of a file, or the commit of git.

        Raise `not_found`, `not_a_file`, `is_binary`, and `too_large` above the limits
        of `changes.blame`.
        """
        from filewright.changes.blame import blame_file

        location = self._boundary.locate(path)
        task = self._task()
        remaining = task.remaining
        if remaining is not None:
            git_seconds = min(git_seconds, remaining)
        with self.context.open(location) as snapshot:
            return blame_file(
                self._changes,
                self._changes.recorded_path(location),
                snapshot,
                task,
                git_task=Task(seconds=git_seconds),
            )

    def versions(
        self, path: str, *, limit: int = 1_000, oldest: str | None = None
    ) -> FileVersions:
        """Return the versions of a file, newest first, through its renames.

        At most `limit`, and none older than the change `oldest`.
        """
        from filewright.changes.file_versions import list_versions

        location = self._boundary.locate(path)
        return list_versions(
            self._changes,
            self._changes.recorded_path(location),
            self._task(),
            limit=limit,
            oldest=oldest,
        )

    def compare_versions(
        self,
        path: str,
        first: str,
        last: str,
        *,
        max_lines: int,
        start: int = 0,
    ) -> FileDiff:
        """Return the diff of two versions of a file: `now`, CHANGE or CHANGE^.

        Raise `not_found`, and `unsupported` for a content that is not stored.
        """
        from filewright.changes.diffs import DiffBuilder
        from filewright.changes.version_diff import NOW, VersionComparison

        present: bytes | None = None
        if NOW in (first, last):
            with (
                suppress(FilewrightError),
                self.context.open(self._boundary.locate(path)) as snapshot,
            ):
                present = snapshot.content
        moments = {first.removesuffix("^"), last.removesuffix("^")} - {NOW}
        comparison = VersionComparison(
            DiffBuilder(self._boundary, self.settings),
            self.versions(path, oldest=min(moments, default=None)),
            present,
        )
        return comparison.compare(first, last, max_lines=max_lines, start=start)

    def between(self, moments: str, *, path: str | None = None) -> Selection:
        """Return the difference between two moments: ``A..B``, or ``A`` for A until now.

        Each is a change (the moment right after it), ``CHANGE^``, a time, a session,
        `begin` or `now`. `path` narrows the difference to a file or folder.
        """
        first, _, last = moments.partition("..")
        selection = self._changes.select_between(
            first.strip(), last.strip(), self._task()
        )
        if path is None:
            return selection
        touched = self._changes.recorded_path(self._boundary.locate(path))
        changes = []
        for change in selection.record.file_changes:
            if change.touches(touched):
                changes.append(change)
        if not changes:
            raise not_in_change(path, selection.description)
        record = replace(selection.record, file_changes=changes)
        return replace(selection, record=record)

    def search_history(  # noqa: PLR0913  each narrows the search
        self,
        text: str,
        path: str | None = None,
        *,
        session: str | None = None,
        client: str | None = None,
        since: str | None = None,
        before: str | None = None,
        limit: int = 50,
        seconds: float = SEARCH_SECONDS,
    ) -> HistorySearch:
        """Search the added and removed lines of changes for a text, newest first.

        Letters of either case match if the text has no capitals. `session`, `client`,
        `since` and `before` choose changes as in `history`. The search ends when `limit`
        hits are known, or after `seconds`.
        """
        from filewright.changes.content_search import (
            SearchFilter,
            search_history,
        )

        if not text.strip():
            raise invalid("there is no text to search for")
        changes = self._changes
        touched: RecordedPath | None = None
        if path is not None:
            touched = changes.recorded_path(self._boundary.locate(path))
        if session is not None:
            session = changes.resolve_session(session)
        after = 0
        if since is not None:
            after = changes.resolve_moment(since)
        only = SearchFilter(
            path=touched,
            session=session,
            client=client,
            after=after,
            before=before,
        )
        task = Task(seconds=seconds)
        return search_history(changes, text, task, limit=limit, only=only)

    def patch(self, record: ChangeRecord, *, title: str) -> ExportedPatch:
        """Return the record of a selection as a patch that `git apply` takes.

        It has the bytes of the files as they are stored, and `title` in its first line.
        """
        from filewright.changes.patches import build_patch

        return build_patch(self._changes, record, title, self._task())

    def newest_undoable(self) -> ChangeRecord | None:
        """Return the newest change that is neither undone nor an undo, or None.

        So a second undo goes further back. The configuration of a client is left out.
        """
        for head in self._changes.effective_changes():
            if head.undoable:
                return self._changes.record(head.id)
        return None

    def undo(
        self, change_id: str | None = None, *, path: str | None = None
    ) -> RevertResult:
        """Undo a change, or the newest one of `path`, or without either the newest of all.

        Changes that are undone already do not count: see `newest_undoable`.
        """
        if change_id is None and path is None:
            newest = self.newest_undoable()
            if newest is None:
                raise FilewrightError(
                    Code.NOT_FOUND,
                    "there is no change to undo",
                )
            change_id = newest.id
        return self.revert_edit(change_id, path=path)

    def redo(
        self, change_id: str | None = None, *, preview: bool = False
    ) -> RevertResult:
        """Undo an undo or a rewind: `change_id`, or the newest one that can be redone."""
        if change_id is None:
            change_id = self._changes.find_redoable()
            if change_id is None:
                raise FilewrightError(
                    Code.NOT_FOUND,
                    "there is no undo to take back",
                )
        return self.revert_edit(change_id, preview=preview)

    def restore(
        self, path: str, at: str, *, preview: bool = False
    ) -> RevertResult:
        """Restore a file, or all files below a folder, as they were at a moment.

        `at` is a time, a change for the moment right after it, or ``CHANGE^`` for the
        moment before it. The present content is overwritten; undo brings it back.
        """
        return self.revert_edit(
            since=at, path=path, preview=preview, force=True
        )

    def sessions(
        self, *, limit: int = 20, cursor: str | None = None
    ) -> SessionsResult:
        """Return the sessions that changed something here, the latest first."""
        from filewright.tools.sessions import list_sessions

        return list_sessions(self.context.at(self._task()), limit, cursor)

    def changed_files(
        self, scope: Scope | str, *, offset: int = 0, limit: int = 100
    ) -> ChangedFiles:
        """Return the net change of a session, or since a moment, file by file.

        Raise `not_found`, `invalid_input`, and `no_change` if all of it is undone.
        """
        from filewright.tools.sessions import list_changed_files

        return list_changed_files(
            self.context.at(self._task()), scope, offset, limit
        )

    def write_bytes(
        self,
        path: str,
        content: bytes,
        *,
        expected_version: str | None = None,
    ) -> ChangeRecord | None:
        """Write a file of any kind byte for byte; create it if it does not exist.

        Return the change, or None if the file has these bytes already. Raise
        `stale_version` if it is not at `expected_version`, and the errors of a commit.
        """
        from filewright.tools.write import write_bytes

        context = self.context.at(self._task())
        return write_bytes(context, path, content, expected_version)

    # Changes by shells and other tools

    @property
    def recorder(self) -> Recorder:
        """The recorder of changes by shells and other tools."""
        return self._recorder

    def begin_command(
        self, identifier: str | None = None, *, command: str = ""
    ) -> str:
        """Record the state before a command of a shell; return the id for `end_command`.

        Ignored files are left out. Contents are stored up to the limits of the settings:
        first those of the files that the `command` line names, then of the newest ones.
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
            line=recorded_line(command),
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
        """Record the differences since a command began, as changes of the tool `shell`.

        Each root has changes of its own, and so have differences from before a tool's
        change. A change that either of two open commands may have made belongs to both.
        `label` is the name in the history for another tool of the client than its shell.

        Notes of the changes name files that cannot be undone since their content was not
        stored. Raise `not_found` if no such command has begun.
        """
        caller = self._changes.caller
        ending = RecordedCommand(
            identifier,
            command_summary(command, label),
            caller.session,
            caller.client,
            clean_caller_name(turn),
            recorded_line(command, label),
        )
        return self._recorder.end(ending, self._task())

    def heal(
        self,
        records: Sequence[ChangeRecord],
        edits: Mapping[str, ToolEdit | None],
    ) -> list[GuardNote]:
        """Heal the damage of a client's own edit tool, as the setting `guard` says.

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
        """Settle changes that a crash left unfinished, and return the outcome."""
        return self._changes.recover()

    def log_problems(self) -> list[str]:
        """Return the problems of the logs that SQLite finds."""
        return self._changes.problems()

    def log_damage(self, *, seconds: float) -> list[str]:
        """Return the changes that cannot be undone since the log is damaged there.

        The log is read for `seconds` at most.
        """
        return self._changes.find_damage(Task(seconds=seconds))

    def left_over(self, *, seconds: float) -> list[str]:
        """Return the temporary files of filewright that no unfinished change names.

        The roots are searched for `seconds` at most.
        """
        return self._changes.find_leftovers(Task(seconds=seconds))

    def leave_unsettled(self, change_id: str) -> None:
        """Accept the files of an unfinished change that cannot be settled as they are.

        Raise `not_found` for any other change.
        """
        self._changes.leave_unsettled(change_id)

    def resource(self, uri: str) -> Resource:
        """Return the resource ``filewright://file/PATH`` or ``filewright://history/CHANGE``.

        A file is text if its bytes are UTF-8, with its line endings and its mark, else
        bytes; it may have up to `settings.hold_bytes`. Raise `not_found` for any other
        URI, and the errors of reading.
        """
        from urllib.parse import unquote

        self._changes.recover_if_needed()
        if uri.startswith(FILE_URI):
            return self._file_resource(unquote(uri.removeprefix(FILE_URI)))
        if uri.startswith(HISTORY_URI):
            return self._change_resource(unquote(uri.removeprefix(HISTORY_URI)))
        raise FilewrightError(
            Code.NOT_FOUND,
            f"no resource {uri}",
            "filewright://file/PATH or filewright://history/CHANGE",
        )

    def _file_resource(self, path: str) -> Resource:
        """Return the content of a file."""
        location = self._boundary.locate(path)
        with self.context.open(location) as snapshot:
            content = snapshot.content
            if content is None:
                raise FilewrightError(
                    Code.TOO_LARGE,
                    f"{location.requested_path} has {snapshot.size:,} bytes, "
                    "more than a resource may have",
                    "read it in parts with read_content",
                    path=location.requested_path,
                    size=snapshot.size,
                )
            if snapshot.binary_type is not None:
                return Resource(snapshot.binary_type, content)
            try:
                return Resource("text/plain", content.decode())
            except UnicodeDecodeError:
                charset = snapshot.encoding.name
                return Resource(f"text/plain; charset={charset}", content)

    def _change_resource(self, change_id: str) -> Resource:
        """Return the text of a change with its whole diff."""
        from filewright.tools.arguments import check_arguments
        from filewright.tools.catalogue import load_tool

        settings = self.settings.replace(**RESOURCE_LIMITS)
        context = self.context.under(settings).at(self._task())
        tool = load_tool("get_history")
        arguments = {"change_id": change_id}
        checked = check_arguments(tool, arguments, settings)
        result = tool.run(context, checked)
        return Resource("text/plain", escape_surrogates(result.text))
