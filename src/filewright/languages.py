"""The languages of files: the one table of them, and which one a file is written in.

A file's language is known by its name, its extension, or its first line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Self

from filewright.errors import Code, FilewrightError


@dataclass(frozen=True, slots=True)
class Traits:
    """What is known of a language. Lists are words with spaces between.

    `names` are whole file names, `interpreters` a pattern of the programs a first line may name. `types` are
    what a search may call it besides its own name, `also` extensions of other languages that such a search
    takes too, `manifests` the files that describe a project in it. `grammar` is the package of the parser
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

    name: str
    extensions: str = ""
    names: str = ""
    types: str = ""
    also: str = ""
    manifests: str = ""
    interpreters: str = ""
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


_TYPES = r"class|interface|enum|struct|record|trait|object|namespace|union|protocol|extension|module|concept"
_WORDS = r"(?:[a-z]+(?:\([^)\n]*\))?[ \t]+){0,6}"
_SCRIPT_FORMS = (
    rf"^[ \t]*{_WORDS}(function|class|interface|enum|namespace|type)\b\*?[ \t]+([\w$]+)",
    r"^[ \t]*(?:export[ \t]+)?(?:var|let|const)[ \t]+([\w$]+)[ \t]*=[ \t]*(?:async[ \t]*)?"
    r"(?:function\b|\([^()\n]{0,200}\)[ \t]*=>|[\w$]+[ \t]*=>)",
)
_CURLY = (rf"^[ \t]*{_WORDS}({_TYPES})[ \t]+(?:class[ \t]+)?([\w.:]+)",)
_C_FUNCTION = r"^(?:[A-Za-z_][\w:<>,*&]*[ \t*&]+){1,6}([\w:~]+)\([^;{}\n]{0,400}\)?[^;{}\n]{0,80}\{?[ \t\r]*$"
_KEY = r'^(?: {0,4}|\t)(?:)"((?:[^"\\\n]|\\.){1,200})"[ \t]*:'
_SCRIPT: Final = (
    r"\bfunction\s+NAME\b",
    r"\b(?:const|let|var)\s+NAME\s*=",
    r"^\s*class NAME\b",
    r"^export\b",
    r"\brequire\(",
)
_TYPED: Final = (
    r"\bfunction\s+NAME\b",
    r"\bconst\s+NAME\b",
    r"\b(?:class|interface|type|enum)\s+NAME\b",
    r"^export\b",
)
_C_LIKE: Final = (r"^\w[\w\s*]*\bNAME\s*\(", r"^\s*(?:struct|enum|union|typedef)\b", r"^\s*#\s*define\b")


class Language(StrEnum):
    """The languages filewright knows, each with its `traits`: the only place that knows one."""

    traits: Traits

    def __new__(cls, traits: Any) -> Self:  # Traits; `Language("python")` looks one up
        """A member is its name."""
        made = str.__new__(cls, traits.name)
        made._value_, made.traits = traits.name, traits
        return made

    PYTHON = Traits(
        "python",
        manifests="pyproject.toml setup.py setup.cfg requirements.txt tox.ini",
        dots=True,
        comment="#",
        types="py",
        extensions="py pyi pyw pyx pxd bzl star wsgi",
        names="sconstruct sconscript wscript build.bazel build workspace tiltfile snakefile",
        interpreters=r"(?:python|pypy)[\d.]*",
        grammar="python",
        queries="python",
        searches=(r"^\s*(?:async\s+)?def NAME\b", r"^\s*class NAME\b", r"^\s*@", r"^(?:from|import)\s"),
        definitions=(r"^[ \t]*(?:async[ \t]+)?(def|class)[ \t]+(\w+)",),
    )
    JAVASCRIPT = Traits(
        "javascript",
        manifests="package.json",
        comment="//",
        types="js",
        extensions="js mjs cjs es6",
        names="jakefile",
        interpreters="node|nodejs|bun",
        grammar="javascript",
        queries="ecma javascript",
        searches=_SCRIPT,
        definitions=_SCRIPT_FORMS,
    )
    JSX = Traits(
        "jsx",
        types="javascript js",
        extensions="jsx",
        grammar="javascript",
        queries="ecma javascript",
        searches=_SCRIPT,
        definitions=_SCRIPT_FORMS,
    )
    TYPESCRIPT = Traits(
        "typescript",
        manifests="tsconfig.json deno.json",
        comment="//",
        types="ts",
        extensions="ts mts cts",
        interpreters="deno|ts-node|tsx",
        grammar="typescript.language_typescript",
        queries="ecma typescript",
        certain=False,
        searches=_TYPED,
        definitions=_SCRIPT_FORMS,
    )
    TSX = Traits(
        "tsx",
        types="typescript ts",
        extensions="tsx",
        grammar="typescript.language_tsx",
        queries="ecma typescript",
        certain=False,
        searches=_TYPED,
        definitions=_SCRIPT_FORMS,
    )
    GO = Traits(
        "go",
        manifests="go.mod",
        comment="//",
        extensions="go",
        grammar="go",
        queries="go",
        searches=(r"^func NAME\(", r"^func \([^)]*\) NAME\(", r"^type NAME\b", r"^\s*(?:const|var)\b"),
        definitions=(r"^(func|type)[ \t]+(?:\([^)\n]*\)[ \t]*)?(\w+)",),
    )
    RUST = Traits(
        "rust",
        manifests="cargo.toml",
        comment="//",
        extensions="rs",
        grammar="rust",
        queries="rust",
        searches=(r"\bfn NAME\b", r"\b(?:struct|enum|trait|type) NAME\b", r"^\s*impl\b.*\bNAME\b", r"^use\b"),
        definitions=(rf"^[ \t]*{_WORDS}(fn|struct|enum|trait|mod|type|union)[ \t]+(\w+)",),
    )
    JAVA = Traits(
        "java",
        manifests="pom.xml build.gradle",
        comment="//",
        extensions="java",
        grammar="java",
        queries="java",
        searches=(
            r"\b(?:class|interface|enum|record)\s+NAME\b",
            r"\bNAME\s*\([^;]*\)\s*(?:throws\b.*)?\{",
            r"@\w+",
        ),
        definitions=_CURLY,
    )
    C = Traits(
        "c",
        dots=True,
        comment="//",
        extensions="c h",
        grammar="c",
        queries="c",
        certain=False,
        searches=_C_LIKE,
        definitions=(*_CURLY, _C_FUNCTION),
    )
    CPP = Traits(
        "cpp",
        also="h",
        manifests="cmakelists.txt meson.build",
        dots=True,
        comment="//",
        types="c++",
        extensions="cpp cc cxx c++ hpp hh hxx h++ ipp tpp inl cu cuh ino",
        grammar="cpp",
        queries="c cpp",
        certain=False,
        searches=(*_C_LIKE, r"\b(?:class|namespace)\s+NAME\b", r"\b\w+::NAME\s*\("),
        definitions=(*_CURLY, _C_FUNCTION),
    )
    CSHARP = Traits(
        "csharp",
        comment="//",
        types="c# cs",
        extensions="cs csx",
        grammar="c_sharp",
        queries="csharp",
        certain=False,
        searches=(r"\b(?:class|interface|struct|enum|record)\s+NAME\b", r"\bNAME\s*\(", r"^\s*namespace\b"),
        definitions=_CURLY,
    )
    RUBY = Traits(
        "ruby",
        manifests="gemfile",
        dots=True,
        types="rb",
        extensions="rb rake gemspec ru podspec",
        names="rakefile gemfile guardfile podfile vagrantfile fastfile brewfile capfile .irbrc .pryrc",
        interpreters=r"j?ruby[\d.]*|rake",
        grammar="ruby",
        queries="ruby",
        searches=(r"^\s*def (?:self\.)?NAME\b", r"^\s*(?:class|module) NAME\b", r"^\s*attr_"),
        definitions=(r"^[ \t]*(def|class|module)[ \t]+([\w.:?!]+)",),
    )
    PHP = Traits(
        "php",
        manifests="composer.json",
        extensions="php phtml php3 php4 php5 php7 phps",
        interpreters=r"php[\d.]*",
        grammar="php.language_php",
        queries="php",
        searches=(r"\bfunction\s+NAME\b", r"\b(?:class|interface|trait|enum)\s+NAME\b", r"^\s*use\b"),
        definitions=(*_CURLY, rf"^[ \t]*{_WORDS}(function)[ \t]+&?(\w+)"),
    )
    KOTLIN = Traits(
        "kotlin",
        manifests="build.gradle.kts",
        comment="//",
        extensions="kt kts",
        interpreters="kotlin|kscript",
        grammar="kotlin",
        queries="kotlin",
        certain=False,
        searches=(
            r"\bfun\s+(?:\w+\.)?NAME\b",
            r"\b(?:class|interface|object)\s+NAME\b",
            r"\bva[lr]\s+NAME\b",
        ),
        definitions=(*_CURLY, rf"^[ \t]*{_WORDS}(fun)[ \t]+(?:<[^>\n]*>[ \t]*)?([\w.]+)"),
        patched=True,
    )
    SWIFT = Traits(
        "swift",
        manifests="package.swift",
        extensions="swift",
        interpreters="swift",
        grammar="swift",
        queries="swift",
        certain=False,
        searches=(r"\bfunc\s+NAME\b", r"\b(?:class|struct|enum|protocol|extension|actor)\s+NAME\b"),
        definitions=(*_CURLY, rf"^[ \t]*{_WORDS}(func)[ \t]+(\w+)"),
    )
    SCALA = Traits(
        "scala",
        manifests="build.sbt",
        extensions="scala sc sbt",
        interpreters="scala|amm",
        grammar="scala",
        queries="scala",
        certain=False,
        searches=(r"\bdef\s+NAME\b", r"\b(?:class|trait|object|enum)\s+NAME\b", r"\bva[lr]\s+NAME\b"),
        definitions=(*_CURLY, rf"^[ \t]*{_WORDS}(def)[ \t]+(\w+)"),
    )
    BASH = Traits(
        "bash",
        types="sh shell",
        extensions="sh bash zsh ksh bats ebuild",
        names=".bashrc .bash_profile .bash_aliases .bash_logout .profile .zshrc .zshenv .zprofile .kshrc"
        " apkbuild pkgbuild .envrc .env",
        interpreters="(?:ba|z|k|da|a)?sh|bats",
        grammar="bash",
        queries="bash",
        certain=False,
        searches=(r"^\s*(?:function\s+)?NAME\s*\(\)", r"^\s*NAME=", r"^\s*(?:source|\.)\s"),
        definitions=(r"^[ \t]*(?:function[ \t]+)?([\w-]+)[ \t]*\(\)",),
    )
    LUA = Traits(
        "lua",
        dots=True,
        extensions="lua rockspec",
        interpreters=r"lua(?:jit)?[\d.]*",
        grammar="lua",
        queries="lua",
        searches=(r"\bfunction\s+[\w.:]*NAME\b", r"^\s*local\s+NAME\b", r"\brequire\b"),
        definitions=(r"^[ \t]*(?:local[ \t]+)?(function)[ \t]+([\w.:]+)",),
    )
    SQL = Traits(
        "sql",
        extensions="sql ddl dml pgsql mysql psql",
        grammar="sql",
        queries="sql",
        certain=False,
        searches=(r"(?i)^\s*create\b.*\bNAME\b", r"(?i)\b(?:from|join|into|update)\s+NAME\b"),
        definitions=(
            r"(?i)^[ \t]*create[ \t]+(?:or[ \t]+replace[ \t]+|temp(?:orary)?[ \t]+|unique[ \t]+)*"
            r"(table|view|function|procedure|index|type|trigger|schema|sequence)[ \t]+"
            r"(?:if[ \t]+not[ \t]+exists[ \t]+)?"
            r"""([\w."\[\]`]+)""",
        ),
        patched=True,
    )
    HTML = Traits(
        "html",
        extensions="html htm xhtml",
        grammar="html",
        queries="html",
        certain=False,
        searches=(
            r"""\bid=[\"']NAME[\"']""",
            r"""\bclass=[\"'][^\"']*\bNAME\b""",
            r"<(?:script|form|h[1-6])\b",
        ),
        definitions=(r'<(?:h[1-6]|section|article|main|form|script)\b[^>\n]*\bid="([^"\n]+)"',),
        defined="element",
    )
    CSS = Traits(
        "css",
        extensions="css",
        grammar="css",
        queries="css",
        certain=False,
        searches=(r"\.NAME\b", r"#NAME\b", r"^@media\b", r"--NAME\s*:"),
        definitions=(r"^([^\s{}/*][^{}\n]{0,200}?)[ \t]*\{",),
        defined="rule",
    )
    JSON = Traits(
        "json",
        extensions="json jsonc json5 geojson webmanifest ipynb map har avsc topojson code-workspace",
        names=".babelrc .eslintrc .prettierrc .jshintrc .swcrc composer.lock pipfile.lock flake.lock",
        grammar="json",
        queries="json",
        searches=(r"\"NAME\"\s*:",),
        definitions=(_KEY,),
        defined="key",
    )
    YAML = Traits(
        "yaml",
        types="yml",
        extensions="yaml yml",
        names=".clang-format .clang-tidy .clangd .yamllint",
        grammar="yaml",
        queries="yaml",
        trims=True,
        searches=(r"^\s*(?:- )?NAME\s*:", r"^---"),
        definitions=(r"^([\w./-]+)[ \t]*:(?:[ \t\r]|$)",),
        defined="key",
    )
    TOML = Traits(
        "toml",
        section=r"\s*\[.*\]\s*$",
        extensions="toml",
        names="pipfile cargo.lock poetry.lock uv.lock pdm.lock gopkg.lock",
        grammar="toml",
        queries="toml",
        trims=True,
        searches=(r"^\[+NAME", r"^NAME\s*="),
        definitions=(r"^\[+([^\]\n]+)\]",),
        defined="table",
    )
    MARKDOWN = Traits(
        "markdown",
        section=r"#{1,6}\s",
        types="md",
        extensions="md markdown mdown mkd mdx qmd rmd",
        names="readme changelog contributing",
        grammar="markdown",
        queries="markdown",
        prose=True,
        searches=(r"^#{1,6}\s.*NAME", r"^```", r"\]\("),
        definitions=(r"^#{1,6}[ \t]+([^\n]{1,200})",),
        defined="heading",
    )
    TEXT = Traits(
        "text", types="txt", extensions="txt text", names="license copying notice authors", prose=True
    )
    LOG = Traits("log", extensions="log", names="syslog messages")
    CSV = Traits("csv", extensions="csv")
    TSV = Traits("tsv", types="csv", extensions="tsv tab")
    JSON_LINES = Traits("jsonl", types="json", extensions="jsonl ndjson jsonlines")
    XML = Traits("xml", extensions="xml xsd xsl xslt svg plist csproj props targets pom wsdl rss atom")
    INI = Traits(
        "ini",
        also="config env",
        section=r"\s*\[.*\]\s*$",
        types="config",
        extensions="ini cfg conf properties editorconfig",
        names=".gitconfig .gitmodules .npmrc .editorconfig .pylintrc .flake8 .coveragerc",
        searches=(r"^\[NAME\]", r"^NAME\s*="),
    )
    MAKEFILE = Traits(
        "makefile",
        manifests="makefile justfile",
        types="make",
        extensions="mk mak make",
        names="makefile gnumakefile bsdmakefile",
        interpreters="make",
        searches=(r"^NAME\s*:", r"^NAME\s*[:?+]?="),
    )
    DOCKERFILE = Traits(
        "dockerfile",
        manifests="dockerfile docker-compose.yml compose.yaml",
        types="docker",
        extensions="dockerfile",
        names="dockerfile containerfile",
        searches=(r"^FROM\b", r"^(?:RUN|COPY|ENV|CMD|ENTRYPOINT)\b"),
    )
    PERL = Traits("perl", dots=True, extensions="pl pm t", interpreters=r"perl[\d.]*")
    R = Traits("r", dots=True, extensions="r", interpreters="Rscript")
    DART = Traits("dart", manifests="pubspec.yaml", extensions="dart")
    ELIXIR = Traits("elixir", manifests="mix.exs", extensions="ex exs")
    ERLANG = Traits("erlang", extensions="erl hrl")
    HASKELL = Traits("haskell", manifests="stack.yaml", extensions="hs lhs")
    CLOJURE = Traits("clojure", extensions="clj cljs cljc edn")
    JULIA = Traits("julia", extensions="jl")
    VUE = Traits("vue", extensions="vue")
    SVELTE = Traits("svelte", extensions="svelte")
    SCSS = Traits("scss", types="css", extensions="scss sass")
    LESS = Traits("less", types="css", extensions="less")
    POWERSHELL = Traits("powershell", extensions="ps1 psm1 psd1")
    PROTOBUF = Traits("protobuf", extensions="proto")
    TERRAFORM = Traits("terraform", extensions="tf tfvars hcl")
    ZIG = Traits("zig", extensions="zig")
    RESTRUCTURED_TEXT = Traits("rst", extensions="rst", prose=True)
    LATEX = Traits("latex", types="tex", extensions="tex sty cls bib", prose=True)
    DIFF = Traits("diff", extensions="diff patch", searches=(r"^diff --git ", r"^@@ ", r"^[-+][^-+]"))
    ASSEMBLY = Traits("asm", extensions="asm s")
    CMAKE = Traits("cmake", extensions="cmake", names="cmakelists.txt")
    FORTRAN = Traits("fortran", extensions="f f90 f95 f03 for")
    FSHARP = Traits("fsharp", extensions="fs fsi fsx")
    GRAPHQL = Traits("graphql", extensions="graphql gql")
    LISP = Traits("lisp", extensions="lisp el scm rkt")
    NIX = Traits("nix", extensions="nix")
    OBJECTIVE_C = Traits("objc", extensions="m mm", also="h")
    OCAML = Traits("ocaml", extensions="ml mli")


PARSED: Final = frozenset(language for language in Language if language.traits.grammar)
"""Languages with a grammar, so with outline, syntax check and changed symbols."""
MANIFESTS: Final = frozenset(name for language in Language for name in language.traits.manifests.split())
_EXTENSIONS: Final = {word: language for language in Language for word in language.traits.extensions.split()}
_NAMES: Final = {word: language for language in Language for word in language.traits.names.split()}
_TEMPLATES: Final = frozenset({"in", "tmpl", "template", "dist", "example", "orig", "bak", "j2"})

_CPP_HEADER: Final = re.compile(
    rb"^[ \t]*(?:class\s+\w+[^;=()]*[:{]|namespace\b|template\s*<|using\s+\w)"
    rb"|^[ \t]*(?:public|private|protected)\s*:"
    rb"|^[ \t]*#\s*include\s*<[a-z_]+>|\bconstexpr\b|\bnoexcept\b|\bstd::",
    re.MULTILINE,
)
_OBJECT_LOG: Final = re.compile(rb"\s*\{.*\}\s*\r?\n\s*\{")
_NUMBERED_LOG: Final = re.compile(r"\.log(?:[.-][\d-]+)?$")


def language_of(name: bytes, head: bytes) -> Language | None:
    """The language of the file called `name` (its last path component) that begins with `head`.

    `head` may be any number of first bytes, 4 KB are plenty; it decides between C and C++ for `.h`,
    and for names that say nothing it is asked for a shebang, a doctype or an opening tag. None means
    not recognised.
    """
    found = _by_name(name)
    if found is Language.C and name[-2:].lower() == b".h" and _CPP_HEADER.search(head[:65536]):
        return Language.CPP
    if found is Language.JSON and _OBJECT_LOG.match(head[:65536]):
        return Language.JSON_LINES
    return found or _by_content(head)


def named_as(kind: str) -> Callable[[bytes], bool]:
    """Whether the name of a file is that of a `kind`: a language, or one of its `types`, or else an extension.

    Raises `invalid_input` for a word that can be neither.
    """
    plain = kind.strip().lower().removeprefix(".")
    wanted = {each for each in Language if plain in (each, *each.traits.types.split())}
    if not wanted and (len(plain) > 16 or not plain.replace("_", "a").isalnum()):
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"{kind!r} is no type of file",
            hint="give a language (python, typescript …) or an extension (py, log …); use glob for more",
            details={"argument": "type"},
        )
    also = [word for each in wanted for word in each.traits.also.split()] if wanted else [plain]
    endings = tuple(f".{word}".encode() for word in also)
    return lambda name: name.lower().endswith(endings) or _by_name(name) in wanted


def _by_name(name: bytes) -> Language | None:
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
        return Language.LOG
    return found


def _by_content(head: bytes) -> Language | None:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")[:512]
    if head.removeprefix(b"\xef\xbb\xbf").startswith(b"#!"):
        return _by_shebang(text.splitlines()[0])
    lowered = text[:64].lower()
    if lowered.startswith((b"<!doctype html", b"<html")):
        return Language.HTML
    if lowered.startswith(b"<?php"):
        return Language.PHP
    if lowered.startswith(b"<?xml"):
        return Language.XML
    if _OBJECT_LOG.match(head[:65536]):
        return Language.JSON_LINES
    if lowered.startswith((b"diff --git ", b"--- a/")):
        return Language.DIFF
    return None


def _by_shebang(line: bytes) -> Language | None:
    words = line[2:].split()
    if words and words[0].rpartition(b"/")[2] == b"env":
        words = [word for word in words[1:] if not word.startswith(b"-") and b"=" not in word]
    if not words:
        return None
    program = words[0].rpartition(b"/")[2].decode("utf-8", "replace")
    return next((each for each in Language if re.fullmatch(each.traits.interpreters, program)), None)
