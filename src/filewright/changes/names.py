"""Names of changes and sessions that callers shorten."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from filewright.errors import Code, FilewrightError

_SHOWN_MATCHES = 5


def find_by_prefix(prefix: str, names: Iterable[str], noun: str) -> str | None:
    """Return the name that begins with a prefix, or None.

    Raise `invalid_input` if several do. `noun` says in the message what is named.
    """
    # Read only as far as the message needs: a history may have a hundred thousand ids.
    matching = (name for name in names if name.startswith(prefix))
    matches = list(islice(matching, _SHOWN_MATCHES))
    if len(matches) > 1:
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"{prefix} begins the name of more than one {noun}: {', '.join(matches)}",
            hint="give more of it",
            details={"given": prefix},
        )
    return matches[0] if matches else None
