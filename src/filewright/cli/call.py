"""`filewright call`: any tool from a shell."""

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

if TYPE_CHECKING:
    from filewright.workspace import Workspace


def _tools(
    context: click.Context, _parameter: click.Parameter, begun: str
) -> list[str]:
    """Names of tools, for the shell."""
    from filewright.dialects.providers import find_provider

    tools = find_provider(context.params.get("dialect")).tools()
    return [tool.name for tool in tools if tool.name.startswith(begun)]


@click.command(
    short_help="Call any tool.",
    epilog="""\b
Examples:
  filewright call list_files '{}'
  filewright call read_content '{"path": "README.md", "limit": 20}'
  filewright call search_content '{"pattern": "def main", "glob": "*.py"}' --root ~/project
  echo '{"path": "a.txt", "edits": [{"search": "old", "replace": "new"}]}' | filewright call edit_content -

The tools and their arguments: filewright call --list, filewright call TOOL --schema.""",
)
@click.argument("tool", required=False, shell_complete=_tools)
@click.argument("arguments", required=False, metavar="JSON")
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
    "--list", "listing", is_flag=True, help="List the tools and leave."
)
@click.option(
    "--schema",
    is_flag=True,
    help="Print the tool's description and argument schema and leave.",
)
@workspace_command("session", "actor", "read_only")
def call(
    workspace: Workspace,
    *,
    tool: str | None,
    arguments: str | None,
    as_json: bool,
    dialect: str | None,
    listing: bool,
    schema: bool,
) -> None:
    """Call TOOL with the arguments of a JSON object ('-': read it from standard input).

    The answer goes to standard output; an error of the tool to standard error, with exit code 1.
    """
    given = None if listing or schema else _arguments(tool, arguments)
    offer = workspace.offer(dialect)
    tools = {listed.name: listed for listed in offer.tools()}
    if listing:
        write(
            "\n".join(
                f"{listed.name:<20} {listed.title}" for listed in tools.values()
            )
        )
        return
    if tool is None or tool not in tools:
        raise click.BadParameter(
            f"no tool {tool!r}; the tools are {', '.join(tools)}",
            param_hint="TOOL",
        )
    if given is None:
        declared = tools[tool].load().to_listed()
        schema_text = json.dumps(declared.schema, indent=2)
        write(f"{declared.description}\n\n{schema_text}")
        return
    with show_progress(tool, workspace.settings.call_seconds) as task:
        result = offer.call(tool, given, task=task)
    if as_json:
        shown = {
            name: getattr(result, name)
            for name in ("text", "data", "is_error", "code")
        }
        write(
            json.dumps(shown, ensure_ascii=True, default=str),
            to_error=result.is_error,
        )
    elif not result.is_error:
        write_coloured(result.text)
    else:
        write(result.text, to_error=True)
    sys.exit(result.is_error)


def _arguments(tool: str | None, text: str | None) -> dict[str, Any]:
    if tool is None:
        raise click.UsageError("name a TOOL, or --list")
    if text is None:
        raise click.UsageError(
            "give the arguments as a JSON object, '{}' for none"
        )
    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(
            f"not JSON: {error}", param_hint="JSON"
        ) from error
    if not isinstance(given, dict):
        raise click.BadParameter(
            "must be a JSON object, {…}", param_hint="JSON"
        )
    return given
