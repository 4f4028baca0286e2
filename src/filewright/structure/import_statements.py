"""The imports of one file, and the places that mention some names.

They are read from the syntax tree in the parser process (`import_collector`). Offsets are
in bytes of the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

from filewright.structure.file_head import FileHead
from filewright.structure.free_names import FreeNames

MAX_STATEMENTS: Final = 5_000
MAX_MENTIONS: Final = 2_000
"""The statements of a file, and the mentions in it, that are read."""

NAMES: Final = "names"
"""The form of a statement that lists names: `from m import a`, `export { a } from "m"`."""

STAR: Final = "star"
"""The form of a statement that takes all names of a module."""

WHOLE: Final = "whole"
"""The form of a statement that binds a module: `import m`, `import * as m from "m"`."""

CALL: Final = "call"
"""The form of a call whose first argument is a module: `require("m")`."""

REQUIRE: Final = "require"
"""The form of a declaration of the names that `require("m")` returns.

The call in it is a statement of its own.
"""

FUTURE: Final = "__future__"
"""The module of Python whose imports come first."""

TOP: Final = "top"
"""The block of a statement that is directly in the file."""

TYPES: Final = "types"
"""The block of one in `if TYPE_CHECKING:`, without `else`, directly in the file."""

SCOPE: Final = "scope"
"""The block of one in a function or a class."""

OTHER_BLOCK: Final = "other"
"""Any other block, such as that of a `try`."""

DEFAULT_EXPORT: Final = "default"
"""The name by which the default export of a module of JavaScript is imported."""


@dataclass(frozen=True, slots=True)
class ImportedName:
    """A name in the list of a statement, with the alias that it gets ("": none).

    `start` and `end` enclose both. A statement of the form `whole` lists modules.
    """

    name: str
    alias: str
    start: int
    end: int

    @property
    def bound_name(self) -> str:
        """The name by which the file refers to it."""
        return self.alias or self.name


@dataclass(frozen=True, slots=True)
class ImportStatement:
    """A statement that imports names, or exports those of another module.

    `module` is the text between `module_start` and `module_end`, without quotes. The
    list of names is from `list_start` to `list_end`, with its brackets if it has any.
    `default` is the name of a default import, as an alias of `default`. It is not
    `is_certain` if the text has a syntax error before or in it. With `is_only_statement`,
    the block around it has no other. `block` is where it is, and `block_start` the offset of the `if` of types.
    """

    form: str
    module: str
    start: int
    end: int
    module_start: int
    module_end: int
    names: tuple[ImportedName, ...] = ()
    list_start: int = 0
    list_end: int = 0
    default: ImportedName | None = None
    is_certain: bool = True
    is_only_statement: bool = False
    block: str = TOP
    block_start: int = 0

    @property
    def keeps_annotations(self) -> bool:
        """True for `from __future__ import annotations`."""
        return self.module == FUTURE and any(
            name.name == "annotations" for name in self.names
        )

    @property
    def top_names(self) -> frozenset[str]:
        """The names that it binds for the whole file."""
        if self.block == SCOPE:
            return frozenset()
        names = {name.bound_name for name in self.all_names}
        if self.form == WHOLE:
            # `import a.b` binds `a`.
            names = {name.partition(".")[0] for name in names}
        return frozenset(names)

    @property
    def all_names(self) -> tuple[ImportedName, ...]:
        """The name of the default import, and those in the list."""
        if self.default is None:
            return self.names
        return (self.default, *self.names)


@dataclass(frozen=True, slots=True)
class NameMention:
    """A mention of a name outside of imports and comments.

    The `kind` is `name`, `attribute` (`text` is the whole chain, as `module.name`),
    `string` (`text` is the content), or `exported`, for the whole string in the list
    `__all__`.
    """

    name: str
    kind: str
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class DefinedName:
    """A name that a text binds at its top.

    Other files import it by its `exported_name`, "" if it is not exported where it is
    bound. A default export without a name of its own is named `default`. `is_rebound`:
    it is bound more than once.
    """

    name: str
    exported_name: str
    is_rebound: bool = False


@dataclass(frozen=True, slots=True)
class ImportFacts:
    """The imports of a text, and the mentions of the names that were requested.

    `free` are the names that requested ranges take from outside; `unbound` those of them
    that the text does not bind at its top, and `defined` those that it defines there.
    They are read only for requested ranges, as `head`. `error_start` is the offset of the
    first syntax error (None: there is none): statements behind it may be missing. `note`
    says why the text was not read.
    """

    statements: tuple[ImportStatement, ...] = ()
    mentions: tuple[NameMention, ...] = ()
    free: FreeNames = field(default_factory=FreeNames)
    unbound: tuple[str, ...] = ()
    defined: tuple[DefinedName, ...] = ()
    head: FileHead = field(default_factory=FileHead)
    has_star: bool = False
    error_start: int | None = None
    note: str = ""


def decode_facts(fields: list[Any], size: int) -> ImportFacts:
    """Return the facts of a decoded answer on a text of `size` bytes.

    Raise `ValueError` or `TypeError` if the fields are not those of an answer.
    """
    (
        statement_rows,
        mention_rows,
        (names, assigned, annotations, quoted, has_jsx, annotates_itself),
        unbound,
        defined_rows,
        (head_end, definition_start),
        has_star,
        error_start,
        note,
    ) = fields
    statements = []
    for row in statement_rows:
        statement = ImportStatement(*row)
        name_rows: Any = statement.names
        listed = tuple(ImportedName(*name_row) for name_row in name_rows)
        default_row: Any = statement.default
        default = None if default_row is None else ImportedName(*default_row)
        statement = replace(statement, names=listed, default=default)
        _check_statement(statement, size)
        statements.append(statement)
    mentions = tuple(NameMention(*row) for row in mention_rows)
    return ImportFacts(
        tuple(statements),
        mentions,
        FreeNames(
            tuple(map(str, names)),
            tuple(map(str, assigned)),
            tuple(map(str, annotations)),
            tuple(map(str, quoted)),
            bool(has_jsx),
            bool(annotates_itself),
        ),
        tuple(map(str, unbound)),
        tuple(DefinedName(*row) for row in defined_rows),
        FileHead(
            int(head_end),
            None if definition_start is None else int(definition_start),
        ),
        bool(has_star),
        None if error_start is None else int(error_start),
        str(note),
    )


def _check_statement(statement: ImportStatement, size: int) -> None:
    """Raise `ValueError` unless the parts of a statement are in it, and in order."""
    is_inside = 0 <= statement.start <= statement.end <= size
    default = statement.default
    if default is not None:
        is_inside = (
            is_inside
            and statement.start <= default.start <= default.end <= statement.end
        )
    offset = statement.list_start
    for name in statement.names:
        is_inside = is_inside and offset <= name.start <= name.end
        offset = name.end
    is_inside = is_inside and offset <= max(statement.list_end, statement.end)
    if not is_inside or statement.module_start > statement.module_end:
        raise ValueError("the parts of a statement are not in it")
