"""The layout of many hits in a tree: a heading for each folder, equal lines once.

Leading whitespace is left out: an edit finds its text in a part of a line as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os.path import commonprefix

from filewright.hints import fill
from filewright.tools.search.excerpt import ExcerptLine, FileExcerpt, LineRole
from filewright.tools.search.lines import render_after_number
from filewright.tools.search.result import SearchHit
from filewright.wording import escape_controls

MIN_TREE_HITS = 41
"""Fewer hits are listed file by file, with their indentation."""

SINGLE_ROLES = {LineRole.HIT, LineRole.SUMMARY, LineRole.HEADER}
"""The lines of hits without context. The tree has no headers of tables."""

MIN_CUT_HITS = 101
"""Among so many hits of a name, calls are shown without the code around them."""

CALL_ENDING = "(…)"
MAX_CALL_CHARS = 48
MIN_SAVED_CHARS = 12
DEFINING_WORDS = {"def", "fn", "func", "function", "fun", "sub"}
WORDS_BESIDE_CALL = re.compile(
    r"and|as|assert|await|case|default|defer|del|delete|do|echo|elif|"
    r"else|except|extends|finally|for|from|go|if|in|instanceof|is|match|"
    r"new|not|of|or|print|puts|raise|return|select|switch|then|throw|"
    r"typeof|unless|until|void|when|where|while|with|yield"
)
"""Words before or after a call. Any other word there is taken for the type of a function
that is declared."""

_WHITESPACE = " \t"
_NAME_BEFORE = re.compile(r"(?:[\w.$]|::|->)*$")
_TYPE = re.compile(r"[^\W\d](?:\S*[\w>\]?*&])?")
_PARAMETERS = re.compile(r"\([^\"'`]*\w[>?]?\s+[*&]?\w[^\"'`]*\)")
_SIMPLE_ARGUMENTS = re.compile(r"\([^()\[\]{}=:]*\)")
_COMMENT = re.compile(r"//|/\*|<!--|^\s*(?:\*|#|--)|\s(?:#|--)\s")
_DEFINITION_END = re.compile(r"\s*(?:[{:]|->|=>|=\s|throws\b|const\b)")
_SEPARATORS = re.compile("[ ,:{}]")


def split_path(path: str) -> tuple[str, str]:
    """Return the folder of a displayed path with its slash, and the name.

    A path in quotes has no folder, since a part of it would not be a path.
    """
    if path.startswith('"'):
        return "", path
    folder, slash, name = path.rpartition("/")
    return folder + slash, name


def join_paths(paths: Sequence[str]) -> str:
    """Return paths in one line, with their common beginning and end once if that is shorter.

    For example ``src/{a,b}/package.json``.
    """
    plain = ", ".join(paths)
    # A part of a path in quotes would not be a path.
    if re.search('[,{}"]', "".join(paths)):
        return plain
    common = split_common(paths)
    middles = ",".join(common.middles)
    short = f"{common.beginning}{{{middles}}}{common.ending}"
    return min(plain, short, key=len)


@dataclass(frozen=True, slots=True)
class CommonParts:
    """Paths without the names that all of them begin with, and end with."""

    beginning: str
    middles: tuple[str, ...]
    ending: str


def split_common(paths: Sequence[str]) -> CommonParts:
    """Return paths divided into common and own parts, at slashes."""
    # These are common characters, which the slashes cut to whole names.
    start = commonprefix(paths).rfind("/") + 1  # noqa: RUF071 - of characters
    rests = [path[start:] for path in paths]
    reversed_rests = [rest[::-1] for rest in rests]
    end = commonprefix(reversed_rests).rfind("/") + 1  # noqa: RUF071 - as above
    middles = tuple(rest[: len(rest) - end] for rest in rests)
    return CommonParts(
        paths[0][:start], middles, rests[0][len(rests[0]) - end :]
    )


def has_single_lines(excerpts: Sequence[FileExcerpt]) -> bool:
    """Return True if each hit is one line, without others around it."""
    for file in excerpts:
        for line in file.lines:
            if line.role not in SINGLE_ROLES:
                return False
    return True


def trims_whitespace(excerpts: Sequence[FileExcerpt]) -> bool:
    """Return True if a line has leading whitespace, which the layout leaves out."""
    return any(
        line.text.startswith((" ", "\t"))
        for file in excerpts
        for line in file.lines
    )


def render_tree(excerpts: Sequence[FileExcerpt]) -> Iterator[str]:
    """Yield the hits of each folder below its path."""
    files_by_folder: dict[str, dict[str, list[ExcerptLine]]] = {}
    for excerpt in excerpts:
        lines = [line for line in excerpt.lines if line.role is LineRole.HIT]
        if lines:
            folder, name = split_path(excerpt.path)
            files = files_by_folder.setdefault(folder, {})
            files.setdefault(name, []).extend(lines)
    # Without a heading, its files come before those of any other folder.
    root_files = files_by_folder.pop("", None)
    if root_files:
        yield from _render_files(root_files)
    for folder, files in files_by_folder.items():
        if len(files) == 1:
            ((name, lines),) = files.items()
            yield escape_controls(folder + name)
            yield from _render_lines(_numbers_by_row(lines))
        else:
            yield escape_controls(folder)
            yield from _render_files(files)


def _render_files(files: dict[str, list[ExcerptLine]]) -> Iterator[str]:
    """Yield the rows of the files in a folder: those that several files have first."""
    numbers_by_file: dict[str, dict[str, list[str]]] = {}
    places_by_row: dict[str, list[str]] = {}
    for name, lines in files.items():
        numbers_by_file[name] = _numbers_by_row(lines)
        if _SEPARATORS.search(name):
            continue
        for row, numbers in numbers_by_file[name].items():
            place = f"{escape_controls(name)}:{','.join(numbers)}"
            places_by_row.setdefault(row, []).append(place)
    for row, places in places_by_row.items():
        if len(places) > 1:
            yield fill("{}: {}", f"{{{' '.join(places)}}}", row)
    for name, numbers_by_row in numbers_by_file.items():
        own_rows: dict[str, list[str]] = {}
        for row, numbers in numbers_by_row.items():
            is_own = len(places_by_row.get(row, ())) < 2
            if is_own or _SEPARATORS.search(name):
                own_rows[row] = numbers
        shown_name = escape_controls(name)
        # The end of a name with a colon could be read as a line number.
        if len(own_rows) > 1 or (own_rows and ":" in name):
            yield shown_name
            yield from _render_lines(own_rows)
        else:
            for row in _render_lines(own_rows):
                yield fill("{}:{}", shown_name, row)


def _render_lines(numbers_by_row: dict[str, list[str]]) -> Iterator[str]:
    """Yield the rows of one file, each behind the numbers of its lines."""
    for row, numbers in numbers_by_row.items():
        yield fill("{}: {}", ",".join(numbers), row)


def _numbers_by_row(lines: Sequence[ExcerptLine]) -> dict[str, list[str]]:
    """Return the numbers of the lines with the same text and notes, by that text.

    Of a cut line the column stands behind the number.
    """
    numbers_by_row: dict[str, list[str]] = {}
    for line in lines:
        number = str(line.number)
        if line.column is not None:
            number += f":{line.column}"
        trimmed = replace(line, text=line.text.lstrip(_WHITESPACE), column=None)
        row = render_after_number(trimmed).removeprefix(": ")
        numbers_by_row.setdefault(row, []).append(number)
    return numbers_by_row


class TreeLength:
    """The length of a layout to which hits are added."""

    def __init__(self) -> None:
        self._rows: set[tuple[str, str]] = set()
        self._folder_rows: set[tuple[str, str]] = set()
        self._folders: set[str] = set()

    def add(self, path: str, line: ExcerptLine) -> int:
        """Return about how many characters a hit adds to the layout."""
        folder, name = split_path(path)
        text = line.text.strip()
        # The column stands behind the number of a cut line.
        chars = len(str(line.number)) + 8
        if (path, text) not in self._rows:
            self._rows.add((path, text))
            chars += len(name) + 4
        if folder not in self._folders:
            self._folders.add(folder)
            chars += len(folder) + 2
        if (folder, text) not in self._folder_rows:
            self._folder_rows.add((folder, text))
            chars += len(escape_controls(text)) + 1
        return chars


def cut_to_call(line: ExcerptLine, hit: SearchHit) -> ExcerptLine:
    """Return the line of a hit without the code around its call, if that is long.

    Simple arguments are left out as well. Lines that define the name, and those with
    several matches, are returned whole.
    """
    if hit.truncated or len(hit.submatches) != 1:
        return replace(line, notes=())
    text = hit.text
    start, end = hit.submatches[0]
    if text[end : end + 1] != "(":
        return replace(line, notes=())
    start -= len(_name_before(text[:start]))
    stop = _end_of_call(text, end)
    if not _is_in_code(text[:start]) or _is_declaration(text, start, end, stop):
        return replace(line, notes=())
    if _SIMPLE_ARGUMENTS.fullmatch(text, end, stop):
        # A name's calls are alike: those that are not should be seen among them.
        return replace(
            line,
            text=f"{text[start:end]}{CALL_ENDING}",
            notes=(),
        )
    if stop - start + MIN_SAVED_CHARS > len(text.strip()):
        return replace(line, notes=())
    before = "…" if text[:start].strip() else ""
    after = "…" if text[stop:].strip() else ""
    return replace(line, text=f"{before}{text[start:stop]}{after}", notes=())


def _is_in_code(before: str) -> bool:
    """Return False if the text before a call seems to open a string or a comment."""
    has_open_quote = any(before.count(quote) % 2 for quote in "\"'`")
    return not has_open_quote and _COMMENT.search(before) is None


def _is_declaration(text: str, start: int, end: int, stop: int) -> bool:
    """Return True if a name with arguments up to `stop` seems to be declared there."""
    words = text[:start].split()
    if words and DEFINING_WORDS & {words[0], words[-1]}:
        return True
    if _DEFINITION_END.match(text, stop):
        return True
    if _PARAMETERS.fullmatch(text, end, stop):
        return True
    # The sign of a pointer may stand at the name.
    before = text[:start].rstrip("*&")
    types = before.split()
    if types and before.endswith((" ", "\t")) and _is_type(types[-1]):
        return True
    # A type may follow, as in Go.
    return _is_type(text[stop:].strip("; \t"))


def _is_type(word: str) -> bool:
    """Return True for a word that may be a type, and that seldom is beside a call."""
    if WORDS_BESIDE_CALL.fullmatch(word):
        return False
    return _TYPE.fullmatch(word) is not None


def _name_before(text: str) -> str:
    """Return the end of a text that belongs to the name behind it, such as ``self.``."""
    match = _NAME_BEFORE.search(text)
    return match[0] if match else ""


def _end_of_call(text: str, start: int) -> int:
    """Return the end of the arguments of a call, or of as many of them as are shown."""
    limit = min(len(text), start + MAX_CALL_CHARS)
    depth = 0
    for index in range(start, limit):
        if text[index] == "(":
            depth += 1
        elif text[index] == ")":
            depth -= 1
            if not depth:
                return index + 1
    return limit
