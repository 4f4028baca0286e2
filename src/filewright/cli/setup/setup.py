"""The command `setup`, which configures clients.

`add_setup` writes the server, the hooks and the rule of a client into its files,
`check_setup` tries them, and `remove_setup` takes them out. All three are about the same
selection of components.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import groupby
from typing import Any

import click

from filewright.cli import write
from filewright.cli.options import (
    combine_options,
    dry_run_option,
    report_refusals,
    yes_option,
)
from filewright.cli.picker import Option, choose_several, require_terminal
from filewright.cli.setup.check import check_components
from filewright.cli.setup.client_options import CLIENT, server_options
from filewright.cli.setup.clients import (
    CLIENTS,
    Client,
)
from filewright.cli.setup.files import (
    REMOVAL_TOOL,
    SETUP_TOOL,
    commit_edits,
)
from filewright.cli.setup.launch import ServerOptions
from filewright.cli.setup.plan import (
    PresentComponents,
    find_foreign_content,
    find_foreign_servers_elsewhere,
    plan_removal,
    plan_setup,
)
from filewright.cli.setup.selection import (
    SetupSelection,
    list_excluded_kinds,
    select_scopes,
)
from filewright.cli.setup.text import (
    NO_HOOKS_NOTE,
    SetupChange,
    join_distinct,
    list_notes,
    render_diff,
    render_foreign_content,
    render_foreign_server_elsewhere,
    render_nothing_configured,
    render_nothing_to_do,
)
from filewright.cli.shim import add_shim, remove_shim, remove_shims
from filewright.cli.terminal import (
    confirm_or_exit,
    write_coloured,
    write_json,
)
from filewright.errors import Code, FilewrightError

shell_options = combine_options(
    click.option(
        "--shell",
        is_flag=True,
        help="Write only a skill about the commands of the shell; without CLIENT, "
        "write the program apply_patch into a folder of PATH.",
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
  filewright setup claude-code --shell  a skill about shell commands
  filewright setup codex --remove       remove what setup wrote""",
)
@click.argument("client", type=CLIENT, metavar="[CLIENT]", required=False)
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
    help="Leave out the hooks: what its shell and its own tools change is then not recorded.",
)
@click.option(
    "--no-guard",
    is_flag=True,
    help="Let the hooks record edits, without restoring bytes that edits damage.",
)
@click.option(
    "--no-rule",
    is_flag=True,
    help="Leave out the line that tells the client to prefer filewright's tools.",
)
@click.option(
    "--no-commands",
    is_flag=True,
    help="Leave out the slash commands /filewright-review and /filewright-rewind.",
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
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the findings of --check as JSON.",
)
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

    Unless you say otherwise it is for you alone: in the current folder if the client
    has files for that, or else in all projects. All other bytes of the files stay.
    Running it again changes nothing.
    """
    if user + shared + (file is not None) > 1:
        raise click.UsageError("give one of --user, --shared and --file")
    if bin_folder is not None and (client or not shell):
        raise click.UsageError("--bin goes with --shell, without CLIENT")
    if as_json and not check:
        raise click.UsageError("--json goes with --check")
    if shell and not client and not check:
        change_shim = remove_shim if remove else add_shim
        change_shim(bin_folder, assume_yes=yes, dry_run=dry_run)
        return
    excluded_kinds = list_excluded_kinds(
        shell=shell,
        remove=remove,
        hooks=no_hooks,
        rule=no_rule,
        commands=no_commands,
    )
    selection = SetupSelection(
        client=CLIENTS[client] if client else None,
        scopes=select_scopes(user=user, shared=shared),
        options=ServerOptions(**server, shared=shared, guard=not no_guard),
        excluded_kinds=excluded_kinds,
        file=file or None,
    )
    if selection.client is not None:
        # Refuses a scope for which the client has no files.
        selection.default_scope(selection.client)
    elif file:
        raise click.UsageError("--file goes with a CLIENT")
    if check:
        check_all = check_setup_as_json if as_json else check_setup
        sys.exit(0 if check_all(selection) else 1)
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
        write(render_nothing_configured())
        return
    for content in find_foreign_content(components):
        write(render_foreign_content(content), to_error=True)
    edits = plan_setup(components)
    if selection.file is None:
        for content in find_foreign_servers_elsewhere(
            client, components, selection.options
        ):
            write(render_foreign_server_elsewhere(content), to_error=True)
    change = SetupChange(SETUP_TOOL, components, edits)
    if _apply(change, assume_yes=assume_yes, dry_run=dry_run):
        is_shared = selection.options.shared
        for note in list_notes(client, components, is_shared=is_shared):
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
        write(render_nothing_configured())
        return
    removal = plan_removal(components, present.components)
    change = SetupChange(
        REMOVAL_TOOL, components, removal.edits, removal.folders
    )
    _apply(change, assume_yes=assume_yes, dry_run=dry_run)


def check_setup(selection: SetupSelection) -> bool:
    """Print a finding about each component; return True if all are present and work."""
    present = selection.find_present()
    warnings = _list_warnings(selection, present)
    for warning in warnings:
        write(f"LOOK {warning}")
    components = selection.without_excluded(present.components)
    if not components:
        write(render_nothing_configured())
        return False
    # For one client, a file that cannot be read is a finding instead of a warning.
    is_good = not present.unread_reasons and not warnings
    # A trial takes a second or two: each line is written when it is known.
    for client, checks in groupby(
        check_components(components, selection.options),
        key=lambda check: check.component.client,
    ):
        if selection.client is None:
            write(f"{client.title}:")
        for check in checks:
            mark = "ok  " if check.finding.is_good else "LOOK"
            write(f"{mark} {check.component.kind}: {check.finding.text}")
            is_good = is_good and check.finding.is_good
        if not client.has_hooks:
            write(f"     hooks: {NO_HOOKS_NOTE}")
    return is_good


def check_setup_as_json(selection: SetupSelection) -> bool:
    """Print the findings of `check_setup` as JSON; return True as it does."""
    present = selection.find_present()
    warnings = _list_warnings(selection, present)
    components = selection.without_excluded(present.components)
    checks = list(check_components(components, selection.options))
    described: list[dict[str, Any]] = []
    for check in checks:
        component = check.component
        described.append(
            {
                "client": component.client.name,
                "kind": component.kind,
                "path": component.path,
                "works": check.finding.is_good,
                "finding": check.finding.text,
            }
        )
    write_json({"warnings": warnings, "components": described})
    if not checks or present.unread_reasons or warnings:
        return False
    return all(check.finding.is_good for check in checks)


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


def _apply(change: SetupChange, *, assume_yes: bool, dry_run: bool) -> bool:
    """Show the edits, ask, and commit them as one change; return True if it was made."""
    edits = [edit for edit in change.edits if edit.changes_file]
    if not edits:
        write(render_nothing_to_do(change))
        return False
    for edit in edits:
        write_coloured(render_diff(edit))
    if dry_run:
        return False
    if not assume_yes:
        paths = ", ".join(edit.path for edit in edits)
        confirm_or_exit(f"Write this to {paths}?")
    names = join_distinct(
        component.client.name for component in change.components
    )
    commit_edits(edits, change.tool, f"{change.tool} {names}", change.folders)
    for edit in edits:
        result = "written"
        if edit.after is None:
            result = "deleted (it held only filewright's lines)"
        write(f"{edit.path}: {result}")
    return True
