"""`filewright setup`: a client's server, its hooks and its rule, written into its files, checked, and taken out.

All three, and `filewright config`, which prints them, are uses of one plan: `Part`s, each of which gives the text of a
file with it or without it.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import click

from filewright.cli import write
from filewright.cli.clients import (
    CLIENT,
    CLIENTS,
    CLIENTS_WITH_HOOKS,
    SCOPES,
    Client,
    ServerOptions,
    server_options,
    whole,
)
from filewright.cli.configfile import (
    appended,
    depth_of,
    has_remark,
    read,
    says_nothing,
    value_at,
    with_entry,
    with_value,
)
from filewright.cli.options import dry_run_option, report_refusals, yes_option
from filewright.cli.recognition import (
    find_foreign_hook_lines,
    find_foreign_members,
    is_own_hook,
    list_command_words,
    select_user_settings,
    starts_filewright,
)
from filewright.cli.setup_files import (
    REMOVING,
    WRITING,
    Earlier,
    Edit,
    change,
    find_earlier_state,
    find_history_folder,
    list_parent_folders,
    read_configuration,
)
from filewright.cli.terminal import confirm_or_exit, write_coloured
from filewright.errors import Code, FilewrightError

RULE = (
    "Use filewright's tools to read, search and change files: they change nothing else, and each change can be "
    "undone."
)
"""What clients are told that read what is preferred."""
_ALWAYS = f"---\nalwaysApply: true\n---\n{RULE}\n"
"""The same as a file of its own for Cursor."""
_RULE_LINE = re.compile(
    rf"\n\n{re.escape(RULE)}\Z|((?<=\n)\n)?{re.escape(RULE)}\n?\Z|{re.escape(RULE)}\n?"
)
"""Its line, at the end of a file with the empty one before it; without an end where the file had none."""
_PLUG_IN = re.compile("^(//|#) Written by `filewright setup", re.MULTILINE)
GUARDED = (
    "bytes that its own edit tools damage are put back after each edit (the guard; "
    "--no-guard leaves it out)"
)
UNRECORDED = "no hooks are written for it: what its shell and its own tools change is not recorded"


class Part(NamedTuple):
    """One thing that setup writes into a file of a client: `what` is its server, its hooks or its rule."""

    client: Client
    what: str
    path: str
    ours: Any
    scope: str = "shared"

    def edited(
        self, text: str, *, remove: bool = False, earlier: str | None = None
    ) -> str:
        """Return the text of the file with it, or without it; `earlier` is what the file was before `setup`, if known.

        Raises `unsupported` if the rest cannot be kept whole so.
        """
        edit = {"server": _served, "hooks": _hooked, "rule": _ruled}[self.what]
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        newline = (
            "\r\n"
            if "\n" in text and "\n" not in text.replace("\r\n", "")
            else "\n"
        )
        try:
            earlier = (
                earlier.removeprefix("\ufeff") if earlier is not None else None
            )
            after = edit(
                self,
                text.removeprefix(mark).replace(newline, "\n"),
                remove,
                earlier,
            )
            return mark + after.replace("\n", newline)
        except ValueError as error:
            raise FilewrightError(
                Code.UNSUPPORTED,
                f"{self.path} was not changed: {error}",
                hint=f"put what `filewright config {self.client.name}` prints into it by hand, or take it out",
            ) from error

    @property
    def is_toml(self) -> bool:
        """True if its file is TOML; it is JSON otherwise."""
        return self.path.endswith(".toml")

    @property
    def keys(self) -> tuple[str, ...]:
        """The members that lead to the server in its file."""
        return self.client.keys(self.scope)

    def entry(self, text: str) -> Any:
        """Return the server that is there under our name; None if there is none. Raises `ValueError`."""
        return value_at(
            read(text.removeprefix("\ufeff"), toml=self.is_toml), self.keys
        )

    def is_in(self, text: str) -> bool:
        """Return True if something of ours, or called so, is in the text, or may be: it cannot be read."""
        if "filewright" not in text:
            return False
        try:
            if self.what == "server" and self.entry(text) is not None:
                return True
            return self.edited(text, remove=True) != text
        except (ValueError, FilewrightError):
            return True


def planned(
    client: Client, scope: str, options: ServerOptions, file: str | None = None
) -> list[Part]:
    """Return what is to be in the files of a client, or in this file of its servers."""
    entry = client.entry(options)
    if file:
        # A file that is named holds servers as all others do.
        return [Part(client, "server", file, entry, "shared")]
    parts = []
    for configuration in client.files(scope):
        what, path = configuration.what, configuration.path
        ours: Any = {}
        if what == "server":
            ours = entry
        elif what == "hooks":
            ours = client.hooked(options, path)
        parts.append(Part(client, what, path, ours, scope))
    return parts


def _served(part: Part, text: str, remove: bool, earlier: str | None) -> str:
    toml, keys = part.is_toml, part.keys
    entry = value_at(read(text, toml=toml), keys)
    if remove:
        if not starts_filewright(list_command_words(entry)):
            return text
        there = read(earlier, toml=toml) if earlier is not None else None
        own = value_at(there, keys)
        if own is not None:
            return _replaced(text, keys, own, toml=toml)
        return with_value(
            text, keys, None, toml=toml, kept=depth_of(there, keys)
        )
    if entry is not None and find_foreign_members(entry, part.ours):
        return _replaced(
            text,
            keys,
            {**part.ours, **select_user_settings(entry, part.ours)},
            toml=toml,
        )
    return with_entry(text, keys, part.ours, toml=toml)


def _replaced(text: str, keys: Sequence[str], entry: Any, *, toml: bool) -> str:
    if not toml:
        return with_value(text, keys, entry)
    without = with_value(text, keys, None, toml=True)
    if not isinstance(entry, Mapping) or any(
        isinstance(value, Mapping) for value in entry.values()
    ):
        raise ValueError("the entry that was there before cannot be put back")
    return with_entry(without, keys, entry, toml=True)


def _hooked(part: Part, text: str, remove: bool, earlier: str | None) -> str:
    """Return the file of a client's hooks with these of ours, and no other of ours."""
    client, ours = part.client, {} if remove else part.ours
    if not client.events:
        if text and not _PLUG_IN.search(text):
            # The scripts of others have the names that ours need.
            if remove and client.scripts:
                return text
            raise ValueError("something other than our hook is there")
        return "" if remove else str(ours)
    there = read(text)
    before = read(earlier) if earlier is not None else None
    events = value_at(there, ("hooks",)) or {}
    if (
        not isinstance(there, dict)
        or not isinstance(events, dict)
        or not all(isinstance(groups, list) for groups in events.values())
    ):
        raise ValueError(
            "something other than lists of hooks is where they should be"
        )
    missing = {
        key: value
        for key, value in client.more.items()
        if ours and key not in there
    }
    text = with_entry(text, (), missing)
    for event in {**events, **ours}:
        groups, wanted = events.get(event, []), ours.get(event, [])
        kept = depth_of(before, ("hooks", event))
        for index in reversed(range(len(groups))):
            if is_own_hook(groups[index]) and groups[index] not in wanted:
                text = with_value(
                    text, ("hooks", event, index), None, kept=kept
                )
        for group in wanted:
            if group not in groups:
                text = with_value(
                    text, ("hooks", event, len(groups) + len(wanted)), group
                )
    if remove and text and "hooks" not in read(text):
        # What is ours beside the hooks goes where it was not before, or with all that was ours.
        alone = (
            earlier is None
            and read(text) == client.more
            and not has_remark(text)
        )
        for name in client.more:
            if alone or (before is not None and name not in before):
                text = with_value(text, (name,), None)
    return text


def _ruled(part: Part, text: str, remove: bool, _earlier: str | None) -> str:
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
  filewright setup claude-code              for you, in the current folder, after asking
  filewright setup cursor --user --yes      for you, in all projects, without asking
  filewright setup gemini --shared          for everybody who works on the project
  filewright setup codex --dry-run          show what would be written
  filewright setup --check                  see what is configured, and whether it works
  filewright setup codex --remove           take exactly that out again""",
)
@click.argument("client", type=CLIENT, metavar="CLIENT", required=False)
@server_options
@click.option(
    "--user", is_flag=True, help="Into your own files for all projects."
)
@click.option(
    "--shared",
    is_flag=True,
    help="Into the project's files, for everybody who works on it; the command is `filewright`.",
)
@click.option("--file", metavar="FILE", help="The server only, into this file.")
@click.option(
    "--no-hooks",
    is_flag=True,
    help="No hooks: what its shell and its own tools change is not recorded.",
)
@click.option(
    "--no-guard",
    is_flag=True,
    help="Hooks that record its edits, and do not put back bytes that these damage.",
)
@click.option(
    "--no-rule",
    is_flag=True,
    help="No line that tells the client to prefer filewright's tools.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Say what is configured, and try it; without CLIENT, of every client.",
)
@click.option(
    "--remove",
    is_flag=True,
    help="Take out what was written, and nothing else; without CLIENT, of every client.",
)
@yes_option
@dry_run_option
@report_refusals()
def setup(
    *,
    client: str | None,
    user: bool,
    shared: bool,
    file: str | None,
    no_hooks: bool,
    no_guard: bool,
    no_rule: bool,
    check: bool,
    remove: bool,
    yes: bool,
    dry_run: bool,
    **server: Any,
) -> None:
    """Write into CLIENT's configuration what it needs to start this filewright and to record what else it changes.

    What it writes is for you alone where the client has files for that: in the current folder, or else in all projects.
    All else in the files stays byte for byte. What is there already is not written again.
    """
    if user + shared + (file is not None) > 1:
        raise click.UsageError("give one of --user, --shared and --file")
    if client is None and (file or not (check or remove)):
        raise click.UsageError(f"name a CLIENT: {', '.join(CLIENTS)}")
    options = ServerOptions(**server, shared=shared, guard=not no_guard)
    chosen = CLIENTS[client] if client else None
    scopes = ["user"] * user or ["shared"] * shared or [*SCOPES]
    if chosen and not (
        usable := [scope for scope in chosen.scopes if scope in scopes]
    ):
        has = "a file in each project" if user else "no file in a project"
        raise click.UsageError(
            f"{chosen.title} has {has}: leave --{'user' if user else 'shared'} out"
        )
    left_out = ["hooks"] * no_hooks + ["rule"] * no_rule
    if file and chosen:
        everything, unread = (
            planned(chosen, "shared", options, whole(file)),
            set[str](),
        )
    elif chosen and not (check or remove):
        everything, unread = planned(chosen, usable[0], options), set[str]()
    else:
        everything, unread = _present(
            [chosen] if chosen else [*CLIENTS.values()], scopes, options
        )
        if chosen and not everything:
            everything = planned(chosen, usable[0], options)
    if chosen is None:
        for reason in sorted(unread):
            write(f"LOOK {reason}: what is in it is not known, and stays")
    outside = []
    if check or remove:
        outside = (
            _links_out([chosen] if chosen else [*CLIENTS.values()], scopes)
            if not file
            else []
        )
        for reason in outside:
            write(f"LOOK {reason}: nothing is read or written there")
    elif chosen and not file:
        _refuse_links_out(chosen, usable[0], left_out)
    parts = [part for part in everything if part.what not in left_out]
    if not parts:
        write("no client is configured here: filewright setup CLIENT")
        sys.exit(int(check))
    if check:
        from filewright.cli.setup_check import checked

        sys.exit(
            0
            if checked(parts, options, titled=chosen is None)
            and not (unread or outside)
            else 1
        )
    if remove:
        _carry_out(
            parts,
            *_removed(parts, everything),
            REMOVING,
            yes=yes,
            dry_run=dry_run,
        )
    else:
        edits = _written(parts)
        if chosen and not file:
            _warn_of_other_files(chosen, parts, options)
        if (
            _carry_out(parts, edits, (), WRITING, yes=yes, dry_run=dry_run)
            and chosen
        ):
            _explain(chosen, parts, shared=shared)


def _explain(client: Client, parts: Sequence[Part], *, shared: bool) -> None:
    """Say what is left to a person to do."""
    write(f"{client.title}: {client.note}", to_error=True)
    if not client.hooks:
        write(f"{client.title}: {UNRECORDED}", to_error=True)
    elif any("--guard heal" in str(part.ours) for part in parts):
        write(f"{client.title}: {GUARDED}", to_error=True)
    if shared:
        write(
            f"{client.title}: everybody who works on the project needs `filewright` in PATH",
            to_error=True,
        )
        return
    here = [
        os.path.relpath(part.path)
        for part in parts
        if folder_is_current(part.path)
    ]
    if here:
        kind = (
            "yours"
            if parts[0].scope == "local"
            else "with a path of this machine; --shared writes them for a team"
        )
        write(
            f"{client.title}: keep out of version control what is {kind}: {', '.join(here)}",
            to_error=True,
        )


def folder_is_current(path: str) -> bool:
    """Return True for a file in the current folder."""
    return os.path.realpath(path).startswith(
        os.path.realpath(os.getcwd()) + os.sep
    )


def _links_out(clients: Sequence[Client], scopes: Sequence[str]) -> list[str]:
    """Return which files of servers and hooks of the current folder lead out of it."""
    reasons = set[str]()
    for client in clients:
        for scope in scopes:
            reasons.update(
                reason
                for file, reason in client.links_out(scope)
                if file.what != "rule"
            )
    return sorted(reasons)


def _refuse_links_out(
    client: Client, scope: str, left_out: Sequence[str]
) -> None:
    """Raise `path_escape` for a file that would be written outside of the current folder."""
    for file, reason in client.links_out(scope):
        if file.what not in left_out:
            option = (
                ""
                if file.what == "server"
                else f", or leave it out with --no-{file.what}"
            )
            raise FilewrightError(
                Code.PATH_ESCAPE,
                f"{reason}: nothing is written there",
                hint=f"put a file in place of the link{option}",
            )


def _present(
    clients: Sequence[Client], scopes: Sequence[str], options: ServerOptions
) -> tuple[list[Part], set[str]]:
    """Return the parts of each client and scope of which something is there, and what is not read."""
    parts, unread = list[Part](), set[str]()
    for client in clients:
        for scope in SCOPES:
            if scope not in scopes:
                continue
            content, unreadable = client.content(scope)
            unread.update(unreadable)
            if b"filewright" not in content:
                continue
            of_scope = planned(client, scope, options)
            if any(
                part.what != "rule"
                and part.is_in(read_configuration(part.path) or "")
                for part in of_scope
            ):
                parts += of_scope
    return parts, unread


def _written(parts: Sequence[Part]) -> list[Edit]:
    """Return the files with the parts in them."""
    edits = []
    for path, of_file in _by_file(parts).items():
        before = read_configuration(path)
        after = before or ""
        for part in of_file:
            _warn_of_foreign(part, after)
            after = part.edited(after)
        edits.append(
            Edit(path, before, after if after or before is not None else None)
        )
    return edits


def _warn_of_foreign(part: Part, text: str) -> None:
    """Say what is called filewright and was not written by `setup`. A text that cannot be read is refused later."""
    try:
        entry = part.entry(text) if part.what == "server" else None
        names = (
            find_foreign_members(entry, part.ours) if entry is not None else []
        )
        lines = (
            [*find_foreign_hook_lines(read(text.removeprefix("\ufeff")))]
            if part.what == "hooks" and part.client.events
            else []
        )
    except ValueError:
        return
    if names:
        listed = ", ".join(ascii(name)[1:-1] for name in names)
        write(
            f"{part.path}: setup did not write the server filewright that is there ({listed}): it is replaced whole, "
            "and --remove puts it back",
            to_error=True,
        )
    for line in lines:
        write(
            f"{part.path}: setup did not write this hook, which stays: {line!a}",
            to_error=True,
        )


def _warn_of_other_files(
    client: Client, parts: Sequence[Part], options: ServerOptions
) -> None:
    """Say which files of the client that are not written now have a server under our name that is not ours."""
    written = {
        (part.path, part.keys) for part in parts if part.what == "server"
    }
    for scope in client.scopes:
        for part in planned(client, scope, options):
            if part.what != "server" or (part.path, part.keys) in written:
                continue
            try:
                entry = part.entry(read_configuration(part.path) or "")
            except (ValueError, FilewrightError):
                continue
            if entry is not None and (
                names := find_foreign_members(entry, part.ours)
            ):
                option = "" if scope == client.scopes[0] else f" --{scope}"
                listed = ", ".join(ascii(name)[1:-1] for name in names)
                write(
                    f"{part.path}: setup did not write the server filewright that is there ({listed}), and the client "
                    f"may start it: take it out, or replace it with `filewright setup {client.name}{option}`",
                    to_error=True,
                )


def _removed(
    parts: Sequence[Part], everything: Sequence[Part]
) -> tuple[list[Edit], set[str]]:
    """Return the files without the parts, and the folders that go with files if nothing is left in them."""
    edits, folders = list[Edit](), set[str]()
    for path, of_file in _by_file(parts).items():
        before = read_configuration(path)
        if before is None:
            edits.append(Edit(path, None, None))
            continue
        earlier = (
            find_earlier_state(path, before)
            if any(part.is_in(before) for part in of_file)
            else None
        )
        after = _without(of_file, before, earlier)
        others = [
            part
            for part in everything
            if part.path == path and part not in of_file
        ]
        restorable = (
            after != before and earlier is not None and earlier.untouched
        )
        if (
            earlier is not None
            and restorable
            and not any(part.is_in(after or "") for part in others)
        ):
            after = earlier.text
        if after is None:
            made_by_us = (
                list_parent_folders(path)
                if earlier is None
                else earlier.folders
            )
            folders.update(made_by_us)
        edits.append(Edit(path, before, after))
    return edits, folders


def _without(
    parts: Sequence[Part], before: str, earlier: Earlier | None
) -> str | None:
    """Return the text of a file without the parts; None if nothing is left of what `setup` made."""
    after = before
    for part in parts:
        after = part.edited(
            after,
            remove=True,
            earlier=earlier.text if earlier is not None else None,
        )
    was_there = earlier is not None and earlier.text is not None
    return (
        None
        if after != before and says_nothing(after) and not was_there
        else after
    )


def _by_file(parts: Sequence[Part]) -> dict[str, list[Part]]:
    """Return the parts of each file, in their order."""
    files: dict[str, list[Part]] = {}
    for part in parts:
        files.setdefault(part.path, []).append(part)
    return files


def _carry_out(
    parts: Sequence[Part],
    edits: Sequence[Edit],
    folders: Any,
    tool: str,
    *,
    yes: bool,
    dry_run: bool,
) -> bool:
    """Make the edits as one change, after showing them and asking; return whether something was changed."""
    changed = [edit for edit in edits if edit.after != edit.before]
    titles = ", ".join(dict.fromkeys(part.client.title for part in parts))
    if not changed:
        state = (
            "nothing of it is there"
            if tool == REMOVING
            else "nothing to do, it is configured already"
        )
        write(f"{titles}: {state} ({', '.join(edit.path for edit in edits)})")
    for edit in changed:
        write_coloured(_difference(edit))
    if dry_run or not changed:
        return False
    if not yes:
        confirm_or_exit(
            f"Write this to {', '.join(edit.path for edit in changed)}?"
        )
    change(
        changed,
        tool,
        f"{tool} {', '.join(dict.fromkeys(part.client.name for part in parts))}",
        folders,
    )
    for edit in changed:
        result = (
            "written"
            if edit.after is not None
            else "deleted, nothing else was in it"
        )
        write(f"{edit.path}: {result}")
    return True


def _difference(edit: Edit) -> str:
    """Return the change as a diff for people."""
    from filewright.edit.build_diff import build_file_diff, find_splices
    from filewright.edit.diff import FileDiff
    from filewright.text.snapshot import Snapshot

    name = os.path.relpath(edit.path, find_history_folder(edit.path))
    if find_history_folder(edit.path) == os.path.realpath(
        os.path.expanduser("~")
    ) and not folder_is_current(edit.path):
        name = f"~/{name}"
    old = Snapshot((edit.before or "").encode())
    splices = find_splices(old, (edit.after or "").encode())
    old_name = None if edit.before is None else name
    header = FileDiff(old_name, None if edit.after is None else name)
    return build_file_diff(header, old, splices).text


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
@server_options
@click.option(
    "--hooks",
    is_flag=True,
    help="Print the hooks that record what its shell and its own tools change.",
)
@click.option(
    "--shared",
    is_flag=True,
    help="For everybody who works on a project: the command is `filewright`.",
)
def config(client: str, hooks: bool, **server: Any) -> None:
    """Print what CLIENT needs to start this filewright, ready to paste.

    The configuration goes to standard output, where it belongs to standard error.
    """
    chosen, what = CLIENTS[client], "hooks" if hooks else "server"
    if hooks and not chosen.hooks:
        raise click.BadParameter(
            f"no hooks are written for {chosen.title}; these have some: {', '.join(CLIENTS_WITH_HOOKS)}",
            param_hint="CLIENT",
        )
    places = [chosen.shared[what]] if what in chosen.shared else []
    places += [whole(chosen.user[what])] if what in chosen.user else []
    write(
        f"{chosen.title}: {' or '.join(places)}{'' if hooks else f'; {chosen.note}'}",
        to_error=True,
    )
    options = ServerOptions(**server)
    if not hooks:
        entry = chosen.entry(options)
        write(Part(chosen, what, places[0], entry).edited(""))
    for name in chosen.scripts or [""]:
        if hooks:
            ours = chosen.hooked(options, name)
            write(Part(chosen, what, places[0], ours).edited(""))
