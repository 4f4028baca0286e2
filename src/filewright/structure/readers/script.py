"""Ruby, shell scripts, Lua and SQL: what is declared by a call, an assignment or a statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from filewright.structure.reading import Declaration, Site, child_of_type, constant_or_variable, words

if TYPE_CHECKING:
    from tree_sitter import Node

_CREATED: Final = {"materialized_view": "view", "procedure": "function", "domain": "type"}
_UNQUOTED: Final = str.maketrans("", "", '"`[]')


_ATTRIBUTES: Final = words("attr_reader attr_writer attr_accessor attribute cattr_accessor mattr_accessor")


_TESTS: Final = words(
    "describe context it specify feature scenario shared_examples shared_context test task namespace"
)


_DEFINERS: Final = frozenset(["define_method", "define_singleton_method"])


_IMPORTS: Final = words("require require_relative load autoload")


_MAKERS: Final = frozenset(["new", "define"])


def ruby_call(node: Node, site: Site) -> Iterable[Declaration] | None:
    method = node.child_by_field_name("method")
    if method is None or site.kind == "method":
        return ()
    word = site.text(method, 40)
    arguments = node.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else []
    block = node.child_by_field_name("block")
    if word in _IMPORTS and not site.kind and given:
        return (Declaration("import", site.text(given[-1]).strip("'\":"), node),)
    if word in _ATTRIBUTES:
        symbols = [each for each in given if each.type in ("simple_symbol", "string")]
        return tuple(Declaration("property", site.text(each).strip(":'\""), node) for each in symbols)
    if word in _DEFINERS and given:
        return (Declaration("method", site.text(given[0]).strip(":'\""), node),)
    if word in _TESTS and block is not None and given:
        return (Declaration("test", site.text(given[0]).strip("'\":"), node, (block,)),)
    return None


def ruby_constant(node: Node, site: Site) -> Iterable[Declaration]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or left.type not in ("constant", "scope_resolution") or site.kind == "method":
        return
    name = site.text(left)
    if right is not None and right.type == "call":
        method = right.child_by_field_name("method")
        receiver = right.child_by_field_name("receiver")
        if method is not None and receiver is not None and site.text(method) in _MAKERS:
            made = site.text(receiver, 40)
            if made in ("Struct", "Class", "Module", "Data"):
                block = right.child_by_field_name("block")
                kind = "module" if made == "Module" else "class"
                yield Declaration(kind, name, node, (block,) if block is not None else ())
                return
    yield Declaration("constant", name, node)


def ruby_singleton(node: Node, site: Site) -> Iterator[Declaration]:
    name, owner = node.child_by_field_name("name"), node.child_by_field_name("object")
    if name is not None:
        short = site.text(name)
        shown = f"{site.text(owner)}.{short}" if owner is not None else short
        yield Declaration("method", shown, node, (), short)


def bash_declaration(node: Node, site: Site) -> Iterable[Declaration]:
    if site.kind:
        return
    readonly = site.text(node, 20).startswith(("readonly", "declare -r", "typeset -r"))
    for child in node.named_children:
        name = child.child_by_field_name("name") if child.type == "variable_assignment" else None
        if name is not None:
            text = site.text(name)
            yield Declaration("constant" if readonly else constant_or_variable(text), text, node)


def bash_command(node: Node, site: Site) -> Iterable[Declaration]:
    name, argument = node.child_by_field_name("name"), node.child_by_field_name("argument")
    if name is None or argument is None or site.kind:
        return
    word = site.text(name, 20)
    if word in ("source", "."):
        yield Declaration("import", site.text(argument).strip("'\""), node)
    elif word == "alias":
        yield Declaration("alias", site.text(argument).partition("=")[0], node)


def _lua_name(node: Node, site: Site) -> tuple[str, str]:
    text = site.text(node)
    if node.type == "bracket_index_expression":
        table, field = node.child_by_field_name("table"), node.child_by_field_name("field")
        if table is not None and field is not None:
            plain = site.text(field).strip("'\"")
            return text, f"{site.text(table)}.{plain}"
    return text, text.replace(":", ".")


def lua_function(node: Node, site: Site) -> Iterator[Declaration]:
    name = node.child_by_field_name("name")
    if name is not None:
        shown, known_as = _lua_name(name, site)
        body = node.child_by_field_name("body")
        kind = "method" if name.type == "method_index_expression" else "function"
        yield Declaration(kind, shown, node, (body,) if body is not None else (), known_as)


def _lua_module(call: Node, site: Site) -> str:
    name, arguments = call.child_by_field_name("name"), call.child_by_field_name("arguments")
    if name is None or arguments is None or site.text(name, 20) != "require":
        return ""
    return site.text(arguments).strip("()'\"[] ")


def lua_assignment(node: Node, site: Site) -> Iterable[Declaration]:
    names, values = child_of_type(node, "variable_list"), child_of_type(node, "expression_list")
    if names is None:
        return
    given = values.named_children if values is not None else []
    for index, name in enumerate(names.named_children):
        value = given[index] if index < len(given) else None
        shown, known_as = _lua_name(name, site)
        if value is not None and value.type == "function_definition":
            body = value.child_by_field_name("body")
            yield Declaration("function", shown, node, (body,) if body is not None else (), known_as)
        elif value is not None and value.type == "table_constructor":
            kind = constant_or_variable(shown) if not site.kind and name.type == "identifier" else "?variable"
            yield Declaration(kind, shown, node, (value,), known_as)
        elif (
            value is not None
            and value.type == "function_call"
            and not site.kind
            and (module := _lua_module(value, site))
        ):
            yield Declaration("import", module, node)
        elif not site.kind and name.type == "identifier":
            yield Declaration(constant_or_variable(shown), shown, node)


def lua_field(node: Node, site: Site) -> Iterable[Declaration]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or value is None:
        return
    text = site.text(name).strip("[]'\"")
    if value.type == "function_definition":
        body = value.child_by_field_name("body")
        yield Declaration("function", text, node, (body,) if body is not None else ())
    elif value.type == "table_constructor":
        yield Declaration("?property", text, node, (value,))


def created(node: Node, site: Site) -> Iterator[Declaration]:
    """What a SQL statement creates, found by its name without quotes."""
    kind = node.type.removeprefix("create_")
    name = (
        node.child_by_field_name("column")
        if kind == "index"
        else child_of_type(node, "object_reference", "identifier")
    )
    if name is not None:
        text = site.text(name)
        yield Declaration(_CREATED.get(kind, kind), text, node, (node,), text.translate(_UNQUOTED))
