"""Lua: what an assignment declares."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from filewright.structure.reading import Declaration, Site, child_of_type, constant_or_variable

if TYPE_CHECKING:
    from tree_sitter import Node


def _name(node: Node, site: Site) -> tuple[str, str]:
    text = site.text(node)
    if node.type == "bracket_index_expression":
        table, field = node.child_by_field_name("table"), node.child_by_field_name("field")
        if table is not None and field is not None:
            plain = site.text(field).strip("'\"")
            return text, f"{site.text(table)}.{plain}"
    return text, text.replace(":", ".")


def _module(call: Node, site: Site) -> str:
    name, arguments = call.child_by_field_name("name"), call.child_by_field_name("arguments")
    if name is None or arguments is None or site.text(name, 20) != "require":
        return ""
    return site.text(arguments).strip("()'\"[] ")


def assignment(node: Node, site: Site) -> Iterable[Declaration]:
    names, values = child_of_type(node, "variable_list"), child_of_type(node, "expression_list")
    if names is None:
        return
    given = values.named_children if values is not None else []
    for index, name in enumerate(names.named_children):
        value = given[index] if index < len(given) else None
        shown, known_as = _name(name, site)
        if value is not None and value.type == "function_definition":
            body = value.child_by_field_name("body")
            yield Declaration("function", shown, node, (body,) if body is not None else (), known_as)
        elif value is not None and value.type == "table_constructor":
            kind = constant_or_variable(shown) if not site.kind and name.type == "identifier" else "?variable"
            yield Declaration(kind, shown, node, (value,), known_as)
        elif (
            value is not None
            and value.type == "function_call"
            and not site.kind
            and (module := _module(value, site))
        ):
            yield Declaration("import", module, node)
        elif not site.kind and name.type == "identifier":
            yield Declaration(constant_or_variable(shown), shown, node)
