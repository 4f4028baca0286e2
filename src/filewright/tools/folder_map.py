"""The map of a folder, which `get_overview` gives: what is in it, where it begins, what the rest refers to."""

from __future__ import annotations

import heapq
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from filewright.boundary import FolderEntry, Location
from filewright.errors import FilewrightError
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
    """A folder with what is below it, in all levels; `above` it is another but the top."""

    path: str
    above: _Below | None = None
    files: int = 0
    size: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    folders: list[_Below] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    @property
    def order(self) -> tuple[int, str]:
        """The folders with most code come first, then those with most files."""
        return (-(4 * sum(self.kinds.values()) + self.files), self.path)


def folder_map(context: Context, location: Location) -> FolderMap:
    """The map of a folder, less what the ignore rules leave out. Raises what walking it does."""
    top = _Below("")
    folders = {b"": (0, top)}
    files: list[tuple[str, FolderEntry]] = []
    sources: list[tuple[str, Location]] = []
    manifests: dict[str, Location] = {}
    first: list[str] = []
    named: list[str] = []
    tested: Counter[str] = Counter()
    spoken: Counter[str] = Counter()
    complete = True
    base = "" if location.shown == "." else f"{location.shown}/"
    walk = context.boundary.walk(location, details=True, kinds=["file", "folder"], task=context.task)
    for number, entry in enumerate(walk):
        if number >= _MOST_ENTRIES:
            complete = False
            break
        depth, parent = folders[entry.path.rpartition(b"/")[0]]
        path = visible(entry.location.shown.removeprefix(base))
        folder, _, name = path.rpartition("/")
        if entry.kind == "folder":
            parent.folders.append(_Below(path, parent))
            folders[entry.path] = depth + 1, parent.folders[-1]
            continue
        language, test = language_of(entry.name, b""), _TEST.search(path)
        parent.names.append(name)
        below: _Below | None = parent
        while below is not None:
            below.files += 1
            below.size += entry.status.size if entry.status is not None else 0
            if language in PARSED:
                below.kinds[str(language)] += 1
            below = below.above
        if top.files <= _SMALL:
            files.append((path, entry))
        if language is not None:
            spoken[str(language)] += 1
        if name.lower() in MANIFESTS and depth < 3:
            manifests[path] = entry.location
        elif _READ_FIRST.match(name) and depth < 2:
            first.append(path)
        if test is not None:
            tested[path[: test.end() - 1] if test[0].endswith("/") else folder or path] += 1
        elif _ENTRY.match(name) and language in PARSED - _DATA and depth < 5:
            named.append(path)
        if language in PARSED:
            sources.append((path, entry.location))
    central = _central(context, sources)
    commands = [command for path, place in manifests.items() for command in _commands(context, path, place)]
    entries = (*commands, *sorted(named, key=lambda path: path.count("/")))
    languages, tests = tuple(spoken.most_common()), tuple(path for path, _ in tested.most_common())
    page = Page(min(_PAGE_CHARS, context.settings.page_chars))
    kinds = ", ".join(f"{name} {count}" for name, count in languages[:_LISTED])
    size = f"{counted(top.files, 'file')}, {size_text(top.size)}"
    page.add(f"{visible(location.shown)}/: {size}{'; ' * bool(kinds)}{kinds}")
    if not top.files:
        page.add("(no files)" if top.folders else "(empty folder)")
    for heading, paths in (
        ("read first", first),
        ("manifests", [*manifests]),
        ("entry points", entries),
        ("tests", [f"{path} ({counted(tested[path], 'file')})" for path in tests]),
    ):
        if paths:
            page.add(clip(f"{heading}: {listed([visible(path) for path in paths], _LISTED)}", 900))
    if central:
        page.add("", "most referred to (by so many files), with the names used:")
        uses = ((f"{visible(each.path)} ({each.used_by})", ", ".join(each.names)) for each in central)
        page.extend((f"  {used}{': ' * bool(names)}{names}" for used, names in uses), reserve=1_500)
    rows = [*(_tree(top) if top.files > _SMALL else _files(context, files))]
    if rows:
        page.add("")
    if page.extend(rows, reserve=200) or not complete:
        page.add("[more than is shown; get_overview of a folder shows more of it, list_files its names]")
    return FolderMap(
        page.text(),
        path=location.shown,
        files=top.files,
        bytes=top.size,
        languages=languages,
        manifests=tuple(manifests),
        entries=entries,
        tests=tests,
        central=central,
        complete=complete,
    )


def _central(context: Context, sources: Sequence[tuple[str, Location]]) -> tuple[CentralFile, ...]:
    """What others refer to, by the first lines of each source."""
    references = References()
    for path, location in sources[:_READ_FILES]:
        context.task.check()
        try:
            with context.boundary.open_file(location) as file:
                content = file.read(0, HEAD_BYTES)
        except FilewrightError as error:
            if error.ends_call:
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
        read: Any = tomllib.loads(text)["project"] if name.endswith(".toml") else json.loads(text)
        named: Any = read["scripts" if name.endswith(".toml") else "bin"]
        if isinstance(named, str):
            named = {str(read.get("name", path)): named}
        for command, target in [*named.items()][:_LISTED]:
            yield clip(f"{command} = {target}", 120)
    except (FilewrightError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return  # a manifest that cannot be read names nothing


def _files(context: Context, files: Sequence[tuple[str, FolderEntry]]) -> Iterator[str]:
    """Each file with what it defines: of a small folder that says more than a tree."""
    for path, entry in files:
        names: list[str] = []
        small = entry.status is not None and entry.status.size <= _SMALL_BYTES
        if small and language_of(entry.name, b"") in PARSED - _DATA:
            try:
                with context.open_text(entry.location) as snapshot:
                    outline = context.outlines.outline(snapshot, task=context.task)
                names = [symbol.name for symbol in outline.symbols if symbol.kind != "import"]
            except FilewrightError as error:
                if error.ends_call:
                    raise
        yield path + (f": {visible(_some(names, _SYMBOLS, 300, ', '))}" if names else "")


def _tree(top: _Below) -> Iterator[str]:
    """The folders as a tree: those with most code are opened first, as long as rows are left."""
    opened = {top.path}
    rows = len(top.folders)
    pending = [(folder.order, folder) for folder in top.folders]
    heapq.heapify(pending)
    while pending and rows < _FOLDERS:
        _, folder = heapq.heappop(pending)
        more = len(folder.folders) + bool(folder.names)
        if more and rows + more <= 2 * _FOLDERS:
            opened.add(folder.path)
            rows += more
            for inner in folder.folders:
                heapq.heappush(pending, (inner.order, inner))
    stack = [(0, top)]
    while stack:
        depth, folder = stack.pop()
        if folder is not top:
            kinds = ", ".join(f"{kind} {count}" for kind, count in folder.kinds.most_common(3))
            if sum(folder.kinds.values()) != folder.files:
                kinds = f"{counted(folder.files, 'file')}; {kinds}".rstrip("; ")
            yield f"{'  ' * (depth - 1)}{folder.path.rpartition('/')[2]}/ {kinds}"
        if folder.path in opened:
            if folder is not top and folder.names:
                yield f"{'  ' * depth}{_some(folder.names)}"
            ordered = sorted(folder.folders, key=lambda each: each.order, reverse=True)
            stack += [(depth + 1, inner) for inner in ordered]
    if top.names:
        yield _some(top.names)


def _some(names: Sequence[str], most: int = _NAMES, chars: int = 400, joined: str = " ") -> str:
    more = f" … and {len(names) - most} more" if len(names) > most else ""
    return clip(joined.join(names[:most]), chars) + more
