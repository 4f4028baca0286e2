"""Bash and Lua."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from filewright.structure.table import Found, Rule, Site, Table, child_of_type, constant_or_variable, words

if TYPE_CHECKING:
    from tree_sitter import Node


def _bash_declaration(node: Node, site: Site) -> Iterable[Found]:
    if site.kind:
        return
    readonly = site.text(node, 20).startswith(("readonly", "declare -r", "typeset -r"))
    for child in node.named_children:
        name = child.child_by_field_name("name") if child.type == "variable_assignment" else None
        if name is not None:
            text = site.text(name)
            yield Found("constant" if readonly else constant_or_variable(text), text, node)


def _bash_variable(node: Node, site: Site) -> Iterable[Found]:
    name = node.child_by_field_name("name")
    if name is not None and not site.kind and name.type == "variable_name":
        text = site.text(name)
        yield Found(constant_or_variable(text), text, node)


def _bash_command(node: Node, site: Site) -> Iterable[Found]:
    name, argument = node.child_by_field_name("name"), node.child_by_field_name("argument")
    if name is None or argument is None or site.kind:
        return
    word = site.text(name, 20)
    if word in ("source", "."):
        yield Found("import", site.text(argument).strip("'\""), node)
    elif word == "alias":
        yield Found("alias", site.text(argument).partition("=")[0], node)


BASH = Table(
    symbols={
        "function_definition": Rule("function"),
        "declaration_command": _bash_declaration,
        "variable_assignment": _bash_variable,
        "command": _bash_command,
    },
    through=words(
        "program compound_statement subshell if_statement elif_clause else_clause case_statement case_item"
        " for_statement while_statement do_group list ERROR"
    ),
    certain=False,
)


def _lua_name(node: Node, site: Site) -> tuple[str, str]:
    text = site.text(node)
    if node.type == "bracket_index_expression":
        table, field = node.child_by_field_name("table"), node.child_by_field_name("field")
        if table is not None and field is not None:
            plain = site.text(field).strip("'\"")
            return text, f"{site.text(table)}.{plain}"
    return text, text.replace(":", ".")


def _lua_function(node: Node, site: Site) -> Iterator[Found]:
    name = node.child_by_field_name("name")
    if name is not None:
        shown, known_as = _lua_name(name, site)
        body = node.child_by_field_name("body")
        kind = "method" if name.type == "method_index_expression" else "function"
        yield Found(kind, shown, node, (body,) if body is not None else (), known_as)


def _lua_assignment(node: Node, site: Site) -> Iterable[Found]:
    names, values = child_of_type(node, "variable_list"), child_of_type(node, "expression_list")
    if names is None:
        return
    given = values.named_children if values is not None else []
    for index, name in enumerate(names.named_children):
        value = given[index] if index < len(given) else None
        shown, known_as = _lua_name(name, site)
        if value is not None and value.type == "function_definition":
            body = value.child_by_field_name("body")
            yield Found("function", shown, node, (body,) if body is not None else (), known_as)
        elif value is not None and value.type == "table_constructor":
            kind = constant_or_variable(shown) if not site.kind and name.type == "identifier" else "?variable"
            yield Found(kind, shown, node, (value,), known_as)
        elif (
            value is not None
            and value.type == "function_call"
            and not site.kind
            and (module := _lua_module(value, site))
        ):
            yield Found("import", module, node)
        elif not site.kind and name.type == "identifier":
            yield Found(constant_or_variable(shown), shown, node)


def _lua_module(call: Node, site: Site) -> str:
    name, arguments = call.child_by_field_name("name"), call.child_by_field_name("arguments")
    if name is None or arguments is None or site.text(name, 20) != "require":
        return ""
    return site.text(arguments).strip("()'\"[] ")


def _lua_field(node: Node, site: Site) -> Iterable[Found]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or value is None:
        return
    text = site.text(name).strip("[]'\"")
    if value.type == "function_definition":
        body = value.child_by_field_name("body")
        yield Found("function", text, node, (body,) if body is not None else ())
    elif value.type == "table_constructor":
        yield Found("?property", text, node, (value,))


LUA = Table(
    symbols={
        "function_declaration": _lua_function,
        "assignment_statement": _lua_assignment,
        "field": _lua_field,
    },
    through=words(
        "chunk variable_declaration block table_constructor if_statement elseif_statement else_statement"
        " do_statement for_statement while_statement repeat_statement return_statement expression_list function_call"
        " arguments ERROR"
    ),
    wrappers=words("variable_declaration"),
)
