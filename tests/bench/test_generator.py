"""The generator of requests tells what became of each."""

from __future__ import annotations

import random

from bench.generator.edits import (
    Change,
    Request,
    kind_of,
    trailing_blanks_in_file,
    verdict,
)


def test_says_that_an_edit_landed() -> None:
    request = Request("one\ntwo\n", "one\n", "three\n", "three\ntwo\n")
    assert verdict(request, "a.py")[0] == "correct"


def test_a_changed_line_may_keep_blanks_and_others_must() -> None:
    change = Change(["a"], ["b"], ["c"], ["d"], 1, True)
    chances = map(random.Random, range(9))
    requests = (trailing_blanks_in_file(change, chance) for chance in chances)
    request = next(
        request
        for request in requests
        if request and request.file.split("\n")[0] == "a  "
    )
    assert request.expected is not None
    kept = request.expected.replace("c\n", "c  \n")
    assert kind_of(request, kept, noted=True) == "correct"
    lost = request.expected.replace("a  \n", "a\n")
    assert kind_of(request, lost, noted=True) == "lossy"
