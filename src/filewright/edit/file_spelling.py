"""The file's spelling of a request's characters and gaps, as a loose match proves it.

A file may have curly quotes, no-break spaces or tabs where the request has plain quotes
and spaces. Each token of the search text stands for a token of the file, and shows how
the file spells it; new text of the same edit is spelled alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from filewright.edit.comparison import fold
from filewright.edit.tokens import Token, TokenPair
from filewright.text.spelling import PLAIN_CHARACTERS

_Piece = TypeVar("_Piece")


@dataclass(frozen=True, slots=True)
class Spelled:
    """A text in the file's spelling.

    `unproven` are pieces of it that the file spells otherwise, and for which the match
    does not show how.
    """

    text: str
    unproven: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _PlacedUnit:
    """A character with its neighbours: they tell an apostrophe from a quote."""

    unit: str
    touches_word_before: bool
    touches_word_behind: bool


class _Forms(Generic[_Piece]):
    """The file's forms of each piece of a request."""

    def __init__(self) -> None:
        self._forms: dict[_Piece, dict[str, None]] = {}

    def add(self, piece: _Piece, form: str) -> None:
        """Add a pair that the match compared as equal."""
        self._forms.setdefault(piece, {})[form] = None

    def of(self, piece: _Piece) -> tuple[str, ...]:
        """Return the forms of a piece, in order of the file."""
        return tuple(self._forms.get(piece, ()))

    def pieces(self) -> Iterable[_Piece]:
        """Return the pieces that have a form."""
        return self._forms.keys()


class FileSpelling:
    """The file's spelling of characters and gaps, from the lines of one match."""

    def __init__(
        self, lines: Iterable[Sequence[TokenPair]], *, is_prose: bool = False
    ) -> None:
        self.is_prose = is_prose
        self._unit_forms: _Forms[str] = _Forms()
        self._placed_unit_forms: _Forms[_PlacedUnit] = _Forms()
        self._gap_forms: _Forms[str] = _Forms()
        for line in lines:
            self._learn(line)
        self._plain_families = self._find_plain_families()

    def _learn(self, line: Sequence[TokenPair]) -> None:
        """Add the forms that one line of the match proves."""
        request_tokens = [pair.request for pair in line]
        for index, pair in enumerate(line):
            for unit, form in zip(
                pair.request.units, pair.file.units, strict=True
            ):
                self._unit_forms.add(unit, form)
                self._placed_unit_forms.add(
                    _place_unit(unit, request_tokens, index), form
                )
            # Whitespace at the end of a line says nothing of whitespace inside of one.
            if index and not pair.request.ends_line:
                self._gap_forms.add(pair.request.gap, pair.file.gap)

    def _find_plain_families(self) -> set[str]:
        """Return the families that are typographic in the request alone."""
        plain: set[str] = set()
        typographic: set[str] = set()
        for unit in self._unit_forms.pieces():
            if unit in PLAIN_CHARACTERS:
                is_plain_in_file = self._unit_forms.of(unit) == (
                    PLAIN_CHARACTERS[unit],
                )
                if is_plain_in_file:
                    plain.add(_family_of(unit))
                else:
                    typographic.add(_family_of(unit))
        return plain - typographic

    def spell_token(self, tokens: Sequence[Token], index: int) -> Spelled:
        """Return the text of a new token, `tokens[index]`, as the file spells it."""
        pieces: list[str] = []
        unproven: list[str] = []
        for unit in tokens[index].units:
            form = self._find_form(_place_unit(unit, tokens, index))
            if form is not None:
                pieces.append(form)
                continue
            pieces.append(unit)
            if self._is_unproven(unit):
                unproven.append(unit)
        return Spelled("".join(pieces), tuple(unproven))

    def _find_form(self, place: _PlacedUnit) -> str | None:
        """Return the only form that the match proves for a character, or None."""
        unit = place.unit
        unit_forms = self._unit_forms.of(unit)
        placed_forms = self._placed_unit_forms.of(place)
        # One quote has two curly forms, which differ by the words beside it.
        forms = placed_forms if len(placed_forms) == 1 else unit_forms
        # In code a quote of another shape is no quote: new code must not get one
        # because a string nearby has it.
        if len(forms) == 1 and (
            self.is_prose or forms[0] not in PLAIN_CHARACTERS
        ):
            return forms[0]
        # The search text has no such quote, but its other curly quotes are plain in the
        # file: so is this one.
        is_plain_in_file = (
            unit in PLAIN_CHARACTERS
            and _family_of(unit) in self._plain_families
        )
        if not unit_forms and is_plain_in_file:
            return PLAIN_CHARACTERS[unit]
        return None

    def _is_unproven(self, unit: str) -> bool:
        """Return True if the file spells a character in another way."""
        forms = self._unit_forms.of(unit)
        if forms:
            return unit not in forms
        return unit in PLAIN_CHARACTERS and bool(self._plain_families)

    def spell_gap(self, gap: str) -> Spelled:
        """Return whitespace inside a line as the file writes it, tabs or spaces.

        The number of spaces shows how columns are aligned, and proves nothing of other
        lines.
        """
        forms = self._gap_forms.of(gap)
        if not gap or all(_is_same_kind(form, gap) for form in forms):
            if forms and gap not in forms and not is_plain(gap):
                return Spelled(fold(gap))
            return Spelled(gap)
        if len(forms) == 1 and is_plain(forms[0]):
            return Spelled(forms[0])
        if gap not in forms:
            return Spelled(gap, (gap,))
        return Spelled(gap)


def is_plain(gap: str) -> bool:
    """Return True if whitespace has no character wider or narrower than common ones."""
    return not gap.strip(" \t\f\v")


def _is_same_kind(form: str, gap: str) -> bool:
    """Return True if two gaps are of one kind: tabs, or plain spaces."""
    return ("\t" in form) == ("\t" in gap) and is_plain(form)


def _family_of(character: str) -> str:
    """Return the family of a typographic character: quotes, or its plain form."""
    plain_form = PLAIN_CHARACTERS[character]
    return "quote" if plain_form in "\"'" else plain_form


def _place_unit(unit: str, tokens: Sequence[Token], index: int) -> _PlacedUnit:
    """Return a character of `tokens[index]` with the words that touch the token."""
    touches_before = (
        index > 0
        and not tokens[index].gap
        and tokens[index - 1].text[-1:].isalnum()
    )
    touches_behind = False
    if index + 1 < len(tokens):
        following = tokens[index + 1]
        touches_behind = not following.gap and following.text[:1].isalnum()
    return _PlacedUnit(unit, touches_before, touches_behind)
