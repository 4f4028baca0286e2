"""Asking the person behind the client before a call that destroys or changes something.

The person sees the files and the diff of what the call would do. Both eras: a handshake-era client is asked
while its call waits; a 2026 client gets its call back with the question and sends it again with the answer.
Where a client cannot ask, the call is refused and waits on the review page: once the person has allowed it
there, the same call is made. An answer counts for exactly the call it was asked for, and for what it was shown to do.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from mcp.server import ServerRequestContext
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
from filewright.surface import Listed
from filewright.tools import clip
from filewright.visible import safe
from filewright.wording import listed

if TYPE_CHECKING:
    from filewright.edit import Diff
    from filewright.workspace import Workspace

_logger = logging.getLogger(__name__)

_KEY = "confirm"
QUESTION_CHARS = 600
NAMED = 5
"""Files and folders that a question names of what a call is about."""
LOST = 10
"""Files and folders that are named of what a call takes away."""
SHOWN_CHARS = 6_000
"""Characters of a diff that a question shows; the review page shows more."""
_NAMING = (
    *("path", "absolute_file_path", "source", "destination", "paths", "items", "operations", "changes"),
    *("change_id", "backup_id"),
)
"""Arguments that say what a call is about, in the native tools and the dialects."""
_SCHEMA = {
    "type": "object",
    "properties": {
        "confirm": {
            "type": "boolean",
            "title": "Go ahead",
            "description": "Make this change",
            "default": True,
        }
    },
}

Shown = Callable[[], Awaitable["Diff | str"]]
"""What a call would do, as a diff where that is known, else in words; made when it is needed."""


class Confirmation:
    """The setting `confirm`: which calls need the person's word, and how it is asked for."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def settle(
        self,
        context: ServerRequestContext[Any, Any],
        tool: Listed,
        params: CallToolRequestParams,
        caller: Caller,
        shown: Shown,
    ) -> InputRequiredResult | None:
        """Let the call be made; or give the question that a 2026 client takes to its user.

        Raises `cancelled` for a call that the person did not allow, or has yet to allow on the page.
        """
        arguments = params.arguments or {}
        if not self._needed(tool, arguments):
            return None
        capabilities = context.session.client_capabilities
        elicitation = capabilities.elicitation if capabilities is not None else None
        made, asked = await shown(), ""
        if elicitation is None or (elicitation.form is None and elicitation.url is not None):
            await asyncio.to_thread(self._on_the_page, tool, arguments, caller, made)
        elif context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            message = _text(tool, arguments, made)
            state = _digest(tool.name, arguments, message)
            answer = (params.input_responses or {}).get(_KEY)
            if params.request_state != state or not isinstance(answer, ElicitResult):
                question = ElicitRequestFormParams(message=message, requested_schema=_SCHEMA)
                return InputRequiredResult(
                    input_requests={_KEY: ElicitRequest(params=question)}, request_state=state
                )
            _require_agreement(answer)
        else:
            while (message := _text(tool, arguments, made)) != asked:
                try:
                    answer = await context.session.elicit_form(
                        message, _SCHEMA, related_request_id=context.request_id
                    )
                except (MCPError, NoBackChannelError) as error:
                    _logger.warning("the client could not ask its user: %s", error)
                    raise _refusal() from error
                _require_agreement(answer)
                made, asked = await shown(), message  # what was shown is what is done, or it is asked again
        return None

    def _on_the_page(
        self, tool: Listed, arguments: Mapping[str, Any], caller: Caller, made: Diff | str
    ) -> None:
        """Go by the word given on the review page; without one let the call wait for it there."""
        from filewright.page import WaitingCall, Words

        words, value = (made, "") if isinstance(made, str) else ("", made.json)
        session, client = caller.session or "", caller.client or ""
        # A word is one on what was shown: where the call would do something else by now, it waits anew.
        call_id = _digest(tool.name, caller.session, arguments, words, value)[:32]
        question = _question(tool, arguments, made)
        call = WaitingCall(call_id, time.time(), question, safe(words), session, client, value)
        try:
            word = Words(self._workspace).take(call_id)
            if word is None:
                Words(self._workspace).ask(call)
        except OSError as error:
            raise from_os_error(error, "the state folder", doing="write to") from error
        if word is None:
            raise FilewrightError(
                Code.CANCELLED,
                f"{tool.name} waits for the user's word; nothing was changed",
                hint="ask the user to allow it on the page that `filewright review` opens, where it waits for ten "
                "minutes; then make the same call again",
            )
        if word != "allowed":
            raise _refusal()

    def _needed(self, tool: Listed, arguments: Mapping[str, Any]) -> bool:
        when = self._workspace.settings.confirm
        if when == "never" or not tool.writes or (when == "destructive" and not tool.destructive):
            return False
        properties = tool.schema.get("properties", {})
        # Only what the tool itself takes for a preview: some dialects pass over arguments that they do not know.
        previews = [name for name in ("preview", "dry_run", "dryRun") if name in properties]
        return not any(
            arguments.get(name, properties[name].get("default", False)) is True for name in previews
        )


def _require_agreement(answer: ElicitResult) -> None:
    if answer.action != "accept" or (answer.content or {}).get("confirm", True) is not True:
        raise _refusal()


def _refusal() -> FilewrightError:
    return FilewrightError(
        Code.CANCELLED, "the user did not allow this call; nothing was changed", hint="ask the user"
    )


def _text(tool: Listed, arguments: Mapping[str, Any], made: Diff | str) -> str:
    """The question with what the call would do."""
    question = _question(tool, arguments, made)
    diff = made if isinstance(made, str) else made.text
    if not isinstance(made, str) and made.lost:
        goes = listed([lost.text for lost in made.lost], LOST, noun="of those that go")
        question += clip(safe(f"\n\nThis takes away {goes}."), QUESTION_CHARS, at_line=True)
    return f"{question}\n\n{clip(safe(diff).rstrip(), SHOWN_CHARS, at_line=True)}" if diff else question


def _digest(*facts: object) -> str:
    canonical = json.dumps(facts, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _question(tool: Listed, arguments: Mapping[str, Any], made: Diff | str) -> str:
    if isinstance(made, str):
        named, more = [], 0
    else:
        left = [file for file in made.files if file.new is not None]
        named = [f"{file.old} → {file.new}" if file.action == "moved" else file.path for file in left]
        rewritten = {file.path for file in left if file.old == file.new}
        gone = [lost for lost in made.lost if lost.path not in rewritten]
        named = [lost.path for lost in gone] + named
        # A folder is named instead of what is in it; the files that are not shown are among those that go, or are more.
        more = made.more - sum(lost.files for lost in gone) + len(made.files) - len(left)
    names = [*dict.fromkeys(named or _named([arguments.get(key) for key in _NAMING]))]
    shown = [*names, *range(more)]
    what = listed(shown, min(NAMED, len(names)), noun="file") if names else "the workspace"
    return clip(safe(f"Allow {tool.name} on {what}?"), QUESTION_CHARS)


def _named(value: Any) -> list[str]:
    """What a call is about, by its arguments."""
    if isinstance(value, list):
        return [name for each in value for name in _named(each)]
    if isinstance(value, dict):
        return [" → ".join(str(value[key]) for key in _NAMING if isinstance(value.get(key), str))]
    return [str(value)] if value else []
