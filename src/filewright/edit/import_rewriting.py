"""The rewriting of one import statement: some of its names come from another module.

The statement stays where it is. If all of its names move, only its module is replaced.
Otherwise the names are taken out of its list, and a statement of their own goes on the
line below. Every byte that is not named here stays.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from filewright.edit.model import ByteRange
from filewright.structure.import_statements import (
    DEFAULT_EXPORT,
    ImportedName,
    ImportStatement,
)
from filewright.text.splice import Splice, apply_splices

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_COMMENTS: Final = {
    True: re.compile(rb"#[^\r\n]*"),
    False: re.compile(rb"//[^\r\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*\*/"),
}
"""Comments, by whether the language is Python."""

_GAP: Final = re.compile(rb"(?:[ \t\f\r\n]|\\(?=[\r\n]))*")
_REST_OF_ENTRY: Final = re.compile(rb"[ \t]*(?:,[ \t]*)?")

COMMENT_IN_LIST: Final = "a comment is between the names"
NOT_COPIED: Final = "a comment or a line end is in it"
OTHER_CODE: Final = "other code is on its lines"


@dataclass(frozen=True, slots=True)
class NewLine:
    """A line of a rewritten statement, counted from its first line, with its text.

    If a list of several lines lost names, these are its lines from `line` to `last`, and
    the text says which names were removed.
    """

    line: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class StatementRewrite:
    """The splices of one statement, within `span`, and the lines to show of it."""

    span: ByteRange
    splices: tuple[Splice, ...]
    lines: tuple[NewLine, ...]


@dataclass(frozen=True, slots=True)
class ImporterText:
    """The bytes of a file that imports; `terminator` is the one that most lines have."""

    content: bytes
    is_python: bool
    terminator: bytes = b"\n"

    @property
    def comment(self) -> re.Pattern[bytes]:
        """The pattern of a comment."""
        return _COMMENTS[self.is_python]

    def line_start(self, offset: int) -> int:
        """Return the offset at which the line of `offset` begins."""
        newline = self.content.rfind(b"\n", 0, offset)
        carriage_return = self.content.rfind(b"\r", newline + 1, offset)
        return max(newline, carriage_return) + 1

    def line_end(self, offset: int) -> int:
        """Return the offset of the terminator of the line of `offset`."""
        match = _LINE_END.search(self.content, offset)
        return len(self.content) if match is None else match.start()

    def next_line(self, offset: int) -> int:
        """Return the offset behind the terminator of the line of `offset`."""
        match = _LINE_END.search(self.content, offset)
        return len(self.content) if match is None else match.end()

    def skip_gap(self, offset: int) -> int:
        """Return the offset behind whitespace and comments."""
        while True:
            start = offset
            match = _GAP.match(self.content, offset)
            if match is not None:
                offset = match.end()
            match = self.comment.match(self.content, offset)
            if match is not None:
                offset = match.end()
            if offset == start:
                return offset

    def is_blank_or_comment(self, start: int, end: int) -> bool:
        """Return True if nothing but whitespace and comments is in [start, end)."""
        text = self.comment.sub(b"", self.content[start:end])
        return not text.strip()


def rewrite_statement(
    importer: ImporterText,
    statement: ImportStatement,
    modules: Mapping[str, str | None],
) -> StatementRewrite | str:
    """Return the rewrite of a statement, or the reason why it is left as it is.

    `modules` are the new modules of the names that move. A name with None is removed,
    since the file itself defines it now.
    """
    names_by_module: dict[str | None, list[ImportedName]] = defaultdict(list)
    has_names_left = False
    for name in statement.all_names:
        if name.name in modules:
            names_by_module[modules[name.name]].append(name)
        else:
            has_names_left = True
    if has_names_left:
        return _split_statement(importer, statement, names_by_module, None)
    in_place = next(
        (module for module in names_by_module if module is not None), None
    )
    if in_place is None:
        return _remove_statement(importer, statement)
    if len(names_by_module) > 1:
        return _split_statement(importer, statement, names_by_module, in_place)
    splice = _replace_module(statement, in_place)
    # An edit of any part of the statement may mean another import.
    span = ByteRange(statement.start, statement.end)
    line = _show_module_line(importer, statement, splice)
    return StatementRewrite(span, (splice,), (line,))


def _show_module_line(
    importer: ImporterText, statement: ImportStatement, splice: Splice
) -> NewLine:
    """Return the line of the module in a statement, with the new one."""
    start = importer.line_start(splice.offset)
    line = importer.content[start : importer.line_end(splice.end)]
    before = importer.content[statement.start : splice.offset]
    number = len(_LINE_END.findall(before))
    module_splice = Splice(
        splice.offset - start, splice.length, splice.replacement
    )
    text = apply_splices(line, [module_splice]).decode("utf-8", "replace")
    return NewLine(number, number, text.strip())


def _replace_module(statement: ImportStatement, module: str) -> Splice:
    """Return the splice that names another module."""
    start, end = statement.module_start, statement.module_end
    return Splice(start, end - start, module.encode())


def _remove_statement(
    importer: ImporterText, statement: ImportStatement
) -> StatementRewrite | str:
    """Return the rewrite that removes a statement with its lines."""
    if statement.is_only_statement:
        return "no other statement is in its block"
    if not _has_own_lines(importer, statement):
        return OTHER_CODE
    start = importer.line_start(statement.start)
    end = importer.next_line(statement.end)
    splice = Splice(start, end - start, b"")
    return StatementRewrite(ByteRange(start, end), (splice,), ())


def _has_own_lines(importer: ImporterText, statement: ImportStatement) -> bool:
    """Return True if the lines of a statement hold nothing else but a comment."""
    start = importer.line_start(statement.start)
    before = importer.content[start : statement.start]
    end = importer.line_end(statement.end)
    return not before.strip() and importer.is_blank_or_comment(
        statement.end, end
    )


def _split_statement(
    importer: ImporterText,
    statement: ImportStatement,
    names_by_module: Mapping[str | None, Sequence[ImportedName]],
    in_place: str | None,
) -> StatementRewrite | str:
    """Return the rewrite that takes names out of a statement, or the reason not to.

    Each of their new modules gets a statement below. With `in_place`, the statement itself
    gets this module and keeps its names.
    """
    leaving = [
        name
        for module, names in names_by_module.items()
        if in_place is None or module != in_place
        for name in names
    ]
    splices = _remove_names(importer, statement, leaving)
    if isinstance(splices, str):
        return splices
    new_modules = [
        module
        for module in names_by_module
        if module is not None and module != in_place
    ]
    new_statements: list[bytes] = []
    for module in new_modules:
        text = build_statement(
            importer, statement, module, names_by_module[module]
        )
        if text is None:
            return NOT_COPIED
        new_statements.append(text)
    if in_place is not None:
        splices.append(_replace_module(statement, in_place))
    has_own_lines = _has_own_lines(importer, statement)
    start = importer.line_start(statement.start)
    if new_statements and not has_own_lines:
        return OTHER_CODE
    if new_statements:
        splices.append(_insert_below(importer, statement, new_statements))
    shown = span = ByteRange(start, importer.next_line(statement.end))
    if not new_statements:
        span = ByteRange(statement.start, statement.end)
        if not has_own_lines:
            shown = ByteRange(start, importer.line_end(statement.end))
    splices.sort(key=lambda splice: splice.offset)
    lines = _show_lines(importer, shown, splices, leaving, len(new_statements))
    return StatementRewrite(span, tuple(splices), lines)


def _remove_names(
    importer: ImporterText,
    statement: ImportStatement,
    names: Sequence[ImportedName],
) -> list[Splice] | str:
    """Return the splices that take names out of a statement, or a reason not to."""
    default = statement.default
    if default is None or default not in names:
        return _NameList(importer, statement).remove(names)
    # `import D, {a} from "m"`: the list stays, or a part of it.
    start, end = default.start, statement.list_start
    if importer.comment.search(importer.content, start, end) is not None:
        return COMMENT_IN_LIST
    splices: list[Splice] = [Splice(start, end - start, b"")]
    listed = [name for name in names if name != default]
    if listed:
        list_splices = _NameList(importer, statement).remove(listed)
        if isinstance(list_splices, str):
            return list_splices
        splices += list_splices
    return splices


def _insert_below(
    importer: ImporterText, statement: ImportStatement, texts: Sequence[bytes]
) -> Splice:
    """Return the splice that puts lines below a statement, with its indentation."""
    start = importer.line_start(statement.start)
    indent = importer.content[start : statement.start]
    line_end = importer.line_end(statement.end)
    next_line = importer.next_line(statement.end)
    terminator = importer.content[line_end:next_line]
    if terminator:
        data = b"".join(indent + text + terminator for text in texts)
        return Splice(next_line, 0, data)
    match = _LINE_END.search(importer.content, start)
    terminator = importer.terminator if match is None else match[0]
    data = b"".join(terminator + indent + text for text in texts)
    return Splice(line_end, 0, data)


def _show_lines(
    importer: ImporterText,
    shown: ByteRange,
    splices: Sequence[Splice],
    leaving: Sequence[ImportedName],
    new_count: int,
) -> tuple[NewLine, ...]:
    """Return the new lines of a statement that lost names, and the statements below it."""
    shifted = [
        Splice(splice.offset - shown.start, splice.length, splice.replacement)
        for splice in splices
    ]
    result = apply_splices(importer.content[shown.start : shown.end], shifted)
    texts = _LINE_END.split(result)
    if not texts[-1]:
        texts.pop()
    line_texts = [text.decode("utf-8", "replace").strip() for text in texts]
    rest = len(line_texts) - new_count
    lines = [NewLine(0, 0, line_texts[0])]
    if rest > 1:
        names = ", ".join(_display_name(name) for name in leaving)
        lines = [NewLine(0, rest - 1, f"{names} removed")]
    for line in range(rest, len(line_texts)):
        lines.append(NewLine(line, line, line_texts[line]))
    return tuple(lines)


def _display_name(name: ImportedName) -> str:
    """Return the name by which a reader knows an import."""
    return name.bound_name if name.name == DEFAULT_EXPORT else name.name


def build_statement(
    importer: ImporterText,
    statement: ImportStatement,
    module: str,
    names: Sequence[ImportedName],
) -> bytes | None:
    """Return a statement that imports names from a module, without a terminator.

    Return None if a comment or a line end is in a part that would be copied.
    """
    content = importer.content
    default = statement.default
    if not statement.list_end:
        return _copy_statement(importer, statement, module, names)
    entries = [
        content[name.start : name.end] for name in names if name != default
    ]
    if any(importer.comment.search(entry) for entry in entries):
        return None
    entries = [
        b" ".join(entry.replace(b"\\", b" ").split()) for entry in entries
    ]
    listed = b", ".join(entries)
    if importer.is_python:
        return b"from %b import %b" % (module.encode(), listed)
    head = content[statement.start : statement.list_start]
    has_default = default is not None and default in names
    if default is not None:
        head = b"import "
        if has_default:
            head += content[default.start : default.end]
    middle = content[statement.list_end : statement.module_start]
    tail = content[statement.module_end : statement.end]
    for text in (head, middle, tail):
        if importer.comment.search(text) or _LINE_END.search(text):
            return None
    if not entries:
        return b"".join((head, middle, module.encode(), tail))
    if has_default:
        head += b", "
    padding = content[statement.list_start + 1 : statement.names[0].start]
    if padding.strip(b" \t"):
        padding = b" "
    listed = b"{%b%b%b}" % (padding, listed, padding)
    return b"".join((head, listed, middle, module.encode(), tail))


def _copy_statement(
    importer: ImporterText,
    statement: ImportStatement,
    module: str,
    names: Sequence[ImportedName],
) -> bytes | None:
    """Return a statement without a list, such as `import * as a from "m"`."""
    content = importer.content
    if importer.is_python:
        texts = [content[name.start : name.end] for name in names]
        text = b"import " + b", ".join(texts)
    else:
        start = statement.start
        if statement.default is not None and statement.names:
            # `import D, * as a from "m"`: one of the two, or both.
            text = b"import "
            text += b", ".join(content[name.start : name.end] for name in names)
            start = statement.names[-1].end
        else:
            text = b""
        text += content[start : statement.module_start] + module.encode()
        text += content[statement.module_end : statement.end]
    if importer.comment.search(text) or _LINE_END.search(text):
        return None
    return text


class _NameList:
    """The list of names of a statement, from which names are taken out."""

    def __init__(
        self, importer: ImporterText, statement: ImportStatement
    ) -> None:
        self._importer = importer
        self._content = importer.content
        self._statement = statement
        self._names = statement.names
        opening = self._content[statement.list_start : statement.list_start + 1]
        self._has_brackets = opening in (b"(", b"{")
        self._comma_ends = [self._find_comma(name.end) for name in self._names]

    def _find_comma(self, offset: int) -> int | None:
        """Return the offset behind the comma that follows a name, or None."""
        offset = self._importer.skip_gap(offset)
        is_inside = offset < self._statement.list_end
        if is_inside and self._content[offset : offset + 1] == b",":
            return offset + 1
        return None

    def remove(self, names: Sequence[ImportedName]) -> list[Splice] | str:
        """Return the splices that take names out, or a reason not to."""
        indexes = [
            index for index, name in enumerate(self._names) if name in names
        ]
        if len(indexes) == len(self._names):
            return self._remove_list()
        splices: list[Splice] = []
        for run in _split_runs(indexes):
            if self._has_brackets and all(map(self._is_alone, run)):
                splices += self._remove_lines(run)
                continue
            span = self._find_span(run[0], run[-1])
            if span is None or self._has_comment(span):
                return COMMENT_IN_LIST
            splices.append(Splice(span.start, span.end - span.start, b""))
        return splices

    def _remove_list(self) -> list[Splice] | str:
        """Return the splice that removes the whole list behind a default import."""
        start, end = self._statement.start, self._statement.list_end
        head = self._content[start : self._statement.list_start]
        comma = start + head.rfind(b",")
        if comma < start or self._has_comment(ByteRange(comma, end)):
            return COMMENT_IN_LIST
        # `import D, {a}from "m"` must not become `import Dfrom "m"`.
        is_spaced = self._content[end : end + 1].isspace()
        return [Splice(comma, end - comma, b"" if is_spaced else b" ")]

    def _is_alone(self, index: int) -> bool:
        """Return True if a name is alone on its line with its comma and a comment."""
        name = self._names[index]
        start = self._importer.line_start(name.start)
        end = self._importer.line_end(name.start)
        comma_end = self._comma_ends[index]
        if name.end > end or (comma_end is not None and comma_end > end):
            return False
        if self._content[start : name.start].strip():
            return False
        rest = _REST_OF_ENTRY.match(self._content, name.end, end)
        rest_start = name.end if rest is None else rest.end()
        if rest_start == end:
            return True
        comment = self._importer.comment.match(self._content, rest_start)
        if comment is None:
            return False
        return not self._content[comment.end() : end].strip()

    def _remove_lines(self, run: range) -> Iterator[Splice]:
        """Yield the splices that remove names with their lines, by their indexes."""
        previous = self._comma_ends[run[0] - 1] if run[0] else None
        is_end = run.stop == len(self._names)
        has_comma = self._comma_ends[run[-1]] is not None
        if is_end and not has_comma and previous is not None:
            # The last name had no comma, so the name that is last now loses its own.
            yield Splice(previous - 1, 1, b"")
        for name in self._names[run.start : run.stop]:
            start = self._importer.line_start(name.start)
            end = self._importer.next_line(name.end)
            yield Splice(start, end - start, b"")

    def _find_span(self, first: int, last: int) -> ByteRange | None:
        """Return the bytes to remove for names that share lines with others.

        Return None if there is no comma to remove with them.
        """
        names = self._names
        comma_end = self._comma_ends[last]
        previous_comma = self._comma_ends[first - 1] if first else None
        if last + 1 < len(names):
            is_line_end = (
                self._has_brackets
                and previous_comma is not None
                and comma_end is not None
                and self._is_one_line(names[first - 1].end, names[first].start)
                and not self._is_one_line(comma_end, names[last + 1].start)
            )
            if not is_line_end:
                return ByteRange(names[first].start, names[last + 1].start)
        if previous_comma is None:
            return None
        if comma_end is not None:
            return ByteRange(previous_comma, comma_end)
        return ByteRange(names[first - 1].end, names[last].end)

    def _is_one_line(self, start: int, end: int) -> bool:
        """Return True if no line ends in [start, end)."""
        return _LINE_END.search(self._content, start, end) is None

    def _has_comment(self, span: ByteRange) -> bool:
        """Return True if a comment is in the bytes to remove."""
        text = self._content[span.start : span.end]
        return self._importer.comment.search(text) is not None


def _split_runs(indexes: Sequence[int]) -> list[range]:
    """Return the runs of consecutive numbers."""
    runs: list[range] = []
    for index in indexes:
        if runs and runs[-1].stop == index:
            runs[-1] = range(runs[-1].start, index + 1)
        else:
            runs.append(range(index, index + 1))
    return runs
