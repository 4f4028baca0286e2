"""The slash commands that `setup` writes: prompts that a user starts by name.

`/filewright-review` opens the review page, and `/filewright-rewind` undoes what the user
chooses. Each is a file, in Markdown or in TOML, in a folder of the client.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from filewright.cli.setup.launch import ServerOptions

OWN_MARK = "Written by `filewright setup"
"""The words by which `--remove` recognizes the file of a command."""

_REVIEW = """\
Run this command in the background. It opens a page in the user's browser that shows the
changes that agents made in this folder:

    {review}

Do not wait until it ends. Tell the user that the page is open, and that it works until
the command is stopped. Do not open the page yourself, and change no files.
"""

_REWIND = """\
The user wants to undo changes that agents made in this folder, and typed: {arguments}

1. Run `{log}`. If the user has not said which prompt, session, time or change to go back
   to, show the newest prompts and ask.
2. Run `{rewind} TARGET --dry-run`, and tell the user what it would undo. TARGET is the id
   of a change, from which on everything is undone; a session, or `last` for the last one;
   or a time such as 14:30.
3. When the user agrees, run it with `--yes` in place of `--dry-run`. Say that `{redo}`
   brings everything back.

Do not undo anything in another way.
"""


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """The description that a client shows beside a command, and the prompt."""

    description: str
    prompt: str
    """The prompt, with names of commands of the shell in braces, and `{arguments}`."""


COMMANDS: Mapping[str, SlashCommand] = {
    "filewright-review": SlashCommand(
        "Review the changes that agents made, in the browser", _REVIEW
    ),
    "filewright-rewind": SlashCommand(
        "Undo a prompt, a session, or all since a time", _REWIND
    ),
}


def render_command(
    name: str,
    *,
    is_toml: bool,
    client: str,
    arguments: str,
    options: ServerOptions,
) -> str:
    """Return the text of a command's file.

    `arguments` is the client's placeholder for what a user types after the name.
    """
    command = COMMANDS[name]
    program, state = options.program, options.state
    lines = {
        subcommand: shlex.join([*program, subcommand, *state])
        for subcommand in ("review", "log", "rewind", "redo")
    }
    prompt = command.prompt.format(arguments=arguments, **lines)
    render = _render_toml if is_toml else _render_markdown
    return render(command.description, prompt, f"{OWN_MARK} {client}`.")


def _render_toml(description: str, prompt: str, mark: str) -> str:
    # A basic string of TOML has the escapes of JSON.
    return (
        f"# {mark}\n"
        f"description = {json.dumps(description)}\n"
        f"prompt = {json.dumps(prompt)}\n"
    )


def _render_markdown(description: str, prompt: str, mark: str) -> str:
    # Continue lists a prompt among its commands only if it is invokable.
    return (
        f"---\ndescription: {description}\ninvokable: true\n---\n"
        f"{prompt}\n<!-- {mark} -->\n"
    )
