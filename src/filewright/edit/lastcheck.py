"""The last check: what is looked at after every tier and repair, before anything is written.

Four rules, of which each is about what the request itself says, so that no tier and no repair can be wrong in
their way. A line that the request keeps is the file's line, byte for byte, wherever it goes. A new line's
indentation is one that either text holds, moved as all lines are. What is damaged in the search text is undone
in the replacement, and nothing else is. Damage that only the replacement has is refused. What breaks a rule is
an `UnclearError`: the place is certain, and the text is not.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from html import unescape
from itertools import pairwise

from filewright.edit.locate.elision import is_elision, says_omitted, stands_for_lines
from filewright.edit.locate.exact import find_exact
from filewright.edit.locate.fold import WHITESPACE, indent_of
from filewright.edit.locate.located import Insertion, Literal, Located, UnclearError, WholeLines
from filewright.edit.locate.prose import is_code
from filewright.edit.locate.repairs import (
    fence_at_edge,
    has_escaped_lines,
    numbers_of,
    without_number,
)
from filewright.edit.locate.request import is_blank
from filewright.edit.locate.source import FileText
from filewright.edit.visible import visible
from filewright.edit.write import words_shared, written
from filewright.errors import Code
from filewright.languages import Language
from filewright.text import PLAIN, Splice, apply, normalised

_WORD, _WORD_BYTES = re.compile(r"\w+"), 256
_LONGEST_INDENT = 1 << 16  # a line may be as long as the file
_ALIKE = 0.5
#: Languages in which an entity, a typographic quote or a number before a line is text.
_PROSE = frozenset(
    {
        Language.MARKDOWN, Language.TEXT, Language.LOG, Language.CSV, Language.TSV, Language.RESTRUCTURED_TEXT,
        Language.LATEX, Language.HTML, Language.XML, Language.VUE, Language.SVELTE, Language.PHP, Language.JSX,
        Language.TSX, Language.DIFF, Language.YAML,
    }
)  # fmt: skip
_TYPOGRAPHIC = {char: plain for char, plain in PLAIN.items() if plain in "\"'"}
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|#39|#x27|#34);")
_ESCAPED_QUOTE = re.compile(r"\\+([\"'])")


def checked(source: FileText, located: Located, *, literal: bool = False) -> tuple[Splice, ...]:
    """The splices of a located edit, unless a rule speaks against them; in order, none if it changes nothing.

    With `literal` the replacement is meant as it is, whatever it looks like. Raises `unencodable`, and
    `UnclearError` where nobody can say what is to be written.
    """
    if literal:
        return written(source, located)
    damage = _damage_alone(source, located)
    if damage is not None:
        what, line = damage
        raise UnclearError(
            Code.INVALID_INPUT,
            f"the replacement holds {what} that neither the file nor the search text has, and it would be written "
            f"as it is: {visible(line)}",
            "send the whole text that is meant; with fuzzy=false the replacement is written as it is",
        )
    for part in located.parts[:1]:
        if isinstance(part, Literal) and not located.edit.replace_all:
            _check_indent(source, part)
            _check_word(source, part)
    splices = written(source, located)
    for part in located.parts:
        if isinstance(part, WholeLines):
            _check_lines(source, located, part, splices)
    return splices


def _check_lines(source: FileText, located: Located, part: WholeLines, splices: Sequence[Splice]) -> None:
    """Compare what stands in the region afterwards with what the request says of it, line by line."""
    start, end = part.span.start, part.span.end
    inside = [
        Splice(splice.offset - start, splice.length, splice.replacement)
        for splice in splices
        if start <= splice.offset and splice.end <= end
    ]
    made = [
        line
        for line in normalised(source.text(apply(source.read(start, end), inside))).split("\n")
        if not is_blank(line)
    ]
    asked, found, wanted = part.search.solid, part.region.texts, part.replace.solid
    kept = Counter(asked) & Counter(wanted)
    left = Counter(made)
    there: dict[str, Counter[str]] = defaultdict(Counter)
    for text, line in zip(asked, found, strict=True):
        there[text][line] += 1
    for text, count in kept.items():
        if sum(min(left[line], own) for line, own in there[text].items()) < count:
            raise _another(text)
    if located.repairs:
        # What the replacement has as the file has it was never damaged.
        for text, count in (Counter(located.edit.replace.split("\n")) & Counter(found)).items():
            if left[text] < count:
                raise _another(text)
    if len(made) != len(wanted):
        return
    steps = _steps(located, part)
    if steps is not None:
        for at, (line, text) in enumerate(zip(made, wanted, strict=True)):
            if text in kept or indent_of(text) in part.region.indentation.known:
                continue
            if not _is_in_step(at, made, wanted, found, steps):
                raise UnclearError(
                    Code.AMBIGUOUS_MATCH,
                    f"nothing says how deep {text.strip()!r} belongs: it would be indented by "
                    f"{len(indent_of(line))}, as no line of the file or of the search text is",
                    "send search and replace with the file's own indentation",
                )
            if steps == (0, 0):
                break  # what is below the first is written as that is


def _another(text: str) -> UnclearError:
    return UnclearError(
        Code.AMBIGUOUS_MATCH,
        f"the search text is not as the file has it, and with what was looked past the line {visible(text)}, which "
        "the replacement keeps, would become another",
        "send search and replace exactly as the file has the text",
    )


def _steps(located: Located, part: WholeLines) -> tuple[int, int] | None:
    """How deep a block is in the request and in the file, where only one indent that was matched says so.

    0 and 0 where prefixes were taken away: then any step may be another separator. None where nothing is in doubt.
    """
    if any("number" in what for what in located.repairs):
        return 0, 0
    pairs = {(asked, there) for asked, there in part.region.indentation.known.items() if asked}
    if len(pairs) != 1 or part.region.indentation.known.get("") != "":
        return None
    ((asked, there),) = pairs
    return None if asked == there or "\t" in asked else (_width(asked), _width(there))


def _is_in_step(
    at: int,
    made: Sequence[str],
    wanted: Sequence[str],
    found: Sequence[str],
    steps: tuple[int, int],
) -> bool:
    """Whether a new line's indentation is one that the file has there, or a step from the line it is below."""
    own, mine = _width(made[at]), _width(wanted[at])
    if own in map(_width, found) and (steps == (0, 0) or mine != own):
        return True
    above = next((before for before in reversed(range(at)) if _width(wanted[before]) < mine), None)
    if above is None:
        return False
    deeper, asked = own - _width(made[above]), mine - _width(wanted[above])
    if steps == (0, 0):
        return deeper % 2 == 0 or deeper > 8 or wanted[at].lstrip().startswith("*")
    return (asked, deeper) == steps


def _width(line: str) -> int:
    return len(indent_of(line).expandtabs(4))


def _damage_alone(source: FileText, located: Located) -> tuple[str, str] | None:
    """What the replacement alone holds that no text of a person holds, and its line."""
    search, new = _texts(located)
    if search == new:
        return None
    asked, lines = search.split("\n"), new.split("\n")
    known = set(map(str.strip, asked)) - {""}
    lost = not known <= set(map(str.strip, lines))
    prose = source.language in _PROSE
    first = next((line for line in lines if line.strip()), "")
    for what, line in _of_all(source, located, search, new, prose=prose):
        return what, line or first
    for line in lines:
        text = line.strip()
        if text and text not in known:
            what = _of_line(source, line, asked, known, lost=lost, prose=prose)
            if what and not find_exact(source, text, 1):
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
            case Insertion():
                new = [part.text]
    return "\n".join(search), "\n".join(new)


def _of_all(
    source: FileText, located: Located, search: str, new: str, *, prose: bool
) -> Iterator[tuple[str, str]]:
    """Damage of a replacement as a whole."""
    asked, lines = search.split("\n"), [line for line in new.split("\n") if line.strip()]
    fence = "" if source.language is Language.MARKDOWN or fence_at_edge(search) else fence_at_edge(new)
    if fence and not find_exact(source, fence[:3], 1):
        yield "a code fence", ""
    numbers = numbers_of(new)
    if numbers is not None and numbers_of(search) is None and not any(map(numbers.is_alike, asked)):
        true = numbers.first == source.line_number(located.start)
        copied = not prose and numbers.is_displayed and _is_copy(numbers.rests, asked)
        if numbers.sure or true or copied:
            yield "line numbers", ""
    if "\n" not in new.strip("\n") and "\\" not in search and has_escaped_lines(new, asked):
        yield "an escaped newline", ""
    added = [line for line in lines if line.startswith("+")]
    gone = [line for line in lines if line.startswith("-") and line[1:].strip() in map(str.strip, asked)]
    others = [line for line in lines if line not in added and line not in gone]
    if (added or gone) and not re.search(r"^[+-]", search, re.MULTILINE):
        shifted = bool(others) and all(line.startswith(" ") for line in others)
        is_code = source.language not in (None, *_PROSE) and not _has_line(source, b"+")
        if (shifted or is_code) and (added or shifted):
            yield "the prefixes of a diff", (added or gone)[0]
    said = [line for line in asked if "\\n" in line]
    for one, other in pairwise(lines) if said else ():
        # A newline said in a string, that was made one.
        split = any(one.count(quote) % 2 and other.count(quote) % 2 for quote in "\"'")
        if (
            split
            and "\\n" not in one + other
            and any(words_shared(f"{one}\\n{other}", line) > _ALIKE for line in said)
        ):
            yield "a newline inside a string", one


def _is_copy(rests: Sequence[str], asked: Sequence[str]) -> bool:
    """Whether what stands behind numbers is what was asked for, or most of it."""
    solid = [line for line in asked if line.strip()]
    return any(words_shared(rest, line) > _ALIKE for rest in rests if rest.strip() for line in solid)


def _of_line(
    source: FileText, line: str, asked: Sequence[str], known: set[str], *, lost: bool, prose: bool
) -> str:
    """Damage of one line of a replacement; "" if there is none."""
    if says_omitted(line) or (source.language is not None and is_elision(line, source.language)):
        return "a marker for omitted text"
    if lost and stands_for_lines(line):
        return "a marker for omitted text"
    rest = without_number(line)
    if rest in known and not prose:
        return "line numbers"
    entity = _ENTITY.search(line)
    if entity and not any(map(_ENTITY.search, asked)):
        lone = not prose and not any(char in _ENTITY.sub("", line) for char in "<>&")
        if unescape(line).strip() in known or (lone and is_code(line, entity.start())):
            return "an escaped character"
    quote = _ESCAPED_QUOTE.search(line)
    if quote and not any(quote[0] in one for one in asked):
        plain = line.replace("\\", "")
        lone = quote[1] not in _ESCAPED_QUOTE.sub("", line) and source.language is not Language.BASH
        if plain.strip() in known or (lone and is_code(line, quote.start())):
            return "an escaped quote"
    for at, char in enumerate(line) if not line.isascii() else ():
        plain_quote = _TYPOGRAPHIC.get(char)
        alone = plain_quote and source.language and not prose and not any(char in one for one in asked)
        if alone and any(str(plain_quote) in one for one in asked) and is_code(line, at):
            return "" if find_exact(source, char, 1) else "a typographic quote"
    return ""


def _check_indent(source: FileText, part: Literal) -> None:
    """Refuse a text found inside a line that would put text of the line at another indent.

    The first line of the search text lacks some of its indent. Taken literally, the line would be
    moved, where the replacement has its indent, or another line before it; nobody asked for that.
    """
    first, *others = part.search.split("\n")
    row = source.row_at(part.span.start)
    if part.span.start - row.offset > _LONGEST_INDENT:
        return
    lead = source.text(source.read(row.offset, part.span.start))
    indent = lead + indent_of(first)
    if not lead or lead.strip(WHITESPACE) or not first.strip():
        return
    new, *more = part.replace.split("\n")
    moved = bool(new.strip()) and indent_of(new) == indent and indent != indent_of(first)
    moved = moved or (new.strip() == first.strip() and indent_of(new) != indent_of(first))
    for line in more:
        moved = moved or (line.strip() == first.strip() and line not in others and indent_of(line) != indent)
    if moved:
        raise UnclearError(
            Code.AMBIGUOUS_MATCH,
            f"the search text begins inside the indent of its line, and {first.strip()!r} would be moved",
            "send search and replace with the whole indent of their first line",
        )


def _check_word(source: FileText, part: Literal) -> None:
    """Refuse a text found inside a word of which the replacement has all: a part of the word would be there twice."""
    span, search = part.span, part.search
    head = tail = ""
    first, last = _WORD.match(search), _WORD.match(search[::-1])
    if first:
        before = _WORD.match(source.text(source.read(span.start - _WORD_BYTES, span.start))[::-1])
        head = before[0][::-1] + first[0] if before else ""
    if last:
        after = _WORD.match(source.text(source.read(span.end, span.end + _WORD_BYTES)))
        tail = last[0][::-1] + after[0] if after else ""
    if (head and part.replace.startswith(head)) or (tail and part.replace.endswith(tail)):
        word = head or tail
        raise UnclearError(
            Code.AMBIGUOUS_MATCH,
            f"the search text has only a part of the word {word!r}, and the replacement all of it",
            "send search and replace with the same parts of the line",
        )


def _has_line(source: FileText, prefix: bytes) -> bool:
    """Whether a line of a held file begins so; a larger one may have any."""
    return source.held is None or source.held.startswith(prefix) or b"\n" + prefix in source.held
