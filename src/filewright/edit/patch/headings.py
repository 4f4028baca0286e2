"""The headings of the envelope: lines that stand above a hunk and say which of equal places is meant."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from filewright.edit.locate.fold import indent_of
from filewright.edit.patch.filelines import FileLines
from filewright.edit.patch.model import Hunk
from filewright.edit.patch.places import Options, Unplaced

#: Places looked at one by one for the heading they stand under.
_MOST = 2_000
#: Lines looked at between headings and places, in all, and at most between two of them.
_WORK, _FAR = 2_000_000, 20_000
#: Headings of how many different lengths may stand for the beginning of a line.
_LENGTHS = 50


class Headings:
    """Where the headings of a file's hunks stand; looked up once, when first needed."""

    def __init__(self, hunks: Sequence[Hunk], lines: FileLines) -> None:
        self._hunks = hunks
        self._lines = lines
        self._codec = lines.snapshot.encoding.name
        self._known: dict[str, list[int]] | None = None
        self._work = _WORK

    def below(self, hunk: Hunk, places: Options) -> Options | Unplaced:
        """Those of the places that stand below the hunk's headings, one inside the other.

        A single place needs the headings somewhere above it. Of several, one counts only where no
        line between the innermost heading and it ends what the heading begins.
        """
        if self._work < 0:
            return Unplaced(hunk, "too_alike")
        known = self._lines_named()
        above: list[int] = []
        for heading in hunk.headings:
            lines = known.get(heading.strip(), [])
            if above:
                inner = [at for at in lines[:_MOST] if self._is_inside(above, at)]
                above = inner or lines[bisect_right(lines, above[0]) :]
            else:
                above = lines
            if not above:
                return Unplaced(hunk, "heading", (), heading)
        if len(places) == 1:
            fitting = [at for at in places.starts if above[0] <= at]
            if not fitting:
                return Unplaced(hunk, "heading", tuple(at + 1 for at in above[:20]), hunk.headings[-1])
        else:
            fitting = [at for at in places.starts[:_MOST] if self._is_inside(above, at)]
            if not fitting or len(places) > _MOST:
                return Unplaced(hunk, "ambiguous_match", places.numbers())
        return places.only(fitting)

    def _lines_named(self) -> dict[str, list[int]]:
        """The lines that each heading of any hunk may name."""
        if self._known is None:
            wanted = {heading.strip() for hunk in self._hunks for heading in hunk.headings}
            whole: dict[str, list[int]] = {heading: [] for heading in wanted}
            begun: dict[str, list[int]] = {heading: [] for heading in wanted}
            lengths = sorted({len(heading) for heading in wanted})[:_LENGTHS]
            for first, bodies in self._lines.windows():
                for index, body in enumerate(bodies):
                    text = body.decode(self._codec, "replace").strip()
                    if text in wanted:
                        whole[text].append(first + index)
                        continue
                    for length in lengths:
                        if length >= len(text):
                            break
                        if text[:length] in wanted and not _is_word(text[length]):
                            begun[text[:length]].append(first + index)
            self._known = {heading: whole[heading] or begun[heading] for heading in wanted}
        return self._known

    def _is_inside(self, headings: list[int], at: int) -> bool:
        """Whether the nearest heading at or above line `at` holds it, by indentation."""
        index = bisect_left(headings, at + 1) - 1
        if index < 0:
            return False
        heading = headings[index]
        if heading == at:
            return True
        self._work -= at - heading
        if self._work < 0 or at - heading > _FAR:
            return False
        texts = [body.decode(self._codec, "replace") for body in self._lines.bodies(heading, at - heading)]
        depth = len(indent_of(texts[0]).expandtabs())
        return not any(
            text.strip() and len(indent_of(text).expandtabs()) <= depth and _is_word(text.strip()[0])
            for text in texts[1:]
        )


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
