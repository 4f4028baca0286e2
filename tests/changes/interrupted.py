"""Changes that end in the middle, as in a process that dies, and what recovery leaves."""

from __future__ import annotations

from typing import Any

import pytest


class Stopped(BaseException):
    """The end of a process, without the process."""


_STEPS = {
    "publish": ("filewright.changes.commit", "publish"),
    "flush": ("filewright.changes.slots.PlanSlots", "flush_folders"),
    "mark_done": ("filewright.changes.log.Log", "mark_done"),
    "clean": ("filewright.changes.commit", "clean_up"),
}


def stop_at(
    bench: Any,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    *steps: Any,
    **options: Any,
) -> None:
    """Begin a change and stop before the named step of a commit; nothing is rolled back."""

    def stop(*_: Any, **__: Any) -> Any:
        raise Stopped

    owner, attribute = _STEPS[name]
    with monkeypatch.context() as patch:
        patch.setattr(f"{owner}.{attribute}", stop)
        patch.setattr("filewright.changes.commit.roll_back", stop)
        with pytest.raises(Stopped):
            bench.commit(*steps, **options)


def kept_contents(bench: Any) -> list[bytes]:
    """Return the contents of the versions of other programs that were kept."""
    return [path.read_bytes() for path in (bench.state / "kept").iterdir()]
