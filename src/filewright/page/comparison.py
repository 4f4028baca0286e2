"""The view of the difference between two moments of the history."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from filewright.page.cards import MAX_CARDS, make_cards
from filewright.page.context import PageContext, part_response
from filewright.page.export import export
from filewright.page.parts import Subject, ViewPart
from filewright.page.render import render

_MAX_CACHED_COMPARISONS = 2


class ComparisonView:
    """The views between two moments, such as `/between/14:00..now`.

    Without moments, the view asks for them.
    """

    def __init__(self, context: PageContext) -> None:
        self._context = context
        # With the newest change as a part of the key: "now" is one of the moments.
        self._select_cached = lru_cache(_MAX_CACHED_COMPARISONS)(
            self._select_at
        )

    def routes(self) -> Sequence[Route]:
        """Return the address of a comparison."""
        return [Route("/between/{moments:path}", self._answer)]

    def _answer(self, request: Request) -> Response:
        """Return the view, or a part of it."""
        part = request.query_params.get("part")
        if part == "comments":
            # Comments are on changes.
            return HTMLResponse("")
        moments = request.path_params["moments"]
        if part == "view" and not moments:
            return self._context.html("between.html", request, record=None)
        subject = self._select_cached(moments, self._context.workspace.newest())
        match part:
            case "patch" | "markdown" | "message" as form:
                context = self._context
                return export(context.workspace, context.log, subject, form)
        shared = self._shared_values(request, subject)
        if part != "view":
            view_part = ViewPart(
                self._context.workspace, subject, request.query_params, shared
            )
            return part_response(view_part.answer())
        record = subject.record
        content = render(
            "between.html",
            **shared,
            record=record,
            cards=make_cards(self._context.workspace, record),
            following=MAX_CARDS,
        )
        return HTMLResponse(content)

    def _select_at(self, moments: str, _newest: str | None) -> Subject:
        workspace = self._context.workspace.under(self._context.new_task())
        return Subject("between", moments, workspace.between(moments))

    def _shared_values(
        self, request: Request, subject: Subject
    ) -> dict[str, Any]:
        values = self._context.shared_values(request, subject)
        # A difference is not a change that could be undone.
        return {**values, "acting": False}
