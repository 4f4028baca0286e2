"""UTF-16 text as UTF-8, so that edits are planned in one encoding only.

The copy has the same characters and line ends as the file, so all that holds for an
edit of UTF-8 holds here too. The splices of the copy are carried back to the bytes of
the file. Half a surrogate pair becomes three bytes that are not UTF-8, and is restored.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import Final, Self

from filewright.errors import Code, path_error
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice

# Keeps half a surrogate pair in both directions.
_ERROR_HANDLER: Final = "surrogatepass"


class Utf8View:
    """The text of a UTF-16 snapshot as UTF-8.

    The snapshot's content must be in memory. An odd byte at its end is left out.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        assert snapshot.content is not None
        self._start, self._codec = snapshot.start, snapshot.encoding.name
        self._bom = codecs.BOM_UTF8 if snapshot.encoding.bom else b""
        self.snapshot: Final = Snapshot(
            self.to_utf8(snapshot.content),
            encoding="utf-8",
            location=snapshot.location,
        )

    @classmethod
    def for_edit(cls, snapshot: Snapshot) -> Self:
        """Return the view that edits of a snapshot are planned on.

        Raises `too_large` for a file whose content is not in memory, and `is_binary`
        for one with an odd number of bytes or if `settings.edit_utf16` is off.
        """
        name, code = snapshot.encoding.name, Code.IS_BINARY
        if not snapshot.settings.edit_utf16:
            problem = (
                f"is {name.upper()} text, which can be read but not edited"
            )
            hint = "convert it to UTF-8 first, or write it whole"
        elif snapshot.content is None:
            code = Code.TOO_LARGE
            problem = (
                f"is {name.upper()} text of {snapshot.size:,} bytes, "
                "too large to be edited in place"
            )
            hint = "append to it, or convert it to UTF-8 first"
        elif snapshot.size % 2:
            problem = (
                "has an odd number of bytes: it ends with half a "
                f"{name.upper()} character"
            )
            hint = "give the encoding of the file"
        else:
            return cls(snapshot)
        path = snapshot.requested_path
        raise path_error(code, path, f"{path} {problem}", hint, encoding=name)

    def to_utf8(self, content: bytes) -> bytes:
        """Return content of the file as UTF-8, with a byte-order mark if it has one."""
        text = content[self._start : len(content) - len(content) % 2]
        decoded = text.decode(self._codec, _ERROR_HANDLER)
        return self._bom + decoded.encode("utf-8", _ERROR_HANDLER)

    def to_file_splices(self, splices: Iterable[Splice]) -> Iterator[Splice]:
        """Yield the splices of the file that have the effect of those of the view.

        `splices` are in order.
        """
        content = self.snapshot.content
        assert content is not None
        position, file_position = len(self._bom), self._start
        for splice in splices:
            file_position += len(
                self._to_file(content[position : splice.offset])
            )
            length = len(self._to_file(content[splice.offset : splice.end]))
            yield Splice(
                file_position, length, self._to_file(splice.replacement)
            )
            position, file_position = splice.end, file_position + length

    def _to_file(self, text: bytes) -> bytes:
        return text.decode("utf-8", _ERROR_HANDLER).encode(
            self._codec, _ERROR_HANDLER
        )


_SAMPLE_BYTES: Final = 4096


def to_utf8_lines(content: bytes) -> bytes:
    """Return UTF-16 text as UTF-8, so that its lines can be divided as bytes.

    Any other content is returned as it is.
    """
    # No other text has a zero byte.
    if b"\0" not in content[:_SAMPLE_BYTES] or len(content) % 2:
        return content
    snapshot = Snapshot(content)
    if snapshot.binary_type is not None or snapshot.encoding.unit_bytes == 1:
        return content
    return Utf8View(snapshot).to_utf8(content)
