"""PHP."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from filewright.structure.table import Found, Rule, Site, Table, child_of_type, words

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS = words("anonymous_function arrow_function anonymous_function_creation_expression")


def _namespace(node: Node, site: Site) -> Iterator[Found]:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    text = site.text(name) if name is not None else "(global)"
    known_as = text.replace("\\", ".")
    if body is not None:
        yield Found("module", text, node, (body,), known_as)
    else:
        yield Found("package", text, node, (), known_as)


def _use(node: Node, site: Site) -> Iterator[Found]:
    text = site.text(node).rstrip(";").removeprefix("use ")
    yield Found("import", text.removeprefix("function ").removeprefix("const ").strip(), node)


def _constants(node: Node, site: Site) -> Iterator[Found]:
    for element in node.named_children:
        if element.type == "const_element" and element.named_child_count:
            yield Found("constant", site.text(element.named_children[0]), node)


def _properties(node: Node, site: Site) -> Iterator[Found]:
    for element in node.named_children:
        name = element.child_by_field_name("name") if element.type == "property_element" else None
        if name is not None:
            text = site.text(name)
            yield Found("property", text, node, (), text.lstrip("$"))


def _assignment(node: Node, site: Site) -> Iterable[Found]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or site.kind in ("function", "method") or left.type != "variable_name":
        return
    name = site.text(left)
    bare = name.lstrip("$")
    if right.type in _FUNCTIONS:
        yield Found("function", name, node, (), bare)
    elif right.type == "object_creation_expression" and (made := child_of_type(right, "anonymous_class")):
        yield Found("class", name, node, tuple(made.named_children), bare)
    elif not site.kind:
        yield Found("variable", name, node, (), bare)


def _define(node: Node, site: Site) -> Iterable[Found]:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or not arguments.named_child_count:
        return
    if site.text(function, 20).lower() == "define":
        yield Found("constant", site.text(arguments.named_children[0]).strip("'\""), node)


_METHODS = dict.fromkeys(("class", "trait", "interface", "enum"), "method")

PHP = Table(
    symbols={
        "namespace_definition": _namespace,
        "namespace_use_declaration": _use,
        "class_declaration": Rule("class"),
        "interface_declaration": Rule("interface"),
        "trait_declaration": Rule("trait"),
        "enum_declaration": Rule("enum"),
        "enum_case": Rule("member", nests=False),
        "function_definition": Rule("function", within=_METHODS),
        "method_declaration": Rule("method"),
        "const_declaration": _constants,
        "property_declaration": _properties,
        "assignment_expression": _assignment,
        "function_call_expression": _define,
    },
    inner=(b"function", b"class", b"fn", b"define", b"const"),
    through=words(
        "program declaration_list enum_declaration_list compound_statement if_statement else_clause"
        " else_if_clause"
        " try_statement catch_clause finally_clause expression_statement colon_block ERROR"
    ),
    wrappers=words("expression_statement"),
    leads=words("comment attribute_list"),
)
