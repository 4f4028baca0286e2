"""The form of a call of a name: the receiver before it, and the number of its arguments.

The grammar has said that the name is called there. The text around it tells the rest, in
the same way for all languages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from filewright.languages import Language
from filewright.search.code_tokens import TokenKind, Tokens, scan_tokens
from filewright.wording import pluralize

MAX_RECEIVER_BYTES = 60
"""The most bytes of a receiver; in place of a longer one there is an ellipsis."""

MAX_BYTES_BEFORE = 200
MAX_COMMAS = 10_000
MAX_QUOTED_BYTES = 1_000
"""Bytes of a call in a string in which its end is looked for."""

_CHAIN = re.compile(
    rb"(?P<mark>@\s*|<|\bnew\s+)?(?P<chain>(?:[\w$\x80-\xff]+(?:\?\.|!\.|\.|::|->))*)\Z"
)
_LINK = re.compile(rb"(?:\?\.|!\.|\.|::|->)\s*\Z")
# Between a name and its arguments there may be type arguments, and the sign of a macro.
_OPENING = re.compile(
    rb"\s*+(?:!|\?\.|::)?\s*+(?:<[^;{}()]{0,200}>|\[[^;{}()\[\]]{0,200}\])?\s*+\("
)
_TYPE_ARGUMENTS = re.compile(rb"(?<=\w)<[\w\s,.|&\[\]?:]*>(?=[\s,.)\]};_]|\Z)")
_LAMBDA = re.compile(rb"\blambda\b[^:]*:")
_FOR = re.compile(rb"\bfor\b")
_STAR_SPREADS = (Language.PYTHON, Language.RUBY, Language.KOTLIN)
_STARRED = re.compile(rb"(?:\A|,)\s*\*")
_SPREAD = re.compile(rb"(?:\A|,)\s*\.\.\.|\.\.\.\s*(?:,|\Z)")


@dataclass(frozen=True, slots=True)
class CallForm:
    """A call as it is written: `has(…)`, `table.has(…)`, `@has`, `<Has …>`.

    `arguments` is the number of arguments in words, "" for a call without a list of
    them. `end` is the byte behind the call. `owner` is the first name of the receiver.
    """

    spelling: str
    arguments: str
    end: int
    owner: str = ""


def read_call(
    data: bytes,
    start: int,
    end: int,
    tokens: Tokens,
    language: Language | None,
) -> CallForm:
    """Return the form of the call of the name [start, end) in a text in UTF-8."""
    before = data[max(0, start - MAX_BYTES_BEFORE) : start]
    mark, receiver = _read_receiver(before)
    owner = re.split(r"\W", receiver)[0]
    name = data[start:end].decode("utf-8", "replace")
    opening = _OPENING.match(data, end)
    if opening is None:
        closing = " …>" if mark == "<" else ""
        spelling = f"{mark}{receiver}{name}{closing}"
        return CallForm(spelling, "", end, owner)
    spelling = f"{mark}{receiver}{name}(…)"
    start = opening.end() - 1
    number = tokens.first_from(start)
    if number == len(tokens.starts) or tokens.starts[number] != start:
        # Code in a string, such as an f-string, has no tokens of its own.
        data = data[start : start + MAX_QUOTED_BYTES]
        tokens, number = scan_tokens(data, language), 0
    else:
        start = 0
    if not tokens.is_closed(number):
        return CallForm(spelling, "", opening.end(), owner)
    arguments = _count_arguments(data, tokens, number, language)
    return CallForm(spelling, arguments, start + tokens.ends[number], owner)


def _read_receiver(before: bytes) -> tuple[str, str]:
    """Return the sign or word before a receiver, and the receiver with its dot."""
    match = _CHAIN.search(before)
    if match is None:
        return "", ""
    chain = match["chain"].decode("utf-8", "replace")
    mark = " ".join((match["mark"] or b"").decode().split())
    # `a < has(b)` compares; a tag has nothing but space or a bracket before it.
    if mark == "<" and re.search(rb"[\w)\]]\s*\Z", before[: match.start()]):
        mark = ""
    if mark == "new":
        mark = "new "
    if _LINK.search(before[: match.start("chain")]):
        # The receiver is an expression, such as another call.
        return "", f"….{chain}"
    if len(chain) > MAX_RECEIVER_BYTES:
        return mark, "….…"
    return mark, chain


def _count_arguments(
    data: bytes, tokens: Tokens, number: int, language: Language | None
) -> str:
    """Return the number of arguments in the brackets of a token, in words."""
    text = _flatten(data, tokens, number)
    text = _LAMBDA.sub(b"_", _TYPE_ARGUMENTS.sub(b"", text))
    is_python = language is Language.PYTHON
    # In Python `...` is a value, and in C `*p` is one argument.
    spread = _STARRED if language in _STAR_SPREADS else _SPREAD
    if spread.search(text):
        return "spread arguments"
    if not text.strip():
        return "0 arguments"
    if is_python and _FOR.search(text):
        # `any(a < b for a, b in pairs)` has a comma of no argument.
        return "1 argument"
    parts = text.split(b",", MAX_COMMAS)
    # A comma may stand behind the last argument.
    count = len(parts) - (not parts[-1].strip())
    return pluralize(count, "argument")


def _flatten(data: bytes, tokens: Tokens, number: int) -> bytes:
    """Return the text in brackets without comments, and with a sign for what is nested."""
    end = tokens.ends[number] - 1
    index = tokens.starts[number] + 1
    parts = []
    number += 1
    while number < len(tokens.starts) and tokens.starts[number] < end:
        parts.append(data[index : tokens.starts[number]])
        kind = TokenKind(tokens.kinds[number])
        if kind is not TokenKind.COMMENT:
            parts.append(b"_")
        index = tokens.starts[number] + 1
        if kind.is_opaque or tokens.is_closed(number):
            index = tokens.ends[number]
        number = max(number + 1, tokens.first_from(index))
    parts.append(data[index:end])
    return b"".join(parts)
