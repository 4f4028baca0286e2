"""Swift."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from filewright.structure.table import Finder, Found, Rule, Site, Table, words

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPES = frozenset({"class", "struct", "enum", "interface", "extension", "actor"})
_KEYWORDS = ("class", "struct", "enum", "extension", "actor")


def _type(node: Node, site: Site) -> Iterator[Found]:
    kind = next((child.type for child in node.children if child.type in _KEYWORDS), "class")
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is not None:
        text = site.text(name)
        yield Found(kind, text, node, (body,) if body is not None else (), text.partition("<")[0])


def _function(node: Node, site: Site) -> Iterator[Found]:
    name = node.child_by_field_name("name")
    if name is not None:
        body = node.child_by_field_name("body")
        kind = "method" if site.kind in _TYPES else "function"
        yield Found(kind, site.text(name), node, (body,) if body is not None else ())


def _fixed(name: str) -> Finder:
    def find(node: Node, site: Site) -> Iterator[Found]:
        body = node.child_by_field_name("body")
        yield Found("method", name, node, (body,) if body is not None else ())

    return find


def _properties(node: Node, site: Site) -> Iterable[Found]:
    if site.kind not in _TYPES and site.kind:
        return
    constant = False
    for child in node.named_children:
        if child.type == "value_binding_pattern":
            constant = site.text(child) == "let"
    for pattern in node.children_by_field_name("name"):
        name = pattern.child_by_field_name("bound_identifier")
        if name is not None:
            kind = "property" if site.kind else "constant" if constant else "variable"
            yield Found(kind, site.text(name), node)


def _entries(node: Node, site: Site) -> Iterator[Found]:
    for name in node.children_by_field_name("name"):
        yield Found("member", site.text(name), node)


def _import(node: Node, site: Site) -> Iterator[Found]:
    yield Found("import", site.text(node).rpartition(" ")[2], node)


SWIFT = Table(
    symbols={
        "import_declaration": _import,
        "class_declaration": _type,
        "protocol_declaration": Rule("interface"),
        "function_declaration": _function,
        "protocol_function_declaration": _function,
        "init_declaration": _fixed("init"),
        "deinit_declaration": _fixed("deinit"),
        "subscript_declaration": _fixed("subscript"),
        "property_declaration": _properties,
        "protocol_property_declaration": _properties,
        "enum_entry": _entries,
        "typealias_declaration": Rule("type", nests=False),
        "associatedtype_declaration": Rule("type", nests=False),
        "macro_declaration": Rule("macro", nests=False),
    },
    inner=(b"func ", b"class ", b"struct ", b"enum ", b"protocol ", b"typealias ", b"actor "),
    through=words("source_file class_body enum_class_body protocol_body function_body statements ERROR"),
    leads=words("comment multiline_comment"),
    certain=False,
)
