"""Which language a file is written in: by its name, its extension, its first line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Language(StrEnum):
    """The languages filewright knows; what it knows of each is in `LANGUAGES`."""

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


@dataclass(frozen=True, slots=True)
class Traits:
    """What is known of a language. Lists are words with spaces between.

    `names` are whole file names, `interpreters` a pattern of the programs a first line may name. `grammar` is
    the package of the parser (`tree_sitter_…`, and its function if that is not `language`), `queries` the files
    that say which of its nodes are symbols; without a grammar the language is known by name only. `certain` is
    False where the grammar and real files often differ, so that a syntax error is only a hint. `trims` says
    that nodes of the grammar may end in blank and comment lines, `prose` that blocks are paragraphs and
    sections. `searches` are regular expressions worth a search, where NAME is what is looked for. `definitions`
    find definitions without a grammar, by lines: the last group is the name, one before it the word for its
    kind, which is `defined` without one; `patched` says that they also fill in what the grammar did not
    understand.
    """

    extensions: str = ""
    names: str = ""
    interpreters: str = ""
    grammar: str = ""
    queries: str = ""
    certain: bool = True
    trims: bool = False
    prose: bool = False
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

LANGUAGES: Final = {
    Language.PYTHON: Traits(
        extensions="py pyi pyw pyx pxd bzl star wsgi",
        names="sconstruct sconscript wscript build.bazel build workspace tiltfile snakefile",
        interpreters=r"(?:python|pypy)[\d.]*",
        grammar="python",
        queries="python",
        searches=(r"^\s*(?:async\s+)?def NAME\b", r"^\s*class NAME\b", r"^\s*@", r"^(?:from|import)\s"),
        definitions=(r"^[ \t]*(?:async[ \t]+)?(def|class)[ \t]+(\w+)",),
    ),
    Language.JAVASCRIPT: Traits(
        extensions="js mjs cjs es6",
        names="jakefile",
        interpreters="node|nodejs|bun",
        grammar="javascript",
        queries="ecma javascript",
        searches=_SCRIPT,
        definitions=_SCRIPT_FORMS,
    ),
    Language.JSX: Traits(
        extensions="jsx",
        grammar="javascript",
        queries="ecma javascript",
        searches=_SCRIPT,
        definitions=_SCRIPT_FORMS,
    ),
    Language.TYPESCRIPT: Traits(
        extensions="ts mts cts",
        interpreters="deno|ts-node|tsx",
        grammar="typescript.language_typescript",
        queries="ecma typescript",
        certain=False,
        searches=_TYPED,
        definitions=_SCRIPT_FORMS,
    ),
    Language.TSX: Traits(
        extensions="tsx",
        grammar="typescript.language_tsx",
        queries="ecma typescript",
        certain=False,
        searches=_TYPED,
        definitions=_SCRIPT_FORMS,
    ),
    Language.GO: Traits(
        extensions="go",
        grammar="go",
        queries="go",
        searches=(r"^func NAME\(", r"^func \([^)]*\) NAME\(", r"^type NAME\b", r"^\s*(?:const|var)\b"),
        definitions=(r"^(func|type)[ \t]+(?:\([^)\n]*\)[ \t]*)?(\w+)",),
    ),
    Language.RUST: Traits(
        extensions="rs",
        grammar="rust",
        queries="rust",
        searches=(r"\bfn NAME\b", r"\b(?:struct|enum|trait|type) NAME\b", r"^\s*impl\b.*\bNAME\b", r"^use\b"),
        definitions=(rf"^[ \t]*{_WORDS}(fn|struct|enum|trait|mod|type|union)[ \t]+(\w+)",),
    ),
    Language.JAVA: Traits(
        extensions="java",
        grammar="java",
        queries="java",
        searches=(
            r"\b(?:class|interface|enum|record)\s+NAME\b",
            r"\bNAME\s*\([^;]*\)\s*(?:throws\b.*)?\{",
            r"@\w+",
        ),
        definitions=_CURLY,
    ),
    Language.C: Traits(
        extensions="c h",
        grammar="c",
        queries="c",
        certain=False,
        searches=_C_LIKE,
        definitions=(*_CURLY, _C_FUNCTION),
    ),
    Language.CPP: Traits(
        extensions="cpp cc cxx c++ hpp hh hxx h++ ipp tpp inl cu cuh ino",
        grammar="cpp",
        queries="c cpp",
        certain=False,
        searches=(*_C_LIKE, r"\b(?:class|namespace)\s+NAME\b", r"\b\w+::NAME\s*\("),
        definitions=(*_CURLY, _C_FUNCTION),
    ),
    Language.CSHARP: Traits(
        extensions="cs csx",
        grammar="c_sharp",
        queries="csharp",
        certain=False,
        searches=(r"\b(?:class|interface|struct|enum|record)\s+NAME\b", r"\bNAME\s*\(", r"^\s*namespace\b"),
        definitions=_CURLY,
    ),
    Language.RUBY: Traits(
        extensions="rb rake gemspec ru podspec",
        names="rakefile gemfile guardfile podfile vagrantfile fastfile brewfile capfile .irbrc .pryrc",
        interpreters=r"j?ruby[\d.]*|rake",
        grammar="ruby",
        queries="ruby",
        searches=(r"^\s*def (?:self\.)?NAME\b", r"^\s*(?:class|module) NAME\b", r"^\s*attr_"),
        definitions=(r"^[ \t]*(def|class|module)[ \t]+([\w.:?!]+)",),
    ),
    Language.PHP: Traits(
        extensions="php phtml php3 php4 php5 php7 phps",
        interpreters=r"php[\d.]*",
        grammar="php.language_php",
        queries="php",
        searches=(r"\bfunction\s+NAME\b", r"\b(?:class|interface|trait|enum)\s+NAME\b", r"^\s*use\b"),
        definitions=(*_CURLY, rf"^[ \t]*{_WORDS}(function)[ \t]+&?(\w+)"),
    ),
    Language.KOTLIN: Traits(
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
    ),
    Language.SWIFT: Traits(
        extensions="swift",
        interpreters="swift",
        grammar="swift",
        queries="swift",
        certain=False,
        searches=(r"\bfunc\s+NAME\b", r"\b(?:class|struct|enum|protocol|extension|actor)\s+NAME\b"),
        definitions=(*_CURLY, rf"^[ \t]*{_WORDS}(func)[ \t]+(\w+)"),
    ),
    Language.SCALA: Traits(
        extensions="scala sc sbt",
        interpreters="scala|amm",
        grammar="scala",
        queries="scala",
        certain=False,
        searches=(r"\bdef\s+NAME\b", r"\b(?:class|trait|object|enum)\s+NAME\b", r"\bva[lr]\s+NAME\b"),
        definitions=(*_CURLY, rf"^[ \t]*{_WORDS}(def)[ \t]+(\w+)"),
    ),
    Language.BASH: Traits(
        extensions="sh bash zsh ksh bats ebuild",
        names=".bashrc .bash_profile .bash_aliases .bash_logout .profile .zshrc .zshenv .zprofile .kshrc"
        " apkbuild pkgbuild .envrc .env",
        interpreters="(?:ba|z|k|da|a)?sh|bats",
        grammar="bash",
        queries="bash",
        certain=False,
        searches=(r"^\s*(?:function\s+)?NAME\s*\(\)", r"^\s*NAME=", r"^\s*(?:source|\.)\s"),
        definitions=(r"^[ \t]*(?:function[ \t]+)?([\w-]+)[ \t]*\(\)",),
    ),
    Language.LUA: Traits(
        extensions="lua rockspec",
        interpreters=r"lua(?:jit)?[\d.]*",
        grammar="lua",
        queries="lua",
        searches=(r"\bfunction\s+[\w.:]*NAME\b", r"^\s*local\s+NAME\b", r"\brequire\b"),
        definitions=(r"^[ \t]*(?:local[ \t]+)?(function)[ \t]+([\w.:]+)",),
    ),
    Language.SQL: Traits(
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
    ),
    Language.HTML: Traits(
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
    ),
    Language.CSS: Traits(
        extensions="css",
        grammar="css",
        queries="css",
        certain=False,
        searches=(r"\.NAME\b", r"#NAME\b", r"^@media\b", r"--NAME\s*:"),
        definitions=(r"^([^\s{}/*][^{}\n]{0,200}?)[ \t]*\{",),
        defined="rule",
    ),
    Language.JSON: Traits(
        extensions="json jsonc json5 geojson webmanifest ipynb map har avsc topojson code-workspace",
        names=".babelrc .eslintrc .prettierrc .jshintrc .swcrc composer.lock pipfile.lock flake.lock",
        grammar="json",
        queries="json",
        searches=(r"\"NAME\"\s*:",),
        definitions=(_KEY,),
        defined="key",
    ),
    Language.YAML: Traits(
        extensions="yaml yml",
        names=".clang-format .clang-tidy .clangd .yamllint",
        grammar="yaml",
        queries="yaml",
        trims=True,
        searches=(r"^\s*(?:- )?NAME\s*:", r"^---"),
        definitions=(r"^([\w./-]+)[ \t]*:(?:[ \t\r]|$)",),
        defined="key",
    ),
    Language.TOML: Traits(
        extensions="toml",
        names="pipfile cargo.lock poetry.lock uv.lock pdm.lock gopkg.lock",
        grammar="toml",
        queries="toml",
        trims=True,
        searches=(r"^\[+NAME", r"^NAME\s*="),
        definitions=(r"^\[+([^\]\n]+)\]",),
        defined="table",
    ),
    Language.MARKDOWN: Traits(
        extensions="md markdown mdown mkd mdx qmd rmd",
        names="readme changelog contributing",
        grammar="markdown",
        queries="markdown",
        prose=True,
        searches=(r"^#{1,6}\s.*NAME", r"^```", r"\]\("),
        definitions=(r"^#{1,6}[ \t]+([^\n]{1,200})",),
        defined="heading",
    ),
    Language.TEXT: Traits(extensions="txt text", names="license copying notice authors", prose=True),
    Language.LOG: Traits(extensions="log", names="syslog messages"),
    Language.CSV: Traits(extensions="csv"),
    Language.TSV: Traits(extensions="tsv tab"),
    Language.JSON_LINES: Traits(extensions="jsonl ndjson jsonlines"),
    Language.XML: Traits(extensions="xml xsd xsl xslt svg plist csproj props targets pom wsdl rss atom"),
    Language.INI: Traits(
        extensions="ini cfg conf properties editorconfig",
        names=".gitconfig .gitmodules .npmrc .editorconfig .pylintrc .flake8 .coveragerc",
        searches=(r"^\[NAME\]", r"^NAME\s*="),
    ),
    Language.MAKEFILE: Traits(
        extensions="mk mak make",
        names="makefile gnumakefile bsdmakefile",
        interpreters="make",
        searches=(r"^NAME\s*:", r"^NAME\s*[:?+]?="),
    ),
    Language.DOCKERFILE: Traits(
        extensions="dockerfile",
        names="dockerfile containerfile",
        searches=(r"^FROM\b", r"^(?:RUN|COPY|ENV|CMD|ENTRYPOINT)\b"),
    ),
    Language.PERL: Traits(extensions="pl pm t", interpreters=r"perl[\d.]*"),
    Language.R: Traits(extensions="r", interpreters="Rscript"),
    Language.DART: Traits(extensions="dart"),
    Language.ELIXIR: Traits(extensions="ex exs"),
    Language.ERLANG: Traits(extensions="erl hrl"),
    Language.HASKELL: Traits(extensions="hs lhs"),
    Language.CLOJURE: Traits(extensions="clj cljs cljc edn"),
    Language.JULIA: Traits(extensions="jl"),
    Language.VUE: Traits(extensions="vue"),
    Language.SVELTE: Traits(extensions="svelte"),
    Language.SCSS: Traits(extensions="scss sass"),
    Language.LESS: Traits(extensions="less"),
    Language.POWERSHELL: Traits(extensions="ps1 psm1 psd1"),
    Language.PROTOBUF: Traits(extensions="proto"),
    Language.TERRAFORM: Traits(extensions="tf tfvars hcl"),
    Language.ZIG: Traits(extensions="zig"),
    Language.RESTRUCTURED_TEXT: Traits(extensions="rst", prose=True),
    Language.LATEX: Traits(extensions="tex sty cls", prose=True),
    Language.DIFF: Traits(extensions="diff patch", searches=(r"^diff --git ", r"^@@ ", r"^[-+][^-+]")),
}
"""Every language that is known: the only place that knows one."""

PARSED: Final = frozenset(language for language, traits in LANGUAGES.items() if traits.grammar)
"""Languages with a grammar, so with outline, syntax check and changed symbols."""
_EXTENSIONS: Final = {
    word: language for language, traits in LANGUAGES.items() for word in traits.extensions.split()
}
_NAMES: Final = {word: language for language, traits in LANGUAGES.items() for word in traits.names.split()}

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
    shown = name.decode("utf-8", "replace").lower()
    found = _NAMES.get(shown)
    if found is None and shown.startswith(("dockerfile.", "containerfile.")):
        found = Language.DOCKERFILE
    stem, dot, extension = shown.rpartition(".")
    if found is None and dot and stem:
        found = _EXTENSIONS.get(extension)
        if found is None and extension in {"in", "tmpl", "template", "dist", "example", "orig", "bak", "j2"}:
            found = _EXTENSIONS.get(stem.rpartition(".")[2])
    if found is None and _NUMBERED_LOG.search(shown):
        found = Language.LOG
    if found is Language.C and extension == "h" and _CPP_HEADER.search(head[:65536]):
        return Language.CPP
    if found is Language.JSON and _OBJECT_LOG.match(head[:65536]):
        return Language.JSON_LINES
    return found or _by_content(head)


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
    spoken = (
        (language, traits.interpreters) for language, traits in LANGUAGES.items() if traits.interpreters
    )
    return next((language for language, pattern in spoken if re.fullmatch(pattern, program)), None)
