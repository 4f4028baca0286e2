"""The examples of `examples.md` are run, and give what they show."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

PAGE = Path(__file__).parent / "examples.md"
FENCE = re.compile(
    r"^```(\w+)(?: ([^\n]*))?\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


def test_examples_of_the_documents(tree: Callable[..., object]) -> None:
    before: dict[str, bytes] = {}
    after: dict[str, bytes] = {}
    patch = ""
    ran = 0
    for kind, label, body in FENCE.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "diff":
            patch, after = body, {}
        elif label == "refused":
            assert f"{tree(before).refusal(patch)}\n" == body  # type: ignore[attr-defined]
            ran += 1
        elif label.endswith(" after"):
            name = label.removesuffix(" after")
            after = after or tree(before).patched(patch)  # type: ignore[attr-defined]
            assert after.pop(name).decode() == body
            ran += 1
        else:
            assert not after, "a file of the example is not shown"
            before = {label: body.encode()}
    assert ran >= 9
