"""JavaScript and TypeScript: names are bound to functions and classes in many ways."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from filewright.structure.reading import Declaration, Site, body_of, constant_or_variable
from filewright.structure.symbol import words

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS: Final = words("function_expression arrow_function generator_function function")


_CASTS: Final = words(
    "parenthesized_expression as_expression satisfies_expression non_null_expression type_assertion"
)


_COMPONENTS: Final = words(
    "memo forwardRef observer lazy useCallback debounce throttle defineComponent createReactClass"
)


def _bare(node: Node | None) -> Node | None:
    """The value inside parentheses and casts."""
    while node is not None and node.type in _CASTS and node.named_child_count:
        node = node.named_children[-1 if node.type == "type_assertion" else 0]
    return node


def _callee(call: Node, site: Site) -> tuple[str, str]:
    """First and last name of what a call calls: (`React`, `memo`), (`describe`, `each`)."""
    function = call.child_by_field_name("function")
    while function is not None and function.type == "call_expression":
        function = function.child_by_field_name("function")
    if function is None or function.type not in ("identifier", "member_expression"):
        return "", ""
    parts = site.text(function, 60).split(".")
    return parts[0], parts[-1]


def _arguments(call: Node) -> list[Node]:
    arguments = call.child_by_field_name("arguments")
    return arguments.named_children if arguments is not None else []


def _valued(
    kind: str, name: str, node: Node, value: Node | None, site: Site, known_as: str = ""
) -> Declaration | None:
    """What a name bound to `value` is, if the value says so: a function, a class, an object of functions."""
    value = _bare(value)
    if value is not None and value.type == "call_expression" and _callee(value, site)[1] in _COMPONENTS:
        value = next((each for each in _arguments(value) if each.type in _FUNCTIONS), None)
    if value is None or value.type not in _FUNCTIONS | {"class"}:
        return None
    return Declaration("class" if value.type == "class" else kind, name, node, body_of(value), known_as)


def _required(value: Node | None, site: Site) -> str | None:
    """The module of `require('module')`."""
    if value is not None and value.type == "call_expression" and _callee(value, site)[1] == "require":
        for first in _arguments(value)[:1]:
            return site.text(first).strip("'\"") if first.type == "string" else None
    return None


def variables(node: Node, site: Site) -> Iterator[Declaration]:
    declarators = [child for child in node.named_children if child.type == "variable_declarator"]
    top = site.kind in ("", "module")
    for declarator in declarators:
        name_node = declarator.child_by_field_name("name")
        value = declarator.child_by_field_name("value")
        whole = node if len(declarators) == 1 else declarator
        if top and (module := _required(value, site)) is not None:
            yield Declaration("import", module, whole)
            continue
        if name_node is None or name_node.type != "identifier":
            continue
        name = site.text(name_node)
        if (found := _valued("function", name, whole, value, site)) is not None:
            yield found
        elif top:
            value = _bare(value)
            inside = (value,) if value is not None and value.type in ("object", "call_expression") else ()
            yield Declaration(constant_or_variable(name), name, whole, inside)


def assignment(node: Node, site: Site) -> Iterable[Declaration] | None:
    left, right = node.child_by_field_name("left"), _bare(node.child_by_field_name("right"))
    if left is None or right is None:
        return ()
    name = site.text(left)
    if right.type == "assignment_expression" and left.type == "member_expression":
        return assignment(right, site)
    if left.type not in ("member_expression", "identifier"):
        return None
    short = name.replace(".prototype.", ".").removeprefix("module.exports.").removeprefix("exports.")
    kind = "method" if ".prototype." in name else "function"
    found = _valued(kind, name, node, right, site, short)
    if found is not None:
        return (found,)
    if right.type == "object":
        return (Declaration("?variable", name, node, (right,), short),)
    if kind == "method":
        return (Declaration("property", name, node, (), short),)
    return None


def member(node: Node, site: Site) -> Iterable[Declaration]:
    """A class field or an entry of an object."""
    fields = map(node.child_by_field_name, ("name", "property", "key"))
    key = next(filter(None, fields), None)
    if key is None:
        return
    name = site.text(key).strip("'\"")
    value = node.child_by_field_name("value")
    found = _valued("method", name, node, value, site)
    if found is not None:
        yield found
    elif node.type != "pair":
        yield Declaration("property", name, node)
    elif value is not None and value.type == "object":
        yield Declaration("?property", name, node, (value,))


def export(node: Node, site: Site) -> Iterable[Declaration] | None:
    value = _bare(node.child_by_field_name("value"))
    if value is not None:
        name = value.child_by_field_name("name")
        found = _valued("function", site.text(name) if name is not None else "default", node, value, site)
        if found is not None:
            return (found,)
        if value.type == "object":
            return (Declaration("?variable", "default", node, (value,)),)
    return None
