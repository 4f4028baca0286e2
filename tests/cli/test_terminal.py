"""What a person sees and a program does not: colours and progress."""

from __future__ import annotations

import io
import itertools
import sys
from types import SimpleNamespace

import pytest

from filewright.cli import terminal


class Terminal(io.TextIOWrapper):
    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8")

    def isatty(self) -> bool:
        return True

    def shown(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode()  # type: ignore[attr-defined, no-any-return]


def on_screen(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    made = Terminal()
    monkeypatch.setattr(sys, "stdout", made)
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return made


DIFF = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old [bold]\n+new\n same"


def test_colours_a_diff(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = on_screen(monkeypatch)
    terminal.write_coloured(DIFF)
    assert "\x1b[32m+new" in screen.shown()
    assert "\x1b[31m-old [bold]" in screen.shown()


def test_plain_text_in_a_pipe(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    terminal.write_coloured(DIFF)
    assert capsysbinary.readouterr().out == DIFF.encode() + b"\n"


def test_shows_progress_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = on_screen(monkeypatch)
    ticks = itertools.count(0.0, 0.4)
    monkeypatch.setattr(
        terminal, "time", SimpleNamespace(monotonic=lambda: next(ticks))
    )
    with terminal.show_progress("search_content", 10.0) as task:
        task.report(1, 10, "files")
        assert screen.shown() == ""
        task.report(5, 10, "files")
    assert "search_content files" in screen.shown()


def test_no_progress_in_a_pipe(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    with terminal.show_progress("search_content", 10.0) as task:
        task.report(1, 10, "files")
    assert capsysbinary.readouterr() == (b"", b"")
