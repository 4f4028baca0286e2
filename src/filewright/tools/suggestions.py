"""Suggestions of existing paths for a path that does not exist.

A model writes a path as it is in a diff, in an address or on a screen: with a prefix,
with other slashes, without the folders above, with a plain space for a no-break one. No
other file is opened instead. The refusal names the file with the same end of its path, in
a form that tells it from names that look the same.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.names import quote_escaping
from filewright.boundary.walk_model import WalkOptions
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.text.spelling import is_peculiar, visible_form
from filewright.wording import closest_matches

if TYPE_CHECKING:
    from filewright.boundary.walk_model import FolderEntry

MAX_SUGGESTIONS = 3
"""The paths that a hint names."""

_MAX_ENTRIES = 200_000
"""Entries of a root that are compared with the missing name."""

_MAX_NAMES = 5_000
"""The names of one folder that are compared by spelling."""

_WRAPPED = re.compile(r"""(?s)\s*(?:@|[`'"<(\[*]*)(.*?)[`'">)\]*]*\s*""")
_LINE_SUFFIX = re.compile(r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)\Z")
_DRIVE = re.compile(r"\A[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Suggestions:
    """The paths that may be meant, the likeliest first, or the number of files of a `name`."""

    paths: tuple[str, ...] = ()
    others: int = 0
    name: str = ""

    @property
    def hint(self) -> str:
        """The question that names them, or "" without any."""
        if self.others:
            return f"{self.others} files have that name: the glob **/{self.name} lists them"
        return f"did you mean {' or '.join(self.paths)}?" if self.paths else ""


@dataclass(slots=True)
class _Tails:
    """The paths with the longest common end with the requested path.

    `forms` are the visible forms of the parts of the requested path, `depth` is the
    number of parts in common.
    """

    forms: Sequence[str]
    depth: int = 0
    matches: list[Location] = field(default_factory=list)

    def add(self, location: Location) -> None:
        """Take into account a path with the same last name."""
        depth = 1
        folders = reversed(location.parts[:-1])
        for form, part in zip(reversed(self.forms[:-1]), folders, strict=False):
            if form != _visible(part):
                break
            depth += 1
        if depth > self.depth:
            self.depth = depth
            self.matches = []
        if depth == self.depth:
            self.matches.append(location)


def suggest(boundary: Boundary, requested_path: str, task: Task) -> Suggestions:
    """Return existing paths that a path that does not exist may stand for.

    Denied paths are left out. Raise as `Task.check`.
    """
    parts = _split_parts(requested_path)
    if not parts:
        return Suggestions()
    tails = _find_tails(boundary, parts, task)
    similar = _find_similar(boundary, requested_path, task)
    matches = tails.matches
    if tails.depth == len(parts):
        whole = [path for path in matches if len(path.parts) == len(parts)]
        if len(whole) == 1:
            matches = whole
    if len(matches) > MAX_SUGGESTIONS:
        # A list of so many does not help; names alike in the same folder may.
        if not similar:
            return Suggestions(others=len(matches), name=parts[-1])
        matches = []
    elif len(matches) == 1 or tails.depth == len(parts):
        similar = []
    locations = list(dict.fromkeys([*matches, *similar]))[:MAX_SUGGESTIONS]
    return Suggestions(
        tuple(distinct_form(location, requested_path) for location in locations)
    )


def _find_tails(boundary: Boundary, parts: Sequence[str], task: Task) -> _Tails:
    """Return the paths with the same last name, ignored ones only if there is no other."""
    forms = [visible_form(part).casefold() for part in parts]
    tails = _Tails(forms)
    for include_ignored in (False, True):
        for location in _find_by_name(
            boundary, forms[-1], task, include_ignored=include_ignored
        ):
            tails.add(location)
        if tails.matches:
            break
    return tails


def distinct_form(location: Location, requested_path: str = "") -> str:
    """Return a path as it can be sent back.

    It is quoted if a reader would take it for another path, or for the requested one.
    """
    text = os.fsdecode(location.path)
    escaped = {
        character
        for character in text
        if not character.isascii() and _is_misread(character)
    }
    if (
        not escaped
        and not text.isascii()
        and visible_form(text) == visible_form(requested_path)
    ):
        escaped = {character for character in text if not character.isascii()}
    if not escaped:
        return location.display_path
    return location.display_path_with(
        lambda path: quote_escaping(path, escaped)
    )


def _is_misread(character: str) -> bool:
    """Return True for a character that a reader cannot see, or takes for another."""
    return (
        is_peculiar(character)
        or unicodedata.combining(character) > 0
        or "\u1100" <= character <= "\u11ff"
    )


def _visible(name: bytes) -> str:
    """Return a name as a reader sees it, without letter case."""
    return visible_form(os.fsdecode(name)).casefold()


def _split_parts(requested_path: str) -> list[str]:
    """Return the parts of a path, without quotes, a drive or a line number."""
    text = requested_path
    if text.startswith("file:"):
        text = re.sub(r"\Afile:(?://[^/]*(?=/))?", "", text)
    match = _WRAPPED.fullmatch(text)
    text = match[1] if match is not None else text
    text = _LINE_SUFFIX.sub("", text)
    if "%" in text:
        text = unquote(text, errors="surrogateescape")
    text = _DRIVE.sub("", text).replace("\\", "/")
    return [
        part
        for part in text.split("/")
        if part.strip() not in ("", ".", "..", "~")
    ]


def _find_by_name(
    boundary: Boundary, form: str, task: Task, *, include_ignored: bool
) -> Iterator[Location]:
    """Yield the paths of a name in any root, else the files with it before the extension."""
    for root in boundary.roots:
        walk = boundary.walk(
            Location(root, ()),
            WalkOptions(include_ignored=include_ignored),
            task=task,
        )
        stems: list[FolderEntry] = []
        is_named = False
        for number, entry in enumerate(walk):
            if number > _MAX_ENTRIES:
                return
            name = _visible(entry.name)
            if name == form:
                is_named = True
                yield entry.location
            elif (
                "." not in form
                and name.rpartition(".")[0] == form
                and entry.kind == "file"
            ):
                stems.append(entry)
        if not is_named:
            yield from (entry.location for entry in stems)


def _find_similar(
    boundary: Boundary, requested_path: str, task: Task
) -> list[Location]:
    """Return the paths in which the first missing part has a similar name."""
    try:
        location = boundary.locate(requested_path)
    except FilewrightError:
        return []
    missing, parent = None, location
    while parent.parts and not _exists(boundary, parent):
        missing, parent = parent, parent.parent
    if missing is None:
        return []
    walk = boundary.walk(
        parent, WalkOptions(depth=1, include_ignored=True), task=task
    )
    names: dict[str, Location] = {}
    for number, entry in enumerate(walk):
        if number >= _MAX_NAMES:
            break
        names[os.fsdecode(entry.name)] = entry.location
    similar: list[Location] = []
    for name in closest_matches(
        os.fsdecode(missing.name), names, MAX_SUGGESTIONS
    ):
        whole = names[name]
        for part in location.parts[len(missing.parts) :]:
            whole = whole.child(part)
        similar.append(whole if _exists(boundary, whole) else names[name])
    return similar


def _exists(boundary: Boundary, location: Location) -> bool:
    """Return True if a path exists and is not denied."""
    try:
        boundary.stat(location)
    except FilewrightError:
        return False
    return True
