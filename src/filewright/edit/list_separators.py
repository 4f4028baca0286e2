"""Separators between members of a list: commas of JSON, of an enum, of a table.

A member is edited by its lines, but the comma behind it belongs to the list. A text
that takes the place of a member keeps the separator that is there, and a text beside a
member gets one. Where another member becomes the last, the separator of the one before
it changes. Whether the last member has a separator stays as it is.

`ListEdits` is told first of all edits of members in a call (`delete`, `replace`,
`insert`). Then it returns each text with its separator (`with_separator`), and the
lines of other members that change (`other_lines`).
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
from filewright.structure.outline import Outline
from filewright.structure.symbol import Symbol
from filewright.text.snapshot import Snapshot

# The next member is looked for in so many bytes behind a member.
_MAX_GAP_BYTES: Final = 64 << 10
# Lines above a member in which the separator before it is looked for.
_MAX_LINES_ABOVE: Final = 50
_CLOSERS: Final = ")]}"
# The end of a line: a comma behind it belongs to the line of the next member.
_BREAK: Final = re.compile(r"[\r\n]")

# Strings are one token, so that a comma in `"a, b"` is no separator. All repetitions
# are possessive: a quote that is never closed must not be tried at every length.
_STRINGS: Final = (
    r"\"(?:\\.|[^\"\\])*+\"|'(?:\\.|[^'\\\n])*+'|`(?:\\.|[^`\\])*+`"
)
# Comments by the mark that most languages of their family use: in `b # c, d` only `b`
# is code.
_COMMENTS: Final = {
    "//": r"//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/",
    "#": r"#[^\n]*+",
}
_COMMENTS["--"] = r"--\[\[.*?\]\]|--[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/"
_WITH_HASH: Final = frozenset(
    [
        Language.PYTHON,
        Language.RUBY,
        Language.YAML,
        Language.TOML,
        Language.BASH,
    ]
)
_WITH_DASHES: Final = frozenset([Language.SQL, Language.LUA])
# One token of code: `space` is whitespace or a comment, `solid` anything else.
_TOKENS: Final = {
    mark: re.compile(rf"(?s:(?P<space>\s++|{comment})|(?P<solid>{_STRINGS}|.))")
    for mark, comment in _COMMENTS.items()
}


def _find_solids(text: str, language: str | None) -> Iterator[re.Match[str]]:
    """Yield the text that is neither whitespace nor a comment.

    Strings are yielded whole, everything else by its characters.
    """
    if language in _WITH_HASH:
        comment_mark = "#"
    elif language in _WITH_DASHES:
        comment_mark = "--"
    else:
        comment_mark = "//"
    for token in _TOKENS[comment_mark].finditer(text):
        if token["solid"] is not None:
            yield token


@dataclass(frozen=True, slots=True)
class _Separator:
    """A separator, or the place for one.

    `line` counts from 1, `column` in characters, and `text` is empty for none.
    """

    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of a list, with the separator behind it.

    Nothing follows the last member in its list. `is_next_known` says that the next
    symbol follows directly, and `leads` that the comma is on the line of the next one.
    """

    symbol: Symbol
    end: _Separator
    is_last: bool
    is_next_known: bool
    leads: bool


@dataclass(frozen=True, slots=True)
class OtherLine:
    """A line of another member that changes with edit number `edit`."""

    edit: int
    line: int
    text: str


class ListEdits:
    """The edits of one call that go to members of lists, of one text."""

    def __init__(
        self, snapshot: Snapshot, outline: Outline, display_path: str
    ) -> None:
        self._snapshot = snapshot
        self._outline = outline
        self._display_path = display_path
        # Both by the offset at which a member starts: the place of a symbol is unique,
        # and its name is not.
        self._members: dict[int, _Member] = {}
        self._siblings: dict[int, tuple[tuple[Symbol, ...], int]] = {}
        # The numbers of the edits of a member, by its start.
        self._deleted: dict[int, int] = {}
        self._replaced: dict[int, int] = {}
        self._after: dict[int, list[int]] = defaultdict(list)
        self._before: dict[int, list[int]] = defaultdict(list)
        # The separators behind replaced symbols of no list, by the number of the edit.
        self._known_separators: dict[int, str] = {}

    # The edits of the call

    def delete(self, target: NamedSymbol, number: int) -> None:
        """Add the deletion of a symbol.

        Raise `invalid_input` if its separator cannot be determined.
        """
        if self._is_member(target):
            self._require_own_lines(target.symbol)
            self._deleted[target.symbol.start] = number

    def replace(self, target: NamedSymbol, number: int) -> None:
        """Add the replacement of a symbol's text."""
        if self._is_member(target):
            self._require_own_lines(target.symbol)
            self._replaced[target.symbol.start] = number
            return
        # A field that no list holds may still end with a semicolon behind its range,
        # which a replacement must neither lose nor double.
        behind = self._text_behind(target.symbol)
        first = next(_find_solids(behind, self._outline.language), None)
        if (
            first is not None
            and first[0] in ",;"
            and not _BREAK.search(behind, 0, first.start())
        ):
            self._known_separators[number] = first[0]

    def insert(self, target: NamedSymbol, number: int, *, after: bool) -> None:
        """Add the insertion of a text before or after a symbol."""
        if not self._is_member(target):
            return
        insertions = self._after if after else self._before
        insertions[target.symbol.start].append(number)

    # Their effects

    def with_separator(self, number: int, text: str) -> str:
        """Return the text of an edit with the separator that it needs where it goes."""
        existing = self._known_separators.get(number)
        separator = self._required_separator(number)
        if existing is None and separator is None:
            return text
        solids = list(_find_solids(text, self._outline.language))
        if not solids:
            return text
        last = solids[-1]
        own = last[0] if last[0] in ",;" else ""
        if separator is None:
            # A symbol of no list: keep the separator in the file if the text has none.
            separator = own or existing or ""
        end = last.start() if own else last.end()
        return text[:end] + separator + text[last.end() :]

    def other_lines(self) -> list[OtherLine]:
        """Return the lines of members that stay and whose separator changes."""
        lines: dict[int, OtherLine] = {}
        for start, number in self._deleted.items():
            if not self._is_followed(start):
                self._end_list_before(start, number, lines)
        for start, numbers in self._after.items():
            if start not in self._deleted and start not in self._replaced:
                self._correct_separator(start, numbers[0], lines)
        return list(lines.values())

    def _end_list_before(
        self, start: int, number: int, lines: dict[int, OtherLine]
    ) -> None:
        """Correct the separator of the member that becomes the last of its list.

        `start` is that of a deleted member behind which nothing follows any more.
        """
        # Members that are deleted too cannot become the last one.
        last = self._previous(start)
        while (
            last is not None
            and last.start in self._deleted
            and not self._has_insertion_behind(last.start)
        ):
            last = self._previous(last.start)
        if last is None:
            self._end_list_before_unknown(start, number, lines)
            return
        is_replaced = last.start in self._replaced
        if not is_replaced and not self._has_insertion_behind(last.start):
            self._correct_separator(last.start, number, lines)

    def _correct_separator(
        self, start: int, number: int, lines: dict[int, OtherLine]
    ) -> None:
        """Give a member that stays the separator that it needs now."""
        member = self._member(start)
        separator = self._separator_of(
            start, is_followed=self._is_followed(start)
        )
        if member.end.text != separator:
            lines[start] = self._line_with(member.end, separator, number)

    def _line_with(
        self, place: _Separator, separator: str, number: int
    ) -> OtherLine:
        """Return a line with `separator` in the place of its separator."""
        line = self._line(place.line)
        rest = line[place.column + len(place.text) :]
        return OtherLine(
            number, place.line, line[: place.column] + separator + rest
        )

    def _end_list_before_unknown(
        self, start: int, number: int, lines: dict[int, OtherLine]
    ) -> None:
        """Correct the separator before deleted members that no known member precedes.

        All members from the first of them to the end of the list are deleted.
        """
        siblings, index = self._siblings[start]
        while (
            index
            and siblings[index - 1].start in self._deleted
            and self._is_followed_by_next(siblings, index - 1)
        ):
            index -= 1
        first = siblings[index]
        last_separator = self._last_separator(start)
        above = self._line_before(first)
        # A list that ends with a comma may end with the comma of another member.
        if above is None or last_separator == ",":
            return
        if self._has_insertion_before(first.start):
            return
        line, text = above
        solids = list(_find_solids(text, self._outline.language))
        if not solids or solids[-1][0] in "{([":
            # The list becomes empty. A semicolon alone is the separator of nothing.
            if last_separator == ";":
                raise self._unclear_separator(first)
            return
        # Code that is no member precedes them, without a comma that could change.
        if solids[-1][0] != ",":
            raise self._unclear_separator(first)
        comma = _Separator(line, solids[-1].start(), ",")
        lines[start] = self._line_with(comma, last_separator, number)

    # The members

    def _is_member(self, target: NamedSymbol) -> bool:
        """Return True if a symbol is in a list, and remember its neighbours.

        Raise `invalid_input` for a list whose separators begin the lines: no line can
        be taken out of it.
        """
        symbol = target.symbol
        if not symbol.is_list_item:
            return False
        around = (
            target.ancestors[-1].children
            if target.ancestors
            else self._outline.symbols
        )
        siblings = tuple(sibling for sibling in around if sibling.is_list_item)
        for index, sibling in enumerate(siblings):
            self._siblings[sibling.start] = siblings, index
        if self._member(symbol.start).leads:
            raise self._unclear_separator(symbol)
        return True

    def _unclear_separator(self, symbol: Symbol) -> FilewrightError:
        """Return the error for a member whose separator is not on its lines."""
        return invalid(
            f"it is unclear which separator belongs to {symbol.name} in "
            f"{self._display_path}",
            "give the text as search, with the separators around it",
        )

    def _require_own_lines(self, symbol: Symbol) -> None:
        """Raise `invalid_input` if other code is on the lines of a member.

        It would be deleted with the member.
        """
        end = self._member(symbol.start).end
        column = self._column(symbol.block_start_line, symbol.block_start)
        before = self._line(symbol.block_start_line)[:column]
        behind = self._line(symbol.end_line)[end.column + len(end.text) :]
        has_code_behind = any(_find_solids(behind, self._outline.language))
        if before.strip() or has_code_behind:
            raise invalid(
                f"{symbol.name} shares a line with other code in "
                f"{self._display_path}",
                "give its text as search, or the neighbouring text for an "
                "insertion",
            )

    def _member(self, start: int) -> _Member:
        """Return the member that starts at an offset."""
        if start not in self._members:
            siblings, index = self._siblings[start]
            following = (
                siblings[index + 1] if index + 1 < len(siblings) else None
            )
            self._members[start] = self._describe_member(
                siblings[index], following
            )
        return self._members[start]

    def _describe_member(
        self, symbol: Symbol, following: Symbol | None
    ) -> _Member:
        """Return a member with the separator behind it, and what follows that."""
        behind = self._text_behind(symbol)
        solids = _find_solids(behind, self._outline.language)
        token = next(solids, None)
        column = self._column(symbol.end_line, symbol.end)
        end = _Separator(symbol.end_line, column, "")
        leads = False
        if token is not None and token[0] in ",;":
            separator = token
            is_below = _BREAK.search(behind, 0, separator.start()) is not None
            leads = is_below and separator[0] == ","
            if not is_below:
                place = column + separator.start()
                end = _Separator(symbol.end_line, place, separator[0])
            # A semicolon ends the list.
            token = None if separator[0] == ";" else next(solids, None)
        if token is None or token[0] in _CLOSERS or token[0] == ";":
            return _Member(symbol, end, True, False, leads)
        is_next_known = False
        if following is not None:
            # An item that is no symbol, such as a spread, may come before the next one.
            gap = behind[: token.start()].encode(self._codec, "surrogateescape")
            next_start = symbol.end + len(gap)
            is_next_known = (
                following.block_start <= next_start <= following.start
            )
        return _Member(symbol, end, False, is_next_known, leads)

    def _is_followed_by_next(
        self, siblings: tuple[Symbol, ...], index: int
    ) -> bool:
        """Return True if the next symbol follows a member directly, in its list."""
        member = self._member(siblings[index].start)
        return not member.is_last and member.is_next_known

    def _next(self, start: int) -> Symbol | None:
        """Return the next member of the list, or None."""
        siblings, index = self._siblings[start]
        if self._is_followed_by_next(siblings, index):
            return siblings[index + 1]
        return None

    def _previous(self, start: int) -> Symbol | None:
        """Return the member of the list before a member, or None."""
        siblings, index = self._siblings[start]
        if index and self._is_followed_by_next(siblings, index - 1):
            return siblings[index - 1]
        return None

    def _has_insertion_before(self, start: int) -> bool:
        """Return True if something is put between a member and the one before it."""
        previous = self._previous(start)
        return bool(
            self._before.get(start)
            or (previous is not None and self._after.get(previous.start))
        )

    def _has_insertion_behind(self, start: int) -> bool:
        """Return True if something is put between a member and the next."""
        following = self._next(start)
        return bool(
            self._after.get(start)
            or (following is not None and self._before.get(following.start))
        )

    def _is_followed(self, start: int) -> bool:
        """Return True if anything follows a member in the list as it will be."""
        while not self._has_insertion_behind(start):
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

    def _required_separator(self, number: int) -> str | None:
        """Return the separator for the text of an edit; None outside a list."""
        for start, own_number in self._replaced.items():
            if own_number == number:
                is_followed = self._is_followed(start)
                return self._separator_of(start, is_followed=is_followed)
        for start, numbers in self._after.items():
            if number in numbers:
                is_followed = number != numbers[-1] or self._is_after_followed(
                    start
                )
                return self._separator_of(start, is_followed=is_followed)
        for start, numbers in self._before.items():
            if number in numbers:
                is_before_member = (
                    number != numbers[-1] or start not in self._deleted
                )
                is_followed = is_before_member or self._is_followed(start)
                return self._separator_of(start, is_followed=is_followed)
        return None

    def _separator_of(self, start: int, *, is_followed: bool) -> str:
        """Return the separator in the list of a member: a comma, or that of its end."""
        return "," if is_followed else self._last_separator(start)

    def _is_after_followed(self, start: int) -> bool:
        """Return True if anything follows the last text that is put behind a member."""
        following = self._next(start)
        if following is not None and self._before.get(following.start):
            return True
        return self._is_insertion_followed(start)

    def _is_insertion_followed(self, start: int) -> bool:
        """Return True if a member that stays follows a text behind a member."""
        following = self._next(start)
        if following is None:
            return not self._member(start).is_last
        is_deleted = following.start in self._deleted
        return not is_deleted or self._is_followed(following.start)

    # The text

    @property
    def _codec(self) -> str:
        """The name of the encoding."""
        return self._snapshot.encoding.name

    def _decode(self, content: bytes) -> str:
        """Return content as text; in most encodings each byte can be found again."""
        # Half of a surrogate pair in UTF-16 does not survive the way back to bytes.
        is_narrow = self._snapshot.encoding.unit_bytes == 1
        return content.decode(
            self._codec, "surrogateescape" if is_narrow else "replace"
        )

    def _text_behind(self, symbol: Symbol) -> str:
        """Return the text behind a symbol in which the next one is looked for."""
        length = min(_MAX_GAP_BYTES, self._snapshot.size - symbol.end)
        return self._decode(self._snapshot.read(symbol.end, length))

    def _line(self, number: int) -> str:
        """Return the text of a line without its terminator."""
        lines = self._snapshot.lines
        start, end = lines.offset_of(number), lines.offset_of(number + 1)
        text = self._decode(self._snapshot.read(start, end - start))
        return text.removesuffix("\n").removesuffix("\r")

    def _column(self, line: int, offset: int) -> int:
        """Return the column of an offset in its line, in characters."""
        start = self._snapshot.lines.offset_of(line)
        return len(self._decode(self._snapshot.read(start, offset - start)))

    def _line_before(self, symbol: Symbol) -> tuple[int, str] | None:
        """Return the nearest line above a member with anything but a comment on it."""
        for number in range(
            symbol.block_start_line - 1,
            max(0, symbol.block_start_line - _MAX_LINES_ABOVE),
            -1,
        ):
            text = self._line(number)
            if (
                next(_find_solids(text, self._outline.language), None)
                is not None
            ):
                return number, text
        return None
