"""The server, the hooks and the rule of a client, as edits of the text of a file.

Each component can be added to the text of its configuration and removed from it. All
other characters of the text stay. `setup`, its check, its removal and
`filewright config` use the same edits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from filewright.cli.setup.clients import Client
from filewright.cli.setup.configfile import (
    append_lines,
    count_levels,
    find_value,
    parse_configuration,
    remove_value,
    set_members,
    set_value,
)
from filewright.cli.setup.json_text import has_comment
from filewright.cli.setup.recognition import (
    find_foreign_members,
    is_own_hook,
    list_command_words,
    select_user_settings,
    starts_filewright,
)
from filewright.cli.setup.slash_commands import OWN_MARK
from filewright.errors import Code, FilewrightError

RULE = (
    "Use filewright's tools to read, search and change files: they change nothing else, and each change can be "
    "undone."
)
"""The line for clients that read instructions from a file."""
_CURSOR_RULE = f"---\nalwaysApply: true\n---\n{RULE}\n"
"""The rule as a file of its own, in Cursor's format."""
_RULE_LINE = re.compile(
    rf"\n\n{re.escape(RULE)}\Z|((?<=\n)\n)?{re.escape(RULE)}\n?\Z|{re.escape(RULE)}\n?"
)
"""The rule with the line feeds that `setup` added.

At the end of a file these are the empty line before the rule, and no line feed after
it if the file had none at its end.
"""
_OWN_SCRIPT = re.compile("^(//|#) Written by `filewright setup", re.MULTILINE)
_OWN_SKILL = "<!-- Written by `filewright setup"
BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Component:
    """The server, the hooks or the rule of a client in one of its files."""

    client: Client
    kind: str
    """"server", "hooks", "rule", "commands" or "skill"."""
    path: str
    content: Any
    """The entry of the server; the hooks by event; or the text of a file of our own."""
    scope: str = "shared"

    def add_to(self, text: str) -> str:
        """Return the text of the file with the component.

        Raise `unsupported` if the rest of the text could not be kept.
        """
        add = _ADD[self.kind]
        return self._edit(text, lambda plain_text: add(self, plain_text))

    def remove_from(self, text: str, earlier: str | None = None) -> str:
        """Return the text of the file without the component.

        `earlier` is the text before `setup` wrote into the file, if it is known.
        Raise `unsupported` if the rest of the text could not be kept.
        """
        remove = _REMOVE[self.kind]
        if earlier is not None:
            earlier = earlier.removeprefix(BYTE_ORDER_MARK)
        return self._edit(
            text, lambda plain_text: remove(self, plain_text, earlier)
        )

    @property
    def is_toml(self) -> bool:
        """True if the file is TOML; it is JSON otherwise."""
        return self.path.endswith(".toml")

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that lead to the server in the file."""
        return self.client.keys(self.scope)

    def find_server(self, text: str) -> Any:
        """Return the server named filewright in the text, or None.

        Raise `ValueError` if the text cannot be parsed.
        """
        configuration = parse_configuration(
            text.removeprefix(BYTE_ORDER_MARK), toml=self.is_toml
        )
        return find_value(configuration, self.keys)

    def is_in(self, text: str) -> bool:
        """Return True if the text has the component, or a server of its name.

        Return True too if the text mentions filewright and cannot be parsed.
        """
        if "filewright" not in text:
            return False
        try:
            if self.kind == "server" and self.find_server(text) is not None:
                return True
            return self.remove_from(text) != text
        except (ValueError, FilewrightError):
            return True

    def _edit(self, text: str, edit: Callable[[str], str]) -> str:
        """Apply an edit of text without a byte order mark and with LF line ends."""
        mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
        has_crlf_only = "\n" in text and "\n" not in text.replace("\r\n", "")
        newline = "\r\n" if has_crlf_only else "\n"
        try:
            edited = edit(text.removeprefix(mark).replace(newline, "\n"))
        except ValueError as error:
            raise FilewrightError(
                Code.UNSUPPORTED,
                f"{self.path} was not changed: {error}",
                hint=f"edit it by hand: `filewright config {self.client.name}` prints the entry to add or remove",
            ) from error
        return mark + edited.replace("\n", newline)


# The server


def _add_server(component: Component, text: str) -> str:
    is_toml, keys = component.is_toml, component.keys
    entry = find_value(parse_configuration(text, toml=is_toml), keys)
    own_entry = component.content
    if entry is not None and find_foreign_members(entry, own_entry):
        merged_entry = {**own_entry, **select_user_settings(entry, own_entry)}
        return _replace_server(text, keys, merged_entry, is_toml=is_toml)
    return set_members(text, keys, own_entry, toml=is_toml)


def _remove_server(component: Component, text: str, earlier: str | None) -> str:
    is_toml, keys = component.is_toml, component.keys
    entry = find_value(parse_configuration(text, toml=is_toml), keys)
    if not starts_filewright(list_command_words(entry)):
        return text
    earlier_configuration = None
    if earlier is not None:
        earlier_configuration = parse_configuration(earlier, toml=is_toml)
    earlier_entry = find_value(earlier_configuration, keys)
    if earlier_entry is not None:
        return _replace_server(text, keys, earlier_entry, is_toml=is_toml)
    levels = count_levels(earlier_configuration, keys)
    return remove_value(text, keys, toml=is_toml, kept_levels=levels)


def _replace_server(
    text: str, keys: Sequence[str], entry: Any, *, is_toml: bool
) -> str:
    """Replace the whole entry of the server, not only single members."""
    if not is_toml:
        return set_value(text, keys, entry)
    text_without = remove_value(text, keys, toml=True)
    has_tables = not isinstance(entry, Mapping) or any(
        isinstance(value, Mapping) for value in entry.values()
    )
    if has_tables:
        raise ValueError("the entry that was there before cannot be put back")
    return set_members(text_without, keys, entry, toml=True)


# The hooks


def _add_hooks(component: Component, text: str) -> str:
    """Add the hooks, and remove other hooks that `setup` wrote before."""
    client, own_hooks = component.client, component.content
    # A plug-in or a script is a whole file: it is ours, or it stays as it is.
    if not client.events:
        if text and not _OWN_SCRIPT.search(text):
            raise ValueError("the file is not a hook of filewright")
        return str(own_hooks)
    configuration = parse_configuration(text)
    events = _require_hook_lists(configuration)
    for name, value in client.hook_settings.items():
        if name not in configuration:
            text = set_value(text, (name,), value)
    for event in {**events, **own_hooks}:
        groups = events.get(event, [])
        own_groups = own_hooks.get(event, [])
        text = _remove_own_groups(text, event, groups, except_for=own_groups)
        # An index past the end of the list appends to it.
        end = len(groups) + len(own_groups)
        for group in own_groups:
            if group not in groups:
                text = set_value(text, ("hooks", event, end), group)
    return text


def _remove_hooks(component: Component, text: str, earlier: str | None) -> str:
    client = component.client
    if not client.events:
        if not text or _OWN_SCRIPT.search(text):
            return ""
        if client.scripts:
            # A script of the user may have a name that ours would need.
            return text
        raise ValueError("the file is not a hook of filewright")
    configuration = parse_configuration(text)
    earlier_configuration = (
        parse_configuration(earlier) if earlier is not None else None
    )
    for event, groups in _require_hook_lists(configuration).items():
        levels = count_levels(earlier_configuration, ("hooks", event))
        text = _remove_own_groups(text, event, groups, levels=levels)
    return _remove_members_beside(client, text, earlier_configuration)


def _require_hook_lists(configuration: Any) -> dict[str, list[Any]]:
    """Return the groups of hooks by event. Raise `ValueError` for another shape."""
    events = find_value(configuration, ("hooks",)) or {}
    if (
        not isinstance(configuration, dict)
        or not isinstance(events, dict)
        or not all(isinstance(groups, list) for groups in events.values())
    ):
        raise ValueError("its hooks are not lists")
    return events


def _remove_own_groups(
    text: str,
    event: str,
    groups: Sequence[Any],
    *,
    except_for: Sequence[Any] = (),
    levels: int = 0,
) -> str:
    """Remove the groups of an event that are ours, from the last to the first.

    The `levels` outermost objects around them stay even if they become empty.
    """
    # From the last to the first: a removal changes the indexes behind it.
    for index in reversed(range(len(groups))):
        group = groups[index]
        if is_own_hook(group) and group not in except_for:
            path = ("hooks", event, index)
            text = remove_value(text, path, kept_levels=levels)
    return text


def _remove_members_beside(
    client: Client, text: str, earlier_configuration: Any
) -> str:
    """Remove the members that `setup` wrote beside hooks, if no hooks are left.

    A member is removed if the file did not have it before `setup`. If the earlier file
    is unknown, the members are removed only if the file holds nothing else.
    """
    if not text:
        return text
    configuration = parse_configuration(text)
    if "hooks" in configuration:
        return text
    is_all_ours = (
        earlier_configuration is None
        and configuration == client.hook_settings
        and not has_comment(text)
    )
    for name in client.hook_settings:
        is_new = (
            earlier_configuration is not None
            and name not in earlier_configuration
        )
        if is_all_ours or is_new:
            text = remove_value(text, (name,))
    return text


# The rule


def _add_rule(component: Component, text: str) -> str:
    if RULE in text:
        return text
    if component.path.endswith(".mdc") and not text:
        return _CURSOR_RULE
    return append_lines(text, RULE)


def _remove_rule(_component: Component, text: str, _earlier: str | None) -> str:
    if text == _CURSOR_RULE:
        return ""
    return _RULE_LINE.sub("", text, count=1)


# The skill


def read_skill() -> str:
    """Return the skill, which is a file of its own."""
    return files(__package__).joinpath("SKILL.md").read_text("utf-8")


def _add_skill(_component: Component, text: str) -> str:
    if text and _OWN_SKILL not in text:
        raise ValueError("another skill named filewright is there")
    return read_skill()


def _remove_skill(
    _component: Component, text: str, _earlier: str | None
) -> str:
    return "" if _OWN_SKILL in text else text


# The slash commands


def _add_command(component: Component, text: str) -> str:
    if text and OWN_MARK not in text:
        raise ValueError("another command of this name is there")
    return str(component.content)


def _remove_command(
    _component: Component, text: str, _earlier: str | None
) -> str:
    return "" if OWN_MARK in text else text


_ADD: Mapping[str, Callable[[Component, str], str]] = {
    "server": _add_server,
    "hooks": _add_hooks,
    "rule": _add_rule,
    "commands": _add_command,
    "skill": _add_skill,
}
_REMOVE: Mapping[str, Callable[[Component, str, str | None], str]] = {
    "server": _remove_server,
    "hooks": _remove_hooks,
    "rule": _remove_rule,
    "commands": _remove_command,
    "skill": _remove_skill,
}
