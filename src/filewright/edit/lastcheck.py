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

from filewright.edit.filetext import FileText
from filewright.edit.find import Literal, Located, Merge, Rows, UnclearError, WholeLines, find_exact
from filewright.edit.locate.elision import is_elision, says_omitted, stands_for_lines
from filewright.edit.locate.indentation import Indentation
from filewright.edit.locate.prose import in_quotes, is_code
from filewright.edit.locate.repairs import (
    fence_at_edge,
    has_escaped_lines,
    numbers_of,
    without_number,
)
from filewright.edit.locate.request import WHITESPACE, indent_of, is_blank, width_of, words_shared
from filewright.edit.visible import visible
from filewright.edit.write import row_by_row, written
from filewright.errors import Code
from filewright.languages import Language
from filewright.text import PLAIN, Splice, apply, normalised

_WORD, _WORD_BYTES = re.compile(r"\w+"), 256
_LONGEST_INDENT = 1 << 16  # a line may be as long as the file
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
_LONE_BACKSLASH = re.compile(r"(?<!\\)\\(?!\\)")
_ESCAPED_QUOTE = re.compile(r"\\+([\"'])")


def checked(source: FileText, located: Located, *, literal: bool = False) -> tuple[Splice, ...]:
    """The splices of a located edit, unless a rule speaks against them; in order, none if it changes nothing.

    With `literal` the replacement is meant as it is, whatever it looks like. Raises `unencodable`, and
    `UnclearError` where nobody can say what is to be written.
    """
    if literal:
        return written(source, located.parts)
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
    parts = [row_by_row(part) if isinstance(part, WholeLines) else part for part in located.parts]
    splices = written(source, parts)
    for part in parts:
        if isinstance(part, Rows):
            _check_lines(source, located, part, splices)
    for part in located.parts if located.repairs else ():
        if isinstance(part, WholeLines | Literal):
            _check_undone(source, located, part)
    return splices


def _check_undone(source: FileText, located: Located, part: WholeLines | Literal) -> None:
    """Compare the replacement before and after a repair with the file: what it has as the file has it, was whole."""
    found = _solid(normalised(source.text(source.read(part.span.start, part.span.end))))
    raw = _solid(located.edit.replace)
    wanted = list(part.replace.solid) if isinstance(part, WholeLines) else _solid(part.replace)
    for line in wanted:
        bare = line.replace("\\", "")
        like = [one for one in found if words_shared(bare, one.replace("\\", "")) > _MUCH_ALIKE]
        doubled = line.replace("\\\\", "\\") in found  # And what was undone is one level more in both.
        if line not in found and (doubled or _is_nearer(line.replace("\\", "\\\\"), line, like)):
            raise _another(line)
    left = Counter(wanted)
    for text, count in (Counter(raw) & Counter(found)).items():
        if left[text] < count:
            raise _another(text)
    for line, text in zip(raw, wanted, strict=True) if len(raw) == len(wanted) else ():
        if "\\" in line and line != text and _is_nearer(line, text, found):
            raise _another(text)


def _solid(text: str) -> list[str]:
    return [line for line in text.split("\n") if not is_blank(line)]


def _check_lines(source: FileText, located: Located, part: Rows, splices: Sequence[Splice]) -> None:
    """Compare what stands in the region afterwards with what the request says of it, line by line."""
    texts = [source.text(row.body) for row in part.rows]
    pairs = [
        (text, texts[at])
        for text, at in zip(part.old, part.found, strict=True)
        if at is not None and not is_blank(text)
    ]
    asked, found = [text for text, _ in pairs], [there for _, there in pairs]
    wanted = [text for text in part.new if not is_blank(text)]
    indentation = part.indentation
    start, end = part.span.start, part.span.end
    inside = [
        Splice(splice.offset - start, splice.length, splice.replacement)
        for splice in splices
        if start <= splice.offset and splice.end <= end
    ]
    made = _solid(normalised(source.text(apply(source.read(start, end), inside))))
    kept = Counter(asked) & Counter(wanted)
    left = Counter(made)
    there: dict[str, Counter[str]] = defaultdict(Counter)
    for text, line in zip(asked, found, strict=True):
        there[text][line] += 1
    for text, count in kept.items():
        if sum(min(left[line], own) for line, own in there[text].items()) < count:
            raise _another(text)
    if len(made) != len(wanted) or indentation is None:
        return
    known = indentation.known
    if not indentation.same and _leaves_its_block(asked, wanted):
        raise UnclearError(
            Code.AMBIGUOUS_MATCH,
            "the search text is indented otherwise than the file, and the replacement otherwise than the search text",
            "send search and replace with the file's own indentation",
        )
    doubtful = [text for text in wanted if text not in kept and indent_of(text) not in known]
    steps = _steps(source, located, indentation) if doubtful else None
    if steps is not None:
        for at, (line, text) in enumerate(zip(made, wanted, strict=True)):
            if text in kept or indent_of(text) in known:
                continue
            if not _is_in_step(at, made, wanted, found, steps):
                raise UnclearError(
                    Code.AMBIGUOUS_MATCH,
                    f"nothing says how deep {text.strip()!r} belongs: it would be indented by "
                    f"{len(indent_of(line))}, as no line of the file or of the search text is",
                    "send search and replace with the file's own indentation",
                )
            if not steps[0]:
                break  # what is below the first is written as that is


def _another(text: str) -> UnclearError:
    return UnclearError(
        Code.AMBIGUOUS_MATCH,
        f"the search text is not as the file has it, and with what was looked past the line {visible(text)}, which "
        "the replacement keeps, would become another",
        "send search and replace exactly as the file has the text",
    )


def _leaves_its_block(asked: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether of two lines that stay together the one further left is moved, and the other is not with it."""
    beside = {
        (one.strip(), other.strip()): (width_of(one), width_of(other)) for one, other in pairwise(asked)
    }
    for one, other in pairwise(wanted):
        before = beside.get((one.strip(), other.strip()))
        if before is not None and before[0] != before[1]:
            moved = width_of(one) - before[0], width_of(other) - before[1]
            if moved[before[0] > before[1]] and moved[0] != moved[1]:
                return True
    return False


def _steps(source: FileText, located: Located, indentation: Indentation) -> tuple[int, int] | None:
    """How deep a block is in the request (0: as in the file) and in the file; None where nothing is in doubt.

    Nothing is where no line is moved, unless prefixes were taken away: they may be set off otherwise in the
    replacement. Where the margin is the same in both, a block in the request is as deep as the first indent says.
    """
    known = indentation.known
    numbered = any("number" in what for what in located.repairs)
    pairs = [(asked, there) for asked, there in known.items() if asked]
    tabs = "\t" in "".join((*known, *known.values()))
    if not numbered and (indentation.same or tabs):
        return None
    if not numbered and pairs and known.get("") == "":
        return min((width_of(asked), width_of(there)) for asked, there in pairs)
    unit = source.indent_unit
    return 0, len(unit) if unit.strip("\t") else 2


def _is_in_step(
    at: int, made: Sequence[str], wanted: Sequence[str], found: Sequence[str], steps: tuple[int, int]
) -> bool:
    """Whether a new line's indentation is one that the file has there, or a step from the line it is below."""
    asked, deep = steps
    own, mine = width_of(made[at]), width_of(wanted[at])
    if indent_of(made[at]) in map(indent_of, found) and (not asked or mine != own):
        return True
    above = next((before for before in reversed(range(at)) if width_of(wanted[before]) < mine), None)
    if above is None and not at:
        return False
    above = at - 1 if above is None else above
    deeper = own - width_of(made[above])
    if not asked:
        return deeper % deep == 0 or deeper > 8 or wanted[at].lstrip().startswith("*")
    return (mine - width_of(wanted[above]), deeper) == steps


def _damage_alone(source: FileText, located: Located) -> tuple[str, str] | None:
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
    halved = line.replace("\\\\", "\\")
    if "\\\\" in halved and not _LONE_BACKSLASH.search(line) and _is_nearer(halved, line, asked):
        return "a doubled backslash"
    if line.endswith("\\\\") and in_quotes(line, len(line) - 2):
        return "a doubled backslash"
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
    moved = bool(new.strip()) and (new in others or (indent_of(new) == indent and indent != indent_of(first)))
    moved = moved or (new.strip() == first.strip() and indent_of(new) != indent_of(first))
    for line in more:
        given = indent_of(line)
        moved = moved or (line.strip() == first.strip() and line not in others and given != indent)
        # Of one line nothing says how those are indented that come behind it.
        moved = moved or (not "".join(others).strip() and bool(line.strip()) and given == indent_of(first))
    if moved:
        raise UnclearError(
            Code.AMBIGUOUS_MATCH,
            f"the search text begins inside the indent of its line, "
            f"and {first.strip()!r}, or a line beside it, would be moved",
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
