"""Findings of a replacement: its matches by file and item, and the kinds of its lines."""

from __future__ import annotations

from pathlib import Path

from tests.tools.replacements import item

from filewright import Workspace

LONG = "".join(f"line {n}\n" for n in range(100))


def test_line_of_each_kind(root: Path, workspace: Workspace) -> None:
    for n in range(25):
        (root / f"m{n:02}.py").write_bytes(
            f"rates = rate({n})\r\n# rate is slow {n}\r\n".encode()
        )
    (root / "z.py").write_text('NAMES = ["rate"]\n')
    asked = {"pattern": "rate", "replacement": "fetch", "whole_word": True}
    text = workspace.call("replace_content", asked).text
    assert (
        "25 like m00.py:1:\n-rates = rate(0)\n+rates = fetch(0)\n"
        "25 like m00.py:2:\n-# rate is slow 0\n+# fetch is slow 0\n"
        'z.py:1:\n-NAMES = ["rate"]\n+NAMES = ["fetch"]\n'
    ) in text
    assert (
        "like"
        not in workspace.call(
            "replace_content", {**asked, "preview": False}
        ).text
    )
    assert len(text) < 900


def test_kinds_of_items(root: Path, workspace: Workspace) -> None:
    for name in ("a.ts", "b.ts"):
        (root / name).write_text(
            "".join(f"has(a{n}, b)\nkeep\nget(c)\n" for n in range(30))
        )
    (root / "c.ts").write_text(
        "".join(f"has({chr(97 + n) * 3})\n" for n in range(20))
    )
    items = [
        {"pattern": r"has\((\w+)", "replacement": "owns($1", "mode": "regex"},
        item("get", "fetch"),
    ]
    text = workspace.run("replace_content", {"items": items}).text
    assert (
        "\n60 like a.ts:1:\n-has(a0, b)\n+owns(a0, b)\n60 like a.ts:3:\n-get(c)\n+fetch(c)\n"
        in text
    )
    assert "\nc.ts:1:\n-has(aaa)\n+owns(aaa)\n" in text
    assert "[16 more kinds]" in text
    assert "[140 lines each way]" in text
    assert len(text) < 800


def test_unlike_lines(root: Path, workspace: Workspace) -> None:
    names = [
        f"{first}{second}" for first in "ABCDEF" for second in "GHIJKLMNOP"
    ]
    (root / "a.txt").write_text(
        "".join(f"{name} x{'z' * 5_000}\n" for name in names)
    )
    text = workspace.run(
        "replace_content", {"pattern": "x", "replacement": "y"}
    ).text
    assert "\na.txt:1:\n-AG xzzz" in text
    assert "\n+AG yzzz" in text
    assert "[57 more kinds]" in text
    assert len(text) < 3_000


def test_odd_kinds_of_a_text(root: Path, workspace: Workspace) -> None:
    """Of a plain text three kinds are shown: odd ones instead of the last."""
    rows = [f"use({chr(97 + n) * 3}, old)\n" for n in range(20)]
    rows += ["swap(old, old)\n", 'say("old")\n']
    (root / "a.py").write_text("".join(rows))
    answer = workspace.call(
        "replace_content",
        {"pattern": "old", "replacement": "new", "preview": True},
    )
    assert '-say("old")\n+say("new")' in answer.text
    assert "-swap(old, old)\n+swap(new, new)" in answer.text
    assert "[19 more kinds]" in answer.text


def test_depth_is_no_kind(root: Path, workspace: Workspace) -> None:
    lines = ('a = f("./b.py")', '\ta = f("../b.py")', '  a = f("../../b.py")')
    for number, line in enumerate(lines):
        (root / f"{number}.txt").write_text(f"{line}\n" * 30)
    call = {"pattern": "f", "replacement": "g", "whole_word": True}
    answer = workspace.call("replace_content", {**call, "path": "."})
    assert "90 like 0.txt:1:" in answer.text, answer.text
    call = {"pattern": "../b", "replacement": "c", "path": "."}
    answer = workspace.call("replace_content", call)
    assert "30 like 1.txt" in answer.text, answer.text
    assert "30 like 2.txt" in answer.text
