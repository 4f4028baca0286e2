"""Grammars, loaded when first needed, each compiled against its language's table.

A grammar is one package (`tree-sitter-python` …), a shared library of node kinds and parse tables.
Loading one costs a few milliseconds and happens once in a process; nothing is ever downloaded.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

from filewright.structure.language import Language
from filewright.structure.table import Finder, Rule, Table
from filewright.structure.tables import table_of

if TYPE_CHECKING:
    import tree_sitter

_PACKAGES: Final = {
    Language.JSX: ("javascript", "language"),
    Language.TYPESCRIPT: ("typescript", "language_typescript"),
    Language.TSX: ("typescript", "language_tsx"),
    Language.CSHARP: ("c_sharp", "language"),
    Language.PHP: ("php", "language_php"),
}
ERROR_KIND: Final = 0xFFFF
"""The kind every grammar gives to a node it could not parse."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """A loaded grammar, with its table's node types as the grammar's own numbers.

    `actions` maps a kind to a rule or a finder, or to None where the node is only looked into;
    kinds that are missing are skipped whole.
    """

    language: Language
    parser_language: tree_sitter.Language
    table: Table
    actions: Mapping[int, Rule | Finder | None]
    wrappers: frozenset[int]
    leads: frozenset[int]

    def parser(self) -> tree_sitter.Parser:
        """A new parser; parsers are cheap and not to be shared between threads."""
        import tree_sitter

        return tree_sitter.Parser(self.parser_language)


_loaded: dict[Language, Grammar] = {}
_loading = threading.Lock()


def grammar_of(language: Language) -> Grammar:
    """The grammar of a language in `PARSED`; `ImportError` if its package is not installed."""
    found = _loaded.get(language)
    if found is None:
        with _loading:
            found = _loaded.get(language) or _load(language)
            _loaded[language] = found
    return found


def _load(language: Language) -> Grammar:
    import tree_sitter

    package, function = _PACKAGES.get(language, (language.value, "language"))
    pointer = getattr(import_module(f"tree_sitter_{package}"), function)()
    parser_language = tree_sitter.Language(pointer)
    table = table_of(language)
    actions: dict[int, Rule | Finder | None] = {}
    wrappers, leads = set(), set()
    for kind in range(parser_language.node_kind_count):
        if not parser_language.node_kind_is_named(kind):
            continue
        name = parser_language.node_kind_for_id(kind) or ""
        if name in table.symbols:
            actions[kind] = table.symbols[name]
        elif name in table.through:
            actions[kind] = None
        if name in table.wrappers:
            wrappers.add(kind)
        if name in table.leads:
            leads.add(kind)
    if "ERROR" in table.through:
        actions[ERROR_KIND] = None
    return Grammar(language, parser_language, table, actions, frozenset(wrappers), frozenset(leads))
