"""Names of modules: the file that an import means, and the name of another file there.

Only certain answers count. Paths are parts below the root, as text; `exists` tells if a
file is there.
"""

from __future__ import annotations

import keyword
import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

PathParts = tuple[str, ...]

TWO_MODULES: Final = "two modules of that name"
UNRESOLVED: Final = "its module cannot be resolved"

_SOURCE_FOLDERS: Final = ("src", "lib", "python")
"""Folders whose modules other folders import by their plain names."""

_SCRIPT_EXTENSIONS: Final = (
    *(".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts"),
    *(".mjs", ".cjs", ".json"),
)
_IMPLIED_EXTENSIONS: Final = (".ts", ".tsx", ".js", ".jsx")
"""Extensions that an import may leave out."""

_EMITTED_EXTENSIONS: Final = {
    ".ts": ".js",
    ".tsx": ".js",
    ".mts": ".mjs",
    ".cts": ".cjs",
}
"""Extensions of the files that a compiler writes, by which TypeScript may import."""

_PYTHON_EXTENSIONS: Final = (".py", ".pyi", ".pyw", ".pyx", ".pyd", ".so")

_PLAIN_SPECIFIER: Final = re.compile(r"[\w./@+~-]+")


@dataclass(frozen=True, slots=True)
class NewModule:
    """The text that names another module in an import, or the `reason` why there is none."""

    text: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ModuleMove:
    """A move of names from the module `old` to the module `new`.

    `twins` are other files whose names end as that of the old one (see `find_twins`).
    """

    old: PathParts
    new: PathParts
    exists: Callable[[PathParts], bool]
    twins: Collection[PathParts] = ()

    def find_new_module(
        self, importer: PathParts, module: str
    ) -> NewModule | None:
        """Return the new module in an import of `importer`, None for another module."""
        if is_script(self.old):
            return self._find_new_specifier(importer, module)
        if module.startswith("."):
            return self._find_new_relative(importer, module)
        return self._find_new_absolute(importer, module)

    # Python

    def _find_new_relative(
        self, importer: PathParts, module: str
    ) -> NewModule | None:
        """Return the new module in place of one that begins with dots."""
        name = "".join(module.split())
        rest = name.lstrip(".")
        dots = len(name) - len(rest)
        folder = importer[:-1]
        if dots > len(folder) + 1:
            return None
        base = folder[: len(folder) - dots + 1]
        parts = base
        if rest:
            parts = (*base, *rest.split("."))
        if parts != python_parts(self.old):
            return None
        if self._has_twin_file(self.old) or self._has_twin_file(self.new):
            return NewModule(reason=TWO_MODULES)
        new_parts = python_parts(self.new)
        shared = _shared_length(folder, new_parts)
        new_dots = len(folder) - shared + 1
        if new_dots > max(dots, self.package_depth(folder)):
            return NewModule(reason="the new module is in another package")
        return _join_module("." * new_dots, new_parts[shared:])

    def _find_new_absolute(
        self, importer: PathParts, module: str
    ) -> NewModule | None:
        """Return the new module in place of one that is named from the top."""
        parts = tuple(module.split("."))
        old_parts = python_parts(self.old)
        if old_parts[-len(parts) :] != parts:
            return None
        folder = old_parts[:-1]
        if len(parts) <= self.package_depth(folder):
            return NewModule(reason=UNRESOLVED)
        base = old_parts[: len(old_parts) - len(parts)]
        is_near = importer[: len(base)] == base or base[-1] in _SOURCE_FOLDERS
        if len(parts) == 1 and not is_near:
            return NewModule(reason=UNRESOLVED)
        for path in self.twins:
            if python_parts(path)[-len(parts) :] == parts:
                return NewModule(reason=TWO_MODULES)
        if self._has_twin_file(self.old) or self._has_twin_file(self.new):
            return NewModule(reason=TWO_MODULES)
        new_parts = python_parts(self.new)
        if new_parts[: len(base)] != base or len(new_parts) == len(base):
            return NewModule(reason="the new module is in another package")
        return _join_module("", new_parts[len(base) :])

    def package_depth(self, folder: PathParts) -> int:
        """Return the number of packages around the files of a folder."""
        depth = 0
        while folder and self.exists((*folder, "__init__.py")):
            depth += 1
            folder = folder[:-1]
        return depth

    def _has_twin_file(self, path: PathParts) -> bool:
        """Return True if a module is both a file and a folder."""
        parts = python_parts(path)
        if not parts:
            return False
        if path[-1].startswith("__init__."):
            return self.exists((*parts[:-1], f"{parts[-1]}.py"))
        return self.exists((*parts, "__init__.py"))

    # JavaScript and TypeScript

    def _find_new_specifier(
        self, importer: PathParts, specifier: str
    ) -> NewModule | None:
        """Return the new specifier in place of one that means the old file."""
        old_stem = _without_extension("/".join(self.old))
        if not specifier.startswith(("./", "../")) and specifier not in (
            ".",
            "..",
        ):
            name = _without_extension(specifier).rpartition("/")[2]
            old_name = old_stem.removesuffix("/index").rpartition("/")[2]
            if name == old_name:
                return NewModule(reason=UNRESOLVED)
            return None
        folder = "/".join(importer[:-1])
        target = posixpath.normpath(posixpath.join(folder, specifier))
        if target.startswith(".."):
            return None
        old, new = "/".join(self.old), "/".join(self.new)
        relative = posixpath.relpath(new, folder or ".")
        if not relative.startswith("../"):
            relative = f"./{relative}"
        new_stem = _without_extension(relative)
        new_extension = relative.removeprefix(new_stem)
        if target == old:
            return _build_specifier(relative)
        if _emitted_path(old) == target and not self._has_file(target):
            extension = _EMITTED_EXTENSIONS.get(new_extension, new_extension)
            return _build_specifier(f"{new_stem}{extension}")
        is_folder = target in ("", ".", posixpath.dirname(old))
        if is_folder:
            target = posixpath.join(target, "index").removeprefix("./")
        if target != old_stem:
            return None
        if new_extension not in _IMPLIED_EXTENSIONS:
            return NewModule(reason="the new file needs its extension")
        if self._has_twin_script(old) or self._has_twin_script(new):
            return NewModule(reason=TWO_MODULES)
        folder_stem = new_stem.removesuffix("/index")
        if is_folder and folder_stem not in (new_stem, ".", ".."):
            new_stem = folder_stem
        return _build_specifier(new_stem)

    def _has_twin_script(self, path: str) -> bool:
        """Return True if another file is imported by the same name without extension."""
        stem = _without_extension(path)
        stems = [stem, f"{stem}/index"]
        if stem.endswith("/index"):
            stems = [stem, stem.removesuffix("/index")]
        for other_stem in stems:
            for extension in _SCRIPT_EXTENSIONS:
                other = f"{other_stem}{extension}"
                if other != path and self._has_file(other):
                    return True
        return False

    def _has_file(self, path: str) -> bool:
        """Return True if there is a file at a path below the root."""
        return self.exists(tuple(path.split("/")))


def find_twins(
    old: PathParts, mentions: Iterable[PathParts]
) -> tuple[PathParts, ...]:
    """Return the files that an absolute import may mean in place of a module of Python.

    `mentions` are the files that mention its name: only one of them can define it.
    """
    old_parts = python_parts(old)
    twins: list[PathParts] = []
    for path in mentions:
        if path == old or not path[-1].endswith(_PYTHON_EXTENSIONS):
            continue
        parts = python_parts(path)
        # A stub of the old file is no other module.
        is_stub = path[-1].endswith(".pyi") and parts == old_parts
        if parts[-1:] == old_parts[-1:] and not is_stub:
            twins.append(path)
    return tuple(twins)


def is_script(path: PathParts) -> bool:
    """Return True for a file of JavaScript or TypeScript."""
    return path[-1].endswith(_SCRIPT_EXTENSIONS)


def python_parts(path: PathParts) -> PathParts:
    """Return the parts of the name of a Python module, from the root."""
    stem = path[-1].rpartition(".")[0]
    if stem == "__init__":
        return path[:-1]
    return (*path[:-1], stem)


def module_stem(path: PathParts) -> str:
    """Return the last word of the names by which a file is imported, "" for the root."""
    stem = path[-1].partition(".")[0]
    if stem in ("__init__", "index"):
        return path[-2] if len(path) > 1 else ""
    return stem


def specifier_pattern(path: PathParts) -> str:
    """Return a regular expression of the strings that may mean a script.

    It finds them in a text of any language, with the quote or slash before them.
    """
    stem = _without_extension(path[-1])
    names = [stem]
    if stem == "index":
        names += path[-2:-1]
    words = "|".join(map(re.escape, names))
    pattern = rf"['\"`/](?:{words})(?:\.\w+){{0,2}}/?['\"`]"
    if stem == "index":
        # Files of the folder may import it as `.`.
        pattern += r"|['\"`][./]+['\"`]"
    return pattern


def star_pattern(path: PathParts) -> str:
    """Return a regular expression of the statements that may take all names of a file.

    It is "" for a module that has no name.
    """
    if is_script(path):
        # `export * from "./a"` and `export * as names from "./a"`.
        specifier = specifier_pattern(path)
        return rf"\bexport\s+\*[^;]{{0,400}}(?:{specifier})"
    stem = module_stem(path)
    if not stem:
        return ""
    names = rf"[\w.]*\b{re.escape(stem)}"
    if path[-1].startswith("__init__."):
        # Files of the package may import it as `.`.
        names += r"|\.+"
    return rf"\bfrom\s+(?:{names})\s+import\s+\*"


def _shared_length(parts: PathParts, other_parts: PathParts) -> int:
    """Return the number of first parts that two paths share."""
    length = 0
    for part, other_part in zip(parts, other_parts, strict=False):
        if part != other_part:
            break
        length += 1
    return length


def _join_module(dots: str, parts: Sequence[str]) -> NewModule:
    """Return a module of Python by its dots and its parts."""
    for part in parts:
        if not part.isidentifier() or keyword.iskeyword(part):
            return NewModule(reason="the new file has no name of a module")
    return NewModule(dots + ".".join(parts))


def _build_specifier(text: str) -> NewModule:
    """Return a specifier of JavaScript, unless its characters need quoting."""
    if _PLAIN_SPECIFIER.fullmatch(text) is None:
        return NewModule(reason="the path of the new file needs quoting")
    return NewModule(text)


def _without_extension(path: str) -> str:
    """Return a path without the extension of a script."""
    for extension in sorted(_SCRIPT_EXTENSIONS, key=len, reverse=True):
        if path.endswith(extension):
            return path.removesuffix(extension)
    return path


def _emitted_path(path: str) -> str:
    """Return the path of the file that a compiler writes for one of TypeScript."""
    stem = _without_extension(path)
    extension = path.removeprefix(stem)
    return f"{stem}{_EMITTED_EXTENSIONS.get(extension, extension)}"


def rebase_module(
    module: str,
    origin: PathParts,
    destination: PathParts,
    exists: Callable[[PathParts], bool],
) -> NewModule:
    """Return the name by which another file imports the module that `origin` imports."""
    if is_script(origin):
        return _rebase_specifier(module, origin, destination, exists)
    folder, new_folder = origin[:-1], destination[:-1]
    if folder == new_folder:
        return NewModule(module)
    if not module.startswith("."):
        first = module.partition(".")[0]
        is_near = any(
            _has_module(exists, (*place, first))
            for place in (folder, new_folder)
        )
        # A script finds its neighbours by their plain names.
        is_script_folder = is_near and not exists((*new_folder, "__init__.py"))
        return NewModule(
            "" if is_script_folder else module,
            UNRESOLVED if is_script_folder else "",
        )
    rest = module.lstrip(".")
    dots = len(module) - len(rest)
    if dots > len(folder) + 1:
        return NewModule(reason=UNRESOLVED)
    base = folder[: len(folder) - dots + 1]
    parts = (*base, *rest.split(".")) if rest else base
    shared = _shared_length(new_folder, parts)
    new_dots = len(new_folder) - shared + 1
    depth = ModuleMove(origin, destination, exists).package_depth(new_folder)
    if new_dots > depth or not _has_module(exists, parts):
        return NewModule(reason=UNRESOLVED)
    return _join_module("." * new_dots, parts[shared:])


def _has_module(exists: Callable[[PathParts], bool], parts: PathParts) -> bool:
    """Return True if there is a module or package of Python at a path."""
    if not parts:
        return False
    is_module = exists((*parts[:-1], f"{parts[-1]}.py"))
    return is_module or exists((*parts, "__init__.py"))


def _rebase_specifier(
    specifier: str,
    origin: PathParts,
    destination: PathParts,
    exists: Callable[[PathParts], bool],
) -> NewModule:
    """Return the specifier by which another script imports what `origin` imports."""
    folder, new_folder = origin[:-1], destination[:-1]
    if folder == new_folder:
        return NewModule(specifier)
    is_relative = specifier in (".", "..") or specifier.startswith(
        ("./", "../")
    )
    if not is_relative:
        shared = _shared_length(folder, new_folder)
        for path in (folder, new_folder):
            for length in range(shared + 1, len(path) + 1):
                # Another package may have other dependencies and aliases.
                if exists((*path[:length], "package.json")):
                    return NewModule(reason=UNRESOLVED)
        return NewModule(specifier)
    target = posixpath.normpath(posixpath.join("/".join(folder), specifier))
    if target.startswith(".."):
        return NewModule(reason=UNRESOLVED)
    relative = posixpath.relpath(target, "/".join(new_folder) or ".")
    if not relative.startswith("."):
        relative = f"./{relative}"
    return _build_specifier(relative)
