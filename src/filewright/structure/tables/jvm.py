"""Java, Kotlin and Scala."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from filewright.structure.table import Finder, Found, Rule, Site, Table, child_of_type, words

if TYPE_CHECKING:
    from tree_sitter import Node

_LOCAL = frozenset({"function", "method"})


def _without_keyword(kind: str, *keywords: str) -> Finder:
    def find(node: Node, site: Site) -> Iterator[Found]:
        name = site.text(node).rstrip(";").strip()
        for keyword in keywords:
            name = name.removeprefix(keyword).strip()
        yield Found(kind, name, node)

    return find


def _java_fields(node: Node, site: Site) -> Iterator[Found]:
    modifiers = child_of_type(node, "modifiers")
    text = site.text(modifiers) if modifiers is not None else ""
    constant = node.type == "constant_declaration" or ("static" in text and "final" in text)
    for declarator in node.children_by_field_name("declarator"):
        name = declarator.child_by_field_name("name")
        if name is not None:
            yield Found("constant" if constant else "property", site.text(name), node)


JAVA = Table(
    symbols={
        "package_declaration": _without_keyword("package", "package"),
        "import_declaration": _without_keyword("import", "import", "static"),
        "class_declaration": Rule("class"),
        "interface_declaration": Rule("interface"),
        "enum_declaration": Rule("enum"),
        "record_declaration": Rule("record"),
        "annotation_type_declaration": Rule("annotation"),
        "module_declaration": Rule("module", nests=False),
        "method_declaration": Rule("method"),
        "constructor_declaration": Rule("method"),
        "compact_constructor_declaration": Rule("method"),
        "annotation_type_element_declaration": Rule("method", nests=False),
        "enum_constant": Rule("member"),
        "field_declaration": _java_fields,
        "constant_declaration": _java_fields,
    },
    inner=(b"class ", b"interface ", b"enum ", b"record "),
    through=words(
        "program class_body interface_body enum_body enum_body_declarations annotation_type_body block"
        " constructor_body ERROR"
    ),
    leads=words("line_comment block_comment"),
)


def _kotlin_class(node: Node, site: Site) -> Iterator[Found]:
    name = node.child_by_field_name("name")
    if name is None:
        return
    kind = "class"
    modifiers = child_of_type(node, "modifiers")
    if any(child.type == "interface" for child in node.children):
        kind = "interface"
    elif modifiers is not None:
        text = {site.text(child) for child in modifiers.named_children}
        kind = "enum" if "enum" in text else "annotation" if "annotation" in text else "class"
    yield Found(kind, site.text(name), node, tuple(node.named_children))


def _receiver(node: Node, name: Node, site: Site) -> str:
    """`String.` of `fun String.shout()`, or nothing."""
    before: Node | None = None
    for child in node.children:
        if child.start_byte >= name.start_byte:
            return ""
        if child.type == "." and before is not None:
            return site.text(before) + "."
        before = child
    return ""


def _kotlin_function(node: Node, site: Site) -> Iterator[Found]:
    name = node.child_by_field_name("name")
    if name is not None:
        kind = "method" if site.kind in ("class", "interface", "object", "enum", "member") else "function"
        short = site.text(name)
        full = _receiver(node, name, site) + short
        body = child_of_type(node, "function_body")
        yield Found(
            kind, full, node, (body,) if body is not None else (), full.replace("?", "").replace("`", "")
        )


def _kotlin_property(node: Node, site: Site) -> Iterable[Found]:
    declared = child_of_type(node, "variable_declaration")
    if declared is None or not declared.named_child_count or site.kind in _LOCAL:
        return
    modifiers = child_of_type(node, "modifiers")
    constant = modifiers is not None and "const" in site.text(modifiers).split()
    kind = "constant" if constant else "property" if site.kind else "variable"
    name = declared.named_children[0]
    yield Found(kind, _receiver(node, declared, site) + site.text(name), node)


def _kotlin_parameter(node: Node, site: Site) -> Iterable[Found]:
    """A parameter of the primary constructor that is also a property."""
    if any(child.type in ("val", "var") for child in node.children):
        name = child_of_type(node, "identifier")
        if name is not None:
            yield Found("property", site.text(name), node)


def _companion(node: Node, site: Site) -> Iterator[Found]:
    name = node.child_by_field_name("name") or child_of_type(node, "identifier")
    body = child_of_type(node, "class_body")
    shown = site.text(name) if name is not None else "Companion"
    yield Found("object", shown, node, (body,) if body is not None else ())


def _kotlin_alias(node: Node, site: Site) -> Iterator[Found]:
    name = node.child_by_field_name("type") or child_of_type(node, "identifier")
    if name is not None:
        yield Found("type", site.text(name), node)


def _kotlin_entry(node: Node, site: Site) -> Iterator[Found]:
    name = child_of_type(node, "identifier")
    body = child_of_type(node, "class_body")
    if name is not None:
        yield Found("member", site.text(name), node, (body,) if body is not None else ())


KOTLIN = Table(
    symbols={
        "package_header": _without_keyword("package", "package"),
        "import": _without_keyword("import", "import"),
        "class_declaration": _kotlin_class,
        "object_declaration": Rule("object"),
        "companion_object": _companion,
        "function_declaration": _kotlin_function,
        "secondary_constructor": lambda node, _: (Found("method", "constructor", node),),
        "property_declaration": _kotlin_property,
        "class_parameter": _kotlin_parameter,
        "enum_entry": _kotlin_entry,
        "type_alias": _kotlin_alias,
    },
    inner=(b"fun ", b"class ", b"object ", b"interface "),
    through=words(
        "source_file class_body enum_class_body primary_constructor class_parameters function_body block"
        " ERROR"
    ),
    leads=words("line_comment block_comment"),
    certain=False,
)


def _scala_value(node: Node, site: Site) -> Iterable[Found]:
    if site.kind in _LOCAL:
        return
    names = node.children_by_field_name("pattern") or node.children_by_field_name("name")
    for name in names:
        if name.type in ("identifier", "operator_identifier"):
            text = site.text(name)
            value = "val" in node.type
            kind = "constant" if value and (text.isupper() or site.kind == "object") else None
            yield Found(kind or ("property" if site.kind else "variable"), text, node)


def _scala_extension(node: Node, site: Site) -> Iterator[Found]:
    parameters = node.child_by_field_name("parameters")
    name = site.text(parameters) if parameters is not None else "extension"
    yield Found("extension", name, node, tuple(node.children_by_field_name("body")))


def _scala_given(node: Node, site: Site) -> Iterator[Found]:
    name = node.child_by_field_name("name") or node.child_by_field_name("return_type")
    if name is not None:
        body = node.child_by_field_name("body")
        yield Found("instance", site.text(name), node, (body,) if body is not None else ())


def _scala_package(node: Node, site: Site) -> Iterator[Found]:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is not None:
        text = site.text(name)
        yield Found("package", text, node, (body,)) if body is not None else Found("package", text, node)


_SCALA_METHODS = dict.fromkeys(("class", "trait", "object", "enum", "extension", "instance"), "method")

SCALA = Table(
    symbols={
        "package_clause": _scala_package,
        "import_declaration": _without_keyword("import", "import"),
        "class_definition": Rule("class"),
        "object_definition": Rule("object"),
        "package_object": Rule("object"),
        "trait_definition": Rule("trait"),
        "enum_definition": Rule("enum"),
        "simple_enum_case": Rule("member", nests=False),
        "full_enum_case": Rule("member", nests=False),
        "function_definition": Rule("function", within=_SCALA_METHODS),
        "function_declaration": Rule("function", within=_SCALA_METHODS),
        "val_definition": _scala_value,
        "var_definition": _scala_value,
        "val_declaration": _scala_value,
        "var_declaration": _scala_value,
        "type_definition": Rule("type", nests=False),
        "given_definition": _scala_given,
        "extension_definition": _scala_extension,
    },
    inner=(b"def ", b"class ", b"object ", b"trait ", b"given ", b"enum ", b"type ", b"extension"),
    through=words(
        "compilation_unit template_body with_template_body enum_body enum_case_definitions block"
        " indented_block"
        " ERROR"
    ),
    leads=words("comment block_comment"),
    certain=False,
)
