"""Escapes that search text and replacement share are removed from both."""

from __future__ import annotations

from itertools import product

import pytest
from tests.edit.cases import Case, case_id, check_plan

# What is unescaped in the search is unescaped in the replacement.

ESCAPES = [
    *(
        Case(name, f"{start}foo({q}a{q}){end}\n{start}bar({q}b{q}){end}\n",
            f"{start}foo(\\{q}a\\{q}){end}\n{start}bar(\\{q}b\\{q}){end}",
            f"{start}foo(\\{q}a\\{q}){end}\n{start}bar(\\{q}c\\{q}){end}",
            f"{start}foo({q}a{q}){end}\n{start}bar({q}c{q}){end}\n")
        for (name, start, end), q in product(
            (("a.py", "", ""), ("a.js", "  ", ";"), ("a.go", "\t", ""), ("a.rs", "    ", ";"), ("a.c", "", ";"), ("", "", "")),
            ('"', "'"),
        )
    ),
    # Half of the damage in the replacement.
    Case("a.py", 'foo("a")\nbar("b")\n', 'foo(\\"a\\")\nbar(\\"b\\")', 'foo(\\"a\\")\nbar("c")'),
    Case("a.py", 'foo("a")\nbar("b")\n', 'foo(\\"a\\")\\nbar(\\"b\\")', 'foo("a")\nbar(\\"c\\")'),
    Case("a.py", 'foo("a")\nbar("b")\n', 'foo(\\"a\\")\\nbar(\\"b\\")', 'foo("a")\\nbar("c")'),
    Case("a.ts", "use('a');\nuse('b');\n", "use(\\'a\\');\nuse(\\'b\\');", "use('a');\nuse(\\'c\\');"),
    Case("a.py", 'foo("a")\nbar("b")\n', 'foo(\\"a\\")\nbar(\\"b\\")', 'foo(\\"a\\")\nbar(\\"\\d\\")'),
    # The replacement without the damage.
    Case("a.py", 'foo("a")\nbar("b")\n', 'foo(\\"a\\")\nbar(\\"b\\")', 'foo("a")\nbar("c")', 'foo("a")\nbar("c")\n'),
    Case("a.py", 'foo("a")\nbar("b")\n', 'foo(\\"a\\")\nbar(\\"b\\")', "foo(1)\nbar(2)", "foo(1)\nbar(2)\n"),
]  # fmt: skip


@pytest.mark.parametrize("case", ESCAPES, ids=case_id)
def test_unescapes_search_and_replacement(
    case: Case,
) -> None:
    check_plan(case)
