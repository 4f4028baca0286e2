"""The start of a symbol's block: its comments and attributes, without those of the file.

A comment or attribute right above a definition belongs to it. Directives, licences and
notes on generated code (`file_comments`) belong to the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from filewright.languages import Language
from filewright.structure.file_comments import (
    comment_mark,
    is_directive,
    is_file_comment,
    is_line_mark,
)
from filewright.structure.grammar import Grammar
from filewright.structure.source_text import SourceText

if TYPE_CHECKING:
    from tree_sitter import Node

_BLANK: Final = b" \t\f\0\xef\xbb\xbf"
_MAX_COMMENT_BYTES: Final = 4_000
"""The beginning of a comment by which it is recognised."""

_MAX_PREAMBLE_BYTES: Final = 64 << 10
"""A licence begins within so many bytes of a file."""

_TRIMMED_BLOCK_BYTES: Final = 4096
"""Bytes before the end of a symbol that are looked at in one step."""

_LANGUAGES_WITH_INNER_DOCS: Final = frozenset(
    [
        Language.RUST,
        Language.JAVASCRIPT,
        Language.JSX,
        Language.TYPESCRIPT,
        Language.TSX,
        Language.CSS,
    ]
)
"""Languages in which `//!` and `/*!` comments belong to the file.

They document the code around them, or are to be preserved.
"""

# The text that may come before a file's licence: comments, and declarations that must be
# first in a file.
_PREAMBLE: Final = re.compile(
    r"(?:[\s\ufeff]++|<\?php\b|declare\s*+\([^)\n]*+\)\s*+;|[\"']use \w++[\"'];?|%\w[^\n]*+|---[ \t]*+\n"
    r"|<!doctype[^>]*+>|@charset[^;\n]*+;|(?:#|//|--)[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/|<!--(?:[^-]++|-(?!->))*+-->)*+",
    re.IGNORECASE,
)

Range = tuple[int, int]
"""The first byte of a node or comment, and the byte behind it."""


@dataclass(frozen=True, slots=True)
class BlockFinder:
    """A finder of the blocks of symbols in one text."""

    grammar: Grammar
    source: SourceText

    def find_start(self, node: Node) -> int:
        """Return where the block of a node begins, with its comments and attributes."""
        block_start = node.start_byte
        source, lead_types = self.source, self.grammar.roles["lead"]
        comments: list[Range] = []
        start = block_start
        previous = _previous_node(node)
        while previous is not None and previous.type in lead_types:
            end = source.last_character(previous.start_byte, previous.end_byte)
            if source.count_line_ends(end, start) > 1:
                # A blank line separates it from the symbol.
                break
            line_start = source.data.rfind(b"\n", 0, previous.start_byte) + 1
            if source.data[line_start : previous.start_byte].strip(_BLANK):
                # It follows other code on its line.
                break
            start = previous.start_byte
            comments.append((start, previous.end_byte))
            previous = previous.prev_sibling
        if not comments:
            return block_start
        return self._skip_file_comments(comments[::-1], block_start)

    def find_trimmed_end(self, start: int, end: int) -> int:
        """Return the end of a symbol without blank and comment lines at its end."""
        data = self.source.data
        while end > start + 1:
            text = data[max(start, end - _TRIMMED_BLOCK_BYTES) : end]
            rest = text.rstrip()
            newline = rest.rfind(b"\n")
            last_line = rest[newline + 1 :].lstrip()
            if newline >= 0 and last_line.startswith(b"#"):
                rest = rest[: newline + 1]
            elif len(rest) == len(text):
                break
            end -= len(text) - len(rest)
        return end

    def find_start_by_lines(self, start: int) -> int | None:
        """Return where the comment lines above a symbol begin, None without any.

        For grammars that do not attach comments to the node below them.
        """
        data = self.source.data
        line_start = data.rfind(b"\n", 0, start) + 1
        if data[line_start:start].strip(b" \t-"):
            return None
        comments: list[Range] = []
        while line_start:
            previous_start = data.rfind(b"\n", 0, line_start - 1) + 1
            line = data[previous_start : line_start - 1]
            text = line.lstrip()
            if not text.startswith(b"#"):
                break
            indent = len(line) - len(text)
            comments.append((previous_start + indent, line_start - 1))
            line_start = previous_start
        if not comments:
            return None
        return self._skip_file_comments(comments[::-1], start)

    def _skip_file_comments(self, ranges: list[Range], stop: int) -> int:
        """Return the start of the first comment behind those of the file, else `stop`.

        `ranges` are the comments and attributes above a symbol, in order.
        """
        comments = []
        for start, end in ranges:
            comments.append(self.source.read(start, end, _MAX_COMMENT_BYTES))
        last_of_file = -1
        for index, comment in enumerate(comments):
            if is_directive(comment):
                last_of_file = index
        if self._is_in_preamble(ranges[0][0]):
            last_of_file = self._find_last_licence(comments, last_of_file)
        elif self._has_inner_docs:
            for index, comment in enumerate(comments):
                if comment.startswith("//!"):
                    last_of_file = index
        if last_of_file + 1 < len(ranges):
            return ranges[last_of_file + 1][0]
        return stop

    def _find_last_licence(self, comments: list[str], last_of_file: int) -> int:
        """Return the index of the last comment that belongs to the file."""
        first = last_of_file + 1
        while first < len(comments):
            # Lines with the same mark are one comment: a licence may have many.
            mark = comment_mark(comments[first])
            stop = first + 1
            while (
                is_line_mark(mark)
                and stop < len(comments)
                and comment_mark(comments[stop]) == mark
            ):
                stop += 1
            text = "\n".join(comments[first:stop])
            if mark and is_file_comment(
                text, is_inner_doc=self._has_inner_docs
            ):
                last_of_file = stop - 1
            first = stop
        return last_of_file

    @property
    def _has_inner_docs(self) -> bool:
        return self.grammar.language in _LANGUAGES_WITH_INNER_DOCS

    def _is_in_preamble(self, offset: int) -> bool:
        """Return True if only comments and the file's preamble come before an offset."""
        if offset > _MAX_PREAMBLE_BYTES:
            return False
        before = self.source.read(0, offset, _MAX_PREAMBLE_BYTES)
        return _PREAMBLE.fullmatch(before) is not None


def _previous_node(node: Node) -> Node | None:
    """Return the node before the outermost node that begins where `node` does."""
    previous = node.prev_sibling
    while previous is None:
        parent = node.parent
        if parent is None or parent.start_byte != node.start_byte:
            return None
        node = parent
        previous = node.prev_sibling
    return previous
