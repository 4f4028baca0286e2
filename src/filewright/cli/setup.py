"""`filewright setup`: the configuration of a client, written into its file."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from filewright.cli.clients import CLIENTS, Client, describes_server, entry_for
from filewright.cli.options import ANYTHING, open_workspace
from filewright.cli.terminal import write, write_coloured
from filewright.errors import Code, FilewrightError
from filewright.progress import SETUP


@click.command(
    short_help="Let a client start filewright: write that into its configuration.",
    epilog="""\b
Examples:
  filewright setup claude-code              for the project in the current folder, after asking
  filewright setup cursor --user --yes      for all projects, without asking
  filewright setup codex --dry-run          show what would be written""",
)
@describes_server
@click.option("--user", is_flag=True, help="Into the client's file for all projects.")
@click.option("--project", is_flag=True, help="Into its file in the current folder.")
@click.option("--file", metavar="FILE", help="Into this file.")
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
    yes: bool,
    dry_run: bool,
) -> None:
    """Write into CLIENT's configuration what it needs to start this filewright.

    All else in the file stays byte for byte, and a copy of the file as it was is kept beside it. What is
    there already is not written again.
    """
    chosen = CLIENTS[client]
    path = _place(chosen, user=user, project=project, file=file)
    folder = _folder_of(path)
    with open_workspace((folder,), actor=SETUP, allow_write=ANYTHING) as workspace:
        uri = f"filewright://file/{quote(path)}"
        before = _text(workspace.resource(uri)[1], path) if os.path.lexists(path) else None
        mark = "\ufeff" if before is not None and before.startswith("\ufeff") else ""
        entry = entry_for(chosen, roots, read_only, dialect, uvx)
        after = mark + _with_entry((before or "")[len(mark) :], chosen, entry, path)
        if after == before:
            write(f"{path}: nothing to do, it starts this server already")
            return
        write_coloured(_difference(os.path.relpath(path, folder), before, after))
        if dry_run:
            return
        if not yes and not click.confirm(f"Write this to {path}?", err=True):
            write("nothing was changed", to_error=True)
            sys.exit(1)
        kept = None
        if before is None:
            workspace.write(path, after, newline="keep")
        else:
            version = workspace.read(path, limit=1).version
            if _text(workspace.resource(uri)[1], path) != before:
                raise FilewrightError(
                    Code.STALE_VERSION, f"{path} was changed meanwhile", hint="run the command again"
                )
            names = (f"{path}.bak{number}" for number in ("", *range(2, 10_000)))
            kept = next(name for name in names if not os.path.lexists(name))
            workspace.copy(path, kept)
            workspace.write(path, after, mode="overwrite", newline="keep", expected_version=version)
    write(f"{path}: written" + (f"; as it was: {kept}" if kept else ""))
    write(f"{chosen.title}: {chosen.note}", to_error=True)


def _place(client: Client, *, user: bool, project: bool, file: str | None) -> str:
    """The whole path of the file to write, behind links."""
    if user + project + (file is not None) > 1:
        raise click.UsageError("give one of --user, --project and --file")
    if file is not None:
        return os.path.realpath(os.path.expanduser(file))
    if (user and client.user is None) or (project and not client.project):
        has = "a file in each project" if client.project else "one file for all projects"
        raise click.UsageError(f"{client.title} has {has}: leave --{'user' if user else 'project'} out")
    if client.project and not user and (project or not client.user_first):
        found = next((name for name in client.project if os.path.lexists(name)), client.project[0])
        return os.path.realpath(found)
    return os.path.realpath(os.path.expandvars(os.path.expanduser(client.user or "")))


def _folder_of(path: str) -> str:
    """The folder whose history is to have the change: the current one, or the nearest that is there."""
    here = os.path.realpath(os.getcwd())
    parents = Path(path).parents
    return here if Path(here) in parents else next(str(folder) for folder in parents if folder.is_dir())


def _text(content: str | bytes, path: str) -> str:
    if isinstance(content, bytes):
        raise FilewrightError(
            Code.UNSUPPORTED,
            f"{path} is not UTF-8",
            hint="put what `filewright config` prints into it by hand",
        )
    return content


def _with_entry(text: str, client: Client, entry: Mapping[str, Any], path: str) -> str:
    from filewright.cli.configfile import with_entry

    try:
        return with_entry(text, client.keys, entry, toml=path.endswith(".toml"))
    except ValueError as error:
        raise FilewrightError(
            Code.UNSUPPORTED,
            f"{path} was not changed: {error}",
            hint=f"put what `filewright config {client.name}` prints into it by hand",
        ) from error


def _difference(shown: str, before: str | None, after: str) -> str:
    from filewright.edit import splices_between, unified
    from filewright.text import Snapshot

    old = Snapshot.of_bytes((before or "").encode())
    return unified(None if before is None else shown, shown, old, splices_between(old, after.encode())).text
