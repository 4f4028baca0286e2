"""C#."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from filewright.structure.table import Found, Rule, Site, Table, child_of_type, words

if TYPE_CHECKING:
    from tree_sitter import Node


def _fields(node: Node, site: Site) -> Iterator[Found]:
    constant = any(child.type == "modifier" and site.text(child) == "const" for child in node.named_children)
    declaration = child_of_type(node, "variable_declaration")
    for declarator in declaration.named_children if declaration is not None else ():
        if declarator.type == "variable_declarator":
            name = declarator.child_by_field_name("name") or child_of_type(declarator, "identifier")
            if name is not None:
                yield Found("constant" if constant else "property", site.text(name), node)


def _method(node: Node, site: Site) -> Iterator[Found]:
    name = node.child_by_field_name("name")
    if name is None:
        return
    interface = child_of_type(node, "explicit_interface_specifier")
    text = (site.text(interface) if interface is not None else "") + site.text(name)
    body = node.child_by_field_name("body")
    yield Found("method", text, node, (body,) if body is not None else (), site.text(name))


def _operator(node: Node, site: Site) -> Iterator[Found]:
    what = node.child_by_field_name("operator") or node.child_by_field_name("type")
    if what is not None:
        yield Found("method", f"operator {site.text(what)}", node)


def _using(node: Node, site: Site) -> Iterator[Found]:
    name = site.text(node).rstrip(";").removeprefix("global ").removeprefix("using ").removeprefix("static ")
    yield Found("import", name.partition("=")[0].strip(), node)


def _record(node: Node, site: Site) -> Iterator[Found]:
    name = node.child_by_field_name("name")
    if name is not None:
        kind = "struct" if any(child.type == "struct" for child in node.children) else "record"
        yield Found(kind, site.text(name), node, tuple(node.named_children))


CSHARP = Table(
    symbols={
        "using_directive": _using,
        "namespace_declaration": Rule("module"),
        "file_scoped_namespace_declaration": Rule("package"),
        "class_declaration": Rule("class"),
        "struct_declaration": Rule("struct"),
        "interface_declaration": Rule("interface"),
        "enum_declaration": Rule("enum"),
        "record_declaration": _record,
        "record_struct_declaration": _record,
        "enum_member_declaration": Rule("member", nests=False),
        "delegate_declaration": Rule("type", nests=False),
        "method_declaration": _method,
        "constructor_declaration": Rule("method"),
        "destructor_declaration": lambda node, site: (
            Found("method", "~" + site.text(name), node)
            for name in (node.child_by_field_name("name"),)
            if name is not None
        ),
        "operator_declaration": _operator,
        "conversion_operator_declaration": _operator,
        "indexer_declaration": lambda node, _: (Found("property", "this[]", node, known_as="this"),),
        "property_declaration": Rule("property", nests=False),
        "event_declaration": Rule("property", nests=False),
        "event_field_declaration": _fields,
        "field_declaration": _fields,
        "local_function_statement": Rule("function"),
    },
    through=words(
        "compilation_unit declaration_list enum_member_declaration_list block global_statement preproc_if"
        " ERROR"
    ),
    certain=False,
)
