"""Where a text, one line or many, most likely is, allowing typos, whitespace, quotes and a changed word.

`fuzzy` answers with regions ranked by similarity. The method: a file of up to 2 MB is compared
window by window; in a larger one the needle's rarest short pieces are looked for exactly
(`pieces`, by `rg` or RE2), the places where several are as in the needle are elected, and
the best are aligned exactly (`align`). If nothing survives, the file is swept up to a size, else the
answer says that it was not.

Never returns a region below the similarity asked for, and never reads more of the file at once than a window.
"""

from filewright.search.fuzzy.search import fuzzy

__all__ = ["fuzzy"]
