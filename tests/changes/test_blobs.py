"""Contents that are kept for undo: damage is noticed, and stored again."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.changes.damage import run_sql

from filewright.edit.changeset import Create
from filewright.errors import Code, FilewrightError
from filewright.progress import Task

CONTENTS: dict[str, tuple[int, Callable[[Path], None]]] = {
    "a file is cut": (
        200_000,
        lambda state: _file_of(state).write_bytes(b"x" * 1000),
    ),
    "a file is gone": (200_000, lambda state: _file_of(state).unlink()),
    "a file is empty": (
        200_000,
        lambda state: _file_of(state).write_bytes(b""),
    ),
    "a row is damaged": (
        2_000,
        lambda state: run_sql(
            state / "state.db",
            "UPDATE contents SET data = substr(data, 1, length(data) - 9) || zeroblob(9) WHERE length(data) > 900",
        ),
    ),
    "a row is gone": (
        2_000,
        lambda state: run_sql(
            state / "state.db", "DELETE FROM contents WHERE length(data) > 900"
        ),
    ),
    "a row is said to be packed otherwise": (
        2_000,
        lambda state: run_sql(
            state / "state.db",
            "UPDATE contents SET packed = 1 - packed WHERE length(data) > 900",
        ),
    ),
}


def _file_of(state: Path) -> Path:
    return next((state / "contents").iterdir())


@pytest.mark.parametrize("how", CONTENTS)
def test_stores_damaged_content_again(
    bench: Any, scene: Any, area: Path, how: str
) -> None:
    size, damage = CONTENTS[how]
    path = bench.root / "big"
    content = random.Random(1).randbytes(size).hex().encode()
    path.write_bytes(content)
    first = bench.commit(Create(bench.at("big"), b"two\n", replace=True))
    bench.changes.close()
    damage(bench.state)
    with scene.Bench(area) as fresh:
        with pytest.raises(FilewrightError) as caught:
            fresh.changes.undo(first.id)
        assert caught.value.code is Code.IO_ERROR
        assert any(
            first.id in line for line in fresh.changes.find_damage(Task())
        )
        # Somebody gives the file what it held.
        path.write_bytes(content)
        later = fresh.commit(Create(fresh.at("big"), b"three\n", replace=True))
        fresh.undo(later.id)
        assert path.read_bytes() == content
        assert fresh.changes.find_damage(Task()) == []
