"""The syntax of lines, by Pygments: which characters are a keyword, a string or a comment."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_for_filename
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

LEXED_CHARS = 200_000
"""Characters of one side of a file's diff that are coloured; Pygments takes about a second for a million."""

Coloured = Sequence[tuple[int, int, str]]
"""Characters [start, end) of a line, and the CSS class of their token."""


@lru_cache(maxsize=64)
def _lexer(name: str) -> Lexer | None:
    try:
        found = find_lexer_class_for_filename(name)
    except (ClassNotFound, ValueError):
        return None
    return found(ensurenl=False, stripnl=False) if found is not None else None


def coloured(path: str, lines: Sequence[str]) -> Sequence[Coloured]:
    """For each of the consecutive `lines` of the file at `path`: what its tokens are.

    Nothing for a language Pygments does not know, or more than `LEXED_CHARS` characters.
    """
    name = path.strip('"').rpartition("/")[2]
    suffix = name.rpartition(".")[2]
    lexer = _lexer(f"file.{suffix}" if "." in name else name)
    found: list[list[tuple[int, int, str]]] = [[] for _ in lines]
    if lexer is None or sum(map(len, lines)) > LEXED_CHARS:
        return found
    at = column = 0
    for kind, text in lexer.get_tokens("\n".join(lines)):
        css = STANDARD_TYPES.get(kind, "") if text.strip() else ""
        for number, part in enumerate(text.split("\n")):
            if number:
                at, column = at + 1, 0
            if css and part and at < len(found):
                found[at].append((column, column + len(part), css))
            column += len(part)
    return found
