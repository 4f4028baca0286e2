"""What is said when a hunk has no place: which, why, what stands there instead, and what would help."""

from __future__ import annotations

from collections import Counter

from filewright.edit.patch.filelines import FileLines
from filewright.edit.patch.model import FilePatch, Hunk
from filewright.edit.patch.places import Unplaced
from filewright.edit.visible import cut_line, safe
from filewright.errors import Code, FilewrightError

_SHOWN_LINES = 12
_ROWS = 2_000
_COMMON = 1_000  # places of one line of a hunk beyond which it says nothing about where it belongs

_READ_AGAIN = "read the file again and make the hunk from what is there now"


def failed(file: FilePatch, lines: FileLines, unplaced: Unplaced) -> FilewrightError:
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
    heading = safe(cut_line(unplaced.heading.strip(), 120))
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
        near = nearest(lines, hunk)
        if near is not None:
            line, text, difference = near
            message += f"\n{difference}"
            details |= {"nearest_line": line, "nearest_text": text, "difference": difference}
            message += f"\nnearest text, from line {line}:\n{text}"
    return FilewrightError(Code.PATCH_FAILED, message, hint=hint, details=details)


def nearest(lines: FileLines, hunk: Hunk) -> tuple[int, str, str] | None:
    """Where most lines of a hunk stand: the 1-based line, the file's text there, the first difference."""
    old = hunk.old
    encoding = lines.snapshot.encoding.name
    rows: dict[bytes, list[int]] = {}
    for index, text in enumerate(old[:_ROWS]):
        key = text.encode(encoding, "replace").strip()
        if key:
            rows.setdefault(key, []).append(index)
    found: dict[bytes, list[int]] = {}
    for first, bodies in lines.windows():
        for index, body in enumerate(bodies):
            key = body.strip()
            if key in rows:
                known = found.setdefault(key, [])
                if len(known) < _COMMON:
                    known.append(first + index)
    votes: Counter[int] = Counter()
    for key, known in found.items():
        if len(rows[key]) <= 20:
            votes.update(at - index for at in known for index in rows[key])
    stated = (hunk.start or 1) - 1
    if not votes and (hunk.start is None or stated >= lines.count):
        return None
    best = max(votes.values(), default=0)
    places = [place for place, count in votes.items() if count == best] or [stated]
    at = max(0, min(places, key=lambda place: abs(place - stated)))
    there = [body.decode(encoding, "replace") for body in lines.bodies(at, max(len(old), 1))]
    difference = ""
    for index, text in enumerate(old):
        stands = there[index] if index < len(there) else None
        if stands != text:
            wanted = visible(text)
            has = "the end of the file" if stands is None else f"{visible(stands)}"
            difference = f"line {at + index + 1} is {has}, where the hunk has {wanted}"
            break
    text = "\n".join(safe(cut_line(line, 200)) for line in there[:_SHOWN_LINES])
    return at + 1, text, difference


def visible(text: str) -> str:
    """A line in quotes with its blanks at the edges and its tabs made visible."""
    text = cut_line(text, 160)
    body = text.strip(" \t")
    lead = text[: len(text) - len(text.lstrip(" \t"))] if body else text
    tail = text[len(lead) + len(body) :]
    marked = [part.replace(" ", "·").replace("\t", "→") for part in (lead, tail)]
    return f"'{marked[0]}{safe(body)}{marked[1]}'"
