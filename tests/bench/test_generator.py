"""The generator of requests tells what became of each."""

from __future__ import annotations

from bench.generator.edits import Request, verdict


def test_says_that_an_edit_landed() -> None:
    request = Request("one\ntwo\n", "one\n", "three\n", "three\ntwo\n")
    assert verdict(request, "a.py")[0] == "correct"
