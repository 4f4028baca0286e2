"""Calls that wait for the person, and the person's answers to them."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from filewright.edit.diff import Diff
from filewright.mailbox.calls import Answer, WaitingCalls
from filewright.page.context import PageContext
from filewright.page.parts import not_found
from filewright.page.requests import AnswerRequest


class Approvals:
    """The calls of agents that wait for an answer on the page."""

    def __init__(self, context: PageContext) -> None:
        self._context = context
        self._calls = WaitingCalls(context.workspace)

    def routes(self) -> Sequence[Route]:
        """Return the addresses of the calls, and of the answer to one."""
        return [
            Route("/waiting", self._list),
            Route("/waiting/{call}", self._show),
            self._context.post("/word", AnswerRequest, self._answer),
        ]

    @property
    def count(self) -> int:
        """The number of calls that wait."""
        return len(self._calls.waiting())

    def _list(self, request: Request) -> Response:
        """Return the calls that wait."""
        return self._context.html(
            "waiting.html", request, calls=self._calls.waiting()
        )

    def _show(self, request: Request) -> Response:
        """Return one of the calls with its diff."""
        call_id = request.path_params["call"]
        for call in self._calls.waiting():
            if call.id == call_id:
                diff = Diff.from_json(call.diff) if call.diff else Diff()
                return self._context.html(
                    "asked.html", request, call=call, shown=diff
                )
        raise not_found("This call does not wait any more.")

    def _answer(self, _request: Request, body: AnswerRequest) -> str:
        """Record the person's answer to a call."""
        answer: Answer = "refused"
        if body.allow:
            answer = "allowed"
        if not self._calls.answer(body.call, answer):
            raise not_found("This call does not wait any more.")
        if body.allow:
            return "Allowed: the agent may make this call now."
        return "Refused: the agent may not make it."
