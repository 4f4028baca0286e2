"""WHAT a file's bytes mean: encodings, terminators, lines, `Snapshot`, `Splice`.

Owns: the immutable view of one file (`Snapshot`), the codecs that turn a few of its bytes into shown
text and back, where its lines are (`Lines`, over one immutable `LineIndex`), the version tokens, and
`Splice`, the only form of an edit.

Never: opens a path (it is handed descriptors), writes, decodes a whole file on an edit's way, holds a
whole long line, or changes a byte outside a splice.

In: a descriptor from `boundary`, or bytes. Out: `Snapshot`, `Line`, `Encoding`, `Splice`.
"""

from typing import TYPE_CHECKING

from filewright.faces import face_of
from filewright.text import codec, detection, splice
from filewright.text.cache import SHOWN_WHOLE_BYTES, BoundedCache, Shown
from filewright.text.codec import (
    Encoding,
    bytes_in,
    check_text,
    cut,
    decoded,
    encoded,
    normalised,
)
from filewright.text.declaration import as_declared, encoding_of_new
from filewright.text.lines import (
    LINE_REACH,
    Line,
    LineIndex,
    Lines,
    Terminators,
    finder,
    terminators_in,
)
from filewright.text.snapshot import (
    NOTEBOOK_SUFFIX,
    TOKEN_DIGITS,
    Identity,
    Snapshot,
    notebook_view,
)
from filewright.text.spelling import (
    INVISIBLE_RANGES,
    PLAIN,
    SPACES,
    is_invisible,
    is_peculiar,
    look_of,
    peculiar_characters,
    spellings_of,
)
from filewright.text.splice import (
    Splice,
    Splices,
    apply,
    ordered,
    replacements,
    require_ordered,
)
from filewright.text.wide import Narrowed

if TYPE_CHECKING:
    from filewright.text.notebook import (
        CELL_HINT,
        Cell,
        CellKind,
        NewCell,
        NotebookView,
        viewed_by_cells,
    )

__all__ = [
    "CELL_HINT",
    "INVISIBLE_RANGES",
    "LINE_REACH",
    "NOTEBOOK_SUFFIX",
    "PLAIN",
    "SHOWN_WHOLE_BYTES",
    "SPACES",
    "TOKEN_DIGITS",
    "BoundedCache",
    "Cell",
    "CellKind",
    "Encoding",
    "Identity",
    "Line",
    "LineIndex",
    "Lines",
    "Narrowed",
    "NewCell",
    "NotebookView",
    "Shown",
    "Snapshot",
    "Splice",
    "Splices",
    "Terminators",
    "apply",
    "as_declared",
    "bytes_in",
    "check_text",
    "codec",
    "cut",
    "decoded",
    "detection",
    "encoded",
    "encoding_of_new",
    "finder",
    "is_invisible",
    "is_peculiar",
    "look_of",
    "normalised",
    "notebook_view",
    "ordered",
    "peculiar_characters",
    "replacements",
    "require_ordered",
    "spellings_of",
    "splice",
    "terminators_in",
    "viewed_by_cells",
]

# Most workspaces never show a notebook.
__getattr__, _ = face_of(
    __name__,
    {"notebook": "CELL_HINT Cell CellKind NewCell NotebookView viewed_by_cells"},
)
