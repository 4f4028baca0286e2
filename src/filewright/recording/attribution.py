"""The commands that may have made each difference of an observation.

Any open shell command may have changed any file. Only clients' own edit tools
name their files, so that the changes of two tools that are open at once can be
told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from filewright.recording.model import Command, ObservedFile, Pair


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """Differences, and the commands that may have made them."""

    commands: tuple[Command, ...]
    pairs: list[Pair]


@dataclass(frozen=True, slots=True)
class _OwnedPair:
    """A difference that exactly one tool has made."""

    owner: Command
    pair: Pair


@dataclass(frozen=True, slots=True)
class _PathUses:
    """The paths that differences occupy and leave.

    `users` are the owners of the differences that put a file at a path or below
    it; None stands for shared differences. `left_paths` are those that shared
    ones leave.
    """

    users: dict[bytes, set[Command | None]] = field(default_factory=dict)
    left_paths: set[bytes] = field(default_factory=set)

    def is_used_by_others(self, path: bytes, owner: Command) -> bool:
        """Return True if another owner puts a file at or below a path."""
        return bool(self.users.get(path, set()) - {owner})


def group_by_commands(
    pairs: list[Pair], commands: Sequence[Command], root: bytes
) -> list[CommandGroup]:
    """Group differences below a root by the commands that may have made them.

    The groups are in an order in which their changes can follow each other.
    Only if all commands are edit tools, a file that exactly one of them names
    is that tool's, with the folders above that it made for this file alone.
    """
    all_commands = tuple(commands)
    if len(commands) < 2 or not all(command.is_tool for command in commands):
        return [CommandGroup(all_commands, pairs)]
    commands_by_path = _index_by_path(commands)
    shared: list[Pair] = []
    owned: list[_OwnedPair] = []
    for pair in pairs:
        owners = _find_owners(pair, commands_by_path, root)
        if len(owners) == 1:
            owned.append(_OwnedPair(owners.pop(), pair))
        else:
            shared.append(pair)
    independent = _share_needed(shared, owned)
    groups: dict[Command, CommandGroup] = {}
    for owned_pair in independent:
        owner = owned_pair.owner
        group = groups.setdefault(owner, CommandGroup((owner,), []))
        group.pairs.append(owned_pair.pair)
    if not shared:
        return list(groups.values())
    return [CommandGroup(all_commands, shared), *groups.values()]


def _index_by_path(commands: Sequence[Command]) -> dict[bytes, set[Command]]:
    """Return the commands that name each absolute path."""
    commands_by_path: dict[bytes, set[Command]] = {}
    for command in commands:
        for path in command.paths:
            encoded_path = path.encode("utf-8", "surrogateescape")
            commands_by_path.setdefault(encoded_path, set()).add(command)
    return commands_by_path


def _find_owners(
    pair: Pair, commands_by_path: Mapping[bytes, set[Command]], root: bytes
) -> set[Command]:
    """Return the commands that name a file, or a file in a new folder."""
    old, new = pair
    prefix = root.rstrip(b"/") + b"/"
    owners: set[Command] = set()
    for file in pair:
        if file is not None:
            owners |= commands_by_path.get(prefix + file.path, set())
    if old is None and new is not None and new.kind == "folder":
        for path, commands in commands_by_path.items():
            if path.startswith(prefix + new.path + b"/"):
                owners |= commands
    return owners


def _share_needed(
    shared: list[Pair], owned: Sequence[_OwnedPair]
) -> Sequence[_OwnedPair]:
    """Add tools' differences that others need to `shared`; return the rest.

    Shared changes come first in the history. So a tool's change that must come
    before a shared one, or before a change of another tool, has to be shared
    too.
    """
    while True:
        uses = _find_uses(shared, owned)
        independent: list[_OwnedPair] = []
        for owned_pair in owned:
            if _is_needed(owned_pair, uses):
                shared.append(owned_pair.pair)
            else:
                independent.append(owned_pair)
        if len(independent) == len(owned):
            return independent
        # Those that are shared now may need further ones.
        owned = independent


def _find_uses(
    shared: Sequence[Pair], owned: Sequence[_OwnedPair]
) -> _PathUses:
    """Return the paths that all differences together occupy and leave."""
    uses = _PathUses()
    for pair in shared:
        _add_occupied(uses, pair, None)
        old, new = pair
        if old is not None and not _is_at(new, old.path):
            uses.left_paths.add(old.path)
    for owned_pair in owned:
        _add_occupied(uses, owned_pair.pair, owned_pair.owner)
    return uses


def _add_occupied(uses: _PathUses, pair: Pair, owner: Command | None) -> None:
    """Add the path of a created or renamed file, and those above it."""
    old, new = pair
    if new is not None and not _is_at(old, new.path):
        for path in _path_and_parents(new.path):
            uses.users.setdefault(path, set()).add(owner)


def _is_needed(owned_pair: _OwnedPair, uses: _PathUses) -> bool:
    """Return True if another owner's difference must come after this one."""
    owner = owned_pair.owner
    old, new = owned_pair.pair
    if old is not None:
        # Another file can take its path only after it has left.
        if uses.is_used_by_others(old.path, owner):
            return True
        # A folder leaves its path only after the changes of its files.
        if not uses.left_paths.isdisjoint(_path_and_parents(old.path)):
            return True
    # A new folder comes before the files in it.
    return (
        new is not None
        and new.kind == "folder"
        and uses.is_used_by_others(new.path, owner)
    )


def _is_at(file: ObservedFile | None, path: bytes) -> bool:
    """Return True if there is a file, and it is at a path."""
    return file is not None and file.path == path


def _path_and_parents(path: bytes) -> Iterator[bytes]:
    """Yield a path and the paths of the folders above."""
    while path:
        yield path
        path = path.rpartition(b"/")[0]
