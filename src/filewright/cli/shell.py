"""The native tools with the arguments that are typed in a shell.

`read`, `search`, `map`, `edit` and `apply_patch` call the tools that MCP clients call, and
print their answers. Paths are relative to the current folder. Blocks and patches come
from standard input, which suits a here-document.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from filewright.cli import write
from filewright.cli.edit_blocks import EditBlock, parse_blocks
from filewright.cli.options import (
    caller_options,
    dry_run_option,
    encoding_option,
    workspace_command,
)
from filewright.cli.terminal import show_progress, write_coloured
from filewright.errors import Code, FilewrightError, invalid
from filewright.hints import for_shell
from filewright.system import discard_standard_output

if TYPE_CHECKING:
    from filewright.workspace import Workspace

MAX_INPUT_BYTES = 16 << 20
"""The size of blocks or of a patch past which standard input is refused."""

_LINE = re.compile(r"(.+):(-?[0-9]+)", re.DOTALL)
_RANGE = re.compile(r"(.+):(-?[0-9]+)-(-?[0-9]+)?", re.DOTALL)
_COLUMN = re.compile(r"(.+):(-?[0-9]+):([0-9]+)", re.DOTALL)
_CONDITION = re.compile(r"(.+?) ?(!=|>=|<=|=|>|<) ?(.*)", re.DOTALL)
_SYMBOL_MARK = "::"
_PATCH_BEGINNING = re.compile(
    r"\s*(?:```\w*\s*)?(?:\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File:)"
    r"|--- |diff --git |Index: )"
)
_SEARCH_FLAGS: Mapping[str, Mapping[str, Any]] = {
    "regex": {"mode": "regex"},
    "ignore_case": {"case": "insensitive"},
    "word": {"whole_word": True},
    "multiline": {"multiline": True},
    "invert": {"invert": True},
    "files": {"output": "files"},
    "count": {"output": "counts"},
    "kinds": {"output": "kinds"},
    "uses": {"output": "uses"},
    "trace": {"trace": True},
    "include_ignored": {"include_ignored": True},
}
"""The argument of `search_content` that each flag stands for."""

_CONDITION_ARGUMENTS = {"where", "sort"}
"""The arguments of `search_content` that choose lines without a pattern."""


# Read


@click.command(
    short_help="Read files, or places in them.",
    epilog="""\b
Examples:
  filewright read src/cart.py                the first 500 lines
  filewright read src/cart.py:40-80          these lines
  filewright read src/cart.py:120            this line and those around it
  filewright read src/cart.py:120:1001       this line from a column on
  filewright read src/cart.py::Cart.total    a definition
  filewright read server.log:-20             the last 20 lines
  filewright read a.py:1-20 b.py::main       several places in one answer""",
)
@click.argument(
    "places", nargs=-1, required=True, metavar="FILE[:N|:N-M|::SYMBOL]..."
)
@encoding_option
@workspace_command()
def read(
    workspace: Workspace, *, places: tuple[str, ...], encoding: str | None
) -> None:
    """Print lines of files, with their numbers.

    `:N` is a line with those around it, `:N-M` a range, `:N-` all from a line on, `:-N` the last lines, `:N:C` a line
    from column C on, `::SYMBOL` a definition. A file whose name looks like that is read as a file.
    """
    reads = [parse_place(workspace, place) for place in places]
    if len(reads) > 1 and (
        encoding is not None or any("column" in place for place in reads)
    ):
        raise click.UsageError("--encoding and a column go with a single FILE")
    if len(reads) == 1:
        if encoding is not None:
            reads[0]["encoding"] = encoding
        _call_tool(workspace, "read_content", reads[0])
    else:
        _call_tool(workspace, "read_content", {"items": reads})


def parse_place(workspace: Workspace, place: str) -> dict[str, Any]:
    """Return the arguments of `read_content` for a file and a place in it."""
    path = resolve_path(workspace, place)
    if _exists(workspace, path):
        return {"path": path}
    for syntax, read_numbers in (
        (_COLUMN, _read_column),
        (_RANGE, _read_range),
        (_LINE, _read_line),
    ):
        match = syntax.fullmatch(place)
        if match is None:
            continue
        name, *numbers = match.groups()
        path = resolve_path(workspace, name)
        # A name may have colons itself, and so may a symbol.
        is_certain = syntax is not _COLUMN and "::" not in place
        if is_certain or _exists(workspace, path):
            return {"path": path, **read_numbers(*numbers)}
    end = _find_symbol_mark(workspace, place)
    name, symbol = place[:end], place[end + len(_SYMBOL_MARK) :]
    if end > 0 and symbol:
        return {"path": resolve_path(workspace, name), "symbol": symbol}
    return {"path": resolve_path(workspace, place)}


def _read_line(number: str) -> dict[str, Any]:
    """Return the arguments for a line with those around it, or for the last lines."""
    line = int(number)
    if line < 0:
        return {"start": line, "limit": -line}
    return {"line": line}


def _read_column(number: str, column: str) -> dict[str, Any]:
    """Return the arguments for a line from a column on."""
    argument = "start" if number.startswith("-") else "line"
    return {argument: int(number), "column": int(column)}


def _read_range(first: str, last: str | None) -> dict[str, Any]:
    """Return the arguments for a range of lines; negative ones count from the end."""
    start = int(first)
    if last is None:
        return {"start": start}
    limit = int(last) - start + 1
    if limit < 1 or first.startswith("-") != last.startswith("-"):
        raise click.BadParameter(
            f"{first}-{last} is not a range of lines", param_hint="FILE"
        )
    return {"start": start, "limit": limit}


def _find_symbol_mark(workspace: Workspace, place: str) -> int:
    """Return the offset of the `::` before a symbol, -1 if there is none.

    It is the first that follows the name of a file, or else the first.
    """
    # A name may have colons, and so may a symbol: cache::v2.cpp::Cache::get.
    end = place.find(_SYMBOL_MARK)
    while end >= 0:
        if _exists(workspace, resolve_path(workspace, place[:end])):
            return end
        end = place.find(_SYMBOL_MARK, end + 1)
    return place.find(_SYMBOL_MARK)


# Search and map


@click.command(
    short_help="Find text in files.",
    epilog="""\b
Examples:
  filewright search "def main"                       plain text, in all files
  filewright search -E "def \\w+_total" src           a regex, below a folder
  filewright search -l TODO -g "*.py"                the files that have it
  filewright search -c error server.log              how often
  filewright search Cart src --only calls,imports    by syntax
  filewright search --uses Cart                      what a rename concerns
  filewright search "" jobs.csv --where "took>=30"   rows by their columns
  filewright search "" jobs.csv --sort -took -m 3    the longest three
  filewright search "HTTP 504" app.log --trace       one request through a log""",
)
@click.argument("pattern")
@click.argument("path", required=False, default=".")
@click.option(
    "-E", "--regex", is_flag=True, help="Read PATTERN as a regular expression."
)
@click.option(
    "-i", "--ignore-case", is_flag=True, help="Ignore upper and lower case."
)
@click.option("-w", "--word", is_flag=True, help="Find whole words only.")
@click.option("-U", "--multiline", is_flag=True, help="A regex may span lines.")
@click.option("-v", "--invert", is_flag=True, help="Find the other lines.")
@click.option(
    "-l", "--files", is_flag=True, help="List the files that have it."
)
@click.option("-c", "--count", is_flag=True, help="Count the hits by file.")
@click.option(
    "--kinds", is_flag=True, help="Group lines that differ only in numbers."
)
@click.option(
    "--uses",
    is_flag=True,
    help="Survey the uses of a name, or of several: a|b.",
)
@click.option("-g", "--glob", metavar="GLOB", help="Only files that match it.")
@click.option(
    "-t", "--type", metavar="LANGUAGE", help="Only files of a language."
)
@click.option(
    "--only",
    metavar="KIND",
    help="Only in code, comments, strings, imports, definitions or calls; "
    "several with commas.",
)
@click.option(
    "--where",
    "conditions",
    multiple=True,
    metavar="FIELD=VALUE",
    help="Only JSON lines and rows of tables that fit; also !=, >, >=, < and "
    "<=; may be repeated.",
)
@click.option(
    "--sort",
    metavar="FIELD",
    help="Show the lines with the smallest values of it; -FIELD: the largest.",
)
@click.option(
    "--trace",
    is_flag=True,
    help="Also show the lines of a log with the same rare ids.",
)
@click.option(
    "-C", "--context", type=int, metavar="N", help="Lines around a hit."
)
@click.option(
    "-m", "--max-results", type=int, metavar="N", help="Hits to show."
)
@click.option(
    "--include-ignored", is_flag=True, help="Also files that git ignores."
)
@click.option("--cursor", metavar="CURSOR", help="Continue as an answer says.")
@workspace_command()
def search(
    workspace: Workspace, *, pattern: str, path: str, **options: Any
) -> None:
    """Find PATTERN in the files below PATH, or in a file. It is plain text unless -E is given.

    With --where or --sort it may be "", for all rows.
    """
    forms = ("files", "count", "kinds", "uses")
    if sum(options[form] for form in forms) > 1:
        raise click.UsageError(
            "give one of --files, --count, --kinds and --uses"
        )
    arguments: dict[str, Any] = {
        "path": resolve_path(workspace, path),
        **_read_search_options(options),
    }
    if pattern or not arguments.keys() & _CONDITION_ARGUMENTS:
        arguments["pattern"] = pattern
    _call_tool(workspace, "search_content", arguments)


def _read_search_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `search_content` for the options of `search`."""
    arguments: dict[str, Any] = {}
    for option, argument_of_flag in _SEARCH_FLAGS.items():
        if options[option]:
            arguments |= argument_of_flag
    for argument in (
        "glob",
        "type",
        "only",
        "sort",
        "context",
        "max_results",
        "cursor",
    ):
        if options[argument] is not None:
            arguments[argument] = options[argument]
    if options["conditions"]:
        arguments["where"] = parse_conditions(options["conditions"])
    return arguments


def parse_conditions(texts: Sequence[str]) -> dict[str, str]:
    """Return the argument `where` for conditions such as `took>=30`.

    Raise `click.BadParameter` for a text without an operator, or for a second condition
    of a field.
    """
    conditions: dict[str, str] = {}
    for text in texts:
        match = _CONDITION.fullmatch(text)
        if match is None:
            raise click.BadParameter(
                f"{text!r} is not FIELD=VALUE, as in level=error",
                param_hint="--where",
            )
        field, operator, value = match.groups()
        if field in conditions:
            raise click.BadParameter(
                f"there are two conditions of {field}", param_hint="--where"
            )
        conditions[field] = operator + value
    return conditions


@click.command(
    short_help="Show the map of a folder, or the outline of a file.",
    epilog="""\b
Examples:
  filewright map                     the current folder
  filewright map src/cart.py         the definitions of a file
  filewright map src/cart.py --symbol Cart""",
)
@click.argument("path", required=False, default=".")
@click.option("--symbol", metavar="NAME", help="Only the members of it.")
@click.option("--depth", type=int, metavar="N", help="Levels of an outline.")
@workspace_command()
def map(
    workspace: Workspace, *, path: str, symbol: str | None, depth: int | None
) -> None:
    """Show the files, entry points and languages of a folder, or the definitions of a file."""
    arguments: dict[str, Any] = {"path": resolve_path(workspace, path)}
    if symbol is not None:
        arguments["symbol"] = symbol
    if depth is not None:
        arguments["depth"] = depth
    _call_tool(workspace, "get_overview", arguments)


# Edit


@click.command(
    short_help="Edit a file by search/replace blocks or a patch.",
    epilog="""\b
Examples:
  filewright edit src/cart.py <<'EOF'
  <<<<<<< SEARCH
  tax = 0.19
  =======
  tax = 0.20
  >>>>>>> REPLACE
  EOF

Several blocks are one change: all of them are applied, or none. A block whose text has marker lines itself needs
longer markers, all three alike. An empty SEARCH part creates FILE. Text that begins as a unified diff or with
`*** Begin Patch` is applied as a patch of FILE.""",
)
@click.argument("file")
@click.option(
    "--all", "replace_all", is_flag=True, help="Replace every occurrence."
)
@click.option(
    "--line",
    type=click.IntRange(min=1),
    metavar="LINE",
    help="The line where the text of the only block begins.",
)
@click.option(
    "--exact", is_flag=True, help="Accept no difference in whitespace."
)
@encoding_option
@dry_run_option
@caller_options
@workspace_command("session", "actor")
def edit(
    workspace: Workspace,
    *,
    file: str,
    replace_all: bool,
    line: int | None,
    exact: bool,
    encoding: str | None,
    dry_run: bool,
) -> None:
    """Change FILE as the blocks or the patch on standard input say.

    All other bytes stay: the encoding, the line endings and the end of the file.
    """
    text = read_input("blocks or a patch")
    path = resolve_path(workspace, file)
    if _PATCH_BEGINNING.match(text):
        if replace_all or exact or not (line is None and encoding is None):
            raise click.UsageError(
                "--all, --line, --exact and --encoding are for blocks"
            )
        _require_only_file(workspace, text, path)
        _apply_patch(workspace, text, preview=dry_run)
        return
    blocks = parse_blocks(text, file)
    if line is not None and len(blocks) > 1:
        raise click.UsageError("--line is for a single block")
    arguments: dict[str, Any] = {
        "path": path,
        "edits": _build_edits(
            workspace, path, blocks, replace_all=replace_all, line=line
        ),
        "preview": dry_run,
    }
    if exact:
        arguments["fuzzy"] = False
    if encoding is not None:
        arguments["encoding"] = encoding
    if dry_run:
        arguments["diff"] = "full"
    _call_tool(workspace, "edit_content", arguments)


def _build_edits(
    workspace: Workspace,
    path: str,
    blocks: Sequence[EditBlock],
    *,
    replace_all: bool,
    line: int | None,
) -> list[dict[str, Any]]:
    """Return the edits of `edit_content` for blocks."""
    if (
        len(blocks) == 1
        and not blocks[0].search
        and not _exists(workspace, path)
    ):
        return [{"content": blocks[0].replace}]
    edits = []
    for block in blocks:
        edit_fields: dict[str, Any] = {
            "search": block.search,
            "replace": block.replace,
        }
        if replace_all:
            edit_fields["replace_all"] = True
        if line is not None:
            edit_fields["start_line"] = line
        edits.append(edit_fields)
    return edits


def _require_only_file(workspace: Workspace, text: str, path: str) -> None:
    """Raise `invalid_input` if a patch names a file other than `path`."""
    from filewright.edit.patch.reader import parse_patch

    boundary = workspace.context.boundary
    target = boundary.locate(path)
    for file in parse_patch(text).files:
        for name in (file.old_path, file.new_path):
            if name is None:
                continue
            if boundary.locate(resolve_path(workspace, name)) != target:
                raise invalid(
                    f"the patch names {name}, and the file to edit is {path}",
                    "send a patch of other files to `filewright apply_patch`",
                )


@click.command(
    "apply_patch",
    short_help="Apply a patch to any number of files.",
    epilog="""\b
Examples:
  filewright apply_patch <<'EOF'
  *** Begin Patch
  *** Update File: src/cart.py
  @@ def total
  -    tax = 0.19
  +    tax = 0.20
  *** End Patch
  EOF
  git diff | filewright apply_patch --dry-run""",
)
@click.argument("patch", required=False)
@dry_run_option
@caller_options
@workspace_command("session", "actor")
def apply_patch(
    workspace: Workspace, *, patch: str | None, dry_run: bool
) -> None:
    """Apply PATCH, or the patch on standard input: `*** Begin Patch` or a unified diff.

    All of its files are changed, or none.
    """
    if patch is None:
        patch = read_input("a patch")
    _apply_patch(workspace, patch, preview=dry_run)


def _apply_patch(workspace: Workspace, patch: str, *, preview: bool) -> None:
    arguments = {
        "patch": patch,
        "root": resolve_path(workspace, "."),
        "preview": preview,
    }
    if preview:
        arguments["diff"] = "full"
    _call_tool(workspace, "apply_patch", arguments)


# Input, paths and calls of all these commands


def read_input(noun: str) -> str:
    """Return the text of standard input.

    Raise `invalid_input` if it is not UTF-8, and `too_large` past `MAX_INPUT_BYTES`.
    """
    if sys.stdin.isatty():
        raise click.UsageError(f"send {noun} to standard input")
    content = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
    if not content.strip():
        raise click.UsageError(f"standard input is empty: send {noun}")
    if len(content) > MAX_INPUT_BYTES:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"standard input has more than {MAX_INPUT_BYTES:,} bytes",
            "send it in several calls",
        )
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise invalid(
            f"standard input is not UTF-8: byte {error.start} is "
            f"0x{content[error.start]:02x}",
            "send UTF-8: the text is converted to the encoding of the file",
        ) from error


def resolve_path(workspace: Workspace, path: str) -> str:
    """Return a path that was typed in the current folder, as the tools take it."""
    # The root may be a folder above, such as the client's project.
    here = os.path.realpath(os.getcwd())
    for root in workspace.roots:
        folder = os.fsdecode(root.path)
        if here != folder and here.startswith(folder.rstrip(os.sep) + os.sep):
            return os.path.normpath(os.path.join(here, path))
    return path


def _exists(workspace: Workspace, path: str) -> bool:
    (status,) = workspace.stat(path).results
    return status.error is None


def _call_tool(
    workspace: Workspace, name: str, arguments: Mapping[str, Any]
) -> None:
    """Call a tool, print its answer, and end the command with its exit status."""
    tools = workspace.offer()
    with show_progress(name, workspace.settings.call_seconds) as task:
        result = tools.call(name, arguments, task=task)
    if result.is_error:
        write(for_shell(result.text), to_error=True)
        sys.exit(1)
    try:
        write_coloured(for_shell(result.text))
    except BrokenPipeError:
        # The reader, such as `head`, has enough. The call is done all the same, so it
        # must not end as a refusal, and Python must not write the rest when it exits.
        discard_standard_output()
