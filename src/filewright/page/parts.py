"""The parts of what is looked at: more files, one file, folded or hidden lines, an image.

The page asks for them by its addresses, and the app in a conversation by a resource whose name ends in the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args
from urllib.parse import quote as in_address

from filewright.changes.blobs import content_after, content_before
from filewright.changes.model import ChangeRecord
from filewright.changes.selection import Scope, Selection
from filewright.errors import Code, FilewrightError, invalid
from filewright.page.cards import (
    CARDS,
    IMAGES,
    LINES_UNFOLDED,
    card_of,
    cards_of,
    drawn,
    lines_of,
    suffix,
)
from filewright.page.render import render
from filewright.workspace import Workspace

Kind = Literal["change", "prompt", "session", "since"]
MOST = 10**12
"""The largest number that is asked for: of a hunk, or by so much a line is further down."""


@dataclass(frozen=True, slots=True)
class Viewed:
    """What a page is of: its kind and name in the address, and the changes these mean."""

    kind: str
    name: str
    selected: Selection

    @property
    def record(self) -> ChangeRecord:
        """What the changes did."""
        return self.selected.record

    @property
    def address(self) -> str:
        """Where it is found, below the page's own address."""
        return f"/{self.kind}/{in_address(self.name)}"

    def index(self, given: int) -> int:
        """The number of one of its files. Raises `not_found`."""
        count = len(self.record.file_changes)
        if not 0 <= given < count:
            raise missing(f"There are {count} files.")
        return given


@dataclass(frozen=True, slots=True)
class Picture:
    """An image as a browser shows it."""

    media: str
    content: bytes


@dataclass(frozen=True, slots=True)
class ViewPart:
    """A part of what is `viewed`, as it is `asked` for; `shared` is what all templates are given."""

    workspace: Workspace
    viewed: Viewed
    asked: Mapping[str, str]
    shared: Mapping[str, Any]

    def made(self) -> str | Picture:
        """It as HTML, or an image. Raises `not_found` for what there is not or was not kept, and `invalid_input`."""
        match self.asked.get("part"):
            case "files":
                return self._files(self._number("start"))
            case "file":
                return self._file(
                    self._number("start") if "start" in self.asked else 0
                )
            case "lines":
                return self._lines()
            case "image":
                return self._image()
        raise missing("There is no such part of this page.")

    def _files(self, start: int) -> str:
        record = self.viewed.record
        cards = cards_of(self.workspace, record, start=start)
        return render(
            "cards.html",
            **self.shared,
            record=record,
            cards=cards,
            following=start + CARDS,
        )

    def _file(self, start: int) -> str:
        card = card_of(
            self.workspace, self.viewed.record, self._index, start=start
        )
        return render(
            "window.html" if start else "card.html", **self.shared, card=card
        )

    def _lines(self) -> str:
        """Lines that are folded (`from`, `to`, `shift`), or hidden on one side or both (`old`, `new`: first, count)."""
        index, record = self._index, self.viewed.record
        lines = partial(lines_of, self.workspace, record, index)
        if "from" in self.asked:
            first, last, shift = (
                self._number("from"),
                self._number("to"),
                self._number("shift", -MOST),
            )
            kept = lines(" ", first, min(last - first + 1, LINES_UNFOLDED))
            found = [
                kept
                and [replace(row, old=(row.new or 0) + shift) for row in kept]
            ]
        else:
            old, new = (
                (self._number(side), self._number(f"{side}_count"))
                for side in ("old", "new")
            )
            found = [lines("-", *old), lines("+", *new)]
        if None in found:
            raise missing("These lines were not kept.")
        view = drawn(
            record, index, [row for rows in found for row in rows or ()]
        )
        part = f"{self.shared['source']}?index={index}&part=lines"
        return render(
            "lines.html",
            **self.shared,
            view=view,
            hunk=view.hunks[0],
            part=part,
        )

    def _image(self) -> Picture:
        record = self.viewed.record
        entry = record.file_changes[self._index]
        media = IMAGES.get(suffix(entry.path.display_path))
        look = (
            content_before
            if self.asked.get("side") == "before"
            else content_after
        )
        content = look(entry) if media is not None else None
        if media is None or content is None:
            raise missing("There is no such image, or it was not kept.")
        return Picture(media, content)

    @property
    def _index(self) -> int:
        return self.viewed.index(self._number("index"))

    def _number(self, name: str, least: int = 0) -> int:
        given = self.asked.get(name, "")
        if re.fullmatch(r"-?[0-9]{1,12}", given) is None or int(given) < least:
            raise invalid(f"{name} must be a number")
        return int(given)


def scope_of(kind: str, name: str) -> Scope:
    """The changes that an address means."""
    if kind not in get_args(Kind):
        raise missing("There is no such page.")
    given: dict[str, Any] = {"change_id" if kind == "change" else kind: name}
    return Scope(**given)


def missing(what: str) -> FilewrightError:
    """There is no such thing."""
    return FilewrightError(Code.NOT_FOUND, what)
