"""Search: literals, regular expressions and similar text, in one file or in a tree.

In: a `Snapshot` or a `Location`, and a pattern or a text. Out: hits, which are byte ranges
with 1-based lines and columns, whether the search was complete, and where it stopped.
Raises `invalid_input` for a pattern, `cancelled`, `timeout` and `io_error`; for trees also
the errors of the boundary.

A pattern means the same whichever engine runs, and none runs on a backtracking engine.
Other programs only narrow a search: every line number and offset is computed here.
Nothing here opens a path by itself, or writes.

- `pattern`: a checked pattern; `compile_pattern` makes it
- `pattern_syntax`: the syntax of regular expressions, written for RE2 and for `rg`
- `characters`: single characters of a pattern, as both engines read them
- `regex_engine`: RE2
- `window`: a part of a file as UTF-8 text, and the way back to byte offsets
- `prefilter`: `rg` ahead of a search in a large file
- `matches`: the matches in one snapshot
- `hits`: the lines that match, with their numbers and columns
- `selected_lines`: the lines that a selection takes, without a pattern
- `file_rows`: the rows of a file with columns or keys
- `excerpts`: the piece of a line that shows a hit, and the lines around it
- `hit_groups`: groups of lines that differ only in numbers
- `tree_options`: the files of a tree search, and its kind of result
- `candidates`: the files of a tree that may match, found with `rg`
- `searcher`: the opening of files for searches, and fuzzy search in a tree
- `tree`: search of a tree, with the point from which it can go on
- `trace`: the lines of a log that share rare identifiers with some
- `alignment`: the region of a text that is most similar to a needle
- `pieces`: rare pieces of a needle, and their votes for places
- `similarity`: fuzzy search in one snapshot
"""
