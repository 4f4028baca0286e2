"""What files are made of: languages, outlines, blocks, syntax errors, changed symbols, hints.

A *grammar* reads content into a syntax tree, a *table* says which nodes of it are symbols, the
*walk* collects them into an `Outline`. `Outlines` does this once per content, in a process apart
that can be killed, because grammars are C code and files are anybody's. Everything else works on an
outline and the text: `lookup` finds symbols by name and by line, `block` the complete piece round a
line, `changed` what differs between two states, `git` fetches the other state. `hints` says what to
search for, also in logs and data, from samples, whatever the size.

In: bytes or a `Snapshot`, a `Language`, a `Task`. Out: frozen values (`Outline`, `Symbol`, `Block`,
`ChangedSymbol`, `Hints`). This room never opens a path, never writes, never downloads a grammar, and
does not know searches or edits. It does not import its own heavy parts before they are used.
"""

from __future__ import annotations

from filewright.structure.language import PARSED, Language, language_of
from filewright.structure.symbol import Outline, Symbol, SyntaxIssue, SyntaxReport

__all__ = ["PARSED", "Language", "Outline", "Symbol", "SyntaxIssue", "SyntaxReport", "language_of"]
