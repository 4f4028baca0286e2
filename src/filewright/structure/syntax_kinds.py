"""The kinds of syntax that a span of a text is in: comment, string, import, call and others.

Query files (`syntax/*.scm`) say which nodes of a grammar are of a kind. Their captures are:

- `@comment`, `@string`, `@import`: everything in the node is of that kind, except what a
  node inside of it says; `@code` is code inside of a string;
- `@definition`, `@call`: the node is a name that is defined or called there;
- `@quoted`: a literal that is a string if it begins with a quote;
- `@macro`, `@interpolated`: a text that the grammar does not divide, or not right: the
  strings and comments in a macro, and the `$name` in a string;
- `@require`: the pattern counts only if the node's text imports (`_IMPORT_WORDS`).

If two captures have the same node, a comment counts before an import, and an import
before a string: the module that an import names is part of the import.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntFlag
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from filewright.languages import Language
from filewright.structure.grammar import load_grammar

if TYPE_CHECKING:
    from tree_sitter import Node, Query, Tree

    from filewright.structure.grammar import Grammar
    from filewright.structure.grammar_input import Content

_QUERIES: Final = Path(__file__).with_name("syntax")
_MIN_GAP_BYTES: Final = 2 << 10
_MAX_GAPS: Final = 64
_MAX_ERROR_LINES: Final = 5
"""A longer error, up to the whole file, has parts in it that were read."""
"""Text without spans that a query leaves out: each run begins at the top of the tree."""

_TOUCHED_SHIFT: Final = 8
_IMPORT_WORDS: Final = {
    Language.BASH: ("source", "."),
    Language.RUBY: ("require", "require_relative", "load"),
}
"""Words that import, of languages in which others than `require` do."""

_QUOTED: Final = re.compile(r"[A-Za-z]{0,2}['\"]")
_MAX_WORD_BYTES: Final = 80
_INNER_TOKENS: Final = {
    # What has no end is taken whole, since each quote in it would be tried again.
    "macro": re.compile(
        rb"""(?P<string>"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')"""
        rb"""|(?P<comment>//(?:[^\\]|\\.)*+|/\*(?:[^*]|\*(?!/))*+\*/)"""
        rb"""|(?:["']|/\*).*""",
        re.DOTALL,
    ),
    "interpolated": re.compile(
        rb"\\.|\$(?P<code>[A-Za-z_\x80-\xff][\w\x80-\xff]*+)", re.DOTALL
    ),
}
"""The tokens in texts of one byte a unit; the name of a group is that of its region."""


class SyntaxKind(IntFlag):
    """A set of kinds of syntax. `CODE` is everything but comments and strings.

    Imports, definitions and calls are code too.
    """

    NONE = 0
    CODE = 1
    COMMENT = 2
    STRING = 4
    IMPORT = 8
    DEFINITION = 16
    CALL = 32


_REGION_KINDS: Final = {
    "code": SyntaxKind.CODE,
    "string": SyntaxKind.STRING,
    "quoted": SyntaxKind.STRING,
    "import": SyntaxKind.IMPORT | SyntaxKind.CODE,
    "comment": SyntaxKind.COMMENT,
}
"""The kinds of the nodes that are of a kind as a whole; a later one counts before."""

_RANKS: Final = {kind: rank for rank, kind in enumerate(_REGION_KINDS.values())}
_NAME_KINDS: Final = {
    "definition": SyntaxKind.DEFINITION,
    "call": SyntaxKind.CALL,
}


@dataclass(frozen=True, slots=True)
class SpanSyntax:
    """The kinds that a span is of, and those it `touches` with a part of it only.

    Both are empty for a span in a part of the text that was not parsed.
    """

    kinds: SyntaxKind = SyntaxKind.NONE
    touches: SyntaxKind = SyntaxKind.NONE

    @property
    def code(self) -> int:
        """The number that stands for this value in a message."""
        return int(self.kinds) | int(self.touches) << _TOUCHED_SHIFT

    @property
    def is_known(self) -> bool:
        """Return True if the span was parsed."""
        return bool(self.kinds or self.touches)


@cache
def decode_span_syntax(code: int) -> SpanSyntax:
    """Return the value that a number stands for."""
    mask = (1 << _TOUCHED_SHIFT) - 1
    return SpanSyntax(
        SyntaxKind(code & mask), SyntaxKind(code >> _TOUCHED_SHIFT & mask)
    )


@dataclass(frozen=True, slots=True)
class SyntaxAnswer:
    """The `SpanSyntax.code` of each span of a request, in order.

    `has_errors` is True if spans are in text that the grammar could not read. `note` says
    why nothing was parsed; then there are no codes.
    """

    codes: tuple[int, ...] = ()
    has_errors: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Region:
    """A node that is of some kinds as a whole."""

    start: int
    end: int
    kinds: SyntaxKind


@dataclass(frozen=True, slots=True)
class _Name:
    """A name that is defined or called."""

    start: int
    end: int
    kind: SyntaxKind


@dataclass(frozen=True, slots=True)
class _Syntax:
    """The regions of a part of a text, outer ones first, and the names, both in order.

    `errors` are the ranges that the grammar could not read.
    """

    regions: list[_Region] = field(default_factory=list)
    names: list[_Name] = field(default_factory=list)
    errors: list[tuple[int, int]] = field(default_factory=list)


@cache
def _load_query(language: Language) -> Query:
    """Return the query of a language in `WITH_SYNTAX`."""
    import tree_sitter

    text = "\n".join(
        (_QUERIES / f"{name}.scm").read_text(encoding="utf-8")
        for name in language.traits.syntax.split()
    )
    text += "\n(ERROR) @error"
    return tree_sitter.Query(load_grammar(language).parser_language, text)


def classify_spans(
    tree: Tree, grammar: Grammar, content: Content, spans: Sequence[int]
) -> SyntaxAnswer:
    """Return the syntax of each span, in order.

    `spans` are the starts and the ends in turn. Only spans that overlap take more than
    linear time.
    """
    count = len(spans) // 2
    order = sorted(range(count), key=lambda index: spans[2 * index])
    codes = [SpanSyntax().code] * count
    has_errors = False
    gap_bytes = max(_MIN_GAP_BYTES, len(content.data) // _MAX_GAPS)
    for group in _group(order, spans, gap_bytes):
        start = spans[2 * group[0]]
        end = max(spans[2 * index + 1] for index in group)
        lookup = _Lookup(_read_syntax(tree, grammar, content, start, end))
        for index in group:
            span_start, span_end = spans[2 * index : 2 * index + 2]
            if span_end <= len(content.data):
                codes[index] = lookup.find(span_start, span_end).code
                has_errors = has_errors or lookup.is_in_error(
                    span_start, span_end
                )
    return SyntaxAnswer(tuple(codes), has_errors)


def _group(
    order: list[int], spans: Sequence[int], gap_bytes: int
) -> Iterator[list[int]]:
    """Yield the spans between which there are no gaps of more than `gap_bytes`."""
    group: list[int] = []
    last_end = 0
    for index in order:
        start, end = spans[2 * index : 2 * index + 2]
        if group and start - last_end > gap_bytes:
            yield group
            group = []
        group.append(index)
        last_end = max(last_end, end)
    if group:
        yield group


def _read_syntax(
    tree: Tree, grammar: Grammar, content: Content, start: int, end: int
) -> _Syntax:
    """Return the regions around and the names in the bytes [start, end)."""
    from tree_sitter import QueryCursor

    words = _IMPORT_WORDS.get(grammar.language, ("require",))
    cursor = QueryCursor(_load_query(grammar.language))
    cursor.set_byte_range(start, max(end, start + 1))
    kinds_by_range: dict[tuple[int, int], SyntaxKind] = {}
    names: set[_Name] = set()
    errors: list[tuple[int, int]] = []
    for _, captures in cursor.matches(tree.root_node):
        if "require" in captures:
            node = captures["require"][0]
            if _read_word(content, node.start_byte, node.end_byte) not in words:
                continue
        for capture, nodes in captures.items():
            for node in nodes:
                node_range = node.start_byte, node.end_byte
                if capture in _NAME_KINDS:
                    names.add(_Name(*node_range, _NAME_KINDS[capture]))
                    continue
                if capture == "error":
                    errors += _find_unread(content, node, start, end)
                    continue
                if capture in _INNER_TOKENS:
                    kinds_by_range |= _find_inner(content, capture, *node_range)
                if capture == "quoted" and not _QUOTED.match(
                    _read_word(content, *node_range)
                ):
                    continue
                kinds = _REGION_KINDS.get(capture)
                if kinds is None:
                    continue
                earlier = kinds_by_range.get(node_range)
                if earlier is None or _RANKS[earlier] < _RANKS[kinds]:
                    kinds_by_range[node_range] = kinds
    regions = [
        _Region(*node_range, kinds)
        for node_range, kinds in kinds_by_range.items()
    ]
    regions.sort(key=lambda region: (region.start, -region.end))
    ordered_names = sorted(names, key=attrgetter("start", "end"))
    return _Syntax(regions, ordered_names, sorted(errors))


def _find_unread(
    content: Content, error: Node, start: int, end: int
) -> Iterator[tuple[int, int]]:
    """Yield the ranges of an error, within [start, end), that were not read.

    In a long error those are the lines with tokens that belong to no other node.
    """
    if error.end_point.row - error.start_point.row < _MAX_ERROR_LINES:
        yield error.start_byte, error.end_byte
        return
    cursor = error.walk()
    has_more = cursor.goto_first_child_for_byte(start) is not None
    line_end = 0
    while has_more:
        node = cursor.node
        if node is None or node.start_byte >= end:
            return
        is_token = not node.child_count and not node.is_extra
        # A long line may have many tokens, and is searched for its ends once.
        if is_token and node.end_byte > line_end:
            line_start = content.data.rfind(b"\n", 0, node.start_byte) + 1
            next_newline = content.data.find(b"\n", node.end_byte)
            line_end = next_newline if next_newline >= 0 else len(content.data)
            yield line_start, line_end
        has_more = cursor.goto_next_sibling()


def _find_inner(
    content: Content, capture: str, start: int, end: int
) -> dict[tuple[int, int], SyntaxKind]:
    """Return the kinds of the tokens in a node, by their ranges."""
    kinds_by_range: dict[tuple[int, int], SyntaxKind] = {}
    if content.unit_bytes > 1:
        return kinds_by_range
    pattern = _INNER_TOKENS[capture]
    for match in pattern.finditer(content.data, start, end):
        if match.lastgroup is not None:
            token_range = match.span(match.lastgroup)
            kinds_by_range[token_range] = _REGION_KINDS[match.lastgroup]
    return kinds_by_range


def _read_word(content: Content, start: int, end: int) -> str:
    """Return the text of a node, or its beginning."""
    data = content.data[start : min(end, start + _MAX_WORD_BYTES)]
    return data.decode(content.codec, "replace")


class _Lookup:
    """The kinds of spans in one part of a text, looked up in order of their starts."""

    def __init__(self, syntax: _Syntax) -> None:
        self._regions = syntax.regions
        self._names = syntax.names
        self._name_ends = [name.end for name in syntax.names]
        self._errors = syntax.errors
        self._next_error = 0
        self._error_end = 0
        # The regions around the current start, the innermost last.
        self._open: list[_Region] = []
        self._next_region = 0

    def find(self, start: int, end: int) -> SpanSyntax:
        """Return the kinds of the span [start, end)."""
        self._advance(start)
        kinds = SyntaxKind.CODE
        cut_kinds = held_kinds = SyntaxKind.NONE
        for region in reversed(self._open):
            if region.end >= end:
                kinds = region.kinds
                break
            # A region that the span holds whole counts with the code around it.
            if region.start < start:
                cut_kinds |= region.kinds
            held_kinds |= region.kinds
        index = self._next_region
        while index < len(self._regions) and self._regions[index].start < end:
            if self._regions[index].end > end:
                cut_kinds |= self._regions[index].kinds
            held_kinds |= self._regions[index].kinds
            index += 1
        touches = kinds | held_kinds
        is_code = SyntaxKind.CODE in kinds
        if cut_kinds and (
            not is_code or cut_kinds & ~(SyntaxKind.CODE | SyntaxKind.IMPORT)
        ):
            return SpanSyntax(SyntaxKind.NONE, touches)
        if is_code:
            kinds |= self._find_names(start, end)
        return SpanSyntax(kinds, touches | kinds)

    def is_in_error(self, start: int, end: int) -> bool:
        """Return True if the span is in text that the grammar could not read."""
        while self._next_error < len(self._errors):
            error_start, error_end = self._errors[self._next_error]
            if error_start >= end:
                break
            self._error_end = max(self._error_end, error_end)
            self._next_error += 1
        return start < self._error_end

    def _advance(self, start: int) -> None:
        """Open the regions that begin up to `start`, and close those before it."""
        while self._next_region < len(self._regions):
            region = self._regions[self._next_region]
            if region.start > start:
                break
            self._close(region.start)
            self._open.append(region)
            self._next_region += 1
        self._close(start)

    def _close(self, start: int) -> None:
        """Close the regions that end at `start` or before."""
        # They are inside of one another, so that those which end first are last.
        while self._open and self._open[-1].end <= start:
            self._open.pop()

    def _find_names(self, start: int, end: int) -> SyntaxKind:
        """Return the kinds of the names that the span [start, end) touches."""
        kinds = SyntaxKind.NONE
        index = bisect_right(self._name_ends, start)
        while index < len(self._names) and self._names[index].start < end:
            kinds |= self._names[index].kind
            index += 1
        return kinds
