"""Decide which bytes a request changes: edits, patches, merges and diffs as pure functions.

In go snapshots and requests (an `Edit`, or a patch); out come splices, file plans and
diffs. Nothing here opens, reads or writes a file by itself, or changes a byte that was not
asked for. What is not certain is refused.

Edits
    `request` has the kinds of edits; `planning` plans those of a call, all or none.
    `locate` asks one matcher after the other: `matchers.exact`, `matchers.lines`,
    `matchers.elision`, `matchers.repaired`, `matchers.invisible`, `matchers.named_lines`.
    `choose` takes the only candidate; `drift` carries an edit of an earlier version over.
    `attempt` is one edit by itself, `compose` joins several, `outcome` says what they did.
    `explain` says why an edit is refused, `nearest` finds the nearest text, and
    `suggestions` has edits that would succeed.
Values
    `model` has the matches and their parts, `source` the text of a file, `comparison` the
    forms in which lines are compared, `indentation` the map of indents.
Merging
    `merge` turns a match into splices, `check` is the last check, `overlay` the result of
    splices as a snapshot. `line_*`, `token*`, `reindent`, `depth_check`, `file_spelling`
    and `block_lines` merge loosely matched lines. `repairs` has damage of whole requests;
    `omission_markers`, `notes`, `line_damage`, `repeated_text`, `code_text` and
    `string_literals` recognise what looks like damage.
Places
    `line_search` looks for a text from a line on, `symbol_lines` has the lines of a symbol,
    `block_indent` moves a block to another indentation, `list_separators` keeps the commas
    of a list, `losses` notes lost parts of a symbol, `replacements` replaces matches of a
    pattern.
Patches and diffs
    `patch` reads and places patches in both notations. `linediff`, `diff3`,
    `changed_lines`, `build_diff`, `diff` and `example` show what a change does;
    `changeset` is what a call will change.
"""
