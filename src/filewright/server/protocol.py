"""The MCP server: which requests are answered, and how an `Offer`'s results become protocol ones."""

from __future__ import annotations

import base64
import hashlib
import logging
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from itertools import count
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
from filewright.page.imitation import imitates_user
from filewright.page.words import IMITATED, Words, news
from filewright.progress import Caller, Task, clean_caller_name
from filewright.server.asking import ClientRoots, Context, confirmed
from filewright.server.calls import CallRunner, T
from filewright.server.greeting import TOOLS_TTL_MS
from filewright.server.listing import (
    APP,
    APP_PARTS,
    APP_TYPE,
    RESOURCE_TEMPLATES,
    listing,
    recent_resources,
)
from filewright.text.cache import BoundedCache
from filewright.tools.bounded_text import clip
from filewright.tools.result import ChangeResult, Image, ToolResult
from filewright.tools.surface import Offer, Tool
from filewright.wording import (
    did_you_mean,
    escape_surrogates,
    escape_unsendable,
    join_limited,
    to_one_line,
)
from filewright.workspace import FILE, HISTORY, REVIEW

if TYPE_CHECKING:
    from filewright.edit.diff import Diff
    from filewright.workspace import Workspace

_logger = logging.getLogger(__name__)


RESOURCE_NOT_FOUND = -32002
"""What handshake-era clients expect for a resource that is not there; 2026 clients get -32602."""
LINKS_SINCE = "2025-06-18"
TURN = "filewright/turn"
"""The field of a request's `_meta` by which a client names the part of its conversation."""
CODEX = "x-codex-turn-metadata"
"""The field by which Codex names the session and the turn, as it does to its hooks."""
APPS = "io.modelcontextprotocol/ui"
"""The extension by which a client shows apps in the conversation."""
VIEW = "filewright/view"
"""The field of a result's `_meta` with what the app shows; no model is given it."""
CUT_AND_KEPT = (
    "[cut at the result limit; the whole result is the linked resource]"
)


class Handlers:
    """The request handlers over one workspace and one offer."""

    def __init__(
        self,
        workspace: Workspace,
        offer: Offer,
        calls: CallRunner,
        process: str | None = None,
    ) -> None:
        self._workspace = workspace
        self._offer = offer
        self._calls = calls
        self._settings = workspace.settings
        self._session = secrets.token_hex(6)
        self._process = process
        self._prompt: tuple[str, str] | None = None
        self._resources = Resources(workspace)
        self._notices = Notices(workspace)
        self._roots = ClientRoots(
            workspace.context.boundary, self._settings.client_roots
        )
        self._tools = {tool.name: tool for tool in offer.tools(unlisted=True)}
        self._listing = ListToolsResult.model_validate(
            {"tools": listing(offer.tools())}
        )
        self._templates = ListResourceTemplatesResult.model_validate(
            {"resourceTemplates": RESOURCE_TEMPLATES}
        )

    def server(self) -> Server[Any]:
        """A low-level server that answers with these handlers."""
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
            self._roots.changed,
        )
        server.extensions[APPS] = {}
        server.middleware.append(_guard)
        return server

    # Tools

    async def list_tools(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        """All tools, in one page."""
        return self._listing

    async def call_tool(
        self, context: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        """One tool call, in a worker thread; only an unknown tool is a protocol error."""
        tool = self._tools.get(params.name)
        if tool is None:
            hint = did_you_mean(
                params.name,
                self._tools,
                f"the tools are {', '.join(self._tools)}",
            )
            raise MCPError(
                code=INVALID_PARAMS,
                message=escape_unsendable(
                    f"Unknown tool: {params.name[:100]}; {hint}"
                ),
            )
        caller = self._caller(context)
        asked_for = (context.meta or {}).get("progress_token") is not None
        arguments = params.arguments or {}
        links = context.protocol_version >= LINKS_SINCE
        capabilities = context.session.client_capabilities
        app = capabilities is not None and APPS in (
            capabilities.extensions or {}
        )

        def answer(task: Task) -> CallToolResult:
            """Call and render, in the worker thread; with what the app shows, if the client has it."""
            self._notices.begin(caller)
            task.caller = known_as = self._in_prompt(caller, looks=tool.writes)
            result = self._offer.call(tool.name, arguments, task=task)
            rendered = self._render(result, links=links)
            if news := self._notices.news(caller, result.text, known_as):
                rendered.content.append(TextContent(text=news))
            if app and isinstance(result, ChangeResult):
                rendered.meta = {VIEW: self._view(result, task)}
            return rendered

        try:
            await self._roots.settle(context)
            question = await confirmed(
                self._workspace,
                context,
                tool,
                params,
                caller,
                lambda: self._preview(tool, arguments),
            )
            if question is not None:
                return question
            notify = context.session.report_progress if asked_for else None
            return await self._calls.run(
                answer, writes=tool.writes, notify=notify
            )
        except FilewrightError as error:
            return self._render(self._offer.refused(error), links=links)

    async def _preview(
        self, tool: Tool, arguments: Mapping[str, Any]
    ) -> Diff | str:
        """What a call would do, found out by a rehearsal that changes nothing; in words where it is refused."""

        def rehearse(task: Task) -> Diff | str:
            from filewright.edit.diff import Diff

            task.preview_diffs = []
            result = self._offer.call(tool.name, arguments, task=task)
            return (
                Diff.join(task.preview_diffs)
                if task.preview_diffs
                else result.text
            )

        try:
            return await self._calls.run(rehearse)
        except FilewrightError as error:
            return str(error)

    def _caller(self, context: Context) -> Caller:
        """Who asks: the session, and what the client says of itself.

        Over HTTP that is the client's, by a digest, since who knows its id can take it over; else the one that
        Codex names, by which its hooks go too, or the server's.
        """
        meta = context.meta or {}
        codex = meta.get(CODEX)
        codex = (
            codex
            if isinstance(codex, Mapping) and context.request is None
            else {}
        )
        session = clean_caller_name(codex.get("session_id")) or self._session
        if given := getattr(context.request, "headers", {}).get(
            "mcp-session-id"
        ):
            session = hashlib.sha256(given.encode()).hexdigest()[:12]
        params = context.session.client_params
        client = clean_caller_name(
            params and f"{params.client_info.name} {params.client_info.version}"
        )
        return Caller(
            session,
            client,
            clean_caller_name(meta.get(TURN, codex.get("turn_id"))),
        )

    def _in_prompt(self, caller: Caller, *, looks: bool) -> Caller:
        """Who asks, by the session and the turn that the client's hooks have named for the process that started us."""
        if self._process is None or caller.session != self._session:
            return caller
        if looks:
            with suppress(
                FilewrightError
            ):  # Then it stays as it was known last.
                self._prompt = Words(self._workspace).prompted(self._process)
        session, turn = self._prompt or (caller.session, None)
        return caller._replace(session=session, turn=caller.turn or turn)

    def _view(self, result: ChangeResult, task: Task) -> dict[str, Any]:
        """What the app shows of a change, and the tool that takes it back, if it is offered here."""
        from filewright.page.app import app_part, app_view
        from filewright.tools.history import RevertResult

        html: object = None
        if result.change_id is not None:
            with suppress(
                FilewrightError
            ):  # what was done is done: that it cannot be shown is no failure
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

    def _render(self, result: ToolResult, *, links: bool) -> CallToolResult:
        text = result.text
        linked: list[ContentBlock] = []
        if (
            links
            and result.whole is not None
            and (kept := self._resources.keep(result.whole))
        ):
            size = len(result.whole.encode("utf-8"))
            linked.append(
                ResourceLink(
                    uri=kept,
                    name="whole result",
                    mime_type="text/plain",
                    size=size,
                )
            )
            text = clip(
                result.whole,
                self._settings.hard_chars,
                note=CUT_AND_KEPT,
                at_line=True,
            )
        if links and isinstance(result, ChangeResult) and result.change_id:
            # What fits on a page, get_history shows whole.
            diff = result.difference
            if diff.truncated or len(diff.text) > self._settings.page_chars:
                uri = f"{HISTORY}{result.change_id}"
                linked.append(
                    ResourceLink(
                        uri=uri, name="whole diff", mime_type="text/plain"
                    )
                )
        content: list[ContentBlock] = (
            [TextContent(text=text)] if text or not result.images else []
        )
        if result.notices and result.notices[-1] not in text:
            content.append(TextContent(text="\n".join(result.notices)))
        return CallToolResult(
            content=[*content, *map(_as_it_is, result.images), *linked],
            is_error=result.is_error,
        )

    # Resources

    async def list_resources(
        self, context: Context, _params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """The newest changes; files are found by the template."""
        nothing = ListResourcesResult(resources=[])
        return await self._found(
            context, lambda _task: self._resources.recent(), nothing
        )

    async def list_templates(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        """Files and changes."""
        return self._templates

    async def read_resource(
        self, context: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        """One resource."""
        uri = str(params.uri)
        try:
            await self._roots.settle(context)
            contents = await self._calls.run(
                lambda _task: self._resources.read(uri)
            )
        except FilewrightError as error:
            older = context.protocol_version not in MODERN_PROTOCOL_VERSIONS
            missing = (
                RESOURCE_NOT_FOUND
                if older and error.code is Code.NOT_FOUND
                else INVALID_PARAMS
            )
            raise MCPError(
                code=missing,
                message=escape_unsendable(str(error)),
                data={"uri": escape_unsendable(uri)},
            ) from error
        if isinstance(contents, TextResourceContents) and imitates_user(
            contents.text
        ):
            mark = TextResourceContents(
                uri=uri, mime_type="text/plain", text=IMITATED
            )
            return ReadResourceResult(contents=[contents, mark])
        return ReadResourceResult(contents=[contents])

    async def complete(
        self, context: Context, params: CompleteRequestParams
    ) -> CompleteResult:
        """Paths and change ids for the resource templates; nothing for anything else."""
        about, argument = params.ref, params.argument
        found = Completion(values=[], total=0, has_more=False)
        if isinstance(about, ResourceTemplateReference):
            work = partial(
                self._resources.complete,
                about.uri,
                argument.name,
                argument.value,
            )
            found = await self._found(context, work, found)
        return CompleteResult(completion=found)

    async def _found(
        self, context: Context, work: Callable[[Task], T], otherwise: T
    ) -> T:
        """What `work` finds; `otherwise` where it is not known yet which roots may be served."""
        try:
            await self._roots.settle(context)
        except FilewrightError:
            return otherwise
        try:
            return await self._calls.run(work)
        except FilewrightError as error:
            raise MCPError(
                code=INTERNAL_ERROR, message=escape_unsendable(str(error))
            ) from error


async def _guard(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Say what is wrong with arguments that are no object, and let no bug of ours reach a client.

    The SDK says only that something is wrong, and sends the text of an unexpected exception.
    """
    arguments = (ctx.params or {}).get("arguments")
    if (
        ctx.method == "tools/call"
        and arguments is not None
        and not isinstance(arguments, Mapping)
    ):
        given = (
            "array" if isinstance(arguments, list) else type(arguments).__name__
        )
        raise MCPError(
            code=INVALID_PARAMS,
            message=f"arguments must be an object, not {given}",
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


def _as_it_is(file: Image) -> ContentBlock:
    """A file as the protocol carries it: an image, a sound, or bytes behind a URI."""
    encoded = base64.b64encode(file.data).decode("ascii")
    match file.mime.partition("/")[0]:
        case "image":
            return ImageContent(data=encoded, mime_type=file.mime)
        case "audio":
            return AudioContent(data=encoded, mime_type=file.mime)
        case _:
            return EmbeddedResource(
                resource=BlobResourceContents(
                    uri=file.uri, mime_type=file.mime, blob=encoded
                )
            )


# What the person did meanwhile

SESSIONS = 1_000
"""Sessions that are remembered; one that was forgotten does not learn what happened meanwhile."""
_LOOKED_AT = 50
_NAMED = 3
_CHARS = 120


class Notices:
    """What each session knows of what the person took back and wrote on the review page. Thread-safe.

    An agent that does not know makes the same change again. The page is another process, so the history says
    what was done there: after each call a look at the newest change, and at the records only if there are new ones.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._seen: BoundedCache[str] = BoundedCache(SESSIONS)

    def begin(self, caller: Caller) -> None:
        """Note what has happened before the first call of a session: that is not news to it."""
        if self._seen.get(caller.session) is None:
            self._seen.put(caller.session, self._newest(), 1)

    def news(self, caller: Caller, text: str, known_as: Caller) -> str:
        """What the person took back and wrote since the last answer, besides its `text`; empty if nothing.

        The history knows the caller as that.
        """
        newest, seen = self._newest(), self._seen.get(caller.session) or ""
        self._seen.put(caller.session, newest, 1)
        said = []
        with suppress(
            FilewrightError
        ):  # the call itself is done: what cannot be looked up must not make it fail
            recent = (
                self._workspace.history(limit=_LOOKED_AT)
                if newest > seen
                else []
            )
            changes = [
                f"{clip(to_one_line(record.summary), _CHARS)} (change {record.id})"
                for record in recent
                if record.id > seen and record.client == REVIEW
            ]
            if changes:
                named = join_limited(changes, _NAMED, "; ")
                said.append(
                    f"[the user took back on the review page: {named}. Ask before you make it again.]"
                )
            said.append(news(self._workspace, known_as.session or "", text))
        return "\n".join(filter(None, said))

    def _newest(self) -> str:
        with suppress(FilewrightError):
            return self._workspace.newest() or ""
        return ""


# Files, changes and large results as resources, and completion of their names

RESULT = "filewright://result/"
COMPLETIONS = 100
KEPT_CHARS = 16_000_000
"""Characters of results too large for one answer that are kept for a while."""


class Resources:
    """The resources of one workspace, and the newest large results, up to `kept_chars` in all.

    Everything here may block: call it in a worker thread.
    """

    def __init__(
        self, workspace: Workspace, kept_chars: int = KEPT_CHARS
    ) -> None:
        self._workspace = workspace
        self._kept: BoundedCache[str] = BoundedCache(kept_chars)
        self._numbers = count(1)

    def keep(self, text: str) -> str | None:
        """The URI under which `text` can be read for a while; None if it alone is past the limit."""
        uri = f"{RESULT}{next(self._numbers)}"
        self._kept.put(uri, text, len(text))
        return uri if self._kept.get(uri) is not None else None

    def recent(self) -> ListResourcesResult:
        """Return the app that shows a change, and the newest changes."""
        return ListResourcesResult.model_validate(
            {"resources": recent_resources(self._workspace)}
        )

    def read(self, uri: str) -> TextResourceContents | BlobResourceContents:
        """What `uri` names; raises `FilewrightError`, `not_found` if nothing does."""
        meta = None
        content: str | bytes | None
        if uri.startswith(RESULT):
            mime, content = "text/plain", self._kept.get(uri)
        elif uri == APP:
            from filewright.page.app import app_page

            # The host draws no border: each file has its own. No other origin is ever asked for anything.
            mime, content, meta = (
                APP_TYPE,
                app_page(),
                {"ui": {"prefersBorder": False}},
            )
        elif uri.startswith(APP_PARTS):
            from filewright.page.app import app_part

            made = app_part(
                self._workspace, APP_PARTS, uri.removeprefix(APP_PARTS)
            )
            mime, content = (
                ("text/html", made)
                if isinstance(made, str)
                else (made.media, made.content)
            )
        else:
            mime, content = self._workspace.resource(uri)
        if content is None:
            hint = "make the call again: results are kept briefly"
            raise FilewrightError(
                Code.NOT_FOUND, f"nothing is kept under {uri}", hint
            )
        if isinstance(content, str):
            return TextResourceContents(
                uri=uri,
                mime_type=mime,
                text=escape_surrogates(content),
                _meta=meta,
            )
        return BlobResourceContents(
            uri=uri,
            mime_type=mime,
            blob=base64.b64encode(content).decode("ascii"),
        )

    def complete(
        self, template: str, argument: str, begun: str, task: Task
    ) -> Completion:
        """Names that go on from `begun`, for `argument` of the resource template `template`."""
        names: list[str] = []
        if template.startswith(FILE) and argument == "path":
            folder, slash, _ = begun.rpartition("/")
            with suppress(FilewrightError):
                found = self._workspace.under(task).list_files(
                    folder or slash or ".", limit=500
                )
                names = [entry.path for entry in found.entries]
        elif template.startswith(HISTORY) and argument == "change_id":
            names = [
                record.id
                for record in self._workspace.history(limit=COMPLETIONS)
            ]
        fitting = [
            escape_unsendable(name) for name in names if name.startswith(begun)
        ]
        return Completion(
            values=fitting[:COMPLETIONS],
            total=len(fitting),
            has_more=len(fitting) > COMPLETIONS,
        )
