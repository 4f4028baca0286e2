"""Asking the person behind the client before a call that destroys or changes something.

Both eras: a handshake-era client is asked while its call waits; a 2026 client gets its call back with
the question and sends it again with the answer. An answer counts for exactly the call it was asked for.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Mapping
from typing import Any, Literal

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

from filewright.surface import Listed
from filewright.tools import clip
from filewright.visible import safe

_logger = logging.getLogger(__name__)

_KEY = "confirm"
QUESTION_CHARS = 600
_NAMING = (
    *("path", "absolute_file_path", "source", "destination", "paths", "items", "operations", "changes"),
    *("change_id", "backup_id"),
)
"""Arguments that say what a call is about, in the native tools and the dialects."""
_PATCHED = re.compile(
    r"^(?:--- (?!/dev/null)(?:a/)?|\+\+\+ (?!/dev/null)(?:b/)?|rename (?:from|to) "
    r"|\*\*\* (?:(?:Add|Update|Delete) File|Move to): )([^\t\n]+)",
    re.MULTILINE,
)
"""The lines of a patch that name a file; what is asked needs the names, the tool reads the patch."""
PATCH_CHARS = 1_000_000
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

Verdict = Literal["go", "refused"]


class Confirmation:
    """The setting `confirm`: which calls need the person's word, and how it is asked for."""

    def __init__(self, when: Literal["never", "destructive", "always"]) -> None:
        self._when = when
        self._warned = False

    async def settle(
        self, context: ServerRequestContext[Any, Any], tool: Listed, params: CallToolRequestParams
    ) -> Verdict | InputRequiredResult:
        """Whether the call may be made; or the question that a 2026 client must take to its user.

        A client that cannot ask is not held up: whoever wants that serves read-only.
        """
        arguments = params.arguments or {}
        if not self._needed(tool, arguments):
            return "go"
        capabilities = context.session.client_capabilities
        elicitation = capabilities.elicitation if capabilities is not None else None
        if elicitation is None or (elicitation.form is None and elicitation.url is not None):
            if not self._warned:
                self._warned = True
                _logger.warning("confirm is set, but this client cannot ask its user; calls are made unasked")
            return "go"
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return self._second_round(tool, arguments, params)
        try:
            answer = await context.session.elicit_form(
                _question(tool, arguments), _SCHEMA, related_request_id=context.request_id
            )
        except (MCPError, NoBackChannelError) as error:
            _logger.warning("the client could not ask its user: %s", error)
            return "refused"
        return _verdict(answer)

    def _needed(self, tool: Listed, arguments: Mapping[str, Any]) -> bool:
        if self._when == "never" or not tool.writes or (self._when == "destructive" and not tool.destructive):
            return False
        properties = tool.schema.get("properties", {})
        return not any(
            arguments.get(name, properties.get(name, {}).get("default", False)) is True
            for name in ("preview", "dry_run")
        )

    def _second_round(
        self, tool: Listed, arguments: Mapping[str, Any], params: CallToolRequestParams
    ) -> Verdict | InputRequiredResult:
        state = _digest(tool.name, arguments)
        answer = (params.input_responses or {}).get(_KEY)
        if params.request_state == state and isinstance(answer, ElicitResult):
            return _verdict(answer)
        question = ElicitRequestFormParams(message=_question(tool, arguments), requested_schema=_SCHEMA)
        return InputRequiredResult(input_requests={_KEY: ElicitRequest(params=question)}, request_state=state)


def _verdict(answer: ElicitResult) -> Verdict:
    agreed = answer.action == "accept" and (answer.content or {}).get("confirm", True) is True
    return "go" if agreed else "refused"


def _digest(name: str, arguments: Mapping[str, Any]) -> str:
    canonical = json.dumps([name, arguments], sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _question(tool: Listed, arguments: Mapping[str, Any]) -> str:
    named = [name for key in _NAMING for name in _names(arguments.get(key))]
    patch = arguments.get("patch")
    if isinstance(patch, str):
        named += dict.fromkeys(found.group(1).strip() for found in _PATCHED.finditer(patch[:PATCH_CHARS]))
    return clip(
        safe(f"Allow {tool.name} on {', '.join(named) or 'the workspace'}?"), QUESTION_CHARS, at_line=True
    )


def _names(value: Any) -> list[str]:
    if isinstance(value, list):
        return [name for each in value for name in _names(each)]
    if isinstance(value, dict):
        return [" → ".join(str(value[key]) for key in _NAMING if isinstance(value.get(key), str))]
    return [] if value is None else [str(value)]
