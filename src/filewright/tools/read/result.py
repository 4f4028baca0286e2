"""Results of `read_content`, for programs."""

from __future__ import annotations

from dataclasses import dataclass

from filewright.tools.result import FailedCall, ToolResult, optional


@dataclass(frozen=True, slots=True)
class ReadOn:
    """The place to continue at: line `start`, or character `column` of line `line`."""

    start: int | None = optional()
    line: int | None = optional()
    column: int | None = optional()


@dataclass(frozen=True, kw_only=True)
class FileRead(ToolResult):
    """One file as it was read; of an image only its `type`, and `images`.

    `content` is the text of lines `start_line` to `end_line`, inclusive, joined by ``\\n``
    and without the last terminator; `terminated` is True if there is one. Lines count from
    1, or are negative if the file was not counted: from the end. `cut_at` are the lines
    that were cut, `invalid_lines` those with bytes that are not text. `next` is where to
    continue, `symbol` the definition that was read, `match_line` the line of a pattern.
    `cursor` returns what is appended later, and `end` is the byte behind what was.
    `complete` is False if a compressed file is damaged and its text ends early.
    """

    path: str
    version: str
    size: int
    type: str | None = optional()
    encoding: str | None = optional()
    encoding_confidence: float | None = optional()
    bom: bool | None = optional()
    line_ending: str | None = optional()
    content: str = ""
    start_line: int = 1
    end_line: int = 0
    column: int | None = optional()
    lines_returned: int = 0
    total_lines: int | None = None
    truncated: bool = False
    cut_at: tuple[int, ...] = ()
    terminated: bool = False
    symbol: str | None = None
    match_line: int | None = None
    invalid_lines: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    next: ReadOn | None = None
    complete: bool | None = optional()
    cursor: str | None = optional()
    end: int | None = optional()

    @property
    def rows(self) -> list[str]:
        """Return the lines of `content`."""
        return self.content.split("\n") if self.lines_returned else []


@dataclass(frozen=True, kw_only=True)
class FilesRead(ToolResult):
    """Several files in the order of the call, or the error of each."""

    several = "files"
    files: tuple[FileRead | FailedCall, ...]
