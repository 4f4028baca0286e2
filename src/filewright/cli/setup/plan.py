"""Plans of `filewright setup`: the edits of a client's files, before any is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from filewright.cli.setup.clients import SCOPES, Client
from filewright.cli.setup.components import BYTE_ORDER_MARK, Component
from filewright.cli.setup.configfile import is_blank, parse_configuration
from filewright.cli.setup.files import (
    FileTextChange,
    StateBeforeSetup,
    find_earlier_state,
    list_parent_folders,
    read_configuration,
)
from filewright.cli.setup.launch import ServerOptions
from filewright.cli.setup.recognition import (
    find_foreign_hook_lines,
    find_foreign_members,
)
from filewright.errors import FilewrightError


@dataclass(frozen=True, slots=True)
class PresentComponents:
    """The components that clients' files have, and the files that were not read."""

    components: Sequence[Component]
    unread_reasons: Sequence[str]


@dataclass(frozen=True, slots=True)
class Removal:
    """The edits that remove components, and folders to delete if they become empty."""

    edits: Sequence[FileTextChange]
    folders: frozenset[str]


@dataclass(frozen=True, slots=True)
class ForeignContent:
    """The members of a server, or the lines of hooks, that `setup` did not write."""

    component: Component
    members: Sequence[str] = ()
    hook_lines: Sequence[str] = ()


def list_components(
    client: Client, scope: str, options: ServerOptions
) -> list[Component]:
    """Return the components of a client in a scope."""
    components = []
    for file in client.files(scope):
        content: Any = {}
        if file.kind == "server":
            content = client.build_server(options)
        elif file.kind == "hooks":
            content = client.build_hooks(options, file.path)
        elif file.kind == "commands":
            content = client.build_command(options, file.path)
        components.append(
            Component(client, file.kind, file.path, content, scope)
        )
    return components


def find_present_components(
    clients: Sequence[Client], scopes: Sequence[str], options: ServerOptions
) -> PresentComponents:
    """Return the components of the clients and scopes that are configured.

    A scope is configured if a file has its server or its hooks.
    """
    components: list[Component] = []
    unread_reasons: set[str] = set()
    for client in clients:
        for scope in SCOPES:
            if scope not in scopes:
                continue
            contents = client.read_files(scope)
            unread_reasons.update(contents.unread_reasons)
            # Most clients are told apart by this, without parsing.
            if b"filewright" not in contents.content:
                continue
            scope_components = list_components(client, scope, options)
            known = {
                (component.kind, component.path) for component in components
            }
            present = [
                component
                for component in scope_components
                if _is_present(component)
            ]
            # A skill and slash commands need neither a server nor hooks.
            if any(
                component.kind in ("server", "hooks") for component in present
            ):
                present = scope_components
            # Two scopes may share these files.
            components += [
                component
                for component in present
                if component.kind == "server"
                or (component.kind, component.path) not in known
            ]
    return PresentComponents(components, sorted(unread_reasons))


def _is_present(component: Component) -> bool:
    """Return True if the server or the hooks are in their file."""
    if component.kind == "rule":
        return False
    return component.is_in(read_configuration(component.path) or "")


def plan_setup(components: Sequence[Component]) -> list[FileTextChange]:
    """Return the edits that add components to their files. Change no file."""
    edits = []
    for path, file_components in _group_by_path(components).items():
        before = read_configuration(path)
        text = before or ""
        for component in file_components:
            text = component.add_to(text)
        is_absent = before is None and not text
        edits.append(FileTextChange(path, before, None if is_absent else text))
    return edits


def plan_removal(
    components: Sequence[Component], all_components: Sequence[Component]
) -> Removal:
    """Return the edits that remove components from their files. Change no file.

    `all_components` includes those that stay in the files.
    """
    edits: list[FileTextChange] = []
    folders: set[str] = set()
    for path, file_components in _group_by_path(components).items():
        before = read_configuration(path)
        if before is None:
            edits.append(FileTextChange(path, None, None))
            continue
        earlier = None
        if any(component.is_in(before) for component in file_components):
            earlier = find_earlier_state(path, before)
        after = _remove_components(file_components, before, earlier)
        if after != before and earlier is not None and earlier.is_untouched:
            other_components = [
                component
                for component in all_components
                if component.path == path and component not in file_components
            ]
            if not _has_any(other_components, after or ""):
                after = earlier.text
        if after is None:
            if earlier is None:
                folders.update(list_parent_folders(path))
            else:
                folders.update(earlier.folders)
        edits.append(FileTextChange(path, before, after))
    return Removal(edits, frozenset(folders))


def _has_any(components: Sequence[Component], text: str) -> bool:
    return any(component.is_in(text) for component in components)


def _remove_components(
    components: Sequence[Component],
    before: str,
    earlier: StateBeforeSetup | None,
) -> str | None:
    """Return the text of a file without the components.

    Return None if the text is empty then and `setup` had created the file.
    """
    earlier_text = earlier.text if earlier is not None else None
    after = before
    for component in components:
        after = component.remove_from(after, earlier_text)
    if after != before and is_blank(after) and earlier_text is None:
        return None
    return after


def _group_by_path(
    components: Sequence[Component],
) -> dict[str, list[Component]]:
    """Return the components of each file, in their order."""
    groups: dict[str, list[Component]] = {}
    for component in components:
        groups.setdefault(component.path, []).append(component)
    return groups


# Content that setup did not write


def find_foreign_content(
    components: Sequence[Component],
) -> list[ForeignContent]:
    """Return servers and hooks of our name that `setup` did not write.

    Files that cannot be read or parsed are left out: the plan refuses them.
    """
    foreign = []
    for component in components:
        try:
            text = read_configuration(component.path) or ""
            content = _find_foreign_content(component, text)
        except (ValueError, FilewrightError):
            continue
        if content.members or content.hook_lines:
            foreign.append(content)
    return foreign


def _find_foreign_content(component: Component, text: str) -> ForeignContent:
    if component.kind == "server":
        entry = component.find_server(text)
        if entry is not None:
            members = find_foreign_members(entry, component.content)
            return ForeignContent(component, members=members)
    if component.kind == "hooks" and component.client.events:
        configuration = parse_configuration(text.removeprefix(BYTE_ORDER_MARK))
        lines = [*find_foreign_hook_lines(configuration)]
        return ForeignContent(component, hook_lines=lines)
    return ForeignContent(component)


def find_foreign_servers_elsewhere(
    client: Client, components: Sequence[Component], options: ServerOptions
) -> list[ForeignContent]:
    """Return foreign servers in files of the client that this run does not write."""
    written = set()
    for component in components:
        if component.kind == "server":
            written.add((component.path, component.keys))
    unwritten = []
    for scope in client.scopes:
        for component in list_components(client, scope, options):
            key = (component.path, component.keys)
            if component.kind == "server" and key not in written:
                unwritten.append(component)
    return find_foreign_content(unwritten)
