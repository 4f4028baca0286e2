"""A backend for deepagents: `pip install filewright[deepagents]`.

    create_deep_agent(backend=FilewrightBackend("/path/to/project"), …)

The virtual path `/x` is `x` below the root. The asynchronous methods are those of the
protocol, which run these ones in worker threads.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from urllib.parse import quote

from deepagents.backends.protocol import (
    ASYNC_GREP_TIMEOUT,
    BackendProtocol,
    ContextLine,
    DeleteResult,
    EditResult,
    FileData,
    FileDownloadResponse,
    FileInfo,
    FileUploadResponse,
    GlobResult,
    GrepMatch,
    GrepResult,
    LsResult,
    ReadResult,
    WriteResult,
)

from filewright.errors import Code, FilewrightError
from filewright.settings import Settings
from filewright.tools.listing import ListedEntry
from filewright.tools.methods import Newline
from filewright.tools.search.result import SearchHit
from filewright.workspace import FILE_URI, AnyPath, Workspace

MAX_ENTRIES = 10_000
"""The entries or matches of one answer; an answer with more is marked truncated."""

MAX_CONTEXT_LINES = 50
"""The lines of context on each side of a match; more are not shown."""

_MAX_CHARACTERS = 16 << 20
"""Characters of one result: more than deepagents shows a model."""

_TRANSFER_ERRORS = {
    Code.NOT_FOUND: "file_not_found",
    Code.NOT_A_FILE: "is_directory",
    Code.NOT_A_DIRECTORY: "invalid_path",
    Code.PATH_ESCAPE: "invalid_path",
    Code.INVALID_INPUT: "invalid_path",
    Code.PERMISSION_DENIED: "permission_denied",
    Code.READ_ONLY: "permission_denied",
}


class FilewrightBackend(BackendProtocol):
    """The files below a root; `workspace` has their history and undo."""

    def __init__(
        self, root: AnyPath, *, settings: Settings | None = None
    ) -> None:
        # deepagents bounds what a model reads, so results are not cut before.
        limits = (settings or Settings()).replace(
            page_chars=_MAX_CHARACTERS,
            hard_chars=_MAX_CHARACTERS,
            line_chars=_MAX_CHARACTERS,
            match_chars=_MAX_CHARACTERS,
        )
        self.workspace = Workspace(root, settings=limits)

    def ls(self, path: str) -> LsResult:
        """List the entries of a folder."""
        try:
            listing = self.workspace.list_files(
                to_native(path),
                details=True,
                include_ignored=True,
                limit=MAX_ENTRIES,
            )
        except FilewrightError as error:
            return LsResult(error=describe_folder_error(error, path))
        entries = [to_file_info(entry) for entry in listing.entries]
        entries.sort(key=lambda entry: entry["path"])
        return LsResult(entries=entries)

    def read(
        self, file_path: str, offset: int = 0, limit: int = 2000
    ) -> ReadResult:
        """Read lines of a text, or the whole of another file as base64."""
        if limit <= 0:
            data = FileData(content="", encoding="utf-8")
            return ReadResult(file_data=data, no_lines_requested=True)
        path = to_native(file_path)
        try:
            file = self.workspace.read(
                path, start=max(offset, 0) + 1, limit=limit, numbered=False
            )
        except FilewrightError as error:
            if error.code == Code.IS_BINARY:
                return self._read_binary(file_path)
            return ReadResult(error=describe_read_error(error, file_path))
        if file.images:
            return self._read_binary(file_path)
        text = file.content
        if file.terminated:
            text += "\n"
        data = FileData(content=text, encoding="utf-8")
        if not file.lines_returned:
            return ReadResult(file_data=data)
        next_offset = None
        if file.next is not None:
            next_offset = file.end_line
        return ReadResult(
            file_data=data,
            total_lines=file.total_lines,
            start_line=file.start_line,
            end_line=file.end_line,
            next_offset=next_offset,
        )

    def _read_binary(self, path: str) -> ReadResult:
        """Return the bytes of a file as base64."""
        (file,) = self.download_files([path])
        if file.content is None:
            return ReadResult(error=f"File '{path}': {file.error}")
        text = base64.b64encode(file.content).decode()
        return ReadResult(file_data=FileData(content=text, encoding="base64"))

    def grep(
        self,
        pattern: str,
        path: str | None = None,
        glob: str | None = None,
        *,
        max_count: int | None = None,
        context_lines: int = 0,
    ) -> GrepResult:
        """Find a literal text in files; `context_lines` adds lines around each match."""
        if context_lines < 0:
            raise ValueError("context_lines must be non-negative")
        try:
            result = self.workspace.search(
                pattern,
                to_native(path or "/"),
                glob=glob,
                case="sensitive",
                context=min(context_lines, MAX_CONTEXT_LINES),
                max_results=max_count or MAX_ENTRIES,
            )
        except FilewrightError as error:
            if error.code == Code.NOT_FOUND:
                return GrepResult(matches=[])
            return GrepResult(error=describe_error(error))
        matches = to_matches(pattern, result.results, context_lines)
        return GrepResult(matches=matches, truncated=not result.complete)

    async def agrep(
        self,
        pattern: str,
        path: str | None = None,
        glob: str | None = None,
        *,
        max_count: int | None = None,
        context_lines: int = 0,
    ) -> GrepResult:
        """Find a literal text in files, in a worker thread and for a limited time."""
        search = asyncio.to_thread(
            self.grep,
            pattern,
            path,
            glob,
            max_count=max_count,
            context_lines=context_lines,
        )
        try:
            return await asyncio.wait_for(search, timeout=ASYNC_GREP_TIMEOUT)
        except TimeoutError:
            message = (
                f"Error: grep timed out after {ASYNC_GREP_TIMEOUT}s. Try a "
                "more specific pattern or a narrower path."
            )
            return GrepResult(error=message)

    def glob(self, pattern: str, path: str | None = None) -> GlobResult:
        """Find files by a glob; names with a dot only if the glob names the dot."""
        is_name = "/" not in pattern
        is_dot_named = pattern.startswith(".") or "/." in pattern
        # `/*.py` is for one folder, while a native glob without a slash is not.
        is_anchored = "/" not in pattern.lstrip("/") and not is_name
        # A name matches at any depth, also in folders whose name has a dot.
        native_pattern = pattern.lstrip("/")
        if is_name:
            native_pattern = f"**/{pattern}"
        try:
            listing = self.workspace.list_files(
                to_native(path or "/"),
                glob=native_pattern,
                details=True,
                include_hidden=is_name or is_dot_named,
                limit=MAX_ENTRIES,
            )
        except FilewrightError as error:
            return GlobResult(error=describe_error(error))
        folder = (path or "/").strip("/")
        matches = []
        for entry in listing.entries:
            is_hidden = entry.name.startswith(".") and not is_dot_named
            below = entry.path.removeprefix(folder).lstrip("/")
            if is_anchored and "/" in below:
                continue
            if entry.type == "file" and not is_hidden:
                matches.append(to_file_info(entry))
        is_truncated = listing.next_cursor is not None
        return GlobResult(matches=matches, truncated=is_truncated)

    def write(self, file_path: str, content: str) -> WriteResult:
        """Write a whole file; one that is replaced keeps its encoding."""
        newline: Newline | None = None
        if "\r" in content:
            newline = "keep"
        try:
            self.workspace.write(
                to_native(file_path),
                content,
                mode="overwrite",
                newline=newline,
            )
        except FilewrightError as error:
            return WriteResult(error=describe_error(error))
        return WriteResult(path=file_path)

    def edit(
        self,
        file_path: str,
        old_string: str,
        new_string: str,
        replace_all: bool = False,
    ) -> EditResult:
        """Replace a text that occurs once, or all occurrences of it."""
        try:
            # The protocol promises an exact match: not even other whitespace is tolerated.
            result = self.workspace.edit(
                to_native(file_path),
                [
                    {
                        "search": old_string,
                        "replace": new_string,
                        "replace_all": replace_all,
                    }
                ],
                fuzzy=False,
            )
        except FilewrightError as error:
            if error.code == Code.NOT_FOUND:
                return EditResult(error=f"Error: File '{file_path}' not found")
            if error.code == Code.AMBIGUOUS_MATCH:
                count = len(error.details["lines"])
                message = (
                    f"Error: String '{old_string}' appears {count} times in "
                    "file. Use replace_all=True to replace all instances, or "
                    "provide a more specific string with surrounding context."
                )
                return EditResult(error=message)
            return EditResult(error=describe_error(error))
        return EditResult(path=file_path, occurrences=result.changes_made)

    def delete(self, file_path: str) -> DeleteResult:
        """Delete a file, or a folder with all below it."""
        try:
            self.workspace.delete(to_native(file_path), recursive=True)
        except FilewrightError as error:
            if error.code == Code.NOT_FOUND:
                return DeleteResult(error=f"Error: '{file_path}' not found")
            return DeleteResult(error=describe_error(error))
        return DeleteResult(path=file_path)

    def upload_files(
        self, files: list[tuple[str, bytes]]
    ) -> list[FileUploadResponse]:
        """Write files as they are, each as a change of its own."""
        responses = []
        for path, content in files:
            problem = None
            try:
                self.workspace.write_bytes(to_native(path), content)
            except FilewrightError as error:
                problem = describe_transfer_error(error)
            responses.append(FileUploadResponse(path=path, error=problem))
        return responses

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        """Return the bytes of files."""
        responses = []
        for path in paths:
            content: str | bytes | None = None
            problem = None
            try:
                uri = FILE_URI + quote(to_native(path))
                _, content = self.workspace.resource(uri)
            except FilewrightError as error:
                problem = describe_transfer_error(error)
            if isinstance(content, str):
                content = content.encode()
            responses.append(
                FileDownloadResponse(path=path, content=content, error=problem)
            )
        return responses


def to_native(path: str) -> str:
    """Return a virtual path as a path below the root."""
    return f"./{path.lstrip('/')}"


def to_file_info(entry: ListedEntry) -> FileInfo:
    """Return an entry of a listing as the protocol describes it."""
    info = FileInfo(path=f"/{entry.path}", is_dir=entry.type == "folder")
    if entry.size is not None:
        info["size"] = entry.size
    if entry.modified is not None:
        info["modified_at"] = entry.modified
    return info


def to_matches(
    pattern: str, hits: Sequence[SearchHit], context_lines: int
) -> list[GrepMatch]:
    """Return the hits of a search as the protocol describes them."""
    matches = []
    for hit in hits:
        # A virtual path begins with a slash, also in answers.
        match = GrepMatch(path=f"/{hit.path}", line=hit.line, text=hit.text)
        if context_lines:
            first = hit.line - len(hit.context_before)
            match["context_before"] = to_context(
                pattern, first, hit.context_before
            )
            match["context_after"] = to_context(
                pattern, hit.last_line + 1, hit.context_after
            )
        matches.append(match)
    return matches


def to_context(
    pattern: str, first: int, lines: Sequence[str]
) -> list[ContextLine]:
    """Return the lines from line `first` on that are not matches themselves."""
    context = []
    for number, text in enumerate(lines, first):
        if pattern not in text:
            context.append(ContextLine(line=number, text=text))
    return context


def describe_error(error: FilewrightError) -> str:
    """Return an error in one line."""
    if error.hint:
        return f"Error: {error.message}; {error.hint}"
    return f"Error: {error.message}"


def describe_folder_error(error: FilewrightError, path: str) -> str:
    """Return the error of a listing, in the protocol's words where it has them."""
    if error.code == Code.NOT_FOUND:
        return f"Path '{path}': path_not_found"
    if error.code == Code.NOT_A_DIRECTORY:
        return f"Path '{path}': not_a_directory"
    return describe_error(error)


def describe_read_error(error: FilewrightError, path: str) -> str:
    """Return the error of a read, in the protocol's words where it has them."""
    if error.code in (Code.NOT_FOUND, Code.NOT_A_FILE):
        return f"File '{path}' not found"
    line_count = error.details.get("line_count")
    if line_count is not None:
        return f"Line offset exceeds file length ({line_count} lines)"
    return describe_error(error)


def describe_transfer_error(error: FilewrightError) -> str:
    """Return the code of the protocol for an error, or its words."""
    return _TRANSFER_ERRORS.get(error.code, describe_error(error))
