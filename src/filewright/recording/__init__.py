"""Recording of the changes that shells and other tools make below the roots.

The package owns one journal for each root: the state of the root after its last
observation, the commands that are open in it, and stored contents of files. It
calls `changes` to read contents and to write records; `changes` knows nothing
of it except a function that it calls before each change. Only its guard changes
files below a root, and only by committing a change set to `changes`.

In: the begin and the end of a `Command`. Out: change records, which are listed,
shown and undone like those of tools.

- `session`: begins and ends commands, and observes the roots around them
- `journal`: observes one root and records every difference from its state
- `scan`: the file states below a root
- `compare`: the differences between a state and a scan
- `attribution`: the commands that may have made each difference
- `file_changes`: the entries of a change record, built from differences
- `baseline`: contents of files, stored ahead of commands
- `git_index`: a reader of git's index, for contents that git has
- `open_commands`: the files of commands that have begun and not ended
- `hooks`: the calls of clients' hooks, read from their JSON
- `json_fields`: the fields of a client's JSON, which has several names for each
- `tool_arguments`: the edits that the arguments of clients' edit tools describe
- `guard`: restores the bytes that such a tool changed besides its edit
- `guard_check`: the same for any file of a repository, compared with git
- `guard_report`: counts what both healed, by client, tool and kind
- `expectation`: the file that the edit alone would have made
- `healing`: the bytes that a damaged file should have
- `readings`: the lines of a file as texts and as bytes, to compare them
- `model`: the values that these modules share
"""
