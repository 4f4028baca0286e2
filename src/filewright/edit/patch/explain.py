"""The refusals of patches, in words: why a hunk, a file or a whole patch does not apply.

A refusal names as much as one answer can, so that the next call can correct all of it.
Every list in it is limited, because a patch may have thousands of files and hunks. Its
`details` repeat for programs what the message says; all line numbers count from 1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from filewright.edit.diff import truncate_line
from filewright.edit.nearest import find_nearest
from filewright.edit.patch.correct import Correction
from filewright.edit.patch.model import FilePatch, PatchHunk
from filewright.edit.patch.placement import HunkPlace, NoPlace, Reason
from filewright.edit.patch.renamed_words import (
    RenamedHunk,
    find_renamed_hunk,
)
from filewright.edit.source import Source
from filewright.errors import Code, FilewrightError, path_error
from filewright.hints import Hint, fill, join_hints
from filewright.wording import join_limited, limit_lines, pluralize, to_one_line

_MAX_NEAREST_LINES = 12
_MAX_LINE_CHARS = 200
_MAX_HEADING_CHARS = 120
_MAX_RENAMED_LINES = 20
_MAX_OTHER_FAILURES = 5
"""Further files and hunks whose refusals are shown in full with that of the first."""
_MAX_NAMED_FILES = 10
"""Applied files that are named in a message."""
_MAX_LISTED_FILES = 100
"""Applied files that are listed in the details of an error."""

# For each reason, what is wrong and what to do about it.
_REASONS: dict[Reason, tuple[str, str]] = {
    "no_match": (
        "its old lines are not in the file",
        "read the file again and make the hunk from its current text",
    ),
    "ambiguous_match": (
        "its old lines are in the file more than once, at lines {places}",
        "add lines of context that only the intended place has, or correct "
        "the line number in '@@ -N'",
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
        "it adds lines but has no kept or removed line that says where",
        "give it at least one line of context; at the end of the file also "
        "'*** End of File'",
    ),
    "already_applied": (
        "it is applied already, at line {places}",
        Hint(
            "leave this hunk out, or let partial=true do so",
            shell="leave this hunk out",
            plain="leave this hunk out",
        ),
    ),
    "heading": (
        "its heading {heading!r} is not above it in the file{at}",
        "copy the whole line from the file, or leave the heading out and add "
        "context",
    ),
    "not_at_end": (
        "it is marked '*** End of File', but its old lines are at line "
        "{places}",
        "leave out '*** End of File', or make the hunk again",
    ),
    "cut": (
        "it has fewer lines than its header says and ends without context: "
        "the patch seems cut off",
        "send the whole patch again",
    ),
    "too_alike": (
        "its old lines are too frequent in the file to be placed",
        "add context lines that occur once, or a line number in '@@ -N'",
    ),
    "sent_twice": (
        "it is sent twice: an earlier hunk has the same lines for line {places}",
        Hint(
            "leave this hunk out, or let partial=true do so, or correct the "
            "line number in '@@ -N' for another place",
            shell="leave this hunk out, or correct the line number in '@@ -N' "
            "for another place",
            plain="leave this hunk out, or correct the line number in '@@ -N' "
            "for another place",
        ),
    ),
    "doubtful": (
        "its old lines are at line {places}, but its number names another "
        "place, where it may be applied already or the text has changed",
        "correct the line number in '@@ -N', or add lines of context that "
        "only the intended place has",
    ),
}

_APPLIED_NEARBY = (
    "its old lines are at line {places}, but its new lines are at line "
    "{applied}, nearer to its line number: it may be applied already",
    "leave it out if it is applied",
)


def hunk_error(
    file: FilePatch,
    hunk: PatchHunk,
    problem: str,
    hint: str,
    reason: str,
    **facts: object,
) -> FilewrightError:
    """Return the error `patch_failed` for a hunk.

    `problem` ends the sentence "hunk 1 of a.py (line 7 of the patch) ...". `reason` is
    for programs, and `facts` are further details of the error.
    """
    message = (
        f"hunk {hunk.number} of {file.path} "
        f"(line {hunk.patch_line} of the patch) {problem}"
    )
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


def explain_refusal(
    file: FilePatch, source: Source, hunk: PatchHunk, place: NoPlace
) -> FilewrightError:
    """Return the error `patch_failed` for a hunk that has no place.

    If its lines are nowhere in the file, the error shows the hunk as it fits with other
    names, or the text that is most like it, so that the hunk can be corrected without
    reading the file.
    """
    if place.reason != "no_match":
        return no_place_error(file, hunk, place)
    renamed = find_renamed_hunk(hunk, source)
    if renamed is not None:
        return renamed_hunk_error(file, hunk, renamed)
    error = no_place_error(file, hunk, place)
    _add_nearest_text(error, source, hunk)
    return error


def no_place_error(
    file: FilePatch, hunk: PatchHunk, place: NoPlace
) -> FilewrightError:
    """Return the error `patch_failed` for a hunk that has no place, by the reason."""
    problem, hint = _REASONS[place.reason]
    if place.applied_line:
        problem, hint = _APPLIED_NEARBY
    line_numbers = ", ".join(map(str, place.lines))
    problem = problem.format(
        places=line_numbers,
        heading=to_one_line(
            truncate_line(place.heading.strip(), _MAX_HEADING_CHARS)
        ),
        at=f" (it is at line {line_numbers})" if line_numbers else "",
        applied=place.applied_line,
    )
    if place.header_line:
        first_line = place.lines[0]
        hint = f"write '@@ -{place.header_line}' for line {first_line}; {hint}"
    return hunk_error(
        file,
        hunk,
        f"does not apply: {problem}",
        hint,
        place.reason,
        lines=list(place.lines),
    )


def describe_done(reason: str, line: int) -> str:
    """Return in words why a hunk has nothing to do, at a line of the file."""
    if reason == "sent_twice":
        return f"is sent twice, for line {line}"
    return f"is applied already, at line {line}"


def corrected_error(
    file: FilePatch, hunk: PatchHunk, correction: Correction, line_shift: int
) -> FilewrightError:
    """Return the error `patch_failed` for a hunk of which the rest has a correction.

    `line_shift` is the number of lines that other hunks have added above it. The rest
    shows the lines of the file, so the error does not.
    """
    first_line = correction.line + line_shift
    differences: list[str] = []
    for index, file_line in correction.context.items():
        asked_line = hunk.lines.old[index]
        differences.append(
            f"line {first_line + index} is {_quote_line(file_line)}, where the "
            f"hunk has {_quote_line(asked_line)}"
        )
    return hunk_error(
        file,
        hunk,
        "\n".join(
            ["does not apply, but the rest has it corrected:", *differences]
        ),
        "send it as the rest shows it",
        "no_match",
        lines=[],
        corrected_line=first_line,
    )


def renamed_hunk_error(
    file: FilePatch, hunk: PatchHunk, renamed: RenamedHunk
) -> FilewrightError:
    """Return the error `patch_failed` for a hunk that fits with other names.

    It shows the hunk as it fits.
    """
    problem, _ = _REASONS["no_match"]
    names = ", ".join(f"{new} for {old}" for old, new in renamed.words.items())
    lines = renamed.hunk.lines
    old_lines, new_lines = iter(lines.old), iter(lines.new)
    rows: list[str] = []
    for sign in lines.signs:
        text = next(old_lines) if sign != "+" else next(new_lines)
        if sign == " ":
            next(new_lines)
        rows.append(
            f"{sign}{to_one_line(truncate_line(text, _MAX_LINE_CHARS))}"
        )
    shown_rows = limit_lines(rows, _MAX_RENAMED_LINES, noun="line")
    problem = (
        f"does not apply: {problem}; with {names} it fits at line "
        f"{renamed.line}:\n" + "\n".join(shown_rows)
    )
    words = json.dumps(renamed.words, ensure_ascii=False)
    return hunk_error(
        file,
        hunk,
        problem,
        Hint(
            f"names={words} applies it with these names",
            shell=f"write {names} in the hunk if these names are right",
            plain=f"write {names} in the hunk if these names are right",
        ),
        "no_match",
        lines=[],
        fits_at=renamed.line,
        names={**renamed.words},
    )


def _quote_line(line: str) -> str:
    return f"'{to_one_line(truncate_line(line, _MAX_LINE_CHARS))}'"


def _add_nearest_text(
    error: FilewrightError, source: Source, hunk: PatchHunk
) -> None:
    matches = find_nearest(
        source, "\n".join(hunk.lines.old), line=hunk.start, limit=1
    )
    if not matches:
        return
    match = matches[0]
    if match.differs_at is None:
        difference = (
            f"from line {match.last_line + 1} on the file differs from the hunk"
        )
    else:
        difference = (
            f"line {match.differs_at} is '{match.found}', where the hunk has "
            f"'{match.asked}'"
        )
    lines = match.text.split("\n")[:_MAX_NEAREST_LINES]
    text = "\n".join(
        to_one_line(truncate_line(line, _MAX_LINE_CHARS)) for line in lines
    )
    error.summary += (
        f"\n{difference}\nnearest text, from line {match.first_line}:\n{text}"
    )
    error.details["nearest_line"] = match.first_line
    error.details["nearest_text"] = text
    error.details["difference"] = difference


def add_other_hunks(
    error: FilewrightError,
    file: FilePatch,
    source: Source,
    places: Sequence[HunkPlace | NoPlace],
    reported_hunk: int,
) -> None:
    """Add to the error of a hunk the outcomes of the other hunks of its file.

    `places` are those of the hunks from the first on; the last hunks may be missing.
    `reported_hunk` is the index (from 0) of the hunk that the error is about.
    """
    outcomes: list[dict[str, object]] = []
    for index, place in enumerate(places):
        hunk = file.hunks[index]
        if index == reported_hunk:
            outcomes.append({**error.details})
            continue
        if isinstance(place, HunkPlace):
            line = place.start + 1
            message = f"hunk {hunk.number} fits at line {line}"
            outcomes.append({"hunk": hunk.number, "line": line})
        elif place.is_done:
            line = place.lines[0]
            message = f"hunk {hunk.number} {describe_done(place.reason, line)}"
            outcomes.append(
                {"hunk": hunk.number, "line": line, "reason": place.reason}
            )
        else:
            other_error = explain_refusal(file, source, hunk, place)
            message = other_error.message
            outcomes.append(other_error.details)
        error.summary += f"\n{message}"
    remaining = len(file.hunks) - len(places)
    if remaining > 0:
        error.summary += f"\n{pluralize(remaining, 'more hunk')} not checked"
    error.details["hunks"] = outcomes


def no_change_error() -> FilewrightError:
    """Return the error for a patch that changes nothing."""
    return FilewrightError(
        Code.NO_CHANGE,
        "the patch would not alter any file",
    )


def already_applied_error(
    files: Sequence[Mapping[str, object]],
) -> FilewrightError:
    """Return the error for a patch whose results are all in the files.

    Each of `files` has a "path" and the "line" of the first result in it. "elsewhere" are
    lines at which the old lines of a hunk are too, if there are any.
    """
    descriptions: list[str] = []
    hint = ""
    for file in files[:_MAX_NAMED_FILES]:
        description = f"{file['path']} at line {file['line']}"
        elsewhere = file.get("elsewhere")
        if isinstance(elsewhere, list):
            lines = ", ".join(map(str, elsewhere))
            description += f" (its old lines are at line {lines} too)"
            hint = hint or (
                f"write '@@ -{elsewhere[0]}' for line {elsewhere[0]} of "
                f"{file['path']}"
            )
        descriptions.append(description)
    return FilewrightError(
        Code.ALREADY_APPLIED,
        f"the patch is applied already: {'; '.join(descriptions)}",
        hint,
        files=files[:_MAX_LISTED_FILES],
    )


def patch_error(
    failures: Sequence[FilewrightError], applied: Sequence[str]
) -> FilewrightError:
    """Return the error for a patch, by the errors of files and hunks that do not fit.

    It is the first one, and has the others too, so that the next call can correct them
    all. `applied` names the files and hunks that are applied already.
    """
    first, *others = failures
    shown_failures = failures[: 1 + _MAX_OTHER_FAILURES]
    rows = limit_lines(
        [error.summary for error in others],
        _MAX_OTHER_FAILURES,
        noun="problem",
    )
    if applied:
        named = join_limited(applied, _MAX_NAMED_FILES)
        rows.append(f"skipped, as applied already: {named}")
    refusal = FilewrightError(
        first.code,
        first.summary,
        _join_failure_hints(failures, shown_failures),
        details=first.details,
    )
    refusal.also = tuple(rows)
    return refusal


def _join_failure_hints(
    failures: Sequence[FilewrightError],
    shown_failures: Sequence[FilewrightError],
) -> str | None:
    """Return the one call that corrects all failures, or else a hint for each."""
    names: dict[str, str] = {}
    for error in failures:
        names |= error.details.get("names", {})
    can_all_be_named = all("names" in error.details for error in failures)
    if len(failures) > 1 and can_all_be_named:
        call = json.dumps(names, ensure_ascii=False)
        return Hint(
            f"names={call} applies the whole patch with these names",
            shell="correct the names in the patch",
            plain="correct the names in the patch",
        )
    distinct_hints = {error.hint for error in failures if error.hint}
    if len(distinct_hints) <= 1:
        return join_hints(distinct_hints)
    labelled_hints: list[str] = []
    for error in shown_failures:
        if error.hint:
            label = str(error.details.get("path", "the patch"))
            if "hunk" in error.details:
                label = f"hunk {error.details['hunk']} of {label}"
            labelled_hints.append(fill("{}: {}", label, error.hint))
    return join_hints(labelled_hints)
