"""How many examples a random test tries: some in the suite, and in the scheduled job four hundred times as many."""

from __future__ import annotations

from typing import Any

from hypothesis import settings


def is_long_run() -> bool:
    """Return True in the scheduled job, with `--hypothesis-profile long`."""
    return settings.get_current_profile_name() == "long"


def examples(count: int, **named: Any) -> settings:
    """`count` of them; with `--hypothesis-profile long` four hundred times as many, and others at each run."""
    if is_long_run():
        count, named = count * 400, named | {"derandomize": False}
    return settings(max_examples=count, deadline=None, **named)
