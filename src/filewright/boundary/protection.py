"""Which names nothing is ever written to, in all the spellings a file system may take for them.

A case-insensitive or normalising file system opens `.git` for `.GIT`, `.g<zero-width joiner>it`,
`.git. ` or `git~1`. Git refuses all of them in a tree on every system; so does this.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

# What HFS+ ignores in a name.
_IGNORABLE = dict.fromkeys(
    [0x200C, 0x200D, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)


@lru_cache(maxsize=4096)
def plain_form(name: bytes) -> str:
    """The name as the most forgiving file system would compare it: two equal ones may be one file."""
    text = name.decode("utf-8", "surrogateescape")
    if text.isascii():
        text = text.lower()
    else:
        text = unicodedata.normalize("NFKC", text.translate(_IGNORABLE)).casefold()
    # NTFS: a stream's name, then dots and spaces at the end are nothing.
    return text.split(":", 1)[0].rstrip(". ") or text


def folded(rules: bytes) -> bytes:
    """The text of rules for names in their plain form: what such a file system takes for the same, is."""
    text = rules.decode("utf-8", "surrogateescape")
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_IGNORABLE))
    return text.casefold().encode("utf-8", "surrogateescape")


class Protection:
    """What is protected below a root: `names` at any depth (those with a `/`: from the root), and `paths`."""

    def __init__(self, names: Sequence[str], paths: Sequence[str] = ()) -> None:
        self._names: dict[str, str] = {}
        self._paths: list[tuple[tuple[str, ...], str]] = []
        for name in (*names, *paths):
            parts = tuple(
                plain_form(part) for part in name.encode("utf-8", "surrogateescape").split(b"/") if part
            )
            if len(parts) == 1 and name not in paths:
                self._names[parts[0]] = name
                if parts[0] == ".git":
                    self._names["git~1"] = name
            elif parts:
                self._paths.append((parts, name))

    def rule_for(self, parts: Sequence[bytes]) -> str | None:
        """The protected name that the path below a root is, or lies below; None if there is none."""
        for part in parts:
            if part.isascii() and part.isalnum():
                rule = self._names.get(part.decode().lower())
            else:
                rule = self._names.get(plain_form(part))
            if rule is not None:
                return rule
        if self._paths:
            plain = tuple(plain_form(part) for part in parts)
            for path, name in self._paths:
                if plain[: len(path)] == path:
                    return name
        return None

    def covers_below(self, parts: Sequence[bytes]) -> str | None:
        """A protected path that lies below the folder `parts` and would go with it; None if there is none."""
        plain = tuple(plain_form(part) for part in parts)
        return next((name for path, name in self._paths if path[: len(plain)] == plain), None)
