"""Scopes, by which callers name changes, and the selections that they mean."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from filewright.boundary.location import Location
from filewright.changes.model import ChangeRecord, RecordedPath
from filewright.progress import client_family
from filewright.wording import join_limited

GUARD_TOOL = "guard"
"""The tool of a change that takes back what another tool damaged in its edit.

It is a partial undo of that edit, and is undone with it.
"""
_MAX_NAMED_PARTS = 3
_MAX_NAMED_HUNKS = 4
PROMPT_PAUSE_SECONDS = 600
"""The longest pause between two changes of one prompt, if turns are not known."""


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file, and the hunks of its diff that are meant, counted from 1.

    None means all of the file: its content, name and rights.
    """

    path: Location
    hunks: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """Changes as a caller names them: one, a session, a prompt, or since a moment.

    `prompt` is the id of a change, for all changes of the same prompt. `since` is a
    time, as `parse_moment` reads it, or the id of a change, which itself is not
    included. `path` takes of these what was done at a path or below it, `hunk` one hunk
    of one file, counted from 1, and `parts` several files and hunks.
    """

    change_id: str | None = None
    session: str | None = None
    since: str | None = None
    path: Location | None = None
    hunk: int | None = None
    prompt: str | None = None
    parts: tuple[FilePart, ...] = ()

    @property
    def is_partial(self) -> bool:
        """True if only some of what the changes did is meant."""
        if self.path is not None or self.hunk is not None:
            return True
        return bool(self.parts)


@dataclass(frozen=True, slots=True)
class Selection:
    """The changes of a scope.

    `change_ids` are newest first, `record` is what these changes did together.
    `description` names them in a message, `summary` in the history once they are
    undone, `details` for programs. `partial`: only some of what the changes did is
    selected, which `part` names. Of the files in `hunks` only these hunks are.
    """

    record: ChangeRecord
    change_ids: tuple[str, ...]
    description: str
    summary: str
    details: Mapping[str, Any]
    partial: bool = False
    part: str = ""
    hunks: Mapping[RecordedPath, frozenset[int]] = field(default_factory=dict)


def describe_parts(parts: Sequence[FilePart]) -> str:
    """Return files and hunks in words: "hunks 1 and 3 of a.txt and b.txt"."""
    texts: list[str] = []
    for part in parts:
        text = part.path.requested_path
        if part.hunks is not None:
            numbers = sorted(part.hunks)
            noun = "hunk" if len(numbers) == 1 else "hunks"
            listed = join_limited(list(map(str, numbers)), _MAX_NAMED_HUNKS)
            text = f"{noun} {listed} of {text}"
        texts.append(text)
    return join_limited(texts, _MAX_NAMED_PARTS)


# Undos


def find_effective_undos(
    heads: Iterable[ChangeRecord],
) -> Iterator[ChangeRecord]:
    """Yield the undos among changes that are not undone themselves, newest first."""
    # Newest first: an undo that a later one has undone is in `undone` when it comes.
    undone: set[str] = set()
    for head in heads:
        if head.reverts and not head.partial and head.id not in undone:
            undone.update(head.reverts)
            yield head


def find_undone(heads: Iterable[ChangeRecord]) -> dict[str, str]:
    """Return the id of the undo of each undone change; `heads` are newest first."""
    undone: dict[str, str] = {}
    for undo in find_effective_undos(heads):
        for change_id in undo.reverts:
            undone[change_id] = undo.id
    return undone


def find_effective(
    undos: Iterable[ChangeRecord], change_ids: Collection[str]
) -> set[str]:
    """Return those of `change_ids` that no undo has reverted.

    `undos` are newest first, and none of them is undone. An undo among `change_ids`
    cancels out with the changes it reverts if all of them are still in effect.
    """
    effective_ids = set(change_ids)
    for undo in undos:
        if undo.id not in change_ids:
            effective_ids.difference_update(undo.reverts)
        elif effective_ids.issuperset(undo.reverts):
            effective_ids.difference_update(undo.reverts, (undo.id,))
    return effective_ids


# Healings


def find_healed_edit(record: ChangeRecord) -> str | None:
    """Return the id of the edit that a change of the guard healed, or None.

    Where it healed several changes at once, that of the newest.
    """
    is_healing = record.tool == GUARD_TOOL and record.partial
    return record.reverts[0] if is_healing and record.reverts else None


def place_healings(records: Sequence[ChangeRecord]) -> list[ChangeRecord]:
    """Return changes, newest first, with each healing right after its edit.

    A healing whose edit is not among them stays where it is.
    """
    ids = {record.id for record in records}
    healings: dict[str, list[ChangeRecord]] = {}
    others: list[ChangeRecord] = []
    for record in records:
        edit_id = find_healed_edit(record)
        if edit_id in ids and edit_id is not None:
            healings.setdefault(edit_id, []).append(record)
        else:
            others.append(record)
    placed: list[ChangeRecord] = []
    for record in others:
        placed += [record, *healings.get(record.id, ())]
    return placed


# Prompts


class SessionIdentity(NamedTuple):
    """A session: its name, and the client whose name it is."""

    name: str | None
    client: str


def group_by_prompt(
    records: Iterable[ChangeRecord],
) -> list[list[ChangeRecord]]:
    """Return the changes by prompt, each group newest first, as `records` are.

    Changes of a session are of one prompt as long as their turn is the same, or, where
    turns are not known, as long as there is no long pause between them.
    """
    groups: list[list[ChangeRecord]] = []
    # Sessions may take turns: each continues the last group of its own.
    last_groups: dict[SessionIdentity, list[ChangeRecord]] = {}
    records = list(records)
    identities = identify_sessions(records)
    for record, identity in zip(records, identities, strict=True):
        group = last_groups.get(identity)
        if group is None or _begins_prompt(record, group[-1]):
            group = last_groups[identity] = []
            groups.append(group)
        group.append(record)
    return groups


def identify_sessions(
    records: Sequence[ChangeRecord],
) -> list[SessionIdentity]:
    """Return the session of each change, newest first.

    Clients that one process has started may use one name for their sessions; these are
    several sessions then. A change without a client is of the session's only client,
    or of that of the change after it.
    """
    clients_of_name: dict[str | None, set[str]] = {}
    for record in records:
        clients = clients_of_name.setdefault(record.session, set())
        clients.add(client_family(record.client))
    later_clients: dict[str | None, str] = {}
    identities: list[SessionIdentity] = []
    for record in records:
        client = client_family(record.client)
        named_clients = clients_of_name[record.session] - {""}
        if not client and len(named_clients) == 1:
            (client,) = named_clients
        client = client or later_clients.get(record.session, "")
        later_clients[record.session] = client
        identities.append(SessionIdentity(record.session, client))
    return identities


def _begins_prompt(record: ChangeRecord, later: ChangeRecord) -> bool:
    """Return True if the next later change of the session is of another prompt."""
    if record.turn != later.turn:
        return True
    pause_ns = later.number - record.number
    return record.turn is None and pause_ns > PROMPT_PAUSE_SECONDS * 10**9
