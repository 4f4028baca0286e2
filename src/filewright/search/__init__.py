"""FIND: literal, regex and fuzzy search; hits and what is shown of them.

Owns the pattern syntax (`compile_pattern`), which is checked at the door and means the same whichever
engine runs. Searches one snapshot of any size and encoding (`search_snapshot`, `count_hits`;
`find_matches` gives every match with its groups) or a tree (`TreeSearch`). Finds text that is only
similar (`fuzzy`, `Searcher.similar`). Cuts the piece of a line that shows a hit (`excerpt`, `context`).

What it has above its goal pays for globs and types that hold for a file which is named by itself, too.

Never opens a path by itself (snapshots come from outside, trees through the boundary), never writes,
never decodes a whole file, never runs a user's pattern on a backtracking engine, and never takes a
line number or an offset from another program.

In: `Snapshot` or `Location`, and what to look for. Out: `Found` with `Hit`s: byte ranges, 1-based
lines and columns, whether the search was complete and where it stopped. Errors: `invalid_input` for
a pattern, `cancelled`, `timeout`, `io_error`; for trees also what the boundary raises.
"""
