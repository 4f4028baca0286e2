"""The view of a file line by line, each with the prompt or the commit that wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from urllib.parse import quote as quote_url

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from filewright.page.blame_groups import BlameGroup, group_lines
from filewright.page.context import PageContext
from filewright.page.highlighting import highlight_lines
from filewright.page.parts import not_found, read_number
from filewright.page.render import render_row
from filewright.page.view import RowView
from filewright.progress import Task
from filewright.tools.bounded_text import clip
from filewright.wording import to_one_line

MAX_LINES = 500
"""Lines of a file that come at once."""
_MAX_CACHED_FILES = 2
_BLAME_SECONDS = 5.0
"""The time for attributing the lines of one file; the rest is shown as not looked at."""
_GIT_SECONDS = 3.0
"""The share of that time for git, which has the lines older than the history."""
_AGE_DAYS = (1, 7, 30, 180)
"""The ages in days at which the colour beside a line changes."""


@dataclass(frozen=True, slots=True)
class BlamedFile:
    """The lines of a file and their groups, with notes on the lines that were not looked at."""

    groups: Sequence[BlameGroup]
    lines: Sequence[str]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class BlameRow:
    """A line of a window.

    The first of each group has the group, and in `span` the number of its lines.
    """

    number: int
    text: Markup
    group: BlameGroup | None = None
    span: int = 1
    age: int = 0


class BlameView:
    """The views of files by line."""

    def __init__(self, context: PageContext) -> None:
        self._context = context
        self._read_cached = lru_cache(_MAX_CACHED_FILES)(self._read_at)

    def routes(self) -> Sequence[Route]:
        """Return the address of a file's lines."""
        return [Route("/blame/{path:path}", self._show)]

    def _show(self, request: Request) -> Response:
        """Return the first lines of a file, or the lines from a number on."""
        path = request.path_params["path"]
        query = request.query_params
        template, start = "blame.html", 1
        match query.get("part"):
            case "view":
                pass
            case "lines":
                template = "blame_lines.html"
                start = read_number(query, "start", minimum=1)
            case "comments":
                # Comments are on changes.
                return HTMLResponse("")
            case _:
                raise not_found("There is no such part of this page.")
        blamed = self._read(path)
        rows = make_rows(path, blamed, start)
        following = start + len(rows)
        base = request.scope.get("root_path", "")
        return self._context.html(
            template,
            request,
            path=path,
            address=f"{base}/blame/{quote_url(path)}",
            rows=rows,
            notes=blamed.notes,
            line_count=len(blamed.lines),
            following=following if following <= len(blamed.lines) else None,
        )

    def _read(self, path: str) -> BlamedFile:
        """Return the lines of a file, cached until the file or the history changes."""
        workspace = self._context.workspace
        status = workspace.context.boundary.stat(
            workspace.context.boundary.locate(path)
        )
        # The next lines of a long file must not cost another reading of its history.
        key = (status.inode, status.size, status.mtime_ns)
        return self._read_cached(path, key, workspace.newest())

    def _read_at(
        self, path: str, _status: tuple[int, int, int], _newest: str | None
    ) -> BlamedFile:
        workspace = self._context.workspace.under(Task(seconds=_BLAME_SECONDS))
        blame = workspace.blame(path, git_seconds=_GIT_SECONDS)
        groups = group_lines(self._context.log, blame)
        return BlamedFile(groups, blame.read_lines(), blame.notes)


def make_rows(path: str, blamed: BlamedFile, start: int) -> Sequence[BlameRow]:
    """Return the rows of the lines from a number on, with their groups."""
    stop_number = min(start + MAX_LINES, len(blamed.lines) + 1)
    shown_texts: list[str] = []
    for line in blamed.lines[start - 1 : stop_number - 1]:
        # A line of a minified file may be as long as the file.
        shown_texts.append(clip(to_one_line(line), 1_000))
    highlighted = highlight_lines(path, shown_texts)
    rows: list[BlameRow] = []
    for group in blamed.groups:
        first_number = max(group.first, start)
        end_number = min(group.first + group.count, stop_number)
        for number in range(first_number, end_number):
            row = RowView(
                sign=" ",
                text=shown_texts[number - start],
                old=number,
                new=number,
            )
            line_spans = highlighted[number - start]
            rows.append(
                BlameRow(
                    number=number,
                    text=render_row(row, line_spans),
                    group=group if number == first_number else None,
                    span=end_number - first_number,
                    age=_age_class(group.time),
                )
            )
    return rows


def _age_class(changed_at: datetime | None) -> int:
    """Return 0 for the newest lines, up to the number of ages for the oldest."""
    if changed_at is None:
        return len(_AGE_DAYS)
    age_days = (datetime.now(UTC) - changed_at).days
    return sum(age_days >= limit_days for limit_days in _AGE_DAYS)
