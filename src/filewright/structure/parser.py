"""One parse: bytes in, syntax tree out, within a time limit; and the outline of a tree.

This runs in the parser process (`worker`): a grammar is C code with a scanner written by
hand, and some of them crash on hostile input.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from filewright.languages import Language
from filewright.structure import syntax_report
from filewright.structure.grammar import Grammar, load_grammar
from filewright.structure.grammar_input import Content, prepare_content
from filewright.structure.outline import Outline
from filewright.structure.source_text import SourceText
from filewright.structure.symbol_collector import collect_symbols

if TYPE_CHECKING:
    from tree_sitter import Tree

_WHOLE_SHARE: Final = 0.6
"""The share of the time for the whole text; the rest is for a part of it, if need be."""

_CHUNK_BYTES: Final = 256 << 10
"""Bytes that the parser gets at a time."""

_MAX_YAML_LINES: Final = 32_000
"""The grammar's scanner counts lines in 16 bits, and takes later ones for errors."""

_ASCII_LETTERS: Final = bytes(range(0x80)) + b"x" * 0x80
"""Bytes outside ASCII as a letter, for encodings that no grammar reads.

A grammar reads UTF-8, and would end a name at a byte that is malformed there.
"""

_UNICODE_CODECS: Final = ("utf-8", "ascii", "utf-16-le", "utf-16-be")


@dataclass(frozen=True, slots=True)
class ParsedText:
    """A text with its syntax tree, from which the next parse of the file is faster.

    With `is_whole=False`, `content` is the beginning of the text only.
    """

    language: Language
    grammar: Grammar
    content: Content
    tree: Tree
    is_whole: bool = True


def parse_text(
    data: bytes,
    codec: str,
    language: Language,
    seconds: float,
    previous: ParsedText | None = None,
) -> ParsedText | str:
    """Return the tree of `data`, or of its beginning if the time is over.

    The time is that of the processor, so that load changes no answer.
    Unchanged parts of `previous` are reused. Returns a note that says why there is no
    tree, if the time is over or if no grammar reads the encoding. Raises `ImportError`
    if the grammar is not installed.
    """
    started = time.thread_time()
    content = prepare_content(data, codec, language)
    if content is None:
        return f"not parsed: no grammar reads {codec}"
    if previous is not None and previous.content == content:
        return previous
    grammar = load_grammar(
        Language.TSX if _is_flow(language, data) else language
    )
    size = len(content.data)
    if language is Language.YAML:
        content = _take_first_lines(content, _MAX_YAML_LINES)
    parse = _Parse(content, grammar)
    tree = parse.run(started + _WHOLE_SHARE * seconds, previous)
    if tree is None:
        # A parse that was stopped leaves no tree. The time for a text grows faster than
        # its length, so a quarter of the reached text fits in the rest of the time.
        content = _cut_to_lines(content, parse.reached_offset // 4)
        if content.data:
            tree = _Parse(content, grammar).run(started + seconds)
    if tree is None:
        return f"not parsed: it took longer than the limit of {seconds:g} s"
    is_whole = len(content.data) == size
    return ParsedText(language, grammar, content, tree, is_whole)


def build_outline(parsed: ParsedText) -> Outline:
    """Return the outline of a text, or of its beginning."""
    language, grammar = parsed.language, parsed.grammar
    content, root = parsed.content, parsed.tree.root_node
    source = SourceText(content.data, content.codec)
    collected = collect_symbols(
        root, grammar, source, trims=language.traits.trims_nodes
    )
    outline = Outline(language, collected.symbols, collected.count)
    if not parsed.is_whole:
        line_feed = "\n".encode(content.codec)
        return outline.truncated_at(content.data.count(line_feed))
    is_certain = (
        grammar.language is language
        and language.traits.grammar_is_exact
        and content.codec in _UNICODE_CODECS
    )
    errors = syntax_report.build_report(
        root, source, language, certain=is_certain
    )
    note_of_limit = None
    if collected.is_truncated:
        note_of_limit = f"only the first {collected.count} symbols are listed"
    return replace(
        outline,
        truncated=collected.is_truncated,
        note=note_of_limit,
        errors=errors,
    )


def _is_flow(language: Language, data: bytes) -> bool:
    """Return True for JavaScript with Flow's types, which TypeScript's grammar reads best."""
    if language not in (Language.JAVASCRIPT, Language.JSX):
        return False
    return b"@flow" in data[:2048]


def _cut_to_lines(content: Content, max_bytes: int) -> Content:
    """Return the whole lines within the first `max_bytes`."""
    if len(content.data) <= max_bytes:
        return content
    last_line_feed = content.data.rfind(
        "\n".encode(content.codec), 0, max_bytes
    )
    end = 0
    if last_line_feed >= 0:
        width = content.unit_bytes
        end = (last_line_feed + width) // width * width
    return replace(content, data=content.data[:end])


def _take_first_lines(content: Content, count: int) -> Content:
    """Return the first `count` lines."""
    *lines, rest = content.data.split("\n".encode(content.codec), count)
    if len(lines) < count:
        return content
    return _cut_to_lines(content, len(content.data) - len(rest))


class _Parse:
    """One run of a parser. `reached_offset` is the offset at which it was stopped."""

    def __init__(self, content: Content, grammar: Grammar) -> None:
        self.reached_offset = 0
        self._content = content
        self._grammar = grammar
        self._letters = None
        if content.codec not in _UNICODE_CODECS:
            self._letters = _ASCII_LETTERS
        self._deadline = 0.0

    def run(
        self, deadline: float, previous: ParsedText | None = None
    ) -> Tree | None:
        """Return the tree, or None if the processor time of this thread passes `deadline`."""
        self._deadline = deadline
        old_tree = None
        if previous is not None:
            old_tree = _mark_changes(previous, self._content)
        parser = self._grammar.parser()
        encoding = self._content.encoding
        try:
            if old_tree is None:
                return parser.parse(
                    self._read,
                    encoding=encoding,
                    progress_callback=self._is_expired,
                )
            return parser.parse(
                self._read, old_tree, encoding, self._is_expired
            )
        except ValueError:
            # The parser was stopped.
            return None

    def _read(self, offset: int, _point: object) -> bytes:
        chunk = self._content.data[offset : offset + _CHUNK_BYTES]
        return chunk.translate(self._letters)

    def _is_expired(self, offset: int, _has_error: bool) -> bool:
        self.reached_offset = offset
        return time.thread_time() > self._deadline


def _mark_changes(previous: ParsedText, content: Content) -> Tree | None:
    """Return the previous tree with the changed range marked.

    None if most of the file has changed.
    """
    before, after = previous.content.data, content.data
    if previous.content.encoding != content.encoding:
        return None
    start = _common_length(before, after)
    tail = _common_length(before[start:][::-1], after[start:][::-1])
    old_end, new_end = len(before) - tail, len(after) - tail
    # A parse from the beginning is as fast as one that reuses so little.
    if max(old_end, new_end) - start > len(after) // 2:
        return None
    # A change begins and ends between characters of the encoding.
    width = content.unit_bytes
    start -= start % width
    if (len(before) - old_end) % width:
        old_end, new_end = old_end + 1, new_end + 1
    tree = previous.tree.copy()
    tree.edit(
        start,
        old_end,
        new_end,
        _point(before, start),
        _point(before, old_end),
        _point(after, new_end),
    )
    return tree


def _common_length(text: bytes, other_text: bytes) -> int:
    """Return the number of first bytes that two texts share.

    Halves are compared, which happens in C.
    """
    low, high = 0, min(len(text), len(other_text))
    if text[:high] == other_text[:high]:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if text[low:middle] == other_text[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _point(data: bytes, offset: int) -> tuple[int, int]:
    """Return the row and the column in bytes of an offset."""
    row = data.count(b"\n", 0, offset)
    return row, offset - (data.rfind(b"\n", 0, offset) + 1)
