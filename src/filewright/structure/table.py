"""The words a language table is written in: which syntax nodes are symbols, and how they are named.

A table is data. Most rows are a `Rule`: this node type is a symbol of that kind, named by that
field. Where one node declares several names, or the name is not in a field, the row is a function
from the node to what it declares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

NAME_CHARS = 200


class Source(NamedTuple):
    """The text being outlined and the codec its names are written in."""

    data: bytes
    codec: str

    def text(self, node: Node, limit: int = NAME_CHARS) -> str:
        """The text of `node`, runs of white space as one space, cut after `limit` characters."""
        end = min(node.end_byte, node.start_byte + 4 * limit)
        if node.type.endswith("identifier") and end == node.end_byte:
            return self.data[node.start_byte : end].decode(self.codec, "replace")[:limit]
        shown = " ".join(self.data[node.start_byte : end].decode(self.codec, "replace").split())
        return shown if len(shown) <= limit else shown[: limit - 1] + "…"


class Found(NamedTuple):
    """A symbol met in the tree: its range is that of `node`, and `into` are walked for its children.

    A kind that begins with `?` is kept only if it turns out to have children. A `level` above 0 is a
    heading's: it reaches down to the next heading of its level or above, and holds the lower ones.
    """

    kind: str
    name: str
    node: Node
    into: tuple[Node, ...] = ()
    known_as: str = ""
    level: int = 0


class Site(NamedTuple):
    """Where a node stands: the text, and the kind and name of the symbol round it ("" at the top)."""

    source: Source
    kind: str
    name: str

    def text(self, node: Node, limit: int = NAME_CHARS) -> str:
        """See `Source.text`."""
        return self.source.text(node, limit)


Finder = Callable[["Node", Site], "Iterable[Found] | None"]
"""Symbols of a node. None: none of its own, look inside; empty: nothing, inside neither."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A node type that is a symbol of `kind`, named by the field `name`.

    `within` gives another kind inside a symbol of the kind named; `nests` says whether its children
    are walked.
    """

    kind: str
    name: str = "name"
    within: Mapping[str, str] = field(default_factory=dict)
    nests: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """What the walker must know of a language.

    `through` are node types without a name that are looked into; everything named in neither
    `symbols` nor `through` is skipped whole. `wrappers` are those of `through` whose range belongs to
    the symbol inside (decorators, `export`, `template <…>`). `leads` are comments and attributes that
    belong to the symbol that follows on the next line. `inner` are words without one of which a
    function's text cannot hold another symbol: most functions are not looked into at all. `groups`
    says that a wrapper may hold a list in parentheses, and then is none. `trims` says that nodes may
    end in blank and comment lines. `certain` is False where the grammar and real files often differ,
    so that a syntax error is only a hint.
    """

    symbols: Mapping[str, Rule | Finder]
    through: frozenset[str] = frozenset()
    wrappers: frozenset[str] = frozenset()
    leads: frozenset[str] = frozenset({"comment"})
    inner: tuple[bytes, ...] = ()
    groups: bool = False
    trims: bool = False
    certain: bool = True


def words(text: str) -> frozenset[str]:
    """The words of `text` as a set; tables are easier to read that way."""
    return frozenset(text.split())


def child_of_type(node: Node, *types: str) -> Node | None:
    """The first named child whose type is one of `types`."""
    return next((child for child in node.named_children if child.type in types), None)


def constant_or_variable(name: str) -> str:
    """`constant` for a name written in capitals (more than one letter), else `variable`."""
    return "constant" if name.isupper() and len(name) > 1 else "variable"
