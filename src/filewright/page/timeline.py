"""The view of a file's versions: listed by prompt, compared in pairs, and restored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote as quote_url

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from filewright.changes.file_versions import FileVersion
from filewright.changes.version_diff import NOW
from filewright.errors import FilewrightError
from filewright.page.changelog import ChangeLog
from filewright.page.context import PageContext
from filewright.page.parts import not_found, read_number
from filewright.page.view import FileView, view_of
from filewright.page.words import show_client
from filewright.progress import Task
from filewright.tools.best_effort import ExtraTask
from filewright.wording import to_one_line
from filewright.workspace import Workspace

MAX_ROWS = 100
"""Versions that come at once."""
MAX_COMPARED_ROWS = 400
_COUNTING_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version of a file in the list.

    `moment` names it in a comparison, for which its content must be stored
    (`can_compare`). It `can_restore` if that is the content of a file.
    """

    moment: str
    title: str
    client: str
    time: datetime | None
    action: str
    path: str
    size: int | None = None
    added: int | None = None
    removed: int | None = None
    can_compare: bool = True
    can_restore: bool = False


class Timeline:
    """The views of the versions of files."""

    def __init__(self, context: PageContext) -> None:
        self._context = context

    def routes(self) -> Sequence[Route]:
        """Return the address of a file's versions."""
        return [Route("/file/{path:path}", self._answer)]

    def _answer(self, request: Request) -> Response:
        """Return the versions of a file, more of them, or a comparison of two."""
        path = request.path_params["path"]
        match request.query_params.get("part"):
            case "view":
                return self._show(request, path)
            case "more":
                return self._show_more(request, path)
            case "compared":
                return self._compare(request, path)
            case "comments":
                # Comments are on changes.
                return HTMLResponse("")
        raise not_found("There is no such part of this page.")

    def _show(self, request: Request, path: str) -> Response:
        workspace = self._context.workspace.under(self._context.new_task())
        # One more than is listed tells that there are more.
        versions = workspace.versions(path, limit=MAX_ROWS + 1)
        if not versions.versions:
            raise not_found(f"{path} has no history.")
        rows = list_rows(workspace, self._context.log, versions.versions)
        rows = [_present_row(versions.path.display_path), *rows]
        comparable = [row for row in rows if row.can_compare]
        first = last = comparable[0]
        if len(comparable) > 1:
            first = comparable[1]
        view = None
        if first is not last:
            view = self._read_view(path, first.moment, last.moment, 0)
            if view is not None and not view.hunks and len(comparable) > 2:
                # Nothing was saved since the newest change: that is the news then.
                first, last = comparable[2], comparable[1]
                view = self._read_view(path, first.moment, last.moment, 0)
        return self._html(
            "timeline.html",
            request,
            path,
            rows=rows,
            count=min(len(versions.versions), MAX_ROWS),
            more=MAX_ROWS if len(versions.versions) > MAX_ROWS else None,
            first=first.moment,
            last=last.moment,
            view=view,
        )

    def _show_more(self, request: Request, path: str) -> Response:
        start = read_number(request.query_params, "start")
        workspace = self._context.workspace.under(self._context.new_task())
        stop = start + MAX_ROWS + 1
        versions = workspace.versions(path, limit=stop).versions
        rows = list_rows(workspace, self._context.log, versions[start:])
        following = start + MAX_ROWS
        return self._html(
            "versions.html",
            request,
            path,
            rows=rows,
            more=following if following < len(versions) else None,
            first=None,
            last=None,
        )

    def _compare(self, request: Request, path: str) -> Response:
        query = request.query_params
        first, last = query.get("first", ""), query.get("last", "")
        start = read_number(query, "start") if "start" in query else 0
        view = self._read_view(path, first, last, start)
        template = "compared_window.html" if start else "compared.html"
        return self._html(
            template, request, path, view=view, first=first, last=last
        )

    def _read_view(
        self, path: str, first: str, last: str, start: int
    ) -> FileView:
        workspace = self._context.workspace.under(self._context.new_task())
        diff = workspace.compare_versions(
            path, first, last, max_lines=MAX_COMPARED_ROWS, start=start
        )
        return view_of(diff)

    def _html(
        self, template: str, request: Request, path: str, **values: Any
    ) -> Response:
        base = request.scope.get("root_path", "")
        address = f"{base}/file/{quote_url(path)}"
        return self._context.html(
            template, request, path=path, address=address, **values
        )


def list_rows(
    workspace: Workspace, log: ChangeLog, versions: Sequence[FileVersion]
) -> list[VersionRow]:
    """Return the rows of some versions; lines are counted while there is time."""
    # A list without some counts is better than one that a person waits for.
    counting_task = ExtraTask(Task(), _COUNTING_SECONDS)
    return [
        _make_row(workspace, log, version, counting_task)
        for version in versions[:MAX_ROWS]
    ]


def _make_row(
    workspace: Workspace,
    log: ChangeLog,
    version: FileVersion,
    counting_task: Task,
) -> VersionRow:
    record, change = version.record, version.change
    heading = log.prompt(record.id)
    title = to_one_line(record.summary)
    if heading is not None:
        title = heading.title
    added = removed = None
    has_content = not version.moved_with_folder
    if has_content and not counting_task.expired:
        try:
            line_counts = workspace.difference(change, max_lines=0)
            added, removed = line_counts.added, line_counts.removed
        except FilewrightError:
            # Its content is lost; the version is listed nevertheless.
            has_content = False
    action = change.action
    if version.moved_with_folder:
        action = "moved with its folder"
    is_file = change.after is not None and change.after.kind == "file"
    return VersionRow(
        moment=record.id,
        title=title,
        client=show_client(record.client),
        time=record.time.astimezone(),
        action=action,
        path=change.path.display_path,
        size=None if change.after is None else change.after.size,
        added=added,
        removed=removed,
        can_compare=has_content,
        can_restore=has_content and is_file,
    )


def _present_row(path: str) -> VersionRow:
    """Return the row of the content that is on the disk."""
    return VersionRow(
        moment=NOW,
        title="Now, as it is on the disk",
        client="",
        time=None,
        action="",
        path=path,
    )
