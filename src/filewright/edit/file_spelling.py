"""The file's spelling of what a request writes, as a match shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from filewright.edit.comparison import fold
from filewright.edit.tokens import Token, TokenPair
from filewright.text.spelling import PLAIN


@dataclass
class _Forms:
    """The file's forms of each piece of a request."""

    known: dict[object, dict[str, None]] = field(default_factory=dict)

    def add(self, piece: object, form: str) -> None:
        """Add a pair that the match compared as equal."""
        self.known.setdefault(piece, {})[form] = None

    def of(self, piece: object) -> tuple[str, ...]:
        """Return the forms of a piece, in order of the file."""
        return tuple(self.known.get(piece, ()))


def is_plain(gap: str) -> bool:
    """Return whether whitespace has no character wider or narrower than common ones."""
    return not gap.strip(" \t\f\v")


class Spelling:
    """The file's spelling of the request's characters and gaps, as a match shows it."""

    def __init__(
        self, lines: Iterable[Sequence[TokenPair]], *, is_prose: bool = False
    ) -> None:
        # In code a quote of another shape is no quote: new text has one only where the language is prose.
        self.is_prose = is_prose
        self._units, self._placed, self._gaps = _Forms(), _Forms(), _Forms()
        for line in lines:
            asked = [pair.asked for pair in line]
            for index, pair in enumerate(line):
                for unit, form in zip(pair.asked.units, pair.there.units, strict=True):
                    self._units.add(unit, form)
                    self._placed.add((unit, *_beside(asked, index)), form)
                # Whitespace at the end of a line says nothing of whitespace inside.
                if index and not pair.asked.ends_line:
                    self._gaps.add(pair.asked.gap, pair.there.gap)
        self._plain_families = self._families()

    def _families(self) -> set[str]:
        """Return the families of typographic characters that the request has where the file is plain."""
        plain: set[str] = set()
        typographic: set[str] = set()
        for unit, forms in self._units.known.items():
            if isinstance(unit, str) and unit in PLAIN:
                (plain if [*forms] == [PLAIN[unit]] else typographic).add(_family(unit))
        return plain - typographic

    def text(self, tokens: Sequence[Token], index: int, unproven: list[str]) -> str:
        """Return a new token as the file spells it; what is not proven is added to `unproven`."""
        pieces: list[str] = []
        for unit in tokens[index].units:
            forms = self._units.of(unit)
            placed = self._placed.of((unit, *_beside(tokens, index)))
            known = placed if len(placed) == 1 else forms
            if len(known) == 1 and (self.is_prose or known[0] not in PLAIN):
                pieces.append(known[0])
            elif not forms and unit in PLAIN and _family(unit) in self._plain_families:
                pieces.append(PLAIN[unit])
            else:
                pieces.append(unit)
                if (forms and unit not in forms) or (
                    not forms and unit in PLAIN and self._plain_families
                ):
                    unproven.append(unit)
        return "".join(pieces)

    def gap(self, gap: str, unproven: list[str]) -> str:
        """Return whitespace inside a line as the file writes it: tabs for spaces, or the other way round.

        How many spaces there are shows how columns are aligned, and proves nothing of other lines.
        """
        forms = self._gaps.of(gap)
        if not gap or all(
            ("\t" in form) == ("\t" in gap) and is_plain(form) for form in forms
        ):
            return (
                fold(gap) if gap not in forms and not is_plain(gap) and forms else gap
            )
        if len(forms) == 1 and is_plain(forms[0]):
            return forms[0]
        if gap not in forms:
            unproven.append(gap)
        return gap


def _family(character: str) -> str:
    return "quote" if PLAIN[character] in "\"'" else PLAIN[character]


def _beside(tokens: Sequence[Token], index: int) -> tuple[bool, bool]:
    """Return whether a word touches a token on its left, and on its right: it tells an apostrophe from a quote."""
    left = index > 0 and not tokens[index].gap and tokens[index - 1].text[-1:].isalnum()
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    right = following is not None and not following.gap and following.text[:1].isalnum()
    return left, right
