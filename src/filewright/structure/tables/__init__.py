"""One table per language: which syntax nodes are symbols and what they are called.

A table is data for the walker (`filewright.structure.walk`); it holds no state and opens nothing.
`table_of` imports a family's module only when a language of it is first met.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from filewright.structure.language import Language
from filewright.structure.table import Table

_WHERE: Final = {
    Language.PYTHON: "python.PYTHON",
    Language.JAVASCRIPT: "javascript.JAVASCRIPT",
    Language.JSX: "javascript.JAVASCRIPT",
    Language.TYPESCRIPT: "javascript.TYPESCRIPT",
    Language.TSX: "javascript.TYPESCRIPT",
    Language.GO: "go.GO",
    Language.RUST: "rust.RUST",
    Language.JAVA: "jvm.JAVA",
    Language.KOTLIN: "jvm.KOTLIN",
    Language.SCALA: "jvm.SCALA",
    Language.C: "c.C",
    Language.CPP: "c.CPP",
    Language.CSHARP: "dotnet.CSHARP",
    Language.RUBY: "ruby.RUBY",
    Language.PHP: "php.PHP",
    Language.SWIFT: "swift.SWIFT",
    Language.BASH: "script.BASH",
    Language.LUA: "script.LUA",
    Language.SQL: "sql.SQL",
    Language.HTML: "markup.HTML",
    Language.CSS: "markup.CSS",
    Language.MARKDOWN: "markup.MARKDOWN",
    Language.JSON: "data.JSON",
    Language.YAML: "data.YAML",
    Language.TOML: "data.TOML",
}


def table_of(language: Language) -> Table:
    """The table of a language in `PARSED`; `KeyError` for others."""
    module, _, name = _WHERE[language].partition(".")
    table: Table = getattr(import_module(f"filewright.structure.tables.{module}"), name)
    return table
