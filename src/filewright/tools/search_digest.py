"""The digest of a search for a name with many hits: counts of plain lines, and the others.

A plain line imports the name, or calls it. A change of the name seldom goes wrong there,
so the other lines are those that a caller must see.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from filewright.tools.search_excerpt import ExcerptLine, FileExcerpt, LineRole
from filewright.tools.search_tree import render_tree, split_path
from filewright.wording import escape_controls, pluralize

MIN_LINES = 61
MAX_LINES = 5_000
"""The matching lines that are compared for a digest."""

MAX_FILE_ROWS = 15
MAX_ROWS = 12
MAX_OTHER_CHARS = 1_600

_IMPORT = re.compile(
    r"\s*(?:import\b|from\s+\S+\s+import\b|use\s|using\s|#\s*include\b"
    r"|export\b.*\bfrom\b|(?:const|let|var)\b.*\brequire\()"
)
_ALIAS = r"\s+as\b|\s*:"


@dataclass(frozen=True, slots=True)
class DigestRow:
    """The number of lines of each kind in a file, or in the files of a folder."""

    path: str
    files: int
    calls: int
    imports: int
    others: int

    @property
    def lines(self) -> int:
        """Return the number of all matching lines."""
        return self.calls + self.imports + self.others


@dataclass(frozen=True, slots=True)
class SearchDigest:
    """The counts of matching lines by file or folder, and lines that are no plain ones.

    `hidden_rows` and `hidden_others` are the rows and the lines that are not shown.
    """

    rows: tuple[DigestRow, ...]
    hidden_rows: int
    hidden_lines: int
    others: tuple[FileExcerpt, ...]
    hidden_others: int


def build_digest(
    excerpts: Sequence[FileExcerpt], name: str
) -> SearchDigest | None:
    """Return the digest of all hits of a name, or None if few of them are plain.

    The excerpts are those of a dense page, in which plain calls are shortened.
    """
    alias = re.compile(rf"\b{re.escape(name)}(?:{_ALIAS})", re.IGNORECASE)
    counts: dict[str, Counter[str]] = {}
    others: list[FileExcerpt] = []
    for excerpt in excerpts:
        kind_by_number: dict[int, str] = {}
        lines = []
        for line in excerpt.lines:
            # A long line may have several hits, each with a piece of it.
            if kind_by_number.get(line.number) == "other":
                continue
            kind = _kind_of(line, alias)
            kind_by_number[line.number] = kind
            if kind == "other":
                lines.append(line)
        counts[excerpt.path] = Counter(kind_by_number.values())
        if lines:
            others.append(FileExcerpt(excerpt.path, tuple(lines)))
    other_count = sum(kinds["other"] for kinds in counts.values())
    line_count = sum(kinds.total() for kinds in counts.values())
    if line_count < MIN_LINES or other_count * 2 > line_count:
        return None
    rows = _count_by_folder(counts)
    # Equal counts stay in the order of their paths.
    largest = sorted(rows, key=lambda row: -row.lines)[:MAX_ROWS]
    shown_others = _select_others(others)
    return SearchDigest(
        rows=tuple(row for row in rows if row in largest),
        hidden_rows=len(rows) - len(largest),
        hidden_lines=line_count - sum(row.lines for row in largest),
        others=shown_others,
        hidden_others=other_count
        - sum(len(file.lines) for file in shown_others),
    )


def _kind_of(line: ExcerptLine, alias: re.Pattern[str]) -> str:
    """Return "call" or "import" for a plain line, else "other"."""
    if line.role is not LineRole.HIT:
        return "other"
    if line.is_plain_call:
        return "call"
    if _IMPORT.match(line.text) and not alias.search(line.text):
        return "import"
    return "other"


def _count_by_folder(counts: dict[str, Counter[str]]) -> list[DigestRow]:
    """Return the counts of each file, or of each folder if there are many files."""
    if len(counts) > MAX_FILE_ROWS:
        paths_by_place: dict[str, list[str]] = {}
        for path in counts:
            folder, name = split_path(path)
            place = folder or "./"
            if name.startswith('"'):
                place = path
            paths_by_place.setdefault(place, []).append(path)
    else:
        paths_by_place = {path: [path] for path in counts}
    rows = []
    for place, paths in paths_by_place.items():
        kinds = Counter[str]()
        for path in paths:
            kinds += counts[path]
        rows.append(
            DigestRow(
                path=place,
                files=len(paths),
                calls=kinds["call"],
                imports=kinds["import"],
                others=kinds["other"],
            )
        )
    return rows


def _select_others(others: Sequence[FileExcerpt]) -> tuple[FileExcerpt, ...]:
    """Return the lines that fit, the rarest first, in the order of files and lines."""
    text_counts = Counter(
        line.text.strip() for file in others for line in file.lines
    )
    ranked = sorted(
        (
            (text_counts[line.text.strip()], file_index, line_index)
            for file_index, file in enumerate(others)
            for line_index, line in enumerate(file.lines)
        )
    )
    selected: set[tuple[int, int]] = set()
    chars = 0
    for _, file_index, line_index in ranked:
        file = others[file_index]
        line = file.lines[line_index]
        chars += len(line.text) + len(file.path) // 2 + 8
        if chars > MAX_OTHER_CHARS:
            break
        selected.add((file_index, line_index))
    result = []
    for file_index, file in enumerate(others):
        lines = [
            line
            for line_index, line in enumerate(file.lines)
            if (file_index, line_index) in selected
        ]
        if lines:
            result.append(replace(file, lines=tuple(lines)))
    return tuple(result)


def render_digest(digest: SearchDigest) -> Iterator[str]:
    """Yield the counts, then the lines that are no plain ones."""
    for row in digest.rows:
        counts = []
        if row.calls:
            counts.append(pluralize(row.calls, "call"))
        if row.imports:
            counts.append(pluralize(row.imports, "import"))
        if row.others:
            counts.append(pluralize(row.others, "other line"))
        files = f" in {row.files:,} files" if row.files > 1 else ""
        yield f"{escape_controls(row.path)}: {', '.join(counts)}{files}"
    if digest.hidden_rows:
        lines = pluralize(digest.hidden_lines, "line")
        yield f"{lines} in {digest.hidden_rows:,} more places"
    if digest.others:
        yield "other lines:"
        yield from render_tree(digest.others)
