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
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

_NUMBERED = re.compile(
    r"[ \t]*(?P<mark>L|[Ll]ine |\[)?[ \t]*(?P<number>\d{1,9})"
    r"(?P<sep>\]?(?: *(?:->|=>)(?= |$)| *[→│|\t»›]|[:.)](?=[ \t]|$)|:|-(?=[ \t]|$)|(?<=\])(?= |$)|$))"
)
#: What only a display puts behind a number.
_SURE = ("→", "│", "|", "\t", "»", "›")
_FENCE = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})[^`]*")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_BREAK = re.compile(r"(?<!\\)\\([nt])")
_BREAK_OR_QUOTE = re.compile(r'(?<!\\)(?:\\([nt])|")')
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\", "/": "/", "b": "\b", "f": "\f"}
_ENTITY = re.compile(r"&(lt|gt|amp|quot|apos|#39|#x27|#34);")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "#39": "'", "#x27": "'", "#34": '"'}


@dataclass(frozen=True, slots=True)
class Repaired:
    """A request without its damage; `what` says in words what was taken away.

    With `whole_lines` the damage was such that only whole lines can be meant; `first_number` is the
    number that its first line bore, which must be the number of the line it means.
    """

    search: str
    replace: str
    what: tuple[str, ...]
    whole_lines: bool = False
    first_number: int | None = None


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Lines that bear consecutive numbers: how they are written, the first, and the lines less them."""

    kind: str
    first: int
    rests: tuple[str, ...]

    @property
    def sure(self) -> bool:
        """Whether they can be nothing else: three lines or more, set off as only a display does."""
        count = sum(bool(rest.strip()) for rest in self.rests)
        return count >= 3 and (self.kind.endswith(_SURE) or self.kind[:1] in ("L", "l"))


def repairs(search: str, replacement: str) -> Iterator[Repaired]:
    """Every way the request may be repaired, fences and numbers also together."""
    seen = {search}
    queue = [Repaired(search, replacement, ())]
    for _ in range(2):
        found = [better for one in queue for better in _once(one)]
        queue = [better for better in found if better.search.strip() and better.search not in seen]
        for better in queue:
            if better.search not in seen:
                seen.add(better.search)
                yield better


def displayed(text: str, first_line: Callable[[], int]) -> str:
    """What a display puts around text, if `text` bears it throughout: ``line numbers``, ``a code fence``, or "".

    Numbers count where they are those of the lines from `first_line` on, or can be nothing else.
    """
    if _fenced(text) not in (None, text):
        return "a code fence"
    numbers = _numbers(text)
    if numbers is not None and (numbers.sure or numbers.first == first_line()):
        return "line numbers"
    return ""


def is_damaged(text: str) -> bool:
    """Whether a text bears any of the damage, or half of it, that is repaired here."""
    lines = [line for line in text.split("\n") if line.strip()]
    numbered = sum(bool(_NUMBERED.match(line)) for line in lines)
    return (
        _fenced(text) != text
        or bool(lines and 2 * numbered >= len(lines))
        or bool(_ENTITY.search(text))
        or _is_broken(text)
        or re.search(r"\\[\"']", text) is not None
    )


def has_escaped_lines(text: str, search: str) -> bool:
    """Whether a text of one line says where newlines are: beside the text asked for, or before an indent."""
    pieces = text.split("\\n")
    beside = any(piece.replace("\\t", "").strip() == search.strip() for piece in pieces)
    return len(pieces) > 1 and (
        beside or re.search(r"\n(?=[\t ]{2})", _broken_outside_quotes(text)) is not None
    )


def numbered_like(text: str, line: str) -> bool:
    """Whether `line` begins with a number as the lines of `text` do."""
    numbers = _numbers(text)
    return numbers is not None and _is_numbered(line, numbers.kind)


def _once(one: Repaired) -> Iterator[Repaired]:
    done = " ".join(one.what)
    if "mark" not in done and one.search.startswith("\ufeff"):
        yield replace(
            one,
            search=one.search.lstrip("\ufeff"),
            replace=one.replace.lstrip("\ufeff"),
            what=(*one.what, "took away the byte-order mark"),
        )
    if "fence" not in done and "number" not in done:
        yield from _without_fence(one)
    if "number" not in done:
        yield from _without_numbers(one)
    if "escap" not in done and "number" not in done:
        yield from _without_escapes(one)


def _without_fence(one: Repaired) -> Iterator[Repaired]:
    """An outer fence: its first line opens it, its last closes it, and the replacement has both or none."""
    search, replacement = _fenced(one.search), _fenced(one.replace)
    if search is None or search == one.search or replacement is None:
        return
    what = (*one.what, "took away the code fence around the text")
    yield replace(one, search=search, replace=replacement, what=what, whole_lines=True)


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


def _without_numbers(one: Repaired) -> Iterator[Repaired]:
    """Line numbers: consecutive on every line, and the file's own, or such as only a display writes."""
    numbers = _numbers(one.search)
    if numbers is None:
        return
    theirs = _numbers(one.replace, like=numbers.kind)
    rests: tuple[str, ...] | None = None if theirs is None else theirs.rests
    if rests is None and any(_NUMBERED.match(line) for line in one.replace.split("\n")):
        return
    spaced = all(rest.startswith(" ") for rest in numbers.rests if rest.strip())
    for pad in (" ", "") if spaced else ("",):
        yield Repaired(
            _joined(numbers.rests, pad),
            one.replace if rests is None else _joined(rests, pad),
            (*one.what, "took away the line numbers"),
            whole_lines=True,
            first_number=None if numbers.sure else numbers.first,
        )


def _joined(rests: tuple[str, ...], pad: str) -> str:
    return "\n".join(rest.removeprefix(pad) for rest in rests)


def _is_numbered(line: str, kind: str) -> bool:
    match = _NUMBERED.match(line)
    return match is not None and _kind(match) in (kind, "")


def _kind(match: re.Match[str]) -> str:
    return f"{match['mark'] or ''}{match['sep'].strip(' ')}"


def _numbers(text: str, *, like: str | None = None) -> _Numbers | None:
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
    return _Numbers(kind, first, tuple(rests))


def _without_escapes(one: Repaired) -> Iterator[Repaired]:
    if "\\" in one.search:
        yield from _without_backslashes(one)
    if _ENTITY.search(one.search):
        search, replacement = (
            _plain_entities(one.search, one.search),
            _plain_entities(one.replace, one.search),
        )
        if search is not None and replacement is not None:
            what = (*one.what, "undid one level of escaping (entities)")
            yield replace(one, search=search, replace=replacement, what=what)


def _plain_entities(text: str, search: str) -> str | None:
    """The text its entities mean; itself if it has none; None if it holds raw what they mean."""
    if not _ENTITY.search(text):
        return text
    raw = {"<", ">", "&", *(_ENTITIES[name] for name in _ENTITY.findall(search))}
    if any(char in raw for char in _ENTITY.sub("", text)):
        return None
    return _ENTITY.sub(lambda match: _ENTITIES[match[1]], text)


def _without_backslashes(one: Repaired) -> Iterator[Repaired]:
    what = (*one.what, "undid one level of escaping")
    search = _unescaped(one.search, one.search)
    if search is not None and search != one.search:
        replacement = _unescaped(one.replace, one.search)
        if replacement is None and not _is_escaped(one.replace, one.search):
            replacement = one.replace
        if replacement is not None:
            yield replace(one, search=search, replace=replacement, what=what)
    if not _is_broken(one.search):
        return
    # Escapes between quotes may be the text's own; which they are, the search text must tell.
    inside, outside = _broken(one.search), _broken_outside_quotes(one.search)
    mine, theirs = _broken(one.replace), _broken_outside_quotes(one.replace)
    if "\n" in one.replace.strip("\n"):
        if _broken_outside_quotes(one.replace) != one.replace:
            return  # some newlines are there and some are said
        mine = theirs = one.replace
    if inside != outside:
        yield replace(one, search=outside, replace=theirs, what=what)
    if inside != outside or mine == theirs:
        yield replace(one, search=inside, replace=mine, what=what)


def _is_broken(text: str) -> bool:
    """Whether a text of one line says where its newlines were."""
    return "\\n" in text and "\n" not in text.strip("\n")


def _is_escaped(text: str, search: str) -> bool:
    """Whether a text that is not escaped throughout holds some of the escapes of `search`."""
    if any(f"\\{quote}" in text for quote in "\"'" if f"\\{quote}" in search):
        return True
    return "\\n" in search and _broken_outside_quotes(text) != text


def _broken(text: str) -> str:
    """Only newlines and tabs unescaped; other backslashes are text."""
    return _BREAK.sub(lambda match: _ESCAPED[match[1]], text)


def _broken_outside_quotes(text: str) -> str:
    """As `_broken`, but not between double quotes of one line."""
    quoted = False

    def plain(match: re.Match[str]) -> str:
        nonlocal quoted
        if match[1] is None:
            quoted = not quoted
            return match[0]
        return match[0] if quoted else _ESCAPED[match[1]]

    return _BREAK_OR_QUOTE.sub(plain, text)


def _unescaped(text: str, search: str) -> str | None:
    """The text that these are the escapes of; None if they are not those of a whole string.

    A text is escaped throughout where no quote is bare that `search` escapes (the double one in
    any case), and every backslash begins an escape.
    """
    quotes = '"' + ("'" if "\\'" in search else "")
    if re.search(rf"(?<!\\)(?:\\\\)*[{quotes}]", text.strip("\n")):
        return None
    bad = False

    def plain(match: re.Match[str]) -> str:
        nonlocal bad
        code = match[1]
        if code[0] == "u" and len(code) == 5:
            return chr(int(code[1:], 16))
        if code not in _ESCAPED:
            bad = True
        return _ESCAPED.get(code, code)

    result = _ESCAPE.sub(plain, text)
    if bad or any("\ud800" <= char <= "\udfff" for char in result):
        return None
    return result.replace("\r\n", "\n").replace("\r", "\n")
