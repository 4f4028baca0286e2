"""From a syntax tree to symbols: what a language's query captured, put one inside the other.

The query runs over a window of the text at a time, so memory does not grow with the number of captures,
and what lies inside something that is not looked into costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from filewright.languages import Language
from filewright.structure.file_comments import (
    comment_mark,
    is_directive,
    is_file_comment,
    is_line_mark,
)
from filewright.structure.grammar import Grammar, QueryPattern
from filewright.structure.source_text import SourceText, truncate
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
_NAME_CHARS: Final = 200
_NAME_BYTES: Final = 2_000  # of the text that a name is made of
_HEADER: Final = (
    8 << 10
)  # bytes from a symbol's beginning to the end of its name, at most
_IN_FILE_ORDER: Final = itemgetter(0, 1, 2, 3)
_BLANK: Final = b" \t\f\0\xef\xbb\xbf"
_COMMENT_BYTES: Final = 4_000  # of a comment that is looked at
_TOP_BYTES: Final = 64 << 10  # of a file in which its licence is looked for
_WITH_INNER_DOCS: Final = frozenset(
    [
        Language.RUST,
        Language.JAVASCRIPT,
        Language.JSX,
        Language.TYPESCRIPT,
        Language.TSX,
        Language.CSS,
    ]
)
"""Languages in which `//!` and `/*!` are of the file: docs of what is around them, or comments to be preserved."""
# What may come before a file's licence: comments, and the few things that must be first.
_PREAMBLE: Final = re.compile(
    r"(?:[\s\ufeff]++|<\?php\b|declare\s*+\([^)\n]*+\)\s*+;|[\"']use \w++[\"'];?|%\w[^\n]*+|---[ \t]*+\n"
    r"|<!doctype[^>]*+>|@charset[^;\n]*+;|(?:#|//|--)[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/|<!--(?:[^-]++|-(?!->))*+-->)*+",
    re.IGNORECASE,
)


@dataclass(slots=True, eq=False)
class _Draft:
    """A symbol being collected: it holds others in the ranges `into`; of an import `imports` are the names so far.

    A kind that begins with `?` is kept only if it turns out to have children. A `level` above 0 is a heading's: it
    reaches down to the next heading of its level or above, and holds the lower ones.
    """

    kind: str
    name: str
    depth: int
    start: int
    end: int
    into: tuple[tuple[int, int], ...]
    block_start: int
    lookup_name: str = ""
    level: int = 0
    is_list_item: bool = False
    imports: list[str] = field(default_factory=list)
    children: list[_Draft] = field(default_factory=list)


_Capture = tuple[int, int, int, int, "dict[str, list[Node]]"]
"""A match of the query: where it begins and minus where it ends (so that the outer of two that begin together
comes first), where its name is (-1 without, and where only the first counts), the number of its pattern, its nodes."""


def collect_symbols(
    root: Node, grammar: Grammar, source: SourceText, *, trims: bool = False
) -> tuple[tuple[Symbol, ...], int, bool]:
    """The symbols below `root`, how many they are, and whether any were left out.

    `trims` says that nodes of this grammar may end in blank and comment lines.
    """
    collector = _SymbolTree(grammar, source, trims)
    collector.run(root)
    return collector.result()


class _SymbolTree:
    def __init__(
        self, grammar: Grammar, source: SourceText, trims: bool
    ) -> None:
        self.grammar, self.source, self.trims = grammar, source, trims
        size = len(source.data)
        self.top = _Draft("", "", 0, 0, size, ((0, size),), 0)
        self.open = [self.top]
        self.count = 0
        self.seen: set[tuple[int, str]] = (
            set()
        )  # names of variables and constants, by what holds them
        self.read: set[int | str] = (
            set()
        )  # where the names are that were read at one place, and the names
        self.passed, self.passed_last = 0, (0, 0)
        self.truncated = False

    def run(self, root: Node) -> None:
        """Go through the captures in file order."""
        patterns, place = self.grammar.patterns, (-1, 0)
        for begin, reach, name, index, nodes in self._captures(root):
            if begin < self.passed and (begin, -reach) != self.passed_last:
                continue
            pattern = patterns[index]
            if (begin, reach) != place:
                place = (begin, reach)
                self.read.clear()
            if name not in self.read:  # else an earlier pattern has read it
                self.read.add(name)
                self._capture(pattern, begin, -reach, nodes)
            if self.count >= MAX_SYMBOLS:
                self.truncated = True
                return

    def _captures(self, root: Node) -> Iterator[_Capture]:
        from tree_sitter import QueryCursor

        cursor, patterns = (
            QueryCursor(self.grammar.query),
            self.grammar.patterns,
        )
        cursor.set_max_start_depth(_DEEPEST)
        start, size = 0, len(self.source.data)
        while start < size:
            stop = start + _WINDOW
            cursor.set_byte_range(start, stop + _HEADER)
            window = []
            for index, nodes in cursor.matches(root):
                pattern = patterns[index]
                node = nodes[pattern.capture][0]
                if "alone" in pattern.settings and self._is_alone(node):
                    node = node.parent or node
                    nodes[pattern.capture] = [node]
                begin = node.start_byte
                if not start <= begin < stop or not self._is_meant(
                    pattern, node, nodes
                ):
                    continue
                name = (
                    nodes["name"][-1].start_byte
                    if "name" in nodes and not pattern.first
                    else -1
                )
                window.append((begin, -node.end_byte, name, index, nodes))
            window.sort(key=_IN_FILE_ORDER)
            yield from window
            start = max(stop, self.passed)

    def _is_meant(
        self, pattern: QueryPattern, node: Node, nodes: dict[str, list[Node]]
    ) -> bool:
        """Whether what the settings ask of the text and of the value is so; what a value may hold is in it then."""
        if pattern.when is not None:
            asked = nodes.get("when") or nodes["name"]
            data, start, end = (
                self.source.data,
                asked[0].start_byte,
                asked[-1].end_byte,
            )
            if self.source.codec.startswith("utf-16"):
                data, start, end = (
                    self.source.spaced(start, end, _NAME_BYTES).encode(),
                    0,
                    _NAME_BYTES,
                )
            if not pattern.when.fullmatch(data, start, end):
                return False
        for role in ("value", "called"):
            if role in nodes:
                bare, deciding = self._bare(pattern, nodes[role][0])
                bound = pattern.bound.get(deciding.type)
                if bound == "-" or (
                    bound is None and "only" in pattern.settings
                ):
                    return False
                if role == "called":
                    nodes["name"] = [bare]
                elif bound is not None:
                    nodes["in"] = [bare.child_by_field_name("body") or bare]
                nodes["value"] = [deciding]
        return "several" not in pattern.settings or not self._is_alone(node)

    def _bare(self, pattern: QueryPattern, node: Node) -> tuple[Node, Node]:
        """What is inside casts or declarators, and the innermost node on the way whose type says what it is."""
        roles, deciding = self.grammar.roles, node
        inner: Node | None = node
        while inner is not None:
            node = inner
            if node.type in pattern.bound:
                deciding = node
            if node.type not in roles["cast"]:
                break
            inner = node.child_by_field_name("declarator")
            if inner is None:
                inner = next(
                    (
                        child
                        for child in node.named_children
                        if child.type not in roles["aside"]
                    ),
                    None,
                )
        return node, deciding

    def _is_alone(self, node: Node) -> bool:
        """Whether there is no other of its type beside a node."""
        near = [
            self._beside(node, way)
            for way in ("prev_named_sibling", "next_named_sibling")
        ]
        return not any(
            beside is not None and beside.type == node.type for beside in near
        )

    def _beside(self, node: Node, way: str) -> Node | None:
        """The nearest sibling on that side that is no comment."""
        beside: Node | None = getattr(node, way)
        while beside is not None and beside.type in self.grammar.roles["lead"]:
            beside = getattr(beside, way)
        return beside

    def _holder(self, start: int, end: int) -> _Draft | None:
        """The innermost open symbol around [start, end); None if it does not look into that."""
        open_ = self.open
        while open_[-1].end <= start and len(open_) > 1:
            open_.pop()
        around = open_[-1]
        if around.start == start and around.end == end and around.depth:
            # What begins and ends alike is another name of the same declaration.
            around = next(
                each
                for each in reversed(open_)
                if (each.start, each.end) != (start, end) or not each.depth
            )
        for first, last in around.into:
            if first <= start and end <= last:
                return around
        return around if around is self.top else None

    def _capture(
        self,
        pattern: QueryPattern,
        start: int,
        end: int,
        nodes: dict[str, list[Node]],
    ) -> None:
        holder = self._holder(start, end)
        if holder is None:
            return
        node = nodes[pattern.capture][0]
        draft = self._draft(pattern, node, nodes, holder)
        last = self.open[-1]
        if draft is not None:
            if "fresh" not in pattern.settings or draft.name not in self.read:
                self.read.add(draft.name)
                self._add(holder, draft, node)
        elif not last.depth or (last.start, last.end) != (start, end):
            self._pass_over(start, end)

    def _pass_over(self, start: int, end: int) -> None:
        """Do not look into [start, end); another name of the same declaration is still read."""
        if end > self.passed:
            self.passed, self.passed_last = end, (start, end)

    def _draft(
        self,
        pattern: QueryPattern,
        node: Node,
        nodes: dict[str, list[Node]],
        holder: _Draft,
    ) -> _Draft | None:
        bound = (
            pattern.bound.get(nodes["value"][0].type)
            if "value" in nodes
            else None
        )
        kind = bound or pattern.kinds.get(holder.kind)
        if kind is None:
            kind = pattern.kinds[holder.kind] = pattern.kind_within(holder.kind)
        if kind == "-":
            return None
        named, within = nodes.get("name", [node]), nodes.get("in", [])
        end = (
            within[0].start_byte
            if within and named[0] is node
            else named[-1].end_byte
        )
        settings = pattern.settings
        text = settings.get("name") or self.source.spaced(
            named[0].start_byte, end, _NAME_BYTES
        )
        name = truncate(pattern.shown(text), _NAME_CHARS)
        if name == settings.get("except"):
            return None
        lookup_name = pattern.known(name)
        inside = within or ([node] if pattern.nests else [])
        into = tuple([(each.start_byte, each.end_byte) for each in inside])
        if "filled" in settings:
            kind = f"?{kind}"
        elif (
            "upper" in settings
            and kind[0] != "?"
            and not bound
            and name.isupper()
            and len(name) > 1
        ):
            kind = settings["upper"]
        level = (
            int(re.sub(r"\D", "", nodes["level"][0].type))
            if "level" in nodes
            else 0
        )
        start, lookup_name = (
            node.start_byte,
            lookup_name if lookup_name != name else "",
        )
        return _Draft(
            kind,
            name,
            holder.depth + 1,
            start,
            node.end_byte,
            into,
            start,
            lookup_name,
            level,
        )

    def _add(self, holder: _Draft, draft: _Draft, node: Node) -> None:
        if draft.into:
            self.open.append(draft)
        elif not (
            self.open[-1].depth == draft.depth
            and self.open[-1].end <= draft.end
        ):
            self._pass_over(
                draft.start, draft.end
            )  # else it is beside what is open, of the whole declaration
        if draft.depth > MAX_NESTING:
            self.truncated = True
            return
        if draft.kind in ("variable", "constant"):
            if (id(holder), draft.name) in self.seen:
                return
            self.seen.add((id(holder), draft.name))
        # Of several names in one declaration the first has what is around it.
        first = not holder.children or holder.children[-1].start != draft.start
        outer = self._outer(node) if first else node
        if draft.kind == "import":
            if self._joined(holder, draft.name, outer):
                return
            draft.imports.append(draft.name)
        if first:
            self._take_block(draft, outer)
        draft.is_list_item = self._is_listed(outer, draft.kind)
        if self.trims:
            self._trim(draft)
        holder.children.append(draft)
        self.count += 1

    def _is_listed(self, node: Node, kind: str) -> bool:
        """Return whether a node is one of several with commas between them."""
        around = node.parent
        if around is None or around.type not in self.grammar.roles["list"]:
            return False
        # The body of an enum may also hold methods, which no comma follows.
        return kind in ("member", "constant") or "enum" not in around.type

    def _outer(self, node: Node) -> Node:
        """The outermost wrapper that `node` is at the end of."""
        wrappers = self.grammar.roles["wrapper"]
        while (around := node.parent) is not None and around.type in wrappers:
            last = around.named_child(around.named_child_count - 1)
            if (
                last is None
                or last.end_byte > node.end_byte
                or _is_group(around)
            ):
                break
            node = around
        return node

    def _take_block(self, draft: _Draft, outer: Node) -> None:
        """Give a symbol what is wrapped around it, and the comments and attributes before it."""
        draft.block_start, draft.end = outer.start_byte, outer.end_byte
        source, leads = self.source, self.grammar.roles["lead"]
        before = outer.prev_sibling
        while (
            before is None
            and (around := outer.parent) is not None
            and around.start_byte == outer.start_byte
        ):
            outer, before = (
                around,
                around.prev_sibling,
            )  # what is before all that begins here
        start = draft.block_start
        pieces: list[tuple[int, int]] = []
        while before is not None and before.type in leads:
            last = source.last(before.start_byte, before.end_byte)
            if source.breaks(last, start) > 1:
                break
            line = source.data.rfind(b"\n", 0, before.start_byte) + 1
            if source.data[line : before.start_byte].strip(_BLANK):
                break  # it is behind something on its line
            start = before.start_byte
            pieces.append((start, before.end_byte))
            before = before.prev_sibling
        if pieces:
            draft.block_start = self._below_header(
                pieces[::-1], start, draft.block_start
            )

    def _below_header(
        self, pieces: list[tuple[int, int]], start: int, stop: int
    ) -> int:
        """Return where a block begins whose comments and attributes are `pieces`, without those of the file."""
        comments = [
            self.source.text(*piece, _COMMENT_BYTES) for piece in pieces
        ]
        last = -1
        for index, comment in enumerate(comments):
            if is_directive(comment):
                last = index
        if self._is_top(start):
            first = last + 1
            while first < len(comments):
                # Lines with the same mark are one comment: a licence in lines is kept as a whole.
                mark = comment_mark(comments[first])
                run = first + 1
                while (
                    is_line_mark(mark)
                    and run < len(comments)
                    and comment_mark(comments[run]) == mark
                ):
                    run += 1
                text = "\n".join(comments[first:run])
                if mark and is_file_comment(
                    text, is_inner_doc=self._has_inner_docs
                ):
                    last = run - 1
                first = run
        elif self._has_inner_docs:
            for index, comment in enumerate(comments):
                if comment.startswith("//!"):
                    last = index
        if last < 0:
            return start
        return pieces[last + 1][0] if last + 1 < len(pieces) else stop

    @property
    def _has_inner_docs(self) -> bool:
        return self.grammar.language in _WITH_INNER_DOCS

    def _is_top(self, offset: int) -> bool:
        """Return whether there is nothing but comments and the file's preamble before an offset."""
        before = (
            self.source.text(0, offset, _TOP_BYTES)
            if offset <= _TOP_BYTES
            else None
        )
        return before is not None and _PREAMBLE.fullmatch(before) is not None

    def _joined(self, holder: _Draft, name: str, outer: Node) -> bool:
        """Whether this import went into the one right before it: imports in a row are one symbol."""
        last = holder.children[-1] if holder.children else None
        if last is None or not last.imports:
            return False
        if outer.start_byte >= last.end:
            before = self._beside(outer, "prev_named_sibling")
            if before is None or before.end_byte > last.end:
                return False
            last.end = outer.end_byte
        last.imports.append(name)
        return True

    def _trim(self, draft: _Draft) -> None:
        """Take blank and comment lines off the end, and comment lines above to the beginning."""
        data = self.source.data
        while draft.end > draft.start + 1:
            text = data[max(draft.start, draft.end - 4096) : draft.end]
            kept = text.rstrip()
            newline = kept.rfind(b"\n")
            if newline >= 0 and kept[newline + 1 :].lstrip().startswith(b"#"):
                kept = kept[: newline + 1]
            elif len(kept) == len(text):
                break
            draft.end -= len(text) - len(kept)
        line = data.rfind(b"\n", 0, draft.start) + 1
        if data[line : draft.start].strip(b" \t-"):
            return
        pieces: list[tuple[int, int]] = []
        while line:
            above = data.rfind(b"\n", 0, line - 1) + 1
            text = data[above : line - 1]
            if not text.lstrip().startswith(b"#"):
                break
            pieces.append((above + len(text) - len(text.lstrip()), line - 1))
            line = above
        if pieces:
            draft.block_start = self._below_header(
                pieces[::-1], pieces[-1][0], draft.start
            )

    def result(self) -> tuple[tuple[Symbol, ...], int, bool]:
        """The symbols, how many they are, and whether any were left out."""
        drafts = self.top.children
        if any(draft.level for draft in drafts):
            drafts = _nested(drafts, len(self.source.data))
        rows = self._rows(drafts)
        self.count = 0
        return self._symbols(drafts, rows), self.count, self.truncated

    def _rows(self, drafts: list[_Draft]) -> dict[int, int]:
        """The rows of all places that drafts name."""
        source, offsets = self.source, set[int]()
        pending = list(drafts)
        while pending:
            draft = pending.pop()
            offsets.update(
                (
                    draft.start,
                    draft.block_start,
                    source.last(draft.start, draft.end),
                )
            )
            pending += draft.children
        rows, row, before = {}, 0, 0
        for offset in sorted(offsets):
            row += source.breaks(before, offset)
            rows[offset], before = row, offset
        return rows

    def _symbols(
        self, drafts: list[_Draft], rows: dict[int, int]
    ) -> tuple[Symbol, ...]:
        symbols = []
        for draft in drafts:
            children = (
                self._symbols(draft.children, rows) if draft.children else ()
            )
            if draft.kind[0] == "?" and not children:
                continue
            name = _import_name(draft.imports) if draft.imports else draft.name
            self.count += 1
            symbols.append(
                Symbol(
                    name,
                    draft.kind.removeprefix("?"),
                    rows[draft.start] + 1,
                    rows[self.source.last(draft.start, draft.end)] + 1,
                    draft.start,
                    draft.end,
                    draft.block_start,
                    rows[draft.block_start] + 1,
                    draft.lookup_name,
                    draft.is_list_item,
                    children,
                )
            )
        return tuple(symbols)


def _is_group(node: Node) -> bool:
    """Whether a declaration lists several in parentheses, so that its start belongs to none of them."""
    return any(child.type == "(" for child in node.children)


def _import_name(names: list[str]) -> str:
    distinct = list(dict.fromkeys(names))
    shown = ", ".join(distinct[:_IMPORTS_NAMED])
    return (
        shown
        if len(distinct) <= _IMPORTS_NAMED
        else f"{shown}, +{len(distinct) - _IMPORTS_NAMED}"
    )


def _nested(headings: list[_Draft], end: int) -> list[_Draft]:
    """Headings in a row as a tree: each reaches down to the next of its level or above."""
    top: list[_Draft] = []
    open_: list[_Draft] = []
    for heading in headings:
        while open_ and open_[-1].level >= heading.level:
            open_.pop().end = heading.block_start
        (open_[-1].children if open_ else top).append(heading)
        heading.end = end
        open_.append(heading)
    return top
