"""PATCH: a text that describes changes to files, made into one change set or refused as a whole.

Owns: reading unified diffs (plain and git's) and the ``*** Begin Patch`` envelope into one model
(`parse`), finding where each hunk belongs, and planning all of it (`plan`). A hunk is an edit, placed
only where every line of its context occurs; a line number never replaces context.

Never: opens a file (a callback looks paths up), commits, drops a line of context to make a hunk fit,
or changes a byte that no hunk is about.

Its size pays for patches as models write them: wrong counts, a header in an odd form, names in quotes or without their
prefixes, lines that lost their space, and text around it all are read where they can mean one thing only; and what is
refused is told with its line, the reason and the nearest text, of every hunk where files are applied in part.

In: the patch as text, and a `Look` from paths to `PatchTarget` values. Out: what is `Decided`
of each file, with the steps that do it.
"""
