"""The command `call`, which runs any tool from a shell."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from filewright.cli import write
from filewright.cli.options import (
    caller_options,
    dialect_option,
    workspace_command,
)
from filewright.cli.terminal import show_progress, write_coloured
from filewright.wording import did_you_mean

if TYPE_CHECKING:
    from filewright.tools.result import ToolResult
    from filewright.workspace import Workspace


def _complete_tool(
    context: click.Context, _parameter: click.Parameter, prefix: str
) -> list[str]:
    """Return the names of tools that begin with a prefix, for shell completion."""
    from filewright.dialects.providers import find_provider

    tools = find_provider(context.params.get("dialect")).tools()
    return [tool.name for tool in tools if tool.name.startswith(prefix)]


@click.command(
    short_help="Call any tool.",
    epilog="""\b
Examples:
  filewright call list_files '{}'
  filewright call read_content '{"path": "README.md", "limit": 20}'
  filewright call search_content '{"pattern": "main"}' --root ~/project
  filewright call edit_content - < arguments.json

filewright call --list lists the tools; filewright call TOOL --schema shows the arguments.""",
)
@click.argument("tool", required=False, shell_complete=_complete_tool)
@click.argument("arguments", required=False, metavar="[JSON]")
@caller_options
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the result as JSON: text, data, is_error, code.",
)
@click.option(
    "--read-only", is_flag=True, default=None, help="Refuse every change."
)
@dialect_option
@click.option(
    "--list", "lists_tools", is_flag=True, help="List the tools and exit."
)
@click.option(
    "--schema",
    "shows_schema",
    is_flag=True,
    help="Print the tool's description and the schema of its arguments, and exit.",
)
@workspace_command("session", "actor", "read_only")
def call(
    workspace: Workspace,
    *,
    tool: str | None,
    arguments: str | None,
    as_json: bool,
    dialect: str | None,
    lists_tools: bool,
    shows_schema: bool,
) -> None:
    """Call TOOL with a JSON object of arguments ('-': read it from standard input).

    The result goes to standard output. An error of the tool goes to standard error, and
    the exit code is 1.
    """
    tool_arguments: dict[str, Any] = {}
    if not (lists_tools or shows_schema):
        tool_arguments = _parse_arguments(tool, arguments)
    bound_tools = workspace.offer(dialect)
    tools = {listed.name: listed for listed in bound_tools.tools()}
    if lists_tools:
        rows = [
            f"{listed.name:<20} {listed.title}" for listed in tools.values()
        ]
        write("\n".join(rows))
        return
    if tool is None or tool not in tools:
        names_hint = did_you_mean(
            tool or "", tools, f"the tools are {', '.join(tools)}"
        )
        raise click.BadParameter(
            f"there is no tool {tool!r}; {names_hint}", param_hint="TOOL"
        )
    if shows_schema:
        declaration = tools[tool].load().to_listed()
        schema = json.dumps(declaration.schema, indent=2)
        write(f"{declaration.description}\n\n{schema}")
        return
    with show_progress(tool, workspace.settings.call_seconds) as task:
        result = bound_tools.call(tool, tool_arguments, task=task)
    if as_json:
        write(_render_json(result), to_error=result.is_error)
    elif result.is_error:
        write(result.text, to_error=True)
    else:
        write_coloured(result.text)
    sys.exit(result.is_error)


def _render_json(result: ToolResult) -> str:
    """Return a result as JSON."""
    values = {
        "text": result.text,
        "data": result.data,
        "is_error": result.is_error,
        "code": result.code,
    }
    return json.dumps(values, ensure_ascii=True, default=str)


def _parse_arguments(tool: str | None, text: str | None) -> dict[str, Any]:
    """Return the arguments of a tool from JSON text, or from standard input.

    Raises `click.UsageError` if they are missing or not an object.
    """
    if tool is None:
        raise click.UsageError("name a TOOL, or --list")
    if text is None:
        raise click.UsageError(
            "give the arguments as a JSON object, '{}' for none"
        )
    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(
            f"not JSON: {error}", param_hint="JSON"
        ) from error
    if not isinstance(arguments, dict):
        raise click.BadParameter(
            "must be a JSON object, {…}", param_hint="JSON"
        )
    return arguments
