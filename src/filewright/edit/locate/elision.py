"""Tier 3: lines of the request that stand for text left out.

Why it cannot be wrong: search and replacement leave text out equally often; each kept stretch stands
in the file once, by its strictest tier, in the order of the request; and the text between two of
them does not leave the block in which the elision begins, unless the request itself shows, by its
indentation, that it is left. What is left out is in no splice.
"""

from __future__ import annotations

import re

from filewright.edit.locate.fold import indent_of
from filewright.edit.locate.located import Lines
from filewright.edit.locate.request import Block, is_blank
from filewright.edit.locate.source import Source
from filewright.edit.locate.whole_lines import Region, find_regions, strictest
from filewright.structure import Language

_OPENING = re.compile(r"(?:#+|//+|/\*+|\*|--|;+|%+|<!--|\{/\*|\{#|\"\"\"|REM\b)\s*")
_CLOSING = re.compile(r"\s*(?:\*/\}?|-->|#\}|\"\"\")$")
_DOTS = re.compile(r"[\[(<]?\s*(?:\.{3,}|…)\s*[\])>]?")
_WORDS = re.compile(
    r"[\[(<]?\s*(?:\.{3,}|…)\s*[\[(<]?\s*"
    r"(?P<words>[A-Za-z][A-Za-z ,'/-]{0,80}?)\s*[\])>]?\s*(?:\.{3,}|…)?\s*[\])>]?[.:]?"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TELLING = _words(
    """
    existing unchanged rest remaining remainder same omitted elided previous other more snip snipped
    truncated skipped continue continues continued before
    """
)
_FILLING = _TELLING | _words(
    """
    code line lines content contents as above below of the this that in for brevity is are was were
    remain remains stay stays keep kept here function functions method methods class classes file body
    block section implementation implementations logic imports definitions fields properties members and
    to no not change changes changed shown everything else all part parts text methods tests cases
    entries items your with
    """
)
_SAYING = re.compile(
    r"(?:the )?(?:rest|remainder|remaining|other|existing|previous|all other)\b.*\b"
    r"(?:unchanged|the same|as before|as is|omitted|stays?|remains?)\b"
)
#: Where dots alone are an expression, only a comment leaves text out.
_WITH_DOTS = frozenset(
    {Language.PYTHON, Language.C, Language.CPP, Language.LUA, Language.R, Language.PERL, Language.RUBY}
)
_MOST_OMITTED = 1 << 20
"""Bytes of omitted text that are looked at; more is refused."""


def is_elision(line: str, language: Language | None = None) -> bool:
    """Whether a line stands for omitted text: dots alone, or a comment of dots and nothing but filling words."""
    text = line.strip()
    if "..." not in text and "…" not in text:
        return False
    opening = _OPENING.match(text)
    if not opening:
        return language not in _WITH_DOTS and bool(_DOTS.fullmatch(text))
    text = _CLOSING.sub("", text[opening.end() :]).strip()
    if _DOTS.fullmatch(text):
        return True
    found = _WORDS.fullmatch(text)
    words = re.findall(r"[a-z]+", found["words"].lower()) if found else []
    return bool(words) and set(words) <= _FILLING and not _TELLING.isdisjoint(words)


def says_omitted(line: str) -> bool:
    """Whether a comment stands for omitted text, with dots or in words (``# rest of the code unchanged``)."""
    text = line.strip()
    opening = _OPENING.match(text)
    if opening is None:
        return False
    if is_elision(line):
        return True
    words = re.findall(r"[a-z]+", _CLOSING.sub("", text[opening.end() :]).lower())
    return bool(words) and set(words) <= _FILLING and bool(_SAYING.match(" ".join(words)))


def find_elided(source: Source, search: str, replace: str) -> list[Lines] | None:
    """The parts of an edit whose texts leave text out alike; None if it is not such an edit."""
    asked, marks = _stretches(search, source.language)
    wanted, _ = _stretches(replace, source.language)
    if len(asked) < 2 or len(asked) != len(wanted):
        return None
    parts: list[Lines] = []
    after = source.start
    mark = ""
    for index, (one, other) in enumerate(zip(asked, wanted, strict=True)):
        mine, theirs = Block.of_lines(one), Block.of_lines(other)
        if not mine.solid:
            if theirs.solid:
                return None
            continue
        region = _only(source, mine)
        if region is None or region.start < after:
            return None
        mark = marks[index - 1] if index else ""
        if parts and not _is_inside(source, parts[-1], Lines(region, mine, theirs), mark):
            return None
        after = region.end
        parts.append(Lines(region, mine, theirs))
    return parts or None


def _is_inside(source: Source, before: Lines, after: Lines, mark: str) -> bool:
    """Whether the text between two stretches stays in the block in which the mark between them stands."""
    start, end = before.region.end, after.region.start
    if end - start > _MOST_OMITTED:
        return False
    above, below = _width(before.search.solid[-1]), _width(after.search.solid[0])
    level, mine = _width(mark), _width(before.region.texts[-1])
    stays = level >= above and below >= above
    if below < above:
        # The request shows that the block is left, and how far.
        least = min(_width(after.region.texts[0]) - max(0, below - level), mine)
    elif level > above:
        least = mine + 1
    elif above in (level, below):
        least = mine + (below > above and _opens(source, start, mine))
    else:
        least = mine - (above - level)  # the mark stands outside of the block of the line above it
    depth = 0
    row = source.row_from(start)
    while row is not None and row.offset < end:
        text = source.text(row.body)
        if not is_blank(text):
            depth += sum(text.count(char) for char in "([{") - sum(text.count(char) for char in ")]}")
            if _width(text) < least or (stays and depth < 0):
                return False
        row = source.row_from(row.end)
    return True


def _opens(source: Source, offset: int, width: int) -> bool:
    """Whether the first line of text from `offset` on is deeper than `width`."""
    row = source.row_from(offset)
    while row is not None and is_blank(source.text(row.body)):
        row = source.row_from(row.end)
    return row is not None and _width(source.text(row.body)) > width


def _width(line: str) -> int:
    return len(indent_of(line).expandtabs(4))


def _only(source: Source, block: Block) -> Region | None:
    best = strictest(find_regions(source, block))
    return best[0] if len(best) == 1 else None


def _stretches(text: str, language: Language | None) -> tuple[list[list[str]], list[str]]:
    """The lines between those that stand for omitted text, and these."""
    lines = text.split("\n")
    if len(lines) > 1 and is_blank(lines[-1]):
        lines.pop()
    result: list[list[str]] = [[]]
    marks: list[str] = []
    for line in lines:
        if is_elision(line, language):
            marks.append(line)
            result.append([])
        else:
            result[-1].append(line)
    return result, marks
