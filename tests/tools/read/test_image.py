"""Images, which are shown as they are."""

from __future__ import annotations


def test_image(tiered, root):
    png = b"\x89PNG\r\n\x1a\n" + b"\0" * 50
    (root / "f.png").write_bytes(png)
    result = tiered.read("f.png")
    assert result.images[0].data == png
    assert result.images[0].mime == "image/png"
