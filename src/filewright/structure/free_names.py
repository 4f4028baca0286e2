"""The names that a part of a text takes from outside, read with its scopes.

A name of an inner function, a parameter or a local variable is none of them. The syntax
tree is walked once; queries have marked the names that are bound, assigned or used.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

    from filewright.structure.grammar_input import Content

_COMPREHENSIONS: Final = (
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
)
_PYTHON_DEFINITIONS: Final = ("function_definition", "class_definition")
_FUNCTIONS: Final = (
    *("function_declaration", "function_expression", "arrow_function"),
    *("generator_function_declaration", "generator_function"),
    *("method_definition", "class_static_block", "internal_module", "module"),
    *("function_signature", "method_signature", "abstract_method_signature"),
    *("call_signature", "construct_signature"),
    *("function_type", "constructor_type"),
)
"""Scopes of JavaScript and TypeScript that a `var` belongs to."""

_BLOCKS: Final = (
    *("statement_block", "for_statement", "for_in_statement", "catch_clause"),
    *("switch_body", "class", "class_declaration"),
    *("abstract_class_declaration", "interface_declaration"),
    *("type_alias_declaration", "conditional_type", "index_signature"),
)
"""Other scopes of JavaScript and TypeScript."""

_SELF_NAMED: Final = ("function_expression", "generator_function", "class")
"""Scopes whose name is known inside of them only."""

_IMPORTS: Final = (
    "import_statement",
    "import_from_statement",
    "future_import_statement",
)

UNUSED_FIELDS: Final = {
    "attribute": "attribute",
    "keyword_argument": "name",
    "export_specifier": "alias",
    "nested_type_identifier": "name",
}
"""Fields of nodes in which a name stands for itself, and uses nothing."""

_JSX: Final = ("jsx_element", "jsx_self_closing_element", "jsx_fragment")
_JSX_TAGS: Final = (
    "jsx_opening_element",
    "jsx_closing_element",
    "jsx_self_closing_element",
)
_WORD: Final = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class FreeNames:
    """The names that some ranges of a text take from outside, in order.

    `assigned` are those that they bind anew out there. `annotations` are those in
    annotations of Python, and `quoted` those that are in quotes wherever they are used.
    `has_jsx`: they make elements of JSX. `annotates_itself`: a class is in annotations of
    its own, without quotes.
    """

    names: tuple[str, ...] = ()
    assigned: tuple[str, ...] = ()
    annotations: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    has_jsx: bool = False
    annotates_itself: bool = False

    def joined(self, other: FreeNames) -> FreeNames:
        """Return the free names of two parts of a text."""
        unquoted = {*self.names} - {*self.quoted}
        unquoted |= {*other.names} - {*other.quoted}
        quoted = [
            name
            for name in _merge(self.quoted, other.quoted)
            if name not in unquoted
        ]
        return FreeNames(
            _merge(self.names, other.names),
            _merge(self.assigned, other.assigned),
            _merge(self.annotations, other.annotations),
            tuple(quoted),
            has_jsx=self.has_jsx or other.has_jsx,
            annotates_itself=self.annotates_itself or other.annotates_itself,
        )


@dataclass(eq=False)
class _Scope:
    """A scope with the names that it binds, and those it takes from the top."""

    parent: _Scope | None
    kind: str = "function"
    names: set[str] = field(default_factory=set)
    global_names: set[str] = field(default_factory=set)

    def function_scope(self) -> _Scope:
        """Return the scope of the function, or of the whole text, around this one."""
        scope = self
        while scope.parent is not None and scope.kind != "function":
            scope = scope.parent
        return scope

    def is_free(self, name: str) -> bool:
        """Return True if a name that is used in this scope comes from outside."""
        return self._is_of_top(name) and name not in self._top.names

    def is_own(self, name: str) -> bool:
        """Return True if the ranges bind a name at the top."""
        return self._is_of_top(name) and name in self._top.names

    @property
    def _top(self) -> _Scope:
        """The scope of the whole text."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def _is_of_top(self, name: str) -> bool:
        """Return True if no scope up to the top binds a name."""
        scope: _Scope | None = self
        is_own = True
        while scope is not None and scope.parent is not None:
            if name in scope.global_names:
                return True
            # The names of a class of Python are unknown in its methods.
            if (is_own or scope.kind != "class") and name in scope.names:
                return False
            is_own = is_own and scope.kind == "types"
            scope = scope.parent
        return True


@dataclass(frozen=True, slots=True)
class _Visit:
    """A node to walk, with the scopes in which its names are bound and used.

    The strings in `Literal["a"]` are no annotations.
    """

    node: Node
    bind_scope: _Scope
    use_scope: _Scope
    parent: Node | None = None
    field: str | None = None
    is_annotation: bool = False
    is_literal: bool = False


class FreeNameReader:
    """A reader of the free names of ranges, which are starts and ends in turn."""

    def __init__(
        self,
        content: Content,
        captures: dict[str, list[Node]],
        spans: Sequence[int],
        *,
        is_python: bool,
    ) -> None:
        self._content = content
        self._bound = _ids(captures.get("bound", ()))
        self._used = _ids(captures.get("used", ()))
        self._assigned = _ids(captures.get("assigned", ()))
        self._ranges = [*zip(spans[::2], spans[1::2], strict=True)]
        self._is_python = is_python
        self._uses: list[tuple[str, _Scope]] = []
        self._assignments: list[tuple[str, _Scope]] = []
        self._quoted: list[tuple[str, _Scope]] = []
        self._annotations: list[tuple[str, _Scope]] = []
        self._has_jsx = False

    def read(self, root: Node) -> FreeNames:
        """Return the free names of the ranges."""
        top = _Scope(None)
        pending = [
            _Visit(node, top, top, root)
            for node in reversed(root.children)
            if self._overlaps(node)
        ]
        while pending:
            visit = pending.pop()
            children = [*self._visit(visit)]
            pending += reversed(children)
        names = _select_free(self._uses)
        quoted = _select_free(self._quoted)
        return FreeNames(
            tuple(dict.fromkeys((*names, *quoted))),
            _select_free(self._assignments),
            _select_free(self._annotations),
            tuple(name for name in quoted if name not in names),
            has_jsx=self._has_jsx,
            annotates_itself=any(
                scope.is_own(name)
                for name, scope in self._annotations
                if (name, scope) not in self._quoted
            ),
        )

    def _overlaps(self, node: Node) -> bool:
        """Return True if a part of a node is in a range."""
        return any(
            node.start_byte < stop and start < node.end_byte
            for start, stop in self._ranges
        )

    def _is_inside(self, node: Node) -> bool:
        """Return True if a node begins in a range."""
        offset = node.start_byte
        return any(start <= offset < stop for start, stop in self._ranges)

    def _text(self, node: Node) -> str:
        """Return the text of a node."""
        data = self._content.data[node.start_byte : node.end_byte]
        return data.decode(self._content.codec, "replace")

    def _visit(self, visit: _Visit) -> Iterator[_Visit]:
        """Note the name of a node, and yield its children."""
        node = visit.node
        if node.type in _IMPORTS:
            # Its names are bound, and not used.
            for imported in _imported_names(node):
                self._bind(visit.bind_scope, self._text(imported))
            return
        if node.type in _JSX and self._is_inside(node):
            self._has_jsx = True
        if node.type == "global_statement":
            for child in node.named_children:
                name = self._text(child)
                visit.bind_scope.global_names.add(name)
                self._uses.append((name, visit.bind_scope))
                self._assignments.append((name, visit.bind_scope))
            return
        if node.id in self._bound:
            self._bind_node(visit)
        elif node.id in self._used:
            self._use_node(visit)
        elif self._is_quoted_annotation(visit):
            for name in _WORD.findall(self._text(node)):
                self._quoted.append((name, visit.use_scope))
                self._annotations.append((name, visit.use_scope))
        if self._is_python:
            yield from self._enter_python(visit)
        else:
            yield from self._enter_script(visit)

    def _is_quoted_annotation(self, visit: _Visit) -> bool:
        """Return True for the text of a string that is an annotation."""
        return (
            visit.is_annotation
            and not visit.is_literal
            and visit.node.type == "string_content"
            and self._is_inside(visit.node)
        )

    def _bind_node(self, visit: _Visit) -> None:
        """Bind the name of a node in its scope."""
        if visit.bind_scope.parent is None and not self._is_inside(visit.node):
            return
        self._bind(visit.bind_scope, self._text(visit.node))

    def _bind(self, scope: _Scope, name: str) -> None:
        scope.names.add(name)

    def _use_node(self, visit: _Visit) -> None:
        """Note the use of a name, unless it stands for itself."""
        parent = visit.parent
        if not self._is_inside(visit.node):
            return
        own_field = UNUSED_FIELDS.get(parent.type) if parent else None
        if own_field is not None and own_field == visit.field:
            return
        if parent is not None and parent.type == "keyword_pattern":
            return
        name = self._text(visit.node)
        if parent is not None and parent.type in _JSX_TAGS and name.islower():
            # `<link>` is an element of HTML.
            return
        self._note_use(name, visit)
        if visit.node.id in self._assigned:
            self._assignments.append((name, visit.use_scope))

    def _note_use(self, name: str, visit: _Visit) -> None:
        self._uses.append((name, visit.use_scope))
        if visit.is_annotation:
            self._annotations.append((name, visit.use_scope))

    # Python

    def _enter_python(self, visit: _Visit) -> Iterator[_Visit]:
        """Yield the children of a node with their scopes."""
        node = visit.node
        if node.type in _PYTHON_DEFINITIONS:
            yield from self._enter_definition(visit)
        elif node.type == "lambda":
            scope = _Scope(visit.use_scope)
            for child, name in _children(node):
                use_scope = visit.use_scope if name == "parameters" else scope
                yield _Visit(child, scope, use_scope, node, name)
        elif node.type in _COMPREHENSIONS:
            yield from self._enter_comprehension(visit)
        elif node.type == "named_expression":
            # It is bound outside of the comprehension.
            scope = visit.bind_scope
            while scope.kind == "comprehension" and scope.parent is not None:
                scope = scope.parent
            for child, name in _children(node):
                bind_scope = scope if name == "name" else visit.bind_scope
                yield _Visit(child, bind_scope, visit.use_scope, node, name)
        else:
            is_annotation = visit.is_annotation or node.type == "type"
            is_literal = visit.is_literal or (
                node.type in ("subscript", "generic_type")
                and self._text(node.children[0]).endswith("Literal")
            )
            for child, name in _children(node):
                yield _Visit(
                    child,
                    visit.bind_scope,
                    visit.use_scope,
                    node,
                    name,
                    is_annotation,
                    is_literal,
                )

    def _enter_definition(self, visit: _Visit) -> Iterator[_Visit]:
        """Yield the children of a function or class of Python."""
        node = visit.node
        types = _Scope(visit.use_scope, "types")
        is_class = node.type == "class_definition"
        body = _Scope(types, "class" if is_class else "function")
        for child, name in _children(node):
            bind_scope = use_scope = types
            if name == "name":
                bind_scope = use_scope = visit.bind_scope
            elif name == "parameters":
                # Defaults and annotations are outside of the function.
                bind_scope = body
            elif name == "body":
                bind_scope = use_scope = body
            yield _Visit(child, bind_scope, use_scope, node, name)

    def _enter_comprehension(self, visit: _Visit) -> Iterator[_Visit]:
        """Yield the children of a comprehension of Python."""
        node = visit.node
        scope = _Scope(visit.use_scope, "comprehension")
        is_first = True
        for child, name in _children(node):
            if child.type == "for_in_clause" and is_first:
                is_first = False
                for part, part_name in _children(child):
                    # What is iterated first is outside of it.
                    is_outside = part_name == "right"
                    use_scope = visit.use_scope if is_outside else scope
                    yield _Visit(part, scope, use_scope, child, part_name)
            else:
                yield _Visit(child, scope, scope, node, name)

    # JavaScript and TypeScript

    def _enter_script(self, visit: _Visit) -> Iterator[_Visit]:
        """Yield the children of a node with their scopes."""
        node = visit.node
        bind_scope, use_scope = visit.bind_scope, visit.use_scope
        scope: _Scope | None = None
        if node.type in _FUNCTIONS:
            scope = _Scope(use_scope)
        elif node.type in _BLOCKS:
            scope = _Scope(use_scope, "block")
        elif node.type == "variable_declaration":
            bind_scope = bind_scope.function_scope()
        for child, name in _children(node):
            is_outer_name = name == "name" and node.type not in _SELF_NAMED
            if scope is None or is_outer_name:
                yield _Visit(child, bind_scope, use_scope, node, name)
            else:
                yield _Visit(child, scope, scope, node, name)


def _merge(
    names: tuple[str, ...], other_names: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the names of both, each once."""
    return tuple(dict.fromkeys((*names, *other_names)))


def _ids(nodes: Sequence[Node]) -> Container[int]:
    """Return the ids of nodes."""
    return {node.id for node in nodes}


def _children(node: Node) -> Iterator[tuple[Node, str | None]]:
    """Yield the children of a node, each with its field."""
    for index, child in enumerate(node.children):
        yield child, node.field_name_for_child(index)


def _imported_names(node: Node) -> Iterator[Node]:
    """Yield the names that an import binds; of `a.b` in Python that is `a`."""
    module = node.child_by_field_name("module_name")
    pending = [child for child in node.named_children if child != module]
    while pending:
        child = pending.pop()
        alias = child.child_by_field_name("alias")
        if alias is not None:
            yield alias
        elif child.type == "identifier":
            yield child
        else:
            first = child.named_children[:1]
            is_dotted = child.type == "dotted_name"
            pending += first if is_dotted else child.named_children


def _select_free(names: Sequence[tuple[str, _Scope]]) -> tuple[str, ...]:
    """Return the names that are bound in none of the scopes around them, each once."""
    free = {name: None for name, scope in names if scope.is_free(name)}
    return tuple(free)
