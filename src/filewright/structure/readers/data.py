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
