"""What the client is asked: for its roots, and for the person's word before a call that destroys or changes something.

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
import os
import time
import warnings
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes, urlsplit

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

from filewright import system
from filewright.boundary.boundary import Boundary
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Caller
from filewright.tools.bounded_text import clip
from filewright.tools.surface import Tool
from filewright.wording import escape_unsendable, join_limited

if TYPE_CHECKING:
    from filewright.edit.diff import Diff
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
    *(
        "path",
        "absolute_file_path",
        "source",
        "destination",
        "paths",
        "items",
        "operations",
        "changes",
    ),
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

Context = ServerRequestContext[Any, Any]
Shown = Callable[[], Awaitable["Diff | str"]]
"""What a call would do, as a diff where that is known, else in words; made when it is needed."""


async def confirmed(
    workspace: Workspace,
    context: Context,
    tool: Tool,
    params: CallToolRequestParams,
    caller: Caller,
    shown: Shown,
) -> InputRequiredResult | None:
    """Let the call be made, as the setting `confirm` has it; or give the question that a 2026 client takes to its user.

    Raises `cancelled` for a call that the person did not allow, or has yet to allow on the page.
    """
    arguments = params.arguments or {}
    if not _needs_word(workspace.settings.confirm, tool, arguments):
        return None
    capabilities = context.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    made, asked = await shown(), ""
    if elicitation is None or (
        elicitation.form is None and elicitation.url is not None
    ):
        await asyncio.to_thread(
            _confirmed_on_the_page, workspace, tool, arguments, caller, made
        )
    elif context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        message = _text(tool, arguments, made)
        state = _digest(tool.name, arguments, message)
        answer = (params.input_responses or {}).get(_KEY)
        if params.request_state != state or not isinstance(
            answer, ElicitResult
        ):
            question = ElicitRequestFormParams(
                message=message, requested_schema=_SCHEMA
            )
            return InputRequiredResult(
                input_requests={_KEY: ElicitRequest(params=question)},
                request_state=state,
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
            made, asked = (
                await shown(),
                message,
            )  # what was shown is what is done, or it is asked again
    return None


def _needs_word(when: str, tool: Tool, arguments: Mapping[str, Any]) -> bool:
    if (
        when == "never"
        or not tool.writes
        or (when == "destructive" and not tool.destructive)
    ):
        return False
    properties = tool.schema.get("properties", {})
    # Only what the tool itself takes for a preview: some dialects pass over arguments that they do not know.
    previews = [
        name for name in ("preview", "dry_run", "dryRun") if name in properties
    ]
    return not any(
        arguments.get(name, properties[name].get("default")) is True
        for name in previews
    )


def _confirmed_on_the_page(
    workspace: Workspace,
    tool: Tool,
    arguments: Mapping[str, Any],
    caller: Caller,
    made: Diff | str,
) -> None:
    """Go by the word given on the review page; without one let the call wait for it there."""
    from filewright.page.words import WaitingCall, Words

    words, value = (made, "") if isinstance(made, str) else ("", made.json)
    session, client = caller.session or "", caller.client or ""
    # A word is one on what was shown: where the call would do something else by now, it waits anew.
    call_id = _digest(tool.name, caller.session, arguments, words, value)[:32]
    question = _question(tool, arguments, made)
    try:
        word = Words(workspace).take(call_id)
        if word is None:
            call = WaitingCall(
                call_id,
                time.time(),
                question,
                escape_unsendable(words),
                session,
                client,
                value,
            )
            Words(workspace).ask(call)
    except OSError as error:
        raise from_os_error(
            error, "the state folder", doing="write to"
        ) from error
    if word is None:
        raise FilewrightError(
            Code.CANCELLED,
            f"{tool.name} waits for the user's word; nothing was changed",
            hint="ask the user to allow it on the page that `filewright review` opens, where it waits for ten "
            "minutes; then make the same call again",
        )
    if word != "allowed":
        raise _refusal()


def _require_agreement(answer: ElicitResult) -> None:
    if (
        answer.action != "accept"
        or (answer.content or {}).get("confirm", True) is not True
    ):
        raise _refusal()


def _refusal() -> FilewrightError:
    return FilewrightError(
        Code.CANCELLED,
        "the user did not allow this call; nothing was changed",
        hint="ask the user",
    )


def _text(tool: Tool, arguments: Mapping[str, Any], made: Diff | str) -> str:
    """The question with what the call would do."""
    question = _question(tool, arguments, made)
    diff = made if isinstance(made, str) else made.text
    if not isinstance(made, str) and made.lost:
        goes = join_limited(
            [lost.text for lost in made.lost], LOST, noun="of those that go"
        )
        question += clip(
            escape_unsendable(f"\n\nThis takes away {goes}."),
            QUESTION_CHARS,
            at_line=True,
        )
    return (
        f"{question}\n\n{clip(escape_unsendable(diff).rstrip(), SHOWN_CHARS, at_line=True)}"
        if diff
        else question
    )


def _digest(*facts: object) -> str:
    canonical = json.dumps(
        facts, sort_keys=True, ensure_ascii=True, default=str
    )
    return hashlib.sha256(canonical.encode()).hexdigest()


def _question(
    tool: Tool, arguments: Mapping[str, Any], made: Diff | str
) -> str:
    if isinstance(made, str):
        named, more = [], 0
    else:
        left = [file for file in made.files if file.new_name is not None]
        named = [
            f"{file.old_name} → {file.new_name}"
            if file.action == "moved"
            else file.path
            for file in left
        ]
        rewritten = {
            file.path for file in left if file.old_name == file.new_name
        }
        gone = [lost for lost in made.lost if lost.path not in rewritten]
        named = [lost.path for lost in gone] + named
        # A folder is named instead of what is in it; the files that are not shown are among those that go, or are more.
        more = (
            made.omitted_files
            - sum(lost.files for lost in gone)
            + len(made.files)
            - len(left)
        )
    names = [
        *dict.fromkeys(named or _named([arguments.get(key) for key in _NAMING]))
    ]
    shown = [*names, *range(more)]
    what = (
        join_limited(shown, min(NAMED, len(names)), noun="file")
        if names
        else "the workspace"
    )
    return clip(
        escape_unsendable(f"Allow {tool.name} on {what}?"), QUESTION_CHARS
    )


def _named(value: Any) -> list[str]:
    """What a call is about, by its arguments."""
    if isinstance(value, list):
        return [name for each in value for name in _named(each)]
    if isinstance(value, dict):
        return [
            " → ".join(
                str(value[key])
                for key in _NAMING
                if isinstance(value.get(key), str)
            )
        ]
    return [str(value)] if value else []


class ClientRoots:
    """Keeps a boundary within the client's own roots, if that is `wanted` (`--client-roots`).

    Only clients of the handshake era name roots. They are asked for before the first call and again after
    each `notifications/roots/list_changed`; they narrow what is served and never widen it. A client that
    cannot be asked, or that gives no answer, is served nothing until it does; one without the capability
    is served the roots as they are.
    """

    def __init__(self, boundary: Boundary, wanted: bool) -> None:
        self._boundary = boundary
        self._wanted = wanted
        self._known = not wanted
        self._asking = asyncio.Lock()

    async def changed(self, _context: Context, _params: Any) -> None:
        """The client has other roots now: it is asked before the next call."""
        self._known = not self._wanted

    async def settle(self, context: Context) -> None:
        """Know the client's roots before it is answered. Raises `permission_denied` where it does not say."""
        async with self._asking:
            if self._known:
                return
            capabilities = context.session.client_capabilities
            if capabilities is None or capabilities.roots is None:
                _logger.warning(
                    "--client-roots is set, but this client names no roots: all are served"
                )
                self._known = True
                return
            self._boundary.restrict(())
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter(
                        "ignore"
                    )  # roots are of the era that this is for
                    answer = await context.session.list_roots()
            except (MCPError, NoBackChannelError) as error:
                raise FilewrightError(
                    Code.PERMISSION_DENIED,
                    "the client did not say which of its roots may be served",
                    hint="try again, or serve without --client-roots",
                ) from error
            uris = [urlsplit(str(root.uri)) for root in answer.roots]
            files = [
                (uri.netloc, unquote_to_bytes(uri.path))
                for uri in uris
                if uri.scheme == "file"
            ]
            # A folder of another host is not the one of that path here.
            paths = [system.path_from_file_url(*file) for file in files]
            self._boundary.restrict(
                [os.fsdecode(path) for path in paths if path is not None]
            )
            self._known = True
