"""What history says about a committed change: values only, with their form as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from filewright.boundary import quote

Kind = Literal["file", "link", "folder", "other"]


@dataclass(frozen=True, slots=True)
class Place:
    """A path in a record: the root's absolute path and the parts below it."""

    root: bytes
    parts: tuple[bytes, ...]

    @property
    def shown(self) -> str:
        """The path below its root, quoted where needed."""
        return quote(b"/".join(self.parts)) if self.parts else "."

    def to_json(self) -> list[str]:
        """Root and parts as strings; undecodable bytes become lone surrogates."""
        return [os.fsdecode(self.root), *map(os.fsdecode, self.parts)]

    @classmethod
    def from_json(cls, value: Any) -> Place:
        """The inverse of `to_json`."""
        root, *parts = value
        names = tuple(os.fsencode(part) for part in parts)
        if any(not name or name in (b".", b"..") or b"/" in name or b"\0" in name for name in names):
            raise ValueError("not a path")
        return cls(os.fsencode(root), names)


@dataclass(frozen=True, slots=True)
class Side:
    """What was at a place before, or is there after, a change.

    `digest` is xxh3_128 of a file's bytes in hex; `blob` names the whole content in the undo data
    (SHA-256 in hex, or `=name` of a displaced file kept as it was), None where it was not kept.
    """

    kind: Kind
    mode: int
    uid: int
    gid: int
    size: int = 0
    mtime_ns: int = 0
    digest: str | None = None
    blob: str | None = None
    target: bytes | None = None
    attributes: Mapping[str, bytes] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """A plain dict; what is unset is left out."""
        value: dict[str, Any] = {"kind": self.kind, "mode": self.mode, "uid": self.uid, "gid": self.gid}
        if self.kind == "file":
            value |= {"size": self.size, "digest": self.digest, "blob": self.blob}
        value["mtime"] = self.mtime_ns
        if self.target is not None:
            value["target"] = os.fsdecode(self.target)
        if self.attributes:
            value["attributes"] = {name: data.hex() for name, data in self.attributes.items()}
        return value

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Side:
        """The inverse of `to_json`."""
        target = value.get("target")
        return cls(
            kind=value["kind"],
            mode=int(value["mode"]),
            uid=int(value["uid"]),
            gid=int(value["gid"]),
            size=int(value.get("size", 0)),
            mtime_ns=int(value.get("mtime", 0)),
            digest=value.get("digest"),
            blob=value.get("blob"),
            target=None if target is None else os.fsencode(target),
            attributes={name: bytes.fromhex(data) for name, data in value.get("attributes", {}).items()},
        )


@dataclass(frozen=True, slots=True)
class Span:
    """One splice of a recorded edit: `old` bytes at `offset` of the file before became `new` bytes."""

    offset: int
    old: int
    new: int


@dataclass(frozen=True, slots=True)
class Entry:
    """What a change did at one place.

    `before` None: made; `after` None: deleted; `was`: moved from there. `spans` are given where the
    change was an edit; `removed` and `inserted` name the blobs that hold all old and all new bytes
    of the spans, one after the other.
    """

    place: Place
    before: Side | None
    after: Side | None
    was: Place | None = None
    spans: tuple[Span, ...] = ()
    removed: str | None = None
    inserted: str | None = None

    @property
    def action(self) -> str:
        """One word for people: created, deleted, moved, modified, or attributes."""
        if self.before is None:
            return "created"
        if self.after is None:
            return "deleted"
        if self.was is not None:
            return "moved"
        if self.before.digest != self.after.digest or self.before.kind != self.after.kind or self.spans:
            return "modified"
        return "attributes"

    @property
    def blobs(self) -> set[str]:
        """Every blob that undoing or showing this entry needs."""
        named = {self.removed, self.inserted}
        named |= {side.blob for side in (self.before, self.after) if side is not None}
        return {name for name in named if name}

    def to_json(self) -> dict[str, Any]:
        """A plain dict."""
        return {
            "place": self.place.to_json(),
            "was": self.was.to_json() if self.was else None,
            "before": self.before.to_json() if self.before else None,
            "after": self.after.to_json() if self.after else None,
            "spans": [[span.offset, span.old, span.new] for span in self.spans],
            "removed": self.removed,
            "inserted": self.inserted,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Entry:
        """The inverse of `to_json`, with the sides read already."""
        return cls(
            place=Place.from_json(value["place"]),
            was=Place.from_json(value["was"]) if value["was"] else None,
            before=value["before"],
            after=value["after"],
            spans=tuple(Span(*map(int, span)) for span in value["spans"]),
            removed=value["removed"],
            inserted=value["inserted"],
        )


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """A committed change: `id` in time order, `time_ns` since the epoch, and an entry per place.

    `reverts` names the change it undid. `hard_links` counts the names of each file whose other
    names were left behind. `notes` says what a person should know, such as bytes that another
    program wrote late and where they were kept.
    """

    id: str
    time_ns: int
    tool: str
    summary: str
    entries: tuple[Entry, ...]
    reverts: str | None = None
    undoable: bool = True
    hard_links: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def time(self) -> datetime:
        """When it was committed, in UTC."""
        return datetime.fromtimestamp(self.time_ns / 1e9, UTC)

    @property
    def paths(self) -> list[str]:
        """Every path touched, as shown below its root; a move names both ends."""
        seen: dict[str, None] = {}
        for entry in self.entries:
            if entry.was is not None:
                seen[entry.was.shown] = None
            seen[entry.place.shown] = None
        return list(seen)

    def touches(self, place: Place) -> bool:
        """Whether the change did something at `place` or below it."""
        count = len(place.parts)
        return any(
            end is not None and end.root == place.root and end.parts[:count] == place.parts
            for entry in self.entries
            for end in (entry.place, entry.was)
        )

    def json_pieces(self) -> Iterator[str]:
        """Its JSON object in pieces, an entry each."""
        head = {
            "id": self.id,
            "time": self.time_ns,
            "tool": self.tool,
            "summary": self.summary,
            "reverts": self.reverts,
            "undoable": self.undoable,
            "hard_links": dict(self.hard_links),
            "notes": list(self.notes),
        }
        yield json.dumps(head, separators=(",", ":"))[:-1] + ',"entries":['
        yield from json_items(entry.to_json() for entry in self.entries)
        yield "]}"

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ChangeRecord:
        """The inverse of `json_pieces`, with the entries read already."""
        return cls(
            id=str(value["id"]),
            time_ns=int(value["time"]),
            tool=str(value["tool"]),
            summary=str(value["summary"]),
            entries=tuple(value["entries"]),
            reverts=value["reverts"],
            undoable=bool(value["undoable"]),
            hard_links={str(path): int(count) for path, count in value["hard_links"].items()},
            notes=tuple(value["notes"]),
        )


def json_items(values: Iterable[Any]) -> Iterator[str]:
    """The items of a JSON array, one at a time."""
    comma = ""
    for value in values:
        yield comma + json.dumps(value, separators=(",", ":"))
        comma = ","
