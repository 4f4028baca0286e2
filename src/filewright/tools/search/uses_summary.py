"""The uses of a name, counted: what a caller must know to rename it or change its arguments.

A plain use is counted with those like it. Rare ones, and those that are neither imports
nor calls, are kept with their lines.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from filewright.tools.search.uses_imports import SurveyedImport

MAX_RARE = 3
"""A call or import of which there are no more is named by its line."""

_DECLARED = re.compile(
    r"\b(?:def|class|function|fn|func|fun|interface|type|struct|enum|trait|const"
    r"|let|var|val|static|macro_rules!)\b"
)


class UseKind(StrEnum):
    """The kind of a use of a name."""

    DEFINITION = "definitions"
    IMPORT = "imports"
    CALL = "calls"
    CODE = "other code"
    COMMENT = "comments"
    STRING = "strings"
    UNKNOWN = "without syntax"
    """in a file without a grammar, or that was not parsed"""
    PART = "longer names"
    """a part of another word, or in another case"""


@dataclass(frozen=True, slots=True)
class NameUse:
    """A use of a name in a line of a file.

    For a call, `spelling` is how it is written, `arguments` the number of its arguments in
    words, and `is_spread` is True if it takes several lines or has the name inside. `owner`
    is the first name of its receiver. The `source` of an import is the file of its module,
    or the module if the file is not known; that of a call is the one from which its owner
    is imported. For a use of another name that an import gives, `alias` is that name.
    """

    path: str
    line: int
    kind: UseKind
    text: str = ""
    spelling: str = ""
    arguments: str = ""
    owner: str = ""
    is_spread: bool = False
    imported: SurveyedImport | None = None
    source: str = ""
    alias: str = ""


@dataclass(frozen=True, slots=True)
class UseLocation:
    """A line of a file, with its text if that is shown."""

    path: str
    line: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class DefiningFile:
    """A file that defines the name, and the number of its other uses there."""

    path: str
    definitions: tuple[UseLocation, ...]
    calls: int
    others: int


@dataclass(frozen=True, slots=True)
class ImportSource:
    """A module from which the name is imported; `places` are all, if they are few.

    `has_name` is False if the file of the module does not have the name any more.
    """

    source: str
    count: int
    places: tuple[UseLocation, ...]
    has_name: bool = True


@dataclass(frozen=True, slots=True)
class UsedAlias:
    """Another name that a file gives the imported one, with its uses there."""

    alias: str
    place: UseLocation
    calls: tuple[UseLocation, ...]
    others: tuple[UseLocation, ...]


@dataclass(frozen=True, slots=True)
class CallCount:
    """The calls with one number of arguments; `places` are all, if they are few."""

    arguments: str
    count: int
    places: tuple[UseLocation, ...]


@dataclass(frozen=True, slots=True)
class CallSpelling:
    """The calls that are written alike, by their number of arguments.

    `owner` is the first name of the receiver, and `owners` the modules that it is
    imported from, with the number of calls.
    """

    spelling: str
    count: int
    counts: tuple[CallCount, ...]
    owner: str = ""
    owners: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class OtherUses:
    """The uses of another kind, with their lines."""

    kind: UseKind
    places: tuple[UseLocation, ...]


@dataclass(frozen=True, slots=True)
class FolderUses:
    """The number of files and of uses in a folder, or in one file."""

    path: str
    files: int
    uses: int


@dataclass(frozen=True, slots=True)
class NameUses:
    """The uses of one name below a folder, or in a file.

    `unbound` are calls of the bare name in files that neither import nor define it;
    `spread` are calls over several lines or with the name inside.
    """

    name: str
    count: int
    line_count: int
    file_count: int
    definitions: tuple[DefiningFile, ...] = ()
    imports: tuple[ImportSource, ...] = ()
    reexports: tuple[UseLocation, ...] = ()
    aliases: tuple[UsedAlias, ...] = ()
    calls: tuple[CallSpelling, ...] = ()
    unbound: tuple[UseLocation, ...] = ()
    spread: tuple[UseLocation, ...] = ()
    others: tuple[OtherUses, ...] = ()
    longer_names: tuple[tuple[str, int], ...] = ()
    folders: tuple[FolderUses, ...] = ()

    @property
    def plain_count(self) -> int:
        """Return the number of imports, calls and definitions."""
        imports = sum(source.count for source in self.imports)
        calls = sum(spelling.count for spelling in self.calls)
        definitions = sum(len(file.definitions) for file in self.definitions)
        return imports + calls + definitions


@dataclass(frozen=True, slots=True)
class UsesSurvey:
    """The uses of each name of a call, and the files that were not read as a whole.

    `unparsed` counts the uses in files whose uses were not told apart, by path. `broken`
    are files with syntax errors around uses, `unread_imports` languages whose imports
    name no members.
    """

    names: tuple[NameUses, ...]
    unparsed: dict[str, int] = field(default_factory=dict)
    broken: tuple[str, ...] = ()
    unread_imports: tuple[str, ...] = ()


def summarize_uses(
    name: str, uses: Sequence[NameUse], *, sources_without_name: Iterable[str]
) -> NameUses:
    """Return the counts of the uses of a name, which are in the order of their files."""
    own = [use for use in uses if not use.alias]
    by_kind: dict[UseKind, list[NameUse]] = {}
    for use in own:
        by_kind.setdefault(use.kind, []).append(use)
    calls = by_kind.get(UseKind.CALL, [])
    imports = by_kind.get(UseKind.IMPORT, [])
    longer_names = Counter(
        use.spelling for use in by_kind.get(UseKind.PART, ())
    )
    return NameUses(
        name=name,
        count=len(own),
        line_count=len({(use.path, use.line) for use in own}),
        file_count=len({use.path for use in own}),
        definitions=_count_definitions(own),
        imports=_count_imports(imports, set(sources_without_name)),
        reexports=_find_reexports(own),
        aliases=_find_aliases(uses),
        calls=_count_calls(calls),
        unbound=_find_unbound(name, own),
        spread=_places(use for use in calls if use.is_spread),
        others=tuple(
            OtherUses(kind, _places(by_kind[kind]))
            for kind in (
                UseKind.CODE,
                UseKind.COMMENT,
                UseKind.STRING,
                UseKind.UNKNOWN,
            )
            if kind in by_kind
        ),
        longer_names=tuple(longer_names.most_common()),
        folders=_count_folders(own),
    )


def _places(uses: Iterable[NameUse]) -> tuple[UseLocation, ...]:
    """Return the lines of uses, each once."""
    places: dict[tuple[str, int], UseLocation] = {}
    for use in uses:
        place = UseLocation(use.path, use.line, use.text)
        places.setdefault((use.path, use.line), place)
    return tuple(places.values())


def _few_places(uses: Sequence[NameUse]) -> tuple[UseLocation, ...]:
    """Return the lines of uses if they are few."""
    return _places(uses) if len(uses) <= MAX_RARE else ()


def _count_definitions(uses: Sequence[NameUse]) -> tuple[DefiningFile, ...]:
    """Return the files with definitions: first those that declare the name by a word."""
    definitions_by_file: dict[str, list[NameUse]] = {}
    for use in uses:
        if use.kind is UseKind.DEFINITION:
            definitions_by_file.setdefault(use.path, []).append(use)
    calls = Counter[str]()
    others = Counter[str]()
    for use in uses:
        if use.kind is UseKind.CALL:
            calls[use.path] += 1
        elif use.kind is not UseKind.DEFINITION:
            others[use.path] += 1
    files = [
        DefiningFile(
            path=path,
            definitions=_places(sorted(definitions, key=_is_undeclared)),
            calls=calls[path],
            others=others[path],
        )
        for path, definitions in definitions_by_file.items()
    ]
    return tuple(
        sorted(
            files,
            key=lambda file: not _DECLARED.search(file.definitions[0].text),
        )
    )


def _is_undeclared(use: NameUse) -> bool:
    """Return True for a definition without a word such as `def`, as of a parameter."""
    return _DECLARED.search(use.text) is None


def _count_imports(
    imports: Sequence[NameUse], without_name: set[str]
) -> tuple[ImportSource, ...]:
    """Return the modules of imports, the most frequent first."""
    by_source: dict[str, list[NameUse]] = {}
    for use in imports:
        by_source.setdefault(use.source, []).append(use)
    sources = [
        ImportSource(
            source=source,
            count=len(uses),
            places=_few_places(uses),
            has_name=source not in without_name,
        )
        for source, uses in by_source.items()
    ]
    return tuple(sorted(sources, key=lambda source: -source.count))


def _find_reexports(uses: Sequence[NameUse]) -> tuple[UseLocation, ...]:
    """Return the imports by which a file offers the name to others.

    In Python a package offers what it imports, but an import that it uses itself may be
    for that alone.
    """
    using = {
        use.path for use in uses if use.kind in (UseKind.CALL, UseKind.CODE)
    }
    return _places(
        use
        for use in uses
        if use.imported is not None
        and use.imported.is_reexport
        and not (use.path.endswith("__init__.py") and use.path in using)
    )


def _find_aliases(uses: Sequence[NameUse]) -> tuple[UsedAlias, ...]:
    """Return the other names of the imported one, with the uses of each."""
    uses_by_alias: dict[tuple[str, str], list[NameUse]] = {}
    for use in uses:
        if use.alias:
            key = use.path, use.alias
            uses_by_alias.setdefault(key, []).append(use)
    aliases = []
    for use in uses:
        if use.imported is None or not use.imported.alias:
            continue
        own = uses_by_alias.get((use.path, use.imported.alias), [])
        aliases.append(
            UsedAlias(
                alias=use.imported.alias,
                place=UseLocation(use.path, use.line, use.text),
                calls=_places(use for use in own if use.kind is UseKind.CALL),
                others=_places(use for use in own if use.kind is UseKind.CODE),
            )
        )
    return tuple(aliases)


def _count_calls(calls: Sequence[NameUse]) -> tuple[CallSpelling, ...]:
    """Return the calls by how they are written, the most frequent first."""
    by_spelling: dict[str, dict[str, list[NameUse]]] = {}
    for use in calls:
        by_arguments = by_spelling.setdefault(use.spelling, {})
        by_arguments.setdefault(use.arguments, []).append(use)
    spellings = []
    for spelling, by_arguments in by_spelling.items():
        counts = [
            CallCount(arguments, len(uses), _few_places(uses))
            for arguments, uses in by_arguments.items()
        ]
        counts.sort(key=lambda count: -count.count)
        alike = [use for uses in by_arguments.values() for use in uses]
        owners = Counter(use.source for use in alike if use.source)
        spellings.append(
            CallSpelling(
                spelling=spelling,
                count=len(alike),
                counts=tuple(counts),
                owner=alike[0].owner,
                owners=tuple(owners.most_common()),
            )
        )
    return tuple(sorted(spellings, key=lambda spelling: -spelling.count))


def _find_unbound(
    name: str, uses: Sequence[NameUse]
) -> tuple[UseLocation, ...]:
    """Return the calls of the bare name in files that neither import nor define it."""
    bound = {
        use.path
        for use in uses
        if use.kind in (UseKind.IMPORT, UseKind.DEFINITION)
    }
    return _places(
        use
        for use in uses
        if use.kind is UseKind.CALL
        and use.path not in bound
        and use.spelling in (f"{name}(…)", f"new {name}(…)", f"@{name}")
    )


def _count_folders(uses: Sequence[NameUse]) -> tuple[FolderUses, ...]:
    """Return the counts of each folder, the largest first."""
    files: dict[str, set[str]] = {}
    counts = Counter[str]()
    for use in uses:
        folder = posixpath.dirname(use.path)
        place = f"{folder}/" if folder else "./"
        if use.path.startswith('"'):
            # A part of a path in quotes would not be a path.
            place = use.path
        files.setdefault(place, set()).add(use.path)
        counts[place] += 1
    rows = [
        FolderUses(path=place, files=len(files[place]), uses=count)
        for place, count in counts.items()
    ]
    return tuple(sorted(rows, key=lambda row: -row.uses))
