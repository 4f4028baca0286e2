"""The map of a folder: languages, entry points, tests, and the files most referred to.

The folder is walked once, without what the ignore rules leave out. Then the beginnings of
the sources are read for their imports, and the manifests for their commands.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from filewright.boundary.location import Location
from filewright.boundary.walk_model import FolderEntry, WalkOptions
from filewright.errors import FilewrightError
from filewright.languages import MANIFESTS, PARSED, Language, language_of
from filewright.structure.references import HEAD_BYTES, CentralFile, References
from filewright.tools.bounded_text import clip
from filewright.tools.context import Context
from filewright.tools.overview.folder_rendering import render_folder_map
from filewright.tools.overview.result import FolderMap
from filewright.wording import escape_controls

MAX_MAP_CHARS = 6_000
MAX_WALKED_ENTRIES = 300_000
"""Entries after which a map is of a part of the folder."""

MAX_READ_SOURCES = 4_000
"""Sources whose first lines are read for their imports."""

MAX_CENTRAL_FILES = 12
MAX_COMMANDS = 8
MAX_COMMAND_CHARS = 120
MAX_MANIFEST_BYTES = 1 << 18

# A folder of so few files is shown with the names that each of them defines.
MAX_DETAILED_FILES = 24
MAX_DETAILED_FILE_BYTES = 64 << 10

MAX_MANIFEST_DEPTH = 2
"""Folders above a manifest that describes the project and not a part of it."""

MAX_READ_FIRST_DEPTH = 1
MAX_ENTRY_POINT_DEPTH = 4

# A file of data is neither an entry point nor does it define names.
DATA_LANGUAGES = {
    Language.HTML,
    Language.CSS,
    Language.JSON,
    Language.MARKDOWN,
    Language.YAML,
    Language.TOML,
}
CODE_LANGUAGES = PARSED - DATA_LANGUAGES

READ_FIRST_NAME = re.compile(
    r"(?i)^(?:readme|contributing|architecture|agents|claude|changelog)(?:\.\w+)?$"
)
ENTRY_POINT_NAME = re.compile(
    r"(?i)^(?:__main__|main|cli|app|manage|server|index|wsgi|asgi|program|lib|mod)\.\w+$"
)
TEST_PATH = re.compile(
    r"(?i)(?:^|/)(?:tests?|specs?|__tests__|testing)/|(?:^|/)(?:test_[^/]*|[^/]*[._]test|[^/]*\.spec)\.\w+$"
)


@dataclass
class FolderNode:
    """A folder with the counts of all files below it; `names` are those of its own files."""

    path: str
    parent: FolderNode | None = None
    depth: int = 0
    file_count: int = 0
    size: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    folders: list[FolderNode] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    @property
    def code_count(self) -> int:
        """Return the number of files below the folder in a language that is parsed."""
        return sum(self.languages.values())

    @property
    def rank(self) -> tuple[int, str]:
        """Return the sort key of the folder: those with most code come first."""
        return (-(4 * self.code_count + self.file_count), self.path)

    def add_file(self, name: str, size: int, language: Language | None) -> None:
        """Count a file in this folder and in those above it."""
        self.names.append(name)
        folder: FolderNode | None = self
        while folder is not None:
            folder.file_count += 1
            folder.size += size
            if language in PARSED:
                folder.languages[str(language)] += 1
            folder = folder.parent


@dataclass
class FolderSurvey:
    """The files below a folder as a walk meets them, sorted by their purpose.

    Paths are from the folder. `tests` counts the test files by folder.
    """

    top: FolderNode = field(default_factory=lambda: FolderNode(""))
    first_files: list[tuple[str, FolderEntry]] = field(default_factory=list)
    sources: list[tuple[str, Location]] = field(default_factory=list)
    manifests: dict[str, Location] = field(default_factory=dict)
    read_first: list[str] = field(default_factory=list)
    entry_points: list[str] = field(default_factory=list)
    tests: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    is_complete: bool = True

    def add_file(
        self, path: str, entry: FolderEntry, parent: FolderNode
    ) -> None:
        """Sort a file by its name, its language and its depth."""
        language = language_of(entry.name)
        folder, _, name = path.rpartition("/")
        size = entry.status.size if entry.status is not None else 0
        parent.add_file(name, size, language)
        if self.top.file_count <= MAX_DETAILED_FILES:
            self.first_files.append((path, entry))
        if language is not None:
            self.languages[str(language)] += 1
        if language in PARSED:
            self.sources.append((path, entry.location))
        if name.lower() in MANIFESTS and parent.depth <= MAX_MANIFEST_DEPTH:
            self.manifests[path] = entry.location
        elif (
            READ_FIRST_NAME.match(name) and parent.depth <= MAX_READ_FIRST_DEPTH
        ):
            self.read_first.append(path)
        test = TEST_PATH.search(path)
        if test is not None:
            test_folder = folder or path
            if test[0].endswith("/"):
                test_folder = path[: test.end() - 1]
            self.tests[test_folder] += 1
        elif (
            ENTRY_POINT_NAME.match(name)
            and language in CODE_LANGUAGES
            and parent.depth <= MAX_ENTRY_POINT_DEPTH
        ):
            self.entry_points.append(path)


@dataclass(frozen=True, slots=True)
class DetailedFile:
    """A file of a small folder with the names that it defines."""

    path: str
    names: tuple[str, ...]


def map_folder(context: Context, location: Location) -> FolderMap:
    """Return the map of a folder. Raise the errors of walking it."""
    survey = survey_folder(context, location)
    central_files = find_central_files(context, survey.sources)
    commands = read_commands(context, survey.manifests)
    entry_points = sorted(survey.entry_points, key=lambda path: path.count("/"))
    detailed_files: list[DetailedFile] | None = None
    if survey.top.file_count <= MAX_DETAILED_FILES:
        detailed_files = read_names(context, survey.first_files)
    entries = (*commands, *entry_points)
    text = render_folder_map(
        location.display_path,
        survey,
        entries=entries,
        central_files=central_files,
        detailed_files=detailed_files,
        max_chars=min(MAX_MAP_CHARS, context.settings.page_chars),
    )
    return FolderMap(
        text,
        path=location.display_path,
        files=survey.top.file_count,
        bytes=survey.top.size,
        languages=tuple(survey.languages.most_common()),
        manifests=tuple(survey.manifests),
        entries=entries,
        tests=tuple(path for path, _ in survey.tests.most_common()),
        central=central_files,
        complete=survey.is_complete,
    )


def survey_folder(context: Context, location: Location) -> FolderSurvey:
    """Walk a folder, and sort its files."""
    survey = FolderSurvey()
    nodes = {b"": survey.top}
    prefix = f"{location.display_path}/"
    if location.display_path == ".":
        prefix = ""
    walk = context.boundary.walk(
        location,
        WalkOptions(details=True, kinds=["file", "folder"]),
        task=context.task,
    )
    for number, entry in enumerate(walk):
        if number >= MAX_WALKED_ENTRIES:
            survey.is_complete = False
            break
        parent = nodes[entry.path.rpartition(b"/")[0]]
        path = escape_controls(entry.location.display_path.removeprefix(prefix))
        if entry.kind == "folder":
            node = FolderNode(path, parent, parent.depth + 1)
            parent.folders.append(node)
            nodes[entry.path] = node
        else:
            survey.add_file(path, entry, parent)
    return survey


def find_central_files(
    context: Context, sources: Sequence[tuple[str, Location]]
) -> tuple[CentralFile, ...]:
    """Return the files that most others refer to, by the first lines of each source."""
    references = References()
    for path, location in sources[:MAX_READ_SOURCES]:
        context.task.check()
        try:
            with context.boundary.open_file(location) as file:
                content = file.read(0, HEAD_BYTES)
        except FilewrightError as error:
            if error.ends_call:
                raise
            # The file was deleted since, or may not be read.
            continue
        is_test = TEST_PATH.search(path) is not None
        references.add(path, content, counts=not is_test)
    return references.find_central(MAX_CENTRAL_FILES)


def read_commands(
    context: Context, manifests: Mapping[str, Location]
) -> list[str]:
    """Return the commands that manifests name, with what they run."""
    commands = []
    for path, location in manifests.items():
        name = path.rpartition("/")[2].lower()
        if name not in ("pyproject.toml", "package.json"):
            continue
        try:
            with context.open(location, text=True) as snapshot:
                content = snapshot.read(
                    0, min(snapshot.size, MAX_MANIFEST_BYTES)
                )
            targets = parse_commands(name, content.decode("utf-8", "replace"))
        except (
            FilewrightError,
            ValueError,
            TypeError,
            LookupError,
            AttributeError,
            RecursionError,
        ):
            # A manifest that cannot be read names no commands.
            continue
        for command, target in targets[:MAX_COMMANDS]:
            commands.append(clip(f"{command} = {target}", MAX_COMMAND_CHARS))
    return commands


def parse_commands(name: str, text: str) -> list[tuple[str, Any]]:
    """Return the commands in a manifest. Raise an error of any type for a malformed one."""
    if name.endswith(".toml"):
        scripts: Mapping[str, Any] = tomllib.loads(text)["project"]["scripts"]
        return list(scripts.items())
    manifest: Any = json.loads(text)
    binaries: Any = manifest["bin"]
    if isinstance(binaries, str):
        return [(str(manifest.get("name", name)), binaries)]
    return list(binaries.items())


def read_names(
    context: Context, files: Sequence[tuple[str, FolderEntry]]
) -> list[DetailedFile]:
    """Return the names that each file defines: of a small folder they say more than a tree."""
    detailed_files = []
    for path, entry in files:
        names: tuple[str, ...] = ()
        if is_small_code(entry):
            try:
                with context.open(entry.location, text=True) as snapshot:
                    outline = context.outlines.outline(
                        snapshot, task=context.task
                    )
            except FilewrightError as error:
                if error.ends_call:
                    raise
            else:
                names = tuple(
                    symbol.name
                    for symbol in outline.symbols
                    if symbol.kind != "import"
                )
        detailed_files.append(DetailedFile(path, names))
    return detailed_files


def is_small_code(entry: FolderEntry) -> bool:
    """Return True for a source that is small enough to be parsed for a map."""
    is_small = (
        entry.status is not None
        and entry.status.size <= MAX_DETAILED_FILE_BYTES
    )
    return is_small and language_of(entry.name) in CODE_LANGUAGES
