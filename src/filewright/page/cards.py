"""What the page shows of each file of a change: a card with its names, its badges and its diff.

A change may have ten thousand files and a file a million changed lines: cards come by the page, and those
past a budget of lines bring only their names; their diff is asked for when it is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from filewright.changes import ChangeRecord, Entry, Side
from filewright.page.view import FileView, HunkView, Row, files_of
from filewright.progress import Task
from filewright.text import Snapshot
from filewright.tools import clip
from filewright.visible import one_line
from filewright.workspace import Workspace

CARDS = 50
"""Cards of one page."""
LINES_AT_ONCE = 1_200
"""Lines of diff that come with a page of cards."""
LINES_OF_A_FILE = 400
LINES_AT_MOST = 20_000
"""Lines of one file's diff, at first and when all of it is asked for."""
LINES_UNFOLDED = 1_000
_LOOKED_AT = 1 << 20
"""A file above this size gets no badges that need its content."""

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


@dataclass(frozen=True, slots=True)
class Card:
    """One file. `index` is that of its entry in the change, `view` None where it is not loaded yet.

    `before` and `after` are its sizes in bytes, None where it was not or is not there; `image` says that
    a browser can show it; `lines` is how many it has, where its folded ones can be shown.
    """

    index: int
    path: str
    was: str | None
    action: str
    badges: tuple[str, ...]
    before: int | None
    after: int | None
    image: bool
    view: FileView | None = None
    lines: int | None = None

    @property
    def bare(self) -> bool:
        """Whether there is nothing to show but its names and badges."""
        view = self.view
        return not self.image and view is not None and not (view.hunks or view.binary or view.remarks)

    @property
    def more(self) -> bool:
        """Whether its diff was cut."""
        return self.view is not None and any(remark.startswith("... ") for remark in self.view.remarks)


def cards_of(
    workspace: Workspace, record: ChangeRecord, *, start: int = 0, task: Task | None = None
) -> Sequence[Card]:
    """A page of cards of a change, from the entry `start` on, as many loaded as the budget allows."""
    stop = start + CARDS
    entries = list(islice(record.entries, start, stop))
    left = LINES_AT_ONCE
    found = []
    for index, entry in enumerate(entries, start):
        view = None
        if left > 0 and not _large(entry):
            view = _view(workspace, record, index, LINES_OF_A_FILE, task)
            left -= sum(len(hunk.rows) for hunk in view.hunks) if view is not None else 0
        found.append(_card(workspace, record, index, entry, view))
    return found


def card_of(
    workspace: Workspace, record: ChangeRecord, index: int, *, full: bool = False, task: Task | None = None
) -> Card:
    """The card of one file with its diff; all of it, as far as a browser can take it, with `full`.

    Raises `IndexError` where the change has no such entry.
    """
    entry = record.entries[index]
    view = _view(workspace, record, index, LINES_AT_MOST if full else LINES_OF_A_FILE, task)
    return _card(workspace, record, index, entry, view)


def _view(
    workspace: Workspace, record: ChangeRecord, index: int, lines: int, task: Task | None
) -> FileView | None:
    diff = workspace.diff(record.id, entries=slice(index, index + 1), max_lines=lines, task=task)
    views, remarks = files_of(diff)
    return views[0] if views else FileView(None, None, remarks=remarks)


def _large(entry: Entry) -> bool:
    return any(side is not None and side.size > _LOOKED_AT for side in (entry.before, entry.after))


def _card(
    workspace: Workspace, record: ChangeRecord, index: int, entry: Entry, view: FileView | None
) -> Card:
    before, after = entry.before, entry.after
    badges = [_kind(after or before)]
    if before is not None and after is not None and before.mode != after.mode:
        badges.append(f"mode {before.mode:03o} → {after.mode:03o}")
    lines = None
    if view is not None:
        content = _content(workspace, record, index, entry)
        if content is not None and content.binary is None:
            badges += _written(content)
            lines = content.line_count
        if view.binary:
            badges.append("binary")
    path = entry.place.shown
    return Card(
        index,
        path,
        entry.was.shown if entry.was is not None else None,
        entry.action,
        tuple(filter(None, badges)),
        before.size if before is not None else None,
        after.size if after is not None else None,
        suffix(path) in IMAGES and (after or before or _NOTHING).kind == "file",
        view,
        lines if after is not None else None,
    )


_NOTHING = Side("other", 0, 0, 0)


def _kind(side: Side | None) -> str:
    return {"link": "symbolic link", "folder": "folder", "other": "special file"}.get(
        side.kind if side is not None else "", ""
    )


def _content(workspace: Workspace, record: ChangeRecord, index: int, entry: Entry) -> Snapshot | None:
    """The file as the change left it, or found it if it deleted it; None if it is large, or was not kept."""
    side = entry.after or entry.before
    if side is None or side.kind != "file" or _large(entry):
        return None
    content = workspace.content(record.id, index, "before" if entry.after is None else "after")
    return Snapshot.of_bytes(content) if content is not None else None


def _written(content: Snapshot) -> list[str]:
    """How it is written, where that is not as usual: encoding, mark and line ends."""
    encoding, ends = content.encoding, content.terminators
    found = [] if encoding.is_utf8 else [encoding.name.upper()]
    if encoding.bom:
        found.append("BOM")
    if max(ends.lf, ends.crlf, ends.cr) < ends.total:
        found.append("mixed line ends")
    elif ends.crlf or ends.cr:
        found.append("CRLF" if ends.crlf else "CR")
    return found


def folded_lines(
    workspace: Workspace, record: ChangeRecord, index: int, first: int, last: int, shift: int
) -> FileView | None:
    """Lines `first` to `last` (1-based, at most 1,000) of a file as a change left it, as rows of a diff.

    Before the change they were `shift` lines further down. None if the content was not kept.
    """
    entry = record.entries[index]
    content = _content(workspace, record, index, entry)
    if content is None or content.binary is not None or entry.after is None:
        return None
    first, last = max(first, 1), min(last, first + LINES_UNFOLDED - 1, content.line_count)
    start, stop = content.lines.offset_of(first), content.lines.offset_of(last + 1)
    rows = []
    for number, line in enumerate(content.read(start, stop - start).splitlines(), first):
        shown = one_line(line.decode(content.encoding.name, "replace"))
        rows.append(Row(" ", clip(shown, workspace.settings.line_chars), number + shift, number))
    path = entry.place.shown
    sides = tuple((row, row) for row in rows)
    return FileView(path, path, (HunkView(1, first + shift, first, tuple(rows), sides, 0, 0),))


def suffix(path: str) -> str:
    """The suffix of a shown path, in lower case."""
    return path.strip('"').rpartition("/")[2].rpartition(".")[2].lower()
