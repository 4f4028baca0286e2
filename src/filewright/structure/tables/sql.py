"""SQL, in the dialects the grammar knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from filewright.structure.table import Finder, Found, Rule, Site, Table, child_of_type, words

if TYPE_CHECKING:
    from tree_sitter import Node


def _created(kind: str) -> Finder:
    def find(node: Node, site: Site) -> Iterator[Found]:
        name = (
            node.child_by_field_name("column")
            if kind == "index"
            else child_of_type(node, "object_reference", "identifier")
        )
        if name is not None:
            text = site.text(name)
            bare = text.replace('"', "").replace("`", "").replace("[", "").replace("]", "")
            yield Found(kind, text, node, tuple(node.named_children), bare)

    return find


SQL = Table(
    symbols={
        "create_table": _created("table"),
        "create_view": _created("view"),
        "create_materialized_view": _created("view"),
        "create_function": _created("function"),
        "create_procedure": _created("function"),
        "create_index": _created("index"),
        "create_type": _created("type"),
        "create_domain": _created("type"),
        "create_schema": _created("schema"),
        "create_database": _created("database"),
        "create_sequence": _created("sequence"),
        "create_trigger": _created("trigger"),
        "create_extension": _created("extension"),
        "create_role": _created("role"),
        "create_policy": _created("policy"),
        "column_definition": Rule("column", nests=False),
    },
    through=words("program statement column_definitions transaction block ERROR"),
    wrappers=words("statement"),
    leads=words("comment marginalia"),
    certain=False,
)
