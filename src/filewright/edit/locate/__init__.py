"""Where an edit goes: a search text in, the one region it stands for out, or the reason there is none.

`locate(snapshot, Edit(...))` tries tier after tier over the whole file: exact substring, whole lines
by ever looser comparison, elision, repairs of the request, one word of prose. Each tier needs exactly
one region; more than one ends the search, never a looser tier. The answer is `Located` or `Missed`.

Goes in: a snapshot (or anything that reads like one) and an `Edit`. Comes out: byte ranges, the lines
of the file and of the request that they pair, the tier. Nothing here writes: `filewright.edit.merge`
turns a `Located` into splices, `filewright.edit.refusal` a `Missed` into an explanation, and
`filewright.edit.plan` does both for all edits of a call. `find_lines` gives every region that a list
of lines stands for, for hunks of patches.
"""

from filewright.edit.locate.cascade import locate
from filewright.edit.locate.located import Located, Missed
from filewright.edit.locate.request import Edit, Tier
from filewright.edit.locate.whole_lines import Region, find_lines

__all__ = ["Edit", "Located", "Missed", "Region", "Tier", "find_lines", "locate"]
