"""The head of a file: its first comments and docstring, before any code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from filewright.structure.file_comments import is_directive

if TYPE_CHECKING:
    from tree_sitter import Node

    from filewright.structure.grammar_input import Content

_DEFINITIONS: Final = (
    *("function_definition", "class_definition", "decorated_definition"),
    *("function_declaration", "generator_function_declaration"),
    *("class_declaration", "abstract_class_declaration"),
    *("interface_declaration", "type_alias_declaration"),
)
_COMMENTS: Final = ("comment", "html_comment", "hash_bang_line")


@dataclass(frozen=True, slots=True)
class FileHead:
    """Where imports may go: behind `end`, and before the first definition.

    `definition_start` is that of the first function, class or type at the top (None:
    there is none).
    """

    end: int = 0
    definition_start: int | None = None


def find_head(root: Node, content: Content) -> FileHead:
    """Return the head of a file."""
    end = 0
    is_head = True
    for index, node in enumerate(root.children):
        if is_head:
            following = root.children[index + 1 : index + 2]
            is_head = _is_of_head(node, following, content)
            if is_head:
                end = node.end_byte
        if _is_definition(node):
            return FileHead(end, node.start_byte)
    return FileHead(end)


def _is_of_head(node: Node, following: list[Node], content: Content) -> bool:
    """Return True for a docstring, a directive, or a comment that is apart."""
    if node.type in _COMMENTS:
        data = content.data[node.start_byte : node.end_byte]
        text = data.decode(content.codec, "replace")
        if text.startswith("#!") or is_directive(text) or not following:
            return True
        rows = following[0].start_point[0] - node.end_point[0]
        # A comment of several lines is several comments.
        return rows > 1 or following[0].type in _COMMENTS
    first = node.named_children[:1]
    return node.type == "expression_statement" and (
        len(node.named_children) == 1 and first[0].type == "string"
    )


def _is_definition(node: Node) -> bool:
    """Return True for a function, a class or a type, exported or not."""
    if node.type == "export_statement":
        declaration = node.child_by_field_name("declaration")
        return declaration is not None and _is_definition(declaration)
    return node.type in _DEFINITIONS
