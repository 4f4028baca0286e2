"""Windows of a snapshot as the matcher wants them: UTF-8 with ``\\n`` terminators, and the way back.

A `Window` begins at a character and ends, wherever it can, at a line's end; its `raw_at` turns an
index of its text into a byte offset of the file. For UTF-8 without carriage returns that is an
addition and no byte is copied twice; for anything else the line is found first, and what is in it before the match.

Through a large file `rg` goes ahead, as a child: `lines_ahead` names the lines worth a window. It says only where lines
begin that hold what its form of the pattern asks for, which is never stricter than ours. Where it cannot run, or ends
early, every window is looked at.
"""

from __future__ import annotations

import io
import re
import select
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property

from filewright.boundary.launcher import Child, find_program
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.search.pattern import Pattern, escaped
from filewright.system import Closable
from filewright.text.cache import BoundedCache
from filewright.text.codec import (
    cut_at_character,
    normalize_newlines,
    try_encode,
)
from filewright.text.snapshot import Snapshot

_NEAR = 4 << 20
_TERMINATOR, _TERMINATOR_SHOWN = (
    re.compile(rb"\r\n?|\n"),
    re.compile("\r\n?|\n"),
)


class Window:
    """Some of a file's text.

    `text` is searched from index `begin` (what is before it is one character of context). `stop` is
    the raw offset where the window ends, `first` and `last` whether the text begins at its beginning and ends
    there, `cut` whether it ends inside a line (or, for matches over several lines, anywhere); `raw` are its bytes.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        position: int,
        stop: int,
        length: int,
        longest: int = 0,
        overlap: int = 0,
        *,
        by_lines: bool = True,
    ) -> None:
        """The window that begins at `position`, a character's beginning, and goes no further than `stop`.

        `by_lines`: it ends at a line's end unless the line is longer than `length` and `longest`. Otherwise (for
        matches over several lines) its last `overlap` bytes are always left to the next one.
        """
        encoding = snapshot.encoding
        raw = snapshot.read(position, min(length, stop - position))
        whole = False
        while not whole and (read := position + len(raw)) < stop:
            units = (
                (
                    raw
                    if encoding.unit_bytes == 1
                    else snapshot.lines.to_units(raw)
                )
                if by_lines
                else b""
            )
            # A carriage return at the very end may be half of a pair.
            end = (
                max(units.rfind(b"\n"), units.rfind(b"\r", 0, len(units) - 1))
                + 1
            )
            if whole := end > 0:
                raw = raw[: end * encoding.unit_bytes]
            elif by_lines and len(raw) < longest:
                raw += snapshot.read(read, min(len(raw), stop - read))
            else:
                raw = _cut(raw, snapshot)
                break
        self.offset = position
        self.stop = position + len(raw)
        self.first = position == snapshot.start
        self.last = self.stop >= stop
        self.cut = not (self.last or whole)
        # The character before it, in UTF-8 and normalised; empty at a line's beginning.
        before = snapshot.read(
            max(snapshot.start, position - 4), min(4, position - snapshot.start)
        )
        errors = "surrogateescape" if encoding.is_utf8 else "replace"
        last = before.decode(encoding.name, errors)[-1:].encode("utf-8", errors)
        self._context = b"" if last in (b"\n", b"\r") else last
        self.begin = len(self._context)
        self.raw = raw
        self._encoding = encoding
        self._verbatim = encoding.is_utf8 and b"\r" not in raw
        self._errors = (
            "surrogatepass" if encoding.unit_bytes == 2 else "surrogateescape"
        )
        self._overlap = min(overlap, len(raw) // 2)
        self._near = (0, 0)

    @cached_property
    def text(self) -> bytes:
        """The context and the window, in UTF-8 with ``\\n`` terminators."""
        plain = self.raw
        if not self._encoding.is_utf8:
            plain = normalize_newlines(self._shown).encode(
                "utf-8", "surrogatepass"
            )
        elif not self._verbatim:
            plain = self.raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return self._context + plain if self._context else plain

    @cached_property
    def limit(self) -> int:
        """A match that begins here or later belongs to the next window."""
        if not self.cut:
            return len(self.text) + 1
        return character_after(
            self.text, max(self.begin, len(self.text) - self._overlap - 1)
        )

    def raw_at(self, index: int) -> int:
        """The byte offset of the file where the character at `index` of the text begins."""
        index = max(0, index - self.begin)
        if self._verbatim:
            return self.offset + index
        texts, raws = self._lines
        line = bisect_right(texts, index) - 1
        begin, raw = texts[line], raws[line]
        if self._encoding.is_utf8:
            return self.offset + raw + index - begin
        if begin <= self._near[0] <= index:
            begin, raw = (
                self._near
            )  # a long line is not gone through anew for each match
        between = self.text[self.begin + begin : self.begin + index].decode(
            "utf-8", "surrogatepass"
        )
        raw += len(between.encode(self._encoding.name, self._errors))
        self._near = (index, raw)
        return self.offset + raw

    @cached_property
    def characters(self) -> str:
        """The text without the context; bytes that are not UTF-8 are lone surrogates."""
        return self.text[self.begin :].decode("utf-8", "surrogateescape")

    def raw_of(self, number: int) -> int:
        """The byte offset of the file where the character with that number, from 0, begins."""
        return self.raw_at(
            self.begin
            + len(self.characters[:number].encode("utf-8", "surrogateescape"))
        )

    @cached_property
    def _lines(self) -> tuple[list[int], list[int]]:
        """Where the lines of the window begin, in its text and in the file: terminators differ only between lines."""
        texts, raws = [0], [0]
        if self._encoding.is_utf8:
            for match in _TERMINATOR.finditer(self.raw):
                texts.append(texts[-1] + match.start() - raws[-1] + 1)
                raws.append(match.end())
            return texts, raws
        shown, end = self._shown, 0
        for found in _TERMINATOR_SHOWN.finditer(shown):
            line = shown[end : found.start()].encode("utf-8", "surrogatepass")
            texts.append(texts[-1] + len(line) + 1)
            raws.append(
                raws[-1]
                + len(
                    shown[end : found.end()].encode(
                        self._encoding.name, self._errors
                    )
                )
            )
            end = found.end()
        return texts, raws

    @cached_property
    def _shown(self) -> str:
        """The window's text as its own codec gives it, so that it can be turned back into exactly these bytes."""
        width = self._encoding.unit_bytes
        raw = self.raw[: len(self.raw) // width * width]
        return raw.decode(self._encoding.name, self._errors)


def character_after(text: bytes, index: int) -> int:
    """Where the character behind the one at `index` begins, in UTF-8."""
    index += 1
    while index < len(text) and text[index] & 0xC0 == 0x80:
        index += 1
    return index


def character_before(text: bytes, index: int) -> int:
    """Where the character before `index` begins."""
    index = max(0, index - 1)
    while index and text[index] & 0xC0 == 0x80:
        index -= 1
    return index


def _cut(raw: bytes, snapshot: Snapshot) -> bytes:
    """`raw` less a torn character, and less a carriage return that may be half of a pair."""
    encoding = snapshot.encoding
    raw = cut_at_character(raw, len(raw) - encoding.unit_bytes, encoding) or raw
    unit = "\r".encode(encoding.name)
    return raw.removesuffix(unit) if len(raw) > len(unit) else raw


def character_at(
    snapshot: Snapshot, offset: int, line: int | None = None
) -> int:
    """The beginning of the character that holds the byte at `offset`; `line` is where its line begins."""
    encoding = snapshot.encoding
    if line is None:
        line = (
            snapshot.lines.line_start(offset)
            if encoding.is_multibyte
            else snapshot.start
        )
    # Only where a byte of a character may look like another one is it not known nearby where one begins.
    near = offset - (_NEAR if encoding.is_multibyte else 4)
    near = line + max(0, near - line) // 2 * 2
    return near + len(
        cut_at_character(
            snapshot.read(near, offset - near + 1), offset - near, encoding
        )
    )


UNENDING = Task()
"""The task of a search that nobody ends."""

MEMORY = 48 << 20
"""Bytes that `rg` may allocate: it holds a line whole, and is ended by a longer one."""

_LOOK = 50  # milliseconds between two looks at the cancel token

AHEAD_BYTES = 32 << 20
"""From this much text on a child process pays."""

_END = 5.0  # seconds to end once it has said everything

_FAR = (
    8 << 20
)  # bytes that are counted here as quickly as another process says that it may count them
_LONE_RETURN = r"(?-u:\r[^\n])"

_MOST_KEPT = 1000
_heard: BoundedCache[tuple[list[bytes], int]] = BoundedCache(4 << 20)
"""By a file's identity and what was looked for: the rows of a child that saw all; how far their numbers are ours."""

NextLine = Callable[[int], int]
"""Where the next line that may match begins, from an offset on; the offset itself where that is not known."""


class Ahead(Closable):
    """A child that looks for some patterns of `rg`'s in the snapshot's own file, if that can be read by one.

    It gets the open file as its input, never a path of the user's, and opens that anew: so it reads exactly the
    file that is open here, at a position of its own. None runs without `forms`, where something newer is held of
    the file, and where nothing confines it. `whole`: it was heard to the end, and has seen all.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        forms: Sequence[str],
        task: Task,
        *options: str,
    ) -> None:
        self.whole = False
        self._task = task
        self._child: Child | None = None
        where, engine, source = (
            snapshot.location,
            find_program("rg"),
            snapshot.descriptor,
        )
        if (
            not forms
            or where is None
            or engine is None
            or source is None
            or snapshot.content is not None
        ):
            return
        # `--mmap` keeps lines out of the child's memory, so that one of any length costs nothing.
        argv = [
            engine,
            "--no-config",
            "--no-messages",
            "-a",
            "--mmap",
            "--color=never",
            "-I",
            "-b",
            *options,
        ]
        argv += [
            *(part for form in forms for part in ("-e", form)),
            "--",
            "/proc/self/fd/0",
        ]
        with suppress(FilewrightError, OSError):
            self._child = where.root.launcher.start(
                argv, stdin=source, memory=MEMORY, seconds=task.remaining
            )

    def rows(self) -> Iterator[bytes]:
        """What the child writes of what it finds, in order; nothing if none runs. Its offsets are from `start` on."""
        if self._child is None:
            return
        rest = b""
        for block in read_output(self._child.stdout, self._task):
            *rows, rest = (rest + block).split(b"\n")
            yield from rows
        with suppress(FilewrightError):
            self.whole = self._child.wait(_END) in (0, 1)

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.close()


@contextmanager
def lines_ahead(
    snapshot: Snapshot, pattern: Pattern, start: int, task: Task
) -> Iterator[NextLine]:
    """What a running `rg` says of the lines from `start` on that may match.

    None is started where it does not pay, or would pass lines over. The snapshot learns their numbers too, as far as
    a second `rg` finds no carriage return that ends a line for us alone.
    """
    pays = snapshot.size - start >= AHEAD_BYTES and start <= snapshot.size // 2
    encoding = snapshot.encoding
    # A byte of one character is never part of another's there, and a line ends where `rg` sees it end.
    is_plain = encoding.is_utf8 or (
        encoding.contains_ascii and not encoding.is_multibyte
    )
    needle = (
        try_encode(encoding.name, pattern.plain)
        if pattern.plain is not None
        else None
    )
    if not pays or pattern.multiline or pattern.matches_empty or not is_plain:
        yield int  # Nothing is known: an offset stands for itself.
        return
    forms: Sequence[str] = (
        pattern.for_rg if needle is None else (escaped(needle),)
    )
    # Lines are named by number and offset alone: their text is left out.
    options = "-n", "--max-columns=1"
    key = snapshot.identity, snapshot.size, *forms
    heard = _heard.get(key)
    forms, lone_forms = ((), ()) if heard else (forms, [_LONE_RETURN])
    with (
        Ahead(snapshot, forms, task, *options) as child,
        Ahead(snapshot, lone_forms, task, *options) as lone,
    ):
        rows, unshifted = (
            (iter(heard[0]), heard[1]) if heard else (child.rows(), -1)
        )
        kept: list[bytes] = []

        def next_line(position: int) -> int:
            nonlocal unshifted
            if (
                position > snapshot.start
                and snapshot.read(position - 1, 1) != b"\n"
            ):
                return position  # a line that was begun is never passed over
            for row in rows:
                number, offset = _numbered(row, snapshot)
                kept[_MOST_KEPT:] = [row]
                if offset >= position:
                    if unshifted < 0 and offset - position > _FAR:
                        found = next(lone.rows(), None)
                        unseen = snapshot.size if lone.whole else 0
                        unshifted = (
                            unseen
                            if found is None
                            else _numbered(found, snapshot)[1]
                        )
                    if offset <= unshifted:
                        snapshot.lines.remember_line(offset, number)
                    return offset
            if child.whole and len(kept) <= _MOST_KEPT and snapshot.is_stable:
                _heard.put(key, (kept, unshifted), 100 * (len(kept) + len(key)))
            # What it did not get to, because it declined or was killed, is looked at here.
            return snapshot.size if heard or child.whole else position

        yield next_line


def _numbered(row: bytes, snapshot: Snapshot) -> tuple[int, int]:
    """The number and the offset of a line that `rg` names, which counts from behind the byte-order mark."""
    number, offset, _ = row.split(b":", 2)
    return int(number), snapshot.start + int(offset)


def read_output(
    output: io.FileIO, task: Task, patience: Task | None = None
) -> Iterator[bytes]:
    """What a child writes, block by block, until its end or until `patience` expires.

    The cancel token of `task` is looked at all the while.
    """
    ready = select.poll()  # `select` cannot wait for descriptors above 1,023
    ready.register(output, select.POLLIN | select.POLLHUP)
    while patience is None or not patience.expired:
        if ready.poll(_LOOK):
            block = output.read(1 << 16)
            if not block:
                return
            yield block
        task.check()
