"""JSON, YAML and TOML: keys are the symbols."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from filewright.structure.reading import Declaration, Site, child_of_type

if TYPE_CHECKING:
    from tree_sitter import Node


def json_pair(node: Node, site: Site) -> Iterator[Declaration]:
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if key is not None:
        text = site.text(key)
        try:
            name = str(json.loads(text))
        except ValueError:
            name = text.strip('"')
        yield Declaration("key", name, node, (value,) if value is not None and value.type == "object" else ())


def _scalar(node: Node, site: Site) -> str:
    text = site.text(node)
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return text


def _first_pair(node: Node) -> Node | None:
    """The first `key: value` of the mapping that `node` is or holds."""
    for _ in range(4):
        inner = child_of_type(node, "block_node", "flow_node", "block_mapping", "block_mapping_pair")
        if inner is None:
            return None
        if inner.type == "block_mapping_pair":
            return inner
        node = inner
    return None


def _pair_line(pair: Node, site: Site) -> str:
    key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
    short = value is not None and value.start_point.row == value.end_point.row
    name = site.text(key, 60) if key is not None else ""
    return f"{name}: {site.text(value, 60)}" if short and value is not None else f"{name}:"


def yaml_item(node: Node, site: Site) -> Iterable[Declaration]:
    """A list item that is a mapping, named by its first pair: `name: first`."""
    pair = _first_pair(node)
    if pair is not None:
        yield Declaration("item", _pair_line(pair, site), node, tuple(node.named_children))


def yaml_document(node: Node, site: Site) -> Iterable[Declaration] | None:
    """Each document of a stream of several, named by its first pair."""
    stream = node.parent
    if stream is None or sum(child.type == "document" for child in stream.named_children[:8]) < 2:
        return None
    pair = _first_pair(node)
    return (
        Declaration(
            "document",
            _pair_line(pair, site) if pair is not None else "---",
            node,
            tuple(node.named_children),
        ),
    )


def _toml_name(node: Node, site: Site) -> str:
    """A key with the quotes of its parts taken off, parts joined by dots."""
    parts: list[Node] = []
    pending = [node]
    while pending:
        part = pending.pop()
        if part.type == "dotted_key":
            pending.extend(reversed(part.named_children))
        else:
            parts.append(part)
    return ".".join(_scalar(part, site) for part in parts)


def toml_table(node: Node, site: Site) -> Iterator[Declaration]:
    key = child_of_type(node, "bare_key", "quoted_key", "dotted_key")
    if key is not None:
        shown = _toml_name(key, site)
        yield Declaration("table", shown, node, tuple(node.named_children))


def toml_pair(node: Node, site: Site) -> Iterator[Declaration]:
    if node.named_child_count:
        key = node.named_children[0]
        value = node.named_children[-1]
        yield Declaration(
            "key", _toml_name(key, site), node, (value,) if value.type == "inline_table" else ()
        )
