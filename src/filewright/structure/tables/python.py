"""Python."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from filewright.structure.table import Found, Rule, Site, Table, words

if TYPE_CHECKING:
    from tree_sitter import Node


def _assignment(node: Node, site: Site) -> Iterable[Found]:
    """Module variables and class attributes; those of functions are nobody's business."""
    left = node.child_by_field_name("left")
    if left is None or left.type != "identifier":
        return
    right = node.child_by_field_name("right")
    if right is not None and right.type == "lambda":
        yield Found("method" if site.kind == "class" else "function", site.text(left), node)
        return
    if site.kind not in ("", "class"):
        return
    name = site.text(left)
    if name.isupper() and len(name) > 1:
        yield Found("constant", name, node)
    else:
        yield Found("property" if site.kind else "variable", name, node)


def _type_alias(node: Node, site: Site) -> Iterable[Found]:
    left = node.child_by_field_name("left")
    if left is not None:
        name = site.text(left)
        yield Found("type", name, node, known_as=name.partition("[")[0])


def _import(node: Node, site: Site) -> Iterable[Found]:
    if site.kind:
        return
    module = node.child_by_field_name("module_name")
    if module is not None:
        yield Found("import", site.text(module), node)
        return
    for name in node.children_by_field_name("name"):
        target = name.child_by_field_name("name") or name
        yield Found("import", site.text(target), node)


PYTHON = Table(
    symbols={
        "class_definition": Rule("class"),
        "function_definition": Rule("function", within={"class": "method"}),
        "assignment": _assignment,
        "type_alias_statement": _type_alias,
        "import_statement": _import,
        "import_from_statement": _import,
        "future_import_statement": lambda node, _: (Found("import", "__future__", node),),
    },
    inner=(b"def ", b"class ", b"lambda"),
    through=words(
        "module block decorated_definition expression_statement if_statement elif_clause else_clause"
        " try_statement except_clause except_group_clause finally_clause with_statement for_statement"
        " while_statement match_statement case_clause ERROR"
    ),
    wrappers=words("decorated_definition expression_statement"),
)
