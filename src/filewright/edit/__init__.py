"""Deciding what an edit means: requests in, a plain value of what is to change out. No I/O of its own.

Goes in: snapshots, and what a caller asks of them: search/replace edits (`plan`), patches in two
notations (`patch`), line-anchored blocks (`blocks`), a pattern and its replacement (`replace`). Comes
out: ordered splices, put into a `ChangeSet` (`changeset`), and a diff to show (`diff`).

- `locate/` finds the one region a search text stands for, or says why there is none.
- `drift` does so where the text has changed since it was shown, by a three-way merge (`diff3`).
- `merge` writes: search is the base, the file is ours, replace is theirs; out come minimal splices.
- `plan` puts several edits of one call together (`overlay` reads the result of earlier ones).
- `refusal` explains: what is near, and the change to the request that would succeed.

Never here: opening, writing or remembering files; how a change is committed or undone.
"""
