"""Tier 4: damage that a request may carry as a whole, and the request without it.

A repair is only a proposal: it counts where the repaired search text then stands in the file. The
replacement is repaired only where it carries the same damage throughout; where it carries it in
part, nobody can say what is meant, and the repair is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_NUMBERED = re.compile(r"[ \t]*(?P<mark>L|line )?[ \t]*(?P<number>\d{1,9})(?P<sep> *[→│|:\t»›]|-(?=[ \t]|$))")
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

    With `whole_lines` the damage was such that only whole lines can be meant.
    """

    search: str
    replace: str
    what: tuple[str, ...]
    whole_lines: bool = False


def repairs(search: str, replace: str) -> Iterator[Repaired]:
    """Every way the request may be repaired, fences and numbers also together."""
    seen = {search}
    queue = [Repaired(search, replace, ())]
    for _ in range(2):
        found = [better for one in queue for better in _once(one)]
        queue = [better for better in found if better.search.strip() and better.search not in seen]
        for better in queue:
            if better.search not in seen:
                seen.add(better.search)
                yield better


def _once(one: Repaired) -> Iterator[Repaired]:
    done = " ".join(one.what)
    if "fence" not in done and "number" not in done:
        yield from _without_fence(one)
    if "number" not in done:
        yield from _without_numbers(one)
    if "escap" not in done and "number" not in done:
        yield from _without_escapes(one)


def _without_fence(one: Repaired) -> Iterator[Repaired]:
    search = _unfenced(one.search)
    if search is not None:
        replace = _unfenced(one.replace)
        if replace is None and one.replace.strip().startswith(("```", "~~~")):
            return
        yield Repaired(
            search,
            one.replace if replace is None else replace,
            (*one.what, "took away the code fence round the text"),
            whole_lines=True,
        )


def _unfenced(text: str) -> str | None:
    lines = text.strip("\n").split("\n")
    if len(lines) < 2:
        return None
    opening = _FENCE.fullmatch(lines[0])
    closing = _FENCE.fullmatch(lines[-1].rstrip())
    if not opening or not closing or lines[-1].strip() != opening["fence"]:
        return None
    inner = lines[1:-1]
    return "\n".join(inner) + "\n" if inner else ""


def _without_numbers(one: Repaired) -> Iterator[Repaired]:
    numbered = _numbers(one.search)
    if numbered is None:
        return
    sep, rests = numbered
    theirs = _numbers(one.replace, like=sep) if one.replace.strip() else None
    if theirs is None and any(_is_numbered(line, sep) for line in one.replace.split("\n")):
        return
    spaced = all(rest.startswith(" ") for rest in rests if rest.strip())
    for pad in (" ", "") if spaced else ("",):
        search = _joined(rests, pad)
        replace = one.replace if theirs is None else _joined(theirs[1], pad)
        yield Repaired(search, replace, (*one.what, "took away the line numbers"), whole_lines=True)


def _joined(rests: list[str], pad: str) -> str:
    return "\n".join(rest.removeprefix(pad) for rest in rests)


def _is_numbered(line: str, sep: str) -> bool:
    match = _NUMBERED.match(line)
    return match is not None and _kind(match) == sep


def _kind(match: re.Match[str]) -> str:
    return f"{match['mark'] or ''}{match['sep'].strip(' ')}"


def _numbers(text: str, *, like: str | None = None) -> tuple[str, list[str]] | None:
    """The separator and the lines less their numbers, if every line has the next number.

    With `like`, a replacement is read: its numbers may be any as long as they do not fall.
    """
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    lead = 0
    while lead < len(lines) and not lines[lead].strip():
        lead += 1
    rests: list[str] = [""] * lead
    sep = like
    expected: int | None = None
    for line in lines[lead:]:
        match = _NUMBERED.match(line)
        if match is None:
            return None
        kind = _kind(match)
        number = int(match["number"])
        if sep is None:
            sep = kind
        follows = expected is None or (number == expected if like is None else number >= expected - 1)
        if kind != sep or not follows:
            return None
        expected = number + 1
        rests.append(line[match.end() :])
    if sep is None or expected is None:
        return None
    if text.endswith("\n"):
        rests.append("")
    return sep, rests


def _without_escapes(one: Repaired) -> Iterator[Repaired]:
    if "\\" in one.search:
        yield from _without_backslashes(one)
    if _ENTITY.search(one.search) and not re.search(r"[<>]", one.search):
        replace = one.replace
        if not re.search(r"[<>]", replace):
            replace = _ENTITY.sub(lambda match: _ENTITIES[match[1]], replace)
        search = _ENTITY.sub(lambda match: _ENTITIES[match[1]], one.search)
        yield Repaired(search, replace, (*one.what, "undid one level of escaping (entities)"))


def _without_backslashes(one: Repaired) -> Iterator[Repaired]:
    what = (*one.what, "undid one level of escaping")
    damaged = "\n" not in one.replace.strip("\n")
    search, replace = _unescaped(one.search), _unescaped(one.replace) if damaged else None
    if search is not None and search != one.search and (replace is not None or not _is_broken(one.replace)):
        yield Repaired(search, one.replace if replace is None else replace, what)
    if not _is_broken(one.search):
        return
    # Escapes between quotes may be the text's own; which they are, the search text must tell.
    inside, outside = _broken(one.search), _broken_outside_quotes(one.search)
    mine, theirs = _broken(one.replace), _broken_outside_quotes(one.replace)
    if not damaged:
        mine = theirs = one.replace
    if inside != outside:
        yield Repaired(outside, theirs, what)
    if inside != outside or mine == theirs:
        yield Repaired(inside, mine, what)


def _is_broken(text: str) -> bool:
    """Whether a text of one line says where its newlines were."""
    return "\\n" in text and "\n" not in text.strip("\n")


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


def _unescaped(text: str) -> str | None:
    """The text that these are the escapes of; None if they are not those of a whole string."""
    if re.search(r'(?<!\\)(?:\\\\)*"', text.strip("\n")):
        return None  # a bare quote: not escaped throughout
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
