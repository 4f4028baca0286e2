"""CHANGE: commit a change set, remember how to undo it, and settle what a crash left.

Owns the state folder of a workspace (journal, history, undo data), the locks between threads and
processes, staging, publishing, recovery, and undo. It is the only room that changes anything below
a root. It never decides what a change should be: it takes a `ChangeSet`, a plain value made by
`edit`, or that of `Changes.undo`, which is worked out on the tree of its commit, and makes all of it or
nothing.

In: a `ChangeSet`. Out: a `ChangeRecord`, and from `history` and `record` the same values again;
`Recovery` says what was settled after a crash. Errors name the path as the caller wrote it.

`commit` is the page of a commit. Its steps are taken on a `tree`, which then changes no more; what is found out on
the way are values of their own: what was there and what will be (`Stamp`), and the operations on names (`CommitPlan`,
both worked out in `prepare`). `settle` does an operation, rolls it back, or cleans up after it, by what is in each
place (`slots`), for a commit, for one that fails and for a recovery alike.

What several changes come to is worked out in one place (`net`), for those who look at it and for an undo alike. Taken
back one after another on the tree of a commit, two changes that leave nothing together would conflict with a later one
in the same lines, and of a file that was changed a hundred thousand times every content would be read and merged, not
the first and the last. What files hold before a command of a shell lies in a cache beside the log (`shell`), which is
never flushed and may be thrown away: in the log, packed, named and flushed as undo data are, 3 to 8 MB of small files
were kept within the 0.2 s of a `begin` instead of 17 to 30.

What is above its goal pays for promises, by the modules in which they are kept:

- A sixth of the room is what commands of a shell do (`shell`, `listing`, `quick`): it is on record beside what tools do
  to the same files meanwhile, once and in the order in which it happened, and is taken back as that is. A command that
  changes nothing opens no workspace, since an agent waits for the hooks around each: 0.15 s among 10,000 files, 0.6 s
  among 100,000. For the same reason what a start needs is made of plain classes and named tuples, whose comparison is
  written out where it leaves something out: `dataclasses` alone would take as long as the rest of them, and
  `annotations` stands in for `typing`; and of a large tree only those folders are gone through whose newest files are
  kept.
- Another sixth is what others may do while a change is made, or between a crash and its recovery (`settle`, `slots`,
  `prepare`): file systems that exchange no names, have no links or keep no order among folders; folders that others
  move; an editor's save at any moment, which is never lost and never taken for ours, nor ours made twice with it.
- Another is the undo of what has moved on since (`undo`, `net`, and how changes are chosen in `history`): renames are
  followed, others' lines stay, a session is taken back through what others did between its changes, one file or hunk of
  it, and nothing of what is denied or beyond the roots is told.
- The rest of it is for files that are too large to be held or read twice, and trees too large to be listed in memory
  (in `tree`, `prepare`, `contents`), for roots that are renamed, lie within one another or are changed together (in
  `state`, `log`), and for diffs that go on in windows, and notebooks by their cells (`show`).
"""

# ruff: noqa: F401
# mypy: implicit-reexport

from __future__ import annotations

from filewright.annotations import TYPE_CHECKING
from filewright.faces import face_of

if TYPE_CHECKING:
    from filewright.changes.changes import Changes
    from filewright.changes.contents import digest_of, held_after, held_before
    from filewright.changes.database import Database, Flusher
    from filewright.changes.history import Scope, Selected, prompts, undone_by
    from filewright.changes.log import Log
    from filewright.changes.record import (
        ChangeRecord,
        CommitPlan,
        Entry,
        Kind,
        Place,
        RecordedCommand,
        Stamp,
        folders_above,
        id_of,
        same_content,
        summary_of,
    )
    from filewright.changes.settle import Recovery
    from filewright.changes.show import FileDifference
    from filewright.changes.state import Index, StateFolder, base_folder, fresh_in
    from filewright.changes.undo import Reversal

__getattr__, __all__ = face_of(
    __name__,
    {
        "changes": "Changes",
        "contents": "digest_of held_after held_before",
        "database": "Database Flusher",
        "log": "Log",
        "record": (
            "ChangeRecord CommitPlan Entry Kind Place RecordedCommand Stamp folders_above id_of same_content summary_of"
        ),
        "history": "Scope Selected prompts undone_by",
        "settle": "Recovery",
        "show": "FileDifference",
        "state": "Index StateFolder base_folder fresh_in",
        "undo": "Reversal",
    },
)
