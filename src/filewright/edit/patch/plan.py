"""A parsed patch against the files it names: what becomes of each, one after the other, or an error.

Pure: files are looked up through a callback, which alone knows the boundary. All paths are looked up and
checked against one another before any hunk is placed; of the contents only one file's is open at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

from filewright.edit.changeset import Copy, Create, Delete, Expected, Modify, Move, SetMode, Step
from filewright.edit.filetext import FileText
from filewright.edit.lastcheck import checked
from filewright.edit.locate.located import UnclearError
from filewright.edit.locate.request import Tier
from filewright.edit.nearest import NearText, nearest
from filewright.edit.patch.model import (
    FileOutcome,
    FilePatch,
    Hunk,
    HunkOutcome,
    Look,
    Patch,
    PatchTarget,
    Row,
)
from filewright.edit.patch.place import Placed, Placing, Unplaced, located
from filewright.edit.visible import cut_line
from filewright.errors import Code, FilewrightError
from filewright.languages import language_of
from filewright.progress import Task
from filewright.text import Narrowed, Snapshot, Splice, apply, ordered
from filewright.visible import one_line

_SHOWN_LINES = 12
_READ_AGAIN = "read the file again and make the hunk from what is there now"

Refused = list[tuple[FilePatch, FilewrightError]]


@dataclass(frozen=True, slots=True)
class _Sides:
    """A file of the patch with the places it is about."""

    file: FilePatch
    old: PatchTarget | None
    new: PatchTarget | None


class _AppliedError(Exception):
    """All hunks of a file are applied already, from `line` on; `instead` if that is no answer."""

    def __init__(self, line: int, instead: FilewrightError) -> None:
        super().__init__()
        self.line = line
        self.instead = instead


def plan(
    patch: Patch, look: Look, *, task: Task | None = None, refused: Refused | None = None
) -> Iterator[FileOutcome]:
    """What the patch makes of each of its files; an outcome's `before` is open until the next is asked for.

    With `refused`, files that cannot be changed are put there, each with its error, and the others are planned all
    the same. Raises `invalid_input` (a new file or name that is taken, a file named twice), `not_found`,
    `is_binary`, `unencodable`, `patch_failed` (with file, hunk and the nearest text), `already_applied` (all of it),
    `no_change`, `cancelled`, `timeout`, and what `look` raises.
    """
    task = task or Task()
    sides = _looked_up(patch, look, task, refused)
    applied: list[tuple[str, int]] = []
    instead: FilewrightError | None = None
    changed = False
    for side in sides:
        task.check()
        with (
            side.old.open() if side.old is not None and side.old.open is not None else nullcontext() as before
        ):
            try:
                outcome = _created(side) if before is None else _changed(side, before, task)
                if refused is not None and not outcome.steps:
                    raise _no_change()
            except _AppliedError as done:
                applied.append((side.file.path, done.line))
                instead = instead or done.instead
                if refused is not None:
                    refused.append((side.file, _applied(applied[-1:])))
                continue
            except FilewrightError as error:
                if refused is None or error.code in (Code.CANCELLED, Code.TIMEOUT):
                    raise
                refused.append((side.file, error))
                continue
            changed = changed or bool(outcome.steps)
            yield outcome
            del outcome
    if refused is not None and not changed:
        raise next((error for _, error in refused if error.code != Code.ALREADY_APPLIED), refused[0][1])
    if instead is not None and refused is None:
        raise instead if len(applied) < len(sides) else _applied(applied)
    if not changed:
        raise _no_change()


def _no_change() -> FilewrightError:
    return FilewrightError(
        Code.NO_CHANGE,
        "the patch changes nothing: its files are as it would leave them",
        hint="nothing to do",
    )


def _applied(files: Sequence[tuple[str, int]]) -> FilewrightError:
    return FilewrightError(
        Code.ALREADY_APPLIED,
        f"the patch is applied already: {'; '.join(f'{name} at line {line}' for name, line in files[:10])}",
        hint="nothing to do",
        details={"files": [{"path": name, "line": line} for name, line in files[:100]]},
    )


def _looked_up(patch: Patch, look: Look, task: Task, refused: Refused | None) -> list[_Sides]:
    """The places of every file. Refuses what is not there, what is taken and names that clash."""
    known: dict[str, PatchTarget] = {}

    def place(name: str | None) -> PatchTarget | None:
        if name is not None and name not in known:
            known[name] = look(name)
        return known[name] if name is not None else None

    sides: list[_Sides] = []
    for file in patch.files:
        task.check()
        try:
            sides.append(_sides(file, place))
        except FilewrightError as error:
            if refused is None or error.code in (Code.CANCELLED, Code.TIMEOUT):
                raise
            refused.append((file, error))
    _check_twice(sides)
    for side in [*sides]:
        try:
            _check_there(side)
        except FilewrightError as error:
            if refused is None:
                raise
            refused.append((side.file, error))
            sides.remove(side)
    return sides


def _sides(file: FilePatch, place: Callable[[str | None], PatchTarget | None]) -> _Sides:
    old = place(file.old)
    try:
        return _Sides(file, old, old if file.new == file.old else place(file.new))
    except FilewrightError as error:
        if error.code in (Code.NOT_A_FILE, Code.SYMLINK) and file.old != file.new:
            raise _taken(file) from error
        raise


def _check_twice(sides: Sequence[_Sides]) -> None:
    written: dict[Hashable, str] = {}
    for side in sides:
        file, old, new = side.file, side.old, side.new
        if file.kind in ("rename", "copy") and old is not None and new is not None and old.key == new.key:
            raise FilewrightError(
                Code.INVALID_INPUT,
                f"{file.old} and {file.new} are the same file",
                hint="give the new file another name",
                details={"path": file.old},
            )
        places = [new] if file.kind == "copy" else [old, new]
        for key, place in {place.key: place for place in places if place is not None}.items():
            name = file.new if place is new and file.new else file.path
            if key in written:
                also = f" and {name}" if name != written[key] else ""
                raise FilewrightError(
                    Code.INVALID_INPUT,
                    f"the patch names one file twice: {written[key]}{also}",
                    hint="put all changes of a file into one part of the patch",
                    details={"path": name},
                )
            written[key] = name


def _check_there(side: _Sides) -> None:
    file, old, new = side.file, side.old, side.new
    if old is not None and old.open is None:
        raise old.missing or FilewrightError(
            Code.NOT_FOUND,
            f"{file.old} does not exist",
            hint="list the folder to see what is there",
            details={"path": file.old},
        )
    if new is not None and file.new != file.old and new.open is not None:
        raise _taken(file)


def _created(side: _Sides) -> FileOutcome:
    file, new = side.file, side.new
    assert new is not None
    content = "".join(row.text + row.terminator for hunk in file.hunks for row in hunk.rows).encode()
    executable = file.new_mode is not None and bool(file.new_mode & 0o100)
    return FileOutcome(
        "create",
        new.location,
        None,
        new.location.shown,
        Snapshot.of_bytes(b"", encoding="utf-8", location=new.location),
        (Splice(0, 0, content),) if content else (),
        (Create(new.location, content, 0o755 if executable else None),),
        mode_after=0o755 if executable else 0o644,
    )


def _changed(side: _Sides, snapshot: Snapshot, task: Task) -> FileOutcome:
    file, old = side.file, side.old
    assert old is not None
    new = side.new or old
    made, hunks = _placed(file, snapshot, task)
    name = old.location.shown
    if file.kind == "delete":
        return _deleted(file, old, snapshot, made, hunks)
    mode = _mode_after(file, old.mode)
    steps: list[Step] = []
    if file.kind == "copy":
        steps += _copy(old, new, snapshot, made, mode)
    else:
        if made:
            steps.append(Modify.of(old.location, snapshot, made))
        if mode is not None:
            steps.append(SetMode(old.location, f"{mode:o}"))
        if file.kind == "rename":
            steps.append(Move(old.location, new.location))
    return FileOutcome(
        file.kind,
        new.location,
        name,
        new.location.shown,
        snapshot,
        made,
        tuple(steps),
        hunks,
        mode_before=old.mode if mode is not None else None,
        mode_after=mode,
    )


def _placed(
    file: FilePatch, snapshot: Snapshot, task: Task
) -> tuple[tuple[Splice, ...], tuple[HunkOutcome, ...]]:
    """The splices of a file's hunks, and where each went."""
    if not file.hunks:
        return (), ()
    if snapshot.binary is not None:
        raise FilewrightError(
            Code.IS_BINARY,
            f"{file.path} is not text a patch can change",
            hint="use a tool for bytes",
            details={"path": file.path, "type": snapshot.binary or snapshot.encoding.name},
        )
    narrow = Narrowed.to_edit(snapshot) if snapshot.encoding.width > 1 else None
    text = snapshot if narrow is None else narrow.snapshot
    hunks = _without_mark(file.hunks, snapshot)
    language = language_of(file.path.rpartition("/")[2].encode(errors="replace"), b"")
    lines = FileText(text, task, language=language)
    placing = Placing(hunks, lines)
    found = placing.run()
    if isinstance(found, Unplaced):
        error = _failed(file, lines, found)
        done = placing.already_applied() if found.why in ("no_match", "already_applied", "order") else None
        if done:
            error.message += f"\nall of its changes to {file.path} are there already"
            raise _AppliedError(done[0], error)
        raise error
    spelled = file.spells_terminators
    splices: list[Splice] = []
    outcomes: list[HunkOutcome] = []
    for hunk, place in zip(hunks, found, strict=True):
        moved = None if hunk.start is None else place.at + 1 - max(1, hunk.start)
        confirmed = place.tier is Tier.EXACT and moved == 0
        try:
            splices += checked(lines, located(lines, hunk, place, spelled=spelled), literal=confirmed)
        except UnclearError as why:
            raise _unclear(file, hunk, place, why) from why
        outcomes.append(HunkOutcome(hunk.number, place.at + 1, str(place.tier), moved, hunk.repaired))
    made = ordered(splices, text.size)
    return tuple(made) if narrow is None else tuple(narrow.widened(made)), tuple(outcomes)


def _deleted(
    file: FilePatch,
    old: PatchTarget,
    snapshot: Snapshot,
    made: Sequence[Splice],
    hunks: tuple[HunkOutcome, ...],
) -> FileOutcome:
    left = snapshot.size + sum(len(splice.replacement) - splice.length for splice in made)
    if file.emptied and left > len(snapshot.encoding.bom):
        raise FilewrightError(
            Code.PATCH_FAILED,
            f"the patch deletes {file.path} but leaves {left} bytes of its text",
            hint="read the file again; the deletion must remove every line",
            details={"path": file.path, "left": left, "reason": "not_empty"},
        )
    whole = (Splice(0, snapshot.size, b""),) if snapshot.size else ()
    step = Delete(old.location, expected=Expected.of(snapshot))
    return FileOutcome(
        "delete",
        old.location,
        old.location.shown,
        None,
        snapshot,
        whole,
        (step,),
        hunks,
        mode_before=old.mode,
    )


def _copy(
    source: PatchTarget, new: PatchTarget, snapshot: Snapshot, made: tuple[Splice, ...], mode: int | None
) -> list[Step]:
    if made and snapshot.held is not None:
        bits = source.mode if mode is None else mode
        return [Create(new.location, apply(snapshot.held, made), None if bits is None else bits & 0o777)]
    steps: list[Step] = [Copy(source.location, new.location)]
    if made:
        steps.append(Modify(new.location, Expected(snapshot.size, None, snapshot.digest), made))
    if mode is not None:
        steps.append(SetMode(new.location, f"{mode:o}"))
    return steps


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
    return [replace(first, rows=rows), *hunks[1:]]


def _failed(file: FilePatch, lines: FileText, unplaced: Unplaced) -> FilewrightError:
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
        hint="make the hunk anew from the text that is there, with its line number, indentation and characters",
        details={"path": file.path, "hunk": hunk.number, "patch_line": hunk.line, "reason": "unclear"},
    )
