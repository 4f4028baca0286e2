"""Structure: outlines, blocks, syntax errors, changed symbols, search hints, and git.

In: bytes or a `Snapshot`, a `Language`, a `Task`. Out: frozen values, such as `Outline`,
`Symbol`, `CodeBlock`, `ChangedSymbol` and `SearchHints`. Nothing here opens a path in the
workspace, writes a file, or downloads a grammar; searches and edits are not known here.

A grammar reads a text into a syntax tree, and a query (`queries/*.scm`) captures the
nodes that are symbols. That happens in another process, which can be killed: grammars
are C code, and the files are hostile.

- `symbol`, `outline`: the named parts of a file, and the tree of them
- `outlines`: the outlines of a workspace's files, cached by content
- `workers`, `worker`, `wire`: the parser processes, and the messages to and from them
- `parser`: one parse within a time limit
- `grammar_input`: a text as a grammar can read it
- `grammar`: grammars with their queries
- `source_text`: the text of a syntax tree
- `symbol_collector`: the symbols of a syntax tree
- `leading_comments`: the comments and attributes above a symbol
- `file_comments`: comments that belong to the file, not to the symbol below them
- `syntax_report`: the syntax errors of a text
- `definition_patterns`: definitions by regular expressions, where no grammar reads
- `lookup`: symbols by name and by line
- `block`, `text_lines`: the complete piece of text around a line
- `changed_symbols`: the symbols that differ between two states of a file
- `references`: the imports between the files of a project
- `import_statements`, `import_collector`: the imports of a file, and the places that
  mention some names
- `defined_names`, `free_names`, `file_head`: the names that a text binds, and those that
  it takes from outside; the comments and docstring before its code
- `module_names`: the file that an import means, and the name of another file there
- `syntax_kinds`: the kinds of syntax that a span is in: comment, string, import, call
- `sample`: a sample of the lines of a file
- `log_facts`, `data_facts`: the facts of logs and of JSON lines
- `search_hints`: patterns to search for in a file, or the facts of its log or data
- `row_searches`: searches of JSON lines with their fields
- `git`: the content of a file at a revision
- `git_repository`, `git_conversion`: the files of an index and of commits
"""
