"""The queries that say which syntax nodes are symbols, loaded with their grammars when first needed.

A query file (`queries/*.scm`) is data in tree-sitter's own query language. Its captures are:

- `@KIND` on a node that is a symbol of that kind, with `@name` on its name, and `@in` on the part of it
  that may hold other symbols (default: all of it for the kinds that hold others, else nothing);
- `@level` on a heading's mark whose type has a digit: it reaches down to the next of its level or above;
- `@when` on what must be written as the setting `when` says, a regular expression, if that is not the name: a
  predicate of the query would have the text read anew for each node;
- `@value` on what a name is bound to, and `@called` on a declarator, which the name is somewhere in: either is
  looked for inside casts and declarators, whose types the settings `of.KIND` know;
- `(TYPE) @lead`, for comments and attributes, which belong to the symbol that follows them;
- `(TYPE) @wrapper`: a symbol at the end of such a node begins and ends with it, unless the node lists several
  in parentheses;
- `(TYPE) @cast`, for casts and declarators: what they are about is in their field `declarator`, or else their first
  named node that is no `(TYPE) @aside`;
- `(TYPE) @list`: a symbol right in such a node has a comma between it and the next;
- `(TYPE) @callable`: what `of.KIND` calls `callable`;
- `@skip` on what is not looked into.

Of several patterns that match a node with one name the first in the file counts. `#set!` refines a
pattern; its words are the fields of `QueryPattern`. What several patterns share is written once, as a comment
`; {WORD} = TEXT`.
"""

from __future__ import annotations

import json
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
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
_TYPES: Final = split_words(
    "class struct union interface trait enum record object extension instance actor annotation impl"
)
_CODE: Final = split_words("function method")
_HOLDERS: Final = _TYPES | _CODE | {"module", "member"}
_PARTS: Final = split_words("name in when level value called")
_SHARED: Final = re.compile(r"^; (\{\w+\}) = (.*)$", re.MULTILINE)
_ROLES: Final = re.compile(
    r"^\((\w+)\) @(lead|wrapper|cast|aside|callable|list)$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class QueryPattern:
    """One pattern of a query: what its node is, and how its name is made of the text.

    `shown` makes the name of the text, and `known` of that the name by which it is found; both are settings of the
    form `PATTERN → TEMPLATE`, a substitution, or several with line ends between. The text is that of all `@name`
    together, without one that of the node, up to `@in`. `within` maps `top`, `types`, `code`, `other` or the kind of
    the symbol around to another kind, or to `-` for none; `kinds` remembers the answers. `bound` maps the type of
    what the name is bound to, or of the last of its declarators, from the settings `of.KIND`, to a kind: "" is the
    pattern's own, `-` none. Such a value may hold other symbols. `first` says that only the first counts of several
    names, and of several such patterns on one node.

    Of the other settings `name` is a fixed name, `except` one that is none, `escaped` says that the name is written
    as in JSON, `upper` is the kind of a name in capitals, `filled` says that it is none without symbols inside,
    `only` that it is none bound to something else than `bound` names, `fresh` that it is none with a name read
    before at its place, and `several` that it is none without another of its type beside it; by `alone` one without
    another is all of the node around it.
    """

    capture: str
    kind: str
    when: re.Pattern[bytes] | None
    shown: Callable[[str], str]
    known: Callable[[str], str]
    within: Mapping[str, str]
    bound: Mapping[str, str]
    settings: Mapping[str, str]
    nests: bool
    first: bool
    kinds: dict[str, str]

    def kind_within(self, around: str) -> str:
        """The kind of this pattern's symbol inside a symbol of the kind `around` ("" at the top)."""
        group = (
            "types"
            if around in _TYPES
            else "code"
            if around in _CODE
            else "other"
        )
        within = self.within
        for key in (around or "top", group if around else "top", "other"):
            if key in within:
                return within[key]
        return self.kind


@dataclass(frozen=True, slots=True)
class Grammar:
    """A loaded grammar with the query that reads its trees."""

    language: Language
    parser_language: tree_sitter.Language
    query: tree_sitter.Query
    patterns: tuple[QueryPattern, ...]
    roles: Mapping[str, set[str]]

    def parser(self) -> tree_sitter.Parser:
        """A new parser; parsers are cheap and not to be shared between threads."""
        import tree_sitter

        return tree_sitter.Parser(self.parser_language)


_loaded: dict[Language, Grammar] = {}
_loading = threading.Lock()


def load_grammar(language: Language) -> Grammar:
    """The grammar of a language in `PARSED`; `ImportError` if its package is not installed."""
    found = _loaded.get(language)
    if found is None:
        with _loading:
            found = _loaded.get(language) or _load(language)
            _loaded[language] = found
    return found


def _load(language: Language) -> Grammar:
    import tree_sitter

    traits = language.traits
    package, _, function = traits.grammar.partition(".")
    pointer = getattr(
        import_module(f"tree_sitter_{package}"), function or "language"
    )()
    parser_language = tree_sitter.Language(pointer)
    text = "\n".join(
        (_QUERIES / f"{name}.scm").read_text(encoding="utf-8")
        for name in traits.queries.split()
    )
    for name, meaning in _SHARED.findall(text):
        text = text.replace(name, meaning)
    roles: dict[str, set[str]] = defaultdict(set)
    for node_type, role in _ROLES.findall(text):
        roles[role].add(node_type)
    text = _ROLES.sub(
        "", text
    )  # looked up from the symbols: there are far more comments than symbols
    query = tree_sitter.Query(parser_language, text)
    encoded = text.encode()
    patterns = []
    for index in range(query.pattern_count):
        own = encoded[
            query.start_byte_for_pattern(index) : query.end_byte_for_pattern(
                index
            )
        ].decode()
        settings = {
            key: value or ""
            for key, value in query.pattern_settings(index).items()
        }
        patterns.append(_pattern(own, settings, roles))
    return Grammar(language, parser_language, query, tuple(patterns), roles)


def _pattern(
    text: str, settings: dict[str, str], roles: Mapping[str, set[str]]
) -> QueryPattern:
    text = re.sub(r";.*|\"(?:[^\"\\]|\\.)*\"", "", text)
    capture = next(
        name for name in re.findall(r"@([\w.]+)", text) if name not in _PARTS
    )
    bound = {
        node_type: key[3:]
        for key, value in settings.items()
        for each in (value.split() if key[:2] == "of" else ())
        for node_type in roles.get(each, (each,))
    }
    within = {
        key[3:]: value
        for key, value in settings.items()
        if key.startswith("in.")
    }
    nests = "nests" in settings or (
        capture in _HOLDERS and "leaf" not in settings
    )
    return QueryPattern(
        capture,
        "-" if capture == "skip" else capture,
        re.compile(settings["when"].encode(), re.DOTALL)
        if "when" in settings
        else None,
        _unescaped
        if "escaped" in settings
        else _rewriting(settings.get("shown", "")),
        _rewriting(settings.get("known", "")),
        within,
        bound,
        settings,
        nests,
        "first" in settings,
        {},
    )


def _unescaped(text: str) -> str:
    """The name that JSON writes as `text`."""
    try:
        return str(json.loads(text)) if "\\" in text else text.strip('"')
    except ValueError:
        return text.strip('"')


def _rewriting(rules: str) -> Callable[[str], str]:
    """What the rules `PATTERN → TEMPLATE`, one a line, make of a name, one after the other."""
    if not rules:
        return str
    made = []
    for rule in rules.splitlines():
        pattern, _, template = f"{rule} ".partition(" → ")
        made.append(partial(re.compile(pattern).sub, template[:-1]))

    def rewritten(text: str) -> str:
        for rewrite in made:
            text = rewrite(text)
        return " ".join(text.split())

    return rewritten
