"""Notes of a search: what it left out, and where the text occurs in another spelling."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice

from filewright.boundary.globs import GlobFolder, Globs
from filewright.boundary.location import Location
from filewright.errors import FilewrightError
from filewright.search.code_pattern import CodePattern
from filewright.search.hits import Hit
from filewright.search.pattern import Pattern, compile_pattern
from filewright.search.tree import MAX_NAMED_FILES, TreeSearch
from filewright.search.tree_options import TreeOptions
from filewright.text.snapshot import Snapshot
from filewright.text.spelling import visible_form
from filewright.tools.best_effort import best_effort
from filewright.tools.context import Context
from filewright.tools.read.times import find_period
from filewright.tools.search.result import SearchHit
from filewright.tools.suggestions import distinct_form
from filewright.wording import character_names, escape_controls, pluralize

MAX_MEMBERS = 10
MAX_NAMED_PROBLEMS = 5
MAX_COUNTED_LINES = 1_000
MAX_MATCH_BYTES = 16 << 10
MAX_SPELLING_CHARS = 120

_FIRST_WORD = re.compile(r"\s*(\w+)", re.ASCII)

OUT_OF_TIME = "time ran out before all"
LEFT_OUT_SECONDS = 0.1
NAMES_SECONDS = 0.3
SPELLING_SECONDS = 0.4


def skip_notes(search: TreeSearch) -> list[str]:
    """Return notes on the files that a search of a tree did not search."""
    notes = []
    if search.ignored:
        notes.append(f"{pluralize(search.ignored, 'ignored name')} skipped")
    if search.binary:
        notes.append(f"{pluralize(search.binary, 'binary file')} skipped")
    if search.unreadable:
        names = [location.display_path for location in search.unreadable_files]
        named = escape_controls(f" ({', '.join(names)})") if names else ""
        notes.append(f"{search.unreadable} could not be read{named}")
    if search.long_compressed_count:
        files = pluralize(search.long_compressed_count, "long compressed file")
        names = [
            location.display_path for location in search.long_compressed_files
        ]
        named = escape_controls(", ".join(names))
        notes.append(f"{files} not searched ({named}): name one as path")
    return notes


def problem_notes(problems: Mapping[str, str]) -> list[str]:
    """Return notes on the compressed files whose text ends early, by their paths."""
    notes = []
    for path, problem in islice(problems.items(), MAX_NAMED_PROBLEMS):
        notes.append(f"{escape_controls(path)} {problem}")
    other_count = len(problems) - len(notes)
    if other_count > 0:
        notes.append(f"{pluralize(other_count, 'more such file')}")
    return notes


def has_part_of_word(hits: Sequence[SearchHit]) -> bool:
    """Return True if a match is a part of a longer word or number."""
    for hit in hits:
        for start, end in hit.submatches:
            if not is_whole_word(hit.text, start, end):
                return True
    return False


def count_whole_words(hits: Sequence[SearchHit]) -> int:
    """Return the number of lines with a match that is not a part of a longer word."""
    places = set()
    for hit in hits:
        for start, end in hit.submatches:
            if is_whole_word(hit.text, start, end):
                places.add((hit.path, hit.line))
    return len(places)


def is_whole_word(text: str, start: int, end: int) -> bool:
    """Return True if the text [start, end) is not a part of a longer word or number."""
    before, after = text[:start][-1:], text[end : end + 1]
    if _is_word_character(before) and _is_word_character(
        text[start : start + 1]
    ):
        return False
    return not (
        _is_word_character(after) and _is_word_character(text[end - 1 : end])
    )


def _is_word_character(character: str) -> bool:
    """Return True for a character of words, and False for an empty text."""
    return character.isalnum() or character == "_"


def selection_notes(search: TreeSearch) -> list[str]:
    """Return notes on lines without JSON, and on files without times in their order."""
    notes = []
    for kind, count in search.left_out.items():
        noun, _, reason = kind.partition(" ")
        if count:
            notes.append(f"{pluralize(count, noun)} {reason}")
    if search.without_columns:
        files = pluralize(search.without_columns, "file")
        notes.append(f"{files} without these columns")
    if search.without_json and not search.left_out.total():
        files = pluralize(search.without_json, "file")
        notes.append(f"{files} without JSON lines")
    if search.untimed:
        notes.append(f"{pluralize(search.untimed, 'file')} without times")
    if search.unsorted:
        notes.append("the times are not in order, so every line was checked")
    if search.members:
        names = [location.name for location in search.members]
        shown = ", ".join(os.fsdecode(name) for name in names[:MAX_MEMBERS])
        more = ""
        if len(names) > MAX_MEMBERS:
            more = f" and {len(names) - MAX_MEMBERS} more"
        notes.append(escape_controls(f"oldest first: {shown}{more}"))
    return notes


def period_notes(
    context: Context, search: TreeSearch, members: Sequence[Location]
) -> list[str]:
    """Return a note on the times that were searched, and on those that the log has.

    A search without a match may have been for another day or another zone.
    """
    time_range = search.time_range
    if search.open_file is not None:
        members = (search.where,)
    if time_range is None or not members:
        return []
    with suppress(FilewrightError), best_effort(search.task) as task:
        period = find_period(context.at(task), members)
        if period is not None:
            since, until = "its beginning", "its end"
            if not math.isinf(time_range.since):
                since = time_range.clock.format_with_zone(time_range.since)
            if not math.isinf(time_range.until):
                until = time_range.clock.format_with_zone(time_range.until)
            return [
                f"searched from {since} to {until}; the log has entries from {period.first} to {period.last}"
            ]
    return []


def left_out_notes(search: TreeSearch) -> list[str]:
    """Return a note on files with matches that a search without a match left out.

    They are searched for an instant only: there can be a hundred times as many ignored
    files as others.
    """
    options = search.options
    has_left_out = (
        search.ignored or options.glob or options.exclude or options.file_type
    )
    if not has_left_out:
        return []
    wider = TreeOptions(
        MAX_NAMED_FILES, "files", invert=options.invert, include_ignored=True
    )
    names: list[str] = []
    with best_effort(search.task, LEFT_OUT_SECONDS) as task:
        for snapshot, _ in replace(search, options=wider, task=task):
            names.append(display_path(snapshot))
    notes = []
    if names:
        notes.append(
            "files with matches left out by glob, type or ignore rules: "
            f"{', '.join(names)}"
        )
    if task.ran_out:
        notes.append(
            f"{OUT_OF_TIME} files left out by glob, type or ignore rules were searched"
        )
    return notes


def spelling_notes(search: TreeSearch) -> list[str]:
    """Return a note on lines with the text of a search in another spelling only.

    Characters of other scripts that look alike count only where nothing matched. The lines
    are searched for an instant only. For a pattern of code, return a note on lines that
    have its first word in an f-string instead.
    """
    if search.pattern.code is not None:
        return _f_string_notes(search, search.pattern.code)
    pattern = search.pattern.for_other_spellings(
        look_alikes=not search.hit_count
    )
    if pattern is None or search.options.invert:
        return []
    if search.has_long_compressed_text or search.selection is not None:
        # It would have to be decoded a second time.
        return []
    lines = _count_again(
        search,
        pattern,
        lambda snapshot, hit: _describe_hit(snapshot, hit, search.pattern.text),
    )
    if not lines.count:
        # A text of plain letters that matched is seldom spelled otherwise elsewhere.
        is_plain = bool(search.hit_count) and search.pattern.text.isascii()
        if lines.ran_out and not is_plain:
            return [f"{OUT_OF_TIME} lines were searched for other spellings"]
        return []
    noun = "more line" if search.hit_count else "line"
    is_lower_bound = lines.ran_out or lines.count >= MAX_COUNTED_LINES
    at_least = "at least " if is_lower_bound else ""
    return [
        f"{at_least}{pluralize(lines.count, noun)} with the same text in another spelling, not matched: {lines.first}"
    ]


@dataclass(frozen=True, slots=True)
class _CountedLines:
    """The number of lines that a pattern matches, and the first of them in words.

    There may be more lines if the time `ran_out`.
    """

    count: int
    first: str
    ran_out: bool


def _count_again(
    search: TreeSearch,
    pattern: Pattern,
    describe: Callable[[Snapshot, Hit], str],
) -> _CountedLines:
    """Count the lines that another pattern matches, for an instant only.

    `describe` puts the first of them in words. The files are those of the search.
    """
    other_search = replace(
        search,
        pattern=pattern,
        options=replace(
            search.options, limit=MAX_COUNTED_LINES, output="matches"
        ),
        after=None,
    )
    count, first, ran_out = 0, "", False
    with suppress(FilewrightError):
        with best_effort(search.task, SPELLING_SECONDS) as task:
            for snapshot, matches in replace(other_search, task=task):
                count += matches.count
                if not first:
                    first = describe(snapshot, matches.hits[0])
        ran_out = task.ran_out
    return _CountedLines(count, first, ran_out)


def _f_string_notes(search: TreeSearch, code: CodePattern) -> list[str]:
    """Return a note on lines with the first word of a pattern of code in an f-string.

    An f-string of Python is a string, whose code is not matched: before Python 3.12 the
    quotes of a replacement could end it.
    """
    word = _FIRST_WORD.match(code.texts[0])
    if word is None or search.options.invert:
        return []
    expression = (
        rf"\b(?:[fF][rR]?|[rR][fF])[\"'][^\"']*\{{[^{{}}\"']*\b{word[1]}\b"
    )
    lines = _count_again(
        search,
        compile_pattern(expression, mode="regex", case="sensitive"),
        lambda snapshot, hit: (
            f"{escape_controls(display_path(snapshot))}:{hit.line}"
        ),
    )
    if not lines.count:
        if lines.ran_out:
            return [f"{OUT_OF_TIME} f-strings were searched for {word[1]}"]
        return []
    at_least = "at least " if lines.ran_out else ""
    return [
        f"{at_least}{pluralize(lines.count, 'line')} with {word[1]} in an f-string, not matched: {lines.first}"
    ]


def _describe_hit(snapshot: Snapshot, hit: Hit, search_text: str) -> str:
    """Return the place of a hit and how its text differs from the searched text."""
    place = f"{escape_controls(display_path(snapshot))}:{hit.line}"
    return describe_spelling(place, matched_text(snapshot, hit), search_text)


def matched_text(snapshot: Snapshot, hit: Hit) -> str:
    """Return the text of a match, or its beginning if it is long."""
    content = snapshot.read(
        hit.offset, min(hit.end - hit.offset, MAX_MATCH_BYTES)
    )
    # The last character of a long match may be incomplete.
    errors = "ignore" if len(content) == MAX_MATCH_BYTES else "replace"
    return content.decode(snapshot.encoding.name, errors)


def describe_spelling(place: str, text: str, search_text: str) -> str:
    """Return the place of a text and how it differs from the searched text.

    The characters that differ are shown as escapes of JSON, and named.
    """
    differing = []
    for character in dict.fromkeys(text):
        if character not in search_text and not character.isascii():
            differing.append(character)
    escaped_text = ""
    for character in text[:MAX_SPELLING_CHARS]:
        if character in differing or not character.isprintable():
            escaped_text += json.dumps(character)[1:-1]
        else:
            escaped_text += character
    return f'{place} has "{escaped_text}" ({character_names(differing)})'


def name_spelling_notes(
    context: Context, folder: Location, glob: str | None
) -> list[str]:
    """Return a note on names that look like matches of a glob that has none.

    The search for them has a short time limit.
    """
    if glob is None or glob.startswith("!"):
        return []
    anywhere = GlobFolder((), 0, lambda _name: True, lambda _path: False)
    names: list[str] = []
    ran_out = False
    with suppress(FilewrightError):
        with best_effort(context.task, NAMES_SECONDS) as task:
            matcher = Globs.compile([visible_form(glob)], anywhere).wanted
            for entry in context.boundary.walk(folder, task=task):
                prefix, name = _visible_path(folder, entry.location)
                is_folder = entry.kind == "folder"
                if (
                    matcher is not None
                    and matcher.deciding_rule(prefix, name, is_folder)
                    is not None
                ):
                    names.append(distinct_form(entry.location, glob))
                if len(names) == MAX_NAMED_FILES:
                    break
        ran_out = task.ran_out
    if names:
        return [f"names in another spelling: {', '.join(names)}"]
    if ran_out:
        return [f"{OUT_OF_TIME} names were compared in other spellings"]
    return []


def _visible_path(folder: Location, location: Location) -> tuple[bytes, bytes]:
    """Return the folders below `folder`, and the name, as a reader sees them."""
    parts = []
    for part in location.parts[len(folder.parts) :]:
        look = visible_form(os.fsdecode(part))
        parts.append(os.fsencode(look.replace("/", "_")))
    prefix = b"".join(part + b"/" for part in parts[:-1])
    return prefix, parts[-1]


def display_path(snapshot: Snapshot) -> str:
    """Return the path of an open file as results show it."""
    assert snapshot.location is not None
    return snapshot.location.display_path
