"""The request handlers of the MCP server, over a workspace and the tools it offers."""

from __future__ import annotations

import base64
import hashlib
import logging
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp.server import Server
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    AudioContent,
    BlobResourceContents,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    InputRequiredResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    NotificationParams,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    ResourceLink,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from filewright import __version__
from filewright.errors import Code, FilewrightError
from filewright.mailbox.comments import IMITATION_WARNING
from filewright.mailbox.imitation import imitates_user
from filewright.mailbox.prompts import ClientPrompts, CurrentPrompt
from filewright.progress import Caller, Task, clean_caller_name
from filewright.server.calls import CallRunner, T
from filewright.server.client_roots import ClientRoots, Context
from filewright.server.confirmation import require_confirmation
from filewright.server.greeting import TOOLS_TTL_MS
from filewright.server.listing import (
    APP_PARTS,
    RESOURCE_TEMPLATES,
    listing,
)
from filewright.server.notices import Notices
from filewright.server.resources import Resources
from filewright.tools.bound_tools import BoundTools
from filewright.tools.bounded_text import clip
from filewright.tools.history import HistoryResult
from filewright.tools.result import ChangeResult, Image, ToolResult
from filewright.tools.tool import ListedTool
from filewright.wording import did_you_mean, escape_unsendable
from filewright.workspace import HISTORY

if TYPE_CHECKING:
    from filewright.edit.diff import Diff
    from filewright.workspace import Workspace

_logger = logging.getLogger(__name__)

RESOURCE_NOT_FOUND = -32002
"""The code for a missing resource in the handshake era; 2026 clients get -32602."""
LINKS_SINCE = "2025-06-18"
"""The first protocol version whose results may link to resources."""
TURN = "filewright/turn"
"""The field of a request's `_meta` by which a client names a turn of its session."""
CODEX = "x-codex-turn-metadata"
"""The field in which Codex names the session and the turn, as it does to its hooks."""
APPS = "io.modelcontextprotocol/ui"
"""The extension of clients that show apps in the conversation."""
VIEW = "filewright/view"
"""The field of a result's `_meta` with the app's content; models do not see it."""
CUT_RESULT = (
    "[cut at the result limit; the whole result is the linked resource]"
)


class Handlers:
    """The handlers of all requests of one client.

    `process` is the key of the process that started the server, which also starts the
    client's hooks. They record the session and the turn that it is in.
    """

    def __init__(
        self,
        workspace: Workspace,
        offer: BoundTools,
        calls: CallRunner,
        process: str | None = None,
    ) -> None:
        self._workspace = workspace
        self._offer = offer
        self._calls = calls
        self._settings = workspace.settings
        self._session = secrets.token_hex(6)
        self._process = process
        self._prompt: CurrentPrompt | None = None
        self._resources = Resources(workspace)
        self._notices = Notices(workspace)
        self._roots = ClientRoots(
            workspace.context.boundary, self._settings.client_roots
        )
        self._tools = {tool.name: tool for tool in offer.tools()}
        self._listing = ListToolsResult.model_validate(
            {"tools": listing(offer.tools())}
        )
        self._templates = ListResourceTemplatesResult.model_validate(
            {"resourceTemplates": RESOURCE_TEMPLATES}
        )

    def server(self) -> Server[Any]:
        """Return a server of the SDK that answers with these handlers."""
        server: Server[Any] = Server(
            "filewright",
            version=__version__,
            title="filewright",
            instructions=self._offer.instructions,
            cache_hints={
                "tools/list": CacheHint(ttl_ms=TOOLS_TTL_MS, scope="private")
            },
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_templates,
            on_read_resource=self.read_resource,
            on_completion=self.complete,
        )
        server.add_notification_handler(
            "notifications/roots/list_changed",
            NotificationParams,
            self._roots.invalidate,
        )
        server.extensions[APPS] = {}
        server.middleware.append(_contain_errors)
        return server

    # Tools

    async def list_tools(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        """Return all tools, in one page."""
        return self._listing

    async def call_tool(
        self, context: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        """Run one tool call in a worker thread.

        Only an unknown tool is a protocol error; any other failure is a result.
        """
        tool = self._find_tool(params.name)
        arguments = params.arguments or {}
        caller = self._caller(context)
        with_links = context.protocol_version >= LINKS_SINCE
        try:
            await self._roots.require(context)
            question = await require_confirmation(
                self._workspace,
                context,
                tool,
                params,
                caller,
                partial(self._rehearse, tool, arguments),
            )
            if question is not None:
                return question
            wants_progress = (context.meta or {}).get("progress_token")
            return await self._calls.run(
                partial(
                    self._answer,
                    tool,
                    arguments,
                    caller,
                    with_links=with_links,
                    with_app=_shows_apps(context),
                ),
                writes=tool.writes,
                notify=(
                    context.session.report_progress
                    if wants_progress is not None
                    else None
                ),
            )
        except FilewrightError as error:
            refusal = self._offer.refuse(error)
            return self._render(refusal, with_links=with_links)

    def _find_tool(self, name: str) -> ListedTool:
        tool = self._tools.get(name)
        if tool is not None:
            return tool
        hint = did_you_mean(
            name, self._tools, f"the tools are {', '.join(self._tools)}"
        )
        raise MCPError(
            code=INVALID_PARAMS,
            message=escape_unsendable(f"Unknown tool: {name[:100]}; {hint}"),
        )

    def _answer(
        self,
        tool: ListedTool,
        arguments: Mapping[str, Any],
        caller: Caller,
        task: Task,
        *,
        with_links: bool,
        with_app: bool,
    ) -> CallToolResult:
        """Call a tool, and render its result, in the worker thread."""
        self._notices.begin(caller)
        recorded_as = self._with_prompt(caller, is_current=tool.writes)
        task.caller = recorded_as
        result = self._offer.call(tool.name, arguments, task=task)
        rendered = self._render(result, with_links=with_links)
        news = self._notices.news(caller, result.text, recorded_as)
        if news:
            rendered.content.append(TextContent(text=news))
        if with_app and isinstance(result, ChangeResult):
            rendered.meta = {VIEW: self._view(result, task)}
        return rendered

    async def _rehearse(
        self, tool: ListedTool, arguments: Mapping[str, Any]
    ) -> Diff | str:
        """Return the diff that a call would make, without making it.

        Return words for a call without a diff, and for one that is refused.
        """

        def rehearse(task: Task) -> Diff | str:
            from filewright.edit.diff import Diff

            task.preview_diffs = []
            result = self._offer.call(tool.name, arguments, task=task)
            if task.preview_diffs:
                return Diff.join(task.preview_diffs)
            return result.text

        try:
            return await self._calls.run(rehearse)
        except FilewrightError as error:
            return str(error)

    # Callers

    def _caller(self, context: Context) -> Caller:
        """Return the session, the client and the turn of a request.

        Over HTTP the session is a digest of the session's id, which must not be
        recorded: a reader of it could take the session over. Otherwise it is the
        session that Codex names in each request, or else the server's own.
        """
        meta = context.meta or {}
        codex = meta.get(CODEX)
        if not isinstance(codex, Mapping) or context.request is not None:
            codex = {}
        session = clean_caller_name(codex.get("session_id")) or self._session
        headers = getattr(context.request, "headers", {})
        http_session = headers.get("mcp-session-id")
        if http_session:
            session = hashlib.sha256(http_session.encode()).hexdigest()[:12]
        client_name = None
        if context.session.client_params is not None:
            client = context.session.client_params.client_info
            client_name = f"{client.name} {client.version}"
        return Caller(
            session,
            clean_caller_name(client_name),
            clean_caller_name(meta.get(TURN, codex.get("turn_id"))),
        )

    def _with_prompt(self, caller: Caller, *, is_current: bool) -> Caller:
        """Return the caller with the session and turn that the client's hooks recorded.

        With `is_current` they are read again. Otherwise those of the last call that
        writes will do, as nothing of this call is recorded.
        """
        if self._process is None or caller.session != self._session:
            return caller
        if is_current:
            # If they cannot be read, the last ones are used.
            with suppress(FilewrightError):
                self._prompt = ClientPrompts(self._workspace).current(
                    self._process, caller.client or ""
                )
        prompt = self._prompt
        if prompt is None:
            return caller
        return caller._replace(
            session=prompt.session, turn=caller.turn or prompt.turn
        )

    # Results

    def _view(self, result: ChangeResult, task: Task) -> dict[str, Any]:
        """Return the app's content for a change.

        It names the tool that takes the change back, if that is offered.
        """
        from filewright.page.app import app_part, app_view
        from filewright.tools.revert import RevertResult

        html: object = None
        if result.change_id is not None:
            # The change is made: it must not fail because it cannot be shown.
            with suppress(FilewrightError):
                html = app_part(
                    self._workspace.under(task),
                    APP_PARTS,
                    f"/change/{result.change_id}?part=files&start=0",
                )
        return {
            "html": html or app_view(result.difference),
            "change_id": result.change_id,
            "undo": "revert_edit" if "revert_edit" in self._tools else None,
            "undoes": isinstance(result, RevertResult),
        }

    def _render(
        self, result: ToolResult, *, with_links: bool
    ) -> CallToolResult:
        """Return a result as the protocol carries it."""
        text = result.text
        links: list[ContentBlock] = []
        if with_links and result.whole is not None:
            link = self._store_whole(result.whole)
            if link is not None:
                links.append(link)
                text = clip(
                    result.whole,
                    self._settings.hard_chars,
                    note=CUT_RESULT,
                    at_line=True,
                )
        if with_links and isinstance(result, HistoryResult):
            link = self._link_diff(result)
            if link is not None:
                links.append(link)
        content: list[ContentBlock] = []
        if text or not result.images:
            content.append(TextContent(text=text))
        # A text in JSON has no notices, and one that is cut here has lost them.
        if result.notices and result.notices[-1] not in text:
            content.append(TextContent(text="\n".join(result.notices)))
        content += [_media_block(image) for image in result.images]
        return CallToolResult(
            content=[*content, *links], is_error=result.is_error
        )

    def _store_whole(self, whole: str) -> ResourceLink | None:
        """Store a result that was cut; return the link to it."""
        uri = self._resources.store(whole)
        if uri is None:
            return None
        return ResourceLink(
            uri=uri,
            name="whole result",
            mime_type="text/plain",
            size=len(whole.encode("utf-8")),
        )

    def _link_diff(self, result: HistoryResult) -> ResourceLink | None:
        """Return a link to the diff of a change that is longer than its answer.

        The answer to the change itself has none: it names `get_history`, which every
        client can call.
        """
        diff = result.difference
        if diff is None:
            return None
        is_short = len(diff.text) <= self._settings.page_chars
        if is_short and not diff.truncated:
            return None
        return ResourceLink(
            uri=f"{HISTORY}{result.changes[0].change_id}",
            name="whole diff",
            mime_type="text/plain",
        )

    # Resources

    async def list_resources(
        self, context: Context, _params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """Return the newest changes. Files are not listed: a template names them."""
        empty = ListResourcesResult(resources=[])
        return await self._look_up(
            context, lambda _task: self._resources.recent(), empty
        )

    async def list_templates(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        """Return the templates of files and changes."""
        return self._templates

    async def read_resource(
        self, context: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        """Return the content of one resource."""
        uri = str(params.uri)
        try:
            await self._roots.require(context)
            contents = await self._calls.run(
                lambda _task: self._resources.read(uri)
            )
        except FilewrightError as error:
            is_modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
            code = INVALID_PARAMS
            if error.code is Code.NOT_FOUND and not is_modern:
                code = RESOURCE_NOT_FOUND
            raise MCPError(
                code=code,
                message=escape_unsendable(str(error)),
                data={"uri": escape_unsendable(uri)},
            ) from error
        if isinstance(contents, TextResourceContents) and imitates_user(
            contents.text
        ):
            warning = TextResourceContents(
                uri=uri, mime_type="text/plain", text=IMITATION_WARNING
            )
            return ReadResourceResult(contents=[contents, warning])
        return ReadResourceResult(contents=[contents])

    async def complete(
        self, context: Context, params: CompleteRequestParams
    ) -> CompleteResult:
        """Return paths or change ids for an argument of a resource template."""
        completion = Completion(values=[], total=0, has_more=False)
        if isinstance(params.ref, ResourceTemplateReference):
            complete = partial(
                self._resources.complete,
                params.ref.uri,
                params.argument.name,
                params.argument.value,
            )
            completion = await self._look_up(context, complete, completion)
        return CompleteResult(completion=completion)

    async def _look_up(
        self, context: Context, work: Callable[[Task], T], default: T
    ) -> T:
        """Return the result of `work`.

        Return `default` while the roots that may be served are not known.
        """
        try:
            await self._roots.require(context)
        except FilewrightError:
            return default
        try:
            return await self._calls.run(work)
        except FilewrightError as error:
            raise MCPError(
                code=INTERNAL_ERROR, message=escape_unsendable(str(error))
            ) from error


def _shows_apps(context: Context) -> bool:
    """Return True if the client shows apps."""
    capabilities = context.session.client_capabilities
    return capabilities is not None and APPS in (capabilities.extensions or {})


async def _contain_errors(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Refuse arguments that are no object, and hide the text of unexpected errors.

    The SDK does not say what is wrong with such arguments, and sends the text of any
    exception to the client.
    """
    arguments = (ctx.params or {}).get("arguments")
    if (
        ctx.method == "tools/call"
        and arguments is not None
        and not isinstance(arguments, Mapping)
    ):
        kind = type(arguments).__name__
        if isinstance(arguments, list):
            kind = "array"
        raise MCPError(
            code=INVALID_PARAMS,
            message=f"arguments must be an object, not {kind}",
        )
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception as error:
        _logger.exception("%s failed", ctx.method)
        raise MCPError(
            code=INTERNAL_ERROR,
            message="internal: this is a bug; the server's log says more",
        ) from error


def _media_block(file: Image) -> ContentBlock:
    """Return a file as the protocol carries it: image, sound, or bytes with a URI."""
    data = base64.b64encode(file.data).decode("ascii")
    match file.mime.partition("/")[0]:
        case "image":
            return ImageContent(data=data, mime_type=file.mime)
        case "audio":
            return AudioContent(data=data, mime_type=file.mime)
        case _:
            return EmbeddedResource(
                resource=BlobResourceContents(
                    uri=file.uri, mime_type=file.mime, blob=data
                )
            )
