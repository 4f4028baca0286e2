"""The landing view: one net diff of all that the person has not decided yet.

It is everything since the change up to which all was decided, or, before the first
decision, of the last day. Its files are grouped by the newest prompt that touched them;
files that were accepted as they are now are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from filewright.changes.model import (
    FileChange,
    RecordedPath,
    change_time,
    format_change_id,
    parse_change_id,
)
from filewright.errors import Code, FilewrightError
from filewright.page.cards import Card
from filewright.page.changelog import PromptHeading
from filewright.page.context import PageContext
from filewright.page.decisions import file_key
from filewright.page.names import natural_key
from filewright.page.parts import Subject
from filewright.page.titles import is_folder
from filewright.page.words import UNNAMED_CLIENT, format_moment, strip_version
from filewright.progress import client_family
from filewright.wording import pluralize
from filewright.workspace import REVIEW_CLIENT

_FIRST_SPAN_NS = 86_400 * 10**9
"""The span of the first landing view: the day before the newest change."""
_MAX_ATTRIBUTED_CHANGES = 200
"""The changes that are read to find the prompts of files, the newest first."""
_OWN_CLIENTS = (client_family(REVIEW_CLIENT),)
"""The person's own clients, which are no agents."""


@dataclass(slots=True)
class PromptGroup:
    """The open files of the landing view that one prompt touched last.

    `indexes` are those of the file changes in the record of the view, `keys` those of
    their contents. Without a heading, the prompt is too old to be looked for.
    """

    heading: PromptHeading | None
    indexes: list[int] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    @property
    def files(self) -> str:
        """The number of files in words."""
        return pluralize(len(self.indexes), "file")


@dataclass(frozen=True, slots=True)
class Landing:
    """The groups of the landing view, the newest prompt first.

    `accepted_count` is the number of files that are left out.
    """

    subject: Subject
    groups: Sequence[PromptGroup]
    file_count: int
    accepted_count: int
    agents: Sequence[str]
    begin: datetime

    @property
    def title(self) -> str:
        """The numbers of files and agents: "12 files by 2 agents since 14:02"."""
        files = pluralize(self.file_count, "file")
        if len(self.agents) == 1:
            author_phrase = f" by {self.agents[0]}"
        elif self.agents:
            author_phrase = f" by {pluralize(len(self.agents), 'agent')}"
        else:
            author_phrase = ""
        return f"{files}{author_phrase} since {format_moment(self.begin)}"

    @property
    def order(self) -> Sequence[int]:
        """The indexes of the file changes of all groups."""
        return [index for group in self.groups for index in group.indexes]

    def entries(
        self, start: int, count: int
    ) -> Iterable[tuple[int, FileChange]]:
        """Yield file changes with their indexes, from a place in the order on."""
        changes = self.subject.record.file_changes
        for index in self.order[start : start + count]:
            yield index, changes[index]


@dataclass(frozen=True, slots=True)
class Section:
    """Cards of one group, with its heading unless an earlier page has it."""

    group: PromptGroup
    cards: Sequence[Card]
    has_heading: bool


def make_sections(landing: Landing, cards: Sequence[Card]) -> list[Section]:
    """Return the cards of one page by their groups."""
    card_of_index = {card.index: card for card in cards}
    sections: list[Section] = []
    for group in landing.groups:
        group_cards = [
            card_of_index[index]
            for index in group.indexes
            if index in card_of_index
        ]
        if group_cards:
            has_heading = group_cards[0].index == group.indexes[0]
            sections.append(Section(group, group_cards, has_heading))
    return sections


def landing_address(context: PageContext) -> str | None:
    """Return the name of the moment at which the landing view begins; None without changes."""
    decided_until = context.marks.decided_until()
    if (
        decided_until is not None
        and context.log.prompt(decided_until) is not None
    ):
        return decided_until
    newest_number = parse_change_id(context.workspace.newest() or "")
    if newest_number is None:
        return None
    first_id = context.log.first_after(
        format_change_id(newest_number - _FIRST_SPAN_NS)
    )
    return None if first_id is None else f"{first_id}^"


def find_landing(context: PageContext, name: str) -> Landing | None:
    """Return the landing view since a moment; None if there is nothing new."""
    try:
        subject = context.select("new", name)
    except FilewrightError as error:
        if error.code is Code.NO_CHANGE:
            return None
        raise
    decisions = context.decisions()
    changes = tuple(subject.record.file_changes)
    open_indexes: dict[RecordedPath, list[int]] = {}
    accepted_count = file_count = 0
    for index, change in enumerate(changes):
        # The files of a folder have changes of their own.
        if is_folder(change) and change.action != "moved":
            continue
        if decisions.of(file_key(change)):
            accepted_count += 1
            continue
        file_count += 1
        open_indexes.setdefault(change.path, []).append(index)
    if not file_count:
        return None
    change_ids = subject.selection.change_ids
    groups = _group(context, change_ids, open_indexes)
    for group in groups:
        group.indexes.sort(
            key=lambda index: natural_key(changes[index].path.parts)
        )
        group.keys = [file_key(changes[index]) for index in group.indexes]
    return Landing(
        subject=subject,
        groups=groups,
        file_count=file_count,
        accepted_count=accepted_count,
        agents=_name_agents(context, change_ids),
        begin=change_time(parse_change_id(change_ids[-1]) or 0).astimezone(),
    )


def _name_agents(
    context: PageContext, change_ids: Sequence[str]
) -> Sequence[str]:
    """Return the names of the agents that made changes, without their versions."""
    name_by_family: dict[str, str] = {}
    for prompt in context.log.prompts_of(change_ids):
        client = prompt.client if prompt is not None else ""
        # A client's server and its hooks have different names: both are one agent.
        family = client_family(client)
        if family not in _OWN_CLIENTS:
            name = strip_version(client) or f"an {UNNAMED_CLIENT}"
            name_by_family.setdefault(family, name)
    return [*name_by_family.values()]


def _group(
    context: PageContext,
    change_ids: Sequence[str],
    open_indexes: dict[RecordedPath, list[int]],
) -> list[PromptGroup]:
    """Return the open files by the newest prompt that touched each."""
    groups: dict[str, PromptGroup] = {}
    recent_ids = change_ids[:_MAX_ATTRIBUTED_CHANGES]
    prompts = context.log.prompts_of(recent_ids)
    for change_id, prompt in zip(recent_ids, prompts, strict=True):
        if not open_indexes:
            break
        if prompt is None:
            continue
        for path in context.touched_paths(change_id):
            indexes = open_indexes.pop(path, None)
            if indexes is None:
                continue
            if prompt.id not in groups:
                heading = context.log.prompt(prompt.id)
                groups[prompt.id] = PromptGroup(heading)
            groups[prompt.id].indexes += indexes
    unattributed = PromptGroup(None)
    for indexes in open_indexes.values():
        unattributed.indexes += indexes
    ordered_groups = [*groups.values()]
    if unattributed.indexes:
        ordered_groups.append(unattributed)
    return ordered_groups
