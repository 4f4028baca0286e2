"""Go, Rust, Kotlin, C# and PHP: what is not named by one node alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from filewright.structure.reading import Declaration, Site, body_of, child_of_type

if TYPE_CHECKING:
    from tree_sitter import Node

_ARGUMENTS: Final = re.compile(r"<.*")


def go_method(node: Node, site: Site) -> Iterator[Declaration]:
    """`(*Cart[T]).Total`, found as `Cart.Total`."""
    name, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
    if name is None:
        return
    short = site.text(name)
    declared = child_of_type(receiver, "parameter_declaration") if receiver is not None else None
    type_node = declared.child_by_field_name("type") if declared is not None else None
    if type_node is None:
        yield Declaration("method", short, node)
        return
    of = site.text(type_node)
    bare = of.strip("()* ").partition("[")[0]
    yield Declaration("method", f"({of}).{short}", node, body_of(node), f"{bare}.{short}")


def rust_impl(node: Node, site: Site) -> Iterator[Declaration]:
    """`Point<T>` or `fmt::Display for Point<T>`, both found as `Point`."""
    type_node, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
    if type_node is None:
        return
    target = site.text(type_node)
    name = f"{site.text(trait)} for {target}" if trait is not None else target
    body = node.child_by_field_name("body")
    known_as = _ARGUMENTS.sub("", target.lstrip("&").removeprefix("dyn ").rpartition("::")[2])
    yield Declaration("impl", name, node, (body,) if body is not None else (), known_as)


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


def kotlin_function(node: Node, site: Site) -> Iterator[Declaration]:
    name = node.child_by_field_name("name")
    if name is not None:
        kind = "method" if site.kind in ("class", "interface", "object", "enum", "member") else "function"
        short = site.text(name)
        full = _receiver(node, name, site) + short
        body = child_of_type(node, "function_body")
        yield Declaration(
            kind, full, node, (body,) if body is not None else (), full.replace("?", "").replace("`", "")
        )


def kotlin_property(node: Node, site: Site) -> Iterable[Declaration]:
    declared = child_of_type(node, "variable_declaration")
    if declared is None or not declared.named_child_count or site.kind in ("function", "method"):
        return
    modifiers = child_of_type(node, "modifiers")
    constant = modifiers is not None and "const" in site.text(modifiers).split()
    kind = "constant" if constant else "property" if site.kind else "variable"
    name = declared.named_children[0]
    yield Declaration(kind, _receiver(node, declared, site) + site.text(name), node)


def csharp_method(node: Node, site: Site) -> Iterator[Declaration]:
    name = node.child_by_field_name("name")
    if name is None:
        return
    interface = child_of_type(node, "explicit_interface_specifier")
    text = (site.text(interface) if interface is not None else "") + site.text(name)
    body = node.child_by_field_name("body")
    yield Declaration("method", text, node, (body,) if body is not None else (), site.text(name))


_FUNCTIONS: Final = frozenset(
    ["anonymous_function", "arrow_function", "anonymous_function_creation_expression"]
)


def php_assignment(node: Node, site: Site) -> Iterable[Declaration]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or site.kind in ("function", "method") or left.type != "variable_name":
        return
    name = site.text(left)
    bare = name.lstrip("$")
    if right.type in _FUNCTIONS:
        yield Declaration("function", name, node, (), bare)
    elif right.type == "object_creation_expression" and (made := child_of_type(right, "anonymous_class")):
        yield Declaration("class", name, node, tuple(made.named_children), bare)
    elif not site.kind:
        yield Declaration("variable", name, node, (), bare)


def php_define(node: Node, site: Site) -> Iterable[Declaration]:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or not arguments.named_child_count:
        return
    if site.text(function, 20).lower() == "define":
        yield Declaration("constant", site.text(arguments.named_children[0]).strip("'\""), node)
