"""Locating an edit: one matcher after the other, then the choice of one candidate.

Each matcher searches the whole file. The first one that finds a candidate decides: several
candidates are a refusal, and a looser matcher never chooses between them.
"""

from __future__ import annotations

from collections.abc import Callable

from filewright.edit.choose import choose
from filewright.edit.matchers import (
    elision,
    exact,
    invisible,
    lines,
    named_lines,
    repaired,
)
from filewright.edit.model import Candidates, EditMatch, NotLocated, Tier
from filewright.edit.request import Edit, TextEdit, validate_edit
from filewright.edit.source import Source
from filewright.errors import Code

# Strictest first: a loose match must never win over a text that is equal.
_LOOSE_MATCHERS: tuple[Callable[[Source, TextEdit], Candidates], ...] = (
    invisible.match,
    lines.match,
    elision.match,
    repaired.match,
)


def locate(source: Source, request: Edit) -> EditMatch | NotLocated:
    """Return the place of `request` in `source`, or why it has none.

    An edit of an earlier version of the file is located by `drift`, which has that
    version. Raises `invalid_input`, `is_binary` and `too_large`.
    """
    edit = validate_edit(request)
    if not isinstance(edit, TextEdit):
        return named_lines.match_lines(source, edit)
    if edit.start_line is not None and edit.end_line is not None:
        return named_lines.match_anchored(
            source, edit, edit.start_line, edit.end_line
        )
    # Only equal occurrences are replaced: the caller does not check hundreds of places,
    # and a loose match among them would go unseen.
    if edit.replace_all:
        return exact.match_all(source, edit)
    candidates = exact.match(source, edit)
    if candidates.readings:
        return choose(source, edit, candidates)
    # A search text of whitespace alone would match any blank line.
    if not edit.fuzzy or not edit.search.strip():
        return NotLocated(edit, Code.NO_MATCH, Tier.EXACT)
    for match in _LOOSE_MATCHERS:
        candidates = match(source, edit)
        if candidates.readings or candidates.is_final:
            return choose(source, edit, candidates)
    return NotLocated(edit, Code.NO_MATCH, Tier.REPAIRED)
