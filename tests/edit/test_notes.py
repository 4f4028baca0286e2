"""Notes on what looks like damage in the replacement alone, which is written."""

from __future__ import annotations

import pytest
from tests.edit.cases import Case, plan_case
from tests.files import named

from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.text.splice import apply_splices

FILE = "def f(a):\n    x = 1\n    y = 2\n    z = 3\n    return x\n"


DISPLAYED = [
    ("y = 2", "3→    y = 3"), ("    y = 2\n", "     3\t    y = 3\n"), ("    y = 2\n    z = 3\n", "3:     y = 3\n4:     z = 3\n"),
    ("    y = 2\n", "```python\n    y = 3\n```\n"), ("    y = 2\n", "```\n    y = 3\n```"), ("    y = 2\n", "~~~\n    y = 3\n~~~\n"),
    ("    y = 2\n    z = 3\n", "  3 |     y = 3\n  4 |     z = 3\n"), ("    y = 2\n", "L3:     y = 3\n"), ("    y = 2\n    z = 3\n", "3│    y = 3\n4│    z = 3\n"),
    ("    x = 1\n    y = 2\n", "2: x = 1\n3: y = 3\n"), ("y = 2", "Line 3: y = 3"), ("    y = 2\n    z = 3\n", "3\t    y = 3\n4\t    z = 3\n"),
]  # fmt: skip


@pytest.mark.parametrize(("search", "replace"), DISPLAYED)
def test_notes_numbers_and_fences(search: str, replace: str) -> None:
    planned = plan_edits(
        named("a.py", FILE.encode()), [TextEdit(search, replace)]
    )
    result = apply_splices(FILE.encode(), planned.splices).decode()
    ended = "\n" if search.endswith("\n") and not replace.endswith("\n") else ""
    assert result == FILE.replace(search, replace + ended)
    assert planned.outcomes[0].notes


def test_notes_nul() -> None:
    planned = plan_edits(
        named("a.py", FILE.encode()), [TextEdit("x = 1", "x = '\0'")]
    )
    assert [note.text for note in planned.outcomes[0].notes] == [
        "now contains a NUL, which makes the file a binary one"
    ]
    assert plan_case(Case("a.txt", "a\0b\nc\n", "c", "\0")) == "a\0b\n\0\n"


def test_writes_numbers_and_fences_of_content() -> None:
    assert (
        plan_case(
            Case(
                "a.py",
                "x = {\n    1: a,\n}\n",
                "    1: a,\n",
                "    1: a,\n    2: b,\n",
            )
        )
        is not None
    )
    assert (
        plan_case(Case("a.md", "# T\n\nTODO\n", "TODO", "```sh\nnpm i\n```"))
        == "# T\n\n```sh\nnpm i\n```\n"
    )
    assert (
        plan_case(
            Case(
                "a.py",
                "codes = None\nend()\n",
                "codes = None",
                "codes = {\n    200: OK,\n    201: Created,\n}",
            )
        )
        is not None
    )
