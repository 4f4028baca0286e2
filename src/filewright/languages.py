"""The languages of files: the one table of them (`languages.toml`), and which one a file is written in.

A file's language is known by its name, its extension, or its first line.
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


@dataclass(frozen=True, slots=True)
class Traits:
    """What is known of a language: a row of the table. Lists are words with spaces between.

    `names` are whole file names, `interpreters` a pattern of the programs a first line may name, `begins` one of
    how a text may begin, in small letters. `types` are what a search may call it besides its own name, `also`
    extensions of other languages that such a search takes too, `manifests` the files that describe a project in
    it. `grammar` is the package of the parser
    (`tree_sitter_…`, and its function if that is not `language`), `queries` the files that say which of its
    nodes are symbols; without a grammar the language is known by name only. `certain` is False where the
    grammar and real files often differ, so that a syntax error is only a hint. `trims` says that nodes of the
    grammar may end in blank and comment lines, `prose` that blocks are paragraphs and sections. `comment`
    begins a comment where spaces beside punctuation mean nothing, `dots` says that `...` is an expression,
    `section` is the pattern of a line that begins a part of the text. `searches` are regular expressions worth
    a search, where NAME is what is looked for. `definitions` find definitions without a grammar, by lines: the
    last group is the name, one before it the word for its kind, which is `defined` without one; `patched` says
    that they also fill in what the grammar did not understand.
    """

    extensions: str = ""
    names: str = ""
    types: str = ""
    also: str = ""
    manifests: str = ""
    interpreters: str = ""
    begins: str = "(?!)"
    grammar: str = ""
    queries: str = ""
    certain: bool = True
    trims: bool = False
    prose: bool = False
    comment: str = ""
    dots: bool = False
    section: str = ""
    searches: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    defined: str = "function"
    patched: bool = False


class Language(StrEnum):
    """The languages filewright knows, each with its `traits`."""

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
        """What is known of it."""
        return _TRAITS[self]


def _table() -> dict[Language, Traits]:
    """The rows of the table, what is shared in them written out."""
    rows = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    shared = rows.pop("shared")

    def written(form: str) -> str:
        return _SHARED.sub(lambda found: written(shared[found[1]]), form)

    for row in rows.values():
        row["searches"] = tuple(row.get("searches", ()))
        row["definitions"] = tuple(map(written, row.get("definitions", ())))
    return {language: Traits(**rows[language]) for language in Language}


_TABLE: Final = Path(__file__).with_name("languages.toml")
_SHARED: Final = re.compile(r"\{([a-z]+)\}")
_TRAITS: Final = _table()
PARSED: Final = frozenset(language for language in Language if language.traits.grammar)
"""Languages with a grammar, so with outline, syntax check and changed symbols."""
MANIFESTS: Final = frozenset(
    name for language in Language for name in language.traits.manifests.split()
)
_EXTENSIONS: Final = {
    word: language
    for language in Language
    for word in language.traits.extensions.split()
}
_NAMES: Final = {
    word: language for language in Language for word in language.traits.names.split()
}
_TEMPLATES: Final = frozenset(
    {"in", "tmpl", "template", "dist", "example", "orig", "bak", "j2"}
)

_CPP_HEADER: Final = re.compile(
    rb"^[ \t]*(?:class\s+\w+[^;=()]*[:{]|namespace\b|template\s*<|using\s+\w)"
    rb"|^[ \t]*(?:public|private|protected)\s*:"
    rb"|^[ \t]*#\s*include\s*<[a-z_]+>|\bconstexpr\b|\bnoexcept\b|\bstd::",
    re.MULTILINE,
)
_OBJECT_LOG: Final = re.compile(rb"\s*\{.*\}\s*\r?\n\s*\{")
_NUMBERED_LOG: Final = re.compile(r"\.log(?:[.-][\d-]+)?$")


def language_of(name: bytes, head: bytes = b"") -> Language | None:
    """The language of the file called `name` (its last path component) that begins with `head`.

    `head` may be any number of first bytes, 4 KB are plenty; it decides between C and C++ for `.h`,
    and for names that say nothing it is asked for a shebang, a doctype or an opening tag. None means
    not recognised.
    """
    shown = name.decode("utf-8", "replace").lower()
    found = _NAMES.get(shown)
    if found is None and shown.startswith(("dockerfile.", "containerfile.")):
        return Language.DOCKERFILE
    stem, dot, extension = shown.rpartition(".")
    if found is None and dot and stem:
        found = _EXTENSIONS.get(extension)
        if found is None and extension in _TEMPLATES:
            found = _EXTENSIONS.get(stem.rpartition(".")[2])
    if found is None and _NUMBERED_LOG.search(shown):
        found = Language.LOG
    if not head:
        return found
    if (
        found is Language.C
        and name[-2:].lower() == b".h"
        and _CPP_HEADER.search(head[:65536])
    ):
        return Language.CPP
    if found in (None, Language.JSON) and _OBJECT_LOG.match(head[:65536]):
        return Language.JSON_LINES
    return found or _by_content(head)


def named_as(kind: str) -> Callable[[bytes], bool]:
    """Whether the name of a file is that of a `kind`: a language, or one of its `types`, or else an extension.

    Raises `invalid_input` for a word that can be neither.
    """
    plain = kind.strip().lower().removeprefix(".")
    wanted = {each for each in Language if plain in (each, *each.traits.types.split())}
    if not wanted and (len(plain) > 16 or not plain.replace("_", "a").isalnum()):
        raise invalid(
            f"{kind!r} is no type of file",
            "give a language (python, typescript …) or an extension (py, log …); use glob for more",
            argument="type",
        )
    also = (
        [word for each in wanted for word in each.traits.also.split()]
        if wanted
        else [plain]
    )
    endings = tuple(f".{word}".encode() for word in also)
    return lambda name: name.lower().endswith(endings) or language_of(name) in wanted


def _by_content(head: bytes) -> Language | None:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")[:512]
    if head.removeprefix(b"\xef\xbb\xbf").startswith(b"#!"):
        return _by_shebang(text.splitlines()[0])
    lowered = text[:64].decode("latin-1").lower()
    return next(
        (each for each in Language if re.match(each.traits.begins, lowered)), None
    )


def _by_shebang(line: bytes) -> Language | None:
    words = line[2:].split()
    if words and words[0].rpartition(b"/")[2] == b"env":
        words = [
            word for word in words[1:] if not word.startswith(b"-") and b"=" not in word
        ]
    if not words:
        return None
    program = words[0].rpartition(b"/")[2].decode("utf-8", "replace")
    return next(
        (each for each in Language if re.fullmatch(each.traits.interpreters, program)),
        None,
    )
