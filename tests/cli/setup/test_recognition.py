"""Servers and hooks that `setup` wrote are told from those of a project."""

from __future__ import annotations

import pytest

from filewright.cli.setup.recognition import is_own_hook_line, starts_filewright

TRACE = 'touch "$TRACE"'

LINES = {
    "before": f"{TRACE}; true filewright x snapshot begin --hook",
    "behind": f"filewright snapshot begin --hook; {TRACE}",
    "and": f"filewright snapshot begin --hook && {TRACE}",
    "or": f"filewright snapshot begin --hook || {TRACE}",
    "inside": f"filewright snapshot begin --hook $({TRACE})",
    "option": f"filewright snapshot begin --hook --root `{TRACE}`",
    "state": f"filewright snapshot end --hook --state-dir $({TRACE})",
    "line": f"filewright snapshot begin --hook\n{TRACE}",
    "pipe": f"{TRACE} | filewright snapshot begin --hook",
    "output": "filewright snapshot begin --hook > $TRACE",
    "own folder": "./filewright snapshot begin --hook",
}


@pytest.mark.parametrize(
    ("line", "own"),
    [
        ("filewright snapshot begin --hook", True),
        ("filewright snapshot begin --hook || exit 0", True),
        (
            "'/a b/filewright' snapshot end --hook --actor codex --state-dir '/x y'",
            True,
        ),
        ("uvx filewright snapshot begin --hook", True),
        ("/usr/bin/python3 -P -m filewright snapshot begin --hook", True),
        ("filewright snapshot begin --hook --root /", False),
        ("filewright snapshot begin", False),
        ("filewright snapshot begin --hook;", False),
        ("filewright $x snapshot begin --hook", False),
        ("filewright snapshot begin --hook 'open", False),
        ("", False),
        *(
            (line, False)
            for name, line in LINES.items()
            if name != "own folder"
        ),
    ],
)
def test_knows_its_own_hook_lines(line: str, own: bool) -> None:
    assert is_own_hook_line(line) == own


@pytest.mark.parametrize(
    ("words", "own"),
    [
        (["filewright", "serve", "."], True),
        (["C:\\x\\filewright.exe", "serve"], True),
        (["/old/venv/bin/filewright", "serve", "."], True),
        (["uvx", "filewright", "serve"], True),
        (["/usr/bin/python3.13", "-P", "-m", "filewright", "serve"], True),
        (["python", "-m", "filewright", "serve"], True),
        (["filewright", "call"], False),
        (["uvx", "--from", "evil", "filewright", "serve"], False),
        (["python", "-c", "filewright", "serve"], False),
        (["sh", "-c", "filewright serve"], False),
        ([], False),
    ],
)
def test_knows_its_own_commands(words: list[str], own: bool) -> None:
    assert starts_filewright(words) == own
