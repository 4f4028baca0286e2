"""The clients, scopes and components that one run of `setup` is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import click

from filewright.cli.setup.clients import (
    CLIENTS,
    SCOPES,
    Client,
    LinkOutside,
    resolve_path,
)
from filewright.cli.setup.components import Component
from filewright.cli.setup.launch import ServerOptions
from filewright.cli.setup.plan import (
    PresentComponents,
    find_present_components,
    list_components,
)


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


def select_scopes(*, user: bool, shared: bool) -> list[str]:
    """Return the scopes that the options name, or all."""
    if user:
        return ["user"]
    if shared:
        return ["shared"]
    return [*SCOPES]


def list_excluded_kinds(
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
