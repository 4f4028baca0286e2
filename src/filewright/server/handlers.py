"""The request handlers of the MCP server, over a workspace and the tools it offers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp.server import Server
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    InputRequiredResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    NotificationParams,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
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
from filewright.progress import Caller, Task
from filewright.server.callers import Callers
from filewright.server.calls import CallRunner, T
from filewright.server.client_roots import ClientRoots, Context
from filewright.server.confirmation import require_confirmation
from filewright.server.greeting import TOOLS_TTL_MS
from filewright.server.listing import RESOURCE_TEMPLATES, describe_tools
from filewright.server.notices import Notices
from filewright.server.resources import Resources
from filewright.server.results import ResultRenderer
from filewright.tools.bound_tools import BoundTools
from filewright.tools.result import ChangeResult
from filewright.tools.tool import ListedTool
from filewright.wording import did_you_mean, escape_unsendable

if TYPE_CHECKING:
    from filewright.edit.diff import Diff
    from filewright.workspace import Workspace

_logger = logging.getLogger(__name__)

RESOURCE_NOT_FOUND = -32002
"""The code for a missing resource in the handshake era; 2026 clients get -32602."""
LINKS_SINCE = "2025-06-18"
"""The first protocol version whose results may link to resources."""
APPS = "io.modelcontextprotocol/ui"
"""The extension of clients that show apps in the conversation."""
_UNDO_TOOL = "revert_edit"


class Handlers:
    """The handlers of all requests of one client.

    `process` is the key of the process that started the server, see `Callers`.
    """

    def __init__(
        self,
        workspace: Workspace,
        bound_tools: BoundTools,
        calls: CallRunner,
        process: str | None = None,
    ) -> None:
        self._workspace = workspace
        self._bound_tools = bound_tools
        self._calls = calls
        self._callers = Callers(workspace, process)
        self._resources = Resources(workspace)
        self._results = ResultRenderer(workspace, self._resources)
        self._notices = Notices(workspace)
        self._roots = ClientRoots(
            workspace.context.boundary, workspace.settings.client_roots
        )
        self._tools = {tool.name: tool for tool in bound_tools.tools()}
        self._listing = ListToolsResult.model_validate(
            {"tools": describe_tools(bound_tools.tools())}
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
            instructions=self._bound_tools.instructions,
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
        server.middleware += [_require_arguments_object, _hide_errors]
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
        caller = self._callers.identify(context)
        with_links = context.protocol_version >= LINKS_SINCE
        report_progress = None
        if (context.meta or {}).get("progress_token") is not None:
            report_progress = context.session.report_progress
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
                notify=report_progress,
            )
        except FilewrightError as error:
            refusal = self._bound_tools.refuse(error)
            return self._results.render(refusal, with_links=with_links)

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
        recorded_as = self._callers.add_prompt(caller, writes=tool.writes)
        task.caller = recorded_as
        result = self._bound_tools.call(tool.name, arguments, task=task)
        rendered = self._results.render(result, with_links=with_links)
        news = self._notices.news(caller, result.text, recorded_as)
        if news:
            rendered.content.append(TextContent(text=news))
        if with_app and isinstance(result, ChangeResult):
            undo_tool = _UNDO_TOOL if _UNDO_TOOL in self._tools else None
            rendered.meta = self._results.render_app(
                result, task, undo_tool=undo_tool
            )
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
            result = self._bound_tools.call(tool.name, arguments, task=task)
            if task.preview_diffs:
                return Diff.join(task.preview_diffs)
            return result.text

        try:
            return await self._calls.run(rehearse)
        except FilewrightError as error:
            return str(error)

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

        Return `default` while the roots that may be served are not known: a client
        lists resources on its own, and an error would be shown for no act of a person.
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


async def _require_arguments_object(
    ctx: Context, call_next: CallNext
) -> HandlerResult:
    """Refuse a call whose arguments are no object, and say so.

    The SDK refuses it too, but does not say what is wrong
    (`test_names_arguments_that_are_no_object` fails without this).
    """
    arguments = (ctx.params or {}).get("arguments")
    is_object = arguments is None or isinstance(arguments, Mapping)
    if ctx.method == "tools/call" and not is_object:
        kind = type(arguments).__name__
        if isinstance(arguments, list):
            kind = "array"
        raise MCPError(
            code=INVALID_PARAMS,
            message=f"arguments must be an object, not {kind}",
        )
    return await call_next(ctx)


async def _hide_errors(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Answer an unexpected error without its text, which may name files.

    The SDK sends the text of any exception to the client
    (`test_hides_a_bug_outside_a_tool` fails without this).
    """
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
