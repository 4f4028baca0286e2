"""Calls that wait for the person, and the person's answers to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from filewright.edit.diff import Diff
from filewright.errors import FilewrightError
from filewright.mailbox.calls import Answer, WaitingCall, WaitingCalls
from filewright.page.call_description import CallDescription, describe_call
from filewright.page.context import PageContext
from filewright.page.parts import not_found
from filewright.page.requests import AllowanceRequest, AnswerRequest


@dataclass(frozen=True, slots=True)
class CallView:
    """A waiting call, with its description in plain words."""

    call: WaitingCall
    request: CallDescription


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
            self._context.post(
                "/ask-again", AllowanceRequest, self._end_allowance
            ),
        ]

    @property
    def state(self) -> str:
        """A text that changes whenever a call begins or stops waiting."""
        waiting_ids = [call.id for call in self._calls.waiting()]
        waiting_ids += [allowance.id for allowance in self._calls.allowances()]
        return " ".join(waiting_ids)

    @property
    def count(self) -> int:
        """The number of calls that wait."""
        return len(self._calls.waiting())

    def _list(self, request: Request) -> Response:
        """Return the calls that wait, and the tools that sessions may use."""
        calls: list[CallView] = []
        for call in self._calls.waiting():
            calls.append(CallView(call, describe_call(call, _read_diff(call))))
        return self._context.html(
            "waiting.html",
            request,
            calls=calls,
            allowances=self._calls.allowances(),
        )

    def _show(self, request: Request) -> Response:
        """Return one of the calls with its diff."""
        call = self._find(request.path_params["call"])
        diff = _read_diff(call)
        return self._context.html(
            "asked.html",
            request,
            call=call,
            asked=describe_call(call, diff),
            shown=diff,
        )

    def _answer(self, _request: Request, body: AnswerRequest) -> str:
        """Record the person's answer to a call."""
        call = self._find(body.call)
        answer: Answer = "refused"
        if body.allow:
            answer = "allowed"
        reason = body.reason.strip()
        if not self._calls.answer(call.id, answer, reason):
            raise _not_waiting()
        if not body.allow:
            return "Refused: the agent may not make this call."
        if body.for_session and self._calls.allow_tool(call):
            return f"Allowed, and {call.tool} for the rest of this session."
        return "Allowed: the agent may make this call now."

    def _end_allowance(self, _request: Request, body: AllowanceRequest) -> str:
        """End an allowance: the person is asked about the tool again."""
        if not self._calls.end_allowance(body.allowance):
            raise not_found("You are asked for this tool already.")
        return "From now on you are asked again."

    def _find(self, call_id: str) -> WaitingCall:
        """Return a call that waits. Raise `not_found`."""
        # An answered call, and one that waited too long, are not among them.
        for call in self._calls.waiting():
            if call.id == call_id:
                return call
        raise _not_waiting()


def _read_diff(call: WaitingCall) -> Diff:
    return Diff.from_json(call.diff) if call.diff else Diff()


def _not_waiting() -> FilewrightError:
    """Return the error for a call that was answered, or has waited too long."""
    return not_found("This call does not wait any more.")
