"""Lines that open a block, close one, or are items of a list."""

from __future__ import annotations

import pytest

from filewright.edit.block_lines import closes_block, is_list_item, opens_block


@pytest.mark.parametrize(
    ("line", "opens", "closes", "is_item"),
    [
        ("if x:  # note", True, False, False),
        ("f = () => {", True, False, False),
        ("if a; then", True, False, False),
        ("} else {", True, True, False),
        ("  });", False, True, False),
        ("  end", False, True, False),
        ("endless()", False, False, False),
        ("x = {1: 2}", False, False, False),
        ("- item", False, False, True),
        ("  2. item", False, False, True),
        ("-item", False, False, False),
    ],
)
def test_kinds(line: str, opens: bool, closes: bool, is_item: bool) -> None:
    assert opens_block(line) is opens
    assert closes_block(line) is closes
    assert is_list_item(line) is is_item
