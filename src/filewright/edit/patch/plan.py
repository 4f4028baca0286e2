"""A parsed patch against the files it names: one change set, or one error and nothing planned.

Pure: files are looked up through a callback, which alone knows the boundary. All paths are looked
up and checked against one another before any hunk is placed.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from filewright.edit.changeset import ChangeSet, Copy, Create, Delete, Expected, Modify, Move, SetMode, Step
from filewright.edit.filelines import FileLines
from filewright.edit.locate.source import FileText
from filewright.edit.nearest import NearText, nearest
from filewright.edit.patch.model import (
    DONE,
    FileOutcome,
    FilePatch,
    Hunk,
    HunkOutcome,
    Look,
    Patch,
    PatchPlan,
    PatchTarget,
    Row,
)
from filewright.edit.patch.place import Placed, Placing, Unplaced, located
from filewright.edit.visible import cut_line
from filewright.edit.write import UnclearError, written
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import Narrowed, Snapshot, Splice, apply, ordered
from filewright.visible import one_line

_SHOWN_LINES = 12
_READ_AGAIN = "read the file again and make the hunk from what is there now"


def plan(
    patch: Patch, look: Look, *, task: Task | None = None, tool: str = "apply_patch", **options: bool
) -> PatchPlan:
    """The plan of a patch; `options` are those of `ChangeSet.of`.

    Raises `invalid_input` (a new file or name that is taken, a file named twice), `not_found`,
    `is_binary`, `unencodable`, `patch_failed` (with file, hunk and the nearest text),
    `already_applied` (all of it), `no_change`, `cancelled`, `timeout`, and what `look` raises.
    """
    planner = _PatchPlanner(patch, look, task or Task())
    planner.check_names()
    outcomes = planner.outcomes()
    steps = [*planner.copies, *planner.steps]
    if not steps:
        raise FilewrightError(
            Code.NO_CHANGE,
            "the patch changes nothing: its files are as it would leave them",
            hint="nothing to do",
        )
    return PatchPlan(ChangeSet.of(tool, _summary(outcomes), steps, **options), tuple(outcomes))


@dataclass(slots=True)
class _Sides:
    """A file of the patch with the places it is about."""

    file: FilePatch
    old: PatchTarget | None
    new: PatchTarget | None
    narrow: Narrowed | None = None


@dataclass(slots=True)
class _PatchPlanner:
    patch: Patch
    look: Look
    task: Task
    copies: list[Step] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    sides: list[_Sides] = field(default_factory=list)

    def check_names(self) -> None:
        """Look every path up, and refuse what names clash, before anything else."""
        known: dict[str, PatchTarget] = {}

        def place(name: str | None) -> PatchTarget | None:
            if name is None:
                return None
            if name not in known:
                known[name] = self.look(name)
            return known[name]

        for file in self.patch.files:
            self.task.check()
            old = place(file.old)
            try:
                new = old if file.new == file.old else place(file.new)
            except FilewrightError as error:
                if error.code in (Code.NOT_A_FILE, Code.SYMLINK) and file.old != file.new:
                    raise _taken(file) from error
                raise
            self.sides.append(_Sides(file, old, new))
        self._check_twice()
        for side in self.sides:
            self._check_there(side)

    def _check_twice(self) -> None:
        written: dict[Hashable, str] = {}
        for side in self.sides:
            places = [side.new] if side.file.kind == "copy" else [side.old, side.new]
            keys = {place.key: place for place in places if place is not None}
            renamed = side.file.kind in ("rename", "copy")
            if renamed and side.old is not None and side.new is not None and side.old.key == side.new.key:
                raise FilewrightError(
                    Code.INVALID_INPUT,
                    f"{side.file.old} and {side.file.new} are the same file",
                    hint="give the new file another name",
                    details={"path": side.file.old},
                )
            for key, place in keys.items():
                name = side.file.new if place is side.new and side.file.new else side.file.path
                if key in written:
                    raise FilewrightError(
                        Code.INVALID_INPUT,
                        f"the patch names one file twice: {written[key]}"
                        + (f" and {name}" if name != written[key] else ""),
                        hint="put all changes of a file into one part of the patch",
                        details={"path": name},
                    )
                written[key] = name

    def _check_there(self, side: _Sides) -> None:
        file, old, new = side.file, side.old, side.new
        if old is not None and old.snapshot is None:
            raise old.missing or FilewrightError(
                Code.NOT_FOUND, f"{file.old} does not exist", hint="list the folder to see what is there",
                details={"path": file.old},
            )  # fmt: skip
        if new is not None and file.new != file.old and new.snapshot is not None:
            raise _taken(file)

    def outcomes(self) -> list[FileOutcome]:
        """Plan each file; when nothing is left to do because all of it is done, say so."""
        result: list[FileOutcome] = []
        applied: list[tuple[str, int]] = []
        first: FilewrightError | None = None
        for side in self.sides:
            self.task.check()
            try:
                if side.file.kind == "create":
                    result.append(self._created(side))
                    continue
                placed, lines = self._placed(side)
                result.append(self._changed(side, placed, lines))
            except _AppliedError as done:
                applied.append((side.file.path, done.line))
                first = first or done.instead
        if first is None:
            return result
        if len(applied) < len(self.sides):
            raise first
        where = "; ".join(f"{name} at line {line}" for name, line in applied[:10])
        raise FilewrightError(
            Code.ALREADY_APPLIED,
            f"the patch is applied already: {where}",
            hint="nothing to do",
            details={"files": [{"path": name, "line": line} for name, line in applied[:100]]},
        )

    def _placed(self, side: _Sides) -> tuple[list[tuple[Hunk, Placed]], FileLines | None]:
        file, snapshot = side.file, _there(side.old)
        if not file.hunks:
            return [], None
        if snapshot.binary is not None:
            raise FilewrightError(
                Code.IS_BINARY, f"{file.path} is not text a patch can change", hint="use a tool for bytes",
                details={"path": file.path, "type": snapshot.binary or snapshot.encoding.name},
            )  # fmt: skip
        hunks = _without_mark(file.hunks, snapshot)
        side.narrow = Narrowed.to_edit(snapshot) if snapshot.encoding.width > 1 else None
        lines = FileLines(snapshot if side.narrow is None else side.narrow.snapshot, self.task)
        placing = Placing(hunks, lines)
        found = placing.run()
        if isinstance(found, Unplaced):
            error = _failed(file, lines, found)
            done = (
                placing.already_applied() if found.why in ("no_match", "already_applied", "order") else None
            )
            if done:
                error.message += f"\nall of its changes to {file.path} are there already"
                raise _AppliedError(done[0], error)
            raise error
        return list(zip(hunks, found, strict=True)), lines

    def _created(self, side: _Sides) -> FileOutcome:
        file, new = side.file, side.new
        assert new is not None
        rows = [row for hunk in file.hunks for row in hunk.rows]
        content = "".join(row.text + row.terminator for row in rows).encode()
        if file.hunks and not file.hunks[-1].new_ended:
            content = content[:-1]
        executable = file.new_mode is not None and bool(file.new_mode & 0o100)
        self.steps.append(Create(new.location, content, 0o755 if executable else None))
        splices = (Splice(0, 0, content),) if content else ()
        return FileOutcome(
            "create", None, new.location.shown, Snapshot.of_bytes(b""), splices,
            mode_after=0o755 if executable else 0o644,
        )  # fmt: skip

    def _changed(
        self, side: _Sides, placed: Sequence[tuple[Hunk, Placed]], lines: FileLines | None
    ) -> FileOutcome:
        file, old, new = side.file, side.old, side.new
        assert old is not None
        snapshot = _there(old)
        splices: list[Splice] = []
        text = snapshot if side.narrow is None else side.narrow.snapshot
        source, spelled = FileText(text, self.task), file.spells_terminators
        for hunk, place in placed:
            assert lines is not None
            try:
                splices += written(source, located(lines, hunk, place, spelled=spelled))
            except UnclearError as why:
                raise _unclear(file, hunk, place, why) from why
        made = ordered(splices, text.size)
        if side.narrow is not None:
            made = tuple(side.narrow.widened(made))
        hunks = tuple(
            HunkOutcome(
                hunk.number,
                place.at + 1,
                str(place.tier),
                None if hunk.start is None else place.at + 1 - max(1, hunk.start),
                hunk.repaired,
            )
            for hunk, place in placed
        )
        name = old.location.shown
        if file.kind == "delete":
            return self._deleted(side, made, hunks)
        mode = _mode_after(file, old.mode)
        if file.kind == "copy":
            assert new is not None
            self._copy(old, new, snapshot, made, mode)
        else:
            if made:
                self.steps.append(Modify.of(old.location, snapshot, made))
            if mode is not None:
                self.steps.append(SetMode(old.location, f"{mode:o}"))
            if file.kind == "rename":
                assert new is not None
                self.steps.append(Move(old.location, new.location))
        target = name if new is None or new is old else new.location.shown
        return FileOutcome(
            file.kind, name, target, snapshot, made, hunks,
            mode_before=old.mode if mode is not None else None, mode_after=mode,
        )  # fmt: skip

    def _deleted(self, side: _Sides, made: tuple[Splice, ...], hunks: tuple[HunkOutcome, ...]) -> FileOutcome:
        file, old = side.file, side.old
        assert old is not None
        snapshot = _there(old)
        left = snapshot.size - sum(splice.length for splice in made) + sum(len(s.replacement) for s in made)
        if file.emptied and left > len(snapshot.encoding.bom):
            raise FilewrightError(
                Code.PATCH_FAILED,
                f"the patch deletes {file.path} but leaves {left} bytes of its text",
                hint="read the file again; the deletion must remove every line",
                details={"path": file.path, "left": left, "reason": "not_empty"},
            )
        self.steps.append(Delete(old.location, expected=Expected.of(snapshot)))
        whole = (Splice(0, snapshot.size, b""),) if snapshot.size else ()
        return FileOutcome("delete", old.location.shown, None, snapshot, whole, hunks, mode_before=old.mode)

    def _copy(
        self,
        source: PatchTarget,
        new: PatchTarget,
        snapshot: Snapshot,
        made: tuple[Splice, ...],
        mode: int | None,
    ) -> None:
        """Copies read what is there before the patch, so they come before all other steps."""
        if made and snapshot.held is not None:
            content = apply(snapshot.held, made)
            bits = source.mode if mode is None else mode
            self.copies.append(Create(new.location, content, None if bits is None else bits & 0o777))
            return
        self.copies.append(Copy(source.location, new.location))
        if made:
            expected = Expected(snapshot.size, None, snapshot.digest)
            self.copies.append(Modify(new.location, expected, made))
        if mode is not None:
            self.copies.append(SetMode(new.location, f"{mode:o}"))


class _AppliedError(Exception):
    """All hunks of a file are applied already, from `line` on; `instead` if that is no answer."""

    def __init__(self, line: int, instead: FilewrightError) -> None:
        super().__init__()
        self.line = line
        self.instead = instead


def _there(place: PatchTarget | None) -> Snapshot:
    assert place is not None
    assert place.snapshot is not None
    return place.snapshot


def _taken(file: FilePatch) -> FilewrightError:
    what = {"rename": "rename to", "copy": "copy to"}.get(file.kind, "create")
    return FilewrightError(
        Code.INVALID_INPUT,
        f"the patch would {what} {file.new}, which exists already",
        hint="to change it, send hunks against the file as it is; otherwise choose another name",
        details={"path": file.new, "reason": "already_exists"},
    )


def _mode_after(file: FilePatch, mode: int | None) -> int | None:
    """The permission bits to set, None if nothing is to be set: like git, only executable or not."""
    if file.new_mode is None or mode is None:
        return None
    wanted = mode | (mode & 0o444) >> 2 if file.new_mode & 0o100 else mode & ~0o111
    return wanted if wanted != mode else None


def _without_mark(hunks: Sequence[Hunk], snapshot: Snapshot) -> Sequence[Hunk]:
    """The hunks less a byte-order mark they spell out: it is no part of the text."""
    if not snapshot.encoding.bom or not hunks or not any(row.text[:1] == "\ufeff" for row in hunks[0].rows):
        return hunks
    first = hunks[0]
    rows = tuple(Row(row.sign, row.text.removeprefix("\ufeff"), row.terminator) for row in first.rows)
    plain = Hunk(
        first.number, first.line, rows, first.start, first.headings, first.at_end,
        first.old_ended, first.new_ended, first.repaired, first.cut,
    )  # fmt: skip
    return [plain, *hunks[1:]]


def _summary(files: Sequence[FileOutcome]) -> str:
    if len(files) == 1:
        file = files[0]
        return f"{file.done} {file.name or file.new_name}" + (
            f" to {file.new_name}" if file.kind in ("rename", "copy") else ""
        )
    counts = {word: sum(file.done == word for file in files) for word in DONE.values()}
    return f"{len(files)} files: " + ", ".join(f"{count} {word}" for word, count in counts.items() if count)


def _failed(file: FilePatch, lines: FileLines, unplaced: Unplaced) -> FilewrightError:
    """The `patch_failed` for the first hunk of a file that has no place."""
    hunk, why = unplaced.hunk, unplaced.why
    places = ", ".join(str(line) for line in unplaced.lines)
    details: dict[str, object] = {
        "path": file.path,
        "hunk": hunk.number,
        "patch_line": hunk.line,
        "reason": why,
        "lines": list(unplaced.lines),
    }
    heading = one_line(cut_line(unplaced.heading.strip(), 120))
    said = {
        "no_match": ("its old lines are not in the file", _READ_AGAIN),
        "ambiguous_match": (
            f"its old lines are in the file more than once, at lines {places}",
            "add lines of context that only the right place has, or correct the line number in '@@ -N'",
        ),
        "overlap": (
            f"it covers line {places}, which an earlier hunk covers too",
            "join the two hunks into one",
        ),
        "order": (
            f"it belongs at line {places}, before the end of an earlier hunk",
            "give the hunks of a file in the order of their lines",
        ),
        "no_context": (
            "it adds lines without saying where: it has no kept or removed line",
            "give it at least one line of context; at the end of the file also '*** End of File'",
        ),
        "already_applied": (f"it is applied already, at line {places}", "leave this hunk out"),
        "heading": (
            f"its heading {heading!r} is not above it in the file"
            + (f" (it is at line {places})" if places else ""),
            "give the whole line the file has, or leave the heading out and add context",
        ),
        "not_at_end": (
            f"it must end at the end of the file, but its old lines are at line {places}",
            "leave out the mark of the file's end, or make the hunk anew",
        ),
        "cut": (
            "it has fewer lines than its header announces and ends without context, "
            "so the end of the patch is missing",
            "send the whole patch again",
        ),
        "too_alike": (
            "its old lines are too common in the file to be placed",
            "add lines of context that are rare, and line numbers",
        ),
    }[why]
    message = f"hunk {hunk.number} of {file.path} (line {hunk.line} of the patch) does not apply: {said[0]}"
    hint = said[1]
    if why == "no_match":
        near = nearest(FileText(lines.snapshot, lines.task), "\n".join(hunk.old), line=hunk.start, limit=1)
        if near:
            difference, text = _difference(near[0]), _shown(near[0])
            details |= {"nearest_line": near[0].first_line, "nearest_text": text, "difference": difference}
            message += f"\n{difference}\nnearest text, from line {near[0].first_line}:\n{text}"
    return FilewrightError(Code.PATCH_FAILED, message, hint=hint, details=details)


def _difference(near: NearText) -> str:
    if near.differs_at is None:
        return f"line {near.last_line + 1} and those behind it are not as the hunk has them"
    return f"line {near.differs_at} is '{near.found}', where the hunk has '{near.asked}'"


def _shown(near: NearText) -> str:
    return "\n".join(one_line(cut_line(line, 200)) for line in near.text.split("\n")[:_SHOWN_LINES])


def _unclear(file: FilePatch, hunk: Hunk, place: Placed, why: UnclearError) -> FilewrightError:
    return FilewrightError(
        Code.PATCH_FAILED,
        f"hunk {hunk.number} of {file.path} (line {hunk.line} of the patch) fits at line {place.at + 1} by the "
        f"tier {place.tier}, but {why.message}",
        hint="make the hunk anew from the text that is there, with its indentation and characters",
        details={"path": file.path, "hunk": hunk.number, "patch_line": hunk.line, "reason": "unclear"},
    )
