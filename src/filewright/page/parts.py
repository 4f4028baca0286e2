"""Parts of a page: more files, one file, folded or hidden lines, an image.

The page requests them by its addresses, and the app in a conversation by a resource
whose name ends in the same address.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args
from urllib.parse import quote as quote_url

from filewright.changes.blobs import content_after, content_before
from filewright.changes.model import ChangeRecord
from filewright.changes.selection import Scope, Selection
from filewright.edit.diff import DiffRow
from filewright.errors import Code, FilewrightError, invalid
from filewright.page.cards import (
    IMAGE_TYPES,
    MAX_CARDS,
    MAX_UNFOLDED_LINES,
    file_suffix,
    make_card,
    make_cards,
    read_output_image,
    read_rows,
    view_rows,
)
from filewright.page.decisions import NO_DECISIONS, Decisions
from filewright.page.render import render
from filewright.workspace import Workspace

Kind = Literal["change", "prompt", "session", "since", "new"]
MAX_NUMBER = 10**12
"""The largest number in a request: of a hunk, a line, or a shift of lines."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a page: its kind and name in the address, and its changes."""

    kind: str
    name: str
    selection: Selection

    @property
    def record(self) -> ChangeRecord:
        """The changes as one record."""
        return self.selection.record

    @property
    def address(self) -> str:
        """The address of the page, below that of the site."""
        return f"/{self.kind}/{quote_url(self.name)}"

    def require_index(self, index: int) -> int:
        """Return the index of a file. Raise `not_found` if there is none."""
        count = len(self.record.file_changes)
        if not 0 <= index < count:
            raise not_found(f"There are {count} files.")
        return index


@dataclass(frozen=True, slots=True)
class Picture:
    """An image in a format that browsers show."""

    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class ViewPart:
    """A request for a part of a page.

    `query` has the parameters of the request, and `shared` the values that all
    templates get.
    """

    workspace: Workspace
    subject: Subject
    query: Mapping[str, str]
    shared: Mapping[str, Any]
    decisions: Decisions = NO_DECISIONS

    def answer(self) -> str | Picture:
        """Return the part as HTML, or an image.

        Raise `not_found` for content that was not stored, and `invalid_input`.
        """
        match self.query.get("part"):
            case "files":
                return self._files(self._number("start"))
            case "file":
                start = self._number("start") if "start" in self.query else 0
                return self._file(start)
            case "lines":
                return self._lines()
            case "image":
                return self._image()
            case "output":
                return self._output_image()
        raise not_found("There is no such part of this page.")

    def _files(self, start: int) -> str:
        record = self.subject.record
        return render(
            "cards.html",
            **self.shared,
            record=record,
            cards=make_cards(
                self.workspace, record, self.decisions, start=start
            ),
            following=start + MAX_CARDS,
        )

    def _file(self, start: int) -> str:
        card = make_card(
            self.workspace,
            self.subject.record,
            self._index(),
            self.decisions,
            start=start,
        )
        template = "window.html" if start else "card.html"
        return render(template, **self.shared, card=card)

    def _lines(self) -> str:
        """Return folded lines, or the lines that a hunk hides."""
        index = self._index()
        if "from" in self.query:
            rows = self._folded_rows(index)
        else:
            rows = self._hidden_rows(index)
        view = view_rows(self.subject.record, index, rows)
        part = f"{self.shared['source']}?index={index}&part=lines"
        return render(
            "lines.html",
            **self.shared,
            view=view,
            hunk=view.hunks[0],
            part=part,
        )

    def _folded_rows(self, index: int) -> list[DiffRow]:
        """Return the lines `from` to `to`; their numbers before are `shift` larger."""
        first_line, last_line = self._number("from"), self._number("to")
        shift = self._number("shift", minimum=-MAX_NUMBER)
        line_count = min(last_line - first_line + 1, MAX_UNFOLDED_LINES)
        rows = self._read_rows(index, " ", first_line, line_count)
        return [replace(row, old=(row.new or 0) + shift) for row in rows]

    def _hidden_rows(self, index: int) -> list[DiffRow]:
        """Return `old_count` removed lines from `old` on, then the added lines likewise."""
        removed = self._read_rows(
            index, "-", self._number("old"), self._number("old_count")
        )
        added = self._read_rows(
            index, "+", self._number("new"), self._number("new_count")
        )
        return [*removed, *added]

    def _read_rows(
        self,
        index: int,
        sign: Literal[" ", "-", "+"],
        first_line: int,
        line_count: int,
    ) -> Sequence[DiffRow]:
        rows = read_rows(
            self.workspace,
            self.subject.record,
            index,
            sign,
            first_line,
            line_count,
        )
        if rows is None:
            raise not_found("These lines are not stored.")
        return rows

    def _image(self) -> Picture:
        change = self.subject.record.file_changes[self._index()]
        media_type = IMAGE_TYPES.get(file_suffix(change.path.display_path))
        content = None
        if media_type is not None:
            if self.query.get("side") == "before":
                content = content_before(change)
            else:
                content = content_after(change)
        if media_type is None or content is None:
            raise not_found("There is no such image, or it is not stored.")
        return Picture(media_type, content)

    def _output_image(self) -> Picture:
        """Return an image that a cell of a notebook put out."""
        image = read_output_image(
            self.subject.record.file_changes[self._index()],
            self._number("output"),
            is_before=self.query.get("side") == "before",
        )
        content = image.decode() if image is not None else None
        if image is None or content is None:
            raise not_found("There is no such image.")
        return Picture(image.media_type, content)

    def _index(self) -> int:
        return self.subject.require_index(self._number("index"))

    def _number(self, name: str, minimum: int = 0) -> int:
        return read_number(self.query, name, minimum=minimum)


def read_number(
    query: Mapping[str, str], name: str, *, minimum: int = 0
) -> int:
    """Return a number of a request. Raise `invalid_input` for anything else."""
    text = query.get(name, "")
    is_number = re.fullmatch(r"-?[0-9]{1,12}", text) is not None
    if not is_number or int(text) < minimum:
        raise invalid(f"{name} must be a number")
    return int(text)


def scope_of(kind: str, name: str) -> Scope:
    """Return the scope that an address names. Raise `not_found`."""
    if kind not in get_args(Kind):
        raise not_found("There is no such page.")
    # The landing view has all changes since one, in groups by prompt.
    fields = {"change": "change_id", "new": "since"}
    field = fields.get(kind, kind)
    arguments: dict[str, Any] = {field: name}
    return Scope(**arguments)


def not_found(message: str) -> FilewrightError:
    """Return the error for an address that names nothing."""
    return FilewrightError(Code.NOT_FOUND, message)
