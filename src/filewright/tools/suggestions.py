"""Paths that may have been meant by one that names nothing.

A model writes a path as it stands in a diff, in an address or on a screen: with a prefix, with other slashes, without
the folders above, with a plain space for a no-break one. No other file is opened for that. The refusal names the file
that has the path's tail, in a form that tells it from names that look the same.
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

MOST_NAMED = 3
"""Paths that a hint names."""

_MAX_ENTRIES = 200_000
_MAX_NAMES = 5_000
"""Names of one folder that are compared by spelling."""

_WRAPPED = re.compile(r"""(?s)\s*(?:@|[`'"<(\[*]*)(.*?)[`'">)\]*]*\s*""")
_LINE_SUFFIX = re.compile(r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)\Z")
_DRIVE = re.compile(r"\A[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Suggestions:
    """The paths that may have been meant, the likeliest first; or how many `others` have the `name` asked for."""

    paths: tuple[str, ...] = ()
    others: int = 0
    name: str = ""

    @property
    def hint(self) -> str:
        """The question whether one of them is meant; empty if there are none."""
        if self.others:
            return f"{self.others} files have that name: the glob **/{self.name} lists them"
        return f"did you mean {' or '.join(self.paths)}?" if self.paths else ""


@dataclass(slots=True)
class _Tails:
    """The things whose path ends like the one asked for, by how many of its last parts they share."""

    looks: Sequence[str]
    depth: int = 0
    matches: list[Location] = field(default_factory=list)

    def add(self, location: Location) -> None:
        """Take a thing into account that has the last name."""
        depth = 1
        for look, part in zip(
            reversed(self.looks[:-1]),
            reversed(location.parts[:-1]),
            strict=False,
        ):
            if look != _look(part):
                break
            depth += 1
        if depth > self.depth:
            self.depth, self.matches = depth, []
        if depth == self.depth:
            self.matches.append(location)


def suggest(boundary: Boundary, asked: str, task: Task) -> Suggestions:
    """Return what may have been meant by the path `asked`, which names nothing.

    Names nothing that is denied, and gives up where `task` has no time left. Raises as `Task.check`.
    """
    parts = _parts_of(asked)
    if not parts:
        return Suggestions()
    looks = [visible_form(part).casefold() for part in parts]
    for include_ignored in (False, True):
        tails = _Tails(looks)
        for location in _things_named(
            boundary, looks[-1], task, include_ignored=include_ignored
        ):
            tails.add(location)
        if tails.matches:
            break
    near = _near(boundary, asked, task)
    matches = tails.matches
    whole = [
        location
        for location in matches
        if len(location.parts) == len(parts) == tails.depth
    ]
    if len(whole) == 1:
        matches = whole
    if len(matches) > MOST_NAMED:
        # So many are told apart by no list; what is spelled alike in the folder asked for may be.
        if not near:
            return Suggestions(others=len(matches), name=parts[-1])
        matches = []
    elif len(matches) == 1 or tails.depth == len(parts):
        near = []
    locations = list(dict.fromkeys([*matches, *near]))[:MOST_NAMED]
    return Suggestions(
        tuple(distinct_form(location, asked) for location in locations)
    )


def distinct_form(location: Location, asked: str = "") -> str:
    """Return a path as it can be sent back: quoted where a reader would take it for another, or for the one `asked`."""
    text = os.fsdecode(location.path)
    escaped = {
        character
        for character in text
        if not character.isascii() and _is_misread(character)
    }
    if (
        not escaped
        and not text.isascii()
        and visible_form(text) == visible_form(asked)
    ):
        escaped = {character for character in text if not character.isascii()}
    if not escaped:
        return location.display_path
    return location.display_path_with(
        lambda path: quote_escaping(path, escaped)
    )


def _is_misread(character: str) -> bool:
    """Whether a reader cannot see the character, or that it is one of its own."""
    return (
        is_peculiar(character)
        or unicodedata.combining(character) > 0
        or "\u1100" <= character <= "\u11ff"
    )


def _look(name: bytes) -> str:
    return visible_form(os.fsdecode(name)).casefold()


def _parts_of(asked: str) -> list[str]:
    """Return the parts of a path, without what is written around one and before one."""
    text = asked
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


def _things_named(
    boundary: Boundary, look: str, task: Task, *, include_ignored: bool
) -> Iterator[Location]:
    """Yield what looks as if it had this name, or has it but for its ending, in any root."""
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
            name = _look(entry.name)
            if name == look:
                is_named = True
                yield entry.location
            elif (
                "." not in look
                and name.rpartition(".")[0] == look
                and entry.kind == "file"
            ):
                stems.append(entry)
        if not is_named:
            yield from (entry.location for entry in stems)


def _near(boundary: Boundary, asked: str, task: Task) -> list[Location]:
    """Return what is spelled like the first part that is not there, with the parts behind it where that is there."""
    try:
        location = boundary.locate(asked)
    except FilewrightError:
        return []
    missing, above = None, location
    while above.parts and not _exists(boundary, above):
        missing, above = above, above.parent
    if missing is None:
        return []
    walk = boundary.walk(
        above, WalkOptions(depth=1, include_ignored=True), task=task
    )
    names: dict[str, Location] = {}
    for number, entry in enumerate(walk):
        if number >= _MAX_NAMES:
            break
        names[os.fsdecode(entry.name)] = entry.location
    near = []
    for name in closest_matches(os.fsdecode(missing.name), names, MOST_NAMED):
        whole = names[name]
        for part in location.parts[len(missing.parts) :]:
            whole = whole.child(part)
        near.append(whole if _exists(boundary, whole) else names[name])
    return near


def _exists(boundary: Boundary, location: Location) -> bool:
    try:
        boundary.stat(location)
    except FilewrightError:
        return False
    return True
