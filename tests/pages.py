"""Pages of the documentation that are made from the code: `python -m tests.pages` writes them anew."""

from __future__ import annotations

import ast
import functools
import inspect
import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
from pydantic import BaseModel

from filewright import Workspace, errors, settings
from filewright.boundary.programs import PROGRAMS
from filewright.cli.program import program
from filewright.cli.serve import serve
from filewright.tools import methods
from filewright.tools.catalogue import load_tool, read_catalogue
from filewright.tools.schema import schema_of

DOCS = Path(__file__).parents[1] / "docs"
_SIZES = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"))


def settings_table() -> str:
    """Every setting below the heading it has in `settings.py`, with its flag of `serve`."""
    flags = {
        option.name: option.opts[-1]
        for option in serve.params
        if option.opts[-1].startswith("--")
    }
    lines: list[str] = []
    for line in inspect.getsource(settings.Settings).splitlines():
        if heading := re.fullmatch(r"    # (.*)", line):
            lines += ["", f"## {heading[1]}", ""]
        if name := re.match(r"    (\w+): .*setting\(", line):
            found = settings.SETTINGS[name[1]]
            head = f"`FILEWRIGHT_{name[1].upper()}`"
            if name[1] in flags:
                head += f", `{flags[name[1]]}`"
            if default := _shown(name[1], found.default):
                head += f" ({default})"
            lines.append(f"- {head}: {found.description}")
    return "\n".join(lines).strip() + "\n"


def _shown(name: str, value: Any) -> str:
    if value is None or value == ():
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if name.endswith("bytes") and value:
        size, unit = next(
            ((size, unit) for size, unit in _SIZES if value % size == 0),
            (1, "bytes"),
        )
        return f"{value // size:,} {unit}"
    if name.endswith("seconds"):
        return f"{value:g} s"
    return f"{value:,}" if isinstance(value, int) else str(value)


def errors_table() -> str:
    """The table that `errors.py` begins with."""
    rows = re.findall(
        r"^(\w+) {2,}(.+?) {2,}(.+)$",
        inspect.getdoc(errors) or "",
        re.MULTILINE,
    )
    return "\n".join(
        ["| code | meaning | what to do |", "|---|---|---|"]
        + [
            f"| `{code}` | {meaning} | {then} |"
            for code, meaning, then in rows
            if code != "code"
        ]
    )


_IN_SEVERAL_TOOLS = (
    "atomic",
    "break_hard_links",
    "cursor",
    "diff",
    "encoding",
    "undoable",
)
"""Arguments that are in a table of their own instead of that of each tool."""
_ALIKE = (
    "atomic",
    "break_hard_links",
    "cursor",
    "diff",
    "encoding",
    "preview",
    "undoable",
)
"""Arguments that mean the same in every tool: the first tool that has one says what."""


@functools.cache  # the source of a class is found by parsing its whole module
def _said(model: type[BaseModel]) -> dict[str, str]:
    """What stands below each field of a model in its source."""
    if model is BaseModel:
        return {}
    (body,) = ast.parse(inspect.getsource(model)).body
    assert isinstance(body, ast.ClassDef)
    found = {**_said(model.__mro__[1])}
    for field, below in pairwise(body.body):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found[model.model_fields[name].alias or name] = " ".join(
                    text.split()
                )
    return found


def _takes(node: dict[str, Any], many: str = "") -> str:
    """The values that a JSON Schema allows, in a few words; of several of them with `many` behind each."""
    if "enum" in node:
        return ", ".join(f"`{json.dumps(value)}`" for value in node["enum"])
    if node.get("type") == "array":
        return f"list{many} of {_takes(node['items'], 's')}"
    if "properties" in node:
        return f"`{{{', '.join(node['properties'])}}}`"
    low, high = node.get("minimum"), node.get("maximum")
    bounds = [f"from {low:,}"] if low is not None else []
    bounds += [f"to {high:,}"] if high is not None else []
    kinds = [each["type"] for each in node.get("anyOf", [node])]
    return " ".join([" or ".join(kind + many for kind in kinds), *bounds])


def _argument_item(
    argument: str, node: dict[str, Any], meaning: str, *, is_required: bool
) -> str:
    """Return the item of an argument: its type, its default, its meaning."""
    takes = _takes(node)
    if is_required:
        takes += ", required"
    if node.get("default", False) is not False:  # as of every other boolean
        takes += f"; `{json.dumps(node['default'])}`"
    return f"- `{argument}` ({takes}): {meaning}"


def shared_arguments_table() -> str:
    """Return the list of the arguments that several tools have."""
    lines = []
    for argument in _IN_SEVERAL_TOOLS:
        for name in read_catalogue().modules:
            model = load_tool(name).arguments
            node = schema_of(model)["properties"].get(argument)
            if node is None or argument not in _said(model):
                continue
            meaning = _said(model)[argument]
            lines.append(
                _argument_item(argument, node, meaning, is_required=False)
            )
            break
    return "\n".join(lines)


def arguments_table(name: str) -> str:
    """The arguments of a tool as its model has them."""
    schema = schema_of(load_tool(name).arguments)
    said = {
        name: _said(load_tool(name).arguments)
        for name in read_catalogue().modules
    }
    shared = {
        key: next(texts[key] for texts in said.values() if key in texts)
        for key in _ALIKE
    }
    lines = []
    required = schema.get("required", ())
    for argument, node in schema["properties"].items():
        if argument in _IN_SEVERAL_TOOLS:
            continue
        meaning = {**shared, **said[name]}[argument]
        lines.append(
            _argument_item(
                argument, node, meaning, is_required=argument in required
            )
        )
    return "\n".join(lines)


_FOR_HOOKS = (
    "heal",
    "check_guard",
    "guard_report",
    "left_over",
    "leave_unsettled",
    "log_damage",
    "log_problems",
    "run_native",
)
"""Methods for the hooks and for `doctor`, which programs do not need."""


def methods_table() -> str:
    """Return the methods of the library: those of tools, then those of `Workspace` itself."""
    lines = []
    source = Path(inspect.getfile(methods)).read_text(encoding="utf-8")
    for method in _methods(source, "ToolMethods"):
        if _tool_of(method) is not None:
            lines.append(_method_row(method, is_tool=True))
    source = Path(inspect.getfile(Workspace)).read_text(encoding="utf-8")
    for method in _methods(source, "Workspace"):
        if method.name not in _FOR_HOOKS:
            lines.append(_method_row(method, is_tool=False))
    return "\n".join(lines)


def _methods(source: str, name: str) -> list[ast.FunctionDef]:
    """The public methods of a class."""
    (found,) = [
        each
        for each in ast.parse(source).body
        if isinstance(each, ast.ClassDef) and each.name == name
    ]
    return [
        each
        for each in found.body
        if isinstance(each, ast.FunctionDef)
        and not each.name.startswith("_")
        and not any(
            ast.unparse(decorator) == "property"
            for decorator in each.decorator_list
        )
    ]


def _tool_of(method: ast.FunctionDef) -> str | None:
    """Return the name of the tool that a method calls, None for an overload or a hook."""
    for node in ast.walk(method):
        if (
            isinstance(node, ast.Call)
            and ast.unparse(node.func) == "self._call"
            and isinstance(node.args[0], ast.Constant)
        ):
            return str(node.args[0].value)
    return None


def _method_row(method: ast.FunctionDef, *, is_tool: bool) -> str:
    """Return the row of a method; the arguments by name are those of its tool."""
    arguments = [argument.arg for argument in method.args.args[1:]]
    if method.args.vararg:
        arguments.append(f"*{method.args.vararg.arg}")
    for argument in method.args.kwonlyargs:
        if not is_tool:
            arguments.append(f"{argument.arg}=")
    if is_tool:
        arguments.append("…")
    assert method.returns is not None
    returns = ast.unparse(method.returns)
    sentence = (ast.get_docstring(method) or "").partition("\n\n")[0]
    does = " ".join(sentence.split())
    call = f"{method.name}({', '.join(arguments)})"
    return f"- `{call}` → `{returns}`: {does}"


def protected_table() -> str:
    """The programs and what is protected of each."""
    rules: dict[str, list[str]] = {}
    for user in PROGRAMS:
        rules.setdefault(user.name, []).extend(user.rules)
    lines = []
    for name, files in rules.items():
        shown = ", ".join(f"`{rule.removeprefix('**/')}`" for rule in files)
        lines.append(f"- {name}: {shown}")
    return "\n".join(lines)


_COMMON_OPTIONS = (
    *("--help", "--version", "--root", "--state-dir"),
    *("--yes", "--dry-run", "--json", "--session", "--actor", "--client"),
    *("--since", "--stat", "--force", "--partial", "--include-shared"),
    "--path",
)
"""Options that the text of the page explains once."""


_AS_VARIABLES = (
    *("dialect", "http", "token_file", "public_url", "allow_host"),
    *("allow_origin", "oauth_issuer", "oauth_introspection", "oauth_scope"),
)
"""Options of the server that the page about deploying has."""


def command_line_tables() -> str:
    """Return a section for each command, with its arguments and options."""
    lines = []
    context = click.Context(program)
    for name in program.list_commands(context):
        command = program.get_command(context, name)
        if command is not None and not command.hidden:
            lines += _command_section(f"filewright {name}", command)
    return "\n".join(lines)


def _command_section(name: str, command: click.Command) -> list[str]:
    """Return the lines of a command, and of the commands below it."""
    context = click.Context(command)
    arguments = [
        parameter.make_metavar(context)
        for parameter in command.params
        if isinstance(parameter, click.Argument)
    ]
    if isinstance(command, click.Group):
        arguments.append("COMMAND")
    text = inspect.cleandoc(command.help or "").partition("\f")[0]
    paragraphs = [
        re.sub(r"\s+", " ", paragraph)
        for paragraph in text.strip().split("\n\n")
    ]
    lines = [f"## {' '.join([name, *arguments])}", ""]
    lines += [paragraphs[0].replace("|", "\\|"), ""]
    rows = []
    for option in command.params:
        names = [*option.opts, *option.secondary_opts]
        if not isinstance(option, click.Option) or option.hidden:
            continue
        if any(each in _COMMON_OPTIONS for each in names):
            continue
        # The page of the settings has these flags.
        if option.name in settings.SETTINGS or option.name in _AS_VARIABLES:
            continue
        shown = ", ".join(f"`{each}`" for each in names)
        if not (option.is_flag or option.count):
            shown = f"{shown} *{_metavar(option, context)}*"
        rows.append(f"- {shown}: {option.help}")
    if rows:
        lines += [*rows, ""]
    if isinstance(command, click.Group):
        for below, inner in command.commands.items():
            lines += _command_section(f"{name} {below}", inner)
    return lines


def _metavar(option: click.Option, context: click.Context) -> str:
    """Return the name of an option's value; a number is N, as elsewhere."""
    name = option.make_metavar(context)
    return "N" if name == "INTEGER RANGE" else name


TABLES: dict[str, Callable[..., str]] = {
    "cli.md": command_line_tables,
    "control.md": protected_table,
    "settings.md": settings_table,
    "troubleshooting.md": errors_table,
    "library.md": methods_table,
}
PAGES = (*TABLES, "tools.md")
_TABLE = re.compile(
    r"<!-- made from the code(?:: (\w+))? -->\n.*?<!-- end -->\n", re.DOTALL
)


def with_tables(name: str) -> str:
    """Return a page with its tables generated; a mark may name the tool of its table."""

    def table(mark: re.Match[str]) -> str:
        begin = mark[0].partition("\n")[0]
        if mark[1] == "shared":
            text = shared_arguments_table()
        elif mark[1]:
            text = arguments_table(mark[1])
        else:
            text = TABLES[name]()
        return f"{begin}\n\n{text.strip()}\n\n<!-- end -->\n"

    return _TABLE.sub(table, (DOCS / name).read_text(encoding="utf-8"))


if __name__ == "__main__":
    for page in PAGES:
        (DOCS / page).write_text(with_tables(page), encoding="utf-8")
