"""Quotes, dashes and spaces that stand for plain ones: the one table of them."""

from __future__ import annotations

from typing import Final

SPACES: Final = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"

_FAMILIES: Final = {'"': "“”„‟〝〞″＂", "'": "‘’‚‛′ʼ＇", "-": "‐‑‒–—―−﹘﹣－", " ": SPACES}

PLAIN: Final = {character: plain for plain, family in _FAMILIES.items() for character in family}
"""The plain character for each."""
