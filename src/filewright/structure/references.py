"""Which files of a project the others refer to: by what they import, read from their first lines by patterns.

No file is parsed: a map is asked for first, of thousands of files, and must be there at once. Ranking files by
the references between them is how repository maps of coding agents choose what to show.
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
"""How much of a file is looked at: imports come first."""

_IMPORTS: Final = re.compile(
    r"^[ \t]*from[ \t]+(?P<module>[.\w]+)[ \t]+import[ \t]+(?:\((?P<many>[^)]*)\)|(?P<names>[^\n#]*))"
    r"|^[ \t]*(?:import|export)[ \t]+(?P<given>[^'\";\n]*(?:\n[^'\";\n]*){0,30}?)[ \t]from[ \t]*"
    r"['\"](?P<source>[^'\"\n]+)['\"]"
    r"|[^\n]*?\b(?:require|require_relative|import)[ \t]*\(?[ \t]*['\"](?P<path>[^'\"\n]+)['\"]"
    r"|^[ \t]*#[ \t]*include[ \t]+[\"<](?P<header>[^\">\n]+)[\">]"
    r"|^[ \t]*(?:pub[ \t]+)?(?:import|use|using|mod)[ \t]+(?:static[ \t]+)?(?P<plain>[A-Za-z_][\w.:\\]*)"
    r"|^[ \t]+(?:\w+[ \t]+)?\"(?P<go>[\w.-]+(?:/[\w.-]+)+)\"[ \t]*$",
    re.MULTILINE,
)
_STARTS: Final = (
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
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_STEPS: Final = re.compile(r"[./:\\]+")
_FOLDER_FILES: Final = split_words("__init__ index mod lib")
"""Files that are imported by the name of their folder."""

Parts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CentralFile:
    """A file that others refer to: `used_by` of them, by `names`, the most used first."""

    path: str
    used_by: int
    names: tuple[str, ...]


class References:
    """Imports, file by file; memory follows their number."""

    def __init__(self) -> None:
        self._files: dict[Parts, str] = {}
        self._by_name: dict[str, list[Parts]] = defaultdict(list)
        self._imports: list[tuple[str, list[tuple[str, Parts]]]] = []

    def add(self, path: str, content: bytes, *, counts: bool = True) -> None:
        """One more file, or its beginning; what tests import (not `counts`) says nothing of what is central."""
        parts = tuple(path.rpartition(".")[0].split("/"))
        if parts[-1] in _FOLDER_FILES and len(parts) > 1:
            parts = parts[:-1]
        if parts not in self._files:
            self._files[parts] = path
            self._by_name[parts[-1]].append(parts)
        if counts:
            text = content[:HEAD_BYTES].decode("utf-8", "replace")
            self._imports.append((path, list(_imports(text))))

    def find_central(
        self, most: int, names: int = 6
    ) -> tuple[CentralFile, ...]:
        """The files that most others import, at most `most`, in a fixed order."""
        users: Counter[str] = Counter()
        uses: dict[str, Counter[str]] = defaultdict(Counter)
        for path, imports in self._imports:
            used: dict[str, set[str]] = defaultdict(set)
            for module, named in imports:
                for name in named or ("",):
                    found = self._found(path, module, name)
                    if found is not None and found != path:
                        used[found].add(name)
            for found, imported in used.items():
                users[found] += 1
                uses[found].update(imported - {""})
        ranked = sorted(users, key=lambda path: (-users[path], path))
        return tuple(
            CentralFile(
                path,
                users[path],
                tuple(
                    sorted(uses[path], key=lambda n: (-uses[path][n], n))[
                        :names
                    ]
                ),
            )
            for path in ranked[:most]
        )

    def find_importers(
        self, target: str, name: str
    ) -> Iterator[tuple[str, bool]]:
        """The files that import `name` from the file `target`, or (with False) that file as a whole."""
        for path, imports in self._imports:
            by_name = whole = False
            for module, names in imports:
                if self._found(path, module, "") == target:
                    by_name, whole = (
                        by_name or name in names,
                        whole or not names,
                    )
                else:
                    whole = whole or any(
                        self._found(path, module, each) == target
                        for each in names
                    )
            if by_name or whole:
                yield path, by_name

    def _found(self, path: str, module: str, name: str) -> str | None:
        """The file that `module`, or `name` in it, is."""
        above = path.split("/")[:-1]
        if module.startswith("."):
            if "/" in module:
                target = posixpath.normpath(
                    posixpath.join(*above, module) if above else module
                )
                steps = tuple(target.split("/"))
                return self._files.get(steps) or self._files.get(
                    (*steps[:-1], steps[-1].rpartition(".")[0])
                )
            up = len(module) - len(module.lstrip("."))
            inner = [step for step in _STEPS.split(module) if step]
            steps = (*above[: len(above) - up + 1], *inner)
            return self._files.get((*steps, name)) or self._files.get(steps)
        steps = tuple(step for step in _STEPS.split(module) if step)
        if name and (found := self._absolute(above, (*steps, name))):
            return found
        for end in range(len(steps), 0, -1):
            if found := self._absolute(above, steps[:end]):
                return found
        return None

    def _absolute(self, above: list[str], steps: Parts) -> str | None:
        best: tuple[int, str] | None = None
        for parts in self._by_name.get(steps[-1], ())[:50]:
            least = min(len(parts), len(steps))
            beside = list(parts[:-1]) == above or len(parts) == 1
            if parts[-least:] != steps[-least:] or (least == 1 and not beside):
                continue
            shared = len(posixpath.commonprefix([list(parts), above]))
            if best is None or shared > best[0]:
                best = shared, self._files[parts]
        return best[1] if best is not None else None


def _imports(text: str) -> Iterator[tuple[str, Parts]]:
    """What is imported; only lines that look like an import are read as one, for most do not."""
    at = 0
    for line in text.split("\n"):
        bare = line.strip()
        if (
            bare.startswith(_STARTS)
            or "require" in bare
            or "import(" in bare
            or bare.endswith('"')
        ):
            match = _IMPORTS.match(text, at)
            if match is not None:
                yield _imported(match)
        at += len(line) + 1


def _imported(match: re.Match[str]) -> tuple[str, Parts]:
    """The module of an import, and the names that are taken from it."""
    modules: list[str] = [
        *filter(
            None,
            match.group("module", "source", "path", "header", "plain", "go"),
        )
    ]
    module = modules[0]
    named = match["many"] or match["names"] or match["given"] or ""
    plain = re.sub(r"#[^\n]*|\bas[ \t]+\w+|\btype\b", "", named)
    if match["header"]:
        module = module.rpartition(".")[0] or module
    return module, tuple(_NAME.findall(plain))
