"""The counts of what the guard healed and of what it only warned about.

A healing is a change of its own, and damage that stayed is a note of the edit that did
it. Both hold a sentence that names the kinds of damage (`damage`), so the history is
all that is read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from filewright.changes.model import ChangeRecord
from filewright.changes.selection import find_healed_edit
from filewright.recording.damage import Damage, GuardSentence
from filewright.wording import pluralize

MAX_COUNTED_CHANGES = 100_000
UNKNOWN = "unknown"
"""The name of a client or of a tool that the history does not tell."""


@dataclass(frozen=True, slots=True, order=True)
class DamageSource:
    """A kind of damage, with the client and its tool that did it."""

    client: str
    tool: str
    kind: Damage


@dataclass(frozen=True, slots=True)
class DamageCount:
    """The number of edits with damage of one source: healed, and only warned about."""

    source: DamageSource
    healed: int
    warned: int

    @property
    def outcome(self) -> str:
        """The counts in words."""
        return _outcome(f"{self.healed}", self.warned)


@dataclass(frozen=True, slots=True)
class GuardReport:
    """The counts of all sources.

    `healed` and `warned` are numbers of edits, which may have damage of several kinds.
    `has_more` is set if there are older changes that were not counted.
    """

    counts: tuple[DamageCount, ...] = ()
    healed: int = 0
    warned: int = 0
    has_more: bool = False

    @property
    def summary(self) -> str:
        """The counts of edits in words."""
        if not self.counts:
            return "no damage is recorded"
        text = _outcome(pluralize(self.healed, "edit"), self.warned)
        return (
            f"{text} (older changes are not counted)" if self.has_more else text
        )


def _outcome(healed: str, warned: int) -> str:
    text = f"{healed} healed"
    return f"{text}, {warned} only warned about" if warned else text


def count_damage(heads: Iterable[ChangeRecord]) -> GuardReport:
    """Count the damage in the newest changes; `heads` are newest first."""
    healed: Counter[DamageSource] = Counter()
    warned: Counter[DamageSource] = Counter()
    healed_edits = warned_edits = 0
    # A healing comes before its edit, which knows the tool.
    pending: dict[str, list[ChangeRecord]] = defaultdict(list)
    remaining = iter(heads)
    for head in islice(remaining, MAX_COUNTED_CHANGES):
        edit_id = find_healed_edit(head)
        if edit_id is not None:
            pending[edit_id].append(head)
            continue
        for healing in pending.pop(head.id, ()):
            healed.update(_sources(head, [healing.summary]))
            healed_edits += 1
        sources = _sources(head, head.notes)
        warned.update(sources)
        warned_edits += bool(sources)
    for healings in pending.values():
        # Of edits that are not on record any more the tool is not known.
        for healing in healings:
            healed.update(_sources(healing, [healing.summary]))
            healed_edits += 1
    counts = []
    for source in sorted({*healed, *warned}):
        counts.append(DamageCount(source, healed[source], warned[source]))
    return GuardReport(
        tuple(counts),
        healed_edits,
        warned_edits,
        has_more=next(remaining, None) is not None,
    )


def _sources(edit: ChangeRecord, sentences: Sequence[str]) -> set[DamageSource]:
    """Return the sources of the damage that sentences of the guard name."""
    tool = UNKNOWN
    if find_healed_edit(edit) is None:
        # Such as `Edit a.txt`, by which a hook names a use of a tool.
        tool = edit.summary.partition(" ")[0] or UNKNOWN
    sources: set[DamageSource] = set()
    for text in sentences:
        sentence = GuardSentence.parse(text)
        if sentence is None:
            continue
        for kind in sentence.damage:
            sources.add(DamageSource(edit.client or UNKNOWN, tool, kind))
    return sources
