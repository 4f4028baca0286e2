"""Results of tools as the protocol carries them: text, media, links and the app."""

from __future__ import annotations

import base64
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)

from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.server.listing import APP_PARTS
from filewright.server.resources import Resources
from filewright.tools.bounded_text import clip
from filewright.tools.history import HistoryResult
from filewright.tools.result import ChangeResult, Image, ToolResult
from filewright.workspace import HISTORY_URI

if TYPE_CHECKING:
    from filewright.workspace import Workspace

VIEW = "filewright/view"
"""The field of a result's `_meta` with the app's content; models do not see it."""
CUT_RESULT = (
    "[cut at the result limit; the whole result is the linked resource]"
)


class ResultRenderer:
    """The rendering of results; large ones are stored among the `resources`."""

    def __init__(self, workspace: Workspace, resources: Resources) -> None:
        self._workspace = workspace
        self._settings = workspace.settings
        self._resources = resources

    def render(
        self, result: ToolResult, *, with_links: bool = False
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

    def render_app(
        self, result: ChangeResult, task: Task, *, undo_tool: str | None
    ) -> dict[str, Any]:
        """Return the app's content for a change, as the `_meta` of its result.

        `undo_tool` is the tool by which the app takes the change back, or None if the
        client is not offered it.
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
        view = {
            "html": html or app_view(result.difference),
            "change_id": result.change_id,
            "undo": undo_tool,
            "undoes": isinstance(result, RevertResult),
        }
        return {VIEW: view}

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
            uri=f"{HISTORY_URI}{result.changes[0].change_id}",
            name="whole diff",
            mime_type="text/plain",
        )


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
