"""Descriptions of what looks like damage in one line of a replacement.

Each detector looks for the traces of one way on which texts are damaged: escaped once
too often, copied from a display with line numbers or from a diff, cut out of the
markup of a call. A trace that the request's search text has too is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from filewright.edit.code_text import (
    MARKUP_LANGUAGES,
    PROSE_LANGUAGES,
    is_code,
    is_in_quotes,
)
from filewright.edit.comparison import (
    WHITESPACE,
    is_invisible,
    leading_whitespace,
)
from filewright.edit.omission_markers import mentions_omission
from filewright.languages import Language
from filewright.text.spelling import PLAIN_CHARACTERS, SPACES

# A line with a number as a display shows it: `12| x = 1`, `L12: x = 1`, `12 -> x = 1`.
NUMBERED_LINE = re.compile(
    r"\s*(?:>\s*)?(?:L|[Ll]ine |\[)?(?P<number>\d{1,6})\]?\s*"
    r"(?P<separator>[→│|┃»›\t:.)-]|->|=>)\s?(?P<rest>.*)"
)
# A hit as a search prints it: `src/a.py:12:x = 1`.
_PATH_AND_NUMBER = re.compile(r"[\w./\\-]+\.\w{1,5}:\d+[:-]\s?(?P<rest>.*)")
# An escape with one backslash: `\n`, `\"` or `\u00e9`. In `\\n` the backslash is
# escaped too.
_ESCAPE = re.compile(
    r"(?<!\\)\\(?:(?P<blank>[nrt])|(?P<quote>[\"'`])|(?P<code>u[0-9a-fA-F]{4}))"
)
# An entity of HTML or XML: `&lt;`, `&#39;`, `&#x27;`.
_ENTITY = re.compile(
    r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{2,5}|#x[0-9a-fA-F]{2,4});"
)
# The first or last line of a block of Markdown: ```` ```python ````.
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})[\w+-]*\s*$")
# The header of a hunk: `@@ -1,3 +1,2 @@`.
_HUNK_HEADER = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
# A line between the texts of an edit: `<<<<<<< SEARCH`, `*** End Patch`.
_EDIT_MARK = re.compile(
    r"\s*(?:<{5,}|>{5,}|={7}|\|{7}|-{5,})"
    r"\s*(?:SEARCH|REPLACE|HEAD|ORIGINAL|UPDATED)?\s*$"
    r"|\s*\*\*\* (?:Begin|End|Update|Add|Delete)\b.*"
)
# A tag around an argument of a call: `</new_string>`, `<|end|>`, `]]>`.
_CALL_TAG = re.compile(
    r"</?(?:(?:old|new)_(?:string|str|text)|parameter|invoke|function_calls|tool_call"
    r"|search|replace(?:ment)?|content|file_text|antml:\w+)\b[^>]*>"
    r"|<\|\w+\|>|<!\[CDATA\[|\]\]>"
)
# A closing tag, without attributes: `</answer>`.
_CLOSING_TAG = re.compile(r"</\w+>")
# A word, in letters of any alphabet.
_WORD = re.compile(r"\w+")
_LATIN_LETTER = re.compile("[A-Za-z]")
# Greek and Cyrillic letters: many of them look like Latin ones.
_LOOKALIKE_LETTER = re.compile("[\u0370-\u03ff\u0400-\u04ff]")
# Signs that a keyboard for Chinese types, or that a font shows for `->` and `<=`.
_WIDE_SIGNS = "（）［］｛｝；：，＝＋＊／＜＞→←⇒≤≥≠×÷"


@dataclass(frozen=True, slots=True)
class RequestText:
    """The text that a replacement is compared with, and its stripped lines."""

    lines: frozenset[str]
    text: str
    language: Language | None

    @classmethod
    def of(cls, lines: Sequence[str], language: Language | None) -> RequestText:
        """Build the value from lines of the search text or the file."""
        stripped = frozenset(
            line.strip(WHITESPACE) for line in lines if line.strip()
        )
        return cls(stripped, "\n".join(lines), language)

    @property
    def is_prose(self) -> bool:
        """Return True if the language is not code."""
        return self.language in PROSE_LANGUAGES

    @property
    def is_markup(self) -> bool:
        """Return True if entities and tags are text of the language."""
        return self.language in MARKUP_LANGUAGES

    def has_line(self, line: str) -> bool:
        """Return True if a line is among the lines, whitespace around it aside."""
        return line.strip(WHITESPACE) in self.lines

    def has_line_beginning(self, prefix: str) -> bool:
        """Return True if one of the lines begins with a prefix."""
        return any(line.startswith(prefix) for line in self.lines)

    def has_line_matching(self, pattern: re.Pattern[str]) -> bool:
        """Return True if the beginning of one of the lines matches a pattern."""
        return any(pattern.match(line) for line in self.lines)


def describe_damage(line: str, request: RequestText) -> Iterator[str]:
    """Yield descriptions of what looks like damage in a new line."""
    yield from _find_escapes(line, request)
    yield from _find_entities(line, request)
    yield from _find_characters(line, request)
    if mentions_omission(line, request.language):
        yield "a placeholder for omitted text"
    yield from _find_line_number(line, request)
    yield from _find_fence(line, request)
    yield from _find_diff_signs(line, request)
    yield from _find_edit_marks(line, request)
    yield from _find_tags(line, request)
    yield from _find_doubled_signs(line, request)


def _find_escapes(line: str, request: RequestText) -> Iterator[str]:
    """Yield escapes outside of strings."""
    for escape in _ESCAPE.finditer(line):
        # The file has it too: then it is text there, as in a regular expression.
        if escape[0] in request.text:
            continue
        # In prose, a backslash before a word may be a folder of Windows or a command.
        is_word = re.match(r"[a-z]{3}", line[escape.end() :]) is not None
        if escape["blank"] and is_word and request.is_prose:
            continue
        # An escaped newline at the end of a line is damage even if a quote is open.
        is_at_end = escape["blank"] and escape.end() == len(line.rstrip())
        if is_in_quotes(line, escape.start()) and not is_at_end:
            continue
        # A shell escapes quotes outside of strings.
        if escape["quote"] and request.language is Language.BASH:
            continue
        yield f"a literal {escape[0]}"


def _find_entities(line: str, request: RequestText) -> Iterator[str]:
    """Yield an entity that the language has no use for, or that hides a known tag."""
    entity = _ENTITY.search(line)
    if entity is None or entity[0] in request.text:
        return
    # In HTML `&lt;b>` is text. It is damage only if the file has that very tag, `<b`.
    tags = set(re.findall(r"</?\w+", line))
    hidden_tags = set(re.findall(r"</?\w+", unescape(line))) - tags
    hides_known_tag = any(tag in request.text for tag in hidden_tags)
    if hides_known_tag or not request.is_markup:
        yield f"the entity {entity[0]}"


def _find_characters(line: str, request: RequestText) -> Iterator[str]:
    """Yield characters that look like others, or like nothing."""
    if line.isascii():
        if "\0" in line and "\0" not in request.text:
            yield "a NUL, which makes the file a binary one"
        return
    if _has_new_wide_indent(line, request):
        yield "no-break or other wide spaces as indentation"
    for word in _find_mixed_words(line, request):
        yield f"{word}, a word that mixes letters of two alphabets"
    for index, character in enumerate(line):
        if not character.isascii() and character not in request.text:
            yield from _find_character(line, index, request)


def _has_new_wide_indent(line: str, request: RequestText) -> bool:
    """Return True if a line is indented by wide spaces that the request has not."""
    lead = line[: len(line) - len(line.lstrip())]
    if lead == leading_whitespace(line):
        return False
    wide_spaces = [character for character in lead if character in SPACES]
    return not any(space in request.text for space in wide_spaces)


def _find_mixed_words(line: str, request: RequestText) -> Iterator[str]:
    """Yield new words that mix Latin letters with others that look like them."""
    for word in _WORD.findall(line):
        if word.isascii() or word in request.text:
            continue
        if _LATIN_LETTER.search(word) and _LOOKALIKE_LETTER.search(word):
            yield word


def _find_character(
    line: str, index: int, request: RequestText
) -> Iterator[str]:
    """Yield a character that is invisible, or looks like a sign of code."""
    character = line[index]
    neighbours = line[index - 1 : index] + line[index + 1 : index + 2]
    # Between letters of other scripts, and in emoji, such a character has a meaning.
    if is_invisible(character) and neighbours.isascii():
        yield f"the invisible character U+{ord(character):04X}"
        return
    looks_like_code = character in PLAIN_CHARACTERS or character in _WIDE_SIGNS
    if request.is_prose or not looks_like_code or not is_code(line, index):
        return
    if character not in SPACES:
        yield f"{character} (U+{ord(character):04X}) in code"
        return
    # Wide spaces before the text are described together.
    indent_length = len(line) - len(line.lstrip())
    if index >= indent_length:
        yield f"the space U+{ord(character):04X} in code"


def _find_line_number(line: str, request: RequestText) -> Iterator[str]:
    """Yield a line number before a text that is, or begins as, a requested line."""
    # A number alone proves nothing: `1. First` is text unless a line begins "First".
    for pattern in (NUMBERED_LINE, _PATH_AND_NUMBER):
        match = pattern.fullmatch(line)
        if match is None or not match["rest"].strip():
            continue
        if match["rest"].strip() in request.lines or _is_near(
            match["rest"], request
        ):
            yield "a line number before its text"
            return


def _is_near(rest: str, request: RequestText) -> bool:
    """Return True if a line without its number begins as a requested line does."""
    word = re.match(r"\s*\w+\W*", rest)
    return word is not None and request.has_line_beginning(word[0].strip())


def _find_fence(line: str, request: RequestText) -> Iterator[str]:
    """Yield a code fence, which is text of Markdown alone."""
    if request.language is Language.MARKDOWN or not _FENCE.fullmatch(line):
        return
    if "```" not in request.text and "~~~" not in request.text:
        yield "a code fence"


def _find_diff_signs(line: str, request: RequestText) -> Iterator[str]:
    """Yield the header of a hunk, or the sign before a line of one."""
    if (
        _HUNK_HEADER.match(line.strip())
        and request.language is not Language.DIFF
    ):
        yield "the header of a diff"
        return
    sign, rest = line[0], line[1:]
    if sign not in "+-" or not rest or request.has_line_beginning(sign):
        return
    # Items of lists begin with the same signs, and an operator may begin a line.
    may_be_text = request.is_prose or rest[0] == " "
    if rest.strip() in request.lines or not may_be_text:
        yield f"the {sign} of a diff at the beginning of the line"


def _find_edit_marks(line: str, request: RequestText) -> Iterator[str]:
    """Yield a mark between the texts of an edit, such as `<<<<<<< SEARCH`."""
    body = line.strip()
    # Lines of dashes and equals signs underline headings, and separate sections.
    may_be_rule = line[0] in "-=" and not body.endswith(("SEARCH", "REPLACE"))
    is_mark = _EDIT_MARK.fullmatch(line) is not None and not may_be_rule
    # Seven equals signs are the mark between the sides of a conflict.
    if is_mark or (body == "=======" and not request.is_prose):
        yield "a divider of search and replace"


def _find_tags(line: str, request: RequestText) -> Iterator[str]:
    """Yield a tag of a call, or any closing tag alone on its line of code."""
    tag = _CALL_TAG.search(line)
    if tag is not None and tag[0] not in request.text:
        is_character_data = tag[0].startswith(("<![", "]]"))
        if not (request.is_markup and is_character_data):
            yield f"the tag {tag[0]}"
            return
    body = line.strip()
    if request.is_markup or not _CLOSING_TAG.fullmatch(body):
        return
    if f"<{body[2:-1]}" not in request.text:
        yield f"the tag {body}"


def _find_doubled_signs(line: str, request: RequestText) -> Iterator[str]:
    """Yield a doubled sign that the search text has once, as in templates."""
    if request.is_prose:
        return
    for sign in ("%", "{", "}"):
        position = line.find(2 * sign)
        if position < 0 or 2 * sign in request.text or sign not in request.text:
            continue
        if sign == "%" or not is_in_quotes(line, position):
            yield f"a doubled {sign}"
            return
