"""Hunks that are placed by anything but their exact context at their line pass the last check of every edit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import pytest

from filewright.errors import Code

HEAD = "--- a/x.py\n+++ b/x.py\n"
TWO = "a = 0\nb = 2\nc = 3\n"
CALL = 'def f():\n    say("a")\n    go()\n'


@dataclass(frozen=True)
class Case:
    """A file, the body of a hunk, its line; the file after it, or a line of it."""

    name: str
    file: str
    body: str
    after: str | None = None
    refused: str = ""
    at: int = 1

    def patch(self, at: int) -> str:
        rows = self.body.splitlines()
        old, new = (sum(row[0] != sign for row in rows) for sign in "+-")
        return f"{HEAD}@@ -{at},{old} +{at},{new} @@\n{self.body}"


OMITTED = [
    Case("a marker", TWO, " a = 0\n-b = 2\n+# ... existing code ...\n c = 3\n"),
    Case(
        "a marker in brackets",
        TWO,
        " a = 0\n-b = 2\n+# [existing code]\n c = 3\n",
    ),
]
DAMAGED = [
    Case(
        "an entity",
        TWO,
        " a = 0\n-b = 2\n+b = a &lt; 2\n c = 3\n",
        "b = a &lt; 2",
    ),
    Case(
        "an escaped quote",
        CALL,
        ' def f():\n-    say("a")\n+    say(\\"b\\")\n     go()\n',
        '    say(\\"b\\")',
    ),
    Case(
        "a newline that is said",
        TWO,
        " a = 0\n-b = 2\n+b = 3\\nc = 3\n c = 3\n",
        "b = 3\\nc = 3",
    ),
    Case("a second sign", TWO, " a = 0\n-b = 2\n++b = 3\n c = 3\n", "+b = 3"),
    Case(
        "a typographic quote",
        CALL,
        ' def f():\n-    say("a")\n+    say(“b”)\n     go()\n',
        "    say(“b”)",
    ),
    Case(
        "the old line's number",
        TWO,
        " a = 0\n-b = 2\n+2: b = 2\n c = 3\n",
        "2: b = 2",
    ),
]


@pytest.mark.parametrize("case", OMITTED, ids=lambda case: case.name)
@pytest.mark.parametrize("moved", [0, 40])
def test_refuses_omission_markers(
    case: Case, moved: int, tree: Callable[..., Any]
) -> None:
    before = tree({"x.py": case.file.encode()})
    error = before.refusal(case.patch(case.at + moved))
    assert error.code is Code.PATCH_FAILED
    assert error.details["reason"] == "unclear"
    assert "is a placeholder for omitted text" in error.message
    assert error.hint


@pytest.mark.parametrize("case", DAMAGED, ids=lambda case: case.name)
@pytest.mark.parametrize("moved", [0, 40])
def test_notes_damaged_lines(
    case: Case, moved: int, tree: Callable[..., Any]
) -> None:
    after = (
        tree({"x.py": case.file.encode()})
        .patched(case.patch(case.at + moved))["x.py"]
        .decode()
    )
    assert case.after in after.splitlines()


@pytest.mark.parametrize("case", DAMAGED, ids=attrgetter("name"))
def test_writes_confirmed_hunks_as_given(
    case: Case, tree: Callable[..., Any]
) -> None:
    added = [row[1:] for row in case.body.splitlines() if row.startswith("+")]
    after = (
        tree({"x.py": case.file.encode()})
        .patched(case.patch(case.at))["x.py"]
        .decode()
    )
    assert set(added) <= set(after.splitlines())


LOOSE = [
    Case("a line that moves keeps the file's blanks", "a = 1  \nb = 2\nc = 3\nd = 4\n",
        "-a = 1\n b = 2\n c = 3\n+a = 1\n d = 4\n", "b = 2\nc = 3\na = 1  \nd = 4\n"),
    Case("a line that moves keeps the file's quotes", "say(“a”)\nb = 2\nc = 3\nd = 4\n",
        '-say("a")\n b = 2\n c = 3\n+say("a")\n d = 4\n', "b = 2\nc = 3\nsay(“a”)\nd = 4\n"),
    Case("a level between those of the file", "if a:\n    b()\n    c()\n",
        " if a:\n   b()\n-  c()\n+  c(1)\n+      d()\n", None, "indent"),
]  # fmt: skip


@pytest.mark.parametrize("case", LOOSE, ids=lambda case: case.name)
def test_checks_loosely_placed_hunks(
    case: Case, tree: Callable[..., Any]
) -> None:
    before = tree({"x.py": case.file.encode()})
    if case.after is None:
        assert before.refusal(case.patch(case.at)).code is Code.PATCH_FAILED
    else:
        assert (
            before.patched(case.patch(case.at))["x.py"].decode() == case.after
        )


def test_checks_envelopes(
    tree: Callable[..., Any],
) -> None:
    before = tree({"x.py": TWO.encode()})
    patch = "*** Begin Patch\n*** Update File: x.py\n@@\n a = 0\n-b = 2\n+# ... existing code ...\n*** End Patch\n"
    assert "is a placeholder for omitted text" in before.refusal(patch).message
