"""The matcher of a request with invisible characters that the file does not have.

Text that was copied from a page or a chat often has such characters: zero-width spaces,
joiners, a byte-order mark. Written into the file, they would break code invisibly.
"""

from __future__ import annotations

from filewright.edit.comparison import has_invisible, is_invisible
from filewright.edit.matchers.exact import find_occurrences
from filewright.edit.matchers.repaired import read_repaired
from filewright.edit.model import Candidates, Tier
from filewright.edit.repairs.propose import remove_characters
from filewright.edit.request import TextEdit
from filewright.edit.source import Source


def match(source: Source, edit: TextEdit) -> Candidates:
    """Find the request without the invisible characters that occur nowhere in the file."""
    if not has_invisible(edit.search):
        return Candidates(Tier.REPAIRED)
    # One that the file has somewhere may be meant, also in the replacement.
    invisible = {char for char in edit.search if is_invisible(char)}
    missing = {
        char for char in invisible if not find_occurrences(source, char, 1)
    }
    if not missing:
        return Candidates(Tier.REPAIRED)
    repaired = remove_characters(edit.search, edit.replace, missing)
    reading = (
        read_repaired(source, repaired) if repaired.search.strip() else None
    )
    if reading is None:
        return Candidates(Tier.REPAIRED)
    return Candidates(Tier.REPAIRED, (reading,))
