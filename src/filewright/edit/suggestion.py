"""A refused edit made ready to be sent again, where the request itself tells what was meant.

What the request searched for is the base, the nearest text is ours, its replacement is theirs: the
three are merged token by token. The suggestion is made only if the merge is clean, or what is in
conflict was to be written anew anyway; and if nothing that is in the file and was not in the search
gets lost, nothing is there twice, and nothing that was misremembered is written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from filewright.edit.diff3 import align, merge3
from filewright.edit.filetext import FileText
from filewright.edit.lastcheck import checked
from filewright.edit.locate.cascade import locate
from filewright.edit.locate.elision import says_omitted
from filewright.edit.locate.fold import indent_of, is_typographic
from filewright.edit.locate.located import Located, UnclearError
from filewright.edit.locate.repairs import is_damaged
from filewright.edit.locate.request import Edit
from filewright.edit.nearest import NearText
from filewright.errors import FilewrightError

MOST_CHARS = 4_000
"""Characters of a text that is offered to be used."""
_CHECKED_BYTES = 8 << 20
"""In larger files suggestions that need a second look through the file are not made."""
_LIKELY = 0.6
_APART = 0.1
"""How alike a region must be for its text to be offered, and how much more than the next best."""
_TOKEN = re.compile(r"\w+|[^\S\n]+|.", re.DOTALL)


def succeeds(source: FileText, edit: Edit, *, fuzzy: bool = True) -> bool:
    """Whether an edit, sent as it is, changes the file: what is offered has been run."""
    try:
        found = locate(source, edit, fuzzy=fuzzy)
        return isinstance(found, Located) and bool(checked(source, found, literal=not fuzzy))
    except (UnclearError, FilewrightError):
        return False


def suggested(source: FileText, edit: Edit, near: Sequence[NearText]) -> tuple[Edit, ...]:
    """The edit with the text that is there and the replacement carried over to it; () if that is not certain."""
    if not near or source.size > _CHECKED_BYTES or len(near[0].text) > MOST_CHARS:
        return ()
    if near[0].similarity < _LIKELY or near[0].similarity - near[0].next_best < _APART:
        return ()
    return at_place(source, edit, near[0])


def at_place(source: FileText, edit: Edit, there: NearText) -> tuple[Edit, ...]:
    """The same for one region, whatever else is like it."""
    if any(map(_is_doubtful, (edit.search, edit.replace))):
        return ()
    if not _corresponds(edit.search, there.text) or _goes_on(source, edit.search, there):
        return ()
    ended = "\n" if edit.search.endswith("\n") else ""
    new = carried_over(edit.search.strip("\n"), there.text, edit.replace.strip("\n"))
    if new is None or new == there.text:
        return ()
    for tail in (ended, ""):
        for line in (None, there.first_line):
            whole = new + tail if new else ""
            better = replace(edit, search=there.text + tail, replace=whole, start_line=line, end_line=None)
            # It is sent as the refused one was, or without fuzzy.
            if succeeds(source, better) and succeeds(source, better, fuzzy=False):
                return (better,)
    return ()


def _goes_on(source: FileText, search: str, there: NearText) -> bool:
    """Whether a line that the search text has and the region lacks is right beside the region.

    Then the region is not all that is meant, and a line of it is none of the search text's.
    """
    missing = set(map(_key, search.split("\n"))) - set(map(_key, there.text.split("\n")))
    lines = source.snapshot.lines
    before = source.rows_before(source.row_at(lines.offset_of(there.first_line)))
    after = source.rows_from(lines.offset_of(there.last_line + 1))
    beside = (next((row for row in rows if row.body.strip()), None) for rows in (before, after))
    return any(row is not None and _key(source.text(row.body)) in missing for row in beside)


def _is_doubtful(text: str) -> bool:
    """Whether a text bears damage, or means more than it says."""
    return is_damaged(text) or is_typographic(text) or any(map(says_omitted, text.split("\n")))


def _corresponds(search: str, there: str) -> bool:
    """Whether each line of a region is, or was meant to be, a line of the search text, at the same indent."""
    asked, found = ([line for line in text.split("\n") if line.strip()] for text in (search, there))
    if not (asked and found) or indent_of(asked[0]) != indent_of(found[0]):
        return False
    i = j = 0
    for match in [*align([_key(line) for line in asked], [_key(line) for line in found]), None]:
        to_i, to_j = (match.left, match.right) if match else (len(asked), len(found))
        mine, theirs = asked[i:to_i], found[j:to_j]
        at_edge = j == 0 or to_j == len(found)
        if theirs and not mine and at_edge:
            return False
        if mine and theirs and not all(_is_like(a, b) for a, b in zip(mine, theirs, strict=False)):
            return False
        if match:
            pairs = zip(asked[to_i : to_i + match.length], found[to_j : to_j + match.length], strict=True)
            if any(indent_of(a) != indent_of(b) for a, b in pairs) and len(asked) > 2:
                return False
            i, j = to_i + match.length, to_j + match.length
    return True


def _key(line: str) -> str:
    return " ".join(line.split())


def carried_over(search: str, there: str, wanted: str) -> str | None:
    """What `there` becomes by the change from `search` to `wanted`; None if that is not certain."""
    base, ours, theirs = _tokens(search), _tokens(there), _tokens(wanted)
    merged = merge3(base, ours, theirs)
    result: list[str] = []
    for chunk in merged.chunks:
        mine, new = ours[slice(*chunk.ours)], theirs[slice(*chunk.theirs)]
        if chunk.kind == "conflict":
            old = base[slice(*chunk.base)]
            if not _replaces(old, mine, new):
                return None
            result += new
        else:
            result += new if chunk.kind == "theirs" else mine
    text = "".join(result)
    misremembered = set(_solid(base)) - set(_solid(ours))
    if misremembered & set(_solid(result)):
        return None
    return text if _keeps_lines(search, there, wanted, text) else None


def _replaces(old: list[str], mine: list[str], new: list[str]) -> bool:
    """Whether a stretch in conflict was to be written anew: it keeps nothing that was misremembered."""
    gone, unknown = Counter(_solid(old)), Counter(_solid(mine))
    gone, unknown = gone - unknown, unknown - gone
    return set(gone).isdisjoint(new) and unknown.total() <= gone.total()


def _keeps_lines(search: str, there: str, wanted: str, result: str) -> bool:
    """Whether the result loses no line that the search did not name, and has none twice."""
    base, ours, theirs, merged = (_counted(text) for text in (search, there, wanted, result))
    unnamed = ours - base
    changed = {line for line in unnamed if not any(_is_like(line, other) for other in base - ours)}
    lost = any(merged[line] < unnamed[line] for line in changed)
    doubled = any(count > max(ours[line], theirs[line]) for line, count in merged.items())
    again = any(line in unnamed and merged[line] > ours[line] for line in theirs - base)
    return not (lost or doubled or again)


def _is_like(one: str, other: str) -> bool:
    a, b = Counter(_solid(_tokens(one))), Counter(_solid(_tokens(other)))
    return 2 * (a & b).total() >= 0.5 * (a.total() + b.total())


def _counted(text: str) -> Counter[str]:
    return Counter(line.strip() for line in text.split("\n") if line.strip())


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _solid(tokens: Iterable[str]) -> list[str]:
    return [token for token in tokens if not token.isspace()]
