"""PATCH: a text that describes changes to files, made into one change set or refused as a whole.

Owns: reading unified diffs (plain and git's) and the ``*** Begin Patch`` envelope into one model
(`parse`), finding where each hunk belongs, and planning all of it (`plan`). A hunk is an edit, placed
only where every line of its context occurs; a line number never replaces context.

Never: opens a file (a callback looks paths up), commits, drops a line of context to make a hunk fit,
or changes a byte that no hunk is about.

In: the patch as text, and a `Look` from paths to `PatchTarget` values. Out: a `FileOutcome`
for each file, with the steps that do it.
"""

from filewright.edit.patch.plan import FileOutcome, PatchTarget, plan
from filewright.edit.patch.reader import parse

__all__ = ["FileOutcome", "PatchTarget", "parse", "plan"]
