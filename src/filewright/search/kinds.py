"""Kinds of file by name: what the `type` argument of a search takes."""

from __future__ import annotations

from filewright.errors import Code, FilewrightError

_KINDS: dict[str, str] = {
    "asm": ".asm .s .S",
    "bash": ".sh .bash .zsh .ksh .bashrc .zshrc .profile",
    "c": ".c .h",
    "clojure": ".clj .cljs .cljc .edn",
    "cmake": ".cmake CMakeLists.txt",
    "config": ".cfg .conf .config .ini .env .properties",
    "cpp": ".cpp .cc .cxx .hpp .hh .hxx .h .inl",
    "csharp": ".cs .csx",
    "css": ".css .scss .sass .less",
    "csv": ".csv .tsv",
    "dart": ".dart",
    "docker": "Dockerfile .dockerfile Containerfile",
    "elixir": ".ex .exs",
    "erlang": ".erl .hrl",
    "fortran": ".f .f90 .f95 .f03 .for",
    "fsharp": ".fs .fsi .fsx",
    "go": ".go",
    "graphql": ".graphql .gql",
    "haskell": ".hs .lhs",
    "html": ".html .htm .xhtml",
    "java": ".java",
    "javascript": ".js .jsx .mjs .cjs",
    "json": ".json .jsonc .json5 .jsonl .ndjson",
    "julia": ".jl",
    "kotlin": ".kt .kts",
    "latex": ".tex .sty .cls .bib",
    "lisp": ".lisp .el .scm .rkt",
    "log": ".log",
    "lua": ".lua",
    "make": "Makefile makefile GNUmakefile .mk",
    "markdown": ".md .markdown .mdx",
    "nix": ".nix",
    "objc": ".m .mm .h",
    "ocaml": ".ml .mli",
    "perl": ".pl .pm .t",
    "php": ".php .phtml",
    "powershell": ".ps1 .psm1 .psd1",
    "protobuf": ".proto",
    "python": ".py .pyi .pyw .pyx",
    "r": ".r .R .Rmd",
    "rst": ".rst",
    "ruby": ".rb .rake .gemspec Rakefile Gemfile",
    "rust": ".rs",
    "scala": ".scala .sc .sbt",
    "sql": ".sql",
    "svelte": ".svelte",
    "swift": ".swift",
    "terraform": ".tf .tfvars .hcl",
    "text": ".txt .text",
    "toml": ".toml",
    "typescript": ".ts .tsx .mts .cts",
    "vue": ".vue",
    "xml": ".xml .xsd .xsl .xslt .svg .plist",
    "yaml": ".yaml .yml",
    "zig": ".zig",
}

_OTHER_NAMES = {
    "c++": "cpp",
    "c#": "csharp",
    "cs": "csharp",
    "js": "javascript",
    "md": "markdown",
    "py": "python",
    "rb": "ruby",
    "sh": "bash",
    "shell": "bash",
    "tex": "latex",
    "ts": "typescript",
    "txt": "text",
    "yml": "yaml",
}


def suffixes_of(kind: str) -> tuple[bytes, ...]:
    """What the names of such files end in. A word that is no kind is taken as an extension.

    Raises `invalid_input` for what can be neither.
    """
    plain = kind.strip().lower().removeprefix(".")
    name = _OTHER_NAMES.get(plain, plain)
    if name in _KINDS:
        return tuple(suffix.encode() for suffix in _KINDS[name].split())
    if not plain or len(plain) > 16 or not plain.replace("_", "a").isalnum():
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"{kind!r} is no type of file",
            hint="give a language (python, typescript …) or an extension (py, log …); use glob for more",
            details={"argument": "type"},
        )
    return (f".{plain}".encode(),)
