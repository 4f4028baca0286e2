"""A request that was escaped once too often, as JSON, HTML or a string of code is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape

from filewright.edit.code_text import is_in_quotes
from filewright.edit.repairs.model import UNESCAPED, RepairedRequest
from filewright.text.codec import normalize_newlines

# A backslash and the character behind it, pair by pair: `\\n` is `\\` and a plain `n`.
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
# `\u00e9`, as JSON writes characters beyond ASCII.
_UNICODE_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
# `\t\t` before the text of a line.
_LEADING_TABS = re.compile(r"(?m)^(?:\\t)+")
# `\n`, and not the end of `\\n`.
_ESCAPED_NEWLINE = re.compile(r"(?<!\\)\\n")
# `\n` or `\r\n` at the end of a line that also has its newline.
_ESCAPED_LINE_END = re.compile(r"(?:\\r)?\\[nr]$")
# The escapes of JSON and of strings of code, by the sign behind the backslash.
_MEANINGS = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    '"': '"',
    "'": "'",
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
}
_QUOTES = {'"', "'"}
# The entities that an escape of HTML or XML writes: `&lt;`, `&#39;`.
_ENTITY = re.compile(
    r"&(?:lt|gt|amp|quot|apos|#39|#x27|#34|#60|#62|#38|#x3[CEce]|#x26);"
)


def remove_entities(text: str) -> str | None:
    """Replace entities by their characters, as a `TextRepair`."""
    entities = _ENTITY.findall(text)
    bare_text = _ENTITY.sub("", text)
    for entity in entities:
        character = unescape(entity)
        # Quotes are often left as they are. Other signs are escaped all, or none.
        if character in "<>&" and character in bare_text:
            return None
    return unescape(text) if entities else text


def remove_unicode_escapes(text: str) -> str | None:
    r"""Replace escapes such as `\u00e9` by their characters."""
    return _UNICODE_ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)


def remove_escaped_tabs(text: str) -> str | None:
    r"""Replace `\t` by tabs where they indent a line."""
    return _LEADING_TABS.sub(lambda match: "\t" * (len(match[0]) // 2), text)


def remove_escaped_line_ends(text: str) -> str | None:
    r"""Take `\n` or `\r` from the end of each line; the last one may have none."""
    lines = text.split("\n")
    is_ended = [_ESCAPED_LINE_END.search(line) is not None for line in lines]
    if not any(is_ended):
        return text
    if lines[-1] == "" or not is_ended[-1]:
        is_ended.pop()
    if not is_ended:
        return None
    for line, has_end in zip(lines, is_ended, strict=False):
        if line.strip() and not has_end:
            return None
    return "\n".join(_ESCAPED_LINE_END.sub("", line) for line in lines)


def remove_json_quotes(text: str) -> str | None:
    """Return the text of a JSON string, as a `TextRepair`."""
    # A string that was cut out of a list of arguments may have its comma.
    stripped = text.strip().removesuffix(",")
    if not (len(stripped) > 1 and stripped[0] == stripped[-1] == '"'):
        return text
    try:
        value = json.loads(stripped)
    except ValueError:
        return None
    return normalize_newlines(value) if isinstance(value, str) else None


def repair_backslashes(
    search: str, replacement: str
) -> Iterator[RepairedRequest]:
    """Yield the request with one level of backslashes undone.

    In a text that was sent as one line that is all of them, as in JSON, or newlines and
    tabs alone; in any other text quotes and backslashes.
    """
    escaped_signs = {*_ESCAPE.findall(search)}
    choices: list[set[str]] = []
    if has_all_newlines_escaped(search):
        choices.append({*escaped_signs, "n", "t", '"', "\\"} & _MEANINGS.keys())
        choices.append({"n", "t"})
    choices.append(escaped_signs & {"\\", *_QUOTES})
    for signs in choices:
        new_search = _undo_escapes(search, signs, search)
        new_replacement = _undo_escapes(replacement, signs, search)
        if new_search is not None and new_replacement is not None:
            yield RepairedRequest(new_search, new_replacement, UNESCAPED)


def _undo_escapes(text: str, signs: set[str], search: str) -> str | None:
    """Undo the escapes of some signs, as a `TextRepair`.

    A sign is escaped everywhere or nowhere. Other escapes are the text's own if the
    search text has them too. Otherwise their meaning is not certain.
    """
    escaped_signs = {*_ESCAPE.findall(text)}
    if signs.isdisjoint(escaped_signs):
        return text
    if "n" in signs and "\n" in text.strip("\n"):
        # This text has its newlines: its escapes belong to strings.
        if _has_escaped_newlines_in_code(text) or escaped_signs & _QUOTES:
            return None
        return text
    bare_text = _ESCAPE.sub("", text)
    if any(quote in bare_text for quote in signs & _QUOTES):
        return None
    if "\\" in signs and not escaped_signs <= signs:
        return None
    if not escaped_signs <= {*signs, *_ESCAPE.findall(search)}:
        return None

    def undo(match: re.Match[str]) -> str:
        return _MEANINGS[match[1]] if match[1] in signs else match[0]

    return normalize_newlines(_ESCAPE.sub(undo, text))


def has_all_newlines_escaped(text: str) -> bool:
    r"""Return True if a text is one line that has `\n` where its newlines were."""
    return "\\n" in text and "\n" not in text.strip("\n")


def _has_escaped_newlines_in_code(text: str) -> bool:
    r"""Return True if a line of a text has a `\n` outside of strings."""
    for line in text.split("\n"):
        for newline in _ESCAPED_NEWLINE.finditer(line):
            if not is_in_quotes(line, newline.start()):
                return True
    return False
