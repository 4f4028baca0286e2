"""Pieces of a line that is too long for a page."""

from __future__ import annotations


def test_columns_of_long_line(tiered, root):
    text = "".join(chr(0x100 + i % 500) for i in range(30_000))
    (root / "f").write_text(f"short\n{text}\nlast\n")
    result = tiered.read("f")
    assert "column=1001" in result.text
    assert len(result.text) < 5000
    got, column = "", 1
    while True:
        piece = tiered.read("f", line=2, column=column, limit=7000)
        got += piece.data["content"]
        if piece.data["next"] is None:
            break
        column = piece.data["next"]["column"]
    assert got == text


def test_huge_line(tiered, root):
    (root / "f").write_bytes(b"x" * 20_000_000)
    result = tiered.read("f")
    assert len(result.text) < 2000
    assert "20,000,000 bytes" in result.text
    tail = tiered.read("f", mode="tail", limit=1)
    assert len(tail.text) < 2000
