"""Permission bits as chmod reads them."""

from __future__ import annotations

import stat
from typing import Any

import pytest

from filewright.changes.modes import resolve_mode
from filewright.edit.changeset import (
    SetMode,
)
from filewright.errors import Code, FilewrightError


@pytest.mark.parametrize(
    ("before", "asked", "after"),
    [
        (0o644, "755", 0o755),
        (0o644, "0o600", 0o600),
        (0o644, "u+x", 0o744),
        (0o755, "go-rwx", 0o700),
        (0o640, "g=u", 0o660),
        (0o644, "a+X", 0o644),
        (0o744, "a+X", 0o755),
        (0o600, "u=rwx,go=rx", 0o755),
        (0o4755, "4711", 0o4711),
        (0o4755, "755", 0o755),
    ],
)
def test_reads_modes_as_chmod(
    bench: Any, before: int, asked: str, after: int
) -> None:
    path = bench.root / "a.txt"
    path.chmod(before)
    record = (
        bench.commit(SetMode(bench.at("a.txt"), asked))
        if before != after
        else None
    )
    assert stat.S_IMODE(path.stat().st_mode) == after
    if record is not None:
        bench.undo(record.id)
        assert stat.S_IMODE(path.stat().st_mode) == before


@pytest.mark.parametrize(
    ("mode", "current", "bits"),
    [
        pytest.param("755", 0o2700, 0o2755, id="octal keeps setgid"),
        pytest.param("00755", 0o2700, 0o755, id="five digits clear setgid"),
        pytest.param("g=rx", 0o2770, 0o2750, id="equals keeps setgid"),
        pytest.param("+t", 0o755, 0o1755, id="sticky"),
        pytest.param("g+s", 0o755, 0o2755, id="setgid"),
        pytest.param("a+X", 0o644, 0o755, id="X of a folder"),
    ],
)
def test_modes_of_folders(mode: str, current: int, bits: int) -> None:
    assert resolve_mode(mode, current, is_folder=True) == bits


@pytest.mark.parametrize("mode", ["", "8", "17777", "u+y", "u+x,", "rwx"])
def test_refuses_other_modes(mode: str) -> None:
    with pytest.raises(FilewrightError) as caught:
        resolve_mode(mode, 0o644, is_folder=False)
    assert caught.value.code is Code.INVALID_INPUT
