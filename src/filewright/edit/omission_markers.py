"""Omission markers: lines that stand for text left out.

Such a line is a comment, or text by itself, of dots around a few words
(`// ... existing handlers ...`), or one that says that something stays, is omitted or
remains (`# rest of the class unchanged`). Where it is in search and replacement alike,
the text that it stands for stays. In the replacement alone it would delete that text.
Markers are known by their form, and not by the text that they name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from filewright.edit.comparison import is_blank
from filewright.languages import Language

# A comment of any language, and its text: `/* ... same as before ... */`. A single
# quote begins one in Visual Basic, a double quote one in Vim.
_COMMENT = re.compile(
    r"(?:#+|//+|/\*+|\*(?=\s)|--(?=\s)|;+|%+|<!--|\{/\*|\{\{!--|\{#|\(\*|\"\"\"|'''"
    r"|REM\b|!+(?=\s)|[\"'](?=\s[^\"']*$))(?P<text>.*?)"
    r"(?:\*/\}?|-->|--\}\}|#\}|\*\)|\"\"\"|''')?",
    re.DOTALL,
)
# Three dots, or the one character for them.
_DOTS = r"(?:\.{3,}|…)"
# Dots alone, perhaps in brackets: `[...]`.
_BARE_DOTS = re.compile(rf"[\[(<]?\s*+{_DOTS}\s*+[\])>]?")
# Spaces are matched possessively: a hundred of them, tried in every way with those
# beside them, would take a second.
_WORDS = r"[\[(<]?\s*+(?P<words>\w[\w ,'’/&()+.:-]{0,80}?)\s*+[\])>]?"
# `... existing handlers`.
_DOTS_BEFORE_WORDS = re.compile(rf"[\[(<]?\s*+{_DOTS}\s*+{_WORDS}\s*+[.:]?")
# `... existing handlers ...`.
_DOTS_AROUND_WORDS = re.compile(
    rf"[\[(<]?\s*+{_DOTS}\s*+{_WORDS}\s*+{_DOTS}\s*+[\])>]?[.:]?"
)
# `existing handlers...`.
_DOTS_BEHIND_WORDS = re.compile(rf"{_WORDS}\s*+{_DOTS}\s*+[\])>]?")
# Dots that are set off from the words before them: `existing handlers ...`. In a
# sentence that trails off they are not.
_DOTS_SET_OFF = re.compile(
    rf"[\[(<]?\s*+(?P<words>\w[^.…]{{0,80}}?)\s++{_DOTS}\s*+[\])>]?"
)
# `[rest of the file]`, `<unchanged>`.
_BRACKETED = re.compile(r"[\[(<](?P<words>[^\[\](){}<>]{2,80})[\])>]")
# `--- snip ---`.
_DASHED = re.compile(
    r"[-=~]{2,}\s*+(?P<words>[A-Za-z][A-Za-z ]{0,40}?)\s*+[-=~]{2,}"
)
# Roots of the words that say of text that it is not shown.
_OMITTED_WORDS = r"(?:unchanged|omitted|elided|snip(?:ped)?|truncated|skipped)"
# Words for text that is elsewhere: `rest of the class`, `imports as before`.
_NAMES_REST = re.compile(
    r"(?:the |all |all the )?(?:rest|remainder|remaining|remains|existing|previous|unchanged|same|other)\b"
    rf"|.*\b{_OMITTED_WORDS}\b"
    r"|.*\b(?:as before|as is|as above|the same|stays?|remains?)$",
    re.IGNORECASE,
)
# A sentence that says so without dots: `The other methods stay the same.`
_SAYS_OMITTED = re.compile(
    rf"(?:(?:the )?(?:rest|remainder|remaining|existing|previous|other|all other)\b.*\b"
    rf"(?:{_OMITTED_WORDS}|the same|as before|as is|stays?|remains?|here|above|below)"
    rf"|{_OMITTED_WORDS}|.{{0,60}}\b(?:is|are|remains?|stays?) (?:unchanged|omitted|the same)(?: \w+){{0,3}}"
    r"|(?:existing|remaining|unchanged|same) (?:code|\w+ code)(?: \w+){0,2})[.:]?",
    re.IGNORECASE,
)
# `Rest of the class`. Such a comment may also be about the new code below it.
_REST_OF = re.compile(
    r"(?:the )?rest of (?:the |this )?\w+[.:]?", re.IGNORECASE
)
# A longer text is a sentence of the file.
_MAX_WORDS = 8
# New lines that are compared with deleted ones.
_MAX_COMPARED_LINES = 1_000
# A name, by which a changed line is known again; numbers change too often.
_WORD = re.compile(r"[^\W\d]\w*")
# Words that are no code: a text of them between dots names what is left out.
_PLAIN_WORDS = re.compile(r"[A-Za-z][\w ,'’/-]*|\(?\d+ [\w ]+\)?")


def is_omission_marker(line: str, language: Language | None = None) -> bool:
    """Return True if a line stands for text left out, by dots.

    That is a comment, or a form that no expression of the language has.
    """
    comment = _COMMENT.fullmatch(line.strip())
    text = (comment["text"] if comment else line).strip()
    if _BARE_DOTS.fullmatch(text):
        return comment is not None or not _may_be_ellipsis(text, language)
    match = _DOTS_AROUND_WORDS.fullmatch(text)
    if comment is not None:
        return match is not None or _is_marker_comment(text)
    if match is None and text.startswith("…"):
        match = _DOTS_BEFORE_WORDS.fullmatch(text)
    # Dots before code are a spread or a range.
    return (
        match is not None and _PLAIN_WORDS.fullmatch(match["words"]) is not None
    )


def _may_be_ellipsis(text: str, language: Language | None) -> bool:
    """Return True if dots alone are an expression of the language."""
    if language is None or "…" in text:
        return False
    return language.traits.has_ellipsis


def _is_marker_comment(text: str) -> bool:
    """Return True if the text of a comment is dots before words, or behind them."""
    if _DOTS_BEFORE_WORDS.fullmatch(text) or _DOTS_SET_OFF.fullmatch(text):
        return True
    # A sentence that trails off ends with dots too: the words must name omitted text.
    match = _DOTS_BEHIND_WORDS.fullmatch(text)
    if match is None or not _NAMES_REST.match(match["words"]):
        return False
    return _is_short(match["words"])


def _is_short(words: str) -> bool:
    """Return True if a text has so few words that it may be a marker."""
    return len(words.split()) <= _MAX_WORDS


def mentions_omission(line: str, language: Language | None = None) -> bool:
    """Return True if a line says that text is left out, by dots or in a comment."""
    comment = _COMMENT.fullmatch(line.strip())
    has_dots = "..." in line or "…" in line
    # Of a file in no known language, only a comment is certain to be no text.
    may_be_marker = has_dots and (comment is not None or language is not None)
    if may_be_marker and is_omission_marker(line, language):
        return True
    return comment is not None and _says_omitted(comment["text"].strip())


def _says_omitted(text: str) -> bool:
    """Return True if the text of a comment says that other text is left out."""
    for pattern in (_BRACKETED, _DASHED):
        match = pattern.fullmatch(text)
        if match is not None and _NAMES_REST.match(match["words"].strip()):
            return True
    is_statement = _SAYS_OMITTED.fullmatch(text) or _REST_OF.fullmatch(text)
    return is_statement is not None and _is_short(text)


def find_deleting_marker(
    old_lines: Sequence[str],
    new_lines: Sequence[str],
    file_lines: Sequence[str],
    language: Language | None,
) -> str | None:
    """Return the line of a replacement that stands for lines it would delete, or None.

    `old_lines` are those of the search text, `file_lines` those that it matched.
    """
    known_texts = {line.strip() for line in (*old_lines, *file_lines)}
    lines = [line for line in new_lines if not is_blank(line)]
    for index, line in enumerate(lines):
        if line.strip() in known_texts:
            continue
        above = lines[index - 1] if index else ""
        is_marker = mentions_omission(line, language) or _is_dots_statement(
            line, above, language
        )
        if not is_marker:
            continue
        below = lines[index + 1] if index + 1 < len(lines) else ""
        is_about_new_code = bool(below) and below.strip() not in known_texts
        if _is_rest_comment(line) and is_about_new_code:
            continue
        other_lines = [other for other in lines if other != line]
        if any(_find_deleted_lines(old_lines, other_lines)):
            return line
    return None


def _is_rest_comment(line: str) -> bool:
    """Return True for a comment such as `# rest of the class`.

    It may be about the new code below it.
    """
    comment = _COMMENT.fullmatch(line.strip())
    return (
        comment is not None
        and _REST_OF.fullmatch(comment["text"].strip()) is not None
    )


def _is_dots_statement(
    line: str, above: str, language: Language | None
) -> bool:
    """Return True for dots alone in the place of a statement.

    Only in Python dots are a statement; after an open bracket or a comma they may be an
    argument or a rest.
    """
    if language in (None, Language.PYTHON) or not _BARE_DOTS.fullmatch(
        line.strip()
    ):
        return False
    return not above.rstrip().endswith(("(", ",", "["))


def _find_deleted_lines(
    old_lines: Sequence[str], new_lines: Sequence[str]
) -> Iterator[str]:
    """Yield the lines of a search text that the replacement deletes."""
    old_counts = Counter(line.strip() for line in old_lines)
    # A line that stays stands for itself once: of two equal ones, one may be deleted.
    staying = Counter(line.strip() for line in new_lines) & old_counts
    # Each new line may be the changed form of one old line, so it is used once.
    changed_lines = [
        line for line in new_lines if line.strip() not in old_counts
    ]
    changed: list[set[str]] = []
    for line in changed_lines[:_MAX_COMPARED_LINES]:
        changed.append(set(_WORD.findall(line)))
    for line in old_lines:
        text = line.strip()
        if is_blank(line):
            continue
        if staying[text]:
            staying[text] -= 1
            continue
        successor = _find_successor(set(_WORD.findall(line)), changed)
        if successor is None:
            yield line
        else:
            del changed[successor]


def _find_successor(words: set[str], changed: Sequence[set[str]]) -> int | None:
    """Return the index of a new line that has half of the words, or None."""
    for index, new_words in enumerate(changed):
        shared_count = len(words & new_words)
        if shared_count and 2 * shared_count >= len(words):
            return index
    return None
