"""The imports of a syntax tree, and the mentions of names. It runs in the parser process.

Query files (`imports/*.scm`) find the nodes: `@import` is a statement, `@specifier` a
string that may be a module. Those for names have `@bound`, a name that the text binds,
and `@used`, any name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from filewright.languages import Language
from filewright.structure.defined_names import find_defined_names
from filewright.structure.file_head import find_head
from filewright.structure.free_names import UNUSED_FIELDS, FreeNameReader
from filewright.structure.grammar import load_grammar
from filewright.structure.import_statements import (
    CALL,
    DEFAULT_EXPORT,
    FUTURE,
    MAX_MENTIONS,
    MAX_STATEMENTS,
    NAMES,
    OTHER_BLOCK,
    REQUIRE,
    SCOPE,
    STAR,
    TOP,
    TYPES,
    WHOLE,
    ImportedName,
    ImportFacts,
    ImportStatement,
    NameMention,
)

if TYPE_CHECKING:
    from tree_sitter import Node, Query, Tree

    from filewright.structure.grammar import Grammar
    from filewright.structure.grammar_input import Content

_QUERIES: Final = Path(__file__).with_name("imports")
_IMPORT_QUERIES: Final = {
    Language.PYTHON: ("python",),
    Language.JAVASCRIPT: ("ecma",),
    Language.JSX: ("ecma",),
    Language.TYPESCRIPT: ("ecma",),
    Language.TSX: ("ecma",),
}
_NAME_QUERIES: Final = {
    Language.PYTHON: ("python_names",),
    Language.JAVASCRIPT: ("ecma_names", "javascript_names"),
    Language.JSX: ("ecma_names", "javascript_names"),
    Language.TYPESCRIPT: ("ecma_names", "typescript_names"),
    Language.TSX: ("ecma_names", "typescript_names"),
}
_PATH_STARTS: Final = (".", "/", "@/", "~/", "#")
"""The beginnings of strings in calls that may be the path of a module."""

_MAX_UNBOUND: Final = 100
_MAX_DEFINED: Final = 1_000
_MAX_TEXT_BYTES: Final = 400
"""Bytes of a string or of a chain of attributes that mentions a name."""

_MAX_ANCESTORS: Final = 12
"""Nodes around a mention that may say that it is in a list `__all__`."""

_SCOPES: Final = (
    *("function_definition", "class_definition", "lambda"),
    *("function_declaration", "function_expression", "arrow_function"),
    *("generator_function_declaration", "generator_function"),
    *("method_definition", "class_body", "internal_module"),
)
"""Nodes whose imports bind no name at the top of the file."""

_LETTER: Final = rb"[\w$\x80-\xff]"
_LISTED_TYPES: Final = (
    "dotted_name",
    "aliased_import",
    "import_specifier",
    "export_specifier",
)
_COMMENTS: Final = ("comment", "html_comment")
_PATTERNS: Final = (
    "object_pattern",
    "pair_pattern",
    "object_assignment_pattern",
)
_PATTERN_KEYS: Final = (
    "property_identifier",
    "shorthand_property_identifier_pattern",
)
"""Names of members that a pattern such as `const { a, b: c } = module` takes."""

_CHAINS: Final = ("attribute", "member_expression", "nested_type_identifier")


def collect_imports(
    tree: Tree,
    grammar: Grammar,
    content: Content,
    names: Sequence[str],
    spans: Sequence[int],
) -> ImportFacts:
    """Return the imports of a text, the mentions of names, and the unbound names.

    `spans` are the starts and ends of the ranges whose unbound names are requested.
    """
    from tree_sitter import QueryCursor

    language = grammar.language
    error_start = _first_error(tree.root_node)
    statement_reader = _StatementReader(content, error_start)
    query = _load_query(language, _IMPORT_QUERIES[language])
    captures = QueryCursor(query).captures(tree.root_node)
    statements: list[ImportStatement] = []
    nodes = [*captures.get("import", ()), *captures.get("specifier", ())]
    nodes.sort(key=lambda node: node.start_byte)
    for node in nodes:
        statements += statement_reader.read(node)
        if len(statements) > MAX_STATEMENTS:
            return ImportFacts(note=f"more than {MAX_STATEMENTS} imports")
    mentions = [*_find_mentions(tree.root_node, content, names)]
    if len(mentions) > MAX_MENTIONS:
        return ImportFacts(note=f"more than {MAX_MENTIONS} mentions")
    is_python = language is Language.PYTHON
    # `export *` of JavaScript binds no name.
    has_star = is_python and any(
        statement.form == STAR for statement in statements
    )
    facts = ImportFacts(
        tuple(statements),
        tuple(mentions),
        has_star=has_star,
        error_start=error_start,
    )
    if not spans:
        return facts
    query = _load_query(language, _NAME_QUERIES[language])
    captures = QueryCursor(query).captures(tree.root_node)
    defined = find_defined_names(tree.root_node, content, language)
    reader = FreeNameReader(content, captures, spans, is_python=is_python)
    free = reader.read(tree.root_node)
    unbound: tuple[str, ...] = ()
    if not facts.has_star:
        bound_names = {name.name for name in defined}
        for statement in statements:
            bound_names |= statement.top_names
        unbound = tuple(name for name in free.names if name not in bound_names)
    global_names = {
        _read_text(content, node) for node in captures.get("global", ())
    }
    return replace(
        facts,
        free=free,
        unbound=unbound[:_MAX_UNBOUND],
        defined=tuple(
            replace(name, is_rebound=True)
            if name.name in global_names
            else name
            for name in defined[:_MAX_DEFINED]
        ),
        head=find_head(tree.root_node, content),
    )


@cache
def _load_query(language: Language, files: tuple[str, ...]) -> Query:
    """Return the query of a language that is written in some files."""
    import tree_sitter

    text = "\n".join(
        (_QUERIES / f"{name}.scm").read_text(encoding="utf-8") for name in files
    )
    return tree_sitter.Query(load_grammar(language).parser_language, text)


def _first_error(root: Node) -> int | None:
    """Return the offset of the first text that the grammar could not read, or None."""
    node = root
    while node.has_error:
        if node.is_error or node.is_missing:
            return node.start_byte
        broken = [child for child in node.children if child.has_error]
        if not broken:
            return node.start_byte
        node = broken[0]
    return None


def _read_text(content: Content, node: Node) -> str:
    """Return the text of a node."""
    data = content.data[node.start_byte : node.end_byte]
    return data.decode(content.codec, "replace")


class _StatementReader:
    """A reader of statements. The text from `first_error` on is not certain."""

    def __init__(self, content: Content, first_error: int | None) -> None:
        self._content = content
        self._first_error = first_error

    def read(self, node: Node) -> Iterator[ImportStatement]:
        """Yield the statement of a node; none if it imports nothing."""
        match node.type:
            case "import_from_statement":
                yield self._read_from(node)
            case "future_import_statement":
                names = self._read_names(node)
                statement = self._build(node, None, NAMES, names)
                yield replace(statement, module=FUTURE)
            case "import_statement" if node.child_by_field_name("name"):
                yield self._build(node, None, WHOLE, self._read_names(node))
            case "import_statement" | "export_statement":
                yield from self._read_module(node)
            case "lexical_declaration" | "variable_declaration":
                yield from self._read_require(node)
            case "string":
                statement = self._build(node, node, CALL)
                if statement.module.startswith(_PATH_STARTS):
                    yield statement

    def _read_from(self, node: Node) -> ImportStatement:
        """Return a `from` import of Python."""
        module = node.child_by_field_name("module_name")
        form = NAMES
        brackets = [child for child in node.children if child.type in "()"]
        for child in node.children:
            if child.type == "wildcard_import":
                form = STAR
        names = self._read_names(node)
        list_start = names[0].start if names else node.end_byte
        list_end = names[-1].end if names else node.end_byte
        if len(brackets) == 2:
            list_start = brackets[0].start_byte
            list_end = brackets[1].end_byte
        return self._build(
            node, module, form, names, list_start=list_start, list_end=list_end
        )

    def _read_module(self, node: Node) -> Iterator[ImportStatement]:
        """Yield an import or export of JavaScript with the string of its module."""
        source = node.child_by_field_name("source")
        holder = node
        default: ImportedName | None = None
        for child in node.children:
            if child.type == "import_require_clause":
                string = child.child_by_field_name("source")
                yield self._build(node, string, CALL)
                name = self._read_whole(child.named_children[0])
                yield self._build(node, string, REQUIRE, (name,))
                return
            if child.type == "import_clause":
                holder = child
        if source is None:
            return
        form = STAR if holder is node else WHOLE
        names: tuple[ImportedName, ...] = ()
        list_start = list_end = 0
        for child in holder.children:
            match child.type:
                case "identifier":
                    alias = _read_text(self._content, child)
                    default = ImportedName(
                        DEFAULT_EXPORT, alias, child.start_byte, child.end_byte
                    )
                case "named_imports" | "export_clause":
                    form = NAMES
                    names = self._read_names(child)
                    list_start, list_end = child.start_byte, child.end_byte
                case "namespace_import" | "namespace_export":
                    alias = _read_text(self._content, child).split()[-1]
                    name = ImportedName(
                        "*", alias, child.start_byte, child.end_byte
                    )
                    names = (name,)
                    form = WHOLE
        if node.type == "import_statement" and form == STAR:
            # `import "m"` takes no name.
            return
        yield self._build(
            node,
            source,
            form,
            names,
            list_start=list_start,
            list_end=list_end,
            default=default,
        )

    def _read_require(self, node: Node) -> Iterator[ImportStatement]:
        """Yield the declaration of the names that a call of `require` returns."""
        declarators = node.named_children
        target = declarators[0].child_by_field_name("name")
        value = declarators[0].child_by_field_name("value")
        while value is not None and value.type == "member_expression":
            value = value.child_by_field_name("object")
        string = _find_required_module(self._content, value)
        if len(declarators) != 1 or target is None or string is None:
            return
        if target.type == "identifier":
            names = [self._read_whole(target)]
            list_start = list_end = 0
        elif target.type == "object_pattern":
            names = [*self._read_pattern(target)]
            list_start, list_end = target.start_byte, target.end_byte
        else:
            return
        yield self._build(
            node,
            string,
            REQUIRE,
            tuple(names),
            list_start=list_start,
            list_end=list_end,
        )

    def _read_whole(self, node: Node) -> ImportedName:
        """Return the name of a whole module."""
        alias = _read_text(self._content, node)
        return ImportedName("*", alias, node.start_byte, node.end_byte)

    def _read_pattern(self, pattern: Node) -> Iterator[ImportedName]:
        """Yield the names of `{ a, b: c }`; others of a pattern are left out."""
        for child in pattern.named_children:
            name = alias = ""
            if child.type == "shorthand_property_identifier_pattern":
                name = _read_text(self._content, child)
            elif child.type == "pair_pattern":
                key = child.child_by_field_name("key")
                value = child.child_by_field_name("value")
                if key is None or value is None or value.type != "identifier":
                    continue
                name = _read_text(self._content, key)
                alias = _read_text(self._content, value)
            if name:
                yield ImportedName(
                    name, alias, child.start_byte, child.end_byte
                )

    def _read_names(self, node: Node) -> tuple[ImportedName, ...]:
        """Return the names that a node lists."""
        names = []
        module = node.child_by_field_name("module_name")
        for child in node.named_children:
            if child.type not in _LISTED_TYPES or child == module:
                continue
            name_node = child.child_by_field_name("name") or child
            alias_node = child.child_by_field_name("alias")
            alias = ""
            if alias_node is not None:
                alias = _read_text(self._content, alias_node)
            name = "".join(_read_text(self._content, name_node).split())
            names.append(
                ImportedName(name, alias, child.start_byte, child.end_byte)
            )
        return tuple(names)

    def _build(
        self,
        node: Node,
        module: Node | None,
        form: str,
        names: tuple[ImportedName, ...] = (),
        *,
        list_start: int = 0,
        list_end: int = 0,
        default: ImportedName | None = None,
    ) -> ImportStatement:
        """Return a statement; the quotes of its module are left out."""
        start = end = node.end_byte
        if module is not None:
            quotes = 1 if module.type == "string" else 0
            start = module.start_byte + quotes
            end = max(start, module.end_byte - quotes)
        first_error = self._first_error
        parent = node.parent
        text = self._content.data[start:end]
        block, block_start = _find_block(self._content, node)
        return ImportStatement(
            form,
            text.decode(self._content.codec, "replace"),
            node.start_byte,
            node.end_byte,
            start,
            end,
            names,
            list_start,
            list_end,
            default,
            is_certain=first_error is None or first_error >= node.end_byte,
            is_only_statement=parent is not None
            and parent.parent is not None
            and _count_statements(parent) == 1,
            block=block,
            block_start=block_start,
        )


def _find_required_module(content: Content, call: Node | None) -> Node | None:
    """Return the string of a call `require("m")`, or None."""
    if call is None or call.type != "call_expression":
        return None
    function = call.child_by_field_name("function")
    arguments = call.child_by_field_name("arguments")
    if function is None or arguments is None:
        return None
    strings = arguments.named_children
    is_require = _read_text(content, function) == "require"
    if not is_require or len(strings) != 1 or strings[0].type != "string":
        return None
    return strings[0]


def _find_block(content: Content, node: Node) -> tuple[str, int]:
    """Return the block that a statement is in, and the offset of an `if` of types."""
    around = node.parent
    if around is None or around.parent is None:
        return TOP, 0
    outer = around.parent
    if (
        outer.type == "if_statement"
        and outer.child_by_field_name("consequence") == around
        and outer.child_by_field_name("alternative") is None
        and outer.parent is not None
        and outer.parent.parent is None
    ):
        condition = outer.child_by_field_name("condition")
        if condition is not None:
            words = _read_text(content, condition).split(".")
            if words[-1] == "TYPE_CHECKING" and len(words) <= 2:
                return TYPES, outer.start_byte
    while around is not None:
        if around.type in _SCOPES:
            return SCOPE, 0
        around = around.parent
    return OTHER_BLOCK, 0


def _count_statements(block: Node) -> int:
    """Return the number of statements in a block."""
    return sum(child.type not in _COMMENTS for child in block.named_children)


def _find_mentions(
    root: Node, content: Content, names: Sequence[str]
) -> Iterator[NameMention]:
    """Yield the mentions of names in a text, one more than the limit at most."""
    if not names:
        return
    words = b"|".join(
        re.escape(name.encode(content.codec, "replace")) for name in names
    )
    pattern = re.compile(rb"(?<!%b)(?:%b)(?!%b)" % (_LETTER, words, _LETTER))
    count = 0
    for match in pattern.finditer(content.data):
        node = root.descendant_for_byte_range(match.start(), match.end())
        if node is None:
            continue
        name = match[0].decode(content.codec, "replace")
        mention = _read_mention(content, node, name, match.start())
        if mention is None:
            continue
        yield mention
        count += 1
        if count > MAX_MENTIONS:
            return


def _read_mention(
    content: Content, node: Node, name: str, start: int
) -> NameMention | None:
    """Return the mention of a name in a node, or None for an import or a comment."""
    parent = node.parent
    # The word `default` of a `switch` is no name.
    if parent is None or node.type in _COMMENTS or not node.is_named:
        return None
    if parent.type in _LISTED_TYPES:
        if _is_own_export(parent):
            return NameMention(name, "exported", start, name)
        return None
    if "string" in node.type or "string" in parent.type:
        return _read_string(content, node, name, start)
    if _read_text(content, node) != name:
        return None
    if parent.type in _CHAINS:
        first_child = parent.children[0]
        if first_child != node:
            text = "".join(_read_text(content, parent).split())
            return NameMention(
                name, "attribute", start, text[-_MAX_TEXT_BYTES:]
            )
    if parent.type in _PATTERNS and node.type in _PATTERN_KEYS:
        text = f"{_find_destructured(content, parent)}.{name}"
        return NameMention(name, "attribute", start, text[-_MAX_TEXT_BYTES:])
    is_key = node.type == "property_identifier"
    if is_key or _is_unused_field(node, parent):
        return None
    return NameMention(name, "name", start, name)


def _find_destructured(content: Content, node: Node) -> str:
    """Return the value that a pattern takes members of, or "" if it is not beside it."""
    pattern: Node | None = node
    while pattern is not None and pattern.type != "object_pattern":
        pattern = pattern.parent
    declarator = None if pattern is None else pattern.parent
    if declarator is None or declarator.type != "variable_declarator":
        return ""
    value = declarator.child_by_field_name("value")
    return "" if value is None else _read_text(content, value)


def _is_own_export(specifier: Node) -> bool:
    """Return True in `export { a }` without a module."""
    if specifier.type != "export_specifier":
        return False
    clause = specifier.parent
    statement = clause.parent if clause is not None else None
    if statement is None:
        return False
    return statement.child_by_field_name("source") is None


def _read_string(
    content: Content, node: Node, name: str, start: int
) -> NameMention | None:
    """Return the mention of a name in a string."""
    if node.end_byte - node.start_byte > _MAX_TEXT_BYTES:
        return None
    text = _read_text(content, node).strip("'\"`")
    kind = "string"
    if text == name and _is_in_all(content, node):
        kind = "exported"
    return NameMention(name, kind, start, text)


def _is_in_all(content: Content, node: Node) -> bool:
    """Return True for a string in the value of `__all__`."""
    around: Node | None = node
    for _ in range(_MAX_ANCESTORS):
        if around is None:
            return False
        if around.type in ("assignment", "augmented_assignment", "call"):
            head = content.data[around.start_byte : around.start_byte + 8]
            return head.startswith(b"__all__")
        around = around.parent
    return False


def _is_unused_field(node: Node, parent: Node) -> bool:
    """Return True for a name that refers to nothing here, such as that of an argument."""
    field = UNUSED_FIELDS.get(parent.type)
    if field is None:
        return False
    return parent.child_by_field_name(field) == node
