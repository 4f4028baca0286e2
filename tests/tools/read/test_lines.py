"""Lines of a file: bounded, in any encoding, also while it grows."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from filewright import Workspace

LONG = "".join(f"line {n}\n" for n in range(100))


def test_pages_are_bounded(tiered, root):
    (root / "f").write_bytes(
        b"".join(b"%06d " % n + b"x" * 90 + b"\n" for n in range(5000))
    )
    seen, start = [], 1
    for _ in range(200):
        result = tiered.read("f", start=start, limit=2000)
        assert len(result.text) <= tiered.settings.page_chars
        seen += result.data["content"].split("\n")
        if result.data["next"] is None:
            break
        assert f"start={result.data['next']['start']}" in result.text
        start = result.data["next"]["start"]
    assert [int(line[:6]) for line in seen] == list(range(5000))


def test_max_chars(tiered, root):
    (root / "f").write_bytes(b"x" * 900 + b"\nend\n")
    first = tiered.read("f", max_chars=100)
    assert "continue with line=1, column=201]" in first.text
    assert first.data["cut_at"] == [1]
    assert first.data["content"] == "x" * 200


@pytest.mark.parametrize(
    ("data", "content", "says"),
    [
        (b"\xef\xbb\xbfa\r\nb\r\n", "a\nb", "utf-8 with BOM; crlf"),
        ("\ufeffå\n".encode("utf-16-le"), "å", "utf-16-le with BOM; lf"),
        (
            "Le café est prêt, voilà\n".encode("latin-1"),
            "Le café est prêt, voilà",
            "cp1252 (guessed",
        ),
        (b"ok \xc3\xa9\nbad \xff\nok\n", "ok é\nbad \ufffd\nok", "at lines 2"),
        (b"a\rb\r\nc\n", "a\nb\nc", "mixed"),
        (
            b"a\x0cb\xc2\x85c\xe2\x80\xa8d\n",
            "a\x0cb\x85c\u2028d",
            "lines 1-1 of 1",
        ),
        (b"red \x1b[31m\n", "red \x1b[31m", "\\x1b[31m"),
        ("a\u202eb\n".encode(), "a\u202eb", "bidirectional"),
    ],
)
def test_encodings_and_controls(tiered, root, data, content, says):
    (root / "f").write_bytes(data)
    result = tiered.read("f")
    assert result.data["content"] == content
    assert says in result.text
    assert "\x1b" not in result.text
    assert "\u202e" not in result.text


def test_empty_file(tiered, root):
    (root / "f").write_bytes(b"")
    assert "empty file" in tiered.read("f").text


def test_named_limit_needs_no_note(root: Path, workspace: Workspace) -> None:
    (root / "a.txt").write_text(LONG)
    assert "left out" not in workspace.read("a.txt", limit=3).text
    assert (
        "left out"
        not in workspace.call(
            "read_content", {"items": [{"path": "a.txt", "limit": 3}]}
        ).text
    )
    (root / "b.txt").write_text("x" * 200 + "\n" + LONG * 50)
    assert " left out; continue with start=501]" in workspace.read("b.txt").text
    assert (
        " left out; continue with start="
        in workspace.read("b.txt", limit=4000).text
    )  # cut by the page


def test_whole_lines_of_a_growing_file(root, workspace):
    path = root / "grows.log"
    path.write_bytes(b"line 0\n")
    stop = threading.Event()

    def grow():
        number = 1
        with path.open("ab", buffering=0) as file:
            while not stop.wait(0.0005):
                file.write(b"line %d\n" % number)
                number += 1

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        for _ in range(50):
            result = workspace.call(
                "read_content",
                {"path": "grows.log", "mode": "tail", "limit": 5},
            )
            assert not result.is_error, result.text
            rows = result.data["content"].split("\n")
            numbers = [int(row.removeprefix("line ")) for row in rows]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    finally:
        stop.set()
        writer.join()
