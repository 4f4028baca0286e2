"""Which language a file is written in: by its name, its extension, its first line."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final


class Language(StrEnum):
    """The languages filewright knows by name; those of `PARSED` have a grammar."""

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
    # Known by name only.
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


_BY_NAME_ONLY: Final = list(Language).index(Language.TEXT)
PARSED: Final = frozenset(list(Language)[:_BY_NAME_ONLY])
"""Languages with a grammar, so with outline, syntax check and changed symbols."""

PROSE: Final = frozenset({Language.MARKDOWN, Language.TEXT, Language.RESTRUCTURED_TEXT, Language.LATEX})
"""Languages whose blocks are paragraphs and sections."""

_EXTENSIONS: Final = {
    extension: language
    for language, extensions in {
        Language.PYTHON: "py pyi pyw pyx pxd bzl star wsgi",
        Language.JAVASCRIPT: "js mjs cjs es6",
        Language.JSX: "jsx",
        Language.TYPESCRIPT: "ts mts cts",
        Language.TSX: "tsx",
        Language.GO: "go",
        Language.RUST: "rs",
        Language.JAVA: "java",
        Language.C: "c h",
        Language.CPP: "cpp cc cxx c++ hpp hh hxx h++ ipp tpp inl cu cuh ino",
        Language.CSHARP: "cs csx",
        Language.RUBY: "rb rake gemspec ru podspec",
        Language.PHP: "php phtml php3 php4 php5 php7 phps",
        Language.KOTLIN: "kt kts",
        Language.SWIFT: "swift",
        Language.SCALA: "scala sc sbt",
        Language.BASH: "sh bash zsh ksh bats ebuild",
        Language.LUA: "lua rockspec",
        Language.SQL: "sql ddl dml pgsql mysql psql",
        Language.HTML: "html htm xhtml",
        Language.CSS: "css",
        Language.JSON: "json jsonc json5 geojson webmanifest ipynb map har avsc topojson code-workspace",
        Language.YAML: "yaml yml",
        Language.TOML: "toml",
        Language.MARKDOWN: "md markdown mdown mkd mdx qmd rmd",
        Language.TEXT: "txt text",
        Language.LOG: "log",
        Language.CSV: "csv",
        Language.TSV: "tsv tab",
        Language.JSON_LINES: "jsonl ndjson jsonlines",
        Language.XML: "xml xsd xsl xslt svg plist csproj props targets pom wsdl rss atom",
        Language.INI: "ini cfg conf properties editorconfig",
        Language.MAKEFILE: "mk mak make",
        Language.DOCKERFILE: "dockerfile",
        Language.PERL: "pl pm t",
        Language.R: "r",
        Language.DART: "dart",
        Language.ELIXIR: "ex exs",
        Language.ERLANG: "erl hrl",
        Language.HASKELL: "hs lhs",
        Language.CLOJURE: "clj cljs cljc edn",
        Language.JULIA: "jl",
        Language.VUE: "vue",
        Language.SVELTE: "svelte",
        Language.SCSS: "scss sass",
        Language.LESS: "less",
        Language.POWERSHELL: "ps1 psm1 psd1",
        Language.PROTOBUF: "proto",
        Language.TERRAFORM: "tf tfvars hcl",
        Language.ZIG: "zig",
        Language.RESTRUCTURED_TEXT: "rst",
        Language.LATEX: "tex sty cls",
        Language.DIFF: "diff patch",
    }.items()
    for extension in extensions.split()
}

_NAMES: Final = {
    name: language
    for language, names in {
        Language.PYTHON: "sconstruct sconscript wscript build.bazel build workspace tiltfile snakefile",
        Language.RUBY: "rakefile gemfile guardfile podfile vagrantfile fastfile brewfile capfile .irbrc"
        " .pryrc",
        Language.BASH: ".bashrc .bash_profile .bash_aliases .bash_logout .profile .zshrc .zshenv .zprofile"
        " .kshrc apkbuild pkgbuild .envrc .env",
        Language.JSON: ".babelrc .eslintrc .prettierrc .jshintrc .swcrc composer.lock pipfile.lock"
        " flake.lock",
        Language.YAML: ".clang-format .clang-tidy .clangd .yamllint",
        Language.TOML: "pipfile cargo.lock poetry.lock uv.lock pdm.lock gopkg.lock",
        Language.MAKEFILE: "makefile gnumakefile bsdmakefile",
        Language.DOCKERFILE: "dockerfile containerfile",
        Language.INI: ".gitconfig .gitmodules .npmrc .editorconfig .pylintrc .flake8 .coveragerc",
        Language.JAVASCRIPT: "jakefile",
        Language.TEXT: "license copying notice authors",
        Language.MARKDOWN: "readme changelog contributing",
        Language.LOG: "syslog messages",
    }.items()
    for name in names.split()
}  # fmt: skip

_INTERPRETERS: Final = (
    (re.compile(rb"(?:python|pypy)[\d.]*"), Language.PYTHON),
    (re.compile(rb"(?:ba|z|k|da|a)?sh"), Language.BASH),
    (re.compile(rb"bats"), Language.BASH),
    (re.compile(rb"node|nodejs|bun"), Language.JAVASCRIPT),
    (re.compile(rb"deno|ts-node|tsx"), Language.TYPESCRIPT),
    (re.compile(rb"j?ruby[\d.]*|rake"), Language.RUBY),
    (re.compile(rb"php[\d.]*"), Language.PHP),
    (re.compile(rb"lua(?:jit)?[\d.]*"), Language.LUA),
    (re.compile(rb"scala|amm"), Language.SCALA),
    (re.compile(rb"kotlin|kscript"), Language.KOTLIN),
    (re.compile(rb"swift"), Language.SWIFT),
    (re.compile(rb"perl[\d.]*"), Language.PERL),
    (re.compile(rb"Rscript"), Language.R),
    (re.compile(rb"make"), Language.MAKEFILE),
)  # fmt: skip

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
    program = words[0].rpartition(b"/")[2]
    return next((language for pattern, language in _INTERPRETERS if pattern.fullmatch(program)), None)
