"""PATCH: a text that describes changes to files, made into one change set or refused as a whole.

Owns: reading unified diffs (plain and git's) and the ``*** Begin Patch`` envelope into one model
(`parse`), finding where each hunk belongs, and planning all of it (`plan`). A hunk is placed only
where every line of its context stands; a line number never stands in for context.

Never: opens a file (a callback looks paths up), commits, drops a line of context to make a hunk fit,
or changes a byte that no hunk is about.

In: the patch as text, and a `Look` from paths to `Place` values. Out: a `PatchPlan`, which holds the
`ChangeSet` and what it does to each file.
"""

from filewright.edit.patch.model import FilePatch, Hunk, Patch, Row
from filewright.edit.patch.outcome import FileOutcome, HunkOutcome, Look, PatchPlan, Place
from filewright.edit.patch.parse import parse
from filewright.edit.patch.plan import plan

__all__ = [
    "FileOutcome",
    "FilePatch",
    "Hunk",
    "HunkOutcome",
    "Look",
    "Patch",
    "PatchPlan",
    "Place",
    "Row",
    "parse",
    "plan",
]
