"""Tools that read lines: `read_content` and `read_enclosing`."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from filewright.dialects.call import Call
from filewright.dialects.json_answers import Json, fit_page
from filewright.dialects.largefile.arguments import FilePath
from filewright.dialects.offsets import naming_offset
from filewright.tools.arguments import Arguments
from filewright.tools.read.result import FileRead

_ALL_LINES = 1_000_000
"""More lines than an answer takes; its limits decide."""

_MAX_CUT_LINES = 50
_DATA_SUFFIXES = (".yaml", ".yml", ".json", ".toml", ".ini")
"""Suffixes of files with keys instead of definitions."""


class ReadContent(Arguments):
    """Arguments of `read_content`."""

    path: FilePath
    target: Annotated[
        int | str | None,
        Field(
            description="Line number or pattern; with mode tail the number of "
            "lines."
        ),
    ] = None
    offset: Annotated[int, Field(ge=1, description="First line, from 1.")] = 1
    limit: Annotated[int, Field(ge=1, description="Lines at most.")] = 100
    pattern: Annotated[
        str | None, Field(description="Read around the first match.")
    ] = None
    mode: Literal["lines", "semantic", "tail", "head"] = "lines"

    @model_validator(mode="after")
    def check_target(self) -> Self:
        """Raise `ValueError` for a target and a pattern."""
        if self.target is not None and self.pattern is not None:
            raise ValueError("give target or pattern, not both")
        return self

    @property
    def target_pattern(self) -> str | None:
        """The pattern around which to read."""
        if isinstance(self.target, str):
            return self.target
        return self.pattern

    @property
    def target_number(self) -> int | None:
        """The target as the number of a line, None if it is a text."""
        return self.target if isinstance(self.target, int) else None


def read_content(call: Call, arguments: ReadContent) -> Json:
    """Return lines by number, around a pattern, of a definition, or of an end."""
    return fit_page(
        call,
        call.max_characters,
        lambda page_call: build_content(page_call, arguments),
    )


def build_content(call: Call, arguments: ReadContent) -> Json:
    """Return the lines that fit in a native page."""
    pattern = arguments.target_pattern
    file = read_lines(call, arguments)
    answer = render_lines(file, arguments.mode)
    answer["match_line"] = file.match_line
    answer["warnings"] = warnings_of(arguments)
    if pattern is not None and file.match_line is not None:
        answer["pattern"] = pattern
    return answer


def read_lines(call: Call, arguments: ReadContent) -> FileRead:
    """Return the lines that are meant by the target, offset, pattern and mode."""
    path = arguments.path
    mode = arguments.mode
    pattern = arguments.target_pattern
    number = arguments.target_number
    if mode in ("head", "tail"):
        limit = number or arguments.limit
        return call.read(path, mode=mode, limit=limit, numbered=False)
    limit = _ALL_LINES if mode == "semantic" else arguments.limit
    if pattern is not None:
        return call.read(
            path, mode=mode, pattern=pattern, limit=limit, numbered=False
        )
    line = number or arguments.offset
    if mode == "semantic":
        return call.read(
            path, mode=mode, line=line, limit=limit, numbered=False
        )
    with naming_offset(line):
        return call.read(path, start=line, limit=limit, numbered=False)


def warnings_of(arguments: ReadContent) -> list[str]:
    """Return which arguments the mode does not use."""
    warnings = []
    has_offset = arguments.offset != 1
    has_pattern = arguments.target_pattern is not None
    if arguments.mode in ("head", "tail"):
        if has_offset:
            warnings.append(f"offset ignored in {arguments.mode} mode")
        if has_pattern:
            warnings.append(f"pattern ignored in {arguments.mode} mode")
    elif has_pattern and has_offset:
        warnings.append("offset ignored when pattern is set")
    return warnings


def render_lines(file: FileRead, mode: str) -> Json:
    """Return lines that were read in the fields of the original."""
    content = file.content
    if not file.lines_returned:
        content = ""
    elif file.terminated:
        content += "\n"
    # Lines that were counted from an end that was not reached have no numbers.
    has_numbers = file.lines_returned > 0 and file.start_line >= 1
    answer: Json = {
        "content": content,
        "start_line": file.start_line if has_numbers else None,
        "end_line": file.end_line if has_numbers else None,
        "lines_returned": file.lines_returned,
        "total_lines": file.total_lines,
    }
    if file.cut_at:
        answer["long_lines_cut"] = file.cut_at[:_MAX_CUT_LINES]
    is_definition = mode in ("semantic", "enclosing")
    is_cut_short = file.next is not None
    if is_definition:
        is_cut_short = file.truncated
    answer["mode"] = mode
    answer["truncated"] = is_cut_short or bool(file.cut_at)
    return answer


class ReadEnclosing(Arguments):
    """Arguments of `read_enclosing`."""

    path: FilePath
    line: Annotated[int, Field(ge=1)]
    depth: Annotated[
        int,
        Field(
            ge=1,
            description="1: innermost definition, 2: the one around it.",
        ),
    ] = 1
    context_lines: Annotated[
        int, Field(ge=1, description="Window where there is no definition.")
    ] = 40


def read_enclosing(call: Call, arguments: ReadEnclosing) -> Json:
    """Return the definition around a line, or lines around it if there is none."""
    return fit_page(
        call,
        call.max_characters,
        lambda page_call: build_enclosing(page_call, arguments),
    )


def build_enclosing(call: Call, arguments: ReadEnclosing) -> Json:
    """Return as much of the definition around a line as fits in a native page."""
    if not arguments.path.lower().endswith(_DATA_SUFFIXES):
        file = call.read(
            arguments.path,
            mode="semantic",
            line=arguments.line,
            depth=arguments.depth,
            limit=_ALL_LINES,
            numbered=False,
        )
        if file.symbol is not None:
            answer = render_lines(file, "enclosing")
            answer["enclosing_symbol"] = file.symbol
            return answer
    file = read_window(call, arguments)
    answer = render_lines(file, "context_window")
    answer["enclosing_symbol"] = None
    return answer


def read_window(call: Call, arguments: ReadEnclosing) -> FileRead:
    """Return `context_lines` lines around a line, or the last ones near the end."""
    limit = arguments.context_lines
    file = call.read(
        arguments.path, line=arguments.line, limit=limit, numbered=False
    )
    # Near the end of the file, the window ends with its last line instead.
    first_line = file.start_line - limit + file.lines_returned
    ends_early = file.next is None and first_line < file.start_line
    if ends_early and file.start_line > 1:
        return call.read(
            arguments.path,
            start=max(1, first_line),
            limit=limit,
            numbered=False,
        )
    return file
