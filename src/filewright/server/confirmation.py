"""Questions to the person, before a call that destroys or changes something.

The person sees the files and the diff of the call. A client of the handshake era is
asked while its call waits. A 2026 client gets its call back with the question, and sends
it again with the answer. If the client cannot ask, the call is refused and waits on the
review page: once the person has allowed it there, the same call is made.

An answer counts for exactly one call, and for exactly the diff that was shown with it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp_types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Caller
from filewright.server.client_roots import Context
from filewright.server.questions import ask, ask_with_diff
from filewright.tools.tool import ListedTool
from filewright.wording import escape_unsendable, to_one_line

if TYPE_CHECKING:
    from filewright.edit.diff import Diff
    from filewright.workspace import Workspace

_logger = logging.getLogger(__name__)

_CALL_ID_CHARS = 32
_ANSWER = "confirm"
_PREVIEW_ARGUMENTS = ("preview", "dry_run", "dryRun")
_READING_COMMAND = "view"
"""The command that changes nothing, of tools that read and write."""
_ANSWER_SCHEMA = {
    "type": "object",
    "properties": {
        _ANSWER: {
            "type": "boolean",
            "title": "Go ahead",
            "description": "Make this change",
            "default": True,
        }
    },
}

Rehearsal = Callable[[], Awaitable["Diff | str"]]
"""A rehearsal of a call, which returns its diff, or words where it has none."""


async def require_confirmation(
    workspace: Workspace,
    context: Context,
    tool: ListedTool,
    params: CallToolRequestParams,
    caller: Caller,
    rehearse: Rehearsal,
) -> InputRequiredResult | None:
    """Let the person confirm a call, if the setting `confirm` requires it.

    Return None if the call may be made, or the question that a 2026 client takes to its
    user. Raise `cancelled` for a call that the person has refused, or has yet to allow
    on the review page.
    """
    arguments = params.arguments or {}
    if not _needs_confirmation(workspace.settings.confirm, tool, arguments):
        return None
    if not _can_ask(context):
        diff = await rehearse()
        await asyncio.to_thread(
            _confirm_on_page, workspace, tool, arguments, caller, diff
        )
        return None
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        await _ask_while_waiting(context, tool, arguments, rehearse)
        return None
    message = ask_with_diff(tool, arguments, await rehearse())
    state = _digest(tool.name, arguments, message)
    answer = (params.input_responses or {}).get(_ANSWER)
    if params.request_state != state or not isinstance(answer, ElicitResult):
        form = ElicitRequestFormParams(
            message=message, requested_schema=_ANSWER_SCHEMA
        )
        return InputRequiredResult(
            input_requests={_ANSWER: ElicitRequest(params=form)},
            request_state=state,
        )
    _require_agreement(answer)
    return None


def _needs_confirmation(
    setting: str, tool: ListedTool, arguments: Mapping[str, Any]
) -> bool:
    """Return True if the setting `confirm` names the call, and it is no preview."""
    if setting == "never" or not tool.writes:
        return False
    if setting == "destructive" and not tool.destructive:
        return False
    # Only arguments of the tool count: some dialects ignore those they do not know.
    properties = tool.schema.get("properties", {})
    if "command" in properties and arguments.get("command") == _READING_COMMAND:
        return False
    for name in _PREVIEW_ARGUMENTS:
        if name in properties:
            default = properties[name].get("default")
            if arguments.get(name, default) is True:
                return False
    return True


def _can_ask(context: Context) -> bool:
    """Return True if the client can show a form to its user."""
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.elicitation is None:
        return False
    elicitation = capabilities.elicitation
    # Without either member, the capability means forms.
    return elicitation.form is not None or elicitation.url is None


async def _ask_while_waiting(
    context: Context,
    tool: ListedTool,
    arguments: Mapping[str, Any],
    rehearse: Rehearsal,
) -> None:
    """Ask until the diff in the question is the one that the call would make now."""
    asked_message = ""
    # A file may change while the person reads: an answer is to the diff that was shown.
    while True:
        message = ask_with_diff(tool, arguments, await rehearse())
        if message == asked_message:
            return
        try:
            answer = await context.session.elicit_form(
                message, _ANSWER_SCHEMA, related_request_id=context.request_id
            )
        except (MCPError, NoBackChannelError) as error:
            _logger.warning("the client could not ask its user: %s", error)
            raise _not_allowed() from error
        _require_agreement(answer)
        asked_message = message


def _confirm_on_page(
    workspace: Workspace,
    tool: ListedTool,
    arguments: Mapping[str, Any],
    caller: Caller,
    diff: Diff | str,
) -> None:
    """Take the answer that was given on the review page, or ask there.

    Raise `cancelled` without an answer, and for a refusal.
    """
    from filewright.mailbox.calls import WaitingCall, WaitingCalls

    waiting_calls = WaitingCalls(workspace)
    description, diff_json = "", ""
    if isinstance(diff, str):
        description = diff
    else:
        diff_json = diff.json
    # The answer is to the diff: a call that would do something else by now waits
    # again.
    call_id = _digest(
        tool.name, caller.session, arguments, description, diff_json
    )[:_CALL_ID_CHARS]
    session = caller.session or ""
    try:
        answer = waiting_calls.take_answer(call_id)
        if answer is None and waiting_calls.is_allowed(session, tool.name):
            return
        if answer is None:
            waiting_calls.add(
                WaitingCall(
                    id=call_id,
                    time=time.time(),
                    question=ask(tool, arguments, diff),
                    shown=escape_unsendable(description),
                    session=session,
                    client=caller.client or "",
                    diff=diff_json,
                    tool=tool.name,
                )
            )
    except OSError as error:
        raise from_os_error(
            error, "the state folder", doing="write to"
        ) from error
    if answer is None:
        raise FilewrightError(
            Code.CANCELLED,
            f"{tool.name} waits for the user's answer; nothing was changed",
            hint="ask the user to allow it on the page that "
            "`filewright review` opens, where it waits for ten minutes; then "
            "make the same call again",
        )
    if answer.answer != "allowed":
        raise _not_allowed(answer.reason)


def _require_agreement(answer: ElicitResult) -> None:
    has_confirmed = (answer.content or {}).get(_ANSWER, True) is True
    if answer.action != "accept" or not has_confirmed:
        raise _not_allowed()


def _not_allowed(reason: str = "") -> FilewrightError:
    """Return the error of a call that the person refused, with the person's reason."""
    message = "the user did not allow this call; nothing was changed"
    if not reason:
        return FilewrightError(Code.CANCELLED, message, hint="ask the user")
    return FilewrightError(
        Code.CANCELLED,
        f"{message}. The user says: {to_one_line(reason)}",
        hint="follow what the user said",
    )


def _digest(*facts: object) -> str:
    canonical = json.dumps(
        facts, sort_keys=True, ensure_ascii=True, default=str
    )
    return hashlib.sha256(canonical.encode()).hexdigest()
