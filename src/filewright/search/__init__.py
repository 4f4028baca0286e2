"""FIND: literal, regex and fuzzy search; hits and what is shown of them.

Owns the pattern syntax (`compile_pattern`), which is checked at the door and means the same whichever
engine runs. Searches one snapshot of any size and encoding (`search_snapshot`, `count_hits`;
`find_matches` gives every match with its groups) or a tree (`Searcher.tree`). Finds text that is only
similar (`fuzzy`, `Searcher.similar`). Cuts the piece of a line that shows a hit (`excerpt`, `context`).

Never opens a path by itself (snapshots come from outside, trees through the boundary), never writes,
never decodes a whole file, never runs a user's pattern on a backtracking engine, and never takes a
line number or an offset from another program.

What its size above the goal of `tests/test_size.py` pays for: one syntax that means the same to RE2, to
`rg` and to a plain search, with what to write instead of all that is refused; exact places in every encoding,
of files of any size, read by windows; a pattern that takes long can be cancelled; similar text in a whole tree
within a time limit.

In: `Snapshot` or `Location`, and what to look for. Out: `Found` with `Hit`s: byte ranges, 1-based
lines and columns, whether the search was complete and where it stopped. Errors: `invalid_input` for
a pattern, `cancelled`, `timeout`, `io_error`; for trees also what the boundary raises.
"""

from filewright.search.engine import (
    ContextLine,
    Found,
    Hit,
    LineKind,
    LineKinds,
    Match,
    ShownLine,
    TreeOptions,
    Windows,
    context,
    count_hits,
    excerpt,
    search_snapshot,
)
from filewright.search.engine import matches as find_matches
from filewright.search.fuzzy import fuzzy
from filewright.search.pattern import Pattern
from filewright.search.pattern import compile as compile_pattern
from filewright.search.tree import (
    Resume,
    Searcher,
    Similar,
    TreeSearch,
    check_mark,
    mark_of,
)

__all__ = [
    "ContextLine",
    "Found",
    "Hit",
    "LineKind",
    "LineKinds",
    "Match",
    "Pattern",
    "Resume",
    "Searcher",
    "ShownLine",
    "Similar",
    "TreeOptions",
    "TreeSearch",
    "Windows",
    "check_mark",
    "compile_pattern",
    "context",
    "count_hits",
    "excerpt",
    "find_matches",
    "fuzzy",
    "mark_of",
    "search_snapshot",
]
