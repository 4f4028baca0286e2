"""The view of a search in the added and removed lines of the history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote as quote_url

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from filewright.changes.content_search import HistoryHit
from filewright.changes.model import ChangeRecord, parse_change_id
from filewright.edit.diff import DiffHunk, FileDiff
from filewright.errors import invalid
from filewright.page.context import PageContext
from filewright.page.parts import not_found
from filewright.page.view import FileView, view_of

MAX_HITS = 30
"""Hits that come at once."""
_SEARCH_SECONDS = 0.4
"""The time of one request: a person sees hits at once.

The page sends the next request from where this one ended.
"""


@dataclass(frozen=True, slots=True)
class FileHit:
    """A hit in one file: its change, the title of the prompt, and the lines.

    `more` counts the lines with hits that are not shown.
    """

    record: ChangeRecord
    title: str
    view: FileView
    more: int


class ContentSearch:
    """The search in contents, such as `/find/total`."""

    def __init__(self, context: PageContext) -> None:
        self._context = context

    def routes(self) -> Sequence[Route]:
        """Return the address of a search."""
        return [Route("/find/{text:path}", self._answer)]

    def _answer(self, request: Request) -> Response:
        """Return the view of a search, or the hits in older changes."""
        text = request.path_params["text"]
        query = request.query_params
        base = request.scope.get("root_path", "")
        # A slash in the text is no part of the address.
        address = f"{base}/find/{quote_url(text, safe='')}"
        match query.get("part"):
            case "view":
                template, before = "find.html", None
            case "more":
                template, before = "hits.html", query.get("before", "")
                if parse_change_id(before) is None:
                    raise invalid("before must be the id of a change")
            case "comments":
                # Comments are on changes.
                return HTMLResponse("")
            case _:
                raise not_found("There is no such part of this page.")
        if not text.strip():
            return self._context.html(
                "find.html", request, text="", address=address, result=None
            )
        result = self._context.workspace.search_history(
            text, limit=MAX_HITS, before=before, seconds=_SEARCH_SECONDS
        )
        return self._context.html(
            template,
            request,
            text=text,
            address=address,
            result=result,
            files=[self._describe(hit) for hit in result.hits],
        )

    def _describe(self, hit: HistoryHit) -> FileHit:
        heading = self._context.log.prompt(hit.record.id)
        title = hit.record.summary if heading is None else heading.title
        hit_hunk = DiffHunk(0, 0, 0, 0, hit.rows)
        view = view_of(FileDiff(hit.path, hit.path, (hit_hunk,)))
        return FileHit(
            record=hit.record,
            title=title,
            view=view,
            more=hit.row_count - len(hit.rows),
        )
