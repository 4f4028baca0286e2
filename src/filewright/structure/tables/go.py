"""Go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from filewright.structure.table import Found, Rule, Site, Table, child_of_type, words

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPES = {"struct_type": "struct", "interface_type": "interface"}


def _method(node: Node, site: Site) -> Iterator[Found]:
    """`(*Cart[T]).Total`, found as `Cart.Total`."""
    name, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
    if name is None:
        return
    short = site.text(name)
    declared = child_of_type(receiver, "parameter_declaration") if receiver is not None else None
    type_node = declared.child_by_field_name("type") if declared is not None else None
    if type_node is None:
        yield Found("method", short, node)
        return
    of = site.text(type_node)
    bare = of.strip("()* ").partition("[")[0]
    yield Found("method", f"({of}).{short}", node, _body(node), f"{bare}.{short}")


def _function(node: Node, site: Site) -> Iterator[Found]:
    name = node.child_by_field_name("name")
    if name is not None:
        yield Found("function", site.text(name), node, _body(node))


def _body(node: Node) -> tuple[Node, ...]:
    body = node.child_by_field_name("body")
    return (body,) if body is not None else ()


def _type(node: Node, site: Site) -> Iterator[Found]:
    name, type_node = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is None:
        return
    kind = _TYPES.get(type_node.type, "type") if type_node is not None else "type"
    yield Found(kind, site.text(name), node, (type_node,) if type_node is not None else ())


def _values(node: Node, site: Site) -> Iterable[Found]:
    """Constants and variables of the package; a variable that holds a function is one."""
    if site.kind:
        return
    names = [name for name in node.children_by_field_name("name") if name.type == "identifier"]
    value = node.child_by_field_name("value")
    first = value.named_children[0] if value is not None and value.named_child_count else None
    kind = "constant" if node.type == "const_spec" else "variable"
    if len(names) == 1 and first is not None and first.type == "func_literal":
        kind = "function"
    for name in names:
        text = site.text(name)
        if text != "_":
            yield Found(kind, text, node)


def _fields(node: Node, site: Site) -> Iterable[Found]:
    names = node.children_by_field_name("name")
    for name in names:
        yield Found("property", site.text(name), node)
    if not names:
        type_node = node.child_by_field_name("type")
        if type_node is not None:
            text = site.text(type_node)
            yield Found("property", text.lstrip("*").rpartition(".")[2], node)


def _import(node: Node, site: Site) -> Iterator[Found]:
    specs = child_of_type(node, "import_spec_list") or node
    for spec in specs.named_children:
        path = spec.child_by_field_name("path")
        if path is not None:
            yield Found("import", site.text(path).strip('"`'), node)


def _package(node: Node, site: Site) -> Iterator[Found]:
    if node.named_child_count:
        yield Found("package", site.text(node.named_children[0]), node)


GO = Table(
    symbols={
        "package_clause": _package,
        "import_declaration": _import,
        "function_declaration": _function,
        "method_declaration": _method,
        "type_spec": _type,
        "type_alias": _type,
        "const_spec": _values,
        "var_spec": _values,
        "field_declaration": _fields,
        "method_elem": Rule("method", nests=False),
        "method_spec": Rule("method", nests=False),
    },
    inner=(b"type ",),
    through=words(
        "source_file type_declaration const_declaration var_declaration var_spec_list struct_type"
        " interface_type"
        " field_declaration_list block statement_list ERROR"
    ),
    groups=True,
    wrappers=words("type_declaration const_declaration var_declaration"),
)
