"""Imports of names that one file of a change defines, in another file that uses them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from filewright.edit.import_insertion import NewImport
from filewright.structure.import_statements import (
    CALL,
    REQUIRE,
    TOP,
    ImportFacts,
)
from filewright.structure.module_names import (
    ModuleMove,
    PathParts,
    is_script,
    rebase_module,
)
from filewright.tools.edit.import_graph import (
    SOURCE_FOLDERS,
    Exists,
    ImportGraph,
)

_EXPLICIT_ENDINGS: Final = (".js", ".mjs", ".cjs")
_TYPE_KINDS: Final = ("interface", "type")


@dataclass(frozen=True, slots=True)
class ModuleText:
    """A file with its imports, and the names that it defines."""

    path: PathParts
    content: bytes
    facts: ImportFacts

    @property
    def is_python(self) -> bool:
        """True for a file of Python."""
        return not is_script(self.path)

    def keeps(self, name: str) -> bool:
        """Return True if it defines a name once, for other files too, and keeps it."""
        facts = self.facts
        if facts.note or facts.error_start is not None:
            return False
        if any(name in statement.top_names for statement in facts.statements):
            return False
        own = [defined for defined in facts.defined if defined.name == name]
        if len(own) != 1:
            return False
        if not self.is_python:
            return own[0].exported_name == name
        return not own[0].is_rebound


def import_names(
    graph: ImportGraph,
    importer: ModuleText,
    source: ModuleText,
    names: Sequence[str],
    kinds: Mapping[str, str],
) -> list[NewImport]:
    """Return the import of names that `source` defines, none if it is not certain.

    The import is added to the graph. `kinds` are those of symbols, by name.
    """
    module = _find_module(graph, importer, source)
    if not module or _may_be_modules(names, source, graph.exists):
        return []
    files = graph.find_loaded_files(importer.path, source.path)
    if not graph.is_safe(importer.path, files):
        return []
    imports = _build_imports(importer, source, module, names, kinds)
    if imports:
        graph.add(importer.path, files)
    return imports


def _may_be_modules(
    names: Sequence[str], source: ModuleText, exists: Exists
) -> bool:
    """Return True if one of the names of a package is a module of it too."""
    return source.path[-1] == "__init__.py" and any(
        exists((*source.path[:-1], f"{name}.py")) for name in names
    )


def _find_module(
    graph: ImportGraph, importer: ModuleText, source: ModuleText
) -> str:
    """Return the name of a file's module in another file, or "".

    It is written like the names of other files of the root in one of the two.
    """
    exists = graph.exists
    for text in (importer, source):
        for statement in text.facts.statements:
            module = statement.module
            if statement.block != TOP or not module:
                continue
            files = [*graph.find_files(text.path, statement)]
            sample = rebase_module(module, text.path, importer.path, exists)
            for file in files:
                if sample.reason or file == source.path:
                    continue
                move = ModuleMove(file, source.path, exists)
                found = move.find_new_module(importer.path, sample.text)
                if found is not None and found.text:
                    return found.text
    if source.path[:-1] != importer.path[:-1]:
        return ""
    name = source.path[-1]
    if not importer.is_python:
        return f"./{name}" if name.endswith(_EXPLICIT_ENDINGS) else ""
    stem = name.removesuffix(".py")
    if stem == "__init__":
        return "."
    if not stem.isidentifier():
        return ""
    folder = source.path[:-1]
    if exists((*folder, "__init__.py")):
        return f".{stem}"
    # Any other folder may be a package too.
    is_source = "/".join(folder) in SOURCE_FOLDERS
    return stem if is_source else ""


def _build_imports(
    importer: ModuleText,
    source: ModuleText,
    module: str,
    names: Sequence[str],
    kinds: Mapping[str, str],
) -> list[NewImport]:
    """Return the imports of names from a module; types of a script have their own."""
    if importer.is_python:
        return [NewImport(f"from {module} import {', '.join(names)}")]
    style = _find_script_style(importer, source)
    if style is None:
        return []
    quote, end = style
    types = [name for name in names if kinds.get(name, "") in _TYPE_KINDS]
    imports: list[NewImport] = []
    for word, listed in (
        ("import", [name for name in names if name not in types]),
        ("import type", types),
    ):
        if listed:
            imports.append(
                NewImport(
                    f"{word} {{ {', '.join(listed)} }} from "
                    f"{quote}{module}{quote}{end}"
                )
            )
    return imports


def _find_script_style(
    importer: ModuleText, source: ModuleText
) -> tuple[str, str] | None:
    """Return the quote and the end of imports of a script, None if there are only calls."""
    for text in (importer, source):
        for statement in text.facts.statements:
            if statement.form == REQUIRE:
                return None
            if statement.form == CALL or statement.block != TOP:
                continue
            start = statement.module_start
            quote = text.content[start - 1 : start].decode("latin-1")
            ends = text.content.startswith(b";", statement.end - 1)
            return quote, ";" if ends else ""
    content = source.content
    quote = '"' if content.count(b'"') > content.count(b"'") else "'"
    return quote, ";" if b";" in content else ""
