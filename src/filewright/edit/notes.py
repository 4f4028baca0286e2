"""Observations on what an edit writes: text that looks like damage on the way from a model to the file.

The caller is the author, so such text is written all the same, and said in the answer. The next call can correct it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from filewright.edit.code_text import MARKUP, PROSE, in_quotes, is_code
from filewright.edit.comparison import WHITESPACE, is_invisible, leading_whitespace
from filewright.edit.omission_markers import mentions_omission
from filewright.languages import Language
from filewright.text.spelling import PLAIN, SPACES

_MOST = 5


_ESCAPES = re.compile(
    r"(?<!\\)\\(?:(?P<blank>[nrt])|(?P<quote>[\"'`])|(?P<code>u[0-9a-fA-F]{4}))"
)
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{2,5}|#x[0-9a-fA-F]{2,4});")
_GUTTER = re.compile(
    r"\s*(?:>\s*)?(?:L|[Ll]ine |\[)?(?P<number>\d{1,6})\]?\s*(?P<sep>[→│|┃»›\t:.)-]|->|=>)\s?(?P<rest>.*)"
)
_PLACE = re.compile(r"[\w./\\-]+\.\w{1,5}:\d+[:-]\s?(?P<rest>.*)")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})[\w+-]*\s*$")
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_MARKER = re.compile(
    r"\s*(?:<{5,}|>{5,}|={7}|\|{7}|-{5,})\s*(?:SEARCH|REPLACE|HEAD|ORIGINAL|UPDATED)?\s*$"
    r"|\s*\*\*\* (?:Begin|End|Update|Add|Delete)\b.*"
)
_TAG = re.compile(
    r"</?(?:(?:old|new)_(?:string|str|text)|parameter|invoke|function_calls|tool_call|search|replace(?:ment)?|content|file_text|antml:\w+)\b[^>]*>"
    r"|<\|\w+\|>|<!\[CDATA\[|\]\]>"
)
_WORD = re.compile(r"\w+")
_LATIN, _ALIKE = re.compile("[A-Za-z]"), re.compile("[\u0370-\u03ff\u0400-\u04ff]")
_CLOSING_TAG = re.compile(r"</\w+>")
_SIGNS = "（）［］｛｝；：，＝＋＊／＜＞→←⇒≤≥≠×÷"


@dataclass(frozen=True, slots=True)
class Note:
    """An observation on a line of the result; `line` is its number, `text` goes behind it."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line} {self.text}"


def find_damage(
    asked: Sequence[str], new: Iterable[tuple[int, str]], language: Language | None
) -> list[Note]:
    """Return what looks like damage in numbered new lines, and is not in the lines asked for."""
    lines = [(number, line) for number, line in new if line.strip()]
    known = {line.strip(WHITESPACE) for line in asked if line.strip()}
    fresh = [
        (number, line) for number, line in lines if line.strip(WHITESPACE) not in known
    ]
    joined = "\n".join(asked)
    notes: list[Note] = []
    for number, line in fresh:
        for what in _of_line(line, known, joined, language):
            notes.append(Note(number, f"now contains {what}"))
    numbered = [match for _, line in lines if (match := _GUTTER.match(line))]
    if (
        len(numbered) == len(lines) > 1
        and fresh
        and not any(_GUTTER.match(line) for line in known)
    ):
        numbers = [int(match["number"]) for match in numbered]
        is_display = all(match["sep"] in "→│|┃»›\t" for match in numbered)
        if is_display and numbers == [*range(numbers[0], numbers[0] + len(numbers))]:
            notes.append(
                Note(fresh[0][0], "begins with a line number, as the lines below do")
            )
    notes += _of_all(fresh, lines, known)
    if (
        fresh
        and _is_quoted("\n".join(line for _, line in lines))
        and not _is_quoted(joined)
    ):
        notes.append(
            Note(fresh[0][0], "now begins a text that is in quotes as a whole")
        )
    return list(dict.fromkeys(notes))[:_MOST]


def _of_all(
    fresh: Sequence[tuple[int, str]], lines: Sequence[tuple[int, str]], known: set[str]
) -> Iterator[Note]:
    """Yield what looks like damage of all lines of a replacement."""
    if not fresh:
        return
    number, texts = fresh[0][0], [line for _, line in lines]
    for prefix in ("> ", ">>> ", "$ ", "| "):
        if all(text.lstrip().startswith(prefix) for text in texts) and not any(
            line.startswith(prefix.strip()) for line in known
        ):
            yield Note(
                number, f"begins with {prefix}as each line of the replacement does"
            )
            break
    joined = "\n".join(texts).strip()
    if (
        len(joined) > 1
        and joined[0] == joined[-1] == "`"
        and not any(line.startswith("`") for line in known)
    ):
        yield Note(number, "now begins a text that is in backquotes as a whole")


def _is_quoted(text: str) -> bool:
    """Return whether a text is one string, as JSON writes it."""
    return re.fullmatch(r'"(?:[^"\\]|\\.)*"', text.strip(), re.DOTALL) is not None


def _of_line(
    line: str, known: set[str], joined: str, language: Language | None
) -> Iterator[str]:
    """Yield what looks like damage in a line, in words."""
    body = line.strip()
    yield from _escapes(line, joined, language)
    yield from _characters(line, joined, language)
    if mentions_omission(line, language):
        yield "a mark that stands for text left out"
    for pattern in (_GUTTER, _PLACE):
        match = pattern.fullmatch(line)
        if (
            match
            and match["rest"].strip()
            and (match["rest"].strip() in known or _is_near(match["rest"], known))
        ):
            yield "a line number before its text"
            break
    if (
        _FENCE.fullmatch(line)
        and language is not Language.MARKDOWN
        and "```" not in joined
        and "~~~" not in joined
    ):
        yield "a code fence"
    if _HUNK.match(body) and language is not Language.DIFF:
        yield "the header of a diff"
    elif (
        line[0] in "+-"
        and len(line) > 1
        and not any(old.startswith(line[0]) for old in known)
    ):
        is_item = line[1] == " " and language in {*PROSE, Language.YAML}
        if line[1:].strip() in known or not (
            language in PROSE or is_item or line[1] == " "
        ):
            yield f"a {line[0]} as before a line of a diff"
    if _MARKER.fullmatch(line) and (
        line[:1] not in "-=" or body.endswith(("SEARCH", "REPLACE"))
    ):
        yield "a mark between texts of an edit"
    tag = _TAG.search(line)
    if (
        tag
        and tag[0] not in joined
        and not (language in MARKUP and tag[0].startswith(("<![", "]]")))
    ):
        yield f"the tag {tag[0]}"
    elif (
        language not in MARKUP
        and _CLOSING_TAG.fullmatch(body)
        and f"<{body[2:-1]}" not in joined
    ):
        yield f"the tag {body}"
    elif body == "=======" and language not in PROSE:
        yield "a mark between texts of an edit"
    if language not in PROSE:
        for sign in ("%", "{", "}"):
            at = line.find(2 * sign)
            is_new = at >= 0 and 2 * sign not in joined and sign in joined
            if is_new and (sign == "%" or not in_quotes(line, at)):
                yield f"a doubled {sign}"
                break


def _is_near(rest: str, known: set[str]) -> bool:
    """Return whether a line without its number begins as a line asked for does."""
    word = re.match(r"\s*\w+\W*", rest)
    return word is not None and any(old.startswith(word[0].strip()) for old in known)


def _escapes(line: str, joined: str, language: Language | None) -> Iterator[str]:
    """Yield escapes outside of strings, and entities."""
    for match in _ESCAPES.finditer(line):
        sign = match[0]
        is_word = re.match(r"[a-z]{3}", line[match.end() :]) is not None
        if sign in joined or (match["blank"] and is_word and language in PROSE):
            continue
        if in_quotes(line, match.start()) and not (
            match["blank"] and match.end() == len(line.rstrip())
        ):
            continue
        if match["quote"] and language is Language.BASH:
            continue
        yield f"a literal {sign}"
    entity = _ENTITY.search(line)
    tags = set(re.findall(r"</?\w+", unescape(line))).difference(
        re.findall(r"</?\w+", line)
    )
    is_text = language in MARKUP and not any(tag in joined for tag in tags)
    if entity and entity[0] not in joined and not is_text:
        yield f"the entity {entity[0]}"


def _characters(line: str, joined: str, language: Language | None) -> Iterator[str]:
    """Yield characters that look like others, or like nothing."""
    if line.isascii():
        if "\0" in line and "\0" not in joined:
            yield "a NUL, which makes the file a binary one"
        return
    lead = line[: len(line) - len(line.lstrip())]
    if lead != leading_whitespace(line) and not any(
        char in joined for char in lead if char in SPACES
    ):
        yield "no-break or other wide spaces as indentation"
    for word in _WORD.findall(line):
        if (
            not word.isascii()
            and word not in joined
            and _LATIN.search(word)
            and _ALIKE.search(word)
        ):
            yield f"{word}, a word in letters of two alphabets"
    for index, char in enumerate(line):
        if char.isascii() or char in joined:
            continue
        beside = line[index - 1 : index] + line[index + 1 : index + 2]
        if is_invisible(char) and beside.isascii():
            yield f"the invisible character U+{ord(char):04X}"
        elif (
            language in PROSE
            or not (char in PLAIN or char in _SIGNS)
            or not is_code(line, index)
        ):
            continue
        elif char not in SPACES:
            yield f"{char} (U+{ord(char):04X}) in code"
        elif index >= len(lead):
            yield f"the space U+{ord(char):04X} in code"
