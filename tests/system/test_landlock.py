"""The confinement of a process; `tests/promises` has what the kernel then refuses."""

from __future__ import annotations

import sys

import pytest

from filewright.system.landlock import (
    Confinement,
    available_version,
    confine,
    confine_child,
    program_paths,
)

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux has Landlock"
)


@pytest.mark.parametrize(
    ("confinement", "is_enforced", "words"),
    [
        (Confinement(0, reason="no kernel"), False, "no kernel; the boundary"),
        (Confinement(4, reason="refused"), False, "not confined"),
        (Confinement(4), True, "Landlock 4: writes only below nothing,"),
        (Confinement(4, ("/a", "/b")), True, "below /a, /b, reads"),
        (Confinement(1, missing=("x", "y")), True, "; not covered: x, y"),
    ],
)
def test_summary(
    confinement: Confinement, is_enforced: bool, words: str
) -> None:
    assert confinement.enforced is is_enforced
    assert words in confinement.summary


def test_nothing_is_confined_without_landlock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FILEWRIGHT_SYSTEM", "posix")
    assert available_version() == 0
    assert not confine(["/tmp"]).enforced
    assert confine_child([], None) is False


def test_no_program_path_allows_everything() -> None:
    paths = program_paths()
    assert sys.prefix in paths
    assert "/" not in paths
