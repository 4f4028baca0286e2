"""The files that imports lead to: tells if a new import would close a cycle.

Only files below the root count. What may be an import cycle is taken for one: imports in
functions count too.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Final

from filewright.structure.import_statements import (
    NAMES,
    SCOPE,
    STAR,
    TYPES,
    WHOLE,
    ImportFacts,
    ImportStatement,
)
from filewright.structure.module_names import (
    PathParts,
    is_script,
    python_parts,
)

_MAX_FILES: Final = 200
"""Files whose imports are followed in one call."""

SOURCE_FOLDERS: Final = ("", "src", "lib", "python")
"""Folders whose modules are imported by their plain names; "" is the root."""

_ALIASES: Final = ("@/", "~/")
_PROJECT_FILES: Final = ("package.json", "tsconfig.json", "jsconfig.json")
_SCRIPT_ENDINGS: Final = (
    *("", ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".mjs", ".cjs"),
    *("/index.ts", "/index.tsx", "/index.js", "/index.jsx"),
)

Exists = Callable[[PathParts], bool]
ReadFacts = Callable[[PathParts], ImportFacts | None]


@dataclass(frozen=True, slots=True)
class FileLink:
    """A file that an import leads to. `is_at_start`: when the importer is loaded."""

    path: PathParts
    is_at_start: bool = True


@dataclass(frozen=True, slots=True)
class MovedName:
    """A name that leaves a file for another one."""

    name: str
    origin: PathParts
    destination: PathParts


@dataclass
class ImportGraph:
    """The imports among the files of a root, read as they are needed.

    `moved_names` are imported from their new files after the change, and `users`, by the
    new file, are files that will have to import it.
    """

    exists: Exists
    read_facts: ReadFacts
    moved_names: Sequence[MovedName] = ()
    users: dict[PathParts, set[PathParts]] = field(
        default_factory=lambda: defaultdict(set)
    )
    _links: dict[PathParts, list[FileLink]] = field(default_factory=dict)
    _added: dict[PathParts, list[FileLink]] = field(default_factory=dict)

    def add(self, importer: PathParts, files: Iterable[PathParts]) -> None:
        """Add imports that a file will have."""
        links = self._added.setdefault(importer, [])
        links += [FileLink(path) for path in files]

    def is_safe(self, importer: PathParts, files: Iterable[PathParts]) -> bool:
        """Return True if a file can import others without an import cycle."""
        reached = self._reach(files)
        if reached is None or importer in reached:
            return False
        if reached & self.users.get(importer, set()):
            return False
        if not self._has_cycle(reached):
            return True
        # A cycle that was entered before, at another place, stays as it is.
        own_links = [
            link.path for link in self._links_of(importer) if link.is_at_start
        ]
        loaded = self._reach(own_links)
        return loaded is not None and not self._has_cycle(reached - loaded)

    def _reach(self, files: Iterable[PathParts]) -> set[PathParts] | None:
        """Return the files that are reached, None if there are too many to tell."""
        reached: set[PathParts] = set()
        pending = [*files]
        while pending:
            path = pending.pop()
            if path in reached:
                continue
            reached.add(path)
            if len(self._links) > _MAX_FILES:
                return None
            pending += [link.path for link in self._links_of(path)]
        return reached

    def _has_cycle(self, paths: set[PathParts]) -> bool:
        """Return True if files import one another when they are loaded."""
        sorter: TopologicalSorter[PathParts] = TopologicalSorter()
        for path in paths:
            links = [
                link.path
                for link in self._links_of(path)
                if link.is_at_start and link.path in paths
            ]
            sorter.add(path, *links)
        try:
            sorter.prepare()
        except CycleError:
            return True
        return False

    def _links_of(self, path: PathParts) -> list[FileLink]:
        """Return the files that a file imports, also after the change."""
        if path not in self._links:
            self.read_links(path, self.read_facts(path))
        return self._links[path] + self._added.get(path, [])

    def read_links(self, path: PathParts, facts: ImportFacts | None) -> None:
        """Take the imports of a file, in the text that it has or will have."""
        statements = () if facts is None else facts.statements
        self._links[path] = [
            FileLink(link, statement.block != SCOPE)
            for statement in statements
            if statement.block != TYPES
            for link in self.find_files(path, statement)
        ]

    def find_loaded_files(
        self, importer: PathParts, path: PathParts
    ) -> list[PathParts]:
        """Return a file, which may be new, and the packages that its import loads."""
        if is_script(path):
            return [path]
        parts = python_parts(path)
        return [path, *_find_packages(importer, parts, self.exists)]

    def find_files(
        self, importer: PathParts, statement: ImportStatement
    ) -> Iterator[PathParts]:
        """Yield the files below the root that a statement may load."""
        if is_script(importer):
            files = [
                *find_script_files(importer, statement.module, self.exists)
            ]
        else:
            files = [*find_python_files(importer, statement, self.exists)]
        yield from files
        names = {name.name for name in statement.all_names}
        for moved in self.moved_names:
            takes_it = statement.form != NAMES or moved.name in names
            if moved.origin in files and takes_it:
                yield moved.destination


# Python


def find_python_files(
    importer: PathParts, statement: ImportStatement, exists: Exists
) -> Iterator[PathParts]:
    """Yield the files that a statement of Python may load."""
    if statement.form == WHOLE:
        for name in statement.names:
            for parts in _absolute_places(importer, name.name, exists):
                yield from _find_module(importer, parts, exists, is_named=True)
        return
    if statement.form not in (NAMES, STAR):
        return
    module = statement.module
    rest = module.lstrip(".")
    dots = len(module) - len(rest)
    if dots:
        folder = importer[:-1]
        base = folder[: max(0, len(folder) - dots + 1)]
        places = [(*base, *rest.split(".")) if rest else base]
    else:
        places = [*_absolute_places(importer, module, exists)]
    for parts in places:
        submodules: list[PathParts] = []
        for name in statement.names:
            submodules += _module_file((*parts, name.name), exists)
        yield from submodules
        is_named = len(submodules) < len(statement.names) or not submodules
        yield from _find_module(importer, parts, exists, is_named=is_named)


def _absolute_places(
    importer: PathParts, module: str, exists: Exists
) -> Iterator[PathParts]:
    """Yield the paths that a module with a plain name may have."""
    for length in range(len(importer)):
        for folder in SOURCE_FOLDERS:
            base = importer[:length]
            if folder:
                base = (*base, folder)
            # The files of a package are not imported by their plain names.
            if not exists((*base, "__init__.py")):
                yield (*base, *module.split("."))


def _find_module(
    importer: PathParts, parts: PathParts, exists: Exists, *, is_named: bool
) -> Iterator[PathParts]:
    """Yield the file of a module, and the packages around it that it loads.

    A package around the importer is loaded already, unless it `is_named`.
    """
    own = [*_module_file(parts, exists)]
    if not own:
        return
    if is_named or importer[: len(parts)] != parts:
        yield from own
    yield from _find_packages(importer, parts, exists)


def _find_packages(
    importer: PathParts, parts: PathParts, exists: Exists
) -> Iterator[PathParts]:
    """Yield the packages around a module that are not around the importer."""
    for length in range(1, len(parts)):
        package = parts[:length]
        if importer[:length] != package:
            path = (*package, "__init__.py")
            if exists(path):
                yield path


def _module_file(parts: PathParts, exists: Exists) -> Iterator[PathParts]:
    """Yield the file of a module or package."""
    if parts:
        for path in ((*parts[:-1], f"{parts[-1]}.py"), (*parts, "__init__.py")):
            if exists(path):
                yield path


# JavaScript and TypeScript


def find_script_files(
    importer: PathParts, specifier: str, exists: Exists
) -> Iterator[PathParts]:
    """Yield the files that a specifier may mean."""
    folder = "/".join(importer[:-1])
    is_relative = specifier in (".", "..") or specifier.startswith(
        ("./", "../")
    )
    targets: list[str] = []
    if is_relative:
        targets.append(posixpath.join(folder, specifier))
    else:
        for alias in _ALIASES:
            specifier = specifier.removeprefix(alias)
        for length in range(len(importer)):
            base = importer[:length]
            is_project = not base or any(
                exists((*base, name)) for name in _PROJECT_FILES
            )
            if is_project:
                targets.append(posixpath.join(*base, specifier))
                targets.append(posixpath.join(*base, "src", specifier))
    for target in targets:
        path = posixpath.normpath(target)
        stem, _, extension = path.rpartition(".")
        paths = [f"{path}{ending}" for ending in _SCRIPT_ENDINGS]
        if extension in ("js", "mjs", "cjs", "jsx"):
            # The file that a compiler makes of one of TypeScript.
            paths += [f"{stem}.{kind}" for kind in ("ts", "tsx", "mts", "cts")]
        for candidate in paths:
            parts = tuple(candidate.split("/"))
            if candidate.startswith("..") or not is_script(parts):
                continue
            if exists(parts):
                yield parts
