"""Syntax errors: the places where a parser failed, described for a reader.

A grammar does not know every valid file, and recovers where it fails. Python, JSON and
TOML have a stricter parser in the standard library. An error that this parser does not
see is the grammar's, and is not reported.
"""

from __future__ import annotations

import json
import tomllib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from filewright.languages import Language
from filewright.structure.outline import SyntaxIssue, SyntaxReport
from filewright.structure.source_text import SourceText, truncate

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_ISSUES: Final = 10
"""Issues that are described; the rest are counted."""

_MAX_VISITED_NODES: Final = 50_000
"""Nodes that are searched for errors; a file of errors may have millions."""

_MAX_VERIFIED_BYTES: Final = 2 << 20
"""The largest text that a parser of the standard library reads: it is slower and takes
more memory."""

_MAX_INDENTATION_BYTES: Final = 256 << 10
"""The largest Python file whose indentation is verified though its grammar sees no error."""

_MAX_TEXT_CHARACTERS: Final = 60


@dataclass(frozen=True, slots=True)
class _Verdict:
    """The result of a language's own parser.

    `is_valid` is True if it accepts the text. `issues` are empty if it says nothing that
    can be used, or if there is no such parser.
    """

    is_valid: bool = False
    issues: tuple[SyntaxIssue, ...] = ()


def build_report(
    root: Node, source: SourceText, language: Language, *, certain: bool
) -> SyntaxReport:
    """Return the syntax errors below `root`, the tree of `source`."""
    if not root.has_error:
        issues: list[SyntaxIssue] = []
        if language is Language.PYTHON:
            issues = _find_unseen_errors(root, source)
        return SyntaxReport(len(issues), tuple(issues[:MAX_ISSUES]), certain)
    verdict = _verify(source, language)
    if verdict.is_valid:
        return SyntaxReport(certain=certain)
    issues = [*verdict.issues]
    verified_lines = {issue.line for issue in verdict.issues}
    count = 0
    for node in _find_broken_nodes(root):
        count += 1
        if count <= MAX_ISSUES:
            issue = _describe(node, source)
            if issue.line not in verified_lines:
                issues.append(issue)
    issues.sort(key=lambda issue: (issue.line, issue.column))
    return SyntaxReport(
        max(count, len(issues)), tuple(issues[:MAX_ISSUES]), certain
    )


def _find_unseen_errors(root: Node, source: SourceText) -> list[SyntaxIssue]:
    """Return the errors of Python that its grammar takes for valid."""
    if len(source.data) > _MAX_VERIFIED_BYTES:
        return []
    issues = []
    for block in _find_empty_blocks(root):
        # The header that the block belongs to, by its colon.
        issue = _describe(block.prev_sibling or block, source)
        issues.append(
            issue._replace(text="", message="expected an indented block")
        )
    if issues or len(source.data) > _MAX_INDENTATION_BYTES:
        return issues
    # The grammar accepts a line that is indented without a reason.
    verdict = _verify(source, Language.PYTHON, IndentationError)
    return [*verdict.issues]


def _find_broken_nodes(root: Node) -> Iterator[Node]:
    """Yield the error and missing nodes in order, without those inside another."""
    pending = [root]
    visited_count = 0
    while pending and visited_count < _MAX_VISITED_NODES:
        node = pending.pop()
        visited_count += 1
        if node.is_error or node.is_missing:
            yield node
        elif node.has_error:
            pending.extend(reversed(node.children))


def _find_empty_blocks(root: Node) -> list[Node]:
    """Return the blocks of Python without a statement, in order."""
    from tree_sitter import Query, QueryCursor

    from filewright.structure.grammar import load_grammar

    parser_language = load_grammar(Language.PYTHON).parser_language
    query = Query(parser_language, "(block) @block")
    blocks = QueryCursor(query).captures(root).get("block", [])
    empty_blocks = [block for block in blocks if not block.named_child_count]
    return sorted(empty_blocks, key=lambda block: block.start_byte)


def _describe(node: Node, source: SourceText) -> SyntaxIssue:
    """Return the issue of an error node or a missing node."""
    line = node.start_point.row + 1
    line_feed = "\n".encode(source.codec)
    before = source.data[: node.start_byte].rpartition(line_feed)[2]
    column = len(before.decode(source.codec, "replace")) + 1
    if node.is_missing:
        return SyntaxIssue(
            line,
            column,
            "",
            f"missing {node.type}",
            missing_token=node.type,
        )
    text = source.read_collapsed(
        node.start_byte, node.end_byte, 4 * _MAX_TEXT_CHARACTERS
    )
    text = truncate(text, _MAX_TEXT_CHARACTERS)
    message = "unexpected" if text else "unexpected end"
    return SyntaxIssue(line, column, text, message)


def _verify(
    source: SourceText,
    language: Language,
    error_type: type[SyntaxError] = SyntaxError,
) -> _Verdict:
    """Return the verdict of the language's own parser.

    Errors of Python that are not of the `error_type` are ignored: this Python may be
    older than the syntax of the file.
    """
    if len(source.data) > _MAX_VERIFIED_BYTES:
        return _Verdict()
    try:
        if language is Language.PYTHON:
            _parse_python(source.data)
        elif language is Language.JSON:
            json.loads(_decode(source))
        elif language is Language.TOML:
            tomllib.loads(_decode(source))
        else:
            return _Verdict()
    except SyntaxError as error:
        return _verdict_of_python(error, error_type)
    except json.JSONDecodeError as error:
        if b"//" in source.data or b"/*" in source.data:
            # JSON with comments is common, and has no parser here.
            return _Verdict()
        issue = SyntaxIssue(error.lineno, error.colno, "", error.msg)
        return _Verdict(issues=(issue,))
    except (ValueError, RecursionError, MemoryError, OverflowError):
        return _Verdict()
    return _Verdict(is_valid=True)


def _decode(source: SourceText) -> str:
    return source.data.decode(source.codec).removeprefix("\ufeff")


def _parse_python(data: bytes) -> None:
    """Raise `SyntaxError` for malformed Python. Nothing of it is executed."""
    import ast

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(data, "<file>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)


def _verdict_of_python(
    error: SyntaxError, error_type: type[SyntaxError]
) -> _Verdict:
    """Return the issue that Python's parser raised, if it can be used."""
    has_nul = "\0" in str(error)
    if error.lineno is None or has_nul or not isinstance(error, error_type):
        return _Verdict()
    text = " ".join((error.text or "").split())[:_MAX_TEXT_CHARACTERS]
    issue = SyntaxIssue(
        max(1, error.lineno), max(1, error.offset or 1), text, error.msg
    )
    return _Verdict(issues=(issue,))
