"""Separators between the members of a list: the commas between keys of JSON, members of an enum, columns of a table.

A member is edited by its lines, but the comma behind it belongs to the list. What is put in the place of a member keeps
the separator that is there, what is put beside one is given one, and where the last member goes or another becomes
the last, the separator of the one before it changes. Whether the last member has a separator stays as it is.

`ListEdits` is told first of all edits of members in a call; then it says which separator each text ends with
(`with_separator`), and which lines of other members change (`other_lines`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from filewright.errors import FilewrightError, invalid
from filewright.languages import Language
from filewright.structure.lookup import NamedSymbol
from filewright.structure.symbol import Outline, Symbol
from filewright.text.snapshot import Snapshot

_GAP_BYTES: Final = 64 << 10
"""Bytes behind a member in which the next one is looked for; what is longer is something else."""
_CLOSERS: Final = ")]}"
_BREAK: Final = re.compile(r"[\r\n]")

_STRINGS: Final = r"\"(?:\\.|[^\"\\])*+\"|'(?:\\.|[^'\\\n])*+'|`(?:\\.|[^`\\])*+`"
_COMMENTS: Final = {"//": r"//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/", "#": r"#[^\n]*+"}
_COMMENTS["--"] = r"--\[\[.*?\]\]|--[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/"
_WITH_HASH: Final = frozenset(
    [Language.PYTHON, Language.RUBY, Language.YAML, Language.TOML, Language.BASH]
)
_WITH_DASHES: Final = frozenset([Language.SQL, Language.LUA])
_TOKENS: Final = {
    mark: re.compile(rf"(?s:(?P<space>\s++|{comment})|(?P<solid>{_STRINGS}|.))")
    for mark, comment in _COMMENTS.items()
}


def _solids(text: str, language: str | None) -> Iterator[re.Match[str]]:
    """Yield what is neither white space nor a comment: strings whole, everything else by its characters."""
    mark = "#" if language in _WITH_HASH else "--" if language in _WITH_DASHES else "//"
    for token in _TOKENS[mark].finditer(text):
        if token["solid"] is not None:
            yield token


@dataclass(frozen=True, slots=True)
class _Mark:
    """A separator, or where one goes: a line from 1, a column in characters, and the separator ("" for none)."""

    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class _Member:
    """A member as it is. Behind the `last` nothing follows in the list; `is_next_known` is False before something
    that is no symbol. `before` is the separator before it where what precedes is no symbol."""

    symbol: Symbol
    end: _Mark
    is_last: bool
    is_next_known: bool
    leads: bool


@dataclass(frozen=True, slots=True)
class OtherLine:
    """A line that changes with an edit of another member: its number and its new text; `edit` is the edit's number."""

    edit: int
    line: int
    text: str


class ListEdits:
    """The edits of one call that go to members of lists, of one text."""

    def __init__(self, snapshot: Snapshot, outline: Outline, shown: str) -> None:
        self._snapshot = snapshot
        self._outline = outline
        self._shown = shown
        self._members: dict[int, _Member] = {}
        self._siblings: dict[int, tuple[tuple[Symbol, ...], int]] = {}
        self._deleted: dict[
            int, int
        ] = {}  # the start of a member, and the number of the edit
        self._replaced: dict[int, int] = {}
        self._after: dict[int, list[int]] = defaultdict(list)
        self._before: dict[int, list[int]] = defaultdict(list)
        self._known_separators: dict[int, str] = {}

    # What the call asks for

    def delete(self, named: NamedSymbol, number: int) -> None:
        """Note that a symbol goes. Raises `invalid_input` where its separator cannot be told."""
        if self._is_member(named):
            self._require_own_lines(named.symbol)
            self._deleted[named.symbol.start] = number

    def replace(self, named: NamedSymbol, number: int) -> None:
        """Note that a symbol gets another text."""
        if self._is_member(named):
            self._require_own_lines(named.symbol)
            self._replaced[named.symbol.start] = number
            return
        behind = self._text_behind(named.symbol)
        first = next(_solids(behind, self._outline.language), None)
        if (
            first is not None
            and first[0] in ",;"
            and not _BREAK.search(behind, 0, first.start())
        ):
            self._known_separators[number] = first[0]

    def insert(self, named: NamedSymbol, number: int, *, after: bool) -> None:
        """Note that a text is put beside a symbol."""
        if self._is_member(named):
            (self._after if after else self._before)[named.symbol.start].append(number)

    # What follows from it

    def with_separator(self, number: int, text: str) -> str:
        """Return the text of an edit with the separator that it needs where it goes."""
        known = self._known_separators.get(number)
        wanted = self._wanted(number)
        if known is None and wanted is None:
            return text
        solids = list(_solids(text, self._outline.language))
        if not solids:
            return text
        last = solids[-1]
        own = last[0] if last[0] in ",;" else ""
        if wanted is None:  # of no list: what is there is kept, where the text has none
            wanted = own or known or ""
        start = last.start() if own else last.end()
        return text[:start] + wanted + text[last.end() :]

    def other_lines(self) -> list[OtherLine]:
        """Return the lines of members that stay, and whose separator changes."""
        made: dict[int, OtherLine] = {}
        for start, number in self._deleted.items():
            if self._is_anything_behind(start):
                continue
            kept = self._previous(start)
            while (
                kept is not None
                and kept.start in self._deleted
                and not self._inserted_behind(kept.start)
            ):
                kept = self._previous(kept.start)
            if (
                kept is None
                or self._inserted_behind(kept.start)
                or kept.start in self._replaced
            ):
                if kept is None:
                    self._end_before_unknown(start, number, made)
                continue
            self._change(kept.start, number, made)
        for start, numbers in self._after.items():
            if start not in self._deleted and start not in self._replaced:
                self._change(start, numbers[0], made)
        return list(made.values())

    def _change(self, start: int, number: int, made: dict[int, OtherLine]) -> None:
        """Give a member that stays the separator that it needs now."""
        member = self._member(start)
        wanted = "," if self._is_anything_behind(start) else self._last_separator(start)
        if member.end.text != wanted:
            made[start] = self._line_with(member.end, wanted, number)

    def _line_with(self, mark: _Mark, wanted: str, number: int) -> OtherLine:
        line = self._line(mark.line)
        text = line[: mark.column] + wanted + line[mark.column + len(mark.text) :]
        return OtherLine(number, mark.line, text)

    def _end_before_unknown(
        self, start: int, number: int, made: dict[int, OtherLine]
    ) -> None:
        """Take the separator before the first of the members that go at the end, if something else is before it."""
        siblings, index = self._siblings[start]
        while (
            index
            and siblings[index - 1].start in self._deleted
            and self._links(siblings, index - 1)
        ):
            index -= 1
        first = siblings[index]
        last_separator = self._last_separator(start)
        above = self._line_before(first)
        if above is None or last_separator == "," or self._inserted_before(first.start):
            return
        line, text = above
        solids = list(_solids(text, self._outline.language))
        if not solids or solids[-1][0] in "{([":
            if last_separator == ";":
                raise self._unclear(first)
            return
        if solids[-1][0] != ",":
            raise self._unclear(first)
        made[start] = self._line_with(
            _Mark(line, solids[-1].start(), ","), last_separator, number
        )

    # The members

    def _is_member(self, named: NamedSymbol) -> bool:
        """Return whether a symbol is in a list, and note its neighbours.

        Raises `invalid_input` for a list whose separators begin the lines, which no line can be taken out of.
        """
        symbol = named.symbol
        if not symbol.is_listed:
            return False
        around = named.around[-1].children if named.around else self._outline.symbols
        siblings = tuple(sibling for sibling in around if sibling.is_listed)
        for index, sibling in enumerate(siblings):
            self._siblings[sibling.start] = siblings, index
        if self._member(symbol.start).leads:
            raise self._unclear(symbol)
        return True

    def _unclear(self, symbol: Symbol) -> FilewrightError:
        return invalid(
            f"which separator belongs to {symbol.name} in {self._shown} cannot be told from its lines",
            "give the text as search, with the separators around it",
        )

    def _require_own_lines(self, symbol: Symbol) -> None:
        """Raise `invalid_input` where something else is on the lines of a member: it would go with it."""
        first = self._line(symbol.block_start_line)
        member = self._member(symbol.start)
        last = self._line(symbol.end_line)[member.end.column + len(member.end.text) :]
        column = self._column(symbol.block_start_line, symbol.block_start)
        if (
            first[:column].strip()
            or next(_solids(last, self._outline.language), None) is not None
        ):
            raise invalid(
                f"{symbol.name} is on a line with other code in {self._shown}",
                "give its text as search, or the text it is to be put beside",
            )

    def _member(self, start: int) -> _Member:
        if start not in self._members:
            siblings, index = self._siblings[start]
            following = siblings[index + 1] if index + 1 < len(siblings) else None
            self._members[start] = self._described(siblings[index], following)
        return self._members[start]

    def _described(self, symbol: Symbol, following: Symbol | None) -> _Member:
        behind = self._text_behind(symbol)
        solids = _solids(behind, self._outline.language)
        first = next(solids, None)
        column = self._column(symbol.end_line, symbol.end)
        end, leads = _Mark(symbol.end_line, column, ""), False
        token = first
        if first is not None and first[0] in ",;":
            is_below = _BREAK.search(behind, 0, first.start()) is not None
            if not is_below:
                end = _Mark(symbol.end_line, column + first.start(), first[0])
            leads = is_below and first[0] == ","
            token = None if first[0] == ";" else next(solids, None)
        is_last = token is None or token[0] in _CLOSERS or token[0] == ";"
        if token is not None and following is not None and not is_last:
            place = symbol.end + len(
                behind[: token.start()].encode(self._codec, "surrogateescape")
            )
            return _Member(
                symbol,
                end,
                False,
                following.block_start <= place <= following.start,
                leads,
            )
        return _Member(symbol, end, is_last, False, leads)

    def _links(self, siblings: tuple[Symbol, ...], index: int) -> bool:
        """Return whether the member at an index is followed right by the next symbol, in the same list."""
        member = self._member(siblings[index].start)
        return not member.is_last and member.is_next_known

    def _next(self, start: int) -> Symbol | None:
        siblings, index = self._siblings[start]
        return siblings[index + 1] if self._links(siblings, index) else None

    def _previous(self, start: int) -> Symbol | None:
        siblings, index = self._siblings[start]
        return (
            siblings[index - 1] if index and self._links(siblings, index - 1) else None
        )

    def _inserted_before(self, start: int) -> bool:
        """Return whether something is put between a member and the one before it."""
        previous = self._previous(start)
        return bool(
            self._before.get(start)
            or (previous is not None and self._after.get(previous.start))
        )

    def _inserted_behind(self, start: int) -> bool:
        """Return whether something is put between a member and the next."""
        following = self._next(start)
        return bool(
            self._after.get(start)
            or (following is not None and self._before.get(following.start))
        )

    def _is_anything_behind(self, start: int) -> bool:
        """Return whether anything follows a member in the list as it will be."""
        while not self._inserted_behind(start):
            member = self._member(start)
            following = self._next(start)
            if following is None:
                return not member.is_last
            if following.start not in self._deleted:
                return True
            start = following.start
        return True

    def _last_separator(self, start: int) -> str:
        """Return the separator that the last member of a list has."""
        while (following := self._next(start)) is not None:
            start = following.start
        member = self._member(start)
        return member.end.text if member.is_last else ","

    def _wanted(self, number: int) -> str | None:
        """Return the separator that the text of an edit ends with; None if it is of no list."""
        for start, own in self._replaced.items():
            if own == number:
                return (
                    ","
                    if self._is_anything_behind(start)
                    else self._last_separator(start)
                )
        for start, numbers in self._after.items():
            if number in numbers:
                following = self._next(start)
                is_followed = number != numbers[-1] or bool(
                    following is not None and self._before.get(following.start)
                )
                return (
                    ","
                    if is_followed or self._is_kept_behind(start)
                    else self._last_separator(start)
                )
        for start, numbers in self._before.items():
            if number in numbers:
                is_followed = number != numbers[-1] or start not in self._deleted
                return (
                    ","
                    if is_followed or self._is_anything_behind(start)
                    else self._last_separator(start)
                )
        return None

    def _is_kept_behind(self, start: int) -> bool:
        """Return whether anything follows what is put behind a member."""
        following = self._next(start)
        if following is None:
            return not self._member(start).is_last
        return following.start not in self._deleted or self._is_anything_behind(
            following.start
        )

    # The text

    @property
    def _codec(self) -> str:
        return self._snapshot.encoding.name

    def _text_behind(self, symbol: Symbol) -> str:
        data = self._snapshot.read(
            symbol.end, min(_GAP_BYTES, self._snapshot.size - symbol.end)
        )
        return data.decode(
            self._codec, "surrogateescape" if self._is_narrow else "replace"
        )

    @property
    def _is_narrow(self) -> bool:
        return self._snapshot.encoding.unit_bytes == 1

    def _line(self, number: int) -> str:
        lines = self._snapshot.lines
        start, end = lines.offset_of(number), lines.offset_of(number + 1)
        data = self._snapshot.read(start, end - start)
        text = data.decode(
            self._codec, "surrogateescape" if self._is_narrow else "replace"
        )
        return text.removesuffix("\n").removesuffix("\r")

    def _column(self, line: int, offset: int) -> int:
        start = self._snapshot.lines.offset_of(line)
        data = self._snapshot.read(start, offset - start)
        return len(
            data.decode(
                self._codec, "surrogateescape" if self._is_narrow else "replace"
            )
        )

    def _line_before(self, symbol: Symbol) -> tuple[int, str] | None:
        """Return the nearest line above a member with anything but a comment on it."""
        for number in range(
            symbol.block_start_line - 1, max(0, symbol.block_start_line - 50), -1
        ):
            text = self._line(number)
            if next(_solids(text, self._outline.language), None) is not None:
                return number, text
        return None
