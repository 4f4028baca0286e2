"""`read_file`, `read_files`, `list_dir`, `glob`, `tree`, `file_stat`, `diff`, `outline`, `check_syntax`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field

from filewright.dialects.agent_tools.errors import code_of
from filewright.dialects.agent_tools.rows import answered, fitting, room, shown
from filewright.dialects.dialect import Call, failure
from filewright.tools.registry import Arguments, ToolResult

_LIMIT = 2000


class ReadArguments(Arguments):
    """Which lines of which file."""

    path: str
    offset: Annotated[int, Field(description="First line, from 1; negative: the last lines.")] = 1
    limit: Annotated[int, Field(ge=1, description="Lines at most.")] = _LIMIT


class ReadManyArguments(Arguments):
    """Which files."""

    paths: Annotated[list[str], Field(min_length=1, max_length=64)]


class FolderArguments(Arguments):
    """Which folder."""

    path: str = "."


class GlobArguments(Arguments):
    """Which files."""

    pattern: Annotated[str, Field(min_length=1, description="Such as **/*.py.")]
    path: str = "."
    respect_gitignore: bool = True


class TreeArguments(Arguments):
    """Which folder, how deep."""

    path: str = "."
    depth: Annotated[int, Field(ge=1, le=64)] = 4
    respect_gitignore: bool = True


class PathArguments(Arguments):
    """Which file."""

    path: str


class DiffArguments(Arguments):
    """Which two files."""

    before: Annotated[str, Field(alias="from")]
    after: Annotated[str, Field(alias="to")]


def _numbered(file: Mapping[str, Any]) -> list[str]:
    """The lines of a native read as rows: number, TAB, text."""
    if not file.get("lines_returned"):
        return []
    cut = frozenset(file["cut_at"])
    lines = str(file["content"]).split("\n")
    return [
        f"{number:>6}\t{shown(line)}{' … [line cut]' if number in cut else ''}"
        for number, line in enumerate(lines, file["start_line"])
    ]


def read_file(call: Call, arguments: ReadArguments) -> ToolResult:
    """Numbered lines, and the offset to go on with."""
    file = call.run("read_content", path=arguments.path, start=arguments.offset, limit=arguments.limit).data
    rows = _numbered(file)
    if not rows:
        return ToolResult("(empty file)")
    kept = fitting(rows, room(call))
    last = file["start_line"] + len(kept) - 1
    if file["next"] is None and len(kept) == len(rows):
        return ToolResult("\n".join(kept))
    total = f" of {file['total_lines']}" if file["total_lines"] is not None else ""
    footer = f"(showing lines {file['start_line']}-{last}{total}; call again with offset={last + 1} for more)"
    return ToolResult("\n".join([*kept, footer]))


def read_files(call: Call, arguments: ReadManyArguments) -> ToolResult:
    """Every file under a heading, failures in their place."""
    files = call.run("read_content", paths=arguments.paths, limit=_LIMIT).data["files"]
    parts: list[str] = []
    left = room(call)
    for position, (path, file) in enumerate(zip(arguments.paths, files, strict=True)):
        if "code" in file:
            rows = [f"==> {shown(path)} — {code_of(file['code'])}: {shown(file['message'])} <=="]
        else:
            rows = [f"==> {shown(path)} <=="]
            numbered = _numbered(file)
            kept = fitting(numbered, max(200, left // (len(files) - position))) if numbered else []
            rows += kept or ["(empty file)"]
            if file.get("next") is not None or len(kept) < len(numbered):
                last = file["start_line"] + len(kept) - 1
                rows.append(f"(more; read_file with offset={last + 1})")
        left -= sum(len(row.encode("utf-8", "replace")) + 1 for row in rows)
        parts += rows
    failed = all("code" in file for file in files)
    return ToolResult("\n".join(parts), is_error=failed, code=files[0]["code"] if failed else None)


def list_dir(call: Call, arguments: FolderArguments) -> ToolResult:
    """Folders first, then files with their sizes."""
    entries, complete = call.entries(path=arguments.path, details=True, include_ignored=True)
    rows = [f"{shown(entry['name'])}/" for entry in entries if entry["type"] == "folder"]
    rows += [f"{shown(entry['name'])}\t{entry['size']}" for entry in entries if entry["type"] != "folder"]
    more = () if complete else ("(more entries, not shown)",)
    return answered(call, rows, *more, empty="(empty directory)")


def _sized(entry: Mapping[str, Any]) -> str:
    mark = "@" if entry["type"] == "link" else ""
    return f"{shown(entry['name'])}{mark}\t{entry['size']}"


def glob(call: Call, arguments: GlobArguments) -> ToolResult:
    """The files that fit, newest first."""
    entries, complete = call.entries(
        path=arguments.path,
        glob=arguments.pattern,
        sort="modified",
        include_ignored=not arguments.respect_gitignore,
    )
    rows = [shown(entry["path"]) for entry in entries if entry["type"] == "file"]
    more = () if complete else ("(more files, not shown)",)
    return answered(call, rows, *more, empty="(no matches)")


def tree(call: Call, arguments: TreeArguments) -> ToolResult:
    """The entries below a folder, indented; linked folders are named, not entered."""
    entries, complete = call.entries(
        path=arguments.path,
        depth=arguments.depth,
        details=True,
        include_ignored=not arguments.respect_gitignore,
    )
    top = str(call.run("list_files", path=arguments.path, limit=1).data["path"])
    above = 0 if top == "." else top.count("/") + 1
    rows = []
    for entry in entries:
        path = str(entry["path"]).removesuffix("/")
        indent = "  " * (path.count("/") - above)
        folder = entry["type"] == "folder"
        rows.append(f"{indent}{shown(entry['name'])}/" if folder else f"{indent}{_sized(entry)}")
    more = () if complete else ("(more entries, not shown)",)
    return answered(call, rows, *more, empty="(empty directory)")


def file_stat(call: Call, arguments: PathArguments) -> ToolResult:
    """What is known of a file without reading it, a fact a row."""
    found = call.run("stat_items", paths=[arguments.path])
    (one,) = found.data["results"]
    if "error" in one:
        raise failure(one["error"])
    facts = {
        name: value for name, value in one["stats"].items() if name not in ("times_ns", "accessed", "changed")
    }
    return ToolResult(
        "\n".join([f"path: {shown(arguments.path)}", *(f"{k}: {shown(str(v))}" for k, v in facts.items())])
    )


def diff(call: Call, arguments: DiffArguments) -> ToolResult:
    """A unified diff of two files."""
    from filewright.tools.compare import Comparing, compare_files

    made = call.use(compare_files, Comparing(arguments.before, arguments.after))
    if made.data["identical"]:
        return ToolResult("(no differences)")
    return answered(call, made.text.rstrip("\n").split("\n"))


def _symbols(symbols: list[Mapping[str, Any]], depth: int = 0) -> Iterator[str]:
    for symbol in symbols:
        yield f"{'  ' * depth}{symbol['start_line']}-{symbol['end_line']} {symbol['kind']} {shown(symbol['name'])}"
        if depth < 30:
            yield from _symbols(symbol["children"], depth + 1)


def outline(call: Call, arguments: PathArguments) -> ToolResult:
    """The definitions of a file with their lines."""
    data = call.run("get_overview", path=arguments.path, since=None, max_symbols=5000).data
    note = (f"({data['outline_note']})",) if data["outline_note"] else ()
    return answered(call, list(_symbols(data["outline"])), *note, empty="(no outline)")


def check_syntax(call: Call, arguments: PathArguments) -> ToolResult:
    """The syntax errors of a file."""
    data = call.run("get_overview", path=arguments.path, since=None, max_symbols=0).data
    language, errors = data["language"], data["syntax_errors"]
    if language is None:
        return ToolResult("(no grammar for this kind of file)")
    if not errors["count"]:
        return ToolResult(f"(no syntax errors: {language})")
    rows = [
        f"{language} syntax error in {shown(arguments.path)} at line {issue['line']}"
        for issue in errors["first"]
    ]
    more = errors["count"] - len(rows)
    return answered(call, rows, *([f"({more} more)"] if more > 0 else []))
