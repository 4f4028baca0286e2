"""Grammars with their queries, which say which syntax nodes are symbols.

A grammar is loaded when it is first used. A query file (`queries/*.scm`) is in the query
language of tree-sitter. Its captures are:

- `@KIND` on a node that is a symbol of that kind, with `@name` on its name, and `@in` on
  the parts of it that may hold other symbols (default: all of it for the kinds that hold
  others, else nothing);
- `@level` on the mark of a heading, whose type has a digit: the heading extends to the
  next heading of its level or above;
- `@when` on text that must match the setting `when`, a regular expression (default: the
  name). A predicate of the query would read the text again for each node;
- `@value` on the value of a name, and `@called` on a declarator that has the name inside:
  both are searched inside casts and declarators, for a type in a setting `of.KIND`;
- `(TYPE) @lead`, for comments and attributes, which belong to the symbol below them;
- `(TYPE) @wrapper`: a symbol at the end of such a node begins and ends with it, unless the
  node lists several in parentheses;
- `(TYPE) @cast`, for casts and declarators: their subject is their field `declarator`, or
  else their first named node that is no `(TYPE) @aside`;
- `(TYPE) @list`: a symbol right in such a node has a comma between it and the next;
- `(TYPE) @callable`, for the types that `of.KIND` calls `callable`;
- `@skip` on a node whose inside is not visited.

If several patterns match a node with one name, the first in the file counts. `#set!`
gives a pattern settings: see `QueryPattern`. Text that patterns share is defined once, by
a comment `; {WORD} = TEXT`.
"""

from __future__ import annotations

import json
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from filewright.languages import Language
from filewright.structure.symbol import split_words

if TYPE_CHECKING:
    import tree_sitter

_QUERIES: Final = Path(__file__).with_name("queries")
_TYPE_KINDS: Final = split_words(
    "class struct union interface trait enum record object extension instance actor annotation impl"
)
_CODE_KINDS: Final = split_words("function method")
_HOLDER_KINDS: Final = _TYPE_KINDS | _CODE_KINDS | {"module", "member"}
_PART_CAPTURES: Final = split_words("name in when level value called")
_SHARED_TEXT: Final = re.compile(r"^; (\{\w+\}) = (.*)$", re.MULTILINE)
_ROLE: Final = re.compile(
    r"^\((\w+)\) @(lead|wrapper|cast|aside|callable|list)$", re.MULTILINE
)

Rewrite = Callable[[str], str]
"""Returns a name for the text of a node, or for another form of the name."""


@dataclass(frozen=True, slots=True)
class QueryPattern:
    """One pattern of a query: the kind of its node, and the way to its name.

    `display_name` returns the name for the text of a node, and `lookup_name` the name by
    which the symbol is found. The text is that from the first `@name` to the last, or
    that of the node up to `@in` if there is no `@name`. Both functions come from
    settings, `shown` and `known`: substitutions `PATTERN → TEMPLATE`, one a line.

    `within` maps the kind of the holder (or `top`, `types`, `code`, `other`) to another
    kind, `-` for no symbol. `bound` maps the type of the value, or of the last
    declarator, to a kind, from the settings `of.KIND`: "" is the pattern's own kind, `-`
    no symbol, and `?KIND` a kind that counts only with symbols inside. A value of such a
    type may hold other symbols. With `first`, a node has one symbol: that of the first
    name, and of the first such pattern.

    The other settings:

    - `name`: a fixed name; `except`: a name that is no symbol
    - `escaped`: the name is written as in JSON
    - `upper`: the kind of a name in capitals
    - `filled`: no symbol unless it has symbols inside
    - `only`: no symbol unless its value has a type in `bound`
    - `fresh`: no symbol if another pattern has read the name at its place
    - `several`: no symbol unless a sibling has its type
    - `alone`: without such a sibling, the node is the parent
    """

    capture: str
    kind: str
    when: re.Pattern[bytes] | None
    display_name: Rewrite
    lookup_name: Rewrite
    within: Mapping[str, str]
    bound: Mapping[str, str]
    settings: Mapping[str, str]
    nests: bool
    first: bool

    def kind_within(self, holder_kind: str) -> str:
        """Return the kind of a symbol in a holder of a kind ("": at the top)."""
        if not holder_kind:
            keys = ("top", "top", "other")
        elif holder_kind in _TYPE_KINDS:
            keys = (holder_kind, "types", "other")
        elif holder_kind in _CODE_KINDS:
            keys = (holder_kind, "code", "other")
        else:
            keys = (holder_kind, "other", "other")
        for key in keys:
            if key in self.within:
                return self.within[key]
        return self.kind


@dataclass(frozen=True, slots=True)
class Grammar:
    """A loaded grammar with the query that reads its trees.

    `roles` are the node types of each role: `lead`, `wrapper`, `cast` and others.
    """

    language: Language
    parser_language: tree_sitter.Language
    query: tree_sitter.Query
    patterns: tuple[QueryPattern, ...]
    roles: Mapping[str, set[str]]

    def parser(self) -> tree_sitter.Parser:
        """Return a new parser. Threads must not share one."""
        import tree_sitter

        return tree_sitter.Parser(self.parser_language)


_grammars: dict[Language, Grammar] = {}
_load_lock = threading.Lock()


def load_grammar(language: Language) -> Grammar:
    """Return the grammar of a language that has one.

    Raises `ImportError` if its package is not installed.
    """
    grammar = _grammars.get(language)
    if grammar is None:
        # Two threads may have missed it at the same time; a grammar is loaded once.
        with _load_lock:
            grammar = _grammars.get(language) or _load(language)
            _grammars[language] = grammar
    return grammar


def _load(language: Language) -> Grammar:
    """Import the package of a grammar, and compile its query."""
    import tree_sitter

    traits = language.traits
    package, _, function_name = traits.grammar.partition(".")
    module = import_module(f"tree_sitter_{package}")
    load_language = getattr(module, function_name or "language")
    parser_language = tree_sitter.Language(load_language())
    text = _read_queries(traits.queries.split())
    roles: dict[str, set[str]] = defaultdict(set)
    for node_type, role in _ROLE.findall(text):
        roles[role].add(node_type)
    # Roles are looked up from the symbols: a query would match every comment.
    text = _ROLE.sub("", text)
    query = tree_sitter.Query(parser_language, text)
    patterns = _build_patterns(query, text.encode(), roles)
    return Grammar(language, parser_language, query, patterns, roles)


def _read_queries(names: Iterable[str]) -> str:
    """Return the text of query files with the text that their patterns share."""
    texts = []
    for name in names:
        path = _QUERIES / f"{name}.scm"
        texts.append(path.read_text(encoding="utf-8"))
    text = "\n".join(texts)
    for name, shared_text in _SHARED_TEXT.findall(text):
        text = text.replace(name, shared_text)
    return text


def _build_patterns(
    query: tree_sitter.Query, text: bytes, roles: Mapping[str, set[str]]
) -> tuple[QueryPattern, ...]:
    """Return the patterns of a query, which is written as `text`."""
    patterns = []
    for index in range(query.pattern_count):
        start = query.start_byte_for_pattern(index)
        end = query.end_byte_for_pattern(index)
        settings = {}
        for key, value in query.pattern_settings(index).items():
            settings[key] = value or ""
        pattern_text = text[start:end].decode()
        patterns.append(_build_pattern(pattern_text, settings, roles))
    return tuple(patterns)


def _build_pattern(
    text: str, settings: dict[str, str], roles: Mapping[str, set[str]]
) -> QueryPattern:
    """Return the pattern that is written as `text`, with its settings."""
    # An `@` in a comment or a string is no capture.
    without_comments = re.sub(r";.*|\"(?:[^\"\\]|\\.)*\"", "", text)
    captures = re.findall(r"@([\w.]+)", without_comments)
    capture = next(name for name in captures if name not in _PART_CAPTURES)
    bound = {}
    within = {}
    for key, value in settings.items():
        if key.startswith("in."):
            within[key.removeprefix("in.")] = value
        if key == "of" or key.startswith("of."):
            kind = key[3:]
            for word in value.split():
                # A word is a role or a node type.
                for node_type in roles.get(word, (word,)):
                    bound[node_type] = kind
    when = None
    if "when" in settings:
        when = re.compile(settings["when"].encode(), re.DOTALL)
    display_name = _rewriter(settings.get("shown", ""))
    if "escaped" in settings:
        display_name = _unescape
    nests = capture in _HOLDER_KINDS and "leaf" not in settings
    return QueryPattern(
        capture=capture,
        kind="-" if capture == "skip" else capture,
        when=when,
        display_name=display_name,
        lookup_name=_rewriter(settings.get("known", "")),
        within=within,
        bound=bound,
        settings=settings,
        nests=nests or "nests" in settings,
        first="first" in settings,
    )


def _unescape(text: str) -> str:
    """Return the name that JSON writes as `text`."""
    try:
        return str(json.loads(text)) if "\\" in text else text.strip('"')
    except ValueError:
        return text.strip('"')


def _rewriter(rules: str) -> Rewrite:
    """Return the function that applies the rules `PATTERN → TEMPLATE`, one a line."""
    if not rules:
        return str
    substitutions = []
    for rule in rules.splitlines():
        # A template may be empty, and is followed by the space that is added here.
        pattern, _, template = f"{rule} ".partition(" → ")
        substitutions.append(partial(re.compile(pattern).sub, template[:-1]))

    def rewrite(text: str) -> str:
        for substitute in substitutions:
            text = substitute(text)
        return " ".join(text.split())

    return rewrite
