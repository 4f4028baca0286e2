"""`filewright setup`: a client's server, its hooks and its rule, written into its files, checked, and taken out."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import click

from filewright.cli.clients import CLIENTS, Client, Entry, describes_server, is_ours, whole
from filewright.cli.configfile import read, value_at, with_entry, with_item, without
from filewright.cli.options import ANYTHING, open_workspace
from filewright.cli.terminal import write, write_coloured
from filewright.errors import Code, FilewrightError
from filewright.progress import SETUP

if TYPE_CHECKING:
    from filewright.workspace import Workspace

RULE = (
    "Use filewright's tools to read, search and change files: they change nothing else, and each change can be "
    "undone."
)
"""What clients are told that read what is preferred."""
_ALWAYS = f"---\nalwaysApply: true\n---\n{RULE}\n"
"""The same as a file of its own for Cursor."""
_RULE_LINE = re.compile(rf"((?<=\n)\r?\n)?{re.escape(RULE)}(\r?\n)?\Z|{re.escape(RULE)}(\r?\n)?")
"""Its line, at the end of a file with the empty one before it."""


_PLUG_IN = "// Written by `filewright setup"


class Part(NamedTuple):
    """One thing that setup writes: `edited` gives the text of the file with it, or without it to `remove` it."""

    what: str
    path: str
    edited: Callable[[str, bool], str]


@click.command(
    short_help="Configure a client: the server, hooks that record what else it changes, a rule.",
    epilog="""\b
Examples:
  filewright setup claude-code              for the project in the current folder, after asking
  filewright setup cursor --user --yes      for all projects, without asking
  filewright setup codex --dry-run          show what would be written
  filewright setup codex --check            see what is configured, and whether it works
  filewright setup codex --remove           take exactly that out again""",
)
@describes_server
@click.option("--user", is_flag=True, help="Into the client's files for all projects.")
@click.option("--project", is_flag=True, help="Into its files in the current folder.")
@click.option("--file", metavar="FILE", help="The server only, into this file.")
@click.option(
    "--no-hooks", is_flag=True, help="No hooks: what its shell and its own tools change is not recorded."
)
@click.option("--no-rule", is_flag=True, help="No line that tells the client to prefer filewright's tools.")
@click.option("--check", is_flag=True, help="Say what is configured, and try it.")
@click.option("--remove", is_flag=True, help="Take out what was written, and nothing else.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("-n", "--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
def setup(
    *,
    client: str,
    user: bool,
    project: bool,
    file: str | None,
    no_hooks: bool,
    no_rule: bool,
    check: bool,
    remove: bool,
    yes: bool,
    dry_run: bool,
    **server: Any,
) -> None:
    """Write into CLIENT's configuration what it needs to start this filewright and to record what else it changes.

    All else in the files stays byte for byte, and a copy of each as it was is kept beside it. What is
    there already is not written again.
    """
    chosen = CLIENTS[client]
    for_all = _is_for_all(chosen, user=user, project=project, file=file)
    hooks = None if no_hooks or file else chosen.hooks_for(for_all)
    rule = None if no_rule or file else chosen.user_rule if for_all else chosen.rule
    parts = [_server(chosen, file, chosen.entry(**server), for_all=for_all)]
    if hooks:
        ours = chosen.hooked(uvx=server["uvx"])
        parts.append(Part("hooks", whole(hooks), partial(_hooked, client=chosen, ours=ours)))
    if rule:
        parts.append(Part("rule", whole(rule), partial(_ruled, path=rule)))
    if check:
        from filewright.cli.setup_check import checked

        sys.exit(0 if checked(chosen, parts) else 1)
    before = {part.path: content_of(part.path) for part in parts}
    after = {path: text or "" for path, text in before.items()}
    for part in parts:
        after[part.path] = _edited(part, after[part.path], chosen, remove=remove)
    changed = [path for path, text in before.items() if after[path] != (text or "")]
    if not changed:
        said = "nothing of it is there" if remove else "nothing to do, it is configured already"
        write(f"{chosen.title}: {said} ({', '.join(before)})")
    for path in changed:
        write_coloured(_difference(path, before[path], after[path]))
    if dry_run or not changed:
        return
    if not yes and not click.confirm(f"Write this to {', '.join(changed)}?", err=True):
        write("nothing was changed", to_error=True)
        sys.exit(1)
    for path in changed:
        write(_written(path, before[path], after[path], empty_goes=remove))
    if not remove:
        write(f"{chosen.title}: {chosen.note}", to_error=True)
    if not remove and not chosen.hooks:
        said = "has no hooks: what its shell and its own tools change is not recorded"
        write(f"{chosen.title} {said}", to_error=True)


def _is_for_all(client: Client, *, user: bool, project: bool, file: str | None) -> bool:
    """Whether it goes into the client's files for all projects."""
    if user + project + (file is not None) > 1:
        raise click.UsageError("give one of --user, --project and --file")
    if (user and client.user is None) or (project and not client.project):
        has = "a file in each project" if client.project else "one file for all projects"
        raise click.UsageError(f"{client.title} has {has}: leave --{'user' if user else 'project'} out")
    return user or not client.project or (client.first == "user" and not project)


# What is written


def _server(client: Client, file: str | None, entry: Entry, *, for_all: bool) -> Part:
    there = [name for name in client.project if os.path.lexists(name)]
    path = whole(file or (client.user or "" if for_all else [*there, *client.project][0]))
    toml = path.endswith(".toml")

    def edited(text: str, remove: bool) -> str:
        if remove:
            return without(text, client.keys, toml=toml)
        return with_entry(text, client.keys, entry, toml=toml)

    return Part("server", path, edited)


def _hooked(text: str, remove: bool, client: Client, ours: Entry) -> str:
    """The file of a client's hooks with these of ours, and no other of ours."""
    ours = {} if remove else ours
    if not client.events:
        if text and _PLUG_IN not in text:
            raise ValueError("something other than our plug-in is there")
        return client.plug_in(ours) if ours else ""
    there = read(text)
    events = value_at(there, ("hooks",)) or {}
    if not isinstance(events, dict) or not all(isinstance(groups, list) for groups in events.values()):
        raise ValueError("something other than lists of hooks is where they should be")
    missing = {key: value for key, value in client.more.items() if ours and key not in there}
    text = with_entry(text, (), missing)
    for event, groups in events.items():
        for index in reversed(range(len(groups))):
            if is_ours(groups[index]) and groups[index] not in ours.get(event, ()):
                text = without(text, ("hooks", event, index))
    for event, groups in ours.items():
        for group in groups:
            if group not in events.get(event, ()):
                text = with_item(text, ("hooks", event), group)
    return "" if not ours and read(text) == client.more else text


def _ruled(text: str, remove: bool, path: str) -> str:
    if remove:
        return "" if text == _ALWAYS else _RULE_LINE.sub("", text, count=1)
    if RULE in text:
        return text
    if path.endswith(".mdc") and not text:
        return _ALWAYS
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return f"{text}{gap}{RULE}{newline}"


# Reading and writing


def content_of(path: str) -> str | None:
    """What is in a file; None: it is not there. Raises `unsupported` if it is not UTF-8."""
    if not os.path.lexists(path):
        return None
    with _opened(path) as workspace:
        content = workspace.resource(f"filewright://file/{quote(path)}")[1]
    if isinstance(content, str):
        return content
    hint = "put what `filewright config` prints into it by hand"
    raise FilewrightError(Code.UNSUPPORTED, f"{path} is not UTF-8", hint=hint)


def _edited(part: Part, text: str, client: Client, *, remove: bool) -> str:
    """The text with a part, or without it. Raises `unsupported` if the rest cannot be kept whole so."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    try:
        return mark + part.edited(text.removeprefix(mark), remove)
    except ValueError as error:
        raise FilewrightError(
            Code.UNSUPPORTED,
            f"{part.path} was not changed: {error}",
            hint=f"put what `filewright config {client.name}` prints into it by hand, or take it out",
        ) from error


def _difference(path: str, before: str | None, after: str) -> str:
    """The change, as a diff for people."""
    from filewright.edit import splices_between, unified
    from filewright.text import Snapshot

    shown = os.path.relpath(path, _folder_of(path))
    old = Snapshot.of_bytes((before or "").encode())
    return unified(None if before is None else shown, shown, old, splices_between(old, after.encode())).text


def _written(path: str, before: str | None, after: str, *, empty_goes: bool) -> str:
    """Write it, beside a copy of what it was; says what was done.

    One that nothing is left in is deleted. Raises `stale_version` if it is not what it was any more.
    """
    with _opened(path) as workspace:
        if before is None:
            workspace.write(path, after, newline="keep")
            return f"{path}: written"
        version = workspace.read(path, limit=1).version
        if content_of(path) != before:
            message = f"{path} was changed meanwhile"
            raise FilewrightError(Code.STALE_VERSION, message, hint="run the command again")
        if empty_goes and "".join(after.lstrip("\ufeff").split()) in ("", "{}"):
            workspace.delete(path)
            return f"{path}: deleted, nothing else was in it"
        names = (f"{path}.bak{number}" for number in ("", *range(2, 10_000)))
        kept = next(name for name in names if not os.path.lexists(name))
        workspace.copy(path, kept)
        workspace.write(path, after, mode="overwrite", newline="keep", expected_version=version)
        return f"{path}: written; as it was: {kept}"


def _opened(path: str) -> Workspace:
    """A workspace over the folder whose history is to have the change."""
    return open_workspace((_folder_of(path),), actor=SETUP, allow_write=ANYTHING)


def _folder_of(path: str) -> str:
    """The current folder, or the nearest that is there."""
    here = os.path.realpath(os.getcwd())
    parents = Path(path).parents
    return here if Path(here) in parents else next(str(folder) for folder in parents if folder.is_dir())
