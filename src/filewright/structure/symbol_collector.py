"""The symbols of a syntax tree: the nodes that a query captures, one inside the other.

The query runs over a window of the text at a time, so memory does not grow with the
number of captures, and the inside of a skipped node costs nothing. `QueryPattern` in
`grammar` describes the settings of patterns, and the kind `-`, that are applied here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from filewright.structure.grammar import Grammar, QueryPattern
from filewright.structure.leading_comments import BlockFinder, Range
from filewright.structure.source_text import SourceText, truncate
from filewright.structure.symbol import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_SYMBOLS: Final = 100_000
"""A file with more symbols is data, and its outline would be larger than its text."""
MAX_NESTING: Final = 64
"""Symbols nested deeper are left out: no reader follows, and consumers may recurse."""

_MAX_NODE_DEPTH: Final = 2_000
"""Deeper syntax nodes are not visited: the time to reach one grows with its depth squared."""
_MAX_SHOWN_IMPORTS: Final = 6
_WINDOW_BYTES: Final = 128 << 10
_MAX_NAME_CHARACTERS: Final = 200
_MAX_NAME_BYTES: Final = 2_000
_MAX_HEADER_BYTES: Final = 8 << 10
"""Bytes from the beginning of a symbol to the end of its name."""

_OPTIONAL_MARK: Final = "?"
"""Begins a kind in a query whose symbols count only with other symbols inside."""


@dataclass(frozen=True, slots=True)
class CollectedSymbols:
    """The symbols of a file, their number, and True if some were left out."""

    symbols: tuple[Symbol, ...]
    count: int
    is_truncated: bool


@dataclass(slots=True, eq=False)
class _Draft:
    """A symbol while it is collected.

    It holds the symbols in the ranges `inside`. `import_names` are those of an import,
    which grows with each import that follows. `needs_children` is True if it counts only
    with symbols inside. A heading has a `level`: it extends to the next heading of its
    level or above, and holds the lower ones.
    """

    kind: str
    name: str
    depth: int
    start: int
    end: int
    inside: tuple[Range, ...]
    block_start: int
    lookup_name: str = ""
    level: int = 0
    needs_children: bool = False
    is_list_item: bool = False
    import_names: list[str] = field(default_factory=list)
    children: list[_Draft] = field(default_factory=list)


@dataclass(slots=True)
class _Capture:
    """A match of the query.

    `name_start` is -1 without a name, or if only the first name of the node counts:
    then all its names are one.
    `name_nodes` are empty where the node itself is the name. `inside` are the parts
    that may hold symbols, if the query says so. `value` is the node that decides on the kind.
    """

    pattern: QueryPattern
    pattern_index: int
    node: Node
    name_start: int
    name_nodes: list[Node]
    inside: list[Node]
    value: Node | None
    level_node: Node | None

    @property
    def range(self) -> Range:
        """The first byte of the node, and the byte behind it."""
        return self.node.start_byte, self.node.end_byte


@dataclass(frozen=True, slots=True)
class _UnwrappedNode:
    """The node inside casts and declarators, and the node that decides on the kind.

    `deciding` is the innermost of these nodes whose type has a kind in the pattern.
    """

    innermost: Node
    deciding: Node


def _by_position(capture: _Capture) -> tuple[int, int, int, int]:
    """Return the sort key of a capture: of two that begin together, the outer is first."""
    start, end = capture.range
    return start, -end, capture.name_start, capture.pattern_index


def collect_symbols(
    root: Node, grammar: Grammar, source: SourceText, *, trims: bool = False
) -> CollectedSymbols:
    """Return the symbols below `root`.

    `trims` is True for a grammar whose nodes may end with blank and comment lines: their
    symbols end before these.
    """
    collector = _Collector(grammar, source, trims=trims)
    collector.collect(root)
    return collector.build()


class _Collector:
    """The drafts collected so far, and the symbols that are open at the current node."""

    def __init__(
        self, grammar: Grammar, source: SourceText, *, trims: bool
    ) -> None:
        self._grammar = grammar
        self._source = source
        self._trims = trims
        self._blocks = BlockFinder(grammar, source)
        size = len(source.data)
        self._top = _Draft("", "", 0, 0, size, ((0, size),), 0)
        self._open = [self._top]
        self._count = 0
        self._is_truncated = False
        # Variables and constants that each holder has, by its identity and their name.
        self._variables: set[tuple[int, str]] = set()
        # The starts of the names at the current node, and the names.
        self._names_at_node: set[int | str] = set()
        # Nodes before this offset are inside a skipped node.
        self._skipped_to = 0
        self._skipped_range = (0, 0)

    def collect(self, root: Node) -> None:
        """Go through the captures in the order of the file."""
        current = (-1, 0)
        for capture in self._captures(root):
            start, _ = capture.range
            is_skipped = start < self._skipped_to
            if is_skipped and capture.range != self._skipped_range:
                continue
            if capture.range != current:
                current = capture.range
                self._names_at_node.clear()
            # Of several patterns for a name, the first in the query counts.
            if capture.name_start not in self._names_at_node:
                self._names_at_node.add(capture.name_start)
                self._collect_capture(capture)
            if self._count >= MAX_SYMBOLS:
                self._is_truncated = True
                return

    def build(self) -> CollectedSymbols:
        """Return the symbols of the drafts."""
        drafts = self._top.children
        if any(draft.level for draft in drafts):
            drafts = _nest_headings(drafts, len(self._source.data))
        builder = _SymbolBuilder(self._source, drafts)
        symbols = builder.build(drafts)
        return CollectedSymbols(symbols, builder.count, self._is_truncated)

    # Captures

    def _captures(self, root: Node) -> Iterator[_Capture]:
        """Yield the captures window by window, sorted by position."""
        from tree_sitter import QueryCursor

        cursor = QueryCursor(self._grammar.query)
        cursor.set_max_start_depth(_MAX_NODE_DEPTH)
        patterns = self._grammar.patterns
        start, size = 0, len(self._source.data)
        while start < size:
            stop = start + _WINDOW_BYTES
            cursor.set_byte_range(start, stop + _MAX_HEADER_BYTES)
            window = []
            for index, nodes in cursor.matches(root):
                pattern = patterns[index]
                node = nodes[pattern.capture][0]
                if "alone" in pattern.settings and self._is_alone(node):
                    node = node.parent or node
                if not start <= node.start_byte < stop:
                    continue
                capture = self._read_match(pattern, index, node, nodes)
                if capture is not None:
                    window.append(capture)
            window.sort(key=_by_position)
            yield from window
            start = max(stop, self._skipped_to)

    def _read_match(
        self,
        pattern: QueryPattern,
        index: int,
        node: Node,
        nodes: dict[str, list[Node]],
    ) -> _Capture | None:
        """Return a match as a capture, or None if the pattern's settings exclude it."""
        if pattern.when is not None and not self._fits_text(pattern, nodes):
            return None
        name_nodes = nodes.get("name", [])
        inside = nodes.get("in", [])
        value = None
        for role in ("value", "called"):
            if role not in nodes:
                continue
            unwrapped = self._unwrap(pattern, nodes[role][0])
            innermost, value = unwrapped.innermost, unwrapped.deciding
            bound_kind = pattern.bound.get(value.type)
            if bound_kind == "-":
                return None
            if bound_kind is None and "only" in pattern.settings:
                return None
            if role == "called":
                name_nodes = [innermost]
            elif bound_kind is not None:
                body = innermost.child_by_field_name("body")
                inside = [body or innermost]
        if "several" in pattern.settings and self._is_alone(node):
            return None
        name_start = -1
        if name_nodes and not pattern.first:
            name_start = name_nodes[-1].start_byte
        return _Capture(
            pattern,
            index,
            node,
            name_start,
            name_nodes,
            inside,
            value,
            nodes["level"][0] if "level" in nodes else None,
        )

    def _fits_text(
        self, pattern: QueryPattern, nodes: dict[str, list[Node]]
    ) -> bool:
        """Return True if the setting `when` matches the text that it is about."""
        assert pattern.when is not None
        text_nodes = nodes.get("when") or nodes["name"]
        start, end = text_nodes[0].start_byte, text_nodes[-1].end_byte
        if not self._source.is_wide:
            # Without a copy: there may be a text for every node.
            match = pattern.when.fullmatch(self._source.data, start, end)
            return match is not None
        text = self._source.read_collapsed(start, end, _MAX_NAME_BYTES)
        encoded = text.encode()[:_MAX_NAME_BYTES]
        return pattern.when.fullmatch(encoded) is not None

    def _unwrap(self, pattern: QueryPattern, node: Node) -> _UnwrappedNode:
        """Return the node inside casts and declarators, as a pattern takes it."""
        roles, deciding = self._grammar.roles, node
        while True:
            if node.type in pattern.bound:
                deciding = node
            if node.type not in roles["cast"]:
                return _UnwrappedNode(node, deciding)
            inner = node.child_by_field_name("declarator")
            if inner is None:
                for child in node.named_children:
                    if child.type not in roles["aside"]:
                        inner = child
                        break
            if inner is None:
                return _UnwrappedNode(node, deciding)
            node = inner

    def _is_alone(self, node: Node) -> bool:
        """Return True if no sibling next to a node has its type."""
        for direction in ("prev_named_sibling", "next_named_sibling"):
            sibling = self._find_sibling(node, direction)
            if sibling is not None and sibling.type == node.type:
                return False
        return True

    def _find_sibling(self, node: Node, direction: str) -> Node | None:
        """Return the nearest sibling in a direction that is no comment."""
        sibling: Node | None = getattr(node, direction)
        lead_types = self._grammar.roles["lead"]
        while sibling is not None and sibling.type in lead_types:
            sibling = getattr(sibling, direction)
        return sibling

    # Drafts

    def _collect_capture(self, capture: _Capture) -> None:
        """Add the symbol of a capture, or skip its node."""
        holder = self._find_holder(*capture.range)
        if holder is None:
            return
        draft = self._build_draft(capture, holder)
        innermost = self._open[-1]
        if draft is not None:
            is_fresh = draft.name not in self._names_at_node
            if is_fresh or "fresh" not in capture.pattern.settings:
                self._names_at_node.add(draft.name)
                self._add(holder, draft, capture.node)
        elif (
            not innermost.depth
            or (innermost.start, innermost.end) != capture.range
        ):
            self._skip(*capture.range)

    def _find_holder(self, start: int, end: int) -> _Draft | None:
        """Return the innermost open symbol around [start, end).

        None if that symbol does not hold symbols there.
        """
        while self._open[-1].end <= start and len(self._open) > 1:
            self._open.pop()
        holder = self._open[-1]
        if holder.depth and (holder.start, holder.end) == (start, end):
            # The capture is another name of the same declaration.
            for draft in reversed(self._open):
                if not draft.depth or (draft.start, draft.end) != (start, end):
                    holder = draft
                    break
        for first, last in holder.inside:
            if first <= start and end <= last:
                return holder
        return holder if holder is self._top else None

    def _skip(self, start: int, end: int) -> None:
        """Skip the nodes in [start, end), except other names of the same declaration."""
        if end > self._skipped_to:
            self._skipped_to, self._skipped_range = end, (start, end)

    def _build_draft(self, capture: _Capture, holder: _Draft) -> _Draft | None:
        """Return the draft of a capture, or None if it is no symbol in its holder."""
        pattern, node = capture.pattern, capture.node
        bound_kind = None
        if capture.value is not None:
            bound_kind = pattern.bound.get(capture.value.type)
        kind = bound_kind or pattern.kind_within(holder.kind)
        if kind == "-":
            return None
        name = self._read_name(capture)
        settings = pattern.settings
        if name == settings.get("except"):
            return None
        lookup_name = pattern.lookup_name(name)
        inside = capture.inside
        if not inside and pattern.nests:
            inside = [node]
        is_optional = kind.startswith(_OPTIONAL_MARK)
        if "upper" in settings and "filled" not in settings:
            is_constant = name.isupper() and len(name) > 1
            if is_constant and not bound_kind and not is_optional:
                kind = settings["upper"]
        level = 0
        if capture.level_node is not None:
            level = int(re.sub(r"\D", "", capture.level_node.type))
        return _Draft(
            kind=kind.removeprefix(_OPTIONAL_MARK),
            name=name,
            depth=holder.depth + 1,
            start=node.start_byte,
            end=node.end_byte,
            inside=tuple([(part.start_byte, part.end_byte) for part in inside]),
            block_start=node.start_byte,
            lookup_name=lookup_name if lookup_name != name else "",
            level=level,
            needs_children=is_optional or "filled" in settings,
        )

    def _read_name(self, capture: _Capture) -> str:
        """Return the name of a capture, made of its text by the pattern's rules."""
        pattern = capture.pattern
        fixed_name = pattern.settings.get("name")
        if fixed_name:
            text = fixed_name
        else:
            name_nodes = capture.name_nodes or [capture.node]
            end = name_nodes[-1].end_byte
            inside = capture.inside
            if inside and name_nodes[0] is capture.node:
                end = inside[0].start_byte
            text = self._source.read_collapsed(
                name_nodes[0].start_byte, end, _MAX_NAME_BYTES
            )
        return truncate(pattern.display_name(text), _MAX_NAME_CHARACTERS)

    def _add(self, holder: _Draft, draft: _Draft, node: Node) -> None:
        """Add a draft to its holder, unless it is a repetition."""
        self._open_or_skip(draft)
        if draft.depth > MAX_NESTING:
            self._is_truncated = True
            return
        if draft.kind in ("variable", "constant") and not draft.needs_children:
            key = (id(holder), draft.name)
            if key in self._variables:
                return
            self._variables.add(key)
        siblings = holder.children
        # Of several names in one declaration, the first has the comments above it.
        is_first_name = not siblings or siblings[-1].start != draft.start
        outer = self._find_wrapper(node) if is_first_name else node
        if draft.kind == "import":
            if self._join_import(holder, draft.name, outer):
                return
            draft.import_names.append(draft.name)
        if is_first_name:
            draft.block_start = self._blocks.find_start(outer)
            draft.end = outer.end_byte
        draft.is_list_item = self._is_list_item(outer, draft.kind)
        if self._trims:
            draft.end = self._blocks.find_trimmed_end(draft.start, draft.end)
            block_start = self._blocks.find_start_by_lines(draft.start)
            if block_start is not None:
                draft.block_start = block_start
        siblings.append(draft)
        self._count += 1

    def _open_or_skip(self, draft: _Draft) -> None:
        """Open a draft that may hold symbols, and skip the inside of another."""
        if draft.inside:
            self._open.append(draft)
            return
        innermost = self._open[-1]
        is_sibling = innermost.depth == draft.depth
        if is_sibling and innermost.end <= draft.end:
            # Both are names of one declaration, which goes on inside the open one.
            return
        self._skip(draft.start, draft.end)

    def _is_list_item(self, node: Node, kind: str) -> bool:
        """Return True if a node is one of several with commas between them."""
        parent = node.parent
        if parent is None or parent.type not in self._grammar.roles["list"]:
            return False
        # The body of an enum may also hold methods, which no comma follows.
        return kind in ("member", "constant") or "enum" not in parent.type

    def _find_wrapper(self, node: Node) -> Node:
        """Return the outermost of the wrappers that end with `node`, or `node` itself."""
        wrapper_types = self._grammar.roles["wrapper"]
        while True:
            parent = node.parent
            if parent is None or parent.type not in wrapper_types:
                return node
            last = parent.named_child(parent.named_child_count - 1)
            if last is None or last.end_byte > node.end_byte:
                return node
            if _is_group(parent):
                return node
            node = parent

    def _join_import(self, holder: _Draft, name: str, outer: Node) -> bool:
        """Add a name to the import right before it, if there is one.

        Imports without other code between them are one symbol.
        """
        last = holder.children[-1] if holder.children else None
        if last is None or not last.import_names:
            return False
        if outer.start_byte >= last.end:
            previous = self._find_sibling(outer, "prev_named_sibling")
            if previous is None or previous.end_byte > last.end:
                return False
            last.end = outer.end_byte
        last.import_names.append(name)
        return True


class _SymbolBuilder:
    """A builder of symbols from drafts; `count` is the number of those built."""

    def __init__(self, source: SourceText, drafts: list[_Draft]) -> None:
        self.count = 0
        self._source = source
        self._rows = self._find_rows(drafts)

    def build(self, drafts: list[_Draft]) -> tuple[Symbol, ...]:
        """Return the symbols of drafts, with those inside them."""
        symbols = []
        for draft in drafts:
            children: tuple[Symbol, ...] = ()
            if draft.children:
                children = self.build(draft.children)
            if draft.needs_children and not children:
                continue
            name = draft.name
            if draft.import_names:
                name = _join_names(draft.import_names)
            self.count += 1
            end = self._source.last_character(draft.start, draft.end)
            symbols.append(
                Symbol(
                    name=name,
                    kind=draft.kind,
                    start_line=self._rows[draft.start] + 1,
                    end_line=self._rows[end] + 1,
                    start=draft.start,
                    end=draft.end,
                    block_start=draft.block_start,
                    block_start_line=self._rows[draft.block_start] + 1,
                    lookup_name=draft.lookup_name,
                    is_list_item=draft.is_list_item,
                    children=children,
                )
            )
        return tuple(symbols)

    def _find_rows(self, drafts: list[_Draft]) -> dict[int, int]:
        """Return the row of each offset in the drafts, in one pass over the text."""
        source = self._source
        offsets: set[int] = set()
        pending = list(drafts)
        while pending:
            draft = pending.pop()
            offsets.add(draft.start)
            offsets.add(draft.block_start)
            offsets.add(source.last_character(draft.start, draft.end))
            pending += draft.children
        rows = {}
        row = previous_offset = 0
        for offset in sorted(offsets):
            row += source.count_line_ends(previous_offset, offset)
            rows[offset] = row
            previous_offset = offset
        return rows


def _is_group(node: Node) -> bool:
    """Return True if a declaration lists several symbols in parentheses.

    The start of the declaration then belongs to none of the symbols.
    """
    return any(child.type == "(" for child in node.children)


def _join_names(names: list[str]) -> str:
    """Return the names of an import, the first few of many."""
    distinct = list(dict.fromkeys(names))
    text = ", ".join(distinct[:_MAX_SHOWN_IMPORTS])
    if len(distinct) <= _MAX_SHOWN_IMPORTS:
        return text
    return f"{text}, +{len(distinct) - _MAX_SHOWN_IMPORTS}"


def _nest_headings(headings: list[_Draft], end: int) -> list[_Draft]:
    """Return headings in a row as a tree, each with the text up to the next of its level."""
    top: list[_Draft] = []
    open_headings: list[_Draft] = []
    for heading in headings:
        while open_headings and open_headings[-1].level >= heading.level:
            open_headings.pop().end = heading.block_start
        siblings = open_headings[-1].children if open_headings else top
        siblings.append(heading)
        heading.end = end
        open_headings.append(heading)
    return top
