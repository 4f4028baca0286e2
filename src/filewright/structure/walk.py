"""From a syntax tree to symbols: one walk, by hand, for every language.

The walk is iterative, so nesting costs memory and never the stack, and looks only into nodes the
language's table names, which is what keeps it far cheaper than the parse.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from filewright.structure.grammar import Grammar
from filewright.structure.symbol import Symbol
from filewright.structure.table import Found, Rule, Site, Source

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_SYMBOLS: Final = 100_000
"""More symbols than this are not listed: the file is data, and the tree would outgrow the text."""
MAX_NESTING: Final = 64
"""Symbols nested deeper are left out: no reader follows, and consumers may recurse."""
_IMPORTS_NAMED: Final = 6


_SKIP: Final = object()
_LEAD: Final = object()


class _Draft:
    """A symbol being collected."""

    __slots__ = (
        *("kind", "name", "known_as", "depth", "level", "start", "end", "start_row", "end_row"),
        *("block_start", "block_row", "children", "imports", "seen", "symbol"),
    )

    def __init__(self, kind: str, name: str, depth: int) -> None:
        self.kind, self.name, self.known_as, self.depth, self.level = kind, name, "", depth, 0
        self.start = self.end = self.block_start = 0
        self.start_row = self.end_row = self.block_row = 0
        self.children: list[_Draft] = []
        self.imports: list[str] | None = None
        self.seen: set[str] | None = None
        self.symbol: Symbol | None = None


class _Frame:
    """A list of sibling nodes being gone through, and what the last of them left behind."""

    __slots__ = ("before", "first", "holder", "lead", "lead_end", "lead_row", "nodes", "outer", "wrapper")

    def __init__(self, nodes: Iterable[Node], holder: _Draft) -> None:
        self.nodes: Iterator[Node] = iter(nodes)
        self.holder = holder
        self.lead = -1  # offset where the comments and attributes before the next sibling begin
        self.lead_row = self.lead_end = -1
        self.before: Node | None = None
        self.wrapper: Node | None = None
        self.outer = (-1, -1)  # where the wrapper, with its lead, begins; for the first symbol inside
        self.first = -1  # offset at which a node takes the lead over from the frame outside


def collect(root: Node, grammar: Grammar, source: Source) -> tuple[tuple[Symbol, ...], int, bool]:
    """The symbols below `root`, how many they are, and whether any were left out."""
    return _Walk(grammar, source).run(root)


class _Walk:
    def __init__(self, grammar: Grammar, source: Source) -> None:
        self.actions, self.wrappers = grammar.actions, grammar.wrappers
        self.acts: dict[int, object] = {**grammar.actions, **dict.fromkeys(grammar.leads, _LEAD)}
        self.plain = {kind for kind in self.wrappers if self.actions.get(kind) is None}
        self.table, self.source = grammar.table, source
        self.inner = self.table.inner if not source.codec.startswith("utf-16") else ()
        self.marks: list[int] | None = None
        self.drafts: list[_Draft] = []
        self.truncated = self.too_deep = False

    def run(self, root: Node) -> tuple[tuple[Symbol, ...], int, bool]:
        top = _Draft("", "", 0)
        stack = [_Frame((root,), top)]
        acts, plain = self.acts, self.plain
        while stack and not self.truncated:
            frame = stack[-1]
            for node in frame.nodes:
                kind = node.kind_id
                action = acts.get(kind, _SKIP)
                if action is _LEAD:
                    self._lead(frame, node)
                    continue
                inner = None
                if action is not _SKIP and (kind not in plain or self._holds_any(node)):
                    inner = self._visit(frame, node, kind, action)
                frame.before = node
                frame.lead = -1
                if inner:
                    stack.extend(inner)
                    break
            else:
                stack.pop()
        if any(draft.level for draft in self.drafts):
            top.children = _nested(top.children, len(self.source.data), _last_row(root))
        return self._frozen(top)

    def _holds_any(self, node: Node) -> bool:
        """Whether a wrapper round a single node is worth a look: most statements are not."""
        return node.named_child_count != 1 or node.named_child(0).kind_id in self.actions

    def _lead(self, frame: _Frame, node: Node) -> None:
        """Note a comment or attribute: it may belong to the sibling that follows."""
        row, end = node.start_point.row, _last_row(node)
        if frame.lead < 0 or row > frame.lead_end + 1:
            before = frame.before
            if before is not None and before.end_point.row == row and before.end_point.column:
                return  # it stands behind something on its line
            frame.lead, frame.lead_row = node.start_byte, row
        frame.lead_end = end

    def _visit(self, frame: _Frame, node: Node, kind: int, action: object) -> list[_Frame]:
        holder = frame.holder
        found: Iterable[Found] | None = None
        if action is None:
            found = None
        elif isinstance(action, Rule):
            name = node.child_by_field_name(action.name)
            if name is not None:
                kind_name = action.within.get(holder.kind, action.kind)
                worth = action.nests and self._worth(kind_name, name.end_byte, node.end_byte)
                into = tuple(node.named_children) if worth else ()
                found = (Found(kind_name, self.source.text(name), node, into),)
        elif callable(action):
            found = action(node, Site(self.source, holder.kind, holder.name))
        start, row = self._block(frame, node) if frame.lead >= 0 or frame.outer[0] >= 0 else (-1, -1)
        if found is None:
            return [self._inside(frame, node, kind, start, row)]
        inner = []
        for each in found:
            draft = self._add(frame, each, start, row)
            start = row = -1
            frame.outer = (-1, -1)
            if (
                draft is not None
                and each.into
                and self._worth(each.kind, each.into[0].start_byte, each.node.end_byte)
            ):
                inner.append(_Frame(each.into, draft))
        inner.reverse()
        return inner

    def _worth(self, kind: str, start: int, stop: int) -> bool:
        """Whether there can be symbols inside: a search for words that saves most of the walk."""
        if not self.inner or kind not in ("function", "method"):
            return True
        if self.marks is None:
            self.marks = _marks(self.source.data, self.inner)
        place = bisect_left(self.marks, start)
        return place < len(self.marks) and self.marks[place] < stop

    def _block(self, frame: _Frame, node: Node) -> tuple[int, int]:
        """Where the block of `node` begins: its lead's offset and row, or -1 for its own start."""
        if frame.outer[0] >= 0:
            return frame.outer
        if node.start_byte == frame.first or frame.lead_end + 1 >= node.start_point.row:
            return frame.lead, frame.lead_row
        return -1, -1

    def _inside(self, frame: _Frame, node: Node, kind: int, start: int, row: int) -> _Frame:
        below = _Frame(node.named_children, frame.holder)
        below.before = frame.before
        if kind in self.wrappers and not (self.table.groups and _is_group(node)):
            below.wrapper = node
            if start < 0:
                start, row = node.start_byte, node.start_point.row
            below.outer = (start, row)
        elif start >= 0:
            below.lead, below.lead_row, below.lead_end = start, row, -2
            below.first = node.start_byte
        return below

    def _add(self, frame: _Frame, found: Found, start: int, row: int) -> _Draft | None:
        holder = frame.holder
        if holder.depth >= MAX_NESTING:
            self.too_deep = True
            return None
        node = found.node
        if found.kind in ("variable", "constant"):
            if holder.seen is None:
                holder.seen = set()
            if found.name in holder.seen:
                return None
            holder.seen.add(found.name)
        if found.kind == "import" and self._joined(frame, found, node):
            return None
        draft = _Draft(found.kind, found.name, holder.depth + 1)
        draft.known_as, draft.level = found.known_as, found.level
        draft.start, draft.end = node.start_byte, node.end_byte
        draft.start_row, draft.end_row = node.start_point.row, _last_row(node)
        draft.block_start, draft.block_row = (start, row) if start >= 0 else (draft.start, draft.start_row)
        wrapper = frame.wrapper
        if wrapper is not None and start >= 0 and _last_end(wrapper) <= draft.end:
            draft.end, draft.end_row = wrapper.end_byte, _last_row(wrapper)
        if self.table.trims:
            self._trim(draft)
        if found.kind == "import":
            draft.imports = [found.name]
        holder.children.append(draft)
        self.drafts.append(draft)
        self.truncated = self.truncated or len(self.drafts) >= MAX_SYMBOLS
        return draft

    def _joined(self, frame: _Frame, found: Found, node: Node) -> bool:
        """Whether this import went into the one right before it: imports in a row are one symbol."""
        last = frame.holder.children[-1] if frame.holder.children else None
        if last is None or last.imports is None:
            return False
        if node.start_byte >= last.end:
            if frame.before is None or frame.before.end_byte > last.end:
                return False
            last.end, last.end_row = node.end_byte, _last_row(node)
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

    def _frozen(self, top: _Draft) -> tuple[tuple[Symbol, ...], int, bool]:
        """The drafts as symbols, last first: what a symbol holds comes after it."""
        count = 0
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
        return symbols, count, self.truncated or self.too_deep


def _marks(data: bytes, words: Iterable[bytes]) -> list[int]:
    """Where any of `words` is, in order."""
    import stringzilla

    text = stringzilla.Str(data)
    found: list[int] = []
    for word in words:
        wanted = word.decode()
        place = text.find(wanted)
        while place >= 0:
            found.append(place)
            place = text.find(wanted, place + 1)
    found.sort()
    return found


def _last_row(node: Node) -> int:
    """The row of a node's last character; a node that ends with a line's end does not own the next."""
    end = node.end_point
    return end.row - 1 if end.column == 0 and end.row > node.start_point.row else end.row


def _last_end(node: Node) -> int:
    """Where the last named child of `node`, which has one, ends."""
    return node.named_child(node.named_child_count - 1).end_byte


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
