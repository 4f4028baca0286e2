"""The bytes that a file should have after another tool has edited it.

A client's own edit tool reads a file as text and writes it back as a whole, and
so may change bytes that its edit did not name: it replaces bytes that are not
UTF-8, unifies line ends, drops a byte-order mark. This module compares the
texts of the file before and after such an edit. Equal text gets its earlier
bytes back; text that differs was meant.

If the arguments of the tool describe the edit, our own engine applies it to the
earlier bytes. The result is the expected file. It decides where the comparison
alone cannot: if a line has lost its trailing blanks, it was damaged outside of
the edit, but inside of it this may be meant.

All functions here work on values: they read and write no files.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations

from rapidfuzz.distance import Indel

from filewright.edit.linediff import LineChange, align, diff_lines
from filewright.recording.damage import Damage, Healing
from filewright.recording.readings import (
    REPLACEMENT,
    FileReading,
    Unit,
    read_as_utf8,
    read_as_utf16,
    read_bytes,
    read_in,
    read_like,
    read_with_new_text,
)
from filewright.text.codec import Encoding
from filewright.text.spelling import PLAIN_CHARACTERS
from filewright.text.splice import Splice, apply_splices

MAX_ALIGNED_CHARACTERS = 20_000
"""The most characters of one change that are compared one by one."""
MAX_MERGED_CHARACTERS = 100_000
"""The most characters of changed lines that are kept with their bytes."""
MAX_MEASURED_CHARACTERS = 2_000_000
"""The most characters of changes whose distance is measured exactly."""

_PLAIN_FORMS = {
    ord(character): plain for character, plain in PLAIN_CHARACTERS.items()
}
_BLANKS = " \t\f\v"
_TOO_LARGE = "too many characters of neighbouring lines changed"
_CHARACTER = re.compile(r"\r\n|.", re.DOTALL)
_REPLACEMENT_BYTES = [
    REPLACEMENT.encode(codec) for codec in ("utf-8", "utf-16-le", "utf-16-be")
]
_RUN = re.compile(r"[ \t]+")


@dataclass(frozen=True, slots=True)
class Expected:
    """The file that an edit alone would have made.

    `new_spans` are the ordered byte ranges of the new text in the content.
    """

    content: bytes
    new_spans: tuple[tuple[int, int], ...] = ()

    def apply(self, splices: Sequence[Splice]) -> Expected:
        """Return the file after the ordered splices of a further replacement."""
        spans: list[tuple[int, int]] = []
        for start, end in self.new_spans:
            start_shift = end_shift = 0
            for splice in splices:
                growth = len(splice.replacement) - splice.length
                if splice.end <= start:
                    start_shift += growth
                if splice.offset < end:
                    end_shift += growth
            spans.append((start + start_shift, end + end_shift))
        shift = 0
        for splice in splices:
            start = splice.offset + shift
            spans.append((start, start + len(splice.replacement)))
            # Offsets of splices are those of the file before them.
            shift += len(splice.replacement) - splice.length
        content = apply_splices(self.content, splices)
        return Expected(content, tuple(sorted(spans)))


def heal(
    before: bytes,
    after: bytes,
    encoding: Encoding,
    expected: Expected | None = None,
) -> Healing:
    """Return the healing of a file that a tool changed to `after`.

    `encoding` is that of the file before. `expected` is the file that the edit
    alone would have made, if the arguments of the tool describe the edit.
    """
    if after == before:
        return Healing()
    if expected is not None and after == expected.content:
        return Healing()
    compared = _closest(Expected(before), after, encoding)
    content, doubt = None, ""
    if expected is not None:
        from_expected = _closest(expected, after, encoding)
        if _is_only_damaged(from_expected, expected):
            compared, content = from_expected, expected.content
        elif from_expected.distance <= compared.distance:
            # Else the tool understood its arguments in another way.
            compared = from_expected
    if content is None:
        content, doubt = _merge(compared, encoding)
    if content == after:
        return Healing(doubt=doubt)
    damage, lines = _classify(content, compared.original, compared.actual)
    return Healing(content, damage, lines, doubt, encoding.name)


# Comparing


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Two files in the reading in which they differ least, and the changes."""

    original: FileReading
    actual: FileReading
    changes: Sequence[LineChange]
    distance: int
    new_characters: int


def _closest(base: Expected, after: bytes, encoding: Encoding) -> _Comparison:
    """Compare two files in the reading in which their texts differ least."""
    before = base.content
    pairs: list[tuple[FileReading | None, FileReading | None]] = []
    actual_utf8 = read_as_utf8(after)
    own = read_in(before, encoding)
    # The tool may have rewritten the file as UTF-16, or as UTF-8.
    pairs.append((own, read_as_utf16(after)))
    if not encoding.is_utf8:
        pairs.append((own, read_in(after, encoding)))
        pairs.append((own, actual_utf8))
    if encoding.unit_bytes == 1 and actual_utf8.is_valid:
        read = read_as_utf8(before)
        if base.new_spans and not encoding.is_utf8:
            read = read_with_new_text(before, base.new_spans, encoding)
        pairs.append((read, actual_utf8))
    elif encoding.unit_bytes == 1:
        # A tool that writes what is not UTF-8 has kept the bytes.
        pairs.append((read_bytes(before), read_bytes(after)))
    comparisons = []
    for original, actual in pairs:
        if original is not None and actual is not None:
            comparisons.append(_compare(original, actual))
    if not comparisons:
        comparisons.append(_compare(read_as_utf8(before), actual_utf8))
    # If equal, the fewest characters: wrongly read UTF-8 has more.
    return min(
        comparisons,
        key=lambda comparison: (comparison.distance, comparison.new_characters),
    )


def _compare(original: FileReading, actual: FileReading) -> _Comparison:
    """Compare the lines of two readings."""
    line_changes = diff_lines(original.texts, actual.texts)
    distance = int(original.is_ended != actual.is_ended)
    characters = 0
    for change in line_changes:
        text = "\n".join(original.texts[change.start : change.end])
        actual_text = "\n".join(actual.texts[change.new_start : change.new_end])
        characters += len(actual_text)
        is_measured = (
            max(len(text), len(actual_text)) <= MAX_ALIGNED_CHARACTERS
            and characters <= MAX_MEASURED_CHARACTERS
        )
        if is_measured:
            distance += Indel.distance(text, actual_text)
        else:
            distance += len(text) + len(actual_text)
        # Counts twice: another reading may be able to read it.
        unreadable = actual_text.count(REPLACEMENT) - text.count(REPLACEMENT)
        distance += max(0, unreadable)
    return _Comparison(original, actual, line_changes, distance, characters)


# Damage outside of the edit


def _is_only_damaged(compared: _Comparison, expected: Expected) -> bool:
    """Return True if a file differs from the expected one by damage alone."""
    original, actual = compared.original, compared.actual
    touched = _touched_lines(original, expected.new_spans)
    # No damage but truncation adds or removes lines.
    if len(actual.texts) > len(original.texts):
        return False
    missing = range(len(actual.texts), len(original.texts))
    if not touched.isdisjoint(missing):
        return False
    # By number: alignment might pair lines that damage made equal.
    pairs = zip(original.texts, actual.texts, strict=False)
    for number, (text, actual_text) in enumerate(pairs):
        if text == actual_text:
            continue
        kinds = _line_damage(text, actual_text)
        if kinds and (number not in touched or kinds == [Damage.ENCODING]):
            continue
        # The tool may have read up to a byte inside of a line.
        is_cut = number == len(actual.texts) - 1 and text.startswith(
            actual_text.rstrip(REPLACEMENT)
        )
        if number in touched or not missing or not is_cut:
            return False
    return True


def _touched_lines(
    original: FileReading, new_spans: Sequence[tuple[int, int]]
) -> set[int]:
    """Return the numbers of the lines that hold new text."""
    touched: set[int] = set()
    offset = len(original.bom)
    pending = iter(new_spans)
    span = next(pending, None)
    for number, line in enumerate(original.lines):
        end = offset + len(line)
        while span is not None and span[1] <= offset:
            span = next(pending, None)
        if span is None:
            break
        if span[0] < end:
            touched.add(number)
        offset = end
    return touched


@dataclass(frozen=True, slots=True)
class _LineParts:
    """A line, divided into indentation, text and trailing blanks."""

    indent: str
    text: str
    tail: str

    @classmethod
    def split(cls, line: str) -> _LineParts:
        """Divide a line. A line of blanks alone has no indentation."""
        text = line.strip(_BLANKS)
        if not text:
            return cls("", "", line)
        start = line.index(text)
        return cls(line[:start], text, line[start + len(text) :])


def _line_damage(original: str, actual: str) -> list[Damage]:
    """Return the kinds of damage between two lines; [] if more differs."""
    # Each kind needs the lines once more.
    if max(len(original), len(actual)) > MAX_MERGED_CHARACTERS:
        return []
    kinds: list[Damage] = []
    before, after = _LineParts.split(original), _LineParts.split(actual)
    if before.indent != after.indent:
        # With new indentation, or none, it belongs to another block.
        if not before.indent or not after.indent:
            return []
        kinds.append(Damage.INDENTATION)
    if before.tail != after.tail:
        kinds.append(Damage.TRAILING_WHITESPACE)
    if before.text == after.text:
        return kinds
    spelling = _text_damage(before.text, after.text)
    if not spelling:
        return []
    return list(dict.fromkeys(kinds + spelling))


def _text_damage(text: str, actual_text: str) -> list[Damage]:
    """Return the kinds of damage between two texts; [] if more differs."""
    spellings = list(_SPELLINGS)
    if "\t" not in text + actual_text:
        # Spaces that align columns may be meant.
        del spellings[0]
    pairs: list[tuple[list[Damage], str, str]] = []
    # The fewest kinds that explain the difference: a line may have several.
    for count in range(len(spellings) + 1):
        for chosen in combinations(spellings, count):
            simple, actual_simple = text, actual_text
            for _, simplify in chosen:
                simple = simplify(simple)
                actual_simple = simplify(actual_simple)
            kinds = [kind for kind, _ in chosen]
            if simple == actual_simple:
                return kinds
            pairs.append((kinds, simple, actual_simple))
    for kinds, simple, actual_simple in pairs:
        if _ascii_skeleton(simple) == _ascii_skeleton(actual_simple):
            return [*kinds, Damage.ENCODING]
    return []


def _collapse_blanks(text: str) -> str:
    """Return a text with one space for each run of tabs and spaces."""
    return _RUN.sub(" ", text)


def _normalise(text: str) -> str:
    """Return a text with its letters and marks composed."""
    return unicodedata.normalize("NFC", text)


def _plain_quotes(text: str) -> str:
    """Return a text with plain quotes, dashes and spaces."""
    return text.translate(_PLAIN_FORMS)


_SPELLINGS: tuple[tuple[Damage, Callable[[str], str]], ...] = (
    (Damage.INDENTATION, _collapse_blanks),
    (Damage.NORMALISATION, _normalise),
    (Damage.QUOTES, _plain_quotes),
)


def _ascii_skeleton(text: str) -> str:
    """Return a line with one mark for each run of characters beyond ASCII."""
    skeleton: list[str] = []
    for character in text:
        if character.isascii():
            skeleton.append(character)
        # One letter may be read as two wrong ones: runs count, not letters.
        elif not skeleton or skeleton[-1] != REPLACEMENT:
            skeleton.append(REPLACEMENT)
    return "".join(skeleton)


# Text that differs was meant


@dataclass(frozen=True, slots=True)
class _Target:
    """The encoding of new text, and the terminator of the line above."""

    encoding: Encoding
    ending: bytes
    is_certain: bool


class _DoubtError(Exception):
    """The bytes of a text are not certain; the message says why."""


def _merge(compared: _Comparison, encoding: Encoding) -> tuple[bytes, str]:
    """Return the actual text in the bytes of the original, and a doubt.

    Equal text keeps its earlier bytes. Other text gets the encoding of the
    file, and its lines end like the line above. Doubtful lines keep the bytes
    that the tool wrote.
    """
    if _changed_characters(compared) > MAX_MERGED_CHARACTERS:
        return compared.actual.content, _TOO_LARGE
    content, doubt = _merge_changes(compared, compared.changes, encoding)
    # If one of several equal lines was removed or added, which one is not
    # known. That is harmless only if the result is the same for the first and
    # for the last of them.
    for changes in _other_alignments(compared):
        other_content, _ = _merge_changes(compared, changes, encoding)
        if content != other_content:
            return (
                compared.actual.content,
                "one of several equal lines with different bytes was removed",
            )
    return content, doubt


def _changed_characters(compared: _Comparison) -> int:
    """Return the number of characters in the changed lines of both files."""
    characters = 0
    for change in compared.changes:
        lines = [
            *compared.original.texts[change.start : change.end],
            *compared.actual.texts[change.new_start : change.new_end],
        ]
        characters += sum(map(len, lines))
    return characters


def _other_alignments(compared: _Comparison) -> Iterator[list[LineChange]]:
    """Yield other line changes that lead to the same text.

    The diff from the end prefers the last of equal lines, but trims the end of
    the texts first; so changes are also slid as far as they go.
    """
    texts, actual = compared.original.texts, compared.actual.texts
    alignments = [
        _diff_from_end(texts, actual),
        _slide_up(compared.changes, texts, actual),
        _slide_down(compared.changes, texts, actual),
    ]
    for changes in alignments:
        if changes != list(compared.changes):
            yield changes


def _slide_up(
    changes: Sequence[LineChange], texts: Sequence[str], actual: Sequence[str]
) -> list[LineChange]:
    """Return the changes, insertions and deletions as near to the start as can be."""
    moved: list[LineChange] = []
    floor = 0
    for change in changes:
        lines, start, end = _changed_lines(change, texts, actual)
        steps = 0
        if start < end:
            while (
                change.start - steps > floor
                and lines[start - steps - 1] == lines[end - steps - 1]
            ):
                steps += 1
        moved.append(_shift(change, -steps))
        floor = change.end - steps
    return moved


def _slide_down(
    changes: Sequence[LineChange], texts: Sequence[str], actual: Sequence[str]
) -> list[LineChange]:
    """Return the changes, insertions and deletions as near to the end as can be."""
    moved: list[LineChange] = []
    ceiling = len(texts)
    for change in reversed(changes):
        lines, start, end = _changed_lines(change, texts, actual)
        steps = 0
        if start < end:
            while (
                change.end + steps < ceiling
                and lines[start + steps] == lines[end + steps]
            ):
                steps += 1
        moved.append(_shift(change, steps))
        ceiling = change.start + steps
    moved.reverse()
    return moved


def _changed_lines(
    change: LineChange, texts: Sequence[str], actual: Sequence[str]
) -> tuple[Sequence[str], int, int]:
    """Return the text that has the removed or added lines, and their span.

    The span of a replacement is empty: it cannot be anywhere else.
    """
    if change.new_start == change.new_end:
        return texts, change.start, change.end
    if change.start == change.end:
        return actual, change.new_start, change.new_end
    return texts, change.start, change.start


def _shift(change: LineChange, count: int) -> LineChange:
    """Return a change `count` lines further down."""
    return LineChange(
        change.start + count,
        change.end + count,
        change.new_start + count,
        change.new_end + count,
    )


def _diff_from_end(
    texts: Sequence[str], actual: Sequence[str]
) -> list[LineChange]:
    """Return the changes of lines, each as near to the end as possible."""
    changes = []
    # The diff prefers the first of equal lines; reversed, the last.
    for change in reversed(diff_lines(texts[::-1], actual[::-1])):
        changes.append(
            LineChange(
                len(texts) - change.end,
                len(texts) - change.start,
                len(actual) - change.new_end,
                len(actual) - change.new_start,
            )
        )
    return changes


def _merge_changes(
    compared: _Comparison, changes: Sequence[LineChange], encoding: Encoding
) -> tuple[bytes, str]:
    """Return the actual text in the bytes of the original, by line changes."""
    original, actual = compared.original, compared.actual
    pieces = [original.bom]
    position = 0
    doubt = ""
    end = LineChange(
        len(original.lines),
        len(original.lines),
        len(actual.lines),
        len(actual.lines),
    )
    for change in [*changes, end]:
        pieces += original.lines[position : change.start]
        if change.start > position:
            pieces[-1] = _end_line(
                compared, change.start - 1, change.new_start - 1
            )
        try:
            pieces.append(_merge_change(compared, change, encoding))
        except _DoubtError as error:
            doubt = str(error)
            # A file in two encodings would not be text: it stays as the tool
            # wrote it.
            if actual.codec != original.codec or not encoding.is_utf8:
                return actual.content, doubt
            pieces += actual.lines[change.new_start : change.new_end]
        position = change.end
    return b"".join(pieces), doubt


def _end_line(compared: _Comparison, number: int, new_number: int) -> bytes:
    """Return an equal line, without terminator if the actual one has none."""
    original, actual = compared.original, compared.actual
    if not actual.ending(new_number):
        return original.body(number)
    return original.body(number) + (
        original.ending(number) or _ending_near(original, number)
    )


def _merge_change(
    compared: _Comparison, change: LineChange, encoding: Encoding
) -> bytes:
    """Return the new lines of a change.

    Raises `_DoubtError` if their bytes are not certain.
    """
    original = compared.original
    _require_alignable(
        "\n".join(original.texts[change.start : change.end]),
        "\n".join(compared.actual.texts[change.new_start : change.new_end]),
    )
    base = original.units(change.start, change.end)
    written = compared.actual.units(change.new_start, change.new_end)
    actual = []
    for unit in written:
        is_unreadable = (
            unit.text == REPLACEMENT or "\ud800" <= unit.text <= "\udfff"
        )
        actual.append(Unit(unit.text, unit.content if is_unreadable else b""))
    ending = _ending_near(original, change.start)
    is_certain = original.is_certain(encoding)
    return _write_certain(base, actual, _Target(encoding, ending, is_certain))


def _require_alignable(text: str, actual_text: str) -> None:
    """Raise `_DoubtError` if two texts are too large to be compared.

    Their characters with their bytes would take seconds and much memory.
    """
    size = max(len(text), len(actual_text))
    if size <= MAX_ALIGNED_CHARACTERS:
        return
    start = 0
    for character, actual_character in zip(text, actual_text, strict=False):
        if character != actual_character:
            break
        start += 1
    if size - start > MAX_ALIGNED_CHARACTERS:
        raise _DoubtError(_TOO_LARGE)


def _write_certain(
    base: Sequence[Unit], actual: Sequence[Unit], target: _Target
) -> bytes:
    """Write the actual characters in the base's bytes, if certain."""
    first = _write(base, actual, _align(base, actual), target)
    last = _write(base, actual, _align_from_end(base, actual), target)
    # Broken characters and line ends look equal as text, but may differ in
    # bytes: the first and the last possible alignment have to agree.
    if b"".join(first) != b"".join(last):
        raise _DoubtError(
            "the bytes of a changed line could come from several places"
        )
    return b"".join(first)


def _write(
    base: Sequence[Unit],
    actual: Sequence[Unit],
    alignment: dict[int, int],
    target: _Target,
) -> list[bytes]:
    """Return the bytes of each actual character, from the base if aligned."""
    pieces: list[bytes] = []
    ending = target.ending
    for index, unit in enumerate(actual):
        if index in alignment:
            content = base[alignment[index]].content
            if unit.text == "\n":
                ending = content
        elif unit.text == "\n":
            # A new line ends like the last line that was kept.
            content = unit.content or ending
        else:
            content = _encode(unit, target)
        pieces.append(content)
    return pieces


def _encode(unit: Unit, target: _Target) -> bytes:
    """Return the bytes of a character that the tool added."""
    text, encoding = unit.text, target.encoding
    if "\ud800" <= text <= "\udfff":
        # A tool that keeps undecodable bytes has written this one.
        return unit.content
    if unit.content and unit.content not in _REPLACEMENT_BYTES:
        raise _DoubtError("the new text has bytes that cannot be read")
    if not text.isascii() and not target.is_certain:
        raise _DoubtError(
            f"the encoding of the file is uncertain: {encoding.name}?"
        )
    # ASCII has no other letters; as UTF-8 they leave its bytes as they are.
    name = "utf-8" if encoding.name == "ascii" else encoding.name
    if name == "utf-16":
        name = "utf-16-be" if encoding.bom == b"\xfe\xff" else "utf-16-le"
    try:
        return text.encode(name)
    except UnicodeEncodeError:
        raise _DoubtError(
            f"{text!r} does not exist in {encoding.name}"
        ) from None


def _align(base: Sequence[Unit], actual: Sequence[Unit]) -> dict[int, int]:
    """Map equal characters to the base, as near to its start as possible."""
    left, right = [unit.text for unit in base], [unit.text for unit in actual]
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    alignment = {index: index for index in range(start)}
    # Without the common start: a small edit of a very long line is compared.
    if max(len(left), len(right)) - start > MAX_ALIGNED_CHARACTERS:
        raise _DoubtError(_TOO_LARGE)
    for run in align(left[start:], right[start:]):
        for step in range(run.length):
            alignment[start + run.right + step] = start + run.left + step
    return alignment


def _align_from_end(
    base: Sequence[Unit], actual: Sequence[Unit]
) -> dict[int, int]:
    """Map equal characters to the base, as near to its end as possible."""
    mirrored = _align(base[::-1], actual[::-1])
    return {
        len(actual) - 1 - index: len(base) - 1 - position
        for index, position in mirrored.items()
    }


def _ending_near(reading: FileReading, number: int) -> bytes:
    """Return the terminator for a new line at a number: a neighbour's."""
    # Only the last line may have none.
    for neighbour in (number - 1, number - 2, number):
        if 0 <= neighbour < len(reading.lines) and reading.ending(neighbour):
            return reading.ending(neighbour)
    return "\n".encode(reading.codec)


# A text replaced


def replace_text(
    reading: FileReading,
    search: str,
    replacement: str,
    encoding: Encoding,
    *,
    is_everywhere: bool,
) -> tuple[Splice, ...] | None:
    """Return the splices that replace a text literally, once or everywhere.

    Characters that the replacement leaves in place keep their bytes. Return
    None if the text is not there, if it is there several times and only one was
    meant, if the bytes of the replacement are not certain, or if it is in too
    many or too long lines.
    """
    search, text = plain_ends(search), reading.text
    positions = [
        match.start() for match in re.finditer(re.escape(search), text)
    ]
    if (
        not search
        or not positions
        or (len(positions) > 1 and not is_everywhere)
    ):
        return None
    new: list[Unit] = []
    # A CR in the replacement alone: the edit is to change the line ends.
    is_crlf_meant = "\r" in replacement and "\r" not in search
    for character in _CHARACTER.findall(replacement):
        if "\r" in character or character == "\n":
            meant = character.encode(reading.codec) if is_crlf_meant else b""
            new.append(Unit("\n", meant))
        else:
            new.append(Unit(character, b""))
    starts = [0, *accumulate(len(line) + 1 for line in reading.texts)]
    offsets = [0, *accumulate(len(line) for line in reading.lines)]
    characters = 0
    is_certain = reading.is_certain(encoding)
    splices: list[Splice] = []
    for position in positions:
        first = bisect_right(starts, position) - 1
        last = bisect_right(starts, position + len(search))
        last = min(last, len(reading.lines))
        characters += starts[last] - starts[first]
        if characters > MAX_MERGED_CHARACTERS:
            return None
        units = reading.units(first, last)
        start = position - starts[first]
        base = units[start : start + len(search)]
        target = _Target(encoding, _ending_near(reading, first), is_certain)
        offset = len(reading.bom) + offsets[first]
        offset += sum(len(unit.content) for unit in units[:start])
        try:
            splices += _splice_certain(base, new, target, offset)
        except _DoubtError:
            return None
    return tuple(splices)


def _splice_certain(
    base: Sequence[Unit], new: Sequence[Unit], target: _Target, offset: int
) -> list[Splice]:
    """Return the splices that turn a base at an offset into new characters.

    Characters that stay are in none of them. Raise `_DoubtError` if the result
    is not certain.
    """
    # Called for its error only: two alignments must give equal bytes.
    _write_certain(base, new, target)
    alignment = _align(base, new)
    pieces = _write(base, new, alignment, target)
    splices: list[Splice] = []
    position = new_position = 0
    for new_index, index in [*sorted(alignment.items()), (len(new), len(base))]:
        if index > position or new_index > new_position:
            length = sum(len(unit.content) for unit in base[position:index])
            written = b"".join(pieces[new_position:new_index])
            splices.append(Splice(offset, length, written))
            offset += length
        if index < len(base):
            offset += len(base[index].content)
        position, new_position = index + 1, new_index + 1
    return splices


def plain_ends(text: str) -> str:
    """Return a text whose lines all end with LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


# Naming the damage


def _classify(
    content: bytes, original: FileReading, actual: FileReading
) -> tuple[tuple[Damage, ...], int]:
    """Return the kinds of damage, and the number of damaged lines."""
    healed = read_like(content, original)
    kinds: set[Damage] = set()
    damaged = 0
    position = new_position = 0
    line_changes = diff_lines(healed.texts, actual.texts)
    end = LineChange(len(healed.texts), len(healed.texts), len(actual.texts), 0)
    for change in [*line_changes, end]:
        for number in range(position, change.start):
            new_number = new_position + number - position
            if healed.lines[number] != actual.lines[new_number]:
                line_kinds = _byte_damage(healed, number, actual, new_number)
                kinds |= line_kinds
                damaged += bool(line_kinds)
        count = min(
            change.end - change.start, change.new_end - change.new_start
        )
        for step in range(max(count, 0)):
            number, new_number = change.start + step, change.new_start + step
            line_kinds = {
                *_line_damage(healed.texts[number], actual.texts[new_number]),
                *_byte_damage(healed, number, actual, new_number),
            }
            kinds |= line_kinds
            damaged += bool(line_kinds)
        if change.end - change.start > max(count, 0):
            kinds.add(Damage.TRUNCATED)
            damaged += change.end - change.start - count
        position, new_position = change.end, change.new_end
    if healed.is_ended != actual.is_ended and Damage.TRUNCATED not in kinds:
        kinds.add(Damage.FINAL_NEWLINE)
        damaged += 1
    if healed.bom != actual.bom:
        kinds.add(Damage.BYTE_ORDER_MARK)
    return tuple(kind for kind in Damage if kind in kinds), damaged


def _byte_damage(
    healed: FileReading, number: int, actual: FileReading, new_number: int
) -> set[Damage]:
    """Return the kinds of damage to a line's bytes, besides its text."""
    kinds = set()
    ending, actual_ending = healed.ending(number), actual.ending(new_number)
    is_same_text = healed.texts[number] == actual.texts[new_number]
    # A missing terminator is other damage: `FINAL_NEWLINE`.
    if ending and actual_ending:
        # As text: in UTF-16 the same end has other bytes.
        ending_text = ending.decode(healed.codec)
        if actual_ending.decode(actual.codec) != ending_text:
            kinds.add(Damage.LINE_ENDINGS)
    if is_same_text and healed.body(number) != actual.body(new_number):
        mark = REPLACEMENT.encode()
        healed_marks = healed.body(number).count(mark)
        is_replaced = actual.body(new_number).count(mark) > healed_marks
        kinds.add(Damage.REPLACED_BYTES if is_replaced else Damage.ENCODING)
    return kinds
