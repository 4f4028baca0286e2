"""UTF-16 text as UTF-8: edits are decided on a copy, and their splices carried back to the file's own bytes.

The copy has the same characters and the same terminators, so whatever holds for an edit of UTF-8 holds
here too. Half a surrogate pair becomes three bytes that are no UTF-8, and comes back as it was.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import Final, Self

from filewright.errors import Code, path_error
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice

_PAIRS: Final = "surrogatepass"


class Utf8View:
    """A UTF-16 snapshot's text as UTF-8.

    The snapshot must be held in memory. Half a unit at its end is left out.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        assert snapshot.content is not None
        self._start, self._codec = snapshot.start, snapshot.encoding.name
        self._mark = codecs.BOM_UTF8 if snapshot.encoding.bom else b""
        self.snapshot: Final = Snapshot(
            self.to_utf8(snapshot.content), encoding="utf-8", location=snapshot.location
        )

    @classmethod
    def for_edit(cls, snapshot: Snapshot) -> Self:
        """The copy that edits are decided on.

        Raises `too_large` for a file that is not held in memory, `is_binary` for half a unit at its end and
        where `settings.edit_utf16` is off.
        """
        name, code = snapshot.encoding.name, Code.IS_BINARY
        if not snapshot.settings.edit_utf16:
            why = f"is {name.upper()} text, which can be read but not edited"
            hint = "convert it to UTF-8 first, or write it whole with write_content"
        elif snapshot.content is None:
            code = Code.TOO_LARGE
            why = f"is {name.upper()} text of {snapshot.size:,} bytes, too large to be edited in place"
            hint = "append to it with write_content, or convert it to UTF-8 first"
        elif snapshot.size % 2:
            why = f"has an odd number of bytes: half a character of {name.upper()} is at its end"
            hint = "use a tool for bytes, or give the encoding it has"
        else:
            return cls(snapshot)
        raise path_error(
            code,
            snapshot.requested_path,
            f"{snapshot.requested_path} {why}",
            hint,
            encoding=name,
        )

    def to_utf8(self, content: bytes) -> bytes:
        """Such a file's content as UTF-8, with a byte-order mark if the file has one."""
        whole = content[self._start : len(content) - len(content) % 2]
        return self._mark + whole.decode(self._codec, _PAIRS).encode("utf-8", _PAIRS)

    def to_file_splices(self, splices: Iterable[Splice]) -> Iterator[Splice]:
        """Ordered splices of the copy as splices of the file."""
        content = self.snapshot.content
        assert content is not None
        position, wide = len(self._mark), self._start
        for splice in splices:
            wide += len(self._wide(content[position : splice.offset]))
            length = len(self._wide(content[splice.offset : splice.end]))
            yield Splice(wide, length, self._wide(splice.replacement))
            position, wide = splice.end, wide + length

    def _wide(self, data: bytes) -> bytes:
        return data.decode("utf-8", _PAIRS).encode(self._codec, _PAIRS)
