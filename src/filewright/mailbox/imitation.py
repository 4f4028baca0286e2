"""The recognition of content that imitates the user's words on the review page.

Comments of the person reach the model next to the text of files, which anyone may have
written. A model reads words, not characters: it takes words for the same with other
spaces, accents, letters of another script or markup in them. So an answer is compared
by its letters alone.
"""

from __future__ import annotations

import html
import re
import unicodedata

from filewright.text.spelling import visible_form

_ESCAPES = re.compile(r"\\(?:u[0-9a-f]{4}|U[0-9a-f]{8}|x[0-9a-f]{2}|[nrt])")
"""The escapes by which answers show characters that cannot be seen."""
_TAGS = re.compile(r"</?[a-z][^<>]{0,80}>", re.IGNORECASE)
_NOT_LETTERS = re.compile("[^a-z]+")
_IMITATIONS = re.compile(
    "(?:user|human|person|owner|reviewer|operator|developer)s?[a-z]{0,20}"
    "(?:comment|remark|note|tookback|revert|allow|approv|accept|reject|refus"
    "|said|say|ask)[a-z]{0,20}"
    "on(?:the|your)reviewpage"
)
"""The notices of the person's words and undos, also in other words, as letters."""


class _LetterTable(dict[int, str]):
    """The letters a to z that each character is taken for, looked up once."""

    def __missing__(self, code_point: int) -> str:
        visible = visible_form(chr(code_point).casefold())
        decomposed = unicodedata.normalize("NFKD", visible)
        letters = _NOT_LETTERS.sub("", decomposed.casefold())
        self[code_point] = letters
        return letters


_LETTER_TABLE = _LetterTable()


def imitates_user(text: str) -> bool:
    """Return True if a model could take part of a text for the user's words."""
    if "&" in text:
        text = html.unescape(text)
    text = _TAGS.sub("", _ESCAPES.sub("", text)).casefold()
    if text.isascii():
        letters = _NOT_LETTERS.sub("", text)
    else:
        letters = text.translate(_LETTER_TABLE)
    # The second search is slow, and needs this word.
    if "reviewpage" not in letters:
        return False
    return _IMITATIONS.search(letters) is not None
