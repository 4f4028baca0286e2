"""Escaping that a request has and the file has not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape

from filewright.edit.code_text import in_quotes
from filewright.edit.repairs.model import (
    UNESCAPED,
    RepairedRequest,
)
from filewright.text.codec import normalised

_SIGN = re.compile(r"\\(.)", re.DOTALL)


_UNICODE = re.compile(r"\\u([0-9a-fA-F]{4})")


_ESCAPED = {
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


_ENTITY = re.compile(
    r"&(?:lt|gt|amp|quot|apos|#39|#x27|#34|#60|#62|#38|#x3[CEce]|#x26);"
)


def _without_entities(text: str) -> str | None:
    entities = _ENTITY.findall(text)
    if not entities:
        return text
    bare = _ENTITY.sub("", text)
    if any(
        unescape(entity) in bare for entity in entities if unescape(entity) in "<>&"
    ):
        return None
    return unescape(text)


def _without_unicode_escapes(text: str) -> str | None:
    return _UNICODE.sub(lambda match: chr(int(match[1], 16)), text)


def _without_escaped_tabs(text: str) -> str | None:
    return re.sub(r"(?m)^(?:\\t)+", lambda match: "\t" * (len(match[0]) // 2), text)


def _without_escaped_ends(text: str) -> str | None:
    r"""Take ``\n`` or ``\r`` from the end of each line but the last."""
    lines = text.split("\n")
    ended = [bool(re.search(r"\\[nr]$", line)) for line in lines]
    body = ended[:-1] if lines[-1] == "" or not ended[-1] else ended
    if not any(ended):
        return text
    if not body or not all(
        is_ended or not line.strip()
        for is_ended, line in zip(body, lines, strict=False)
    ):
        return None
    return "\n".join(re.sub(r"(?:\\r)?\\[nr]$", "", line) for line in lines)


def _without_json(text: str) -> str | None:
    stripped = text.strip().removesuffix(",")
    if not (len(stripped) > 1 and stripped[0] == stripped[-1] == '"'):
        return text
    try:
        value = json.loads(stripped)
    except ValueError:
        return None
    return normalised(value) if isinstance(value, str) else None


def _without_backslashes(search: str, replacement: str) -> Iterator[RepairedRequest]:
    """One level of escaping: of a text sent as one line all of it, as in JSON, or newlines; else quotes."""
    shown = {*_SIGN.findall(search)}
    whole = (
        ({*shown, *'nt"\\'} & _ESCAPED.keys(), {*"nt"}) if _is_broken(search) else ()
    )
    for signs in (*whole, shown & {*"\\\"'"}):
        plain, new = (_undone(text, signs, search) for text in (search, replacement))
        if plain is not None and new is not None:
            yield RepairedRequest(plain, new, UNESCAPED)


def _undone(text: str, signs: set[str], search: str) -> str | None:
    """A text with the escapes of these signs undone; itself if it has none; None if it has half of them.

    A sign is escaped everywhere or nowhere. Other escapes are the text's own, if `search` has them too: else
    nobody can say what they are.
    """
    codes = {*_SIGN.findall(text)}
    if signs.isdisjoint(codes):
        return text
    if "n" in signs and "\n" in text.strip("\n"):
        return None if _has_newlines_in_code(text) or codes & {*"\"'"} else text
    bare = _SIGN.sub("", text)
    half = any(sign in bare for sign in signs & {*"\"'"})
    if (
        half
        or ("\\" in signs and not signs >= codes)
        or not codes <= {*signs, *_SIGN.findall(search)}
    ):
        return None
    return normalised(
        _SIGN.sub(
            lambda match: _ESCAPED[match[1]] if match[1] in signs else match[0], text
        )
    )


def _is_broken(text: str) -> bool:
    """Whether a text of one line says where its newlines were."""
    return "\\n" in text and "\n" not in text.strip("\n")


def _has_newlines_in_code(text: str) -> bool:
    """Return whether a text of several lines still has escaped newlines outside of strings."""
    return any(
        not in_quotes(line, match.start())
        for line in text.split("\n")
        for match in re.finditer(r"(?<!\\)\\n", line)
    )
