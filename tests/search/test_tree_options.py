"""The options of a search in a tree."""

import pytest

from filewright.errors import Code, FilewrightError
from filewright.search.tree_options import TreeOptions


@pytest.mark.parametrize(
    ("file_type", "name", "expected"),
    [
        (None, b"any.xyz", True),
        ("python", b"a.py", True),
        ("python", b"a.rs", False),
        ("rs", b"a.rs", True),
    ],
)
def test_type(file_type: str | None, name: bytes, expected: bool) -> None:
    options = TreeOptions(limit=1, file_type=file_type)
    assert options.matches_type(name) is expected


def test_unknown_type() -> None:
    with pytest.raises(FilewrightError) as caught:
        _ = TreeOptions(limit=1, file_type="no such type").matches_type
    assert caught.value.code is Code.INVALID_INPUT
