"""Damage that a request may carry, undone where the search text shows it, refused where the replacement alone has it.

*Repairs* (tier 4) are the request without what it carries as a whole. A repair is only a proposal: it counts where
the repaired search text then occurs in the file. The replacement either carries the same damage throughout and is
repaired with it, or carries none of it and stays as it is. Where it carries a part, nobody can say what is meant, and
the repair is dropped.

Why it cannot be wrong: the repaired search text is text that occurs in the file once, the damage has
no other meaning in the whole request (each kind below says what would give it one), and the same
repair made all of the replacement, or there was nothing in it to repair. Two repairs that both lead
somewhere must lead to the same bytes.

*Damage alone* is what no text of a person holds, and neither the file nor the search text does: it would be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from typing import NamedTuple

from filewright.edit.filetext import FileText, find_exact
from filewright.edit.locate.prose import in_quotes, is_code
from filewright.edit.locate.request import (
    ByteRange,
    Literal,
    Located,
    NewLines,
    RequestLines,
    Rows,
    UnclearError,
    WholeLines,
    indent_of,
    says_omitted,
    word_set,
    words_shared,
)
from filewright.edit.nearest import visible
from filewright.errors import Code
from filewright.languages import Language
from filewright.text import PLAIN, normalised

_NUMBERED = re.compile(
    r"[ \t]*+(?P<mark>L|[Ll]ine |\[)?[ \t]*+(?P<number>\d{1,9})"
    r"(?P<sep>\]?(?: *(?:->|=>)(?= |$)| *[→│|\t»›]|[:.)](?=[ \t]|$)|:|-(?=[ \t]|$)|(?<=\])(?= |$)|$))"
)
_PERHAPS_NUMBERED = re.compile(r"[ \t]*(?:L|[Ll]ine |\[)?\d+(?!\w)")
#: What only a display puts behind a number.
_SURE = ("→", "│", "|", "\t", "»", "›")
_FENCE = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})[^`]*")
_SIGN = re.compile(r"\\(.)", re.DOTALL)
_BREAK = re.compile(r"(?<!\\)\\([nt])")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\", "/": "/", "b": "\b", "f": "\f"}
_TYPOGRAPHIC = {char: plain for char, plain in PLAIN.items() if plain in "\"'"}
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|#39|#x27|#34);")
_ESCAPED_QUOTE = re.compile(r"\\+([\"'])")
#: What damage of a line has, besides numbers and the marks of an elision.
_SUSPECT = re.compile(r"[&\\\0]|[^\x00-\x7f]")
_UNESCAPED = "undid one level of escaping"
UNNUMBERED = "took away the line numbers"
_ALIKE, _MUCH_ALIKE = 0.5, 0.8

#: Languages in which an entity is text.
_MARKUP = frozenset(map(Language, word_set("html xml vue svelte php jsx tsx")))
#: Languages that are not code, and none, in which a plus or a typographic quote is text.
_PROSE = {None, *_MARKUP, *map(Language, word_set("markdown text log csv tsv latex rst diff yaml"))}
#: Languages in which a string with common quotes may go on in the next line.
_STRINGS_OF_LINES = frozenset(
    map(
        Language,
        word_set("rust ruby bash sql perl r elixir erlang clojure julia powershell lisp nix ocaml fsharp"),
    )
)


# Repairs


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
        bool(fence_at_edge(text))
        or bool(lines and 2 * numbered >= len(lines))
        or unescape(text) != text
        or _is_broken(text)
        or _ESCAPED_QUOTE.search(text) is not None
    )


def _without_fence(search: str, replacement: str) -> Iterator[Repaired]:
    """An outer fence: its first line opens it, its last closes it, and the replacement has both or none."""
    inner, new = _fenced(search), _fenced(replacement)
    if inner is not None and inner != search and new is not None:
        yield Repaired(inner, new, "took away the code fence around the text", whole_lines=True)


def _fenced(text: str) -> str | None:
    """The text inside its fence; the text itself if it has none; None if it has half of one."""
    lines = text.strip("\n").split("\n")
    fence = fence_at_edge(text)
    if not fence:
        return text
    closed = len(lines) > 1 and lines[-1].strip() == fence and _FENCE.fullmatch(lines[0])
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


def _without_numbers(search: str, replacement: str) -> Iterator[Repaired]:
    """Line numbers: consecutive on every line, and the file's own, or such as only a display writes."""
    mine = _numbers_of(search)
    if mine is None:
        return
    theirs = _numbers_of(replacement, like=mine.kind)
    if theirs is None:
        if any(_PERHAPS_NUMBERED.match(line) for line in replacement.split("\n")):
            return
    else:
        depths = {rest.strip(): len(indent_of(rest)) for rest in mine.rests if rest.strip()}
        moved = [
            len(indent_of(rest)) - depths[rest.strip()] for rest in theirs.rests if rest.strip() in depths
        ]
        if moved and all(moved) and (mine.depth != theirs.depth or all(columns % 2 for columns in moved)):
            return  # set off otherwise than the search text
    spaced = all(rest.startswith(" ") for rest in mine.rests if rest.strip())
    for pad in (" ", "") if spaced else ("",):
        yield Repaired(
            mine.text(pad),
            replacement if theirs is None else theirs.text(pad),
            UNNUMBERED,
            whole_lines=True,
            first_number=None if mine.sure else mine.first,
        )


def _kind(match: re.Match[str]) -> str:
    return f"{match['mark'] or ''}{match['sep']}"


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


def _without_backslashes(search: str, replacement: str) -> Iterator[Repaired]:
    """One level of escaping: of a text sent as one line all of it, as in JSON, or newlines; else quotes."""
    shown = {*_SIGN.findall(search)}
    whole = ({*shown, *'nt"\\'} & _ESCAPED.keys(), {*"nt"}) if _is_broken(search) else ()
    for signs in (*whole, shown & {*"\\\"'"}):
        plain, new = (_undone(text, signs, search) for text in (search, replacement))
        if plain is not None and new is not None:
            yield Repaired(plain, new, _UNESCAPED)


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


def _ends_in_code(text: str) -> list[int]:
    """Where the newlines end that a text of one line says outside of quotes and comments."""
    return [match.end() for match in _BREAK.finditer(text) if is_code(text, match.start())]


# The last check


def check(source: FileText, located: Located) -> None:
    """Refuse what would be written, and what nobody meant. Raises `UnclearError`."""
    for what, line in _alone(source, located):
        raise UnclearError(
            f"the replacement holds {what} that neither the file nor the search text has, and it would be written "
            f"as it is: {visible(line)}",
            "send the whole text that is meant; with fuzzy=false the replacement is written as it is",
            Code.INVALID_INPUT,
        )
    for text in _changed_by_repair(source, located) if located.repairs else ():
        raise UnclearError(
            "the search text is not as the file has it, and with what was looked past the line "
            f"{visible(text)}, which the replacement keeps, would become another",
            "send search and replace exactly as the file has the text",
        )


def _changed_by_repair(source: FileText, located: Located) -> Iterator[str]:
    """The lines of a repaired replacement that were as the file has them before, or more so."""
    part = located.parts[0]
    assert isinstance(part, WholeLines | Literal)
    found, raw = (
        RequestLines.of(normalised(text)).solid
        for text in (source.text(source.read(part.span.start, part.span.end)), located.edit.replace)
    )
    wanted = (part.replace if isinstance(part, WholeLines) else RequestLines.of(part.replace)).solid
    for line in wanted:
        bare = line.replace("\\", "")
        like = [one for one in found if words_shared(bare, one.replace("\\", "")) > _MUCH_ALIKE]
        doubled = line.replace("\\\\", "\\") in found  # and what was undone is one level more in both
        if line not in found and (doubled or _is_nearer(line.replace("\\", "\\\\"), line, like)):
            yield line
    for line, text in zip(raw, wanted, strict=True) if len(raw) == len(wanted) else ():
        if "\\" in line and line != text and _is_nearer(line, text, found):
            yield text


def _alone(source: FileText, located: Located) -> Iterator[tuple[str, str]]:
    """What the replacement alone holds that no text of a person holds, and its line."""
    # The lines looked for and put there, less what was repaired in both and the marks of an elision.
    asked: list[str] = []
    new: list[str] = []
    for part in located.parts[:1] if located.edit.replace_all else located.parts:
        match part:
            case Literal():
                asked, new = part.search.split("\n"), part.replace.split("\n")
            case WholeLines():
                asked += part.search.lines
                new += (*part.replace.before, *part.replace.lines)
            case Rows():
                asked += part.old
                new += part.new
            case NewLines(ByteRange(start, end)):
                new = located.edit.replace.split("\n") if start == end and not located.edit.search else []
    lines = [line for line in new if line.strip()]
    if asked == new or not lines:
        return
    yield from _of_all(source, located, asked, lines, "\n".join(new))
    known = set(map(str.strip, asked)) - {""}
    lost = len(known.difference(map(str.strip, new)))
    for line in lines:
        if line.strip() not in known:
            for what in _of_line(source, line, asked, known, lost=lost, repaired=bool(located.repairs)):
                yield what, line


def _of_all(
    source: FileText, located: Located, asked: Sequence[str], lines: Sequence[str], new: str
) -> Iterator[tuple[str, str]]:
    """Damage of a replacement as a whole, and the line that shows it."""
    search, language = "\n".join(asked), source.language
    for mark in ("```", "~~~") if language is not Language.MARKDOWN else ():
        alone = mark in new and fence_at_edge(new).startswith(mark) and not fence_at_edge(search)
        if alone and not find_exact(source, mark, 1):
            yield "a code fence", lines[0]
    if _NUMBERED.match(lines[0]) and _are_copied(source, located.span, asked, new):
        yield "line numbers", lines[0]
    if "\\n" in new and _has_escaped_lines(new, asked, language):
        yield "an escaped newline", lines[0]
    gone: list[str] = []
    added: list[str] = []
    for line in lines:
        if line[0] == "-" and line[1:] in asked and re.search("[A-Za-z]", line):
            gone.append(line)
        elif line[0] == "+":
            added.append(line)
    if gone and len(asked) > 1:
        yield "the prefixes of a diff", gone[0]
    if added and not any(line.startswith("+") for line in asked):
        shifted = all(line[0] in " +" for line in lines) and len(added) < len(lines)
        nearer = any(_is_nearer(line[1:], line, asked) for line in added)
        # A plus and one blank begin an item; in markup nothing else does that is deeper.
        item = r"\+ \S" if language in _MARKUP else r"\+[ \t]+\S"
        code = language not in _PROSE - {Language.YAML} or not all(re.match(item, line) for line in added)
        if gone or shifted or nearer or (code and not find_exact(source, "\n+", 1)):
            yield "the prefixes of a diff", added[0]
    unescaped = _UNESCAPED in located.repairs
    for line in lines if language not in _PROSE and ("\\n" in search or unescaped) else ():
        # What a string says was made the character itself.
        open_quote = language not in _STRINGS_OF_LINES and any(
            quote in line and quote * 3 not in line and is_code(line, line.rfind(quote)) for quote in "\"'"
        )
        if line not in asked and (open_quote or (unescaped and in_quotes(line, line.rfind("\t") + 1))):
            yield "a newline or a tab inside a string", line


def _are_copied(source: FileText, span: ByteRange, asked: Sequence[str], new: str) -> bool:
    """Whether a replacement whose first line begins with a number has the numbers of a display."""
    numbers = _numbers_of(new)
    # A list that lines are added to has numbers of its own.
    above = [source.text(source.row_at(span.start - 1).body)] if source.start < span.start == span.end else []
    if numbers is None or any(
        (match := _NUMBERED.match(one)) and _kind(match) in (numbers.kind, "") for one in (*asked, *above)
    ):
        return False
    if numbers.sure or numbers.first == source.line_number(span.start):
        return True
    # One key is text in a mapping; numbers before lines that are kept are none.
    is_key = source.language is Language.YAML and len(numbers.rests) <= 2
    likely = numbers.kind.endswith((*_SURE, ":")) and not is_key
    return likely and any(_is_nearer(rest, "", asked) for rest in numbers.rests)


def _has_escaped_lines(text: str, asked: Sequence[str], language: Language | None) -> bool:
    """Whether a text of one line says where newlines are: at its end, beside a line asked for, or outside of quotes."""
    if "\n" in text.strip("\n"):
        return False
    # No string goes on behind the end of a line, so a newline that is said there is in none.
    one_lined = language not in (*_PROSE, Language.BASH) and not any("\\n" in line for line in asked)
    if one_lined and text.strip("\n").endswith("\\n"):
        return True
    pieces = [piece.replace("\\t", "").strip() for piece in _ESCAPED_QUOTE.sub(r"\1", text).split("\\n")]
    solid = [line.strip() for line in asked if line.strip()]
    if len(solid) == 1 and _ends_in_code(solid[0]):
        return False
    return any(piece in solid for piece in pieces) or any(
        len(solid) > 1 or text[end : end + 2].isspace() for end in _ends_in_code(text)
    )


def _is_nearer(plain: str, line: str, asked: Sequence[str]) -> bool:
    """Whether a line without its damage is much like one that was asked for, and more so than with it."""
    return bool(plain.strip()) and any(
        words_shared(plain, one) > max(_ALIKE, words_shared(line, one)) for one in asked if one.strip()
    )


def _of_line(
    source: FileText, line: str, asked: Sequence[str], known: set[str], *, lost: int, repaired: bool
) -> Iterator[str]:
    """Damage of one line of a replacement, unless it is one of the file elsewhere."""
    language = source.language
    omitted = says_omitted(line, language, lost=lost > 0)
    number = None if language is Language.YAML else _NUMBERED.match(line)
    # Few lines may be damaged: for others the file need not be searched.
    if not (omitted or number or _SUSPECT.search(line)) or (
        lost <= 1 and find_exact(source, line.strip(), 1)
    ):
        return
    if omitted:
        yield "a marker for omitted text"
    if "\0" in line and not find_exact(source, "\0", 1):
        yield "a NUL"
    if number and line[number.end() :].strip() in known:
        # An item of a list is set off otherwise, and so is a key in a block.
        kind = _kind(number)
        if kind.endswith(_SURE) or (kind.endswith(":") and not line[0].isspace()):
            yield "line numbers"
    # What replaces another character on the way: in words, itself, the line without it, whether it may be text, and
    # the lines asked for that tell.
    signs: list[tuple[str, str, str, bool, Sequence[str]]] = []
    entity = None if language in _MARKUP else _ENTITY.search(line)
    if entity:
        sign, at = entity[0], entity.start()
        half = language is None and any(char in _ENTITY.sub("", line) for char in "<>&")
        code = language not in _PROSE and is_code(line, at) and not re.search(r"</?\w", line)
        is_text = (
            half or in_quotes(line.replace("`", " "), at) or (not code and bool(find_exact(source, sign, 1)))
        )
        alike = [one for one in asked if unescape(sign) in one]
        signs.append(("an escaped character", sign, unescape(line), is_text, alike))
    for quote in "\"'":
        sign = f"\\{quote}"
        at = line.find(sign)
        if at >= 0:
            # Of two that are on the line, one bare, the other may be in a string.
            bare = quote in line.replace(sign, "")
            if language in (*_PROSE, Language.BASH):
                is_text = language is Language.BASH or not (repaired or is_code(line, at))
            else:
                is_text = in_quotes(line, at) and bool(find_exact(source, sign, 1))
            plain = line.replace(sign, quote)
            signs.append(("an escaped quote", sign, plain, bare or is_text, () if bare else asked))
    for at, sign in enumerate(line) if not line.isascii() and language not in _PROSE else ():
        straight = _TYPOGRAPHIC.get(sign)
        if straight and any(straight in one for one in asked) and is_code(line, at):
            signs.append(("a typographic quote", sign, line, bool(find_exact(source, sign, 1)), ()))
    for what, sign, plain, is_text, tell in signs:
        new = not any(sign in one for one in asked)
        if plain.strip() in known or (new and (not is_text or _is_nearer(plain, line, tell))):
            yield what
