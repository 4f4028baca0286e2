"""Ruby."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from filewright.structure.table import Found, Rule, Site, Table, words

if TYPE_CHECKING:
    from tree_sitter import Node

_ATTRIBUTES = words("attr_reader attr_writer attr_accessor attribute cattr_accessor mattr_accessor")
_TESTS = words(
    "describe context it specify feature scenario shared_examples shared_context test task namespace"
)
_DEFINERS = words("define_method define_singleton_method")
_IMPORTS = words("require require_relative load autoload")
_MAKERS = words("new define")


def _call(node: Node, site: Site) -> Iterable[Found] | None:
    method = node.child_by_field_name("method")
    if method is None or site.kind == "method":
        return ()
    word = site.text(method, 40)
    arguments = node.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else []
    block = node.child_by_field_name("block")
    if word in _IMPORTS and not site.kind and given:
        return (Found("import", site.text(given[-1]).strip("'\":"), node),)
    if word in _ATTRIBUTES:
        symbols = [each for each in given if each.type in ("simple_symbol", "string")]
        return tuple(Found("property", site.text(each).strip(":'\""), node) for each in symbols)
    if word in _DEFINERS and given:
        return (Found("method", site.text(given[0]).strip(":'\""), node),)
    if word in _TESTS and block is not None and given:
        return (Found("test", site.text(given[0]).strip("'\":"), node, (block,)),)
    return None


def _assignment(node: Node, site: Site) -> Iterable[Found]:
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
                yield Found(kind, name, node, (block,) if block is not None else ())
                return
    yield Found("constant", name, node)


def _singleton(node: Node, site: Site) -> Iterator[Found]:
    name, owner = node.child_by_field_name("name"), node.child_by_field_name("object")
    if name is not None:
        short = site.text(name)
        shown = f"{site.text(owner)}.{short}" if owner is not None else short
        yield Found("method", shown, node, (), short)


def _alias(node: Node, site: Site) -> Iterator[Found]:
    name = node.child_by_field_name("name")
    if name is not None and site.kind != "method":
        yield Found("method", site.text(name).lstrip(":"), node)


def _scoped(kind: str, node: Node, site: Site) -> Iterator[Found]:
    name = node.child_by_field_name("name")
    if name is not None:
        text = site.text(name)
        yield Found(kind, text, node, tuple(node.named_children), text.replace("::", "."))


RUBY = Table(
    symbols={
        "class": lambda node, site: _scoped("class", node, site),
        "module": lambda node, site: _scoped("module", node, site),
        "method": Rule("function", within={"class": "method", "module": "method", "method": "method"}),
        "singleton_method": _singleton,
        "assignment": _assignment,
        "call": _call,
        "alias": _alias,
    },
    through=words(
        "program body_statement singleton_class argument_list do_block block block_body begin ensure rescue"
        " if"
        " unless then else elsif call ERROR"
    ),
)
