"""DECIDE: where a request belongs and which bytes it changes; out comes a `ChangeSet`, a plain value.

Owns: the one line index (`filetext`) and the one finder over it (`find`), which edits and the hunks of patches
use alike; what an edit means by what was found (`locate`); writing it, as it is sent where it is exact (`literal`) and
merged where it is loose (`merge`); damage that a whole request carries (`repairs`), lines that stand for text left out
(`markers`), and notes on what looks like damage (`notes`); planning several edits of one call (`planning`) and saying
why one is refused (`refusal`, `nearest`); edits that name lines, symbols, the nth match or every one (`places`),
patches in both notations (`patch`); and the diffs and examples that show
what a change does (`diff`, `example`).

Never: opens, reads or writes a file by itself, knows how a change is committed, or changes a byte
that was not asked for. What is not certain is refused.

In: `Snapshot`s, and requests as values: an `Edit` or a hunk, which become what is `Located`. Out: `Splice`s, the
steps of a `ChangeSet`, `Diff`s.

A line that an edit names chooses its place however often
the text is there, and never one of two on it: that pays for a second look. What is carried on from an older version
goes to the very lines it was for, with their line ends, and to no equal ones beside them: that pays for what `drift`
knows beside the merge. The last symbols of a file may go at once, and no blank line is left at its end, nor lost
behind a class whose only method goes: that pays for deciding together what goes with each (`planning`). What several
edits put in at one place is in the order of the texts that they were found at, and the lines of each in the result
are told: that pays for insertions that know theirs. A patch of which the tree has a part is applied in part, hunk by
hunk, and what is changed already is not changed in a twin elsewhere: that pays for telling a hunk that is there from
one that has no place. One that takes the byte-order mark away is not called one that changes nothing: that pays for
what `patch` knows of it. Of equal insertions at a place each is made, a symbol is not deleted with one that is
declared together with it, and hundreds of edits of one file, or hundreds of thousands of matches in one line, take no
longer than they must: that pays for what is looked at beside each (`planning`, `places`).
"""
