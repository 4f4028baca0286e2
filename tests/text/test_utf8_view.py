"""UTF-16 text as UTF-8, and the splices of the file that its splices mean."""

from __future__ import annotations

import pytest

from filewright.errors import FilewrightError
from filewright.settings import Settings
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply_splices
from filewright.text.utf8_view import Utf8View, to_utf8_lines

TEXT = "a \u00e9\r\n\U0001f600 b\n"
ENCODINGS = ["utf-16-le", "utf-16-be"]


def encoded(text: str, encoding: str, bom: str = "\ufeff") -> bytes:
    return (bom + text).encode(encoding, "surrogatepass")


@pytest.mark.parametrize("bom", ["\ufeff", ""], ids=["mark", "no mark"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_maps_splices(encoding: str, bom: str) -> None:
    content = encoded(TEXT, encoding, bom)
    view = Utf8View.for_edit(Snapshot(content, encoding=encoding))
    shown = view.snapshot.content
    assert shown == (bom + TEXT).encode()
    splices = []
    for old, new in (
        ("\u00e9", "e"),
        ("\U0001f600", "\u20ac\u20ac"),
        ("b", ""),
    ):
        offset = shown.index(old.encode())
        splices.append(Splice(offset, len(old.encode()), new.encode()))
    result = apply_splices(content, [*view.to_file_splices(splices)])
    assert result == encoded("a e\r\n\u20ac\u20ac \n", encoding, bom)


def test_keeps_half_a_pair() -> None:
    content = encoded("a\ud83db", "utf-16-le")
    view = Utf8View.for_edit(Snapshot(content))
    shown = view.snapshot.content
    assert shown is not None
    splices = view.to_file_splices([Splice(len(shown) - 1, 1, b"c")])
    assert apply_splices(content, [*splices]) == encoded(
        "a\ud83dc", "utf-16-le"
    )


@pytest.mark.parametrize(
    ("content", "settings", "message"),
    [
        (encoded("ab", "utf-16-le") + b"x", Settings(), "odd number of bytes"),
        (
            encoded("ab", "utf-16-le"),
            Settings(edit_utf16=False),
            "can be read but not edited",
        ),
    ],
    ids=["half a character", "setting"],
)
def test_refuses(content: bytes, settings: Settings, message: str) -> None:
    snapshot = Snapshot(content, settings=settings)
    with pytest.raises(FilewrightError, match=message) as caught:
        Utf8View.for_edit(snapshot)
    assert caught.value.code == "is_binary"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_lines(encoding: str) -> None:
    text = "one line\ntwo\n"
    assert to_utf8_lines(encoded(text, encoding)) == f"\ufeff{text}".encode()


@pytest.mark.parametrize("content", [b"a\n", b"\0\1\2", b"a\0b\0c", b"\0" * 64])
def test_other_content_stays(content: bytes) -> None:
    assert to_utf8_lines(content) == content
