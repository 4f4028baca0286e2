"""`filewright setup`: a client's server, its hooks and its rule, written into its files, checked, and taken out."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from filewright.cli.clients import CLIENTS, HOOKS, Client, describes_server, entry_for, hooks_for, is_ours
from filewright.cli.options import ANYTHING, open_workspace
from filewright.cli.terminal import write, write_coloured
from filewright.errors import Code, FilewrightError
from filewright.progress import SETUP

RULE = (
    "Use filewright's tools to read, search and change files: they change nothing else, and each change can be "
    "undone."
)
"""What clients are told that read what is preferred."""
_ALWAYS = f"---\nalwaysApply: true\n---\n{RULE}\n"
"""The same as a file of its own for Cursor."""


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that setup writes: `put` and `take` give the text of the file with it, and without it."""

    what: str
    path: str
    put: Callable[[str], str]
    take: Callable[[str], str]


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
    roots: tuple[str, ...],
    read_only: bool,
    dialect: str | None,
    uvx: bool,
    user: bool,
    project: bool,
    file: str | None,
    no_hooks: bool,
    no_rule: bool,
    check: bool,
    remove: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Write into CLIENT's configuration what it needs to start this filewright and to record what else it changes.

    All else in the files stays byte for byte, and a copy of each as it was is kept beside it. What is
    there already is not written again.
    """
    chosen = CLIENTS[client]
    for_all = _is_for_all(chosen, user=user, project=project, file=file)
    entry = entry_for(chosen, roots, read_only, dialect, uvx)
    parts = [_server(chosen, _server_file(chosen, file, for_all=for_all), entry)]
    if file is None and not no_hooks and client in HOOKS:
        parts.append(_hooks(chosen, uvx=uvx, for_all=for_all))
    if file is None and not no_rule and (rule := chosen.rules[for_all]):
        parts.append(_rule(_whole(rule)))
    if check:
        from filewright.cli.setup_check import checked

        sys.exit(0 if checked(chosen, parts) else 1)
    files = {part.path: _Configuration.read(part.path) for part in parts}
    for part in parts:
        files[part.path].change(part.take if remove else part.put, chosen)
    changed = [each for each in files.values() if each.after != each.before]
    if not changed:
        said = "nothing of it is there" if remove else "nothing to do, it is configured already"
        write(f"{chosen.title}: {said} ({', '.join(files)})")
    for each in changed:
        write_coloured(each.difference())
    if dry_run or not changed:
        return
    if not yes and not click.confirm(f"Write this to {', '.join(each.path for each in changed)}?", err=True):
        write("nothing was changed", to_error=True)
        sys.exit(1)
    for each in changed:
        write(each.written(empty_goes=remove))
    if remove:
        return
    write(f"{chosen.title}: {chosen.note}", to_error=True)
    if client not in HOOKS:
        write(
            f"{chosen.title} has no hooks: what its shell and its own tools change is not recorded",
            to_error=True,
        )


# Where it is written


def _is_for_all(client: Client, *, user: bool, project: bool, file: str | None) -> bool:
    """Whether it goes into the client's files for all projects."""
    if user + project + (file is not None) > 1:
        raise click.UsageError("give one of --user, --project and --file")
    if (user and client.user is None) or (project and not client.project):
        has = "a file in each project" if client.project else "one file for all projects"
        raise click.UsageError(f"{client.title} has {has}: leave --{'user' if user else 'project'} out")
    return user or not (client.project and (project or not client.user_first))


def _server_file(client: Client, file: str | None, *, for_all: bool) -> str:
    if file is not None:
        return _whole(file)
    if for_all:
        return _whole(client.user or "")
    return _whole(next((name for name in client.project if os.path.lexists(name)), client.project[0]))


def _whole(path: str) -> str:
    """The whole path of a file, behind links."""
    return os.path.realpath(os.path.expandvars(os.path.expanduser(path)))


# What is written


def _server(client: Client, path: str, entry: Mapping[str, Any]) -> Part:
    from filewright.cli.configfile import with_entry, without_entry

    toml = path.endswith(".toml")
    return Part(
        "server",
        path,
        partial(with_entry, keys=client.keys, entry=entry, toml=toml),
        partial(without_entry, keys=client.keys, toml=toml),
    )


def _hooks(client: Client, *, uvx: bool, for_all: bool) -> Part:
    from filewright.cli.configfile import json_of, with_value

    wanted = hooks_for(client, uvx=uvx)

    def hooked(text: str, ours: Mapping[str, Any]) -> str:
        config = json_of(text)
        hooks = config.get("hooks", {}) if isinstance(config, dict) else None
        if not isinstance(hooks, dict) or not all(isinstance(groups, list) for groups in hooks.values()):
            raise ValueError("something other than lists of hooks is where they should be")
        if not ours and not any(is_ours(group) for groups in hooks.values() for group in groups):
            return text
        made = {}
        for event in dict.fromkeys((*hooks, *ours)):
            there, new = hooks.get(event, []), ours.get(event, [])
            kept = [group for group in there if not is_ours(group) or group in new]
            if kept or new or not there:
                made[event] = kept + [group for group in new if group not in kept]
        others = {key: value for key, value in config.items() if key != "hooks"}
        if not ours:
            version = wanted.keys() - {"hooks"}
            others = others if others.keys() - version or made else {}
            return with_value(text, {**others, **({"hooks": made} if made or not hooks else {})})
        return with_value(
            text, {**config, **{k: v for k, v in wanted.items() if k not in config}, "hooks": made}
        )

    where = HOOKS[client.name].where
    path = _whole(f"~/{where}" if for_all else where)
    return Part("hooks", path, partial(hooked, ours=wanted["hooks"]), partial(hooked, ours={}))


def _rule(path: str) -> Part:
    own = path.endswith(".mdc")

    def put(text: str) -> str:
        if RULE in text:
            return text
        newline = "\r\n" if "\r\n" in text else "\n"
        if own and not text:
            return _ALWAYS
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        return f"{text}{gap}{RULE}{newline}"

    def take(text: str) -> str:
        if own and text == _ALWAYS:
            return ""
        begin = text.find(RULE)
        if begin < 0:
            return text
        end = begin + len(RULE)
        end += len(text[end : end + 2]) - len(text[end : end + 2].lstrip("\r\n"))
        before = text[:begin]
        shorter = before.removesuffix("\r\n" if before.endswith("\r\n") else "\n")
        return (shorter if shorter.endswith("\n") and end == len(text) else before) + text[end:]

    return Part("rule", path, put, take)


# Writing


@dataclass(slots=True)
class _Configuration:
    """A configuration as it is and as it will be; None: not there."""

    path: str
    before: str | None
    after: str | None

    @classmethod
    def read(cls, path: str) -> _Configuration:
        """The file as it is. Raises `unsupported` if it is not UTF-8."""
        text = None
        if os.path.lexists(path):
            with open_workspace((_folder_of(path),), actor=SETUP, allow_write=ANYTHING) as workspace:
                content = workspace.resource(_uri(path))[1]
            if isinstance(content, bytes):
                raise FilewrightError(
                    Code.UNSUPPORTED,
                    f"{path} is not UTF-8",
                    hint="put what `filewright config` prints into it by hand",
                )
            text = content
        return cls(path, text, text)

    def change(self, edit: Callable[[str], str], client: Client) -> None:
        """Have it edited. Raises `unsupported` if it cannot be kept whole so."""
        text = self.after or ""
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        try:
            made = edit(text[len(mark) :])
        except ValueError as error:
            raise FilewrightError(
                Code.UNSUPPORTED,
                f"{self.path} was not changed: {error}",
                hint=f"put what `filewright config {client.name}` prints into it by hand, or take it out",
            ) from error
        if mark + made != text:
            self.after = mark + made

    def difference(self) -> str:
        """The change, as a diff for people."""
        from filewright.edit import splices_between, unified
        from filewright.text import Snapshot

        shown = os.path.relpath(self.path, _folder_of(self.path))
        old = Snapshot.of_bytes((self.before or "").encode())
        splices = splices_between(old, (self.after or "").encode())
        return unified(None if self.before is None else shown, shown, old, splices).text

    def written(self, *, empty_goes: bool) -> str:
        """Write it, beside a copy of what it was; says what was done.

        One that nothing is left in is deleted. Raises `stale_version` if it is not what it was any more.
        """
        assert self.after is not None
        with open_workspace((_folder_of(self.path),), actor=SETUP, allow_write=ANYTHING) as workspace:
            if self.before is None:
                workspace.write(self.path, self.after, newline="keep")
                return f"{self.path}: written"
            version = workspace.read(self.path, limit=1).version
            if workspace.resource(_uri(self.path))[1] != self.before:
                raise FilewrightError(
                    Code.STALE_VERSION, f"{self.path} was changed meanwhile", hint="run the command again"
                )
            if empty_goes and "".join(self.after.lstrip("\ufeff").split()) in ("", "{}"):
                workspace.delete(self.path)
                return f"{self.path}: deleted, nothing else was in it"
            kept = _free_name(self.path)
            workspace.copy(self.path, kept)
            workspace.write(self.path, self.after, mode="overwrite", newline="keep", expected_version=version)
            return f"{self.path}: written; as it was: {kept}"


def _uri(path: str) -> str:
    return f"filewright://file/{quote(path)}"


def _folder_of(path: str) -> str:
    """The folder whose history is to have the change: the current one, or the nearest that is there."""
    here = os.path.realpath(os.getcwd())
    parents = Path(path).parents
    return here if Path(here) in parents else next(str(folder) for folder in parents if folder.is_dir())


def _free_name(path: str) -> str:
    names = (f"{path}.bak{number}" for number in ("", *range(2, 10_000)))
    return next(name for name in names if not os.path.lexists(name))
