"""What the page shows of each file of some changes: a card with its names, its badges and its diff.

A change may have ten thousand files and a file a million changed lines: cards come by the page, and those
past a budget of lines bring only their names; their diff is asked for when it is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal
from urllib.parse import quote as quote_path

from filewright.changes.blobs import content_after, content_before
from filewright.changes.diffs import FileDifference
from filewright.changes.model import ChangeRecord, FileChange
from filewright.edit.diff import DiffHunk, DiffRow, FileDiff
from filewright.page.view import FileView, view_of
from filewright.text.notebook import NotebookView, view_cells
from filewright.text.snapshot import Snapshot
from filewright.tools.bounded_text import clip
from filewright.wording import to_one_line
from filewright.workspace import Workspace

CARDS = 50
"""Cards of one page."""
LINES_AT_ONCE = 1_200
"""Lines of diff that come with a page of cards."""
LINES_OF_A_FILE = 400
"""Lines of one file's diff, at first."""
LINES_UNFOLDED = 1_000
"""Lines that come when more are asked for."""
_LOOKED_AT = 1 << 20
"""A file above this size gets no badges that need its content, and its diff comes when it is asked for."""

IMAGES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "bmp": "image/bmp",
    "ico": "image/x-icon",
    "avif": "image/avif",
    "svg": "image/svg+xml",
}
"""What a browser shows as an image, by suffix."""
_EDITORS = {
    "vscode": "vscode://file{path}:{line}",
    "cursor": "cursor://file{path}:{line}",
    "zed": "zed://file{path}:{line}",
    "jetbrains": "idea://open?file={path}&line={line}",
}
_ENDS = re.compile("\r\n|\n|\r")
_KINDS = {"link": "symbolic link", "folder": "folder", "other": "special file"}


@dataclass(frozen=True, slots=True)
class Card:
    """One file. `index` is that of its entry in the record, `file` what became of it.

    `views` are its diffs, None where they are not loaded; there are several where others have changed the file in
    between. `image` says that a browser can show it; `lines` is how many it has, where its folded ones can be
    shown. `version` tells this state of it from another, `editor`
    is an address that opens it.
    """

    index: int
    file: FileDifference
    badges: tuple[str, ...]
    image: bool
    views: tuple[FileView, ...] | None
    lines: int | None
    version: str
    editor: str

    @property
    def bare(self) -> bool:
        """Whether there is nothing to show but its names and badges."""
        return (
            not self.image
            and self.views is not None
            and not any(
                view.hunks or view.file.binary or view.remarks
                for view in self.views
            )
        )

    @property
    def hunks(self) -> bool:
        """Whether one hunk of it can be taken back by itself."""
        one = self.views is not None and len(self.views) == 1
        return (
            one
            and self.file.action in ("modified", "moved")
            and suffix(self.file.path) != "ipynb"
        )


def cards_of(
    workspace: Workspace, record: ChangeRecord, *, start: int = 0
) -> Sequence[Card]:
    """A page of cards, from the entry `start` of the record on, as many loaded as the budget allows."""
    left = LINES_AT_ONCE
    found = []
    for index, entry in enumerate(
        islice(record.file_changes, start, start + CARDS), start
    ):
        lines = LINES_OF_A_FILE if left > 0 and not _large(entry) else 0
        card = _card(workspace, index, entry, lines)
        left -= sum(
            len(hunk.rows) for view in card.views or () for hunk in view.hunks
        )
        found.append(card)
    return found


def card_of(
    workspace: Workspace, record: ChangeRecord, index: int, *, start: int = 0
) -> Card:
    """The card of one file with its diff, or with more of it: what follows the offset `start`."""
    lines = LINES_UNFOLDED if start else LINES_OF_A_FILE
    return _card(workspace, index, record.file_changes[index], lines, start)


def _large(entry: FileChange) -> bool:
    return any(
        side is not None and side.size > _LOOKED_AT
        for side in (entry.before, entry.after)
    )


def _card(
    workspace: Workspace,
    index: int,
    entry: FileChange,
    lines: int,
    start: int = 0,
) -> Card:
    """The card of an entry with a diff of so many `lines`; with 0 it is not loaded, but its lines are counted."""
    found = workspace.difference(entry, max_lines=lines, start=start)
    badges = [_KINDS[found.kind]] if found.kind in _KINDS else []
    if (
        None not in (found.mode_before, found.mode_after)
        and found.mode_before != found.mode_after
    ):
        badges.append(f"mode {found.mode_before:03o} → {found.mode_after:03o}")
    content = _held(entry) if lines and not _large(entry) else None
    if content is not None and content.binary_type is None:
        badges += _written(content)
    views = tuple(map(view_of, found.diffs)) if lines else None
    if found.kind == "folder":
        views = ()  # it has no content, and what is in it has cards of its own
    if views and any(view.file.binary for view in views):
        badges.append("binary")
    text = (
        content is not None
        and content.binary_type is None
        and entry.after is not None
    )
    return Card(
        index,
        found,
        tuple(badges),
        suffix(found.path) in IMAGES and found.kind == "file",
        views,
        content.lines.count_lines() if content is not None and text else None,
        _version(entry),
        _editor(workspace.settings.editor, entry, views or ()),
    )


def row_of(
    workspace: Workspace, entry: FileChange, *, counted: bool
) -> tuple[FileChange, str, Any]:
    """An entry as the tree has it: its version, and its lines if they are to be counted."""
    file = counted and not _large(entry)
    return (
        entry,
        _version(entry),
        workspace.difference(entry, max_lines=0) if file else None,
    )


def _version(entry: FileChange) -> str:
    """What tells this state of a file from another: its content, or that it is gone."""
    return (
        "gone"
        if entry.after is None
        else entry.after.digest or entry.after.kind
    )


def _editor(wanted: str, entry: FileChange, views: Sequence[FileView]) -> str:
    """The address that opens a file where it was changed; empty without an editor, or a file."""
    if not wanted or entry.after is None or entry.after.kind != "file":
        return ""
    line = next((hunk.new for view in views for hunk in view.hunks), 1)
    path = quote_path(b"/".join((entry.path.root, *entry.path.parts)))
    return (
        _EDITORS.get(wanted, wanted)
        .replace("{path}", path)
        .replace("{line}", str(line))
    )


def _held(entry: FileChange) -> Snapshot | None:
    """The file as it was left, or found where it was deleted; None if it was not kept."""
    side = entry.after or entry.before
    if side is None or side.kind != "file":
        return None
    content = (
        content_before(entry) if entry.after is None else content_after(entry)
    )
    if content is None:
        return None
    if suffix(entry.path.display_path) == "ipynb":
        # Its diff is one of cells where both sides are such, and so are its lines.
        sides = content_before(entry) or b"", content_after(entry) or b""
        both = [view_cells(Snapshot(side)) for side in sides]
        if all(
            isinstance(each, NotebookView) or not each.size for each in both
        ):
            return both[entry.after is not None]
    return Snapshot(content)


def _written(content: Snapshot) -> list[str]:
    """How it is written, where that is not as usual: encoding, mark and line ends."""
    encoding, ends = content.encoding, content.lines.terminators
    found = [] if encoding.is_utf8 else [encoding.name.upper()]
    if encoding.bom:
        found.append("BOM")
    if max(ends.lf, ends.crlf, ends.cr) < ends.total:
        found.append("mixed line ends")
    elif ends.crlf or ends.cr:
        found.append("CRLF" if ends.crlf else "CR")
    return found


def lines_of(
    workspace: Workspace,
    record: ChangeRecord,
    index: int,
    sign: Literal[" ", "-", "+"],
    first: int,
    count: int,
) -> list[DiffRow] | None:
    """Up to 1,000 lines of a file as it was (with "-") or was left, as rows, and one for the rest.

    None if the content was not kept.
    """
    entry = record.file_changes[index]
    if not count:
        return []
    content = _held(replace(entry, after=None) if sign == "-" else entry)
    if (
        content is None
        or content.binary_type is not None
        or (entry.before if sign == "-" else entry.after) is None
    ):
        return None
    first = max(first, 1)
    lines = content.lines
    count = min(count, lines.count_lines() - first + 1)
    last = first + min(count, LINES_UNFOLDED) - 1
    start, stop = (lines.offset_of(at) for at in (first, last + 1))
    text = content.read(start, stop - start).decode(
        content.encoding.name, "replace"
    )
    old, new = sign != "+", sign != "-"
    made = [
        DiffRow(
            sign,
            clip(to_one_line(line), workspace.settings.line_chars),
            number if old else None,
            number if new else None,
        )
        for number, line in enumerate(
            _ENDS.split(text)[: max(last - first + 1, 0)], first
        )
    ]
    if count > LINES_UNFOLDED:
        rest = last + 1
        made.append(
            DiffRow(
                sign,
                "",
                rest if old else None,
                rest if new else None,
                hidden=count - LINES_UNFOLDED,
            )
        )
    return made


def drawn(
    record: ChangeRecord, index: int, rows: Sequence[DiffRow]
) -> FileView:
    """Rows of a file as a diff of it has them."""
    path = record.file_changes[index].path.display_path
    return view_of(FileDiff(path, path, (DiffHunk(0, 0, 0, 0, tuple(rows)),)))


def suffix(path: str) -> str:
    """The suffix of a shown path, in lower case."""
    return path.strip('"').rpartition("/")[2].rpartition(".")[2].lower()
