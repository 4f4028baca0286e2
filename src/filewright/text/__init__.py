"""WHAT a file's bytes mean: encodings, terminators, lines, `Snapshot`, `Splice`.

Owns: the immutable view of one file (`Snapshot`), the codecs that turn a few of its bytes into shown
text and back, the line index, the version tokens, and `Splice`, the only form of an edit.

Never: opens a path (it is handed descriptors), writes, decodes a whole file on an edit's way, or
changes a byte outside a splice.

In: a descriptor from `boundary`, or bytes. Out: `Snapshot`, `Line`, `Encoding`, `Splice`.
"""

from filewright.text.cache import BoundedCache
from filewright.text.codec import Encoding
from filewright.text.identity import Identity
from filewright.text.lines import Line, LineIndex
from filewright.text.shown import Shown
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice
from filewright.text.terminators import Terminators

__all__ = [
    "BoundedCache",
    "Encoding",
    "Identity",
    "Line",
    "LineIndex",
    "Shown",
    "Snapshot",
    "Splice",
    "Terminators",
]
