"""A repair of the request: one word of a comment or of prose that was spelled otherwise.

A region has the same solid lines as the search text but for one, and there all is the same but one
alphabetic word, in a comment or running text. There is no percentage: a token of code that differs is
another text. The request is then read with the file's word, in the replacement too.

Why it cannot be wrong: the region is the only one like it, and one of two things is so. The request's
word is no word at all, so it cannot mean another thing than the file's word, which is the only word of
the file it is one step from. Or the replacement has the file's word between the same words, so what is
there is what is wanted, and only the search text was mistyped. Names, months and numbers never count.

The list of words is of English, American and British, from SCOWL (see ``words.LICENSE`` beside it), and
of the words programmers use. It says what is a word; that a word is missing from it never lets an
edit land by itself.

Whether a word of a line is prose: in a comment, or in running text, and not code or a string.

No grammar is consulted, so that it holds for any language: a comment is what follows a comment
leader outside of quotes, running text is a line with the small words of a sentence and none of the
punctuation of code. In doubt a word is code.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import replace
from functools import cache

from filewright.edit.filetext import Source
from filewright.edit.find import (
    classify_region,
    key_of,
    lines_apart,
    rare_runs,
    rows_around,
    rows_with,
)
from filewright.edit.locate.request import (
    RequestLines,
    WholeLines,
    collapsed,
    word_set,
    words_shared,
)
from filewright.text.lines import Line

_MOST_ROWS = 60_000
"""Lines compared before the tier gives up; a rarer text is needed."""
_TOKEN = re.compile(r"[A-Za-z]+|\d+|\s+|.", re.DOTALL)
#: Words that only join others.
_JOINING = word_set(
    "the a an and or of to in on at by for with from into as is it its that this then than"
)


def find_soft(
    source: Source, block: RequestLines, wanted: RequestLines
) -> list[WholeLines]:
    """What the request means where one word of prose is the file's: a part for each region, in order of offset."""
    found: dict[int, WholeLines | None] = {}
    budget = _MOST_ROWS + 4 * len(block.solid)
    runs = rare_runs(source, block.solid)[:2]
    # The one word is in one of two stretches at most, so any region has the other.
    for _, needle, index in runs if len(runs) > 1 else ():
        key = block.keys[index]
        for row in rows_with(source, needle):
            apart = (
                lines_apart(key_of(source, row, key), key)
                if len(row.body) < 4096 + 4 * len(key)
                else 2
            )
            rows, compared = rows_around(source, block.keys, index, row, 1 - apart)
            budget -= compared
            if budget < 0:
                return []
            if rows and rows[0].offset not in found:
                found[rows[0].offset] = _corrected(source, block, wanted, rows)
    return sorted(
        (part for part in found.values() if part), key=lambda part: part.region.start
    )


def _corrected(
    source: Source, block: RequestLines, wanted: RequestLines, rows: list[Line]
) -> WholeLines | None:
    """The request with the file's word, where the rows are its lines but for that."""
    texts = [text for row in rows if (text := source.text(row.body)).strip()]
    index = next(
        (at for at, text in enumerate(texts) if collapsed(text) != block.keys[at]), -1
    )
    asked, found = block.solid[index], texts[index]
    pair = different_word(
        asked, found, (*texts[max(0, index - 2) : index], *texts[index + 1 : index + 3])
    )
    if pair is None:
        return None
    mine, theirs = pair
    plain = mine.lower(), theirs.lower()
    named = (mine, theirs) != plain and not _list("words_names.txt").isdisjoint(plain)
    if named or not one_step(*plain):
        return None
    slip = is_slip(mine, theirs) and _is_only_neighbour(source, *plain)
    if not slip and not _is_in_replacement(mine, theirs, found, wanted):
        return None

    def corrected(line: str) -> str:
        return (
            _word(mine).sub(theirs, line) if words_shared(line, asked) > 0.5 else line
        )

    lines = (*block.solid[:index], corrected(asked), *block.solid[index + 1 :])
    search, new = (
        replace(block, solid=lines),
        replace(wanted, solid=tuple(map(corrected, wanted.solid))),
    )
    if search.keys != tuple(map(collapsed, texts)):
        return None  # more than the one word differs
    region = classify_region(source, search, rows)
    return None if region is None else WholeLines(region, search, new)


def _word(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_]){word}(?![^\W_])")


def _is_in_replacement(
    mine: str, theirs: str, found: str, wanted: RequestLines
) -> bool:
    """Whether the replacement has the file's word between the same words, and the search text's nowhere."""
    if any(_word(mine.lower()).search(line.lower()) for line in wanted.solid):
        return False
    words = collapsed(found).split()
    at = next(
        (index for index, word in enumerate(words) if _word(theirs).search(word)), 0
    )
    beside = words[max(0, at - 1) : at + 2]
    return len(beside) > 1 and any(
        f" {' '.join(beside)} " in f" {key} " for key in wanted.keys
    )


def different_word(
    asked: str, found: str, beside: tuple[str, ...] = ()
) -> tuple[str, str] | None:
    """The one word of prose in which two lines differ, whitespace and typography aside; None if there is more."""
    text = collapsed(found)
    one, other = _TOKEN.findall(collapsed(asked)), _TOKEN.findall(text)
    different = [
        index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b
    ]
    if len(one) != len(other) or len(different) != 1:
        return None
    mine, theirs = one[different[0]], other[different[0]]
    start = len("".join(other[: different[0]]))
    end = start + len(theirs)
    glued = re.search(
        r"\w", text[max(0, start - 1) : start] + text[end : end + 1]
    )  # part of an identifier
    if glued or not (mine.isalpha() and theirs.isalpha() and mine.isascii()):
        return None
    return (mine, theirs) if is_prose(text, start, end, beside) else None


# Words


@cache
def _list(name: str) -> frozenset[str]:
    from importlib.resources import files

    content = files("filewright.edit.locate").joinpath(name).read_bytes()
    return word_set(
        (
            zlib.decompress(content, wbits=31) if name.endswith(".gz") else content
        ).decode()
    )


def is_english(word: str) -> bool:
    """Whether the word, written like this, is a common word of English; names are not."""
    return word in _list("words.txt.gz")


def is_word(word: str) -> bool:
    """Whether the lower-case `word` means something by itself, in English or to programmers."""
    known = word in _list("words_code.txt") or word in _list("words_names.txt")
    return known or is_english(word) or is_english(word.capitalize())


def is_slip(asked: str, found: str) -> bool:
    """Whether the first of two words one step apart can only be the other misspelled: it is no word at all.

    Capitals may begin common words of five letters or more; others are names, and stay. Two neighbours
    swapped make no other name of a name. Of a common word one letter may also be wrong, missing or too much,
    but not the first, and not an ending.
    """
    wrong, right = asked.lower(), found.lower()
    if (asked, found) != (wrong, right):
        capital = (asked, found) == (wrong.capitalize(), right.capitalize())
        if (
            not (capital or (asked.isupper() and found.isupper()))
            or max(len(wrong), len(right)) < 5
        ):
            return False
    if is_word(wrong):
        return False
    shorter, longer = sorted((wrong, right), key=len)
    if sorted(wrong) == sorted(right):
        return len(right) > 3 or is_english(right)
    if len(shorter) < 4:
        return False
    code = (
        right in _list("words_code.txt") and len(right) > 4 and wrong[-1] == right[-1]
    )
    ending = longer.startswith(shorter) and longer[-1] in "sdrnyx"
    return (code or is_english(right)) and wrong[0] == right[0] and not ending


def _is_only_neighbour(source: Source, asked: str, found: str) -> bool:
    """Whether `found` is the one word of the file that `asked` is a step from, and `asked` is not in it.

    Words that only join others name nothing that could be meant instead; and of no other word was the
    first letter missed.
    """
    words = {
        word.decode()
        for word in {*re.findall(rb"[a-z]+", (source.held or b"").lower())}
    } - _JOINING
    near = {word for word in words if word == asked or one_step(asked, word)}
    return {
        word
        for word in near
        if sorted(asked[:2]) == sorted(word[:2]) or asked[0] == word[0]
    } == {found}


def one_step(one: str, other: str) -> bool:
    """Whether one letter inserted, dropped, replaced, or two neighbours swapped make the other word."""
    from rapidfuzz.distance import OSA

    return OSA.distance(one, other, score_cutoff=1) == 1


# What is prose

_LEADING = re.compile(
    r"\s*(?:"
    r"#(?:[:!#]*(?=\s)|$)(?!\s*(?:define|undef|include|if|ifdef|ifndef|elif|else|endif|pragma|error|line)\b)"
    r"|///+|//!|/\*+|<!--|\"\"\"|'''(?=\s*\w)"
    r")",
    re.IGNORECASE,
)
# These lead a comment, or are an operator that a line goes on with.
_PERHAPS_LEADING = re.compile(
    r"\s*(?P<mark>//|\*+(?=\s)|--(?=\s)|;+(?=\s)|%+(?=\s)|(?:rem|dnl)(?=\s))",
    re.IGNORECASE,
)
_STATEMENT_END = (";", "{", "}")
_TRAILING_HASH = re.compile(r"\s#(?=\s|:)")
_TRAILING_SLASHES = re.compile(r"//+(?=\s)")
_ANY_LEADING = re.compile(r"(?:^|(?<=\s))(?:#|//|--|/\*|\*|;|%)")
_PLAIN_RUN = re.compile(r"[A-Za-z]+ [A-Za-z]+")
_EXPRESSION = re.compile(
    r"\bif\b.*\belse\b|\bfor\b.*\bin\b|^\s*\w+ (?:and|or|not|is|if|in|for)\b|[=({\[]\w*$"
)
_CODE_WORDS = re.compile(r"\b(?:if|else|for|in|and|or|not|is|return)\b")

_SPAN = re.compile(
    r"`[^`]*`|\[[^\]]*\]\([^)]*\)|\*\*|\bhttps?://\S+|\b(?:e\.g|i\.e|etc)\."
)
_MARKER = re.compile(r"^\s*(?:[-*+>]\s+|\d+[.)]\s+)*")
_CODE = re.compile(
    r"[{}=<>|\\$@&^~]|;\s*$|[A-Za-z_]\(|\w\[|[A-Za-z_]\.[A-Za-z_]|::|->|\w_\w|_\w|\w_|^\s*[\])}]+[,;]?$"
)


# Words of sentences that no common language has for keywords, and those that some have.
_SURE = word_set(
    """
    the an of to are was were be been this that these those it its which can will should must may
    your you we our has have had than such there they their also only about how what once never
    always already yet
    """
)
_SMALL = _SURE | word_set(
    """
    when where on at by into too any each other all both more most per no just then before after who
    why does used very
    """
)
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")


def is_prose(line: str, start: int, end: int, beside: tuple[str, ...] = ()) -> bool:
    """Whether the word at [start, end) of `line` is in a comment or in running text.

    `beside` are the lines next to it, which tell running text where the line itself is short.
    """
    if _in_comment(line, start, beside):
        return True
    return (
        _is_running(line, beside)
        and not in_quotes(line, start)
        and not _in_span(line, start, end)
    )


def is_code(line: str, at: int) -> bool:
    """Whether the character at `at` of `line` is in no comment, no string and no running text."""
    if _in_comment(line, at, ()) or in_quotes(line, at) or _is_running(line, ()):
        return False
    return not any(
        not in_quotes(line, mark.start()) for mark in _ANY_LEADING.finditer(line[:at])
    )


def _in_comment(line: str, at: int, beside: tuple[str, ...]) -> bool:
    leading, perhaps = _LEADING.match(line), _PERHAPS_LEADING.match(line)
    if (leading and leading.end() <= at) or (
        perhaps
        and perhaps.end() <= at
        and _leads(line[perhaps.end() :], perhaps["mark"], beside)
    ):
        return not 0 <= line.find("*/") <= at
    return any(
        match.end() <= at
        and not in_quotes(line, match.start())
        and (begins is None or begins(line, match.start()))
        for pattern, begins in ((_TRAILING_HASH, None), (_TRAILING_SLASHES, _comments))
        for match in pattern.finditer(line)
    )


def _leads(rest: str, mark: str, beside: tuple[str, ...]) -> bool:
    """Whether a mark that may be an operator leads a comment: by the words after it, or the lines beside."""
    words = re.match(r"\s*(?:@|[-!(]*\s*[A-Za-z])", rest) and _PLAIN_RUN.search(rest)
    if words and not _EXPRESSION.search(rest):
        return True
    if mark.startswith("*"):
        return any(re.match(r"\s*(?:/\*|\*(?:\s|/|$))", other) for other in beside)
    return mark == "//" and any(
        other.rstrip().endswith(_STATEMENT_END) or other.lstrip().startswith("//")
        for other in beside
    )


def _comments(line: str, at: int) -> bool:
    """Whether the slashes at `at` begin a comment and do not divide."""
    before, after = line[:at].rstrip(), line[at:].lstrip("/ \t")
    if before.endswith((";", "{", "}", ",")):
        return True
    return bool(_PLAIN_RUN.search(after)) and not _CODE_WORDS.search(after)


def in_quotes(line: str, at: int) -> bool:
    """Whether the character at `at` of `line` is between quotes, as far as the line tells."""
    before = re.sub(r"\\.", "", line[:at])
    single = re.sub(r"\w'\w|\w'(?=\s)", "", before).count("'")
    return before.count('"') % 2 == 1 or before.count("`") % 2 == 1 or single % 2 == 1


def _in_span(line: str, start: int, end: int) -> bool:
    """Whether the word is inside inline code or an address, or glued to other characters of a name."""
    if any(
        match.start() < end and start < match.end() for match in _SPAN.finditer(line)
    ):
        return True
    before, after = line[start - 1 : start], line[end : end + 1]
    return before in ("_", "$", "@", ".", "/", "\\") or after in ("_", "(", "[")


def _is_running(line: str, beside: tuple[str, ...]) -> bool:
    weight = _sentence(line)
    if weight == 0:
        return False
    return weight > 1 or any(_sentence(other) > 1 for other in beside)


def _sentence(line: str) -> int:
    """0: code or nothing; 1: may be running text; 2: is."""
    text = _SPAN.sub(" ", _MARKER.sub("", line, count=1)).strip().strip("\"'")
    if not text or _CODE.search(text):
        return 0
    words = {word.lower() for word in _WORD.findall(text)}
    if len(words) < 3:
        return 0
    sure, small = len(words & _SURE), len(words & _SMALL)
    ended = text.endswith((".", "!", "?", ".)")) and len(words) > 3
    # A sentence that leads to a list or an example; no statement has so many words in a row.
    ended = ended or (text.endswith(":") and text[0].isupper() and len(words) > 5)
    return 2 if small >= 3 or (sure and (small >= 2 or ended)) else 1
