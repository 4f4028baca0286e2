"""HTML, CSS and Markdown: elements, rules and headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from filewright.structure.reading import NAME_CHARS, Declaration, Site, child_of_type
from filewright.structure.symbol import words

if TYPE_CHECKING:
    from tree_sitter import Node

_LANDMARKS: Final = words(
    "html head body header footer main nav section article aside form table script style template dialog "
    "fieldset figure details svg"
)


_HEADINGS: Final = words("h1 h2 h3 h4 h5 h6")


_TAG: Final = re.compile(r"<[^>]*>")


def element(node: Node, site: Site) -> Iterable[Declaration] | None:
    """An element with an id, a landmark, or a heading; others are looked into."""
    tag = child_of_type(node, "start_tag", "self_closing_tag")
    if tag is None or not tag.named_child_count:
        return None
    if node.named_children[-1].type != "end_tag" and node.named_child_count == 1:
        node = tag
    name = site.text(tag.named_children[0], 60)
    lowered = name.lower()
    inside = tuple(
        child for child in node.named_children if child.type == "element" or child.type.endswith("_element")
    )
    if lowered in _HEADINGS:
        end = node.named_children[-1]
        stop = end.start_byte if end.type == "end_tag" else node.end_byte
        raw = site.source.data[tag.end_byte : min(stop, tag.end_byte + 2000)].decode(
            site.source.codec, "replace"
        )
        return (Declaration("heading", " ".join(_TAG.sub("", raw).split())[:NAME_CHARS] or name, node),)
    identity = _attribute(tag, "id", site)
    if identity:
        return (Declaration("element", f"{name}#{identity}", node, inside, identity),)
    if lowered in _LANDMARKS:
        return (Declaration("element", name, node, inside),)
    return None


def _attribute(tag: Node, wanted: str, site: Site) -> str:
    for attribute in tag.named_children:
        if attribute.type == "attribute" and attribute.named_child_count:
            key, *value = attribute.named_children
            if value and site.text(key, 40).lower() == wanted:
                return site.text(value[0]).strip("'\"")
    return ""


_MARKS: Final = re.compile(r"(?<!\\)(?:\*{1,3}|`+|~~|(?<!\w)_{1,3}|_{1,3}(?!\w))")


_IMAGE: Final = re.compile(r"!\[([^\]]*)\]\([^)]*\)")


_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")


_CLOSING: Final = re.compile(r"(?:^|\s)#+\s*$")


def _plain(text: str) -> str:
    """A heading without its emphasis, code and link marks: what a reader sees."""
    return _MARKS.sub("", _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))).strip()


def heading(node: Node, site: Site) -> Iterator[Declaration]:
    content = node.child_by_field_name("heading_content")
    marker = next((child.type for child in node.named_children if "_h" in child.type), "")
    level = next((int(digit) for digit in marker if digit.isdigit()), 1)
    shown = site.text(content) if content is not None else ""
    if node.type == "atx_heading":
        shown = _CLOSING.sub("", shown)
    yield Declaration("heading", _plain(shown), node, level=level)
