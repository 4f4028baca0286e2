"""Files, changes and large results as resources, and completion of their names."""

from __future__ import annotations

import base64
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

from mcp_types import (
    BlobResourceContents,
    Completion,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from filewright.errors import Code, FilewrightError
from filewright.server.listing import APP, APP_PARTS
from filewright.text import BoundedCache
from filewright.visible import encodable, safe

if TYPE_CHECKING:
    from filewright.progress import Task
    from filewright.workspace import Workspace

FILE = "filewright://file/"
HISTORY = "filewright://history/"
RESULT = "filewright://result/"
RECENT = 20
COMPLETIONS = 100
KEPT_CHARS = 16_000_000
"""Characters of results too large for one answer that are kept for a while."""

TEMPLATES = (
    ResourceTemplate(
        name="file",
        title="File",
        uri_template=f"{FILE}{{+path}}",
        description="A file of the workspace, whole; path as the tools take it.",
    ),
    ResourceTemplate(
        name="change",
        title="Change",
        uri_template=f"{HISTORY}{{change_id}}",
        description="One recorded change with its whole diff.",
        mime_type="text/plain",
    ),
)


APP_TYPE = "text/html;profile=mcp-app"
_APP = Resource(uri=APP, name="change", title="What a call changed", mime_type=APP_TYPE)


class Resources:
    """The resources of one workspace, and the newest large results, up to `kept_chars` in all.

    Everything here may block: call it in a worker thread.
    """

    def __init__(self, workspace: Workspace, kept_chars: int = KEPT_CHARS) -> None:
        self._workspace = workspace
        self._kept_chars = kept_chars
        self._kept: BoundedCache[str] = BoundedCache(kept_chars)
        self._numbers = count(1)

    def keep(self, text: str) -> str | None:
        """The URI under which `text` can be read for a while; None if it alone is past the limit."""
        if len(text) > self._kept_chars:
            return None
        uri = f"{RESULT}{next(self._numbers)}"
        self._kept.put(uri, text, len(text))
        return uri

    def recent(self) -> list[Resource]:
        """The app that shows a change, and the newest changes."""
        return [_APP] + [
            Resource(
                uri=f"{HISTORY}{record.id}",
                name=record.id,
                title=safe(f"{record.tool}: {record.summary}")[:200],
                mime_type="text/plain",
            )
            for record in self._workspace.history(limit=RECENT)
        ]

    def read(self, uri: str) -> TextResourceContents | BlobResourceContents:
        """What `uri` names; raises `FilewrightError`, `not_found` if nothing does."""
        meta = None
        content: str | bytes | None
        if uri.startswith(RESULT):
            mime, content = "text/plain", self._kept.get(uri)
        elif uri == APP:
            from filewright.page import app_page

            # The host draws no border: each file has its own. No other origin is ever asked for anything.
            mime, content, meta = APP_TYPE, app_page(), {"ui": {"prefersBorder": False}}
        elif uri.startswith(APP_PARTS):
            from filewright.page import app_part

            made = app_part(self._workspace, APP_PARTS, uri.removeprefix(APP_PARTS))
            mime, content = ("text/html", made) if isinstance(made, str) else (made.media, made.content)
        else:
            mime, content = self._workspace.resource(uri)
        if content is None:
            hint = "make the call again: results are kept briefly"
            raise FilewrightError(Code.NOT_FOUND, f"nothing is kept under {uri}", hint)
        if isinstance(content, str):
            return TextResourceContents(uri=uri, mime_type=mime, text=encodable(content), _meta=meta)
        return BlobResourceContents(uri=uri, mime_type=mime, blob=base64.b64encode(content).decode("ascii"))

    def complete(self, template: str, argument: str, begun: str, task: Task) -> Completion:
        """Names that go on from `begun`, for `argument` of the resource template `template`."""
        names: list[str] = []
        if template.startswith(FILE) and argument == "path":
            folder, slash, _ = begun.rpartition("/")
            with suppress(FilewrightError):
                listed = self._workspace.under(task).list_files(folder or slash or ".", limit=500)
                names = [entry.path for entry in listed.entries]
        elif template.startswith(HISTORY) and argument == "change_id":
            names = [record.id for record in self._workspace.history(limit=COMPLETIONS)]
        fitting = [safe(name) for name in names if name.startswith(begun)]
        return Completion(
            values=fitting[:COMPLETIONS], total=len(fitting), has_more=len(fitting) > COMPLETIONS
        )
