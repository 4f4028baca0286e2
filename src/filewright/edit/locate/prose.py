"""Whether a word of a line is prose: in a comment, or in running text, and not code or a string.

No grammar is consulted, so that it holds for any language: a comment is what follows a comment
leader outside of quotes, running text is a line with the small words of a sentence and none of the
punctuation of code. In doubt a word is code.
"""

from __future__ import annotations

import re

from filewright.edit.locate.request import word_set

_LEADING = re.compile(
    r"\s*(?:"
    r"#(?:[:!#]*(?=\s)|$)(?!\s*(?:define|undef|include|if|ifdef|ifndef|elif|else|endif|pragma|error|line)\b)"
    r"|///+|//!|/\*+|<!--|\"\"\"|'''(?=\s*\w)"
    r")",
    re.IGNORECASE,
)
# These lead a comment, or are an operator that a line goes on with.
_PERHAPS_LEADING = re.compile(
    r"\s*(?P<mark>//|\*+(?=\s)|--(?=\s)|;+(?=\s)|%+(?=\s)|(?:rem|dnl)(?=\s))", re.IGNORECASE
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

_SPAN = re.compile(r"`[^`]*`|\[[^\]]*\]\([^)]*\)|\*\*|\bhttps?://\S+|\b(?:e\.g|i\.e|etc)\.")
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
    return _is_running(line, beside) and not in_quotes(line, start) and not _in_span(line, start, end)


def is_code(line: str, at: int) -> bool:
    """Whether the character at `at` of `line` is in no comment, no string and no running text."""
    if _in_comment(line, at, ()) or in_quotes(line, at) or _is_running(line, ()):
        return False
    return not any(not in_quotes(line, mark.start()) for mark in _ANY_LEADING.finditer(line[:at]))


def _in_comment(line: str, at: int, beside: tuple[str, ...]) -> bool:
    leading, perhaps = _LEADING.match(line), _PERHAPS_LEADING.match(line)
    if (leading and leading.end() <= at) or (
        perhaps and perhaps.end() <= at and _leads(line[perhaps.end() :], perhaps["mark"], beside)
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
        other.rstrip().endswith(_STATEMENT_END) or other.lstrip().startswith("//") for other in beside
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
    if any(match.start() < end and start < match.end() for match in _SPAN.finditer(line)):
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
