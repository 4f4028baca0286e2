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

from filewright.edit.filetext import FileText
from filewright.edit.find import Literal, Located, Merge, Rows, UnclearError, WholeLines, find_exact
from filewright.edit.locate.elision import is_elision, says_omitted, stands_for_lines
from filewright.edit.locate.prose import in_quotes, is_code
from filewright.edit.locate.request import indent_of, is_blank, words_shared
from filewright.edit.visible import visible
from filewright.errors import Code
from filewright.languages import Language
from filewright.text import PLAIN, normalised

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

_ALIKE, _MUCH_ALIKE = 0.5, 0.8
#: Languages in which an entity is text.
_MARKUP = frozenset(
    {
        *(Language.HTML, Language.XML, Language.VUE, Language.SVELTE),
        *(Language.PHP, Language.JSX, Language.TSX),
    }
)
#: Languages that are not code, and none, in which a plus or a typographic quote is text.
_PROSE = frozenset(
    {
        None,
        *(Language.MARKDOWN, Language.TEXT, Language.LOG, Language.CSV, Language.TSV, Language.LATEX),
        *(Language.RESTRUCTURED_TEXT, Language.DIFF, Language.YAML, *_MARKUP),
    }
)
_TYPOGRAPHIC = {char: plain for char, plain in PLAIN.items() if plain in "\"'"}
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|#39|#x27|#34);")
_ESCAPED_QUOTE = re.compile(r"\\+([\"'])")


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
    unquoted = re.sub(r"\\(?=[\"'])", "", text)
    pieces = [piece.replace("\\t", "").strip() for piece in unquoted.split("\\n")]
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


# Damage of the replacement


def check_repaired(source: FileText, located: Located) -> None:
    """Compare the replacement before and after a repair with the file: what it has as the file has it, was whole."""
    part = located.parts[0]
    assert isinstance(part, WholeLines | Literal)
    found = _solid(normalised(source.text(source.read(part.span.start, part.span.end))))
    raw = _solid(located.edit.replace)
    wanted = list(part.replace.solid) if isinstance(part, WholeLines) else _solid(part.replace)
    for line in wanted:
        bare = line.replace("\\", "")
        like = [one for one in found if words_shared(bare, one.replace("\\", "")) > _MUCH_ALIKE]
        doubled = line.replace("\\\\", "\\") in found  # And what was undone is one level more in both.
        if line not in found and (doubled or _is_nearer(line.replace("\\", "\\\\"), line, like)):
            raise _another(line)
    for line, text in zip(raw, wanted, strict=True) if len(raw) == len(wanted) else ():
        if "\\" in line and line != text and _is_nearer(line, text, found):
            raise _another(text)


def _another(text: str) -> UnclearError:
    return UnclearError(
        Code.AMBIGUOUS_MATCH,
        f"the search text is not as the file has it, and with what was looked past the line {visible(text)}, which "
        "the replacement keeps, would become another",
        "send search and replace exactly as the file has the text",
    )


def _solid(text: str) -> list[str]:
    return [line for line in text.split("\n") if not is_blank(line)]


def damage_alone(source: FileText, located: Located) -> tuple[str, str] | None:
    """What the replacement alone holds that no text of a person holds, and its line."""
    search, new = _texts(located)
    if search == new:
        return None
    asked, lines = search.split("\n"), new.split("\n")
    known = set(map(str.strip, asked)) - {""}
    lost = len(known.difference(map(str.strip, lines)))
    for damage in _of_all(source, located, search, new):
        return damage
    for line in lines:
        text = line.strip()
        if text and text not in known:
            what = _of_line(source, line, asked, known, lost=lost, repaired=bool(located.repairs))
            if what and (lost > 1 or not find_exact(source, text, 1)):
                return what, line
    return None


def _texts(located: Located) -> tuple[str, str]:
    """What an edit looks for and puts there, less what was repaired in both and the marks of an elision."""
    search: list[str] = []
    new: list[str] = []
    for part in located.parts[:1] if located.edit.replace_all else located.parts:
        match part:
            case Literal():
                search, new = [part.search], [part.replace]
            case WholeLines():
                search += part.search.lines
                new += (*part.replace.before, *part.replace.lines)
            case Rows():
                search += part.old
                new += part.new
            case Merge():
                new = [located.edit.replace] if located.edit.search == "" else []
    return "\n".join(search), "\n".join(new)


def _of_all(source: FileText, located: Located, search: str, new: str) -> Iterator[tuple[str, str]]:
    """Damage of a replacement as a whole, and the line that shows it."""
    asked, lines = search.split("\n"), [line for line in new.split("\n") if line.strip()]
    fence = "" if source.language is Language.MARKDOWN or fence_at_edge(search) else fence_at_edge(new)
    if fence and not find_exact(source, fence[:3], 1):
        yield "a code fence", lines[0]
    numbers = numbers_of(new)
    if numbers is not None and numbers_of(search) is None and not any(map(numbers.is_alike, asked)):
        copied = numbers.is_displayed and (source.language is not Language.YAML or len(numbers.rests) > 2)
        copied = copied and any(_is_nearer(rest, "", asked) for rest in numbers.rests)
        if numbers.sure or copied or numbers.first == source.line_number(located.start):
            yield "line numbers", lines[0]
    # No string goes on behind the end of a line, so a newline that is said there is in none.
    unended = source.language not in (*_PROSE, Language.BASH) and new.strip("\n").endswith("\\n") > (
        "\\n" in search
    )
    if "\n" not in new.strip("\n") and (unended or has_escaped_lines(new, asked)):
        yield "an escaped newline", lines[0]
    added = [line for line in lines if line.startswith("+")]
    gone = [
        line for line in lines if line.startswith("-") and line[1:] in asked and re.search("[A-Za-z]", line)
    ]
    if len(asked) > 1 and gone:
        yield "the prefixes of a diff", gone[0]
    if added and not re.search(r"^\+", search, re.MULTILINE):
        shifted = all(line.startswith((" ", "+")) for line in lines) and len(added) < len(lines)
        glued = source.language not in _PROSE - {Language.YAML} or any(
            re.match(r"\+(?:\S|$)", line) for line in added
        )
        nearer = any(_is_nearer(line[1:], line, asked) for line in added)
        if gone or shifted or nearer or (glued and not find_exact(source, "\n+", 1)):
            yield "the prefixes of a diff", added[0]
    if source.language not in _PROSE and ("\\n" in search or located.repairs):
        for line in lines:
            # What a string says was made the character itself.
            if line not in asked and (
                any(
                    quote in line and quote * 3 not in line and is_code(line, line.rfind(quote))
                    for quote in "\"'"
                )
                or (located.repairs and in_quotes(line, line.rfind("\t") + 1))
            ):
                yield "a newline or a tab inside a string", line


def _is_nearer(plain: str, line: str, asked: Sequence[str]) -> bool:
    """Whether a line without its damage is much like one that was asked for, and more so than with it."""
    if not plain.strip():
        return False
    return any(
        words_shared(plain, one) > max(_ALIKE, words_shared(line, one)) for one in asked if one.strip()
    )


def _of_line(
    source: FileText, line: str, asked: Sequence[str], known: set[str], *, lost: int, repaired: bool
) -> str:
    """Damage of one line of a replacement; "" if there is none."""
    if says_omitted(line) or (source.language is not None and is_elision(line, source.language)):
        return "a marker for omitted text"
    if lost and stands_for_lines(line):
        return "a marker for omitted text"
    if source.language is not Language.YAML and without_number(line) in known:
        return "line numbers"
    entity = None if source.language in _MARKUP else _ENTITY.search(line)
    plain = unescape(line) if entity else ""
    if plain.strip() in known:
        return "an escaped character"
    if entity and not any(entity[0] in one for one in asked):
        half = source.language is None and any(char in _ENTITY.sub("", line) for char in "<>&")
        at = entity.start()
        code = source.language not in _PROSE and is_code(line, at) and not re.search(r"</?\w", line)
        is_text = (
            half or in_quotes(line.replace("`", " "), at) or (not code and find_exact(source, entity[0], 1))
        )
        raw = [one for one in asked if unescape(entity[0]) in one]
        if not is_text or _is_nearer(plain, line, raw):
            return "an escaped character"
    return _escaped(source, line, asked, known, repaired=repaired) or _typographic(source, line, asked)


def _escaped(source: FileText, line: str, asked: Sequence[str], known: set[str], *, repaired: bool) -> str:
    """Quotes or backslashes of a line that are escaped once more than the text asked for has them."""
    if any(line.replace(sign, sign[1]).strip() in known for sign in ("\\'", '\\"')):
        return "an escaped quote"
    quote = _ESCAPED_QUOTE.search(line)
    if not quote or quote[1] in _ESCAPED_QUOTE.sub("", line):
        return ""
    plain = line.replace(f"\\{quote[1]}", quote[1])
    bare = [one for one in asked if quote[1] in _ESCAPED_QUOTE.sub("", one)]
    # No string of a line without a bare quote ends in that quote: nothing needs the backslash.
    if source.language in (*_PROSE, Language.BASH):
        needless = source.language is not Language.BASH and (repaired or is_code(line, quote.start()))
    else:
        needless = not in_quotes(line, quote.start()) or not find_exact(source, quote[0], 1)
    needless = needless and not any(quote[0] in one for one in asked)
    return "an escaped quote" if needless or _is_nearer(plain, line, bare) else ""


def _typographic(source: FileText, line: str, asked: Sequence[str]) -> str:
    """A quote of a word processor in code that has plain ones."""
    if line.isascii() or source.language in _PROSE:
        return ""
    for at, char in enumerate(line):
        plain = _TYPOGRAPHIC.get(char, "\n")
        if any(plain in one for one in asked) and not any(char in one for one in asked) and is_code(line, at):
            return "" if find_exact(source, char, 1) else "a typographic quote"
    return ""
