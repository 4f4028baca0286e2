"""What files are made of: outlines, blocks, syntax errors, changed symbols, hints.

A grammar reads content into a syntax tree, a query (`queries/*.scm`) captures the nodes that are symbols, and
`collect` puts them one inside the other. `Outlines` does this once per content, in a process apart that can be
killed, because grammars are C code and files are anybody's. Everything else works on an outline and the text:
`lookup` finds symbols by name and by line, `block` the complete piece around a line, `changed` what differs
between two states, `git` fetches the other state, `git_repository` those of
many files. `hints` says what to search for, also in logs and data, from
samples, whatever the size.

In: bytes or a `Snapshot`, a `Language`, a `Task`. Out: frozen values (`Outline`, `Symbol`, `CodeBlock`,
`ChangedSymbol`, `Hints`). This room never opens a path, never writes, never downloads a grammar, and
does not know searches or edits. It does not import its own heavy parts before they are used.
"""
