"""The languages of files, and how a file's language is recognised.

`languages.toml` has a table for each language. A file's language is recognised by its
name, its extension, or the first bytes of its content.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from filewright.errors import invalid

# Enough of a file to recognise C++ in a header, or JSON lines.
_HEAD_BYTES: Final = 64 << 10
_UTF8_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Traits:
    """The facts about a language: its table in `languages.toml`.

    Strings that hold several words separate them by spaces.

    How a file of the language is recognised:

    - `extensions`, `names`: extensions, and whole file names.
    - `interpreter`: pattern for the program in a shebang line.
    - `content_start`: pattern for the start of the content, in lower case.

    Searches by type:

    - `types`: other words for the language.
    - `search_extensions`: extensions of other languages that such a search includes.

    Projects and searches:

    - `manifests`: names of files that describe a project in the language.
    - `suggested_searches`: regular expressions; NAME stands for the name searched for.

    The grammar, if there is one:

    - `grammar`: the package `tree_sitter_…`; its function follows after a dot, if it is
      not called `language`.
    - `queries`: the files that select the symbols among the nodes.
    - `syntax`: the files that tell comments, strings, imports, definitions and calls
      apart. A language of prose has none.
    - `grammar_is_exact`: False if it rejects correct files, so that a syntax error is
      only a hint.
    - `trims_nodes`: blank lines and comments at the end of a node do not belong to it.

    Definitions by patterns, for files that have no grammar or are too large for it:

    - `definitions`: patterns for a line; the last group is the name, the group before
      it the keyword.
    - `default_kind`: the kind of a definition without a keyword.
    - `definitions_fill_gaps`: they also add what the grammar did not understand.

    Properties of the text:

    - `prose`: blocks are paragraphs and sections.
    - `has_ellipsis`: ``...`` is an expression.
    - `section`: pattern for a line that begins a section.
    """

    extensions: str = ""
    names: str = ""
    interpreter: str = ""
    # Matches nothing: most languages cannot be told by their first bytes.
    content_start: str = "(?!)"
    types: str = ""
    search_extensions: str = ""
    manifests: str = ""
    suggested_searches: tuple[str, ...] = ()
    grammar: str = ""
    queries: str = ""
    syntax: str = ""
    grammar_is_exact: bool = True
    trims_nodes: bool = False
    definitions: tuple[str, ...] = ()
    default_kind: str = "function"
    definitions_fill_gaps: bool = False
    prose: bool = False
    has_ellipsis: bool = False
    section: str = ""


class Language(StrEnum):
    """The languages that filewright recognises."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    JSX = "jsx"
    TYPESCRIPT = "typescript"
    TSX = "tsx"
    GO = "go"
    RUST = "rust"
    JAVA = "java"
    C = "c"
    CPP = "cpp"
    CSHARP = "csharp"
    RUBY = "ruby"
    PHP = "php"
    KOTLIN = "kotlin"
    SWIFT = "swift"
    SCALA = "scala"
    BASH = "bash"
    LUA = "lua"
    SQL = "sql"
    HTML = "html"
    CSS = "css"
    JSON = "json"
    YAML = "yaml"
    TOML = "toml"
    MARKDOWN = "markdown"
    TEXT = "text"
    LOG = "log"
    CSV = "csv"
    TSV = "tsv"
    JSON_LINES = "jsonl"
    XML = "xml"
    INI = "ini"
    MAKEFILE = "makefile"
    DOCKERFILE = "dockerfile"
    PERL = "perl"
    R = "r"
    DART = "dart"
    ELIXIR = "elixir"
    ERLANG = "erlang"
    HASKELL = "haskell"
    CLOJURE = "clojure"
    JULIA = "julia"
    VUE = "vue"
    SVELTE = "svelte"
    SCSS = "scss"
    LESS = "less"
    POWERSHELL = "powershell"
    PROTOBUF = "protobuf"
    TERRAFORM = "terraform"
    ZIG = "zig"
    RESTRUCTURED_TEXT = "rst"
    LATEX = "latex"
    DIFF = "diff"
    ASSEMBLY = "asm"
    CMAKE = "cmake"
    FORTRAN = "fortran"
    FSHARP = "fsharp"
    GRAPHQL = "graphql"
    LISP = "lisp"
    NIX = "nix"
    OBJECTIVE_C = "objc"
    OCAML = "ocaml"

    @property
    def traits(self) -> Traits:
        """Return the facts about the language."""
        return _TRAITS[self]


def _load_traits() -> dict[Language, Traits]:
    """Read `languages.toml`, with the shared parts of its patterns filled in."""
    tables = tomllib.loads(_TABLES.read_text(encoding="utf-8"))
    shared_patterns: dict[str, str] = tables.pop("shared")

    def expand(pattern: str) -> str:
        # A shared pattern may contain another one.
        return _SHARED_NAME.sub(
            lambda match: expand(shared_patterns[match[1]]), pattern
        )

    traits = {}
    for language in Language:
        table = tables[language]
        table["suggested_searches"] = tuple(table.get("suggested_searches", ()))
        table["definitions"] = tuple(map(expand, table.get("definitions", ())))
        traits[language] = Traits(**table)
    return traits


_TABLES: Final = Path(__file__).with_name("languages.toml")
_SHARED_NAME: Final = re.compile(r"\{([a-z]+)\}")
_TRAITS: Final = _load_traits()

PARSED: Final = frozenset(
    language for language in Language if language.traits.grammar
)
"""Languages with a grammar, and so with outlines, syntax checks and changed symbols."""
WITH_SYNTAX: Final = frozenset(
    language for language in Language if language.traits.syntax
)
"""Languages in which comments, strings, imports, definitions and calls are told apart."""
MANIFESTS: Final = frozenset(
    name for language in Language for name in language.traits.manifests.split()
)
"""Names of files that describe a project."""

_BY_EXTENSION: Final = {
    extension: language
    for language in Language
    for extension in language.traits.extensions.split()
}
_BY_NAME: Final = {
    name: language
    for language in Language
    for name in language.traits.names.split()
}
# `app.yaml.example` is YAML.
_TEMPLATE_EXTENSIONS: Final = frozenset(
    {"in", "tmpl", "template", "dist", "example", "orig", "bak", "j2"}
)
_NUMBERED_LOG: Final = re.compile(r"\.log(?:[.-][\d-]+)?$")

_CPP_HEADER: Final = re.compile(
    rb"^[ \t]*(?:class\s+\w+[^;=()]*[:{]|namespace\b|template\s*<|using\s+\w)"
    rb"|^[ \t]*(?:public|private|protected)\s*:"
    rb"|^[ \t]*#\s*include\s*<[a-z_]+>|\bconstexpr\b|\bnoexcept\b|\bstd::",
    re.MULTILINE,
)
_JSON_LINES: Final = re.compile(rb"\s*\{.*\}\s*\r?\n\s*\{")


def language_of(name: bytes, head: bytes = b"") -> Language | None:
    """Return the language of the file called `name`, or None if it is not recognised.

    `name` is the last part of the path. `head` may be any number of the first bytes; 4
    KB are enough. It tells C++ from C in a `.h` file and JSON lines from JSON. If the
    name says nothing, a shebang, a doctype or an opening tag decides.
    """
    language = _language_by_name(name)
    if not head:
        return language
    head = head[:_HEAD_BYTES]
    is_header = language is Language.C and name[-2:].lower() == b".h"
    if is_header and _CPP_HEADER.search(head):
        return Language.CPP
    if language in (None, Language.JSON) and _JSON_LINES.match(head):
        return Language.JSON_LINES
    return language or _language_by_content(head)


def name_matcher(file_type: str) -> Callable[[bytes], bool]:
    """Return a function that tells whether a file's name is of the type.

    The type is a language, another word for one (`types`), or else an extension. Raises
    `invalid_input` for a word that can be none of these.
    """
    word = file_type.strip().lower().removeprefix(".")
    languages = {
        language
        for language in Language
        if word == language or word in language.traits.types.split()
    }
    extensions = [
        extension
        for language in languages
        for extension in language.traits.search_extensions.split()
    ]
    if not languages:
        # As an extension, a path or a glob would match nothing without an error.
        if len(word) > 16 or not word.replace("_", "a").isalnum():
            raise invalid(
                f"{file_type!r} is no type of file",
                "give a language (python, typescript …) or an extension (py, log …); "
                "use glob for more",
                argument="type",
            )
        extensions = [word]
    endings = tuple(f".{extension}".encode() for extension in extensions)

    def matches(name: bytes) -> bool:
        return name.lower().endswith(endings) or language_of(name) in languages

    return matches


def _language_by_name(name: bytes) -> Language | None:
    """Return the language by the whole name, else by the extension."""
    lowered = name.decode("utf-8", "replace").lower()
    if lowered in _BY_NAME:
        return _BY_NAME[lowered]
    if lowered.startswith(("dockerfile.", "containerfile.")):
        return Language.DOCKERFILE
    language = None
    stem, _, extension = lowered.rpartition(".")
    if stem:  # `.py` is a hidden file without an extension.
        language = _BY_EXTENSION.get(extension)
        if language is None and extension in _TEMPLATE_EXTENSIONS:
            language = _BY_EXTENSION.get(stem.rpartition(".")[2])
    if language is None and _NUMBERED_LOG.search(lowered):
        language = Language.LOG
    return language


def _language_by_content(head: bytes) -> Language | None:
    """Return the language by the shebang, doctype or opening tag."""
    content = head.removeprefix(_UTF8_BOM)
    text = content.lstrip(b" \t\r\n")[:512]
    if content.startswith(b"#!"):
        return _language_by_shebang(text.splitlines()[0])
    # Latin-1 decodes any bytes, and the patterns are ASCII.
    start = text[:64].decode("latin-1").lower()
    for language in Language:
        if re.match(language.traits.content_start, start):
            return language
    return None


def _language_by_shebang(line: bytes) -> Language | None:
    """Return the language of the program that a shebang line names."""
    words = line[len(b"#!") :].split()
    if words and words[0].rpartition(b"/")[2] == b"env":
        # `env -S NAME=value python3` runs python3.
        words = [
            word
            for word in words[1:]
            if not word.startswith(b"-") and b"=" not in word
        ]
    if not words:
        return None
    program = words[0].rpartition(b"/")[2].decode("utf-8", "replace")
    for language in Language:
        if re.fullmatch(language.traits.interpreter, program):
            return language
    return None
