"""References between the files of a project: the imports in the first lines of each.

A map of a project ranks its files by them. No file is parsed: agents ask for the map
first, and parsing thousands of files would take minutes.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from filewright.structure.symbol import split_words

HEAD_BYTES: Final = 8 << 10
"""The part of a file that is read: imports come first."""

# One alternative for each form: Python's `from`, JavaScript's `import … from`, calls and
# words with a quoted path, `#include`, words with a plain name, and lines of Go's
# parenthesised imports.
_IMPORT: Final = re.compile(
    r"^[ \t]*from[ \t]+(?P<module>[.\w]+)[ \t]+import[ \t]+(?:\((?P<many>[^)]*)\)|(?P<names>[^\n#]*))"
    r"|^[ \t]*(?:import|export)[ \t]+(?P<clause>[^'\";\n]*(?:\n[^'\";\n]*){0,30}?)[ \t]from[ \t]*"
    r"['\"](?P<source>[^'\"\n]+)['\"]"
    r"|[^\n]*?\b(?:require|require_relative|import)[ \t]*\(?[ \t]*['\"](?P<path>[^'\"\n]+)['\"]"
    r"|^[ \t]*#[ \t]*include[ \t]+[\"<](?P<header>[^\">\n]+)[\">]"
    r"|^[ \t]*(?:pub[ \t]+)?(?:import|use|using|mod)[ \t]+(?:static[ \t]+)?(?P<plain>[A-Za-z_][\w.:\\]*)"
    r"|^[ \t]+(?:\w+[ \t]+)?\"(?P<go>[\w.-]+(?:/[\w.-]+)+)\"[ \t]*$",
    re.MULTILINE,
)
_IMPORT_STARTS: Final = (
    "from ",
    "import",
    "export ",
    "use ",
    "using ",
    "pub ",
    "mod ",
    "#include",
    "# include",
)
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*")
_DEFAULT_IMPORT: Final = re.compile(
    r"\A\s*(?:type\s+)?[\w$]+\s*(?:,|\Z)|\bdefault\b"
)
"""The text of a default import between `import` and `from`."""


_DESTRUCTURING: Final = re.compile(
    r"\{([^{}]*)\}[ \t]*=[ \t]*(?:await[ \t]+)?(?:require|import)\b"
)
"""The members that are taken of a module which a call imports."""

_OWN_NAMES: Final = re.compile(r"[:=][^,]*")
"""The names and values that a file gives to such members."""

_SEPARATORS: Final = re.compile(r"[./:\\]+")
_FOLDER_FILES: Final = split_words("__init__ index mod lib")
"""Files that are imported by the name of their folder."""

_MAX_SAME_NAMES: Final = 50
"""Files of one name that are compared with an import: a project may have thousands."""

PathParts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CentralFile:
    """A file that `used_by` others import, and the names that they use most."""

    path: str
    used_by: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Importer:
    """A file that imports a name from another file, or that file as a whole, at `line`."""

    path: str
    takes_name: bool
    line: int


@dataclass(frozen=True, slots=True)
class _Import:
    """A module that is imported at a line, and the names taken from it.

    With `takes_default`, its default export is taken, by any name.
    """

    module: str
    names: PathParts
    line: int
    takes_default: bool = False


@dataclass(frozen=True, slots=True)
class _FileImports:
    """The imports of one file."""

    path: str
    imports: tuple[_Import, ...]


class References:
    """The imports of files that were added. The memory grows with their number."""

    def __init__(self) -> None:
        self._paths: dict[PathParts, str] = {}
        self._parts_by_name: dict[str, list[PathParts]] = defaultdict(list)
        self._files: list[_FileImports] = []

    def add(self, path: str, content: bytes, *, counts: bool = True) -> None:
        """Add a file, or its beginning.

        Its own imports do not count with `counts=False`: those of a test do not show
        which files are central.
        """
        parts = _without_folder_file(tuple(path.rpartition(".")[0].split("/")))
        if parts not in self._paths:
            self._paths[parts] = path
            self._parts_by_name[parts[-1]].append(parts)
        if counts:
            text = content[:HEAD_BYTES].decode("utf-8", "replace")
            imports = tuple(_find_imports(text))
            self._files.append(_FileImports(path, imports))

    def find_central(
        self, max_files: int, max_names: int = 6
    ) -> tuple[CentralFile, ...]:
        """Return the files that most others import, then by path."""
        user_counts: Counter[str] = Counter()
        name_counts: dict[str, Counter[str]] = defaultdict(Counter)
        for file in self._files:
            for path, names in self._find_used(file).items():
                user_counts[path] += 1
                name_counts[path].update(names)
        ranked = sorted(
            user_counts, key=lambda path: (-user_counts[path], path)
        )
        central = []
        for path in ranked[:max_files]:
            common_names = _most_common(name_counts[path], max_names)
            central.append(CentralFile(path, user_counts[path], common_names))
        return tuple(central)

    def _find_used(self, file: _FileImports) -> dict[str, set[str]]:
        """Return the files that a file imports, with the names taken from each."""
        used: dict[str, set[str]] = defaultdict(set)
        for imported in file.imports:
            # An import without names means the module itself.
            for name in imported.names or ("",):
                path = self._resolve(file.path, imported.module, name)
                if path is not None and path != file.path:
                    used[path].add(name)
        for names in used.values():
            names.discard("")
        return used

    def find_importers(
        self, target: str, name: str, *, is_default: bool = False
    ) -> Iterator[Importer]:
        """Yield the files that import `name` from `target`, or `target` as a whole.

        With `is_default`, it is also imported by any other name.
        """
        for file in self._files:
            takes_name = takes_whole = False
            name_line = whole_line = 0
            for imported in file.imports:
                module, names = imported.module, imported.names
                if self._resolve(file.path, module, "") == target:
                    is_named = name in names or (
                        is_default and imported.takes_default
                    )
                    if is_named and not takes_name:
                        takes_name, name_line = True, imported.line
                    if not names and not takes_whole:
                        takes_whole, whole_line = True, imported.line
                elif not takes_whole:
                    # A name may be a module itself: `from package import module`.
                    takes_whole = any(
                        self._resolve(file.path, module, imported_name)
                        == target
                        for imported_name in names
                    )
                    whole_line = imported.line if takes_whole else 0
            if takes_name or takes_whole:
                yield Importer(file.path, takes_name, name_line or whole_line)

    def _resolve(self, path: str, module: str, name: str) -> str | None:
        """Return the file that an import in `path` means by `module`, or by `name` in it."""
        folder = path.split("/")[:-1]
        if module.startswith("."):
            return self._resolve_relative(folder, module, name)
        parts = _split_module(module)
        if name:
            file = self._find_file(folder, (*parts, name))
            if file:
                return file
        # The last parts may be names inside of a module.
        for end in range(len(parts), 0, -1):
            file = self._find_file(folder, parts[:end])
            if file:
                return file
        return None

    def _resolve_relative(
        self, folder: list[str], module: str, name: str
    ) -> str | None:
        """Return the file of an import that begins with a dot."""
        if "/" in module:
            joined = posixpath.join(*folder, module) if folder else module
            parts = tuple(posixpath.normpath(joined).split("/"))
            stem = (*parts[:-1], parts[-1].rpartition(".")[0])
            for candidate in (parts, stem):
                folder_parts = _without_folder_file(candidate)
                path = self._paths.get(candidate) or self._paths.get(
                    folder_parts
                )
                if path is not None:
                    return path
            return None
        # The first dot is the folder itself, each further one a folder above.
        dots = len(module) - len(module.lstrip("."))
        above = folder[: len(folder) - dots + 1]
        parts = (*above, *_split_module(module))
        return self._paths.get((*parts, name)) or self._paths.get(parts)

    def _find_file(self, folder: list[str], parts: PathParts) -> str | None:
        """Return the file whose path ends with `parts`, the one nearest to `folder`."""
        best_path: str | None = None
        best_shared = -1
        for candidate in self._parts_by_name.get(parts[-1], ())[
            :_MAX_SAME_NAMES
        ]:
            length = min(len(candidate), len(parts))
            if candidate[-length:] != parts[-length:]:
                continue
            # A single name is a file in the same folder, or at the top.
            is_near = list(candidate[:-1]) == folder or len(candidate) == 1
            if length == 1 and not is_near:
                continue
            shared = len(posixpath.commonprefix([list(candidate), folder]))
            if shared > best_shared:
                best_path, best_shared = self._paths[candidate], shared
        return best_path


def _most_common(counts: Counter[str], max_names: int) -> PathParts:
    """Return the names with the highest counts, then by name."""
    ranked = sorted(counts, key=lambda name: (-counts[name], name))
    return tuple(ranked[:max_names])


def _without_folder_file(parts: PathParts) -> PathParts:
    """Return the folder of a file that is imported by the name of its folder."""
    if parts[-1] in _FOLDER_FILES and len(parts) > 1:
        return parts[:-1]
    return parts


def _split_module(module: str) -> PathParts:
    """Return the parts of a module's name."""
    return tuple(part for part in _SEPARATORS.split(module) if part)


def _find_imports(text: str) -> Iterator[_Import]:
    """Yield the imports in a text."""
    line_start = 0
    for number, line in enumerate(text.split("\n"), 1):
        # Most lines are no imports, and the expression is slow on them.
        stripped = line.strip()
        if (
            stripped.startswith(_IMPORT_STARTS)
            or "require" in stripped
            or "import(" in stripped
            or stripped.endswith('"')
        ):
            match = _IMPORT.match(text, line_start)
            if match is not None:
                yield _read_import(match, number)
        line_start += len(line) + 1


def _read_import(match: re.Match[str], line: int) -> _Import:
    """Return the import that the expression has matched."""
    modules = match.group("module", "source", "path", "header", "plain", "go")
    module: str = next(filter(None, modules))
    names = match["many"] or match["names"] or match["clause"] or ""
    # Comments, aliases and the word `type` are no names.
    names = re.sub(r"#[^\n]*|\bas[ \t]+[\w$]+", "", names)
    takes_default = False
    if match["clause"]:
        takes_default = _DEFAULT_IMPORT.search(names) is not None
    names = re.sub(r"\btype\b", "", names)
    if match["header"]:
        module = module.rpartition(".")[0] or module
    destructuring = _DESTRUCTURING.search(match[0])
    if match["path"] and destructuring is not None:
        names = _OWN_NAMES.sub("", destructuring[1])
    return _Import(
        module,
        tuple(_NAME.findall(names)),
        line,
        takes_default=takes_default,
    )
