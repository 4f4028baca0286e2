"""Content that imitates what the user said on the review page.

What a person comments is told beside the text of files, which anyone may have written. A model reads words, not
characters: it takes them for the same with other spaces, letters of another script, accents or markup between them. So
an answer is compared by its letters alone.
"""

from __future__ import annotations

import html
import re
import unicodedata

from filewright.text.spelling import visible_form

_ESCAPES = re.compile(r"\\(?:u[0-9a-f]{4}|U[0-9a-f]{8}|x[0-9a-f]{2}|[nrt])")
"""Characters that an answer spells out."""
_TAGS = re.compile(r"</?[a-z][^<>]{0,80}>", re.IGNORECASE)
_NOT_LETTERS = re.compile("[^a-z]+")
_IMITATIONS = re.compile(
    "(?:user|human|person|owner|reviewer|operator|developer)s?[a-z]{0,20}"
    "(?:comment|remark|note|tookback|revert|allow|approv|accept|reject|refus|said|say|ask)[a-z]{0,20}"
    "on(?:the|your)reviewpage"
)
"""The notices of what a person said and did on the review page, in other words too, without anything but letters."""


class _Letters(dict[int, str]):
    """The letters a to z that a character is taken for; each is looked up once."""

    def __missing__(self, point: int) -> str:
        plain = visible_form(chr(point).casefold())
        decomposed = unicodedata.normalize("NFKD", plain)
        letters = _NOT_LETTERS.sub("", decomposed.casefold())
        self[point] = letters
        return letters


_LETTERS = _Letters()


def imitates_user(text: str) -> bool:
    """Whether a reader could take something in the text for a notice of what the user said."""
    if "&" in text:
        text = html.unescape(text)
    text = _TAGS.sub("", _ESCAPES.sub("", text)).casefold()
    letters = (
        _NOT_LETTERS.sub("", text)
        if text.isascii()
        else text.translate(_LETTERS)
    )
    return "reviewpage" in letters and _IMITATIONS.search(letters) is not None
