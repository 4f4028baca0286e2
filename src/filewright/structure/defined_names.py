"""The names that a text binds at its top, and their exports.

They are read from the syntax tree in the parser process. A name that only a function, a
class or a comprehension binds is none of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from filewright.languages import Language
from filewright.structure.import_statements import DEFAULT_EXPORT, DefinedName

if TYPE_CHECKING:
    from tree_sitter import Node

    from filewright.structure.grammar_input import Content

_PYTHON_SCOPES: Final = ("function_definition", "class_definition", "lambda")
_PYTHON_TARGETS: Final = {
    "assignment": "left",
    "named_expression": "name",
    "type_alias_statement": "left",
    "for_statement": "left",
    "as_pattern": "alias",
}
"""Nodes that bind names, and their field with the names."""

_PATTERNS: Final = (
    # Python
    "pattern_list",
    "tuple_pattern",
    "list_pattern",
    "list_splat_pattern",
    "as_pattern_target",
    "tuple",
    "type",
    "generic_type",
    # JavaScript and TypeScript
    "object_pattern",
    "array_pattern",
    "rest_pattern",
)
_VALUE_FIELDS: Final = {
    "pair_pattern": "value",
    "assignment_pattern": "left",
    "object_assignment_pattern": "left",
}
"""Patterns whose other field binds no name."""

_IDENTIFIERS: Final = (
    "identifier",
    "type_identifier",
    "nested_identifier",
    "shorthand_property_identifier_pattern",
)
_WRAPPERS: Final = ("ambient_declaration", "expression_statement")


def find_defined_names(
    root: Node, content: Content, language: Language
) -> tuple[DefinedName, ...]:
    """Return the names that a text binds at its top, in order, each of them once."""
    counts: Counter[DefinedName] = Counter()
    for statement in root.named_children:
        if language is Language.PYTHON:
            for name in _read_python(statement, content):
                counts[DefinedName(name, name)] += 1
        else:
            counts.update(_read_script(statement, content))
    return tuple(
        replace(name, is_rebound=count > 1) for name, count in counts.items()
    )


def _read_python(statement: Node, content: Content) -> Iterator[str]:
    """Yield the names that a statement of Python binds."""
    pending = [statement]
    while pending:
        node = pending.pop()
        if node.type in _PYTHON_SCOPES:
            yield from _read_target(node.child_by_field_name("name"), content)
            continue
        field = _PYTHON_TARGETS.get(node.type)
        if field is not None:
            yield from _read_target(node.child_by_field_name(field), content)
        pending += reversed(node.named_children)


def _read_script(statement: Node, content: Content) -> Iterator[DefinedName]:
    """Yield the names that a statement of JavaScript or TypeScript binds."""
    is_export = statement.type == "export_statement"
    is_default = any(child.type == "default" for child in statement.children)
    declaration: Node | None = statement
    if is_export:
        declaration = statement.child_by_field_name("declaration")
    while declaration is not None and declaration.type in _WRAPPERS:
        children = declaration.named_children
        declaration = children[0] if children else None
    names: list[str] = []
    if declaration is not None:
        names += _read_declaration(declaration, content)
    elif is_default:
        names.append(DEFAULT_EXPORT)
    for name in names:
        exported_name = name if is_export else ""
        if is_default:
            exported_name = DEFAULT_EXPORT
        yield DefinedName(name, exported_name)


def _read_declaration(declaration: Node, content: Content) -> Iterator[str]:
    """Yield the names that a declaration binds."""
    if declaration.type in ("lexical_declaration", "variable_declaration"):
        for child in declaration.named_children:
            if child.type == "variable_declarator":
                yield from _read_target(
                    child.child_by_field_name("name"), content
                )
    elif declaration.type.endswith(
        ("_declaration", "_signature", "module", "import_alias")
    ):
        name = declaration.child_by_field_name("name")
        if declaration.type == "import_alias":
            name = declaration.named_children[0]
        yield from _read_target(name, content)


def _read_target(target: Node | None, content: Content) -> Iterator[str]:
    """Yield the names in the target of an assignment or a declaration."""
    pending = [target]
    while pending:
        node = pending.pop()
        if node is None:
            continue
        if node.type in _IDENTIFIERS:
            data = content.data[node.start_byte : node.end_byte]
            # `namespace a.b` binds `a`.
            yield data.decode(content.codec, "replace").partition(".")[0]
        elif node.type in _PATTERNS:
            pending += reversed(node.named_children)
        elif node.type in _VALUE_FIELDS:
            field = _VALUE_FIELDS[node.type]
            pending.append(node.child_by_field_name(field))
