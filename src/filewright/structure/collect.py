"""From a syntax tree to symbols: what a language's query captured, put one inside the other.

The query runs over a window of the text at a time, so memory does not grow with the number of captures,
and what lies inside something that is not looked into costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from filewright.structure.query import Grammar, QueryPattern
from filewright.structure.reading import Declaration, Site, SourceText, is_capital
from filewright.structure.symbol import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_SYMBOLS: Final = 100_000
"""More symbols than this are not listed: the file is data, and the tree would outgrow the text."""
MAX_NESTING: Final = 64
"""Symbols nested deeper are left out: no reader follows, and consumers may recurse."""
_DEEPEST: Final = 2_000
"""Syntax nodes nested deeper are not looked at: going down to them takes time by the square of their depth."""
_IMPORTS_NAMED: Final = 6
_WINDOW: Final = 128 << 10
_HEADER: Final = 8 << 10  # bytes from a symbol's beginning to the end of its name, at most
_IN_FILE_ORDER: Final = itemgetter(0, 1, 2, 3)
_BLANK: Final = b" \t\f\0\xef\xbb\xbf"


class _Draft:
    """A symbol being collected; or, without a kind, a part of the text that is not looked into."""

    __slots__ = (
        *("kind", "name", "known_as", "depth", "level", "start", "end", "start_row", "end_row"),
        *("block_start", "block_row", "children", "imports", "seen", "symbol", "into"),
    )

    def __init__(self, kind: str, name: str, depth: int, start: int, end: int) -> None:
        self.kind, self.name, self.known_as, self.depth, self.level = kind, name, "", depth, 0
        self.start, self.end, self.block_start = start, end, start
        self.start_row = self.end_row = self.block_row = 0
        self.into: list[tuple[int, int]] = []
        self.children: list[_Draft] = []
        self.imports: list[str] | None = None
        self.seen: set[str] | None = None
        self.symbol: Symbol | None = None


_Capture = tuple[int, int, int, int, "dict[str, list[Node]]"]
"""A match of the query: where it begins and minus where it ends (so that the outer of two that begin together
comes first), the number of its pattern, where its name is (-1 without), and its nodes."""


def collect(
    root: Node, grammar: Grammar, source: SourceText, *, trims: bool = False
) -> tuple[tuple[Symbol, ...], int, bool]:
    """The symbols below `root`, how many they are, and whether any were left out.

    `trims` says that nodes of this grammar may end in blank and comment lines.
    """
    collector = _SymbolTree(grammar, source, trims)
    collector.run(root)
    return collector.result(root)


class _SymbolTree:
    def __init__(self, grammar: Grammar, source: SourceText, trims: bool) -> None:
        self.grammar, self.source, self.trims = grammar, source, trims
        self.top = _Draft("", "", 0, 0, len(source.data))
        self.top.into = [(0, len(source.data))]
        self.open = [self.top]
        self.drafts: list[_Draft] = []
        self.passed, self.passed_last = 0, (0, 0)
        self.truncated = False

    def run(self, root: Node) -> None:
        """Go through the captures in file order."""
        patterns, place, read = self.grammar.patterns, (-1, 0), set[int]()
        for begin, reach, index, name, nodes in self._captures(root):
            if begin < self.passed and (begin, -reach) != self.passed_last:
                continue
            pattern = patterns[index]
            if (begin, reach) != place:
                place, read = (begin, reach), set()
            called = name if name >= 0 and not pattern.first else -1 - index
            if called not in read:  # else an earlier pattern has read it
                read.add(called)
                self._capture(pattern, begin, -reach, nodes)
            if len(self.drafts) >= MAX_SYMBOLS:
                self.truncated = True
                return

    def _captures(self, root: Node) -> Iterator[_Capture]:
        from tree_sitter import QueryCursor

        cursor, patterns = QueryCursor(self.grammar.query), self.grammar.patterns
        cursor.set_max_start_depth(_DEEPEST)
        start, size = 0, len(self.source.data)
        while start < size:
            stop = start + _WINDOW
            cursor.set_byte_range(start, stop + _HEADER)
            window = []
            for index, nodes in cursor.matches(root):
                pattern = patterns[index]
                node = nodes[pattern.capture][0]
                begin = node.start_byte
                if not start <= begin < stop:
                    continue
                if pattern.when is not None:
                    first, last = nodes["when"][0], nodes["when"][-1]
                    if not pattern.when.fullmatch(self.source.between(first.start_byte, last.end_byte)):
                        continue
                name = nodes["name"][-1].start_byte if "name" in nodes else -1
                window.append((begin, -node.end_byte, index, name, nodes))
            window.sort(key=_IN_FILE_ORDER)
            yield from window
            start = max(stop, self.passed)

    def _holder(self, start: int, end: int) -> _Draft | None:
        """The innermost open symbol around [start, end); None if it does not look into that."""
        open_ = self.open
        while open_[-1].end <= start and len(open_) > 1:
            open_.pop()
        around = open_[-1]
        if around.start == start and around.end == end and around.depth:
            # What begins and ends alike is another name of the same declaration.
            around = next(
                each for each in reversed(open_) if (each.start, each.end) != (start, end) or not each.depth
            )
        for first, last in around.into:
            if first <= start and end <= last:
                return around
        return around if around is self.top else None

    def _capture(self, pattern: QueryPattern, start: int, end: int, nodes: dict[str, list[Node]]) -> None:
        holder = self._holder(start, end)
        if holder is None:
            return
        node = nodes[pattern.capture][0]
        if pattern.reader is not None:
            last = self.open[-1]
            if last.depth and (last.start, last.end) == (start, end):
                return  # read with the declaration around it
            read = pattern.reader(node, Site(self.source, holder.kind))
            if read is None:
                return
            found = list(read)
        else:
            found = self._found(pattern, node, nodes, holder)
        for each in found:
            self._add(holder, each)
        if not found:
            self._pass_over(start, end)

    def _pass_over(self, start: int, end: int) -> None:
        """Do not look into [start, end); another name of the same declaration is still read."""
        if end > self.passed:
            self.passed, self.passed_last = end, (start, end)

    def _found(
        self, pattern: QueryPattern, node: Node, nodes: dict[str, list[Node]], holder: _Draft
    ) -> list[Declaration]:
        kind = pattern.kinds.get(holder.kind)
        if kind is None:
            kind = pattern.kinds[holder.kind] = pattern.kind_within(holder.kind)
        if kind == "-":
            return []
        named, within = nodes.get("name", [node]), nodes.get("in", [])
        end = within[0].start_byte if within and named[0] is node else named[-1].end_byte
        settings = pattern.settings
        name = pattern.shown(settings.get("name") or self.source.between(named[0].start_byte, end))
        if name == settings.get("except"):
            return []
        known_as = pattern.known(name)
        inside = tuple(within) or ((node,) if pattern.nests else ())
        if "filled" in settings:
            kind = f"?{kind}"
        elif "upper" in settings and is_capital(name):
            kind = settings["upper"]
        return [Declaration(kind, name, node, inside, known_as if known_as != name else "")]

    def _add(self, holder: _Draft, found: Declaration) -> None:
        node = found.node
        start, end = node.start_byte, node.end_byte
        draft = _Draft(found.kind, found.name, holder.depth + 1, start, end)
        if found.into:
            draft.into = [(each.start_byte, each.end_byte) for each in found.into]
            self.open.append(draft)
        elif not (self.open[-1].depth == draft.depth and self.open[-1].end <= end):
            self._pass_over(start, end)  # else it is a name beside what is open, of the whole declaration
        if draft.depth > MAX_NESTING:
            self.truncated = True
            return
        if found.kind in ("variable", "constant"):
            if holder.seen is None:
                holder.seen = set()
            if found.name in holder.seen:
                return
            holder.seen.add(found.name)
        # Of several names in one declaration the first has what is around it.
        outer = node if holder.children and holder.children[-1].start == start else self._outer(node)
        if found.kind == "import":
            if self._joined(holder, found, outer):
                return
            draft.imports = [found.name]
        draft.known_as, draft.level = found.known_as, found.level
        draft.start_row, draft.end_row = node.start_point.row, _last_row(node)
        draft.block_start, draft.block_row = start, draft.start_row
        if not holder.children or holder.children[-1].start != start:
            self._take_block(draft, outer)
        if self.trims:
            self._trim(draft)
        holder.children.append(draft)
        self.drafts.append(draft)

    def _outer(self, node: Node) -> Node:
        """The outermost wrapper that `node` is at the end of."""
        wrappers = self.grammar.wrappers
        while (around := node.parent) is not None and around.type in wrappers:
            last = around.named_child(around.named_child_count - 1)
            if last is None or last.end_byte > node.end_byte or _is_group(around):
                break
            node = around
        return node

    def _take_block(self, draft: _Draft, outer: Node) -> None:
        """Give a symbol what is wrapped around it, and the comments and attributes before it."""
        draft.block_start, draft.block_row = outer.start_byte, outer.start_point.row
        draft.end, draft.end_row = outer.end_byte, _last_row(outer)
        leads, data = self.grammar.leads, self.source.data
        before = outer.prev_sibling
        while (
            before is None and (around := outer.parent) is not None and around.start_byte == outer.start_byte
        ):
            outer, before = around, around.prev_sibling  # what is before all that begins here
        while before is not None and before.type in leads and _last_row(before) + 1 >= draft.block_row:
            start = before.start_byte
            if data[data.rfind(b"\n", 0, start) + 1 : start].strip(_BLANK):
                break  # it is behind something on its line
            draft.block_start, draft.block_row = start, before.start_point.row
            before = before.prev_sibling

    def _joined(self, holder: _Draft, found: Declaration, outer: Node) -> bool:
        """Whether this import went into the one right before it: imports in a row are one symbol."""
        last = holder.children[-1] if holder.children else None
        if last is None or last.imports is None:
            return False
        if outer.start_byte >= last.end:
            before = outer.prev_named_sibling
            while before is not None and before.type in self.grammar.leads:
                before = before.prev_named_sibling
            if before is None or before.end_byte > last.end:
                return False
            last.end, last.end_row = outer.end_byte, _last_row(outer)
        last.imports.append(found.name)
        return True

    def _trim(self, draft: _Draft) -> None:
        """Take blank and comment lines off the end, and comment lines above to the beginning."""
        data = self.source.data
        while True:
            text = data[max(draft.start, draft.end - 4096) : draft.end]
            kept = text.rstrip()
            newline = kept.rfind(b"\n")
            last = kept[newline + 1 :]
            if newline >= 0 and last.lstrip().startswith(b"#"):
                kept = kept[: newline + 1]
            elif len(kept) == len(text):
                break
            draft.end -= len(text) - len(kept)
            draft.end_row = draft.start_row + data.count(b"\n", draft.start, draft.end)
            if draft.end <= draft.start + 1:
                break
        position, row = draft.start, draft.start_row
        line = data.rfind(b"\n", 0, position) + 1
        if data[line:position].strip(b" \t-"):
            return
        while line:
            above = data.rfind(b"\n", 0, line - 1) + 1
            if not data[above : line - 1].lstrip().startswith(b"#"):
                break
            line, row = above, row - 1
            indent = len(data[line : line + 400]) - len(data[line : line + 400].lstrip())
            position = line + indent
        if position < draft.block_start:
            draft.block_start, draft.block_row = position, row

    def result(self, root: Node) -> tuple[tuple[Symbol, ...], int, bool]:
        """The drafts as symbols, last first: what a symbol holds comes after it."""
        top, count = self.top, 0
        if any(draft.level for draft in self.drafts):
            top.children = _nested(top.children, len(self.source.data), _last_row(root))
        for draft in reversed(self.drafts):
            children = tuple([child.symbol for child in draft.children if child.symbol is not None])
            kind, name = draft.kind, draft.name
            if kind[0] == "?":
                if not children:
                    continue
                kind = kind[1:]
            if draft.imports is not None:
                name = _import_name(draft.imports)
            count += 1
            draft.symbol = Symbol(
                name,
                kind,
                draft.start_row + 1,
                draft.end_row + 1,
                draft.start,
                draft.end,
                draft.block_start,
                draft.block_row + 1,
                draft.known_as if draft.known_as != name else "",
                children,
            )
        symbols = tuple([child.symbol for child in top.children if child.symbol is not None])
        return symbols, count, self.truncated


def _last_row(node: Node) -> int:
    """The row of a node's last character; a node that ends with a line's end does not own the next."""
    end = node.end_point
    return end.row - 1 if end.column == 0 and end.row > node.start_point.row else end.row


def _is_group(node: Node) -> bool:
    """Whether a declaration lists several in parentheses, so that its start belongs to none of them."""
    return any(child.type == "(" for child in node.children)


def _import_name(names: list[str]) -> str:
    distinct = list(dict.fromkeys(names))
    shown = ", ".join(distinct[:_IMPORTS_NAMED])
    return shown if len(distinct) <= _IMPORTS_NAMED else f"{shown}, +{len(distinct) - _IMPORTS_NAMED}"


def _nested(headings: list[_Draft], end: int, last_row: int) -> list[_Draft]:
    """Headings in a row as a tree: each reaches down to the next of its level or above."""
    top: list[_Draft] = []
    open_: list[_Draft] = []
    for heading in headings:
        while open_ and open_[-1].level >= heading.level:
            closed = open_.pop()
            closed.end, closed.end_row = heading.block_start, heading.block_row - 1
        (open_[-1].children if open_ else top).append(heading)
        open_.append(heading)
    for heading in open_:
        heading.end, heading.end_row = end, last_row
    return top
