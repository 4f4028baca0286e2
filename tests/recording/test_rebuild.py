"""The file that a client's edit tool should have made."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from filewright.progress import Task
from filewright.recording.damage import Healing
from filewright.recording.expectation import (
    RequestedReplacement,
)
from filewright.recording.rebuild import MAX_REBUILT_BYTES, rebuild
from filewright.text.snapshot import Snapshot


def lines_of(count: int) -> str:
    return "".join(f"\tcafé {number}\n" for number in range(count))


@pytest.mark.extra
@pytest.mark.parametrize(
    ("text", "change"),
    [
        (lambda: lines_of(9_000), lambda old: old.replace("\t", "  ").upper()),
        (lambda: lines_of(50_000), lambda old: old.replace("0\n", "0 more\n")),
        (lambda: "café " * 60_000, lambda old: old + "end\n"),
        (lambda: "\tcafé\n" * 800_000, str.upper),
    ],
    ids=["all lines", "every tenth line", "one line", "a large file"],
)
def test_declines_what_would_take_long(
    text: Callable[[], str], change: Callable[[str], str]
) -> None:
    before = text()
    after = change(before)
    healing = rebuild(
        Snapshot(before.encode("cp1252")), after.encode(), None, Task()
    )
    assert healing.content is None
    assert healing.doubt in (
        "too many characters of neighbouring lines changed",
        "it is larger than 4 MB, the limit for comparing lines",
    )


EDIT = (RequestedReplacement("80", "8080"),)
BEFORE = Snapshot(b"# caf\xe9\r\nport = 80\r\n")


def test_heals_by_the_edit() -> None:
    damaged = b"# caf\xef\xbf\xbd\nport = 8080\n"
    healing = rebuild(BEFORE, damaged, EDIT, Task())
    assert healing.content == b"# caf\xe9\r\nport = 8080\r\n"


def test_heals_without_the_edit() -> None:
    damaged = b"# caf\xef\xbf\xbd\nport = 8080\n"
    healing = rebuild(BEFORE, damaged, None, Task())
    assert healing.content == b"# caf\xe9\r\nport = 8080\r\n"


def test_leaves_binary_files() -> None:
    image = b"\x89PNG\r\n\x1a\n" + bytes(9) + b"a\r\nb\r\n"
    after = image.replace(b"\r\n", b"\n")
    assert rebuild(Snapshot(image), after, None, Task()) == Healing()


def test_leaves_large_files() -> None:
    large = b"x" * (MAX_REBUILT_BYTES + 1)
    healing = rebuild(BEFORE, large, None, Task())
    assert healing.content is None
    assert healing.doubt == (
        "it is larger than 4 MB, the limit for comparing lines"
    )
