"""Files, changes and large results as resources, and the completion of their names."""

from __future__ import annotations

import base64
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

from mcp_types import (
    BlobResourceContents,
    Completion,
    ListResourcesResult,
    TextResourceContents,
)

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.server.listing import (
    APP,
    APP_PARTS,
    APP_TYPE,
    list_recent_resources,
)
from filewright.text.cache import BoundedCache
from filewright.wording import escape_surrogates, escape_unsendable
from filewright.workspace import FILE_URI, HISTORY_URI

if TYPE_CHECKING:
    from filewright.workspace import Workspace

RESULT = "filewright://result/"
MAX_COMPLETIONS = 100
MAX_STORED_CHARS = 16_000_000
"""Characters of large results that are stored for a while: 16 to 64 MB of memory."""
_MAX_COMPLETED_NAMES = 500
"""Entries of a folder that are compared with a prefix."""


class Resources:
    """The resources of one workspace, and the newest large results.

    All methods may block: they are called in a worker thread.
    """

    def __init__(
        self, workspace: Workspace, max_stored_chars: int = MAX_STORED_CHARS
    ) -> None:
        self._workspace = workspace
        self._results: BoundedCache[str] = BoundedCache(max_stored_chars)
        self._numbers = count(1)

    def store(self, text: str) -> str | None:
        """Store a large result; return its URI, or None if it is too large."""
        uri = f"{RESULT}{next(self._numbers)}"
        self._results.put(uri, text, len(text))
        return uri if self._results.get(uri) is not None else None

    def recent(self) -> ListResourcesResult:
        """Return the app that shows a change, and the newest changes."""
        return ListResourcesResult.model_validate(
            {"resources": list_recent_resources(self._workspace)}
        )

    def read(self, uri: str) -> TextResourceContents | BlobResourceContents:
        """Return the content of a resource.

        Raise `not_found`, and the errors of reading a file or a change.
        """
        if uri.startswith(RESULT):
            result = self._results.get(uri)
            if result is None:
                raise FilewrightError(
                    Code.NOT_FOUND,
                    f"no result is stored under {uri}",
                    hint="make the call again: results are stored briefly",
                )
            return _contents(uri, "text/plain", result)
        if uri == APP:
            from filewright.page.app import app_page

            # The host draws no border: each file of the page has its own.
            meta = {"ui": {"prefersBorder": False}}
            return _contents(uri, APP_TYPE, app_page(), meta)
        if uri.startswith(APP_PARTS):
            from filewright.page.app import app_part

            part = app_part(
                self._workspace, APP_PARTS, uri.removeprefix(APP_PARTS)
            )
            if isinstance(part, str):
                return _contents(uri, "text/html", part)
            return _contents(uri, part.media_type, part.content)
        mime_type, content = self._workspace.resource(uri)
        return _contents(uri, mime_type, content)

    def complete(
        self, template: str, argument: str, prefix: str, task: Task
    ) -> Completion:
        """Return the values of a resource template's argument with a prefix."""
        names: list[str] = []
        if template.startswith(FILE_URI) and argument == "path":
            folder, slash, _ = prefix.rpartition("/")
            with suppress(FilewrightError):
                listing = self._workspace.under(task).list_files(
                    folder or slash or ".", limit=_MAX_COMPLETED_NAMES
                )
                names = [entry.path for entry in listing.entries]
        elif template.startswith(HISTORY_URI) and argument == "change_id":
            records = self._workspace.history(limit=MAX_COMPLETIONS)
            names = [record.id for record in records]
        matches = [
            escape_unsendable(name) for name in names if name.startswith(prefix)
        ]
        return Completion(
            values=matches[:MAX_COMPLETIONS],
            total=len(matches),
            has_more=len(matches) > MAX_COMPLETIONS,
        )


def _contents(
    uri: str,
    mime_type: str,
    content: str | bytes,
    meta: dict[str, Any] | None = None,
) -> TextResourceContents | BlobResourceContents:
    """Return the content of a resource as the protocol carries it."""
    if isinstance(content, bytes):
        return BlobResourceContents(
            uri=uri,
            mime_type=mime_type,
            blob=base64.b64encode(content).decode("ascii"),
        )
    return TextResourceContents(
        uri=uri,
        mime_type=mime_type,
        text=escape_surrogates(content),
        _meta=meta,
    )
