"""Groups of a file's lines, each with the prompt or the commit that wrote it."""

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
    group_by_origin: dict[LineOrigin, BlameGroup] = {}
    for line_group in blame.groups:
        group = group_by_origin.get(line_group.origin)
        if group is None:
            group = _describe(log, line_group.origin)
            group_by_origin[line_group.origin] = group
        last_group = groups[-1] if groups else None
        first_line, line_count = line_group.first, line_group.count
        # A blame may report the lines of one change in several pieces.
        if last_group is not None and _is_same_origin(last_group, group):
            groups.pop()
            first_line, line_count = (
                last_group.first,
                last_group.count + line_count,
            )
        groups.append(replace(group, first=first_line, count=line_count))
    return groups


def _is_same_origin(group: BlameGroup, other: BlameGroup) -> bool:
    return (group.kind, group.id, group.title) == (
        other.kind,
        other.id,
        other.title,
    )


def _describe(log: ChangeLog, origin: LineOrigin) -> BlameGroup:
    """Return the group of an origin, without its lines."""
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
