"""Steps that many tests commit."""

from __future__ import annotations

from typing import Any

import pytest

from filewright.errors import FilewrightError
from filewright.text.splice import Splice

EDIT = Splice(0, 3, b"ONE")
"""Replace the first line of a.txt."""


def refused(bench: Any, *steps: Any, **options: Any) -> FilewrightError:
    """Commit steps that are refused; assert that nothing was changed, return the error."""
    before = {
        path: path.read_bytes() for path in bench.root.rglob("*") if path.is_file()
    }
    with pytest.raises(FilewrightError) as caught:
        bench.commit(*steps, **options)
    assert {
        path: path.read_bytes() for path in bench.root.rglob("*") if path.is_file()
    } == before
    assert not [path for path in bench.root.rglob("*") if path.name.startswith(".fw~")]
    return caught.value
