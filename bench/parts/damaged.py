"""Edits out of a repository's history, damaged as models damage them.

`bench.generator` makes a request from a true change, one class of mistake at a
time, and knows what is right: the file after the change, or a refusal.
"""

from __future__ import annotations

import random
from pathlib import Path

from bench.case import Case, Replace, Verdict
from bench.generator.edits import MAKERS, Request, changes, kind_of
from bench.parts.part import Options, PartError, from_cases, plain_file

_CHANGES = 60
_QUICK_CLASSES = ("exact", "dedented", "line_numbers", "ambiguous", "elided")


def make_cases(options: Options) -> list[Case]:
    """Return the cases: of each class of mistake as many as of the others."""
    names = [*MAKERS]
    if options.is_quick:
        names = [name for name in names if name in _QUICK_CLASSES]
    chance = random.Random(f"{options.seed} changes")
    history = list(changes(repository_of(options), _CHANGES, chance))
    per_class = 8 if options.is_quick else max(1, options.cases // len(names))
    cases = []
    for index, name in enumerate(names):
        chance = random.Random(f"{options.seed} {name}")
        number = index * 1000
        for change in history:
            request = MAKERS[name](change, chance)
            if request is None:
                continue
            cases.append(_case(number, name, Path(change.name).name, request))
            number += 1
            if number % 1000 == per_class:
                break
    return cases


def repository_of(options: Options) -> Path:
    """Return the repository of a run. Raises `PartError` without one."""
    if options.repository is None:
        raise PartError("name a git repository with --repository")
    return options.repository


_VERDICTS = {
    "correct": Verdict.LANDED,
    # The damage of the new text as it was given, at the right place.
    "noted": Verdict.LANDED,
    "lossy": Verdict.OTHER_BYTES,
    "WRONG": Verdict.WRONG,
}


def _case(number: int, name: str, file_name: str, request: Request) -> Case:
    """Return the case of a generated request."""
    expected = []
    if request.expected is not None:
        expected.append(request.expected.encode())
    # No tool is shown the file as it was when the request was made.
    has_drifted = request.base is not None

    def verdict_of(content: bytes) -> Verdict:
        result = content.decode("utf-8", "replace")
        return _VERDICTS[kind_of(request, result, noted=True)]

    return Case(
        number,
        name,
        plain_file(file_name, request.file),
        Replace(request.search, request.replace),
        tuple(expected),
        may_refuse=request.either or has_drifted,
        verdict_of=verdict_of,
    )


PART = from_cases(
    "damaged",
    "Edits of a repository's history, damaged as models damage them",
    make_cases,
    (Replace,),
)
