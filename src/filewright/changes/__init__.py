"""CHANGE: commit a change set, remember how to undo it, and settle what a crash left.

Owns the state folder of a workspace (journal, history, undo data), the locks between threads and
processes, staging, publishing, recovery, and undo. It is the only room that changes anything below
a root. It never decides what a change should be: it takes a `ChangeSet`, a plain value made by
`edit`, or that of `Changes.undo`, which is worked out on the tree of its commit, and makes all of it or
nothing.

In: a `ChangeSet`. Out: a `ChangeRecord`, and from `history` and `record` the same values again;
`Recovery` says what was settled after a crash. Errors name the path as the caller wrote it.

`commit` is the page of a commit. Its steps are taken on a `tree`, which then changes no more; what is found out on
the way are values of their own: what was there and what will be (`FileState`), and the operations on names
(`RenamePlan`, both worked out in `prepare`). `settle` does an operation, rolls it back, or cleans up
after it, by what is in each place (`slots`), for a commit, for one that fails and for a recovery alike.

What several changes come to is worked out in one place (`net`), for those who look at it and for an undo alike. Taken
back one after another on the tree of a commit, two changes that leave nothing together would conflict with a later one
in the same lines, and of a file that was changed a hundred thousand times every content would be read and merged, not
the first and the last.
"""
