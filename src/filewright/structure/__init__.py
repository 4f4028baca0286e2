"""What files are made of: outlines, blocks, syntax errors, changed symbols, hints.

A grammar reads content into a syntax tree, a query (`queries/*.scm`) captures the nodes that are symbols, and
`collect` puts them one inside the other. `Outlines` does this once per content, in a process apart that can be
killed, because grammars are C code and files are anybody's. Everything else works on an outline and the text:
`lookup` finds symbols by name and by line, `block` the complete piece around a line, `changed` what differs
between two states, `git` fetches the other state. `hints` says what to search for, also in logs and data, from
samples, whatever the size.

In: bytes or a `Snapshot`, a `Language`, a `Task`. Out: frozen values (`Outline`, `Symbol`, `CodeBlock`,
`ChangedSymbol`, `Hints`). This room never opens a path, never writes, never downloads a grammar, and
does not know searches or edits. It does not import its own heavy parts before they are used.
"""

# ruff: noqa: F401
# mypy: implicit-reexport

from __future__ import annotations

from typing import TYPE_CHECKING

from filewright.faces import face_of
from filewright.structure.symbol import Outline, Symbol, SyntaxIssue, SyntaxReport

if TYPE_CHECKING:
    from filewright.structure.block import enclosing, of_symbol
    from filewright.structure.changed import (
        ChangedSymbol,
        Version,
        changed_symbols,
        touched_symbols,
    )
    from filewright.structure.git import committed, git_objects
    from filewright.structure.hints import Hints, Timestamp
    from filewright.structure.hints import hints as hints_of
    from filewright.structure.lookup import NamedSymbol, find_symbol, path_of
    from filewright.structure.outlines import Outlines, language_of_snapshot
    from filewright.structure.references import HEAD_BYTES, CentralFile, References

__getattr__, __all__ = face_of(
    __name__,
    {
        "symbol": "Outline Symbol SyntaxIssue SyntaxReport",
        "block": "enclosing of_symbol",
        "changed": "ChangedSymbol Version changed_symbols touched_symbols",
        "git": "committed git_objects",
        "hints": "Hints Timestamp hints_of=hints",
        "lookup": "NamedSymbol find_symbol path_of",
        "outlines": "Outlines language_of_snapshot",
        "references": "HEAD_BYTES CentralFile References",
    },
)
