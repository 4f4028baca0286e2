"""Damage that a whole request carries, taken away from both of its texts.

A repair is a proposal: it counts only where the search text as it is sent does not occur, and the repaired one does.
The search text itself proves the damage then. The replacement carries the same damage throughout and is repaired
with it, or carries none of it and stays; of half of it nobody can say what is meant, and the repair is dropped. Two
repairs that both lead somewhere must lead to the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from typing import NamedTuple

from filewright.edit.locate.request import RequestLines, indent_of, words_shared
from filewright.edit.notes import in_quotes
from filewright.text.codec import normalised

UNNUMBERED = "took away the line numbers"
UNESCAPED = "undid one level of escaping"
DIFF_SIGNS = "took away the signs of a diff"

_NUMBERED = re.compile(
    r"[ \t]*+(?P<mark>L|[Ll]ine |\[)?[ \t]*+(?P<number>\d{1,9})"
    r"(?P<sep>\]?(?: *(?:->|=>)(?= |$)| *[→│┃|\t»›]|[:.)](?=[ \t]|$)|:|-|(?<=\])(?= |$)|$))"
)
_PERHAPS_NUMBERED = re.compile(r"[ \t]*(?:L|[Ll]ine |\[)?\d+(?!\w)")
#: What only a display puts behind a number.
_SURE = ("→", "│", "┃", "|", "\t", "»", "›")
_FENCE = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})[^`]*")
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
_PREFIXES = (
    ("took away the prefix of each line", re.compile(r"[>│┃|]+|\$|>>>")),
    (
        "took away the path before each line",
        re.compile(r"[\w./\\-]+\.\w{1,8}[:-]\d+[:-]"),
    ),
)
_MARK = re.compile(
    r"(?:[<>|=+-]{5,}\s*(?:SEARCH|REPLACE|ORIGINAL|UPDATED|HEAD)?|\*\*\* (?:Begin|End) \w+)\s*"
)
_TAG_NAMES = r"(?:(?:old|new)_\w+|parameter|invoke|function_calls|tool_call|search|replace(?:ment)?|content|antml:\w+)"
_OPENING_TAG = re.compile(rf"\s*(?:<!\[CDATA\[|<{_TAG_NAMES}>|<\|\w+\|>)")
_CLOSING_TAG = re.compile(rf"(?:\]\]>|</{_TAG_NAMES}>|<\|\w+\|>)\s*$")
_ALIKE, _MUCH_ALIKE = 0.5, 0.8


@dataclass(frozen=True, slots=True)
class RepairedRequest:
    """A request without its damage; `what` says in words what was taken away.

    With `whole_lines` the damage was such that only whole lines can be meant; `first_number` is the number that its
    first line bore, which must be the number of the line it means.
    """

    search: str
    replace: str
    what: str
    whole_lines: bool = False
    first_number: int | None = None


def propose_repairs(search: str, replacement: str) -> Iterator[RepairedRequest]:
    """Yield each way in which the request may be repaired, once."""
    seen = {search}
    for better in _all(search, replacement):
        if better.search.strip() and better.search not in seen:
            seen.add(better.search)
            yield better


def repair_diff_signs(search: str, replacement: str) -> RepairedRequest | None:
    """Return the request without the signs of a diff, if it has them.

    Lines with a space before them look as if they were indented by one more.
    """
    old, new = _without_signs(search, " -"), _without_signs(replacement, " +")
    if old is None or new is None:
        old, new = _without_signs(search, "+"), _without_signs(replacement, "+")
    if old is None or new is None:
        old, new = _sides_of_hunk(search, replacement)
    if old is None or new is None or not _has_diff_lines(search, replacement):
        return None
    return RepairedRequest(old, new, DIFF_SIGNS, whole_lines=True)


def _sides_of_hunk(search: str, replacement: str) -> tuple[str | None, str | None]:
    """Return both sides of a hunk that is the replacement, if its old side is the search text; else None twice."""
    old = _without_signs(search, " ")
    if old is None or _without_signs(replacement, " +-") is None:
        return None, None
    lines = replacement.split("\n")
    before = [line[1:] for line in lines if line[:1] != "+"]
    after = [line[1:] for line in lines if line[:1] != "-"]
    if "\n".join(before).strip("\n") != old.strip("\n"):
        return None, None
    return old, "\n".join(after)


def _has_diff_lines(search: str, replacement: str) -> bool:
    """Return True if the lines of a request have signs that only a diff has.

    A dash alone also begins an item of a list. Without a plus it counts only where what the replacement keeps is the
    rest of the search text.
    """
    texts = search.split("\n"), replacement.split("\n")
    if any(line[:1] == "+" for lines in texts for line in lines):
        return True
    kept = [line for line in texts[0] if line[:1] == " " and line.strip()]
    removed = any(line[:1] == "-" for line in texts[0])
    return removed and kept == [line for line in texts[1] if line.strip()]


def _all(search: str, replacement: str) -> Iterator[RepairedRequest]:
    yield from _without_fence(search, replacement)
    yield from _without_numbers(search, replacement)
    signed = repair_diff_signs(search, replacement)
    if signed is not None:
        yield signed
    for what, prefix in _prefixes_of(search):
        # A space behind the prefix is the prefix's if every line has one.
        for pad in (" ", ""):
            plain, new = (
                _without_prefix(prefix, pad, search),
                _without_prefix(prefix, pad, replacement),
            )
            if plain is not None and new is not None:
                yield RepairedRequest(plain, new, what, whole_lines=True)
    for what, undo, is_whole in _KINDS:
        plain, new = undo(search), undo(replacement)
        if plain is not None and plain != search and new is not None:
            yield RepairedRequest(plain, new, what, whole_lines=is_whole)
    yield from _without_backslashes(search, replacement)


def _prefixes_of(search: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the kinds of prefixes that lines may have, each as the search text has it.

    A sign that only the replacement begins with is its own, such as the bar of a table.
    """
    for what, prefix in _PREFIXES:
        signs = {
            match[0] for line in search.split("\n") if (match := prefix.match(line))
        }
        if signs and not any(re.search(r"\w", sign) for sign in signs):
            yield (
                what,
                re.compile(
                    "|".join(
                        re.escape(sign) for sign in sorted(signs, key=len, reverse=True)
                    )
                ),
            )
        else:
            yield what, prefix


# Kinds: each returns the text without the damage, the text itself if it has none, None if it has half of it.


def _without_prefix(pattern: re.Pattern[str], pad: str, text: str) -> str | None:
    """Take a prefix, and what pads it, from every line that is not blank."""
    lines = text.split("\n")
    solid = [line for line in lines if line.strip()]
    matches = [pattern.match(line) for line in solid]
    if not any(matches):
        return text
    rests = [
        line[match.end() :] for line, match in zip(solid, matches, strict=True) if match
    ]
    if not all(matches) or not all(
        rest.startswith(pad) or not rest.strip() for rest in rests
    ):
        return None
    stripped = iter(rests)
    return "\n".join(
        next(stripped).removeprefix(pad) if line.strip() else line for line in lines
    )


def _without_signs(text: str, signs: str) -> str | None:
    """Take the sign of a diff from every line; None if a line has none."""
    lines = text.split("\n")
    if not all(line[:1] in signs for line in lines if line.strip()):
        return None
    return "\n".join(line[1:] for line in lines)


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


def _without_marks(text: str) -> str | None:
    """Take the marks between search and replacement from the edges of a text."""
    lines = text.split("\n")
    while lines and (not lines[0].strip() or _MARK.fullmatch(lines[0])):
        lines.pop(0)
    end = len(lines)
    while end and (not lines[end - 1].strip() or _MARK.fullmatch(lines[end - 1])):
        end -= 1
    if any(line.strip() and _MARK.fullmatch(line) for line in lines[:end]):
        return None
    marked = text.strip("\n") != "\n".join(lines[:end]).strip("\n")
    return "\n".join([*lines[:end], ""]) if marked else text


def _without_tags(text: str) -> str | None:
    """Take the tags of a call from the edges of a text."""
    opening, closing = _OPENING_TAG.match(text), _CLOSING_TAG.search(text)
    start = opening.end() if opening else 0
    end = closing.start() if closing and closing.start() >= start else len(text)
    inner = text[start:end]
    return inner.removeprefix("\n") if opening else inner


def remove_characters(
    search: str, replacement: str, missing: set[str]
) -> RepairedRequest:
    """Return the request without characters that cannot be seen, and that the file does not have."""
    table = dict.fromkeys(map(ord, missing))
    what = "took away characters that cannot be seen"
    return RepairedRequest(search.translate(table), replacement.translate(table), what)


_KINDS: tuple[tuple[str, Callable[[str], str | None], bool], ...] = (
    (UNESCAPED, _without_entities, False),
    (UNESCAPED, _without_unicode_escapes, False),
    (UNESCAPED, _without_escaped_tabs, False),
    (UNESCAPED, _without_escaped_ends, False),
    (UNESCAPED, _without_json, False),
    ("took away the marks around the text", _without_marks, True),
    ("took away the tags around the text", _without_tags, False),
)


def _without_fence(search: str, replacement: str) -> Iterator[RepairedRequest]:
    """An outer fence: its first line opens it, its last closes it, and the replacement has both or none."""
    inner, new = _fenced(search), _fenced(replacement)
    if inner is not None and inner != search and new is not None:
        yield RepairedRequest(
            inner, new, "took away the code fence around the text", whole_lines=True
        )


def _fenced(text: str) -> str | None:
    """The text inside its fence; the text itself if it has none; None if it has half of one."""
    lines = text.strip("\n").split("\n")
    fence = fence_at_edge(text)
    if not fence:
        return text
    closed = (
        len(lines) > 1 and lines[-1].strip() == fence and _FENCE.fullmatch(lines[0])
    )
    return "\n".join([*lines[1:-1], ""]) if closed else None


def fence_at_edge(text: str) -> str:
    """The marks of a code fence with which a text begins or ends; "" if there are none."""
    lines = text.strip("\n").split("\n")
    found = _FENCE.fullmatch(lines[0]) or _FENCE.fullmatch(lines[-1].rstrip())
    return found["fence"] if found else ""


class _Numbers(NamedTuple):
    """Lines that bear consecutive numbers: how they are written, the first, and the lines less them."""

    kind: str
    first: int
    rests: tuple[str, ...]

    @property
    def sure(self) -> bool:
        """Whether they can be nothing else: three lines or more, set off as only a display does."""
        count = sum(bool(rest.strip()) for rest in self.rests)
        return count >= 3 and (self.kind.endswith(_SURE) or self.kind[:1] in ("L", "l"))

    @property
    def depth(self) -> int:
        """The least indentation of a line."""
        return min(len(indent_of(rest)) for rest in self.rests if rest.strip())

    def text(self, pad: str) -> str:
        """The lines, less what parts them from their numbers."""
        return "\n".join(rest.removeprefix(pad) for rest in self.rests)


def _without_numbers(search: str, replacement: str) -> Iterator[RepairedRequest]:
    """Line numbers: consecutive on every line, and the file's own, or such as only a display writes."""
    mine = _numbers_of(search)
    if mine is None:
        return
    theirs = _numbers_of(replacement, like=mine.kind)
    if theirs is None:
        if any(_PERHAPS_NUMBERED.match(line) for line in replacement.split("\n")):
            return
    else:
        depths = {
            rest.strip(): len(indent_of(rest)) for rest in mine.rests if rest.strip()
        }
        moved = [
            len(indent_of(rest)) - depths[rest.strip()]
            for rest in theirs.rests
            if rest.strip() in depths
        ]
        if (
            moved
            and all(moved)
            and (mine.depth != theirs.depth or all(columns % 2 for columns in moved))
        ):
            return  # set off otherwise than the search text
    spaced = all(rest.startswith(" ") for rest in mine.rests if rest.strip())
    for pad in (" ", "") if spaced else ("",):
        yield RepairedRequest(
            mine.text(pad),
            replacement if theirs is None else theirs.text(pad),
            UNNUMBERED,
            whole_lines=True,
            first_number=None if mine.sure else mine.first,
        )


def _kind(match: re.Match[str]) -> str:
    # Of lines around a match, a search says the number with a dash.
    return f"{match['mark'] or ''}{match['sep']}".replace("-", ":")


def _numbers_of(text: str, *, like: str | None = None) -> _Numbers | None:
    """The numbers of a text, if every line has the next one; a blank line's may stand alone.

    With `like`, a replacement is read: its numbers may be any as long as they do not fall.
    """
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    lead = 0
    while lead < len(lines) and not lines[lead].strip():
        lead += 1
    rests, kind, last = [""] * lead, like, None
    first = 0
    for line in lines[lead:]:
        match = _NUMBERED.match(line)
        if match is None:
            return None
        number = int(match["number"])
        if match.end() < len(line.rstrip()) or match["sep"].strip():
            kind = kind or _kind(match)
            if _kind(match) != kind:
                return None
        if last is None:
            first = number - lead
        elif number < last if like is not None else number != last + 1:
            return None
        last = number
        rests.append(line[match.end() :])
    if kind is None or not "".join(rests).strip():
        return None
    return _Numbers(kind, first, (*rests, "") if text.endswith("\n") else tuple(rests))


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


def looks_damaged(text: str) -> bool:
    """Return whether a text bears any of the damage, or half of it, that is repaired here."""
    lines = [line for line in text.split("\n") if line.strip()]
    numbered = sum(bool(_NUMBERED.match(line)) for line in lines)
    return (
        bool(fence_at_edge(text))
        or bool(lines and 2 * numbered >= len(lines))
        or any(undo(text) != text for _, undo, _ in _KINDS)
        or any(_without_prefix(prefix, "", text) != text for _, prefix in _PREFIXES)
        or _is_broken(text)
        or re.search(r"\\+[\"']", text) is not None
    )


def is_changed(replacement: str, wanted: str, found: tuple[str, ...]) -> str | None:
    """Return a line of a repaired replacement that was as the file has it before the repair, or more so."""
    raw, solid = RequestLines.of(replacement).solid, RequestLines.of(wanted).solid
    for line in solid:
        bare = line.replace("\\", "")
        like = [
            one
            for one in found
            if words_shared(bare, one.replace("\\", "")) > _MUCH_ALIKE
        ]
        doubled = (
            line.replace("\\\\", "\\") in found
        )  # and what was undone is one level more in both
        if line not in found and (
            doubled or is_nearer(line.replace("\\", "\\\\"), line, like)
        ):
            return line
    for line, text in zip(raw, solid, strict=True) if len(raw) == len(solid) else ():
        if "\\" in line and line != text and is_nearer(line, text, found):
            return text
    return None


def breaks_string(wanted: str, there: tuple[str, ...]) -> str | None:
    """Return a line in which undoing escapes put a tab or a newline into a string; None if there is none."""
    for line in wanted.split("\n"):
        if line in there or '"""' in line or "'''" in line:
            continue
        tab = line.find("\t", len(indent_of(line)))
        if (tab >= 0 and in_quotes(line, tab)) or in_quotes(line, len(line)):
            return line
    return None


def is_nearer(plain: str, line: str, asked: list[str] | tuple[str, ...]) -> bool:
    """Return whether a line without its damage is much like one that was asked for, and more so than with it."""
    return bool(plain.strip()) and any(
        words_shared(plain, one) > max(_ALIKE, words_shared(line, one))
        for one in asked
        if one.strip()
    )
