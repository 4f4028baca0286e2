"""The map of a folder, which `get_overview` gives: what is in it, where it begins, what the rest refers to."""

from __future__ import annotations

import heapq
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from filewright.boundary import FolderEntry, Location
from filewright.errors import Code, FilewrightError
from filewright.languages import MANIFESTS, PARSED, Language, language_of
from filewright.structure import HEAD_BYTES, CentralFile, References
from filewright.tools.context import Context
from filewright.tools.result import Page, ToolResult, clip, size_text
from filewright.visible import visible
from filewright.wording import counted, listed

_PAGE_CHARS = 6_000
_FOLDERS, _NAMES, _CENTRAL, _LISTED = 24, 12, 12, 8
_SMALL, _SYMBOLS, _SMALL_BYTES = 24, 10, 64 << 10
"""Of so few files each is listed with the names it defines, if it is as small as that."""
_MOST_ENTRIES = 300_000
_READ_FILES = 4_000
"""Files whose imports are read."""

_DATA = {Language.HTML, Language.CSS, Language.JSON, Language.MARKDOWN, Language.YAML, Language.TOML}
_READ_FIRST = re.compile(r"(?i)^(?:readme|contributing|architecture|agents|claude|changelog)(?:\.\w+)?$")
_ENTRY = re.compile(r"(?i)^(?:__main__|main|cli|app|manage|server|index|wsgi|asgi|program|lib|mod)\.\w+$")
_TEST = re.compile(
    r"(?i)(?:^|/)(?:tests?|specs?|__tests__|testing)/|(?:^|/)(?:test_[^/]*|[^/]*[._]test|[^/]*\.spec)\.\w+$"
)


@dataclass(frozen=True, kw_only=True)
class FolderMap(ToolResult):
    """What is below a folder: `files` of so many `bytes`, languages by their files, and where to look first.

    `manifests`, `entries` (also the commands that manifests name) and `tests` are paths; `central` the files
    that most others refer to.
    """

    path: str
    files: int
    bytes: int
    languages: tuple[tuple[str, int], ...]
    manifests: tuple[str, ...]
    entries: tuple[str, ...]
    tests: tuple[str, ...]
    central: tuple[CentralFile, ...]
    complete: bool


@dataclass
class _Below:
    """A folder with what is below it, in all levels."""

    path: str
    files: int = 0
    size: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    folders: dict[str, _Below] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)

    @property
    def order(self) -> tuple[int, str]:
        """The folders with most code come first, then those with most files."""
        return (-(4 * sum(self.kinds.values()) + self.files), self.path)


@dataclass
class _Gathered:
    """What the walk met."""

    top: _Below
    files: list[tuple[str, FolderEntry]] = field(default_factory=list)
    sources: list[tuple[str, Location]] = field(default_factory=list)
    manifests: list[tuple[str, Location]] = field(default_factory=list)
    first: list[str] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    tests: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    complete: bool = True


def folder_map(context: Context, location: Location) -> FolderMap:
    """The map of a folder, less what the ignore rules leave out. Raises what walking it does."""
    gathered = _gathered(context, location)
    top = gathered.top
    central = _central(context, gathered)
    commands = [command for path, place in gathered.manifests for command in _commands(context, path, place)]
    page = Page(min(_PAGE_CHARS, context.settings.page_chars))
    shown = location.shown
    languages = tuple(gathered.languages.most_common())
    page.add(
        f"{visible(shown)}/: {counted(top.files, 'file')}, {size_text(top.size)}"
        + (f"; {', '.join(f'{name} {count}' for name, count in languages[:_LISTED])}" if languages else "")
    )
    if not top.files:
        page.add("(no files)" if top.folders else "(empty folder)")
    entries = (*commands, *sorted(gathered.entries, key=lambda path: path.count("/")))
    tests = tuple(path for path, _ in gathered.tests.most_common())
    for heading, rows in (
        ("read first", gathered.first),
        ("manifests", [path for path, _ in gathered.manifests]),
        ("entry points", entries),
        ("tests", [f"{path} ({counted(gathered.tests[path], 'file')})" for path in tests]),
    ):
        if rows:
            page.add(clip(f"{heading}: {listed([visible(row) for row in rows], _LISTED)}", 900))
    if central:
        page.add("", "most referred to (by so many files), with the names used:")
        page.extend(
            (
                f"  {visible(file.path)} ({file.used_by}){': ' * bool(file.names)}{', '.join(file.names)}"
                for file in central
            ),
            reserve=1_500,
        )
    rows = list(_tree(top) if top.files > _SMALL else _files(context, gathered))
    if rows:
        page.add("")
    left = page.extend(rows, reserve=200)
    if left or not gathered.complete:
        page.add("[more than is shown; get_overview of a folder shows more of it, list_files its names]")
    return FolderMap(
        page.text(),
        path=shown,
        files=top.files,
        bytes=top.size,
        languages=languages,
        manifests=tuple(path for path, _ in gathered.manifests),
        entries=entries,
        tests=tests,
        central=central,
        complete=gathered.complete,
    )


def _gathered(context: Context, location: Location) -> _Gathered:
    gathered = _Gathered(_Below(""))
    walk = context.boundary.walk(location, details=True, kinds=["file", "folder"], task=context.task)
    chains: dict[bytes, list[_Below]] = {b"": [gathered.top]}
    base = "" if location.shown == "." else f"{location.shown}/"
    for number, entry in enumerate(walk):
        if number >= _MOST_ENTRIES:
            gathered.complete = False
            break
        above = chains[entry.path.rpartition(b"/")[0]]
        path = visible(entry.location.shown.removeprefix(base))
        folder, _, name = path.rpartition("/")
        if entry.kind == "folder":
            inner = above[-1].folders[path] = _Below(path)
            chains[entry.path] = [*above, inner]
            continue
        language, test = language_of(entry.name, b""), _TEST.search(path)
        for below in above:
            below.files += 1
            below.size += entry.status.size if entry.status is not None else 0
            if language in PARSED:
                below.kinds[str(language)] += 1
        above[-1].names.append(name)
        if len(gathered.files) <= _SMALL:
            gathered.files.append((path, entry))
        if language is not None:
            gathered.languages[str(language)] += 1
        if name.lower() in MANIFESTS and len(above) <= 3:
            gathered.manifests.append((path, entry.location))
        elif _READ_FIRST.match(name) and len(above) <= 2:
            gathered.first.append(path)
        if test is not None:
            gathered.tests[path[: test.end() - 1] if test[0].endswith("/") else folder or path] += 1
        elif _ENTRY.match(name) and language in PARSED - _DATA and len(above) <= 5:
            gathered.entries.append(path)
        if language in PARSED:
            gathered.sources.append((path, entry.location))
    return gathered


def _central(context: Context, gathered: _Gathered) -> tuple[CentralFile, ...]:
    """What others refer to, by the first lines of each source."""
    references = References()
    for path, location in gathered.sources[:_READ_FILES]:
        context.task.check()
        try:
            with context.boundary.open_file(location) as file:
                content = file.read(0, HEAD_BYTES)
        except FilewrightError as error:
            if error.code in (Code.CANCELLED, Code.TIMEOUT):
                raise
            continue  # it went away, or may not be read
        references.add(path, content, counts=_TEST.search(path) is None)
    return references.central(_CENTRAL)


def _commands(context: Context, path: str, location: Location) -> Iterator[str]:
    """The commands that a manifest names, with what they run."""
    name = path.rpartition("/")[2].lower()
    if name not in ("pyproject.toml", "package.json"):
        return
    try:
        with context.open_text(location) as snapshot:
            text = snapshot.read(0, min(snapshot.size, 1 << 18)).decode("utf-8", "replace")
        read: Any = tomllib.loads(text) if name.endswith(".toml") else json.loads(text)
        named: Any = (
            read.get("project", {}).get("scripts", {}) if name.endswith(".toml") else read.get("bin", {})
        )
        if isinstance(named, str):
            named = {str(read.get("name", path)): named}
        for command, target in list(named.items())[:_LISTED]:
            yield clip(f"{command} = {target}", 120)
    except (FilewrightError, ValueError, AttributeError, RecursionError):
        return  # a manifest that cannot be read names nothing


def _files(context: Context, gathered: _Gathered) -> Iterator[str]:
    """Each file with what it defines: of a small folder that says more than a tree."""
    for path, entry in gathered.files:
        names: list[str] = []
        small = entry.status is not None and entry.status.size <= _SMALL_BYTES
        if small and language_of(entry.name, b"") in PARSED - _DATA:
            try:
                with context.open_text(entry.location) as snapshot:
                    outline = context.outlines.outline(snapshot, task=context.task)
                names = [symbol.name for symbol in outline.symbols if symbol.kind != "import"]
            except FilewrightError as error:
                if error.code in (Code.CANCELLED, Code.TIMEOUT):
                    raise
        more = f" … and {len(names) - _SYMBOLS} more" if len(names) > _SYMBOLS else ""
        yield path + (f": {visible(clip(', '.join(names[:_SYMBOLS]), 300))}{more}" if names else "")


def _tree(top: _Below) -> Iterator[str]:
    """The folders as a tree: those with most code are opened first, as long as rows are left."""
    opened = {top.path}
    rows = len(top.folders)
    pending = [(folder.order, folder.path, folder) for folder in top.folders.values()]
    heapq.heapify(pending)
    while pending and rows < _FOLDERS:
        _, path, folder = heapq.heappop(pending)
        more = len(folder.folders) + bool(folder.names)
        if more and rows + more <= 2 * _FOLDERS:
            opened.add(path)
            rows += more
            for inner in folder.folders.values():
                heapq.heappush(pending, (inner.order, inner.path, inner))
    stack = [(0, top)]
    while stack:
        depth, folder = stack.pop()
        if folder is not top:
            kinds = ", ".join(f"{kind} {count}" for kind, count in folder.kinds.most_common(3))
            what = (
                kinds
                if sum(folder.kinds.values()) == folder.files
                else f"{counted(folder.files, 'file')}; {kinds}"
            )
            name = folder.path.rpartition("/")[2]
            yield f"{'  ' * (depth - 1)}{name}/ {what.rstrip('; ')}"
        if folder.path in opened:
            ordered = sorted(folder.folders.values(), key=lambda each: each.order, reverse=True)
            if folder is not top and folder.names:
                yield f"{'  ' * depth}{_some(folder.names)}"
            stack += [(depth + 1, inner) for inner in ordered]
    if top.names:
        yield _some(top.names)


def _some(names: list[str]) -> str:
    more = f" … and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return clip(" ".join(names[:_NAMES]), 400) + more
