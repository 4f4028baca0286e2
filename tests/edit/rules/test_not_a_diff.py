"""Items of a list are no lines of a diff, though both begin with a dash."""

from __future__ import annotations

import pytest
from tests.edit.rules.cases import Case, Desk

ITEMS = [
    Case("a.md", "- one\n  two `x`. {1}  \n\n## B\n", "  two `x`. {1}\n\n", "  two `x`. {1}\n- three\n  four.\n\n", "- one\n  two `x`. {1}  \n- three\n  four.\n\n## B\n", must=False),
    Case("a.md", "- Fix a (b)\n- c\n", " - Fix a (b)\n", "- Fix a (b)\n- Fix d\n", "- Fix a (b)\n- Fix d\n- c\n", must=False),
    Case("a.yml", "- a: 1\n- b: 2\n", " - a: 1\n - b: 2\n", "- a: 1\n- b: 3\n", "- a: 1\n- b: 3\n", must=False),
    Case("a.md", "+ one\n  two  \n", "  two\n", "  two\n+ three\n", "+ one\n  two  \n+ three\n"),
    Case("a.yml", "a:\n- n: 1\n  d: x\n", " - n: 1\n   d: x\n", "- n: 2\n  d: y\n", "a:\n- n: 2\n  d: y\n", must=False),
]  # fmt: skip


@pytest.mark.parametrize("case", ITEMS)
def test_an_item_is_no_removed_line(desk: Desk, case: Case) -> None:
    desk.check(case)
