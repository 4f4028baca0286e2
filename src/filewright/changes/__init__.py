"""Commit a change set, keep what undo needs, and recover what a crash left.

The package owns the state folder of a workspace (log, history, undo data) and the locks
between threads and processes. No other package modifies files below a root. It never
decides what a change should be: it takes a `ChangeSet`, a plain value made by `edit`,
or that of an undo, which is worked out on the tree of its commit. It makes all of it or
nothing.

In: a `ChangeSet`. Out: a `ChangeRecord`; `history` returns the same values again, and
`Recovery` reports what was settled after a crash. Errors name a path as the caller
wrote it.

The object that tools use:

- `changes`: commit, undo, recover and list the changes of one workspace
- `history`: the queries about committed changes
- `recoverer`: the recovery of all logs of a workspace, and the files withheld until
  then

A commit, in order:

- `commit`: the page that does one step after the other
- `change_tree`: the paths that a change touches, as they are and will be
- `tree_node`: one file, link or folder of this tree
- `tree_steps`: the steps of a change set, applied to the tree
- `tree_diff`: the difference between the tree and the disk; the result of the steps
- `modes`: permission bits as chmod reads them
- `backup`: the save of what undo needs, which compares files with what was expected
- `rename_plan`: operations on names, as values; the part of an intent that recovery
  reads
- `rename_planner`: the order of these operations
- `file_changes`: what history records of the change
- `staging`: new files under temporary names
- `publish`: the operations, done in order
- `rights`: the change of mode and owner
- `cleanup`: the removal of displaced files

If it fails, or was interrupted:

- `rollback`: every operation taken back as far as it was done
- `rollback_table`: the action for each content of the two slots of a replacement
- `recovery`: the rollback or clean-up of what an earlier process left
- `outcome`: what a rollback or clean-up met, for one change
- `disposal`: the removal of files of the plan, and the rescue of others' versions

On the disk:

- `slots`: the slots of a plan, and the renames between them
- `plan_folders`: the folders of a plan, wherever they are
- `open_folders`: folders that are held open
- `folder_search`: the search for folders that other processes have moved
- `file_match`: the comparison of a file with a recorded state
- `flushing`: flushes, each once and many together

What is kept:

- `model`: recorded paths, file states, file changes and change records
- `log`: the history and the unfinished changes of a root, and how they are written
- `log_reader`: the queries of one log
- `rows`: the tables of a log, and their rows
- `plan_encoding`: the bytes of a rename plan in the log
- `retention`: the limits of a history
- `database`: the SQLite database of a log
- `blobs`: contents kept for undo
- `packed_states`, `packed_contents`: file states and new contents, in little memory
- `state_dir`: the state folder of a root
- `locks`: the locks of a workspace and of the index of state folders

Looking back:

- `diffs`: the diff of a change, or of one that is not made yet
- `net_change`: several changes as if they had been one
- `selection`: scopes, and the changes that they select
- `selector`: the selection of a scope, from the history
- `moments`: times as users write and read them
- `names`: names of changes and sessions that callers shorten
- `undo`: the change set that takes changes back, merged with later ones
- `undo_plan`: the steps of an undo, worked out on the tree of its commit
- `undo_content`: the content of a file without a change
- `undo_report`: conflicts, merged files and notes of an undo
- `later_authors`: the sessions that wrote the lines an undo leaves
"""
