"""Rust."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from filewright.structure.table import Found, Rule, Site, Table, words

if TYPE_CHECKING:
    from tree_sitter import Node

_ARGUMENTS = re.compile(r"<.*")


def _impl(node: Node, site: Site) -> Iterator[Found]:
    """`Point<T>` or `fmt::Display for Point<T>`, both found as `Point`."""
    type_node, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
    if type_node is None:
        return
    target = site.text(type_node)
    name = f"{site.text(trait)} for {target}" if trait is not None else target
    body = node.child_by_field_name("body")
    known_as = _ARGUMENTS.sub("", target.lstrip("&").removeprefix("dyn ").rpartition("::")[2])
    yield Found("impl", name, node, (body,) if body is not None else (), known_as)


def _import(node: Node, site: Site) -> Iterable[Found]:
    if site.kind in ("function", "method"):
        return
    what = node.child_by_field_name("argument") or node.child_by_field_name("name")
    if what is not None:
        yield Found("import", site.text(what), node)


def _value(node: Node, site: Site) -> Iterable[Found]:
    name = node.child_by_field_name("name")
    if name is not None and site.kind not in ("function", "method"):
        yield Found("constant" if node.type == "const_item" else "variable", site.text(name), node)


RUST = Table(
    symbols={
        "function_item": Rule("function", within={"impl": "method", "trait": "method"}),
        "function_signature_item": Rule("function", within={"impl": "method", "trait": "method"}),
        "struct_item": Rule("struct"),
        "union_item": Rule("union"),
        "enum_item": Rule("enum"),
        "enum_variant": Rule("member", nests=False),
        "field_declaration": Rule("property", nests=False),
        "trait_item": Rule("trait"),
        "impl_item": _impl,
        "mod_item": Rule("module"),
        "type_item": Rule("type", nests=False),
        "associated_type": Rule("type", nests=False),
        "const_item": _value,
        "static_item": _value,
        "macro_definition": Rule("macro", nests=False),
        "use_declaration": _import,
        "extern_crate_declaration": _import,
    },
    inner=(b"fn ", b"struct ", b"enum ", b"impl", b"trait ", b"macro_rules", b"mod ", b"union ", b"type "),
    through=words(
        "source_file declaration_list field_declaration_list enum_variant_list block foreign_mod_item ERROR"
    ),
    leads=words("line_comment block_comment attribute_item"),
)
