"""The evidence of durability names its tests; they must exist."""

from __future__ import annotations

import re
from pathlib import Path

_ROOT = Path(__file__).parents[2]


def _claims() -> list[tuple[str, str]]:
    page = (_ROOT / "tests/promises/evidence.md").read_text(encoding="utf-8")
    return re.findall(r"`((?:changes/)?test_\w+\.py)::(test_\w+)`", page)


def test_every_test_named_on_the_page_exists() -> None:
    claims = _claims()
    assert len(claims) > 50
    for file, name in claims:
        folder = "tests" if file.startswith("changes/") else "tests/promises"
        assert f"def {name}(" in (_ROOT / folder / file).read_text(
            encoding="utf-8"
        ), (
            file,
            name,
        )
