"""PATCH: a text that describes changes to files, made into one change set or refused as a whole.

Owns: reading unified diffs (plain and git's) and the ``*** Begin Patch`` envelope into one model
(`parse`), finding where each hunk belongs, and planning all of it (`plan`). A hunk is an edit, placed
only where every line of its context occurs; a line number never replaces context.

Never: opens a file (a callback looks paths up), commits, drops a line of context to make a hunk fit,
or changes a byte that no hunk is about.

In: the patch as text, and a `Look` from paths to `PatchTarget` values. Out: a `FileOutcome`
for each file, with the steps that do it.
"""

from filewright.edit.patch import envelope, unified
from filewright.edit.patch.model import FileOutcome, Patch, PatchTarget, PatchText
from filewright.edit.patch.plan import plan
from filewright.errors import Code, FilewrightError

__all__ = ["FileOutcome", "PatchTarget", "parse", "plan"]


def parse(text: str, *, renames: bool = False) -> Patch:
    """The patch in `text`: a unified diff (git's too) or the ``*** Begin Patch`` envelope.

    Linear in the text. Raises `invalid_input` with the number of the line that is wrong, or
    `unsupported` for what patches can say but filewright does not do (links, submodules). With `renames` two
    names in a header without git's lines rename the file.
    """
    if not text.strip():
        raise FilewrightError(
            Code.INVALID_INPUT,
            "the patch is empty",
            hint="send a unified diff, or an envelope that begins with '*** Begin Patch'",
        )
    source = PatchText(text)
    if envelope.is_envelope(source):
        return Patch("envelope", envelope.parse(source))
    return Patch("unified", unified.parse(source, renames=renames))
