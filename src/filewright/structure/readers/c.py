"""C and C++: declarators, where the name is at the bottom of what surrounds it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from filewright.structure.reading import Declaration, Site, body_of
from filewright.structure.symbol import words

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMES: Final = words(
    "identifier field_identifier type_identifier qualified_identifier operator_name destructor_name "
    "operator_cast template_function template_type template_method dependent_name primitive_type "
    "structured_binding_declarator"
)
_POINTERS: Final = words("pointer_declarator reference_declarator block_pointer_declarator")
_RECORDS: Final = {f"{kind}_specifier": kind for kind in ("struct", "union", "enum", "class")}
_TEMPLATE_ARGUMENTS: Final = re.compile(r"<[^<>]*>")
_SCOPE: Final = re.compile(r"\s*::\s*")
_CAST: Final = re.compile(r"(.*\boperator\s+(?!new\b|delete\b|co_await\b)[^(]*?)\s*\(.*$")
_LOCAL_TYPE: Final = re.compile(rb"\b(?:struct|class|enum|union)\b[^;(){}]{0,200}\{")
_CLASSES: Final = words("class struct union")
_CODE: Final = words("function method")


class _Declared(NamedTuple):
    name: Node
    function: bool


def _declared(node: Node | None) -> _Declared | None:
    """The name at the bottom of a declarator and whether what it names is a function.

    A pointer between the parameter list and the name makes it a variable: `int (*handler)(int)`.
    """
    function = False
    while node is not None:
        if node.type in _NAMES:
            return _Declared(node, function or node.type == "operator_cast")
        if node.type == "function_declarator":
            function = True
        elif node.type in _POINTERS:
            function = False
        node = node.child_by_field_name("declarator") or next(
            (
                child
                for child in node.named_children
                if child.type in _NAMES or child.type.endswith("declarator")
            ),
            None,
        )
    return None


def _name(node: Node, site: Site) -> str:
    text = _SCOPE.sub("::", site.text(node))
    cast = _CAST.match(text)
    return cast.group(1) if cast is not None else text


def _known_as(name: str) -> str:
    """`shop::Cart<T>::value` as `shop.Cart.value`."""
    before = None
    while before != name:
        before, name = name, _TEMPLATE_ARGUMENTS.sub("", name)
    if "operator" not in name:
        name = name.partition("<")[0]
    return name.replace("::", ".").strip(". ")


def function(node: Node, site: Site) -> Iterator[Declaration]:
    """A function with its body."""
    declared = _declared(node.child_by_field_name("declarator"))
    if declared is not None:
        name = _name(declared.name, site)
        method = site.kind in _CLASSES or "::" in name
        body = node.child_by_field_name("body")
        local = body is not None and _LOCAL_TYPE.search(site.source.data, body.start_byte, body.end_byte)
        inside = body_of(node) if local else ()  # most functions are not worth a look
        yield Declaration("method" if method else "function", name, node, inside, _known_as(name))


def record(node: Node, site: Site) -> Iterable[Declaration] | None:
    """A struct, union, enum or class with a body; one without a name is looked into where it is."""
    name = node.child_by_field_name("name")
    if name is None:
        return None
    text = site.text(name)
    return (Declaration(_RECORDS[node.type], text, node, body_of(node), _known_as(text)),)


def typedef(node: Node, site: Site) -> Iterator[Declaration]:
    """The names of a `typedef`, and the record it may define."""
    type_node = node.child_by_field_name("type")
    if site.kind in _CODE and (type_node is None or not body_of(type_node)):
        return
    declared = [
        found for each in node.children_by_field_name("declarator") if (found := _declared(each)) is not None
    ]
    shown = [_name(found.name, site) for found in declared]
    if type_node is not None and body_of(type_node) and type_node.type in _RECORDS:
        tag = type_node.child_by_field_name("name")
        own = site.text(tag) if tag is not None else (shown[0] if shown else "")
        yield Declaration(_RECORDS[type_node.type], own, node, body_of(type_node))
        shown = [name for name in shown if name != own]
    for name in shown:
        yield Declaration("type", name, node)


def declaration(node: Node, site: Site) -> Iterator[Declaration]:
    """Variables, prototypes, fields, and the record they may define on the way."""
    declarators = node.children_by_field_name("declarator")
    type_node = node.child_by_field_name("type")
    if type_node is not None and type_node.type in _RECORDS and body_of(type_node):
        named = record(type_node, site)
        if named is not None:
            yield from named
        elif not declarators:
            yield Declaration(_RECORDS[type_node.type], "(anonymous)", node, body_of(type_node))
    if site.kind in _CODE:
        return  # variables of functions
    constant = any(
        child.type == "type_qualifier" and site.text(child) in ("const", "constexpr", "constinit")
        for child in node.named_children
    )
    for declarator in declarators:
        declared = _declared(declarator)
        if declared is None:
            continue
        name = _name(declared.name, site)
        if declared.function:
            kind = "method" if site.kind in _CLASSES else "prototype"
        else:
            kind = "constant" if constant else "property" if site.kind in _CLASSES else "variable"
        yield Declaration(kind, name, node, (), _known_as(name))
