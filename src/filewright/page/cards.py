"""The cards of a page, one for each changed file: its names, its badges and its diff.

A change may have ten thousand files, and a file a million changed lines. So cards come
in pages, and cards beyond a budget of lines have no diff: the page requests it when the
person looks at the card.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal
from urllib.parse import quote as quote_url

from filewright.changes.blobs import content_after, content_before
from filewright.changes.diffs import FileDifference
from filewright.changes.model import ChangeRecord, FileChange
from filewright.edit.diff import DiffHunk, DiffRow, FileDiff
from filewright.page.decisions import (
    NO_DECISIONS,
    Decisions,
    file_key,
    hunk_keys,
)
from filewright.page.notebooks import (
    ImagePair,
    OutputImage,
    find_language,
    list_images,
    pair_changed_images,
)
from filewright.page.view import FileView, HunkView, view_of
from filewright.progress import Task
from filewright.text.notebook import NotebookView, view_cells
from filewright.text.snapshot import Snapshot
from filewright.tools.bounded_text import clip
from filewright.wording import to_one_line
from filewright.workspace import Workspace

MAX_CARDS = 50
"""Cards of one page."""
MAX_PAGE_LINES = 1_200
"""Lines of diff that come with a page of cards."""
MAX_FILE_LINES = 400
"""Lines of one file's diff that come at first."""
MAX_UNFOLDED_LINES = 1_000
"""Lines that come when more are requested."""
_LARGE_BYTES = 1 << 20
"""The size above which a file has no badges about its content, which would be read.

Its diff comes when it is requested.
"""

IMAGE_TYPES = {
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
"""The media types of images that browsers show, by suffix."""
_EDITOR_URLS = {
    "vscode": "vscode://file{path}:{line}",
    "cursor": "cursor://file{path}:{line}",
    "zed": "zed://file{path}:{line}",
    "jetbrains": "idea://open?file={path}&line={line}",
}
_LINE_ENDS = re.compile("\r\n|\n|\r")
_KIND_BADGES = {
    "link": "symbolic link",
    "folder": "folder",
    "other": "special file",
}

_GENERATED_NAMES = frozenset(
    (
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "composer.lock",
        "Cargo.lock",
        "Gemfile.lock",
        "poetry.lock",
        "pdm.lock",
        "uv.lock",
        "Pipfile.lock",
        "go.sum",
        "flake.lock",
        "packages.lock.json",
    )
)
_GENERATED_ENDS = (
    ".min.js",
    ".min.css",
    ".js.map",
    ".css.map",
    "_pb2.py",
    ".pb.go",
)
"""Files that programs write: they are folded at first, as deleted ones are."""

Side = Literal[" ", "-", "+"]
"""The side of a line: removed, added, or the same on both."""


@dataclass(frozen=True, slots=True)
class HunkKey:
    """A hunk of a file, by its number, and the key of its content."""

    number: int
    key: str


@dataclass(frozen=True, slots=True)
class Card:
    """One file of a record.

    `index` is the index of its file change. `views` are its diffs: None if they are not
    loaded, and several if others have changed the file in between. `is_image` is True if
    a browser can show it. `line_count` is its count of lines, if folded ones can be
    shown. `key` is the key of its content, by which the person decides about it,
    `decision` the decision, and `fold_reason` a reason to fold it at first. `editor_url`
    opens it. `outputs` are the images that the cells of a notebook put out, as far as
    they differ.
    """

    index: int
    file: FileDifference
    badges: tuple[str, ...]
    is_image: bool
    views: tuple[FileView, ...] | None
    line_count: int | None
    key: str
    decision: str
    fold_reason: str
    editor_url: str
    outputs: tuple[ImagePair, ...] = ()

    @property
    def is_closed(self) -> bool:
        """True if the body is folded at first."""
        return bool(self.decision or self.fold_reason)

    @property
    def is_bare(self) -> bool:
        """True if there is nothing to show but names and badges."""
        if self.is_image or self.views is None:
            return False
        return not any(
            view.hunks or view.file.binary or view.remarks
            for view in self.views
        )

    @property
    def can_undo_hunks(self) -> bool:
        """True if one hunk can be undone alone."""
        if self.views is None or len(self.views) != 1:
            return False
        # The hunks of a notebook are of its cells, not of the file.
        if file_suffix(self.file.path) == "ipynb":
            return False
        return self.file.action in ("modified", "moved")


def make_cards(
    workspace: Workspace,
    record: ChangeRecord,
    decisions: Decisions = NO_DECISIONS,
    *,
    start: int = 0,
) -> Sequence[Card]:
    """Return a page of cards from an index on, loaded as far as the budget goes."""
    changes = islice(record.file_changes, start, start + MAX_CARDS)
    return make_chosen_cards(workspace, enumerate(changes, start), decisions)


def make_chosen_cards(
    workspace: Workspace,
    entries: Iterable[tuple[int, FileChange]],
    decisions: Decisions,
) -> Sequence[Card]:
    """Return the cards of file changes, loaded as far as the budget goes.

    Each entry has the index of a change in its record. Folded files are not loaded.
    """
    # One budget for the page: a person scrolls through the first files.
    remaining_lines = MAX_PAGE_LINES
    cards: list[Card] = []
    for index, change in entries:
        max_lines = MAX_FILE_LINES
        is_folded = _reason_to_fold(change) or decisions.of(file_key(change))
        if remaining_lines <= 0 or _is_large(change) or is_folded:
            max_lines = 0
        card = _make_card(workspace, index, change, max_lines, decisions)
        for view in card.views or ():
            remaining_lines -= sum(len(hunk.rows) for hunk in view.hunks)
        cards.append(card)
    return cards


def make_card(
    workspace: Workspace,
    record: ChangeRecord,
    index: int,
    decisions: Decisions,
    *,
    start: int = 0,
) -> Card:
    """Return the card of one file, with its diff from an offset on."""
    max_lines = MAX_UNFOLDED_LINES if start else MAX_FILE_LINES
    change = record.file_changes[index]
    return _make_card(workspace, index, change, max_lines, decisions, start)


def find_hunk_keys(
    workspace: Workspace, change: FileChange, task: Task
) -> list[HunkKey] | None:
    """Return the keys of all hunks of a file; none if no hunk can be undone alone.

    The diff is read in the windows in which the page shows it, as hunks depend on them.
    Return None if the time is over before all are known.
    """
    keys: list[HunkKey] = []
    if not has_hunks(change):
        return keys
    start, max_lines = 0, MAX_FILE_LINES
    while not task.expired:
        difference = workspace.difference(
            change, max_lines=max_lines, start=start
        )
        if len(difference.diffs) != 1:
            return []
        (diff,) = difference.diffs
        content_keys = hunk_keys(change, diff, workspace.settings.line_chars)
        for hunk, content_key in zip(diff.hunks, content_keys, strict=True):
            keys.append(HunkKey(hunk.number, content_key))
        if diff.next_offset is None:
            return keys
        start, max_lines = diff.next_offset, MAX_UNFOLDED_LINES
    return None


def has_hunks(change: FileChange) -> bool:
    """Return True if single hunks of a file may be undone."""
    if change.action not in ("modified", "moved") or change.after is None:
        return False
    if change.after.kind != "file":
        return False
    # The hunks of a notebook are of its cells, not of the file.
    return file_suffix(change.path.display_path) != "ipynb"


def _reason_to_fold(change: FileChange) -> str:
    """Return why a file is folded at first: it is deleted, or generated."""
    if change.after is None and change.before is not None:
        return "deleted" if change.before.kind == "file" else ""
    name = ""
    if change.path.parts:
        name = change.path.parts[-1].decode("utf-8", "replace")
    if name in _GENERATED_NAMES or name.endswith(_GENERATED_ENDS):
        return "generated"
    return ""


def _is_large(change: FileChange) -> bool:
    return any(
        state is not None and state.size > _LARGE_BYTES
        for state in (change.before, change.after)
    )


def _make_card(
    workspace: Workspace,
    index: int,
    change: FileChange,
    max_lines: int,
    decisions: Decisions,
    start: int = 0,
) -> Card:
    """Return the card of a change; with `max_lines` 0 its diff is not loaded."""
    difference = workspace.difference(change, max_lines=max_lines, start=start)
    content = None
    if max_lines and not _is_large(change):
        content = _read_content(change)
    text = None
    if content is not None and content.binary_type is None:
        text = content
    views: tuple[FileView, ...] | None = None
    if max_lines or difference.kind == "folder":
        views = _make_views(workspace, change, difference, decisions)
    outputs: Sequence[ImagePair] = ()
    if views and isinstance(content, NotebookView):
        language = _find_language(change)
        views = tuple(replace(view, language=language) for view in views)
        outputs = pair_changed_images(
            list_images(_read_side(change, is_before=True)),
            list_images(_read_side(change, is_before=False)),
        )
    line_count = None
    if text is not None and change.after is not None:
        line_count = text.lines.count_lines()
    is_file = difference.kind == "file"
    return Card(
        index=index,
        file=difference,
        badges=tuple(_make_badges(difference, text, views or ())),
        is_image=is_file and file_suffix(difference.path) in IMAGE_TYPES,
        views=views,
        line_count=line_count,
        key=file_key(change),
        decision=_decision_of(change, views, decisions),
        fold_reason=_reason_to_fold(change),
        editor_url=_editor_url(workspace.settings.editor, change, views or ()),
        outputs=tuple(outputs),
    )


def _make_views(
    workspace: Workspace,
    change: FileChange,
    difference: FileDifference,
    decisions: Decisions,
) -> tuple[FileView, ...]:
    """Return the views of a file's diffs; none of a folder, whose files have cards."""
    if difference.kind == "folder":
        return ()
    line_chars = workspace.settings.line_chars
    return tuple(
        _mark_hunks(change, view_of(diff), decisions, line_chars)
        for diff in difference.diffs
    )


def _make_badges(
    difference: FileDifference,
    text: Snapshot | None,
    views: Sequence[FileView],
) -> list[str]:
    """Return the badges of a file: its kind, its mode, and facts about its text."""
    badges: list[str] = []
    if difference.kind in _KIND_BADGES:
        badges.append(_KIND_BADGES[difference.kind])
    before, after = difference.mode_before, difference.mode_after
    if before is not None and after is not None and before != after:
        badges.append(f"mode {before:03o} → {after:03o}")
    if text is not None:
        badges += _describe_text(text)
    if any(view.file.binary for view in views):
        badges.append("binary")
    return badges


def _read_side(change: FileChange, *, is_before: bool) -> bytes:
    """Return the content before or after a change, empty if there is none."""
    content = content_before(change) if is_before else content_after(change)
    return content or b""


def _find_language(change: FileChange) -> str:
    """Return the language of the code in a notebook.

    It is empty if only the outputs differ: then the diff is that of the file itself.
    """
    before = _read_side(change, is_before=True)
    after = _read_side(change, is_before=False)
    if (
        view_cells(Snapshot(before)).content
        == view_cells(Snapshot(after)).content
    ):
        return ""
    return find_language(after or before)


def read_output_image(
    change: FileChange, index: int, *, is_before: bool
) -> OutputImage | None:
    """Return an image output of a notebook before or after a change."""
    images = list_images(_read_side(change, is_before=is_before))
    return images[index] if index < len(images) else None


def _mark_hunks(
    change: FileChange, view: FileView, decisions: Decisions, line_chars: int
) -> FileView:
    """Return a view whose hunks have their keys and decisions."""
    keys = hunk_keys(change, view.file, line_chars)
    hunks: list[HunkView] = []
    for hunk, key in zip(view.hunks, keys, strict=True):
        hunks.append(replace(hunk, mark=key, decision=decisions.of(key)))
    return replace(view, hunks=tuple(hunks))


def _decision_of(
    change: FileChange,
    views: Sequence[FileView] | None,
    decisions: Decisions,
) -> str:
    """Return the decision about a file, or the one about all its hunks."""
    decision = decisions.of(file_key(change))
    if decision or not views or len(views) != 1 or not has_hunks(change):
        return decision
    (view,) = views
    is_complete = (
        view.file.next_offset is None and not view.file.omitted_changes
    )
    hunk_decisions = {hunk.decision for hunk in view.hunks}
    if not is_complete or not hunk_decisions or "" in hunk_decisions:
        return ""
    # Accepted and undone hunks together leave a file as the person wants it.
    return hunk_decisions.pop() if len(hunk_decisions) == 1 else "accepted"


def count_lines(
    workspace: Workspace, change: FileChange
) -> FileDifference | None:
    """Return a file with its lines counted, or None for a large one."""
    if _is_large(change):
        return None
    return workspace.difference(change, max_lines=0)


def _editor_url(
    editor: str, change: FileChange, views: Sequence[FileView]
) -> str:
    """Return the URL that opens a file at its first change, or an empty text.

    There is none without an editor in the settings, or without a file.
    """
    if not editor or change.after is None or change.after.kind != "file":
        return ""
    line = 1
    for view in views:
        if view.hunks:
            line = view.hunks[0].new
            break
    path = quote_url(b"/".join((change.path.root, *change.path.parts)))
    url = _EDITOR_URLS.get(editor, editor)
    return url.replace("{path}", path).replace("{line}", str(line))


def _read_content(change: FileChange) -> Snapshot | None:
    """Return the content after a change, or before a deletion; None if it is not stored.

    If both sides are notebooks, the content is the text of the cells.
    """
    state = change.after or change.before
    if state is None or state.kind != "file":
        return None
    after = content_after(change)
    content = content_before(change) if change.after is None else after
    if content is None:
        return None
    if file_suffix(change.path.display_path) == "ipynb":
        old_cells = view_cells(Snapshot(content_before(change) or b""))
        new_cells = view_cells(Snapshot(after or b""))
        if _is_notebook(old_cells) and _is_notebook(new_cells):
            return old_cells if change.after is None else new_cells
    return Snapshot(content)


def _is_notebook(side: Snapshot) -> bool:
    """Return True for a notebook, and for an empty side, where there is no file."""
    return isinstance(side, NotebookView) or not side.size


def _describe_text(content: Snapshot) -> list[str]:
    """Return badges for an unusual encoding, byte-order mark or line ends."""
    badges: list[str] = []
    encoding, line_ends = content.encoding, content.lines.terminators
    if not encoding.is_utf8:
        badges.append(encoding.name.upper())
    if encoding.bom:
        badges.append("BOM")
    if max(line_ends.lf, line_ends.crlf, line_ends.cr) < line_ends.total:
        badges.append("mixed line ends")
    elif line_ends.crlf:
        badges.append("CRLF")
    elif line_ends.cr:
        badges.append("CR")
    return badges


def read_rows(
    workspace: Workspace,
    record: ChangeRecord,
    index: int,
    sign: Side,
    first_line: int,
    line_count: int,
) -> list[DiffRow] | None:
    """Return lines of a file before (with "-") or after a change, as rows of a diff.

    After `MAX_UNFOLDED_LINES` one row stands for the rest. Return None if the content
    was not stored.
    """
    change = record.file_changes[index]
    if not line_count:
        return []
    is_before = sign == "-"
    state = change.before if is_before else change.after
    # Without a state after it, the content before the change is read.
    content = _read_content(
        replace(change, after=None) if is_before else change
    )
    if state is None or content is None or content.binary_type is not None:
        return None
    first_line = max(first_line, 1)
    line_count = min(line_count, content.lines.count_lines() - first_line + 1)
    last_line = first_line + min(line_count, MAX_UNFOLDED_LINES) - 1
    start_offset = content.lines.offset_of(first_line)
    end_offset = content.lines.offset_of(last_line + 1)
    text = content.read(start_offset, end_offset - start_offset).decode(
        content.encoding.name, "replace"
    )
    lines = _LINE_ENDS.split(text)[: max(last_line - first_line + 1, 0)]
    rows: list[DiffRow] = []
    for number, line in enumerate(lines, first_line):
        shown_text = clip(to_one_line(line), workspace.settings.line_chars)
        rows.append(_make_row(sign, shown_text, number))
    if line_count > MAX_UNFOLDED_LINES:
        hidden_count = line_count - MAX_UNFOLDED_LINES
        rows.append(_make_row(sign, "", last_line + 1, hidden=hidden_count))
    return rows


def _make_row(sign: Side, text: str, number: int, hidden: int = 0) -> DiffRow:
    """Return a row of a diff, numbered on each side that it is on."""
    return DiffRow(
        sign=sign,
        text=text,
        old=None if sign == "+" else number,
        new=None if sign == "-" else number,
        hidden=hidden,
    )


def view_rows(
    record: ChangeRecord, index: int, rows: Sequence[DiffRow]
) -> FileView:
    """Return the view of some rows of a file."""
    change = record.file_changes[index]
    path = change.path.display_path
    view = view_of(FileDiff(path, path, (DiffHunk(0, 0, 0, 0, tuple(rows)),)))
    if file_suffix(path) != "ipynb":
        return view
    return replace(view, language=_find_language(change))


def file_suffix(path: str) -> str:
    """Return the suffix of a displayed path, in lower case and without the dot."""
    # A path with unusual characters is displayed in quotes.
    name = path.strip('"').rpartition("/")[2]
    return name.rpartition(".")[2].lower()
