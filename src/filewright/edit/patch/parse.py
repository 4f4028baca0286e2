"""Text to `Patch`: the notation is recognised by itself."""

from __future__ import annotations

from filewright.edit.patch import envelope, unified
from filewright.edit.patch.model import Patch
from filewright.edit.patch.source import Source
from filewright.errors import Code, FilewrightError


def parse(text: str) -> Patch:
    """The patch in `text`: a unified diff (git's too) or the ``*** Begin Patch`` envelope.

    Linear in the text. Raises `invalid_input` with the number of the line that is wrong, or
    `unsupported` for what patches can say but filewright does not do (links, submodules).
    """
    if not text.strip():
        raise FilewrightError(
            Code.INVALID_INPUT,
            "the patch is empty",
            hint="send a unified diff, or an envelope that begins with '*** Begin Patch'",
        )
    source = Source(text)
    if envelope.is_envelope(source):
        return Patch("envelope", envelope.parse(source))
    return Patch("unified", unified.parse(source))
