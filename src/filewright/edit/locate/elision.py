"""Tier 3: lines of the request that stand for text left out."""

from __future__ import annotations

import re

from filewright.edit.locate.located import Lines
from filewright.edit.locate.request import Block, is_blank
from filewright.edit.locate.source import Source
from filewright.edit.locate.whole_lines import Region, find_regions, strictest

_OPENING = re.compile(r"(?:#+|//+|/\*+|\*|--|;+|%+|<!--|\{/\*|\{#|\"\"\"|REM\b)\s*")
_CLOSING = re.compile(r"\s*(?:\*/\}?|-->|#\}|\"\"\")$")
_DOTS = re.compile(r"[\[(<]?\s*(?:\.{3,}|…)\s*[\])>]?")
_WORDS = re.compile(
    r"[\[(<]?\s*(?:\.{3,}|…)\s*[\[(<]?\s*"
    r"(?P<words>[A-Za-z][A-Za-z ,'/-]{0,80})\s*[\])>]?\s*(?:\.{3,}|…)?\s*[\])>]?[.:]?"
)
_MEANING = re.compile(
    r"\b(?:existing|unchanged|rest|remaining|remainder|same|omitted|elided|previous|other|more|code|"
    r"lines?|content|as before|snip(?:ped)?|truncated|skipped|continue[sd]?)\b",
    re.IGNORECASE,
)


def is_elision(line: str) -> bool:
    """Whether a line stands for omitted text: dots alone, or dots and words that say so."""
    text = line.strip()
    if "..." not in text and "…" not in text:
        return False
    opening = _OPENING.match(text)
    if opening:
        text = _CLOSING.sub("", text[opening.end() :]).strip()
    if _DOTS.fullmatch(text):
        return True
    words = _WORDS.fullmatch(text)
    return words is not None and bool(_MEANING.search(words["words"]))


def find_elided(source: Source, search: str, replace: str) -> list[Lines] | None:
    """The parts of an edit whose texts leave text out alike; None if it is not such an edit.

    Each kept stretch must stand in the file once, by its strictest tier, and they in order.
    """
    asked, wanted = _stretches(search), _stretches(replace)
    if len(asked) < 2 or len(asked) != len(wanted):
        return None
    parts: list[Lines] = []
    after = source.start
    for one, other in zip(asked, wanted, strict=True):
        mine, theirs = Block.of_lines(one), Block.of_lines(other)
        if not mine.solid:
            if theirs.solid:
                return None
            continue
        region = _only(source, mine)
        if region is None or region.start < after:
            return None
        after = region.end
        parts.append(Lines(region, mine, theirs))
    return parts or None


def _only(source: Source, block: Block) -> Region | None:
    best = strictest(find_regions(source, block))
    return best[0] if len(best) == 1 else None


def _stretches(text: str) -> list[list[str]]:
    """The lines between those that stand for omitted text."""
    lines = text.split("\n")
    if len(lines) > 1 and is_blank(lines[-1]):
        lines.pop()
    result: list[list[str]] = [[]]
    for line in lines:
        if is_elision(line):
            result.append([])
        else:
            result[-1].append(line)
    return result
