"""C and C++."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from filewright.structure.table import Finder, Found, Rule, Site, Table, words

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMES = words(
    "identifier field_identifier type_identifier qualified_identifier operator_name destructor_name"
    " operator_cast"
    " template_function template_type template_method dependent_name primitive_type"
    " structured_binding_declarator"
)
_RECORDS = {
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
    "class_specifier": "class",
}
_GUARD = re.compile(r"_(H|HH|HPP|HXX|H_INCLUDED|INCLUDED|INC)_*$|^_+[A-Z0-9_]+_H_*$")
_TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>")
_SCOPE = re.compile(r"\s*::\s*")
_CAST = re.compile(r"(.*\boperator\s+(?!new\b|delete\b|co_await\b)[^(]*?)\s*\(.*$")
_CLASSES = frozenset({"class", "struct", "union"})


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
        elif node.type in ("pointer_declarator", "reference_declarator", "block_pointer_declarator"):
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
    return name.replace("::", ".").strip(".")


def _function(node: Node, site: Site) -> Iterable[Found]:
    declared = _declared(node.child_by_field_name("declarator"))
    if declared is None:
        return
    name = _name(declared.name, site)
    method = site.kind in _CLASSES or "::" in name
    yield Found("method" if method else "function", name, node, (), _known_as(name))


def _record(node: Node, site: Site) -> Iterable[Found] | None:
    """A struct, union, enum or class with a body; a mention of one is nothing."""
    body = node.child_by_field_name("body")
    if body is None:
        return ()
    name = node.child_by_field_name("name")
    if name is None:
        return None
    text = site.text(name)
    return (Found(_RECORDS[node.type], text, node, (body,), _known_as(text)),)


def _type_definition(node: Node, site: Site) -> Iterator[Found]:
    type_node = node.child_by_field_name("type")
    names = [
        found for each in node.children_by_field_name("declarator") if (found := _declared(each)) is not None
    ]
    shown = [_name(found.name, site) for found in names]
    body = type_node.child_by_field_name("body") if type_node is not None else None
    if type_node is not None and body is not None and type_node.type in _RECORDS:
        tag = type_node.child_by_field_name("name")
        own = site.text(tag) if tag is not None else (shown[0] if shown else "")
        yield Found(_RECORDS[type_node.type], own, node, (body,))
        shown = [name for name in shown if name != own]
    for name in shown:
        yield Found("type", name, node)


def _declaration(node: Node, site: Site) -> Iterator[Found]:
    """Variables, prototypes, fields, and the record they may define on the way."""
    type_node = node.child_by_field_name("type")
    if type_node is not None and type_node.type in _RECORDS:
        yield from _record(type_node, site) or _anonymous(type_node, node, site)
    constant = any(
        child.type == "type_qualifier" and site.text(child) in ("const", "constexpr", "constinit")
        for child in node.named_children
    )
    for declarator in node.children_by_field_name("declarator"):
        declared = _declared(declarator)
        if declared is None:
            continue
        name = _name(declared.name, site)
        if declared.function:
            kind = "method" if site.kind in _CLASSES else "prototype"
        else:
            kind = "constant" if constant else "property" if site.kind in _CLASSES else "variable"
        yield Found(kind, name, node, (), _known_as(name))


def _anonymous(type_node: Node, node: Node, site: Site) -> Iterator[Found]:
    """The record of `struct { … } name;`; one without any name is looked into where it stands."""
    body = type_node.child_by_field_name("body")
    if body is None:
        return
    name = type_node.child_by_field_name("name")
    if name is None and node.child_by_field_name("declarator") is None:
        yield Found(_RECORDS[type_node.type], "(anonymous)", node, (body,))


def _enumerator(node: Node, site: Site) -> Iterator[Found]:
    name = node.child_by_field_name("name")
    if name is not None:
        yield Found("member" if site.kind == "enum" else "constant", site.text(name), node)


def _macro(node: Node, site: Site) -> Iterator[Found]:
    name = node.child_by_field_name("name")
    if name is not None:
        text = site.text(name)
        if node.child_by_field_name("value") is not None or not _GUARD.search(text):
            yield Found("macro", text, node)


def _include(node: Node, site: Site) -> Iterator[Found]:
    path = node.child_by_field_name("path")
    if path is not None:
        yield Found("import", site.text(path).strip('<>"'), node)


def _namespace(node: Node, site: Site) -> Iterator[Found]:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    text = site.text(name) if name is not None else "(anonymous)"
    yield Found("module", text, node, (body,) if body is not None else (), text.replace("::", "."))


_C_SYMBOLS: dict[str, Rule | Finder] = {
    "function_definition": _function,
    "declaration": _declaration,
    "field_declaration": _declaration,
    "type_definition": _type_definition,
    "struct_specifier": _record,
    "union_specifier": _record,
    "enum_specifier": _record,
    "enumerator": _enumerator,
    "preproc_def": _macro,
    "preproc_function_def": _macro,
    "preproc_include": _include,
}
_C_THROUGH = words(
    "translation_unit preproc_if preproc_ifdef preproc_else preproc_elif preproc_elifdef"
    " linkage_specification"
    " declaration_list field_declaration_list enumerator_list struct_specifier union_specifier enum_specifier"
    " ERROR"
)

C = Table(symbols=_C_SYMBOLS, through=_C_THROUGH, certain=False)

CPP = Table(
    symbols={
        **_C_SYMBOLS,
        "class_specifier": _record,
        "namespace_definition": _namespace,
        "alias_declaration": Rule("type", nests=False),
        "concept_definition": Rule("type", nests=False),
    },
    through=_C_THROUGH | words("template_declaration class_specifier"),
    wrappers=words("template_declaration"),
    certain=False,
)
