"""`filewright setup`, and `filewright config`, which prints what `setup` would write.

`setup` adds the server, the hooks and the rule of a client to its files, checks them,
or removes them. Each is a function of its own, for the same selection of components.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import click

from filewright.cli import write
from filewright.cli.client_options import CLIENT, server_options
from filewright.cli.clients import (
    CLIENTS,
    CLIENTS_WITH_HOOKS,
    SCOPES,
    Client,
    LinkOutside,
    resolve_path,
)
from filewright.cli.components import Component
from filewright.cli.launch import ServerOptions
from filewright.cli.options import (
    combine_options,
    dry_run_option,
    json_option,
    report_refusals,
    yes_option,
)
from filewright.cli.picker import Option, choose_several, require_terminal
from filewright.cli.setup_files import (
    REMOVAL_TOOL,
    SETUP_TOOL,
    FileEdit,
    commit_edits,
    find_history_folder,
)
from filewright.cli.setup_plan import (
    ForeignContent,
    PresentComponents,
    find_foreign_content,
    find_foreign_servers_elsewhere,
    find_present_components,
    list_components,
    plan_removal,
    plan_setup,
)
from filewright.cli.shim import remove_shims, set_up_shim
from filewright.cli.terminal import (
    confirm_or_exit,
    write_coloured,
    write_json,
)
from filewright.errors import Code, FilewrightError

GUARD_NOTE = (
    "bytes that its own edit tools damage are put back after each edit (the guard; "
    "--no-guard leaves it out)"
)
NO_HOOKS_NOTE = "no hooks are written for it: what its shell and its own tools change is not recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupSelection:
    """The clients, scopes and kinds of components that a run of `setup` is about."""

    client: Client | None
    """The client that the user named; None for all."""
    scopes: Sequence[str]
    options: ServerOptions
    excluded_kinds: frozenset[str]
    file: str | None
    """A file for the server, instead of the client's own."""

    @property
    def clients(self) -> Sequence[Client]:
        """The client, or all."""
        return [*CLIENTS.values()] if self.client is None else [self.client]

    def list_default(self, client: Client) -> list[Component]:
        """Return the components of a client in the first scope that is selected."""
        if self.file is not None:
            # Like shared files, the file has its servers at the top level.
            path = resolve_path(self.file)
            server = client.build_server(self.options)
            return [Component(client, "server", path, server, "shared")]
        return list_components(client, self.default_scope(client), self.options)

    def default_scope(self, client: Client) -> str:
        """Return the client's first scope that is selected.

        Raise `UsageError` if the client has no files for the selected scopes.
        """
        for scope in client.scopes:
            if scope in self.scopes:
                return scope
        if self.scopes == ["user"]:
            raise click.UsageError(
                f"{client.title} has a file in each project: leave --user out"
            )
        raise click.UsageError(
            f"{client.title} has no file in a project: leave --shared out"
        )

    def find_present(self) -> PresentComponents:
        """Return the components that are configured.

        For one client, return those of its first scope if none is configured.
        """
        if self.client is not None and self.file is not None:
            return PresentComponents(self.list_default(self.client), ())
        present = find_present_components(
            self.clients, self.scopes, self.options
        )
        if self.client is not None and not present.components:
            components = self.list_default(self.client)
            return PresentComponents(components, present.unread_reasons)
        return present

    def without_excluded(
        self, components: Iterable[Component]
    ) -> list[Component]:
        """Return the components without those of excluded kinds."""
        return [
            component
            for component in components
            if component.kind not in self.excluded_kinds
        ]

    def find_links_outside(self) -> list[LinkOutside]:
        """Return the links that lead out of the current folder, and are not followed.

        Links of rules are left out: a rule is not read to find components.
        """
        if self.file is not None:
            return []
        links = {}
        for client in self.clients:
            for scope in self.scopes:
                for link in client.find_links_outside(scope):
                    if link.file.kind != "rule":
                        links[link.reason] = link
        return [links[reason] for reason in sorted(links)]


shell_options = combine_options(
    click.option(
        "--shell",
        is_flag=True,
        help="Only the skill that tells CLIENT's model the commands of the shell; "
        "without CLIENT, the program apply_patch on PATH.",
    ),
    click.option(
        "--bin",
        "bin_folder",
        metavar="DIR",
        help="The folder for apply_patch; ~/.local/bin if that is on PATH.",
    ),
)

# The commands


@click.command(
    short_help="Connect a client: its server, its hooks and a rule",
    epilog="""\b
Examples:
  filewright setup claude-code          for you, in this folder, after asking
  filewright setup cursor --user --yes  for you, everywhere, without asking
  filewright setup gemini --shared      for all users of the project
  filewright setup codex --dry-run      show what would be written
  filewright setup --check              what is configured, and if it works
  filewright setup claude-code --shell  the commands of the shell, by a skill
  filewright setup codex --remove       remove exactly that again""",
)
@click.argument("client", type=CLIENT, metavar="CLIENT", required=False)
@server_options
@click.option(
    "--user", is_flag=True, help="Into your own files for all projects."
)
@click.option(
    "--shared",
    is_flag=True,
    help="Into the project's files, for all users of the project; the command is `filewright`.",
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
    help="Hooks that record edits, and do not restore bytes that edits damage.",
)
@click.option(
    "--no-rule",
    is_flag=True,
    help="No line that tells the client to prefer filewright's tools.",
)
@click.option(
    "--no-commands",
    is_flag=True,
    help="No slash commands /filewright-review and /filewright-rewind.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Show what is configured and try it; without CLIENT, for all clients.",
)
@shell_options
@click.option(
    "--remove",
    is_flag=True,
    help="Remove what setup wrote, and nothing else; without CLIENT, for all clients.",
)
@yes_option
@dry_run_option
@json_option
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
    no_commands: bool,
    check: bool,
    remove: bool,
    yes: bool,
    dry_run: bool,
    shell: bool,
    bin_folder: str | None,
    as_json: bool,
    **server: Any,
) -> None:
    """Add the server, the hooks and the rule of filewright to the configuration of CLIENT.

    The configuration is for you alone if the client has files for that: in the current folder, or else in all
    projects. All other bytes of the files stay. Running it again changes nothing.
    """
    if user + shared + (file is not None) > 1:
        raise click.UsageError("give one of --user, --shared and --file")
    if bin_folder is not None and (client or not shell):
        raise click.UsageError("--bin goes with --shell, without CLIENT")
    if as_json and not check:
        raise click.UsageError("--json goes with --check")
    if shell and not client and not check:
        set_up_shim(bin_folder, remove=remove, assume_yes=yes, dry_run=dry_run)
        return
    excluded_kinds = _list_excluded_kinds(
        shell=shell,
        remove=remove,
        hooks=no_hooks,
        rule=no_rule,
        commands=no_commands,
    )
    selection = SetupSelection(
        client=CLIENTS[client] if client else None,
        scopes=_select_scopes(user=user, shared=shared),
        options=ServerOptions(**server, shared=shared, guard=not no_guard),
        excluded_kinds=excluded_kinds,
        file=file or None,
    )
    if selection.client is not None:
        selection.default_scope(selection.client)
    elif file:
        raise click.UsageError("--file goes with a CLIENT")
    if check:
        sys.exit(0 if check_setup(selection, as_json=as_json) else 1)
    if remove:
        remove_setup(selection, assume_yes=yes, dry_run=dry_run)
        if client is None and file is None and "skill" not in excluded_kinds:
            remove_shims(assume_yes=yes, dry_run=dry_run)
        return
    chosen = [selection.client] if selection.client else _choose(selection)
    for chosen_client in chosen:
        add_setup(
            replace(selection, client=chosen_client),
            chosen_client,
            assume_yes=yes,
            dry_run=dry_run,
        )


def _choose(selection: SetupSelection) -> list[Client]:
    """Return the clients that the user chooses from a list, the installed ones first.

    Raise `UsageError` if there is no terminal for the list.
    """
    require_terminal(f"name a CLIENT: {', '.join(CLIENTS)}")
    offered = [
        client
        for client in CLIENTS.values()
        if any(scope in selection.scopes for scope in client.scopes)
    ]
    installed = [client for client in offered if client.is_installed()]
    others = [client for client in offered if client not in installed]
    options = [
        Option(f"{client.title}, found here", client.name)
        for client in installed
    ]
    options += [Option(client.title, client.name) for client in others]
    names = choose_several("Which clients shall be set up?", options)
    if not names:
        write("nothing was changed", to_error=True)
        sys.exit(1)
    return [CLIENTS[name] for name in names]


def _list_excluded_kinds(
    *, shell: bool, remove: bool, **unwanted: bool
) -> frozenset[str]:
    """Return the kinds of components that the options leave out.

    `unwanted` has True for each kind that an option such as `--no-hooks` leaves out.
    """
    if shell:
        return frozenset(("server", "hooks", "rule", "commands"))
    kinds = {kind for kind, is_unwanted in unwanted.items() if is_unwanted}
    if not remove:
        kinds.add("skill")
    return frozenset(kinds)


def _select_scopes(*, user: bool, shared: bool) -> list[str]:
    """Return the scopes that the options name, or all."""
    if user:
        return ["user"]
    if shared:
        return ["shared"]
    return [*SCOPES]


def add_setup(
    selection: SetupSelection,
    client: Client,
    *,
    assume_yes: bool,
    dry_run: bool,
) -> None:
    """Add the components of a client to its files, after showing the change and asking."""
    if selection.file is None:
        scope = selection.default_scope(client)
        _refuse_links_outside(client, scope, selection.excluded_kinds)
    components = selection.without_excluded(selection.list_default(client))
    if not components and "skill" not in selection.excluded_kinds:
        raise click.UsageError(
            f"{client.title} has no folder of skills that setup knows"
        )
    if not components:
        write(_render_nothing_configured())
        return
    for content in find_foreign_content(components):
        write(_render_foreign_content(content), to_error=True)
    edits = plan_setup(components)
    if selection.file is None:
        for content in find_foreign_servers_elsewhere(
            client, components, selection.options
        ):
            write(_render_foreign_server_elsewhere(content), to_error=True)
    change = SetupChange(SETUP_TOOL, components, edits)
    if _apply(change, assume_yes=assume_yes, dry_run=dry_run):
        is_shared = selection.options.shared
        for note in _list_notes(client, components, is_shared=is_shared):
            write(f"{client.title}: {note}", to_error=True)


def remove_setup(
    selection: SetupSelection, *, assume_yes: bool, dry_run: bool
) -> None:
    """Remove components from their files, after showing the change and asking."""
    present = selection.find_present()
    for warning in _list_warnings(selection, present):
        write(f"LOOK {warning}")
    components = selection.without_excluded(present.components)
    if not components:
        write(_render_nothing_configured())
        return
    removal = plan_removal(components, present.components)
    change = SetupChange(
        REMOVAL_TOOL, components, removal.edits, removal.folders
    )
    _apply(change, assume_yes=assume_yes, dry_run=dry_run)


def check_setup(selection: SetupSelection, *, as_json: bool) -> bool:
    """Print a finding about each component; return True if all are present and work."""
    from filewright.cli.setup_check import check_component

    present = selection.find_present()
    warnings = _list_warnings(selection, present)
    # For one client, a file that cannot be read is a finding instead of a warning.
    is_good = not present.unread_reasons and not warnings
    components = selection.without_excluded(present.components)
    findings = (
        (component, check_component(component, selection.options))
        for component in components
    )
    if as_json:
        checked = list(findings)
        write_json(
            {
                "warnings": warnings,
                "components": [
                    {
                        "client": component.client.name,
                        "kind": component.kind,
                        "path": component.path,
                        "works": finding.is_good,
                        "finding": finding.text,
                    }
                    for component, finding in checked
                ],
            }
        )
        is_good = is_good and bool(checked)
        return is_good and all(finding.is_good for _, finding in checked)
    for warning in warnings:
        write(f"LOOK {warning}")
    if not components:
        write(_render_nothing_configured())
        return False
    # A trial takes a second or two: each line is written when it is known.
    for client, client_findings in groupby(
        findings, key=lambda pair: pair[0].client
    ):
        if selection.client is None:
            write(f"{client.title}:")
        for component, finding in client_findings:
            mark = "ok  " if finding.is_good else "LOOK"
            write(f"{mark} {component.kind}: {finding.text}")
            is_good = is_good and finding.is_good
        if not client.has_hooks:
            write(f"     hooks: {NO_HOOKS_NOTE}")
    return is_good


def _list_warnings(
    selection: SetupSelection, present: PresentComponents
) -> list[str]:
    """Return the sentences about files that are not read."""
    warnings = []
    if selection.client is None:
        warnings += [
            f"{reason}: its content is unknown and stays as it is"
            for reason in present.unread_reasons
        ]
    warnings += [
        f"{link.reason}: nothing is read or written there"
        for link in selection.find_links_outside()
    ]
    return warnings


def _refuse_links_outside(
    client: Client, scope: str, excluded_kinds: frozenset[str]
) -> None:
    """Raise `path_escape` for a file that would be written outside of the current folder."""
    for link in client.find_links_outside(scope):
        kind = link.file.kind
        if kind in excluded_kinds:
            continue
        hint = "put a file in place of the link"
        if kind != "server":
            hint += f", or leave it out with --no-{kind}"
        raise FilewrightError(
            Code.PATH_ESCAPE,
            f"{link.reason}: nothing is written there",
            hint=hint,
        )


# The change of the files


@dataclass(frozen=True, slots=True)
class SetupChange:
    """The edits of one run, and the folders to delete if they become empty."""

    tool: str
    components: Sequence[Component]
    edits: Sequence[FileEdit]
    folders: frozenset[str] = frozenset()


def _apply(change: SetupChange, *, assume_yes: bool, dry_run: bool) -> bool:
    """Show the edits, ask, and commit them as one change; return True if it was made."""
    edits = [edit for edit in change.edits if edit.changes_file]
    if not edits:
        write(_render_nothing_to_do(change))
        return False
    for edit in edits:
        write_coloured(_render_diff(edit))
    if dry_run:
        return False
    if not assume_yes:
        paths = ", ".join(edit.path for edit in edits)
        confirm_or_exit(f"Write this to {paths}?")
    names = _list_once(component.client.name for component in change.components)
    commit_edits(edits, change.tool, f"{change.tool} {names}", change.folders)
    for edit in edits:
        result = "written"
        if edit.after is None:
            result = "deleted, nothing else was in it"
        write(f"{edit.path}: {result}")
    return True


# The text


def _list_once(names: Iterable[str]) -> str:
    """Return names as a list without repetitions."""
    return ", ".join(dict.fromkeys(names))


def _render_nothing_configured() -> str:
    return "no client is configured here: filewright setup CLIENT"


def _render_nothing_to_do(change: SetupChange) -> str:
    titles = _list_once(
        component.client.title for component in change.components
    )
    paths = ", ".join(edit.path for edit in change.edits)
    if change.tool == REMOVAL_TOOL:
        return f"{titles}: not configured here ({paths})"
    return f"{titles}: nothing to do, it is configured already ({paths})"


def _render_foreign_content(content: ForeignContent) -> str:
    """Return a line for the foreign server, or for each foreign hook."""
    path = content.component.path
    if content.members:
        return (
            f"{path}: setup did not write the server filewright that is there ({_escape(content.members)}): the "
            "whole entry is replaced, and --remove restores it"
        )
    lines = [
        f"{path}: setup did not write this hook and leaves it in place: {line!a}"
        for line in content.hook_lines
    ]
    return "\n".join(lines)


def _render_foreign_server_elsewhere(content: ForeignContent) -> str:
    component = content.component
    client = component.client
    command = f"filewright setup {client.name}"
    if component.scope != client.scopes[0]:
        command += f" --{component.scope}"
    return (
        f"{component.path}: setup did not write the server filewright that is there ({_escape(content.members)}), and "
        f"the client may start it: take it out, or replace it with `{command}`"
    )


def _escape(names: Iterable[str]) -> str:
    """Return names as a list, in ASCII: they come from a project and go to a terminal."""
    return ", ".join(ascii(name)[1:-1] for name in names)


def _list_notes(
    client: Client, components: Sequence[Component], *, is_shared: bool
) -> list[str]:
    """Return what the user has to know or do after `setup`."""
    notes = [client.note]
    has_guard = any(
        "--guard heal" in str(component.content) for component in components
    )
    if not client.has_hooks:
        notes.append(NO_HOOKS_NOTE)
    elif has_guard:
        notes.append(GUARD_NOTE)
    if is_shared:
        notes.append("each user of the project needs `filewright` in PATH")
        return notes
    paths = [
        os.path.relpath(component.path)
        for component in components
        if _is_in_current_folder(component.path)
    ]
    if paths:
        reason = (
            "contain a path of this machine (--shared writes files for a team)"
        )
        if components[0].scope == "local":
            reason = "are for you alone"
        notes.append(
            f"do not commit these files, which {reason}: {', '.join(paths)}"
        )
    return notes


def _is_in_current_folder(path: str) -> bool:
    folder = os.path.realpath(os.getcwd())
    return os.path.realpath(path).startswith(folder + os.sep)


def _render_diff(edit: FileEdit) -> str:
    """Return the edit as a unified diff."""
    from filewright.edit.build_diff import build_file_diff, find_splices
    from filewright.edit.diff import FileDiff
    from filewright.text.snapshot import Snapshot

    name = _shorten_path(edit.path)
    snapshot = Snapshot((edit.before or "").encode())
    splices = find_splices(snapshot, (edit.after or "").encode())
    header = FileDiff(
        None if edit.before is None else name,
        None if edit.after is None else name,
    )
    return build_file_diff(header, snapshot, splices).text


def _shorten_path(path: str) -> str:
    """Return a path relative to the current or the home folder."""
    folder = find_history_folder(path)
    name = os.path.relpath(path, folder)
    home = os.path.realpath(os.path.expanduser("~"))
    if folder == home and not _is_in_current_folder(path):
        return f"~/{name}"
    return name


# Printing a configuration


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
    help="For all users of a project; the command is `filewright`.",
)
def config(client: str, hooks: bool, **server: Any) -> None:
    """Print the configuration with which CLIENT starts this filewright, ready to paste.

    The configuration goes to standard output, the path of its file to standard error.
    """
    row, kind = CLIENTS[client], "hooks" if hooks else "server"
    if hooks and not row.has_hooks:
        raise click.BadParameter(
            f"no hooks are written for {row.title}; the clients with hooks are {', '.join(CLIENTS_WITH_HOOKS)}",
            param_hint="CLIENT",
        )
    paths = []
    if kind in row.shared:
        paths.append(row.shared[kind])
    if kind in row.user:
        paths.append(resolve_path(row.user[kind]))
    note = "" if hooks else f"; {row.note}"
    write(f"{row.title}: {' or '.join(paths)}{note}", to_error=True)
    options = ServerOptions(**server)
    if not hooks:
        contents = [row.build_server(options)]
    elif row.scripts:
        contents = [row.build_hooks(options, name) for name in row.scripts]
    else:
        contents = [row.build_hooks(options)]
    for content in contents:
        write(Component(row, kind, paths[0], content).add_to(""))
