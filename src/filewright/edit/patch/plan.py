"""A parsed patch against the files it names: what becomes of each, one after the other, or an error.

Pure: files are looked up through a callback, which alone knows the boundary. All paths are looked up and
checked against one another before any hunk is placed; of the contents only one file's is open at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cache

from filewright.boundary.location import Location
from filewright.edit.changeset import (
    Copy,
    ExpectedState,
    FilePlan,
    Modify,
    SetMode,
    Step,
)
from filewright.edit.diff import truncate_line
from filewright.edit.merge import merge_match
from filewright.edit.model import AmbiguousWriteError
from filewright.edit.nearest import find_nearest
from filewright.edit.notes import Note
from filewright.edit.patch.model import FilePatch, Patch, PatchHunk, PatchKind
from filewright.edit.patch.place import (
    HunkPlace,
    HunkPlacer,
    NoPlace,
    find_applied,
    to_located_edit,
)
from filewright.edit.source import Source
from filewright.errors import Code, FilewrightError, invalid, path_error
from filewright.languages import language_of
from filewright.progress import Task
from filewright.text.declaration import as_declared
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, ordered
from filewright.wording import pluralize, to_one_line

_DONE: dict[PatchKind, str] = {
    "modify": "modified", "create": "created", "delete": "deleted", "rename": "renamed", "copy": "copied",
}  # fmt: skip
_SHOWN_LINES = 12
_UNPLACED = {
    "no_match": (
        "its old lines are not in the file",
        "read the file again and make the hunk from what is there now",
    ),
    "ambiguous_match": (
        "its old lines are in the file more than once, at lines {places}",
        "add lines of context that only the right place has, or correct the line number in '@@ -N'",
    ),
    "overlap": (
        "it covers line {places}, which an earlier hunk covers too",
        "join the two hunks into one",
    ),
    "order": (
        "it belongs at line {places}, before the end of an earlier hunk",
        "give the hunks of a file in the order of their lines",
    ),
    "no_context": (
        "it adds lines without saying where: it has no kept or removed line",
        "give it at least one line of context; at the end of the file also '*** End of File'",
    ),
    "already_applied": (
        "it is applied already, at line {places}",
        "leave this hunk out, or let partial=true do so",
    ),
    "heading": (
        "its heading {heading!r} is not above it in the file{at}",
        "give the whole line the file has, or leave the heading out and add context",
    ),
    "not_at_end": (
        "it must end at the end of the file, but its old lines are at line {places}",
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
}
"""Why a hunk has no place, in words, and what to do."""

_ALSO = 4
"""Further files of which a refusal says why."""

Refusals = list[tuple[FilePatch, FilewrightError]]
"""Files that cannot be changed, and why."""


@dataclass(frozen=True, slots=True)
class PatchTarget:
    """What is at a path, as the planner needs to know it.

    `open` opens it; None where nothing is there (`missing` may then hold the error that looking gave). `key` is
    equal for two spellings of one file: device and inode of a file that is there, those of the folder and the name
    of one that is not. `mode` are permission bits.
    """

    location: Location
    open: Callable[[], Snapshot] | None
    key: Hashable
    mode: int | None = None
    missing: FilewrightError | None = None


FindTarget = Callable[[str], PatchTarget]
"""The `PatchTarget` of a path as the patch names it. Raises what the boundary raises: `path_escape`,
`not_a_file` for folders, `symlink` …; never for a path where nothing is."""


@dataclass(frozen=True, slots=True)
class HunkOutcome:
    """How a hunk was placed: `line` is the first it covers (from 1), `moved` how many lines from where
    its header says (None without a number), `tier` what was looked past, or ``already_applied``, `repaired` wrong
    counts. `notes` are what its new lines hold that looks like damage."""

    number: int
    line: int
    tier: str
    moved: int | None
    repaired: bool
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class PatchedFile:
    """What the patch did to a file; `was` is its name before, where it was renamed or copied."""

    path: str
    operation: str
    was: str | None
    hunks: tuple[HunkOutcome, ...] = ()


def plan_patch(
    patch: Patch,
    look: FindTarget,
    *,
    task: Task | None = None,
    refused: Refusals | None = None,
) -> Iterator[FilePlan[PatchedFile]]:
    """What the patch makes of each of its files; its `before` is open until the next is asked for.

    With `refused`, files that cannot be changed are put there, each with its error, which tells of all of its hunks,
    and the others are planned all the same. Raises `invalid_input` (a new file or name that is taken, a file named
    twice), `not_found`, `is_binary`, `unencodable`, `patch_failed` (with file, hunk and the nearest text),
    `already_applied` (all of it), `no_change`, `cancelled`, `timeout`, and what `look` raises.
    """
    task, look = task or Task(), cache(look)
    every, problems = refused is not None, refused if refused is not None else []
    sides: list[tuple[FilePatch, PatchTarget | None, PatchTarget | None]] = []
    written: dict[Hashable, str] = {}
    changed = False
    files = patch.files
    for file in set(files).difference(patch.alternative_files or files):
        with suppress(FilewrightError):  # which is met again below
            target = look(file.path)
            if target.open is not None:
                with target.open() as there:
                    files = (
                        files
                        if fits_file(file, there, task)
                        else patch.alternative_files
                    )

    def refuse(file: FilePatch, error: FilewrightError) -> None:
        """Note why a file is not changed; raised where that ends the call."""
        if error.ends_call:
            raise error
        problems.append((file, error))

    for file in files:
        task.check()
        try:
            sides.append((file, *_sides(file, look, written)))
        except FilewrightError as error:
            refuse(file, error)
    for file, old, new in sides:
        task.check()
        with (
            old.open()
            if old is not None and old.open is not None
            else nullcontext() as before
        ):
            try:
                one = _decided(file, old, new, before, task, every=every)
                if every and not one.steps:
                    raise _no_change()
            except FilewrightError as error:
                refuse(file, error)
                continue
            changed = changed or bool(one.steps)
            yield one
            del one
    if every:
        problems.sort(key=lambda one: one[0].first_line)
    elif problems:
        raise _refusal([error for _, error in problems], len(files))
    elif not changed:
        raise _no_change()


def fits_file(file: FilePatch, snapshot: Snapshot, task: Task) -> bool:
    """Whether all hunks of a file have a place in a text."""
    try:
        _placed(file, snapshot, task, every=False)
    except FilewrightError as error:
        if error.ends_call:
            raise
        return False
    return True


def _no_change() -> FilewrightError:
    return FilewrightError(
        Code.NO_CHANGE,
        "the patch changes nothing: its files are as it would leave them",
        "nothing to do",
    )


def _refusal(errors: Sequence[FilewrightError], files: int) -> FilewrightError:
    """Why a patch of so many files is not applied: the first reason that is none of what is there already, which names
    the others too, so that one call mends all."""
    wrong = [error for error in errors if error.code != Code.ALREADY_APPLIED]
    hunks = [error.__cause__ for error in errors if error not in wrong]
    if not wrong and (len(errors) == files or hunks[0] is None):
        return _applied([file for error in errors for file in error.details["files"]])
    first, *others = [
        *wrong,
        *(error for error in hunks if isinstance(error, FilewrightError)),
    ]
    first.message += "".join(
        f"\nalso: {error.message.splitlines()[0]}" for error in others[:_ALSO]
    )
    first.message += (
        f"\n[{len(others) - _ALSO} more files]" if len(others) > _ALSO else ""
    )
    first.hint = (
        "; ".join(
            dict.fromkeys(
                error.hint for error in (first, *others[:_ALSO]) if error.hint
            )
        )
        or None
    )
    return first


def _applied(files: Sequence[Mapping[str, object]]) -> FilewrightError:
    named = "; ".join(f"{file['path']} at line {file['line']}" for file in files[:10])
    return FilewrightError(
        Code.ALREADY_APPLIED,
        f"the patch is applied already: {named}",
        "nothing to do",
        files=files[:100],
    )


def _sides(
    file: FilePatch, look: FindTarget, written: dict[Hashable, str]
) -> tuple[PatchTarget | None, PatchTarget | None]:
    """What is at a file's names before and after; `written` are the names of those before it.

    Refused is what is not there, or in the way, or named by another part of the patch too.
    """
    old = look(file.old_path) if file.old_path is not None else None
    if old is not None and old.open is not None:
        _refuse_nested_names(file)
    try:
        new = look(file.new_path) if file.new_path is not None else None
    except FilewrightError as error:
        # What is no file is in the way, too.
        raise (
            _taken(file) if error.code in (Code.NOT_A_FILE, Code.SYMLINK) else error
        ) from None
    if (
        file.kind in ("rename", "copy")
        and old is not None
        and new is not None
        and old.key == new.key
    ):
        raise invalid(
            f"{file.old_path} and {file.new_path} are the same file",
            "give the new file another name",
            path=file.old_path,
        )
    sides = (
        {file.new_path: new}
        if file.kind == "copy"
        else {file.new_path: new, file.old_path: old}
    )
    for name, target in sides.items():
        if name is None or target is None:
            continue
        if (other := written.get(target.key)) is not None:
            also = f" and {name}" if name != other else ""
            raise invalid(
                f"the patch names one file twice: {other}{also}",
                "put all changes of a file into one part of the patch",
                path=name,
            )
        written[target.key] = name
    if old is not None and old.open is None:
        gone = f"{file.old_path} does not exist"
        raise old.missing or path_error(
            Code.NOT_FOUND, file.path, gone, "list the folder to see what is there"
        )
    if new is not None and file.new_path != file.old_path and new.open is not None:
        raise _taken(file)
    return old, new


def _refuse_nested_names(file: FilePatch) -> None:
    """Refuse to rename a file to a name below its own, or to that of a folder it is in: neither is one step."""
    if file.kind != "rename" or file.old_path is None or file.new_path is None:
        return
    if file.new_path.startswith(f"{file.old_path}/"):
        message = f"{file.old_path} is a file: it can be put below its own name only in two changes"
    elif file.old_path.startswith(f"{file.new_path}/"):
        message = f"{file.new_path} is the folder of {file.old_path}: a file takes its place only in two changes"
    else:
        return
    raise invalid(
        message,
        f"move it to another name by one patch, then from there to {file.new_path}",
        path=file.new_path,
    )


def _taken(file: FilePatch) -> FilewrightError:
    what = {"rename": "rename to", "copy": "copy to"}.get(file.kind, "create")
    return invalid(
        f"the patch would {what} {file.new_path}, which exists already",
        "to change it, send hunks against the file as it is; otherwise choose another name",
        path=file.new_path,
        reason="already_exists",
    )


def _decided(
    file: FilePatch,
    old: PatchTarget | None,
    new: PatchTarget | None,
    before: Snapshot | None,
    task: Task,
    *,
    every: bool,
) -> FilePlan[PatchedFile]:
    """What becomes of a file whose content is `before` (None: it is made)."""
    there = new or old
    assert there is not None
    location, done = there.location, _DONE[file.kind]
    executable = None if file.new_mode is None else bool(file.new_mode & 0o100)
    if before is None or old is None:
        content = b"".join(
            line.encode() + end
            for hunk in file.hunks
            for line, end in zip(hunk.lines.new, hunk.lines.ends, strict=True)
        )
        content = as_declared(content, location.name, argument="patch")
        what = PatchedFile(location.display_path, done, None)
        return FilePlan.for_new_file(
            what, location, content, 0o755 if executable else None
        )
    made, hunks = _placed(file, before, task, every=every)
    name, copied = old.location.display_path, file.kind == "copy"
    what = PatchedFile(
        location.display_path,
        done,
        name if file.kind in ("rename", "copy") else None,
        hunks,
    )
    if file.kind == "delete":
        left = before.size + sum(
            len(splice.replacement) - splice.length for splice in made
        )
        if file.must_be_empty and left > len(before.encoding.bom):
            why = f"the patch deletes {file.path} but leaves {left} bytes of its text"
            hint = "read the file again; the deletion must remove every line"
            raise path_error(
                Code.PATCH_FAILED, file.path, why, hint, left=left, reason="not_empty"
            )
        return FilePlan(
            what, location, (), before, (), name, mode_before=old.mode
        ).with_deletion()
    # Like git: executable or not, and nothing else.
    mode = old.mode
    if mode is not None and executable is not None:
        mode = mode | (mode & 0o444) >> 2 if executable else mode & ~0o111
    changed = location if copied else old.location
    steps: list[Step] = [Copy(old.location, location)] if copied else []
    if made:
        step = Modify.from_snapshot(changed, before, made)
        # A copy is another file than the one that was read, with the same content.
        same = (
            ExpectedState(before.size, None, before.digest())
            if copied
            else step.expected
        )
        steps.append(replace(step, expected=same))
    one = FilePlan(
        what, changed, steps, before, made, name, changed.display_path, is_copy=copied
    )
    if mode != old.mode:
        steps.append(SetMode(changed, f"{mode:o}"))
        one = replace(one, mode_before=old.mode, mode_after=mode)
    return one.with_move(location) if file.kind == "rename" else one


def _placed(
    file: FilePatch, snapshot: Snapshot, task: Task, *, every: bool
) -> tuple[tuple[Splice, ...], tuple[HunkOutcome, ...]]:
    """The splices of a file's hunks, and where each went. `every`: a refusal tells of all hunks."""
    if not file.hunks:
        return (), ()
    if snapshot.binary is not None:
        why = f"{file.path} is not text a patch can change"
        raise path_error(
            Code.IS_BINARY, file.path, why, "use a tool for bytes", type=snapshot.binary
        )
    first, *others = file.hunks
    unmarked = False
    if snapshot.encoding.bom:
        # A patch may spell out the byte-order mark, which is no part of the text.
        was = first.lines
        old, new = (
            tuple(text.removeprefix("\ufeff") for text in lines)
            for lines in (was.old, was.new)
        )
        unmarked = old != was.old and new == was.new
        first = replace(first, lines=replace(was, old=old, new=new))
    hunks = (first, *others)
    language = language_of(snapshot.location.name) if snapshot.location else None
    lines = Source(snapshot, task, language=language)
    spelled = any(b"\r" in end for hunk in hunks for end in hunk.lines.ends)
    splices, outcomes = list[Splice](), list[HunkOutcome]()
    shift = 0
    places = HunkPlacer(hunks, lines).run(every=every)
    if any(isinstance(place, NoPlace) for place in places):
        places = _but_those_applied(file, hunks, lines, places, every=every)
    for hunk, place in zip(hunks, places, strict=True):
        if isinstance(place, NoPlace):
            outcomes.append(
                HunkOutcome(
                    hunk.number, place.lines[0], place.why, None, hunk.has_wrong_counts
                )
            )
            continue
        moved = None if hunk.start is None else place.at - hunk.start_index
        try:
            written = merge_match(
                lines, to_located_edit(lines, hunk, place, spelled=spelled)
            )
        except AmbiguousWriteError as why:
            said = f"fits at line {place.at + 1} by the tier {place.tier}, but {why.message}"
            hint = "make the hunk anew from the text that is there, with its line number, indentation and characters"
            if why.code == Code.INVALID_INPUT:
                hint = "send the whole lines that are meant"
            raise _failed(file, hunk, said, hint, "unclear") from why
        splices += written.splices
        notes = tuple(replace(note, line=note.line + shift) for note in written.notes)
        outcomes.append(
            HunkOutcome(
                hunk.number,
                place.at + 1,
                str(place.tier),
                moved,
                hunk.has_wrong_counts,
                notes,
            )
        )
        shift += len(hunk.lines.new) - len(hunk.lines.old)
    if (
        unmarked
        and snapshot.encoding.width == 1
        and lines.start
        and outcomes[0].line == 1
    ):
        # It is taken away where only the old first line has it; UTF-16 would be no text without it.
        splices.insert(0, Splice(0, lines.start, b""))
    return tuple(lines.to_file_splices(ordered(splices, lines.size))), tuple(outcomes)


def _but_those_applied(
    file: FilePatch,
    hunks: Sequence[PatchHunk],
    lines: Source,
    places: Sequence[HunkPlace | NoPlace],
    *,
    every: bool,
) -> list[HunkPlace | NoPlace]:
    """The places of a file's hunks, of which not all have one, where `every` other one is applied already.

    Else raises the error of one, with `every` with a line for each other; `already_applied`, caused by that, where
    the results of all are there.
    """
    first = next(place for place in places if isinstance(place, NoPlace))
    may_be = every or first.why in ("no_match", "already_applied", "order")
    there = find_applied(hunks, lines) if may_be else [None] * len(hunks)
    known = [
        NoPlace("already_applied", (line,))
        if isinstance(place, NoPlace)
        and line is not None
        and place.why in ("no_match", "already_applied")
        else place
        for place, line in zip(places, there, strict=False)
    ]
    unplaced = [
        (at, place) for at, place in enumerate(known) if isinstance(place, NoPlace)
    ]
    main, first = next(
        ((at, one) for at, one in unplaced if one.why != "already_applied"), unplaced[0]
    )
    error = _unplaced(file, lines, hunks[main], first)
    if all(there):
        error.message += f"\nall of its changes to {file.path} are there already"
        raise _applied([{"path": file.path, "line": there[0]}]) from error
    if every and first.why == "already_applied" and len(known) == len(hunks):
        begun = [
            place.at + 1 if isinstance(place, HunkPlace) else place.lines[0]
            for place in known
        ]
        if begun == sorted(begun):
            return known
    if every and len(hunks) > 1:
        told: list[dict[str, object]] = []
        for at, (hunk, place) in enumerate(zip(hunks, known, strict=False)):
            if at == main:
                told.append({**error.details})
                continue
            if isinstance(place, HunkPlace):
                message = f"hunk {hunk.number} fits at line {place.at + 1}"
                told.append({"hunk": hunk.number, "line": place.at + 1})
            elif place.why == "already_applied":
                message = (
                    f"hunk {hunk.number} is applied already, at line {place.lines[0]}"
                )
                told.append(
                    {"hunk": hunk.number, "line": place.lines[0], "reason": place.why}
                )
            else:
                other = _unplaced(file, lines, hunk, place)
                message = other.message
                told.append(other.details)
            error.message += f"\n{message}"
        if len(places) < len(hunks):
            error.message += (
                f"\n{pluralize(len(hunks) - len(places), 'more hunk')} not looked at"
            )
        error.details["hunks"] = told
    raise error


def _unplaced(
    file: FilePatch, lines: Source, hunk: PatchHunk, place: NoPlace
) -> FilewrightError:
    """The `patch_failed` for a hunk that has no place."""
    why, hint = _UNPLACED[place.why]
    places = ", ".join(map(str, place.lines))
    heading = to_one_line(truncate_line(place.heading.strip(), 120))
    said = why.format(
        places=places,
        heading=heading,
        at=f" (it is at line {places})" if places else "",
    )
    error = _failed(
        file, hunk, f"does not apply: {said}", hint, place.why, lines=list(place.lines)
    )
    near = (
        find_nearest(lines, "\n".join(hunk.lines.old), line=hunk.start, limit=1)
        if place.why == "no_match"
        else ()
    )
    for one in near:
        difference = (
            f"line {one.differs_at} is '{one.found}', where the hunk has '{one.asked}'"
        )
        if one.differs_at is None:
            difference = f"line {one.last_line + 1} and those behind it are not as the hunk has them"
        text = "\n".join(
            to_one_line(truncate_line(line, 200))
            for line in one.text.split("\n")[:_SHOWN_LINES]
        )
        error.details |= {
            "nearest_line": one.first_line,
            "nearest_text": text,
            "difference": difference,
        }
        error.message += (
            f"\n{difference}\nnearest text, from line {one.first_line}:\n{text}"
        )
    return error


def _failed(
    file: FilePatch, hunk: PatchHunk, said: str, hint: str, reason: str, **facts: object
) -> FilewrightError:
    message = f"hunk {hunk.number} of {file.path} (line {hunk.patch_line} of the patch) {said}"
    return path_error(
        Code.PATCH_FAILED,
        file.path,
        message,
        hint,
        hunk=hunk.number,
        patch_line=hunk.patch_line,
        reason=reason,
        **facts,
    )
