"""Hunks whose names are called differently in the file: they fit once these are replaced."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from filewright.edit.patch.model import PatchHunk
from filewright.edit.source import Source

MAX_FILE_BYTES = 4 << 20
"""The size of a file whose lines are compared for a suggestion."""

_MAX_RENAMED_WORDS = 3
_WORD = re.compile(r"\w+")
_SIGN = re.compile(r"[^\w\s]")
_NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class RenamedHunk:
    """A hunk that is in the file once, at line `line` (from 1), with other names.

    `words` has the names that the file has, by those of the patch.
    """

    hunk: PatchHunk
    line: int
    words: Mapping[str, str]


def is_name(text: str) -> bool:
    """Return True for a word that may be the name of something in code."""
    return _NAME.fullmatch(text) is not None and not keyword.iskeyword(text)


def find_words(hunk: PatchHunk) -> set[str]:
    """Return the words of a hunk."""
    return {
        word
        for line in (*hunk.lines.old, *hunk.lines.new)
        for word in _WORD.findall(line)
    }


def rename_words(hunk: PatchHunk, words: Mapping[str, str]) -> PatchHunk:
    """Return a hunk with some words replaced, wherever they are whole words."""

    def rename(lines: Sequence[str]) -> tuple[str, ...]:
        return tuple(
            _WORD.sub(lambda match: words.get(match[0], match[0]), line)
            for line in lines
        )

    lines = replace(
        hunk.lines, old=rename(hunk.lines.old), new=rename(hunk.lines.new)
    )
    return replace(hunk, lines=lines, headings=rename(hunk.headings))


def find_renamed_hunk(hunk: PatchHunk, source: Source) -> RenamedHunk | None:
    """Return a hunk that fits with other names, or None unless one place is certain.

    The lines of the file and of the hunk differ in up to three names, each in the same
    way everywhere, and at least half of the lines are the same.
    """
    old_lines = hunk.lines.old
    if not old_lines or source.size > MAX_FILE_BYTES:
        return None
    file_lines = [source.text(body) for body in source.bodies(0, source.count)]
    forms = [_to_form(line) for line in old_lines]
    file_forms = [_to_form(line) for line in file_lines]
    # The longest line is in the fewest places.
    longest = max(range(len(forms)), key=lambda index: len(forms[index]))
    renamed: RenamedHunk | None = None
    for index, form in enumerate(file_forms):
        start = index - longest
        if form != forms[longest] or start < 0:
            continue
        end = start + len(forms)
        if file_forms[start:end] != forms:
            continue
        words = _find_words(old_lines, file_lines[start:end])
        if words is None:
            continue
        if renamed is not None:
            return None
        renamed = RenamedHunk(rename_words(hunk, words), start + 1, words)
    return renamed


def _to_form(line: str) -> str:
    """Return a line with a sign for each of its words."""
    return _WORD.sub("w", line)


def _find_words(
    old_lines: Sequence[str], file_lines: Sequence[str]
) -> Mapping[str, str] | None:
    """Return the names that differ in lines of equal form, or None if they do not fit."""
    words: dict[str, str] = {}
    same_words: set[str] = set()
    same_lines = solid_lines = 0
    for old_line, file_line in zip(old_lines, file_lines, strict=True):
        solid_lines += bool(old_line.strip())
        same_lines += old_line == file_line and bool(old_line.strip())
        for old_word, word in zip(
            _WORD.findall(old_line), _WORD.findall(file_line), strict=True
        ):
            if old_word == word:
                same_words.add(word)
                continue
            # A word of prose is no name.
            can_be_renamed = (
                is_name(old_word)
                and is_name(word)
                and _SIGN.search(old_line) is not None
            )
            if not can_be_renamed or words.setdefault(old_word, word) != word:
                return None
    has_two_meanings = len({*words.values()}) < len(words) or (
        not same_words.isdisjoint({*words, *words.values()})
    )
    if has_two_meanings or not 0 < len(words) <= _MAX_RENAMED_WORDS:
        return None
    if 2 * same_lines < solid_lines:
        return None
    return words
