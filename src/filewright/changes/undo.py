"""Undo: the inverse of what a change did, or several together, as a change set of its own.

Where a file has moved on since, the inverse is merged three ways, line by line: a clean merge is
applied and disclosed, a conflict is refused with what could be done instead. What was deleted or
moved away since comes back. With `force` each file gets its earlier content, over whatever is there.

Every entry is looked at once, and the questions about other entries are look-ups by the folders
above, so that the work follows the number of entries.
"""

from __future__ import annotations

import codecs
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple, NoReturn

import xxhash

from filewright import errors
from filewright.boundary.location import Location
from filewright.changes.blobs import (
    MemoryContent,
    backward_splices,
    content_after,
    content_before,
    forward_splices,
    stored_content_before,
)
from filewright.changes.change_tree import ChangeTree, DeferredChangeSet
from filewright.changes.history import Selection
from filewright.changes.model import (
    FileChange,
    FileState,
    RecordedPath,
    parent_paths,
    path_after_moves,
    states_match,
)
from filewright.changes.tree_node import TreeNode
from filewright.changes.tree_steps import apply_step, arrive, leave
from filewright.edit.changed_lines import group_into_hunks
from filewright.edit.changeset import (
    ContentStream,
    Create,
    Delete,
    ExpectedState,
    MakeFolder,
    MakeLink,
    Modify,
    Move,
    SetMode,
    SetOwner,
    Step,
)
from filewright.edit.diff import Diff
from filewright.edit.diff3 import merge_lines
from filewright.edit.linediff import find_line_splices
from filewright.edit.overlay import Overlay
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.settings import Settings
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply_splices
from filewright.text.utf8_view import Utf8View
from filewright.wording import to_one_line

_WIDE = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_PAIRS = "surrogatepass"
_SIDE, _WIDTH, _SIDES_SHOWN = 12, 200, 10
"""Lines and characters that are shown of one side of a conflict, and conflicts that a message shows."""
_MOST_LISTED = 200
"""Conflicts that one refusal lists, and notes that one answer does."""
_GONE = "has been moved or deleted since"
_EDITED = "was created by that change and has been edited since"
_NOT_KEPT = "was deleted and not kept"
_ONLY_CHANGES_KEPT = (
    "has been deleted or moved since, and only what changed in it was kept"
)
_SOMETHING_NEW = "was deleted by that change, and something new is there now"
_TOO_LARGE = "has changed since, and is too large to be merged"


class Conflict(NamedTuple):
    """Why a path cannot be given back: at which lines of the file as it is now, the first and the last, which
    are `now`, and what undoing would have there (`then`)."""

    path: str
    why: str
    lines: tuple[int, int] | None = None
    now: str | None = None
    then: str | None = None

    @property
    def at(self) -> str:
        """The lines, for people."""
        return f" (lines {self.lines[0]} to {self.lines[1]})" if self.lines else ""

    @property
    def sides(self) -> str:
        """Both sides, marked as git marks them."""
        if self.now is None:
            return f"\n{self.path} {self.why}"
        now, then = (f"{side}\n" if side else "" for side in (self.now, self.then))
        return (
            f"\n{self.path}{self.at}\n<<<<<<< now\n{now}=======\n{then}>>>>>>> undone"
        )


class _RefusedError(Exception):
    """Something cannot be given back, which is among the conflicts."""


class Reversal:
    """The undo of what `selected` names: a change set that is worked out on the tree of its commit.

    Each time it is, `merged` are the paths where later changes were kept by a three-way merge, and `notes` say what
    a person should know. `conflicts` are what refused it, `left` those that are left as they are.

    Raises `unsupported` if nothing was kept, `path_escape` if it would reach beyond the roots.
    """

    def __init__(
        self,
        selected: Selection,
        settings: Settings,
        task: Task,
        *,
        locate: Callable[[RecordedPath], Location],
        force: bool,
        break_hard_links: bool,
        left: Sequence[Conflict] = (),
    ) -> None:
        record = selected.record
        if not record.undoable:
            raise FilewrightError(
                Code.UNSUPPORTED,
                f"{'something of ' if len(selected.change_ids) > 1 else ''}"
                f"{selected.description} was made with undoable=false; nothing was kept "
                "to undo it with",
                details=selected.details,
            )
        self.selected, self.diff = selected, Diff(())
        self.conflicts: tuple[Conflict, ...] = ()
        self.left = tuple(left)
        self._hunk = selected.hunk
        self._settings, self._task, self._locate, self._force = (
            settings,
            task,
            locate,
            force,
        )
        self._entries: list[FileChange] = []
        self._roots: list[str] = []
        for entry in record.file_changes:
            # A folder of an outer root may be a root of its own here, whose rights are never changed.
            if entry.action != "attributes" or entry.path.parts:
                self._entries.append(entry)
            else:
                self._roots.append(locate(entry.path).requested_path.rstrip(":"))
        self._renamed: list[FileChange] = []
        self._places: dict[RecordedPath, Location] = {}
        for entry in self._entries:
            self._places[entry.path] = locate(entry.path)
            if entry.renamed_from is not None:
                self._renamed.append(entry)
                self._places[entry.renamed_from] = locate(entry.renamed_from)
        self.change_set = DeferredChangeSet(
            "revert_edit",
            selected.summary,
            (),
            break_hard_links or force,
            reverts=selected.change_ids,
            partial=selected.partial,
            build_steps=self._arrange,
            locations=self._places.values(),
        )

    def rest(self) -> Selection | None:
        """Return what is selected without the files that refused it; None if nothing else is left."""
        refused = {conflict.path for conflict in self.conflicts}
        entries = [
            entry
            for entry in self._entries
            if refused.isdisjoint(
                self._places[place].display_path for place in entry.paths
            )
        ]
        if not entries or len(entries) == len(self._entries):
            return None
        return self.selected._replace(
            record=replace(self.selected.record, file_changes=entries),
            summary=f"{self.selected.summary} (in part)",
            partial=True,
        )

    def _arrange(self, tree: ChangeTree) -> Sequence[Step]:
        """Take it back on a tree, but for the steps that come after.

        Raises `stale_version` with the conflicts in its details, `no_change` if nothing is left to do.
        """
        self._tree, self._does = tree, False
        self._conflicts: dict[tuple[str, int], Conflict] = {}
        self._notes = [
            f"{root} is a root of the workspace, so its mode and owner stay; a workspace on the folder above alone "
            "takes them back"
            for root in self._roots
        ]
        self._merged: list[str] = []
        self._afterwards: list[Step] = []
        try:
            self._rearrange()
        except FilewrightError:
            if not self._conflicts:
                raise
        self.conflicts = tuple(self._conflicts.values())
        if self._conflicts:
            raise _refusal(
                self.selected, self.conflicts, has_rest=self.rest() is not None
            )
        # A file may be merged more than once, where others changed it in between.
        self.merged = tuple(dict.fromkeys(self._merged))
        self.notes = tuple(dict.fromkeys(self._notes))[:_MOST_LISTED]
        if not (self._does or self._afterwards):
            raise FilewrightError(
                Code.NO_CHANGE,
                f"there is nothing left to undo of {self.selected.description}",
                hint="; ".join(self.notes[:5]) or None,
                details=self.selected.details,
            )
        return self._afterwards

    def _rearrange(self) -> None:
        """First all that is not to be where it is leaves its place, from below; then what is to be somewhere comes
        there, from above."""
        back: dict[RecordedPath, RecordedPath] = {}
        for entry in sorted(self._renamed, key=lambda each: len(each.path.parts)):
            # What a folder above carried along is where that brings it back.
            if entry.renamed_from is not None and (
                path_after_moves(entry.path, back) != entry.renamed_from
                or entry.moved_with_parent is False
            ):
                back[entry.path] = entry.renamed_from
        meant: set[TreeNode] = set()
        leaving: list[tuple[FileChange, TreeNode]] = []
        coming: list[tuple[FileChange, FileState, TreeNode | None, bool]] = []
        for entry in self._entries:
            self._task.check()
            before, after = entry.before, entry.after
            where = self._places[entry.path]
            item = self._there(where) if after else None
            moves = entry.renamed_from is not None and entry.path in back
            with suppress(_RefusedError):
                if item is None or after is None:
                    if before is None:
                        self._notes.append(f"{where.display_path} is gone already")
                elif item in meant:
                    # One thing is at the place of two: the other one was overwritten.
                    self._refuse(entry.path, _GONE)
                else:
                    meant.add(item)
                    if before is None:
                        self._require_as_made(entry, after, item)
                    else:
                        self._change_back(entry, before, after, item)
                    if moves or before is None:
                        leaving.append((entry, item))
                if before is not None and (
                    moves
                    or after is None
                    or before.kind == "file" != (item and item.kind)
                ):
                    coming.append((entry, before, item, moves))
        leaving.sort(key=lambda each: -len(each[0].path.parts))
        # A folder that was made stays if others have put something into it; else all that is in it goes along.
        stays: set[TreeNode] = set()
        along: set[TreeNode] = set()
        inside: dict[TreeNode, list[TreeNode]] = {}
        for entry, item in leaving:
            below = inside.pop(item, [])
            if entry.before is None and item.kind == "folder":
                if len(item.child_names()) > len(below):
                    shown = self._places[entry.path].display_path
                    self._notes.append(
                        f"{shown}/ stays: others have put something into it"
                    )
                    stays.add(item)
                    continue
                along.update(below)
            if item.position is not None:
                inside.setdefault(item.position.folder, []).append(item)
        for entry, item in leaving:
            where = self._places[entry.path]
            if entry.before is not None:
                position = self._tree.find(where, changing=True).position
                leave(self._tree, item, where, position)
            elif item in along and item.position is not None:
                item.position.folder.put(item.position.name, None, where.requested_path)
            elif item not in stays:
                self._play(Delete(where))
        for entry, before, item, moves in sorted(
            coming, key=lambda each: len((each[0].renamed_from or each[0].path).parts)
        ):
            with suppress(_RefusedError):
                self._bring_back(entry, before, item, moves=moves)

    def _refuse(self, place: RecordedPath, why: str) -> NoReturn:
        shown = self._places[place].display_path
        self._conflicts.setdefault((shown, 0), Conflict(shown, why))
        raise _RefusedError

    def _play(self, step: Step) -> None:
        self._does = True
        apply_step(self._tree, step)

    def _there(self, where: Location) -> TreeNode | None:
        """What is at a place by now."""
        try:
            return self._tree.find(where).node
        except FilewrightError as error:
            if error.code not in (
                Code.NOT_FOUND,
                Code.NOT_A_DIRECTORY,
                Code.PATH_ESCAPE,
            ):
                raise
            return None

    def _require_inside(self, place: RecordedPath) -> None:
        """What comes back to `place` must not go through a link that leads out: it goes with `force`."""
        try:
            self._tree.find(self._places[place])
        except FilewrightError as error:
            if error.code is not Code.PATH_ESCAPE:
                return
            # A folder was there when the change was made.
            for link in reversed(tuple(parent_paths(place))):
                where = self._places[link] = self._locate(link)
                if (item := self._there(where)) is not None and item.kind == "link":
                    break
            else:
                raise
            if not self._force:
                self._refuse(
                    link,
                    f"is a link that leads out of the root now, and {place.display_path} was below it",
                )
            self._play(Delete(where))

    def _open(self, item: TreeNode, where: Location) -> Snapshot:
        try:
            return Snapshot.of_file(item.open_original(), where, self._settings)
        except OSError as error:
            raise from_os_error(error, where.requested_path) from error

    # What was made

    def _require_as_made(
        self, entry: FileChange, after: FileState, item: TreeNode
    ) -> None:
        """Refuse to take away what is something else than a change has made."""
        place = entry.path
        if item.kind != after.kind:
            self._refuse(place, _is_now(item.kind))
        if item.kind == "link" and item.target != after.link_target:
            self._refuse(place, "is a link to something else now")
        if item.kind != "file":
            return
        with self._open(item, self._places[place]) as now:
            item.expected = ExpectedState.from_snapshot(now)
            if self._force:
                return
            if now.content is not None:
                self._earlier(entry, now.content)
            elif entry.segments or now.digest(self._task) != after.digest:
                self._refuse(place, _EDITED)

    # What was deleted or moved

    def _bring_back(
        self,
        entry: FileChange,
        before: FileState,
        item: TreeNode | None,
        *,
        moves: bool,
    ) -> None:
        """Bring something back to where it was: by its name, or made anew of what was kept."""
        was, gone = entry.renamed_from or entry.path, entry.after is None
        where = self._places[was]
        if moves and entry.renamed_later and not self._force:
            self._refuse(
                entry.path, f"was {where.display_path}, and was renamed again since"
            )
        if moves and item is not None:
            self._require_inside(was)
            self._does = True
            arrive(
                self._tree,
                item,
                Move(self._places[entry.path], where, overwrite=self._force),
            )
            return
        if not gone and before.kind != "file":
            self._refuse(entry.path, _GONE)
        if before.kind == "other":
            self._notes.append(
                f"{where.display_path} was a special file and cannot be made again"
            )
            return
        taken = self._there(where)
        kind = taken.kind if taken is not None else None
        over = kind == before.kind and (
            kind == "folder" or (kind == "file" and self._force)
        )
        if taken is not None and not over:
            if not self._force:
                self._refuse(
                    was,
                    _SOMETHING_NEW
                    if gone and before.kind != "folder"
                    else _is_now(kind),
                )
            self._play(Delete(where, recursive=True))
        self._require_inside(was)
        if before.kind == "folder":
            self._play(MakeFolder(where, before.attributes))
            if not over:
                self._afterwards += (
                    SetOwner(where, before.uid, before.gid),
                    SetMode(where, f"{before.mode:05o}"),
                )
        elif before.link_target is not None:
            self._play(MakeLink(where, before.link_target))
        else:
            content: ContentStream | None = stored_content_before(entry)
            if gone and entry.segments and not self._force:
                content = MemoryContent(self._earlier(entry, None) or b"")
            if content is None:
                self._refuse(
                    entry.path,
                    _NOT_KEPT if gone else _GONE if moves else _ONLY_CHANGES_KEPT,
                )
            self._play(
                Create(
                    where,
                    content,
                    *before.mode_and_owner,
                    before.mtime_ns,
                    before.attributes,
                    replace=over,
                )
            )
            if not gone and not moves:
                self._notes.append(
                    f"{where.display_path} has been deleted or moved since; it is made anew"
                )

    # What was rewritten or altered

    def _change_back(
        self, entry: FileChange, before: FileState, after: FileState, item: TreeNode
    ) -> None:
        if before.kind == "file" != item.kind:
            return
        where, rights = self._places[entry.renamed_from or entry.path], item.rights
        given_back = SetMode(where, f"{before.mode:05o}")
        if before.kind == "file" and (
            entry.packed_spans or before.digest != after.digest
        ):
            step = self._rewritten(entry, before, after, item, where)
            if step is not None and not after.mode & 0o222 and rights[0] == after.mode:
                # The change wrote to a file that was read-only already, and so may its undo.
                writable = SetMode(where, f"{after.mode | stat.S_IWUSR:05o}")
                self._afterwards += writable, step, given_back
            elif step is not None:
                self._afterwards.append(step)
        owner, made = (before.uid, before.gid), (after.uid, after.gid)
        if owner != made == rights[1:]:
            self._afterwards.append(SetOwner(where, *owner))
        if before.mode != after.mode == rights[0]:
            self._afterwards.append(given_back)
        elif before.mode != after.mode:
            self._notes.append(
                f"{where.display_path}: its mode was changed again since, and stays"
            )

    def _rewritten(
        self,
        entry: FileChange,
        before: FileState,
        after: FileState,
        item: TreeNode,
        where: Location,
    ) -> Modify | Create | None:
        """The step that gives a file its earlier content; None if it has that."""
        with self._open(item, self._places[entry.path]) as now:
            held = now.content
            # What is added at the end needs no merge, for which it was not kept.
            grown = before.blob is None and now.size > after.size
            if (
                held is None
                or grown
                or max(before.size, after.size) > self._settings.hold_bytes
            ):
                return self._rewritten_large(entry, before, after, item, now, where)
            expected = ExpectedState.from_snapshot(now)
            if (
                self._hunk is None
                and not entry.segments
                and now.digest() == after.digest
                and (made := backward_splices(entry)) is not None
            ):
                return Modify(where, expected, made)
            whole = self._force and self._hunk is None and stored_content_before(entry)
            earlier = whole.read() if whole else self._earlier(entry, held)
            splices = find_line_splices(held, earlier or b"")
            return Modify(where, expected, splices) if splices else None

    def _rewritten_large(
        self,
        entry: FileChange,
        before: FileState,
        after: FileState,
        item: TreeNode,
        now: Snapshot,
        where: Location,
    ) -> Modify | Create:
        """The same of a file that is not held: by the splices that were kept, if it is as it was left or has grown."""
        shown = self._places[entry.path].display_path
        if self._hunk is not None:
            raise errors.no_undo_by_hunks(shown)
        if entry.segments and not self._force:
            self._refuse(entry.path, _TOO_LARGE)
        expected = ExpectedState(now.size, now.identity, after.digest or None)
        splices: Sequence[Splice] = ()
        last, found = entry.content_edits[-1], None
        for edit in reversed(entry.content_edits):
            self._task.check()
            back = (
                backward_splices(edit)
                if edit is last or states_match(edit.after, found)
                else None
            )
            if back is None:
                break
            found = edit.before
            splices = Overlay(now, splices).compose(back) if splices else back
        else:
            if now.size == after.size and after.digest:
                # The commit's copy loop hashes the file anyway, and refuses if it is another.
                return Modify(where, expected, splices)
            begun = xxhash.xxh3_128()
            for _, block in now.blocks(0, after.size) if now.size > after.size else ():
                self._task.check()
                begun.update(block)
            if begun.hexdigest() != after.digest:
                self._refuse(entry.path, _TOO_LARGE)
            self._merged.append(shown)
            self._notes.append(
                f"{shown} has grown at its end since; what was added stays"
            )
            return Modify(where, replace(expected, digest=None), splices)
        stream = stored_content_before(entry)
        if stream is None:
            self._refuse(entry.path, "is too large to be undone from what was kept")
        if self._force:
            expected = replace(expected, digest=None)
        elif now.size != after.size:
            self._refuse(entry.path, _TOO_LARGE)
        return Create(
            where,
            stream,
            *item.rights,
            before.mtime_ns,
            replace=True,
            expected=expected,
        )

    # What a file held

    def _earlier(self, entry: FileChange, held: bytes | None) -> bytes | None:
        """What is left of a file when each run is taken back, the last first; None if that is no file.

        What others have deleted in between comes back.
        """
        runs = entry.runs
        if len(runs) > 1 and self._hunk is not None:
            raise errors.no_undo_by_hunks(self._places[entry.path].display_path)
        for run in reversed(runs):
            self._task.check()
            if run.before is None:
                if held is not None and not _is(held, run.after):
                    self._refuse(run.path, _EDITED)
                held = None
            elif held is None:
                held = content_before(run)
                if held is None:
                    self._refuse(run.path, _NOT_KEPT)
            elif run.after is None:
                self._refuse(run.path, _SOMETHING_NEW)
            else:
                held = self._without(run, held)
        return held

    def _without(self, run: FileChange, held: bytes) -> bytes:
        """What a file holds, without what a run did to it.

        Where others have changed it since it is a merge: what the run made is the base; the file now and the file
        before are the two sides.
        """
        unchanged = _is(held, run.after)
        earlier = content_before(run, held if unchanged else None)
        if earlier is None:
            self._refuse(run.path, "was not kept as it was before")
        made = held if unchanged else content_after(run)
        if made is None:
            self._refuse(
                run.path,
                "has changed since, and what the change made of it was not kept",
            )
        if self._hunk is not None:
            earlier = self._without_hunk(run, earlier, made, self._hunk)
        return earlier if unchanged else self._merge(run.path, made, held, earlier)

    def _without_hunk(
        self, run: FileChange, earlier: bytes, made: bytes, hunk: int
    ) -> bytes:
        """What the change would have made without one of its hunks, which count from 1 as its diff shows them.

        Raises `not_found` if it has fewer, `unsupported` where it is too large for hunks.
        """
        snapshot = Snapshot(earlier, settings=self._settings)
        splices, narrow = forward_splices(run), None
        if snapshot.encoding.unit_bytes > 1:
            narrow = Utf8View(snapshot)
            snapshot, splices = (
                narrow.snapshot,
                find_line_splices(narrow.to_utf8(earlier), narrow.to_utf8(made)),
            )
        hunks = group_into_hunks(
            snapshot, find_line_splices(earlier, made) if splices is None else splices
        )
        shown = self._places[run.path].display_path
        if not 1 <= hunk <= len(hunks):
            raise errors.unknown_hunk(shown, hunk, len(hunks))
        others = [
            edit
            for number, edits in enumerate(hunks, 1)
            if number != hunk
            for edit in edits
        ]
        if any(
            (len(edit.old), len(edit.new)) != (edit.old_count, edit.new_count)
            for edit in others
        ):
            raise errors.no_undo_by_hunks(shown)
        kept = [
            Splice(edit.offset, edit.end - edit.offset, b"".join(edit.new))
            for edit in others
        ]
        return apply_splices(
            earlier, kept if narrow is None else narrow.to_file_splices(kept)
        )

    def _merge(
        self, place: RecordedPath, made: bytes, held: bytes, earlier: bytes
    ) -> bytes:
        shown, texts = self._places[place].display_path, [made, held, earlier]
        # A character of UTF-16 may hold the byte of a line end. What was converted meanwhile is merged as bytes.
        codec = _WIDE.get(held[:2])
        if any(text[:2] != held[:2] or len(text) % 2 for text in texts):
            codec = None
        if codec is not None:
            texts = [text.decode(codec, _PAIRS).encode(errors=_PAIRS) for text in texts]
        base, ours, theirs = (text.splitlines(keepends=True) for text in texts)
        merge = merge_lines(base, ours, theirs, touching=True)
        merged: list[bytes] = []
        for chunk in merge.chunks:
            now, then = ours[slice(*chunk.ours)], theirs[slice(*chunk.theirs)]
            merged += then if chunk.kind == "theirs" else now
            if chunk.kind == "conflict":
                first = chunk.ours[0] + 1
                lines, why = (
                    (first, max(first, chunk.ours[1])),
                    "has changed since in the same place",
                )
                self._conflicts[shown, first] = Conflict(
                    shown, why, lines, _shown(now), _shown(then)
                )
        if not merge.clean:
            raise _RefusedError
        if merged == ours:
            self._notes.append(f"{shown} already holds what undoing would make of it")
            return held
        self._merged.append(shown)
        self._notes.append(
            f"{shown} has changed since; the later changes stay (merged)"
        )
        whole = b"".join(merged)
        return (
            whole
            if codec is None
            else whole.decode(errors=_PAIRS).encode(codec, _PAIRS)
        )


def _is_now(kind: str | None) -> str:
    return f"is a {'special file' if kind == 'other' else kind} now"


def _is(held: bytes, side: FileState | None) -> bool:
    return side is not None and xxhash.xxh3_128_hexdigest(held) == side.digest


def _shown(lines: Sequence[bytes]) -> str:
    """The lines of one side of a conflict, the first of them, safe to be shown."""
    kept = [
        to_one_line(line.decode(errors="replace").rstrip("\r\n"))[:_WIDTH]
        for line in lines[:_SIDE]
    ]
    more = [f"... {len(lines) - _SIDE:,} more lines"] if len(lines) > _SIDE else []
    return "\n".join((*kept, *more))


def _refusal(
    selected: Selection, conflicts: Sequence[Conflict], *, has_rest: bool
) -> FilewrightError:
    first = conflicts[0]
    files = len({conflict.path for conflict in conflicts})
    more = f", and {files - 1} more" if files > 1 else ""
    sides = "".join(conflict.sides for conflict in conflicts[:_SIDES_SHOWN])
    return FilewrightError(
        Code.STALE_VERSION,
        f"{selected.description} cannot be undone: {first.path} {first.why}{first.at}"
        f"{more}; nothing was changed{sides}",
        hint=f"{'give partial=true to undo the rest and leave that as it is, ' if has_rest else ''}undo the later "
        "changes of that file first (get_history lists them), show this change's diff "
        "(get_history with change_id) and edit the file by hand, or give force=true to have the earlier "
        "content over what is there now",
        details={
            **selected.details,
            "conflicts": [
                {**each._asdict(), "lines": list(each.lines) if each.lines else None}
                for each in conflicts[:_MOST_LISTED]
            ],
            "conflict_count": len(conflicts),
        },
    )
