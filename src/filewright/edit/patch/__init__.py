"""Patches: a text that describes changes to files, applied as a whole or refused.

The package reads unified diffs, plain and git's, and the ``*** Begin Patch`` envelope
into one model, finds the place of each hunk, and plans the changes. A hunk is an edit:
it is placed only where every line of its context occurs, and a line number never
replaces context. The package opens no files, commits nothing, drops no line of context
to make a hunk fit, and changes no byte that no hunk is about.

In: a patch as text, and a function that finds the `PatchTarget` of a path. Out: a
`FilePlan` for each file, with the steps that change it.

- `model`: patches, files of patches, hunks and their lines.
- `scan`: the kind of each line of a patch.
- `header`: names of files and git's lines above the hunks.
- `hunks`: reading the hunks of a file.
- `reader`: reading the files of a patch.
- `targets`: the files that a patch names.
- `placement`: the place of a hunk, or the reason why it has none.
- `headings`: lines that come somewhere above a hunk.
- `hunk_search`: all places that a hunk may have.
- `repeated_hunks`: hunks that are sent twice.
- `applied`: signs that a hunk is applied already.
- `placer`: finding the places of a file's hunks.
- `partial_placer`: the certain ones, in a file that does not have them all.
- `hunk_edit`: a placed hunk as an edit.
- `file_plan`: planning one file.
- `plan`: planning a whole patch.
- `explain`: refusals in words.
"""
