"""The lines of a file by prompt: what a blame says of each group of lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from filewright.changes.blame import Blame, LineOrigin, UnknownKind
from filewright.changes.model import ChangeRecord
from filewright.page.changelog import ChangeLog
from filewright.wording import to_one_line

_UNKNOWN_TITLES: dict[UnknownKind, str] = {
    "unrecorded": "changed by another program",
    "before": "before the history",
    "not stored": "changed, and not stored",
    "not read": "not looked at",
}
_SHORT_COMMIT = 10


@dataclass(frozen=True, slots=True)
class BlameGroup:
    """Consecutive lines that one prompt or commit made, or that are of unknown origin.

    `first` counts from 1. `id` is that of the change or the commit, and `author` the
    client or the author of the commit; both are empty where the origin is unknown.
    `title` is the title of the prompt or of the commit, or says why there is none.
    """

    first: int
    count: int
    kind: Literal["change", "commit", "unknown"]
    id: str
    title: str
    author: str = ""
    session: str = ""
    prompt: str = ""
    time: datetime | None = None

    @property
    def short_id(self) -> str:
        """The id as it is shown."""
        return self.id[:_SHORT_COMMIT] if self.kind == "commit" else self.id


def group_lines(log: ChangeLog, blame: Blame) -> Sequence[BlameGroup]:
    """Return the groups of a blame's lines, with the titles of their prompts."""
    groups: list[BlameGroup] = []
    described: dict[LineOrigin, BlameGroup] = {}
    for lines in blame.groups:
        group = described.get(lines.origin)
        if group is None:
            group = _describe(log, lines.origin)
            described[lines.origin] = group
        last = groups[-1] if groups else None
        first, count = lines.first, lines.count
        # Lines of one change may have come in several pieces.
        if last is not None and _is_same_origin(last, group):
            groups.pop()
            first, count = last.first, last.count + count
        groups.append(replace(group, first=first, count=count))
    return groups


def _is_same_origin(group: BlameGroup, other: BlameGroup) -> bool:
    return (group.kind, group.id, group.title) == (
        other.kind,
        other.id,
        other.title,
    )


def _describe(log: ChangeLog, origin: LineOrigin) -> BlameGroup:
    """Return what is said of an origin, at no lines yet."""
    if origin.version is not None:
        return _describe_change(log, origin.version.record)
    if origin.commit is not None:
        commit = origin.commit
        return BlameGroup(
            first=0,
            count=0,
            kind="commit",
            id=commit.id,
            title=to_one_line(commit.title),
            author=to_one_line(commit.author),
            time=commit.time.astimezone(),
        )
    kind = origin.unknown or "before"
    return BlameGroup(
        first=0, count=0, kind="unknown", id="", title=_UNKNOWN_TITLES[kind]
    )


def _describe_change(log: ChangeLog, record: ChangeRecord) -> BlameGroup:
    heading = log.prompt(record.id)
    title = to_one_line(record.summary)
    prompt = record.id
    if heading is not None:
        title, prompt = heading.title, heading.prompt.id
    return BlameGroup(
        first=0,
        count=0,
        kind="change",
        id=record.id,
        title=title,
        author=to_one_line(record.client or ""),
        session=record.session or "",
        prompt=prompt,
        time=record.time.astimezone(),
    )
