"""One parse: bytes in, outline and tree out, within a time limit.

This runs inside the worker process (see `workers`): a grammar is C code with scanners written by
hand, and some of them crash on hostile input.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, NamedTuple

from filewright.languages import Language
from filewright.structure import syntax_report
from filewright.structure.grammar import Grammar, load_grammar
from filewright.structure.grammar_input import Content, prepare_content
from filewright.structure.outline import Outline
from filewright.structure.source_text import SourceText
from filewright.structure.symbol_collector import collect_symbols

if TYPE_CHECKING:
    from tree_sitter import Tree

_WHOLE_SHARE: Final = 0.6  # of the time, for the whole; the rest is for a part, should that not do
_CHUNK: Final = 256 << 10
_YAML_LINES: Final = 32_000
"""The grammar's scanner counts lines in 16 bits, and takes all that comes later for an error."""
_LETTERS: Final = bytes(range(0x80)) + b"x" * 0x80
"""What a grammar is given of other encodings: it reads UTF-8, and ended a name at what is none."""
_UNICODE: Final = ("utf-8", "ascii", "utf-16-le", "utf-16-be")


class ParsedText(NamedTuple):
    """An outline with the tree it came from, kept for the next parse of the same file."""

    outline: Outline
    content: Content
    tree: Tree


def parse_text(
    data: bytes,
    codec: str,
    language: Language,
    seconds: float,
    previous: ParsedText | None = None,
) -> ParsedText | Outline:
    """The outline of `data`, reusing the parts of `previous` that did not change.

    An `Outline` alone, of the beginning or with `parsed=False` and a note, if `seconds` pass or the encoding
    has no parser.
    """
    content = prepare_content(data, codec, language)
    grammar = load_grammar(
        Language.TSX if _is_flow(language, data) else language
    )
    if content is None:
        return Outline(
            language, parsed=False, note=f"not parsed: no grammar reads {codec}"
        )
    begun, whole = time.monotonic(), len(content.data)
    if language is Language.YAML:
        content = _first_lines(content, _YAML_LINES)
    tree, reached = _tree(
        content, grammar, begun + _WHOLE_SHARE * seconds, previous
    )
    if tree is None:
        # A parse that was stopped leaves nothing, and the end of one takes longer than it looks from what is reached: a
        # quarter of that fits in the time left.
        content = _cut(content, reached // 4)
        tree, _ = (
            _tree(content, grammar, begun + seconds, None)
            if content.data
            else (None, 0)
        )
    if tree is None:
        return Outline(
            language,
            parsed=False,
            note=f"not parsed: it took longer than the limit of {seconds:g} s",
        )
    source = SourceText(content.data, content.codec)
    symbols, count, truncated = collect_symbols(
        tree.root_node, grammar, source, trims=language.traits.trims_nodes
    )
    if len(content.data) < whole:
        return Outline(language, symbols, count).truncated_at(
            content.data.count("\n".encode(content.codec))
        )
    certain = (
        grammar.language.traits.grammar_is_exact
        and content.codec in _UNICODE
        and not _is_flow(language, data)
    )
    errors = syntax_report.build_report(
        tree.root_node, source, language, certain=certain
    )
    note = f"only the first {count} symbols are listed" if truncated else None
    outline = Outline(
        language, symbols, count, truncated=truncated, note=note, errors=errors
    )
    return ParsedText(outline, content, tree)


def _is_flow(language: Language, data: bytes) -> bool:
    """Whether JavaScript has Flow's type annotations, which TypeScript's grammar reads best."""
    return (
        language in (Language.JAVASCRIPT, Language.JSX)
        and b"@flow" in data[:2048]
    )


def _cut(content: Content, limit: int) -> Content:
    """The whole lines within the first `limit` bytes."""
    if len(content.data) <= limit:
        return content
    end = content.data.rfind("\n".encode(content.codec), 0, limit)
    width = 2 if content.encoding != "utf8" else 1
    return content._replace(
        data=content.data[: (end + width) // width * width if end >= 0 else 0]
    )


def _first_lines(content: Content, count: int) -> Content:
    *lines, rest = content.data.split("\n".encode(content.codec), count)
    return (
        content
        if len(lines) < count
        else _cut(content, len(content.data) - len(rest))
    )


def _tree(
    content: Content,
    grammar: Grammar,
    deadline: float,
    previous: ParsedText | None,
) -> tuple[Tree | None, int]:
    """The tree, or None at the deadline; and the offset that was reached."""
    data = content.data
    letters = None if content.codec in _UNICODE else _LETTERS

    def read(offset: int, _point: object) -> bytes:
        return data[offset : offset + _CHUNK].translate(letters)

    reached = 0

    def expired(offset: int, _error: bool) -> bool:
        nonlocal reached
        reached = offset
        return time.monotonic() > deadline

    old = _edited(previous, content) if previous is not None else None
    try:
        parser = grammar.parser()
        if old is None:
            tree = parser.parse(
                read, encoding=content.encoding, progress_callback=expired
            )
        else:
            tree = parser.parse(read, old, content.encoding, expired)
        return tree, len(data)
    except ValueError:  # what a parse that was stopped ends in
        return None, reached


def _edited(previous: ParsedText, content: Content) -> Tree | None:
    """The previous tree, with what changed marked; None if that is most of the file."""
    before, after = previous.content.data, content.data
    if previous.content.encoding != content.encoding:
        return None
    start = _common(before, after)
    tail = _common(before[start:][::-1], after[start:][::-1])
    old_end, new_end = len(before) - tail, len(after) - tail
    if max(old_end, new_end) - start > len(after) // 2:
        return None
    unit = 2 if content.encoding != "utf8" else 1
    start -= start % unit
    if (len(before) - old_end) % unit:
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


def _common(one: bytes, two: bytes) -> int:
    """How many first bytes two texts share; comparing halves, so at memory speed."""
    low, high = 0, min(len(one), len(two))
    if one[:high] == two[:high]:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == two[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _point(data: bytes, offset: int) -> tuple[int, int]:
    return data.count(b"\n", 0, offset), offset - (
        data.rfind(b"\n", 0, offset) + 1
    )
