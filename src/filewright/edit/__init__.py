"""DECIDE: where a request belongs and which bytes it changes; out comes a `ChangeSet`, a plain value.

Owns: locating a search text (`locate`), writing an edit as a three-way merge (`merge`, `diff3`,
`drift`), planning several edits of one call (`plan`) and saying why one is refused (`refusal`);
patches in both notations (`patch`), line-anchored blocks (`blocks`), replacing every match of a
pattern (`replace`); and the diffs that show what a change does (`diff`, `linediff`, `touched`).

Never: opens, reads or writes a file by itself, knows how a change is committed, or changes a byte
that was not asked for. What is not certain is refused.

In: `Snapshot`s, and requests as values. Out: `Splice`s, the steps of a `ChangeSet`, `Diff`s.
"""
