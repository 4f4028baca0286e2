"""`filewright setup`: a client's server, its hooks and its rule, written into its files, checked, and taken out.

All three, and `filewright config`, which prints them, are uses of one plan: `Part`s, each of which gives the text of a
file with it or without it.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import click

from filewright.cli import open_workspace, write
from filewright.cli.clients import CLIENT, CLIENTS, HOOKS, SCOPES, Client, describes_server, whole
from filewright.cli.configfile import appended, read, value_at, with_entry, with_value
from filewright.cli.options import ANYTHING, dry_run_option, saying_refusals, yes_option
from filewright.cli.terminal import ask, write_coloured
from filewright.errors import Code, FilewrightError, stale
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
_RULE_LINE = re.compile(rf"\n\n{re.escape(RULE)}\Z|((?<=\n)\n)?{re.escape(RULE)}\n?\Z|{re.escape(RULE)}\n?")
"""Its line, at the end of a file with the empty one before it; without an end where the file had none."""
_PLUG_IN = "// Written by `filewright setup"
UNRECORDED = "no hooks are written for it: what its shell and its own tools change is not recorded"
HOOK_LINE = re.compile(r"\bfilewright\b.* snapshot (begin|end) --hook\b")
"""What hooks of ours call."""


class Part(NamedTuple):
    """One thing that setup writes into a file of a client: `what` is its server, its hooks or its rule."""

    client: Client
    what: str
    path: str
    ours: Any

    def edited(self, text: str, *, remove: bool = False) -> str:
        """The text of the file with it, or without it. Raises `unsupported` if the rest cannot be kept whole so."""
        edit = {"server": _served, "hooks": _hooked, "rule": _ruled}[self.what]
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        newline = "\r\n" if "\n" in text and "\n" not in text.replace("\r\n", "") else "\n"
        try:
            made = edit(self, text.removeprefix(mark).replace(newline, "\n"), remove)
            return mark + made.replace("\n", newline)
        except ValueError as error:
            raise FilewrightError(
                Code.UNSUPPORTED,
                f"{self.path} was not changed: {error}",
                hint=f"put what `filewright config {self.client.name}` prints into it by hand, or take it out",
            ) from error

    @property
    def is_toml(self) -> bool:
        """How its file is written, which is JSON otherwise."""
        return self.path.endswith(".toml")


def _planned(client: Client, files: Mapping[str, str], **server: Any) -> list[Part]:
    """What is to be in these files of a client."""
    ours = {"server": client.entry(**server), "hooks": client.hooked(uvx=server["uvx"]), "rule": {}}
    return [Part(client, what, path, ours[what]) for what, path in files.items() if what in ours]


def _served(part: Part, text: str, remove: bool) -> str:
    if remove:
        return with_value(text, part.client.keys, None, toml=part.is_toml)
    return with_entry(text, part.client.keys, part.ours, toml=part.is_toml)


def _hooked(part: Part, text: str, remove: bool) -> str:
    """The file of a client's hooks with these of ours, and no other of ours."""
    client, ours = part.client, {} if remove else part.ours
    if not client.events:
        if text and _PLUG_IN not in text:
            raise ValueError("something other than our plug-in is there")
        return "" if remove else str(ours)
    there = read(text)
    events = value_at(there, ("hooks",)) or {}
    if not isinstance(events, dict) or not all(isinstance(groups, list) for groups in events.values()):
        raise ValueError("something other than lists of hooks is where they should be")
    missing = {key: value for key, value in client.more.items() if ours and key not in there}
    text = with_entry(text, (), missing)
    for event in {**events, **ours}:
        groups, wanted = events.get(event, []), ours.get(event, [])
        for index in reversed(range(len(groups))):
            if _is_ours(groups[index]) and groups[index] not in wanted:
                text = with_value(text, ("hooks", event, index), None)
        for group in wanted:
            if group not in groups:
                text = with_value(text, ("hooks", event, len(groups) + len(wanted)), group)
    return "" if not ours and read(text) == client.more else text


def _is_ours(hook: Any) -> bool:
    """Whether one of the hooks in a configuration, or each of a group of them, calls filewright."""
    if not isinstance(hook, Mapping):
        return False
    inner = hook.get("hooks")
    if isinstance(inner, list):
        return bool(inner) and all(map(_is_ours, inner))
    line = hook.get("command")
    return isinstance(line, str) and HOOK_LINE.search(line) is not None


def _ruled(part: Part, text: str, remove: bool) -> str:
    if remove:
        return "" if text == _ALWAYS else _RULE_LINE.sub("", text, count=1)
    if RULE in text:
        return text
    if part.path.endswith(".mdc") and not text:
        return _ALWAYS
    return appended(text, RULE)


@click.command(
    short_help="Configure a client: the server, hooks that record what else it changes, a rule.",
    epilog="""\b
Examples:
  filewright setup claude-code              for the project in the current folder, after asking
  filewright setup cursor --user --yes      for all projects, without asking
  filewright setup codex --dry-run          show what would be written
  filewright setup --check                  see what is configured, and whether it works
  filewright setup codex --remove           take exactly that out again""",
)
@click.argument("client", type=CLIENT, metavar="CLIENT", required=False)
@describes_server
@click.option("--user", is_flag=True, help="Into the client's files for all projects.")
@click.option("--project", is_flag=True, help="Into its files in the current folder.")
@click.option("--file", metavar="FILE", help="The server only, into this file.")
@click.option(
    "--no-hooks", is_flag=True, help="No hooks: what its shell and its own tools change is not recorded."
)
@click.option("--no-rule", is_flag=True, help="No line that tells the client to prefer filewright's tools.")
@click.option(
    "--check", is_flag=True, help="Say what is configured, and try it; without CLIENT, of every client."
)
@click.option(
    "--remove",
    is_flag=True,
    help="Take out what was written, and nothing else; without CLIENT, of every client.",
)
@yes_option
@dry_run_option
@saying_refusals()
def setup(
    *,
    client: str | None,
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
    if user + project + (file is not None) > 1:
        raise click.UsageError("give one of --user, --project and --file")
    if client is None and (file or not (check or remove)):
        raise click.UsageError(f"name a CLIENT: {', '.join(CLIENTS)}")
    chosen = CLIENTS[client] if client else None
    named = ["user"] * user or ["project"] * project
    left_out = ["hooks"] * no_hooks + ["rule"] * no_rule
    parts, unread = list[Part](), set[str]()
    for each in [chosen] if chosen else CLIENTS.values():
        scopes = [scope for scope in each.scopes if scope in (named or SCOPES)]
        said = {scope: each.said(scope) for scope in scopes}
        unread.update(path for _, paths in said.values() for path in paths)
        if chosen and not scopes:
            has = "a file in each project" if user else "one file for all projects"
            raise click.UsageError(f"{each.title} has {has}: leave --{named[0]} out")
        there = [scope for scope, (text, _) in said.items() if b"filewright" in text]
        if file or not (check or remove) or (chosen and not there):
            there = scopes[:1]
        for scope in there:
            files = {"server": whole(file)} if file else each.files(scope)
            parts += [part for part in _planned(each, files, **server) if part.what not in left_out]
    if chosen is None:
        for path in sorted(unread):
            write(f"LOOK {path} may not be read: what is in it is not known, and stays")
    if not parts:
        write("no client is configured here: filewright setup CLIENT")
        sys.exit(int(check))
    if check:
        from filewright.cli.setup_check import checked

        sys.exit(0 if checked(parts, titled=chosen is None) and not unread else 1)
    if not _carried_out(parts, remove=remove, yes=yes, dry_run=dry_run) or remove or chosen is None:
        return
    write(f"{chosen.title}: {chosen.note}", to_error=True)
    if not chosen.hooks:
        write(f"{chosen.title}: {UNRECORDED}", to_error=True)


def _carried_out(parts: list[Part], *, remove: bool, yes: bool, dry_run: bool) -> bool:
    """Write the parts, or take them out, after showing it and asking; whether something was written."""
    before = {part.path: content_of(part.path) for part in parts}
    after = {path: text or "" for path, text in before.items()}
    for part in parts:
        after[part.path] = part.edited(after[part.path], remove=remove)
    changed = [path for path, text in before.items() if after[path] != (text or "")]
    if not changed:
        said = "nothing of it is there" if remove else "nothing to do, it is configured already"
        titles = ", ".join(dict.fromkeys(part.client.title for part in parts))
        write(f"{titles}: {said} ({', '.join(before)})")
    for path in changed:
        write_coloured(_difference(path, before[path], after[path]))
    if dry_run or not changed:
        return False
    if not yes:
        ask(f"Write this to {', '.join(changed)}?")
    for path in changed:
        write(_written(path, before[path], after[path], empty_goes=remove))
    return True


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


def _difference(path: str, before: str | None, after: str) -> str:
    """The change, as a diff for people."""
    from filewright.edit import splices_between, unified
    from filewright.text import Snapshot

    shown = os.path.relpath(path, _folder_of(path))
    old = Snapshot((before or "").encode())
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
            raise stale(path)
        if empty_goes and "".join(after.lstrip("\ufeff").split()) in ("", "{}"):
            workspace.delete(path)
            return f"{path}: deleted, nothing else was in it"
        names = (f"{path}.bak{number}" for number in ("", *range(2, 10_000)))
        kept = next(name for name in names if not os.path.lexists(name))
        workspace.copy(path, kept)
        try:
            workspace.write(path, after, mode="overwrite", newline="keep", expected_version=version)
        except FilewrightError:
            workspace.delete(kept)
            raise
        return f"{path}: written; as it was: {kept}"


def _opened(path: str) -> Workspace:
    """A workspace over the folder whose history is to have the change."""
    return open_workspace((_folder_of(path),), actor=SETUP, allow_write=ANYTHING)


def _folder_of(path: str) -> str:
    """The current folder, or the nearest that is there."""
    here = os.path.realpath(os.getcwd())
    parents = Path(path).parents
    return here if Path(here) in parents else next(str(folder) for folder in parents if folder.is_dir())


# To be pasted


@click.command(
    short_help="Print what a client needs to start filewright.",
    epilog="""\b
Examples:
  filewright config claude-code
  filewright config claude-desktop --root ~/project
  filewright config vscode --read-only
  filewright config gemini --hooks""",
)
@click.argument("client", type=CLIENT, metavar="CLIENT")
@describes_server
@click.option(
    "--hooks", is_flag=True, help="Print the hooks that record what its shell and its own tools change."
)
def config(client: str, hooks: bool, **server: Any) -> None:
    """Print what CLIENT needs to start this filewright, ready to paste.

    The configuration goes to standard output, where it belongs to standard error.
    """
    chosen, what = CLIENTS[client], "hooks" if hooks else "server"
    if hooks and not chosen.hooks:
        raise click.BadParameter(
            f"no hooks are written for {chosen.title}; these have some: {', '.join(HOOKS)}",
            param_hint="CLIENT",
        )
    places = [files[what] for files in (chosen.project, chosen.files("user")) if what in files]
    write(f"{chosen.title}: {' or '.join(places)}{'' if hooks else f'; {chosen.note}'}", to_error=True)
    [part] = _planned(chosen, {what: places[0]}, **server)
    write(part.edited(""))
