"""One comparison of `bench.dialects.compare`: the calls, what of the answer is compared, why it may differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

DEFECT = "a defect of theirs: "
CHOICE = "a choice of ours: "

Look = Callable[[Any], Any]


@dataclass(frozen=True)
class Case:
    """Files, calls, and what of the last answer is compared; `why` if the outcomes are to differ."""

    name: str
    calls: Sequence[tuple[str, Any]]
    look: Look
    files: Mapping[str, Any] = field(default_factory=dict)
    theirs: str = ""
    ours: str = ""
    why: str = ""


@dataclass(frozen=True)
class PlayedTests:
    """Published tests of an original that do not pass on this server, and why they may not."""

    name: str
    tests: frozenset[str]
    theirs: str
    ours: str
    why: str


def whole(answer: Any) -> Any:
    """All of the answer."""
    return answer


def only(*names: str) -> Look:
    """Of each item the fields named; of an error only that it is one."""

    def look(answer: Any) -> Any:
        if isinstance(answer, list):
            return [look(item) for item in answer]
        if not isinstance(answer, dict):
            return answer
        return {
            name: True if name == "error" else answer[name]
            for name in names
            if answer.get(name) is not None
        }

    return look


def results(*names: str) -> Look:
    """The same of the items under `results`."""
    return lambda answer: only(*names)(answer["results"])


def in_order(answer: Any) -> Any:
    """A list whose order does not matter."""
    return sorted(answer)
