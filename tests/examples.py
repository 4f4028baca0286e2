"""How many examples a random test tries: some in the suite, and in the scheduled job four hundred times as many."""

from __future__ import annotations

from typing import Any

from hypothesis import settings


def examples(count: int, **named: Any) -> settings:
    """`count` of them; with `--hypothesis-profile long` four hundred times as many, and others at each run."""
    if settings.get_current_profile_name() == "long":
        count, named = count * 400, named | {"derandomize": False}
    return settings(max_examples=count, deadline=None, **named)
