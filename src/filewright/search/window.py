"""Windows of a snapshot as the matcher wants them: UTF-8 with ``\\n`` terminators, and the way back.

A `Window` begins at a character and ends, wherever it can, at a line's end; its `raw_at` turns an
index of its text into a byte offset of the file. For UTF-8 without carriage returns that is an
addition and no byte is copied twice; for anything else the line is found first, and what is in it before the match.

Through a large file `rg` goes ahead, as a child: `lines_ahead` names the lines worth a window. It says only where lines
begin that hold what its form of the pattern asks for, which is never stricter than ours. Where it cannot run, or ends
early, every window is looked at.
"""

from __future__ import annotations

import codecs
import io
import re
import select
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Final

from filewright.boundary import Child, program
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.search.pattern import Pattern, escaped
from filewright.text import Snapshot, cut, normalised

_NEAR = 4 << 20
_TERMINATOR, _TERMINATOR_SHOWN = re.compile(rb"\r\n?|\n"), re.compile("\r\n?|\n")


class Window:
    """Some of a file's text.

    `text` is searched from index `begin` (what is before it is one character of context). `stop` is
    the raw offset where the window ends, `last` whether the text ends there, `cut` whether it ends
    inside a line (or, for matches over several lines, anywhere).
    """

    def __init__(
        self, snapshot: Snapshot, raw: bytes, offset: int, *, last: bool, whole_lines: bool, overlap: int
    ) -> None:
        self.offset = offset
        self.stop = offset + len(raw)
        self.last = last
        self.cut = not (last or whole_lines)
        self._context = _context(snapshot, offset)
        self.begin = len(self._context)
        self._raw = raw
        self._encoding = snapshot.encoding
        self._verbatim = self._encoding.is_utf8 and b"\r" not in raw
        self._errors = "surrogatepass" if self._encoding.width == 2 else "surrogateescape"
        self._overlap = overlap
        self._near = (0, 0)

    def may_hold(self, needle: bytes) -> bool:
        """Whether the file's own bytes hold those of a literal: asked before anything is decoded."""
        return self._encoding.is_utf8 or needle in self._raw

    @cached_property
    def text(self) -> bytes:
        """The context and the window, in UTF-8 with ``\\n`` terminators."""
        plain = self._raw
        if not self._encoding.is_utf8:
            plain = normalised(self._shown).encode("utf-8", "surrogatepass")
        elif not self._verbatim:
            plain = self._raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return self._context + plain if self._context else plain

    @cached_property
    def limit(self) -> int:
        """A match that begins here or later belongs to the next window."""
        if not self.cut:
            return len(self.text) + 1
        limit = max(self.begin + 1, len(self.text) - self._overlap)
        while limit < len(self.text) and self.text[limit] & 0xC0 == 0x80:
            limit += 1
        return limit

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
            begin, raw = self._near  # a long line is not gone through anew for each match
        between = self.text[self.begin + begin : self.begin + index].decode("utf-8", "surrogatepass")
        raw += len(between.encode(self._encoding.name, self._errors))
        self._near = (index, raw)
        return self.offset + raw

    @cached_property
    def _lines(self) -> tuple[list[int], list[int]]:
        """Where the lines of the window begin, in its text and in the file: terminators differ only between lines."""
        texts, raws = [0], [0]
        if self._encoding.is_utf8:
            for match in _TERMINATOR.finditer(self._raw):
                texts.append(texts[-1] + match.start() - raws[-1] + 1)
                raws.append(match.end())
            return texts, raws
        shown, end = self._shown, 0
        for found in _TERMINATOR_SHOWN.finditer(shown):
            line = shown[end : found.start()].encode("utf-8", "surrogatepass")
            texts.append(texts[-1] + len(line) + 1)
            raws.append(raws[-1] + len(shown[end : found.end()].encode(self._encoding.name, self._errors)))
            end = found.end()
        return texts, raws

    @cached_property
    def _shown(self) -> str:
        """The window's text as its own codec gives it, so that it can be turned back into exactly these bytes."""
        raw = self._raw[: len(self._raw) // self._encoding.width * self._encoding.width]
        return raw.decode(self._encoding.name, self._errors)


def window(
    snapshot: Snapshot,
    position: int,
    stop: int,
    length: int,
    longest: int,
    overlap: int = 0,
    *,
    by_lines: bool = True,
) -> Window:
    """The window that begins at `position`, a character's beginning, and goes no further than `stop`.

    `by_lines`: it ends at a line's end unless the line is longer than `longest`. Otherwise (for
    matches over several lines) its last `overlap` bytes are always left to the next one.
    """
    raw = snapshot.read(position, min(length, stop - position))
    whole = False
    while position + len(raw) < stop and not whole:
        end = _lines_end(raw, snapshot) if by_lines else 0
        whole = end > 0
        if whole:
            raw = raw[:end]
        elif by_lines and len(raw) < longest:
            raw += snapshot.read(position + len(raw), min(len(raw), stop - position - len(raw)))
        else:
            raw = _cut(raw, snapshot)
            break
    last = position + len(raw) >= stop
    overlap = min(overlap, len(raw) // 2)
    return Window(snapshot, raw, position, last=last, whole_lines=whole, overlap=overlap)


def _lines_end(raw: bytes, snapshot: Snapshot) -> int:
    """The length of the whole lines at the beginning of `raw`; 0 if it holds no line's end."""
    units = snapshot.lines.units(raw)
    # A carriage return at the very end may be half of a pair.
    return (max(units.rfind(b"\n"), units.rfind(b"\r", 0, len(units) - 1)) + 1) * snapshot.encoding.width


def _cut(raw: bytes, snapshot: Snapshot) -> bytes:
    """`raw` less a torn character, and less a carriage return that may be half of a pair."""
    encoding = snapshot.encoding
    raw = cut(raw, len(raw) - encoding.width, encoding) or raw
    unit = "\r".encode(encoding.name)
    return raw.removesuffix(unit) if len(raw) > len(unit) else raw


def _context(snapshot: Snapshot, position: int) -> bytes:
    """The character before `position`, in UTF-8 and normalised; empty at a line's beginning."""
    before = snapshot.read(max(snapshot.start, position - 4), min(4, max(0, position - snapshot.start)))
    errors = "surrogateescape" if snapshot.encoding.is_utf8 else "replace"
    last = before.decode(snapshot.encoding.name, errors)[-1:].encode("utf-8", errors)
    return b"" if last in (b"\n", b"\r") else last


def character_at(snapshot: Snapshot, offset: int, line: int | None = None) -> int:
    """The beginning of a character at or a little after `offset`; `line` is where its line begins."""
    encoding = snapshot.encoding
    if line is None:
        line = snapshot.lines.begin(offset) if encoding.multibyte else snapshot.start
    if encoding.is_utf8:
        following = snapshot.read(offset, 4)
        return offset + next((i for i, byte in enumerate(following) if byte & 0xC0 != 0x80), 0)
    if encoding.width == 2:
        offset += (offset - line) % 2
        unit = snapshot.read(offset, 2).decode(encoding.name, "surrogatepass")
        return offset + 2 if "\udc00" <= unit[:1] <= "\udfff" else offset
    if encoding.multibyte and offset - line <= _NEAR:
        decoder = codecs.getincrementaldecoder(encoding.name)("replace")
        decoder.decode(snapshot.read(line, offset - line))
        return offset - len(decoder.getstate()[0])
    return offset


MEMORY: Final = 48 << 20
"""Bytes that `rg` may allocate: it holds a line whole, and is ended by a longer one."""

_LOOK = 50  # milliseconds between two looks at the cancel token

AHEAD_BYTES = 32 << 20
"""From this much text on a child process pays."""

_END = 5.0  # seconds to end once it has said everything

_FAR = 8 << 20  # bytes that are counted here as quickly as another process says that it may count them
_LONE_RETURN = r"(?-u:\r[^\n])"

NextLine = Callable[[int], int]
"""Where the next line that may match begins, from an offset on; the offset itself where that is not known."""


def forms_ahead(snapshot: Snapshot, pattern: Pattern, start: int) -> Sequence[str]:
    """What a child is to look for from `start` on; nothing where it does not pay, or would pass lines over."""
    pays = snapshot.size - start >= AHEAD_BYTES and start <= snapshot.size // 2
    if not pays or pattern.multiline or pattern.matches_empty or not snapshot.encoding.is_utf8:
        return ()
    return pattern.for_rg if pattern.plain is None else (escaped(pattern.plain.encode()),)


@contextmanager
def lines_ahead(
    snapshot: Snapshot, forms: Sequence[str], task: Task, *, numbered: bool = False
) -> Iterator[NextLine]:
    """What a running `rg` says of the snapshot's own file; without `forms` (its patterns) none is started.

    The child gets the open file as its input, never a path of the user's, and opens that anew: so it
    reads exactly the file that is open here, at a position of its own. `numbered`: the snapshot learns
    the lines' numbers, as far as a second `rg` finds no carriage return that ends a line for us alone.
    """
    child = _started(snapshot, forms, task, "-n" if numbered else "-N") if forms else None
    if child is None:
        yield lambda position: position
        return
    lone = _started(snapshot, [_LONE_RETURN], task, "-n", "-m1") if numbered else None
    named = _named(child, task, 1 + numbered)
    origin = len(snapshot.encoding.bom)  # `rg` counts from behind the byte-order mark
    running, unshifted = True, -1

    def next_line(position: int) -> int:
        nonlocal running, unshifted
        if not running or (position > snapshot.start and snapshot.read(position - 1, 1) != b"\n"):
            return position  # a line that was begun is never passed over
        for number, offset in named:
            offset += origin
            if offset >= position:
                if lone is not None and (unshifted >= 0 or offset - position > _FAR):
                    unshifted = _first(lone, task, snapshot.size) if unshifted < 0 else unshifted
                    if offset <= unshifted:
                        snapshot.lines.learn(offset, number)
                return offset
        try:  # what it did not get to, because it declined or was killed, is looked at here
            running = child.wait(_END) in (0, 1)
        except FilewrightError:
            running = False
        return snapshot.size if running else position

    try:
        yield next_line
    finally:
        child.close()
        if lone is not None:
            lone.close()


def _first(child: Child, task: Task, size: int) -> int:
    """Where the first line begins that a child names; `size` if it looked at all and names none, 0 if it did not."""
    for _, offset in _named(child, task, 2):
        return offset
    try:
        return size if child.wait(_END) == 1 else 0
    except FilewrightError:
        return 0


def _named(child: Child, task: Task, count: int) -> Iterator[tuple[int, int]]:
    """The number (0 where `count`, what `rg` says of a line, is 1) and the offset of each line."""
    assert child.stdout is not None
    rest = b""
    for block in read_output(child.stdout, task):
        *rows, rest = (rest + block).split(b"\n")
        for row in rows:
            *number, offset = row.split(b":")[:count]
            yield int(*number), int(offset)


def _started(snapshot: Snapshot, forms: Sequence[str], task: Task, *options: str) -> Child | None:
    """The child; None if it cannot read this file: something newer is held of it, or nothing confines it."""
    launcher = snapshot.location.root.launcher if snapshot.location is not None else None
    engine, descriptor = program("rg"), snapshot.descriptor
    if launcher is None or engine is None or descriptor is None or snapshot.held is not None:
        return None
    # A line is named by its number and offset alone: its text is left out by `--max-columns`, and `--mmap`
    # keeps it out of the child's memory, so that a line of any length costs nothing.
    argv = [engine, "--no-config", "--no-messages", "-a", "--mmap", "--color=never", "-I", "-b", *options]
    argv += ["--max-columns=1", *(part for form in forms for part in ("-e", form)), "--", "/proc/self/fd/0"]
    try:
        return launcher.start(argv, stdin=descriptor, stderr=False, memory=MEMORY, seconds=task.remaining)
    except (FilewrightError, OSError):
        return None  # every window is looked at here


def read_output(output: io.FileIO, task: Task, patience: Task | None = None) -> Iterator[bytes]:
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
