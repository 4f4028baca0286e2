"""One call of a dialect's tool, with the typed methods of the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from filewright.errors import FilewrightError
from filewright.tools.arguments import check_arguments
from filewright.tools.methods import Newline, ToolMethods

if TYPE_CHECKING:
    from filewright.boundary.location import Location
    from filewright.progress import Task
    from filewright.settings import Settings
    from filewright.system import Status
    from filewright.tools.batch import BatchResult
    from filewright.tools.context import Context
    from filewright.tools.tool import Tool

MAX_ENTRIES = 10_000
"""The entries of a folder that a dialect takes from `list_files`."""

_LISTING_CHARACTERS = 16 << 20
"""Characters of a native listing, more than `MAX_ENTRIES` paths have."""


class Call(ToolMethods):
    """The typed methods of the workspace for one call, within the limits of the dialect.

    A dialect calls these methods as a program does, so it has no way around their checks.
    """

    def __init__(self, context: Context) -> None:
        self.context = context

    @property
    def task(self) -> Task:
        """The task of the call: its deadline, cancellation and progress."""
        return self.context.task

    @property
    def settings(self) -> Settings:
        """The settings of the call."""
        return self.context.settings

    @property
    def max_characters(self) -> int:
        """The characters that an answer may have."""
        return self.context.settings.hard_chars

    def run_native(self, tool: Tool, arguments: Mapping[str, Any]) -> Any:
        """Run a native tool; its arguments are checked as a client's are."""
        checked = check_arguments(tool, arguments, self.settings)
        return tool.run(self.context, checked)

    def with_settings(self, **changes: Any) -> Call:
        """Return the same call with other settings."""
        settings = self.context.settings.replace(**changes)
        return Call(self.context.under(settings))

    def with_page(self, characters: int) -> Call:
        """Return the same call with native results of at most `characters`."""
        line_characters = min(self.context.settings.line_chars, characters)
        return self.with_settings(
            page_chars=characters, line_chars=line_characters
        )

    def for_listing(self) -> Call:
        """Return the same call with native results that hold `MAX_ENTRIES` entries."""
        return self.with_page(_LISTING_CHARACTERS)

    def locate(self, path: str) -> Location:
        """Return the location that a path names."""
        return self.context.boundary.locate(path)

    def parts_below(self, folder: str, path: str) -> tuple[bytes, ...]:
        """Return the names that lead from `folder` to `path`, a path below it."""
        depth = len(self.locate(folder).parts)
        return self.locate(path.removesuffix("/")).parts[depth:]

    def exists(self, path: str) -> bool:
        """Return True if a file, folder or link has the path."""
        (status,) = self.stat(path).results
        return status.error is None

    def overwrite(self, path: str, content: str) -> BatchResult:
        """Write a whole file.

        Text without carriage returns gets the line ends of the file that it replaces.
        """
        newline: Newline | None = "keep" if "\r" in content else None
        return self.write(path, content, mode="overwrite", newline=newline)

    def target_status(self, path: str) -> Status:
        """Return the status of the file or folder at a path; a link is followed."""
        boundary = self.context.boundary
        location = self.locate(path)
        status = boundary.stat(location, birth=True)
        if status.kind != "link":
            return status
        try:
            # A link does not tell which of the two it leads to, so both are tried.
            with boundary.open_folder(location) as folder:
                return folder.status()
        except FilewrightError:
            with boundary.open_file(location) as file:
                return file.status()
