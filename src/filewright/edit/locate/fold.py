"""What whole-line matching looks past: blanks, typography, Unicode normalisation.

Folding only ever compares; what is written are the file's own bytes or the caller's words.
"""

from __future__ import annotations

import re
import unicodedata

BLANKS = " \t\f\v"
"""The blanks that may trail, indent or separate. Other white space is text."""

DOUBLE_QUOTES = "“”„‟〝〞″＂"
SINGLE_QUOTES = "‘’‚‛′ʼ＇"
DASHES = "‐‑‒–—―−﹘﹣－"
SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"

FAMILIES = {'"': DOUBLE_QUOTES, "'": SINGLE_QUOTES, "-": DASHES, " ": SPACES}
"""The plain character of each family of typographic ones."""

_FOLD = {ord(char): plain for plain, family in FAMILIES.items() for char in family}

# Runs that no fold changes: without blanks, quotes and dashes, and without a letter that a
# combining mark may follow.
_VERBATIM = re.compile(r"[!#-&(-,./0-~]+(?![^\x00-\x7f])")


def folded(text: str) -> str:
    """`text` composed (NFC), with plain quotes, dashes and blanks."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text).translate(_FOLD)


def collapsed(line: str) -> str:
    """A line as the loosest whole-line tier compares it: folded, no blanks round it, single ones in it."""
    return " ".join(folded(line).split())


def indent_of(line: str) -> str:
    """The blanks a line begins with."""
    return line[: len(line) - len(line.lstrip(BLANKS))]


def verbatim_runs(line: str) -> list[str]:
    """The stretches of a line that stand unchanged, as ASCII bytes, in every line that folds alike."""
    return _VERBATIM.findall(line)
