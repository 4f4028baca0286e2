"""Tier 4: damage that a request may carry as a whole, and the request without it.

A repair is only a proposal: it counts where the repaired search text then occurs in the file. The
replacement either carries the same damage throughout and is repaired with it, or carries none of it
and stays as it is. Where it carries a part, nobody can say what is meant, and the repair is dropped.

Why it cannot be wrong: the repaired search text is text that occurs in the file once, the damage has
no other meaning in the whole request (each kind below says what would give it one), and the same
repair made all of the replacement, or there was nothing in it to repair. Two repairs that both lead
somewhere must lead to the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from filewright.edit.locate.prose import is_code
from filewright.edit.locate.request import indent_of
from filewright.text import normalised

_NUMBERED = re.compile(
    r"[ \t]*(?P<mark>L|[Ll]ine |\[)?[ \t]*(?P<number>\d{1,9})"
    r"(?P<sep>\]?(?: *(?:->|=>)(?= |$)| *[→│|\t»›]|[:.)](?=[ \t]|$)|:|-(?=[ \t]|$)|(?<=\])(?= |$)|$))"
)
_PERHAPS_NUMBERED = re.compile(r"[ \t]*(?:L|[Ll]ine |\[)?\d+(?!\w)")
#: What only a display puts behind a number.
_SURE = ("→", "│", "|", "\t", "»", "›")
_FENCE = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})[^`]*")
_SIGN = re.compile(r"\\(.)", re.DOTALL)
_BREAK = re.compile(r"(?<!\\)\\([nt])")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\", "/": "/", "b": "\b", "f": "\f"}


@dataclass(frozen=True, slots=True)
class Repaired:
    """A request without its damage; `what` says in words what was taken away.

    With `whole_lines` the damage was such that only whole lines can be meant; `first_number` is the
    number that its first line bore, which must be the number of the line it means.
    """

    search: str
    replace: str
    what: str
    whole_lines: bool = False
    first_number: int | None = None


@dataclass(frozen=True, slots=True)
class Numbers:
    """Lines that bear consecutive numbers: how they are written, the first, and the lines less them."""

    kind: str
    first: int
    rests: tuple[str, ...]

    def is_alike(self, line: str) -> bool:
        """Whether `line` begins with a number as these do."""
        return _is_numbered(line, self.kind)

    @property
    def is_displayed(self) -> bool:
        """Whether they are set off as a display does."""
        return _is_displayed(self.kind, "")

    @property
    def sure(self) -> bool:
        """Whether they can be nothing else: three lines or more, set off as only a display does."""
        count = sum(bool(rest.strip()) for rest in self.rests)
        return count >= 3 and (self.kind.endswith(_SURE) or self.kind[:1] in ("L", "l"))


def repairs(search: str, replacement: str) -> Iterator[Repaired]:
    """Every way the request may be repaired."""
    seen = {search}
    for repair in (_without_fence, _without_numbers, _without_backslashes):
        for better in repair(search, replacement):
            if better.search.strip() and better.search not in seen:
                seen.add(better.search)
                yield better


def is_damaged(text: str) -> bool:
    """Whether a text bears any of the damage, or half of it, that is repaired here."""
    lines = [line for line in text.split("\n") if line.strip()]
    numbered = sum(bool(_NUMBERED.match(line)) for line in lines)
    return (
        _fenced(text) != text
        or bool(lines and 2 * numbered >= len(lines))
        or unescape(text) != text
        or _is_broken(text)
        or re.search(r"\\[\"']", text) is not None
    )


def has_escaped_lines(text: str, asked: Sequence[str]) -> bool:
    """Whether a text of one line says where newlines are: beside a line asked for, or outside of quotes."""
    pieces = [piece.replace("\\t", "").strip() for piece in text.split("\\n")]
    solid = [line.strip() for line in asked if line.strip()]
    if len(pieces) < 2 or (len(solid) == 1 and _ends_in_code(solid[0])):
        return False
    if any(piece in solid for piece in pieces):
        return True
    return any(len(solid) > 1 or text[end : end + 2].isspace() for end in _ends_in_code(text))


def _ends_in_code(text: str) -> list[int]:
    """Where the newlines end that a text of one line says outside of quotes and comments."""
    return [match.end() for match in _BREAK.finditer(text) if is_code(text, match.start())]


def fence_at_edge(text: str) -> str:
    """The marks of a code fence with which a text begins or ends; "" if there are none."""
    lines = text.strip("\n").split("\n")
    found = _FENCE.fullmatch(lines[0]) or _FENCE.fullmatch(lines[-1].rstrip())
    return found["fence"] if found else ""


def without_number(line: str) -> str:
    """What stands behind the number that a display puts before a line, trimmed; "" if there is none."""
    match = _NUMBERED.match(line)
    return line[match.end() :].strip() if match and _is_displayed(_kind(match), line) else ""


def _is_displayed(kind: str, line: str) -> bool:
    """Whether a number is set off as a display does: not as an item of a list is, nor a key in a block."""
    return kind.endswith(_SURE) or (kind.endswith(":") and not line[:1].isspace())


def _without_fence(search: str, replacement: str) -> Iterator[Repaired]:
    """An outer fence: its first line opens it, its last closes it, and the replacement has both or none."""
    inner, inner_new = _fenced(search), _fenced(replacement)
    if inner is not None and inner != search and inner_new is not None:
        yield Repaired(inner, inner_new, "took away the code fence around the text", whole_lines=True)


def _fenced(text: str) -> str | None:
    """The text inside its fence; the text itself if it has none; None if it has half of one."""
    lines = text.strip("\n").split("\n")
    opening = _FENCE.fullmatch(lines[0])
    closing = _FENCE.fullmatch(lines[-1].rstrip())
    if not opening and not closing:
        return text
    if len(lines) < 2 or not opening or not closing or lines[-1].strip() != opening["fence"]:
        return None
    inner = lines[1:-1]
    return "\n".join(inner) + "\n" if inner else ""


def _without_numbers(search: str, replacement: str) -> Iterator[Repaired]:
    """Line numbers: consecutive on every line, and the file's own, or such as only a display writes."""
    numbers = numbers_of(search)
    if numbers is None:
        return
    theirs = numbers_of(replacement, like=numbers.kind)
    rests: tuple[str, ...] | None = None if theirs is None else theirs.rests
    if rests is None and any(_PERHAPS_NUMBERED.match(line) for line in replacement.split("\n")):
        return
    if rests is not None:
        mine = {rest.strip(): len(indent_of(rest)) for rest in numbers.rests if rest.strip()}
        moved = [len(indent_of(rest)) - mine[rest.strip()] for rest in rests if rest.strip() in mine]
        least = [min(len(indent_of(rest)) for rest in one if rest.strip()) for one in (numbers.rests, rests)]
        if moved and all(moved) and (least[0] != least[1] or all(columns % 2 for columns in moved)):
            return  # set off otherwise than the search text
    spaced = all(rest.startswith(" ") for rest in numbers.rests if rest.strip())
    for pad in (" ", "") if spaced else ("",):
        yield Repaired(
            _joined(numbers.rests, pad),
            replacement if rests is None else _joined(rests, pad),
            "took away the line numbers",
            whole_lines=True,
            first_number=None if numbers.sure else numbers.first,
        )


def _joined(rests: tuple[str, ...], pad: str) -> str:
    return "\n".join(rest.removeprefix(pad) for rest in rests)


def _is_numbered(line: str, kind: str) -> bool:
    match = _NUMBERED.match(line)
    return match is not None and _kind(match) in (kind, "")


def _kind(match: re.Match[str]) -> str:
    return f"{match['mark'] or ''}{match['sep']}"


def numbers_of(text: str, *, like: str | None = None) -> Numbers | None:
    """The numbers of a text, if every line has the next one; a blank line's may stand alone.

    With `like`, a replacement is read: its numbers may be any as long as they do not fall.
    """
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    lead = 0
    while lead < len(lines) and not lines[lead].strip():
        lead += 1
    rests: list[str] = [""] * lead
    kind = like
    first = expected = -1
    for line in lines[lead:]:
        match = _NUMBERED.match(line)
        if match is None:
            return None
        number, bare = int(match["number"]), match.end() == len(line.rstrip()) and not match["sep"].strip()
        if not bare:
            kind = _kind(match) if kind is None else kind
            if _kind(match) != kind:
                return None
        if expected >= 0 and (number < expected - 1 if like is not None else number != expected):
            return None
        first = number - lead if first < 0 else first
        expected = number + 1
        rests.append(line[match.end() :])
    if kind is None or expected < 0 or not any(rest.strip() for rest in rests):
        return None
    if text.endswith("\n"):
        rests.append("")
    return Numbers(kind, first, tuple(rests))


def _without_backslashes(search: str, replacement: str) -> Iterator[Repaired]:
    """One level of escaping: of a text sent as one line all of it, as in JSON, or newlines; else quotes."""
    shown = {*_SIGN.findall(search)}
    whole = ({*shown, *'nt"\\'} & _ESCAPED.keys(), {*"nt"}) if _is_broken(search) else ()
    for signs in (*whole, shown & {*"\\\"'"}):
        plain, new = (_undone(text, signs, search) for text in (search, replacement))
        if plain is not None and new is not None:
            yield Repaired(plain, new, "undid one level of escaping")


def _undone(text: str, signs: set[str], search: str) -> str | None:
    """A text with the escapes of these signs undone; itself if it has none; None if it has half of them.

    A sign is escaped everywhere or nowhere. Other escapes are the text's own, if `search` has them too: else
    nobody can say what they are.
    """
    codes = {*_SIGN.findall(text)}
    if signs.isdisjoint(codes):
        return text
    if "n" in signs and "\n" in text.strip("\n"):
        return None if _ends_in_code(text) or codes & {*"\"'"} else text
    bare = _SIGN.sub("", text)
    half = any(sign in bare for sign in signs & {*"\"'"})
    if half or ("\\" in signs and not signs >= codes) or not codes <= {*signs, *_SIGN.findall(search)}:
        return None
    return normalised(_SIGN.sub(lambda match: _ESCAPED[match[1]] if match[1] in signs else match[0], text))


def _is_broken(text: str) -> bool:
    """Whether a text of one line says where its newlines were."""
    return "\\n" in text and "\n" not in text.strip("\n")
