"""One edit by itself: its place, and the splices that it makes."""

from __future__ import annotations

from filewright.edit.choose import several_readings
from filewright.edit.locate import locate
from filewright.edit.merge import MatchMerge, merge_match, try_merge
from filewright.edit.model import AmbiguousWriteError, EditMatch, NotLocated
from filewright.edit.request import Edit
from filewright.edit.source import Source
from filewright.errors import FilewrightError
from filewright.text.splice import Splice


def merge_readings(source: Source, match: EditMatch) -> MatchMerge | NotLocated:
    """Return the merge of a match, or a refusal if its readings write different texts.

    Raises `unencodable`.
    """
    if match.alternatives:
        splices = try_merge(source, match)
        for alternative in match.alternatives:
            # A repair may remove the damage with or without the space behind it, as in
            # `12 | code`. The first one, which removes the space too, is right.
            is_same_repair = (
                splices is not None and match.repairs == alternative.repairs
            )
            if try_merge(source, alternative) != splices and not is_same_repair:
                return several_readings(match, alternative)
    try:
        return merge_match(source, match)
    except AmbiguousWriteError as error:
        return NotLocated(
            match.edit, error.code, match.tier, (match.span,), unclear=error
        )


def splices_of_match(source: Source, match: EditMatch) -> tuple[Splice, ...]:
    """Return the splices of a match; none if it has no single meaning, or no effect."""
    merge = merge_readings(source, match)
    return () if isinstance(merge, NotLocated) else merge.splices


def changes_file(source: Source, edit: Edit) -> bool:
    """Return True if an edit by itself is not refused and changes the file."""
    try:
        match = locate(source, edit)
        return isinstance(match, EditMatch) and bool(
            splices_of_match(source, match)
        )
    except FilewrightError:
        return False
