"""Syntax errors: what a parser stumbled over, said so that a reader finds it.

A grammar recovers from what it does not know, and it does not know everything. Where the language
comes with a stricter judge (Python, JSON and TOML have one in the standard library), an error that
the judge does not see is the grammar's, and is dropped.
"""

from __future__ import annotations

import json
import tomllib
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from filewright.languages import Language
from filewright.structure.outline import SyntaxIssue, SyntaxReport
from filewright.structure.source_text import SourceText, truncate

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_ISSUES: Final = 10
"""Issues described; the rest are counted."""
_VISITED: Final = 50_000
_JUDGED_BYTES: Final = 2 << 20
_INDENTATION_BYTES: Final = 256 << 10
"""Python that its grammar finds no fault with is looked at for wrong indentation up to this size."""
_TEXT_CHARS: Final = 60


def build_report(
    root: Node, source: SourceText, language: Language, *, certain: bool
) -> SyntaxReport:
    """The syntax errors below `root`, the tree of `source`."""
    if not root.has_error:
        if language is not Language.PYTHON or len(source.data) > _JUDGED_BYTES:
            return SyntaxReport(certain=certain)
        # The header that an empty block belongs to, by its colon.
        missing = [
            _described(block.prev_sibling or block, source)._replace(
                text="", message="expected an indented block"
            )
            for block in _empty_blocks(root)
        ]
        if not missing and len(source.data) <= _INDENTATION_BYTES:
            # Its grammar takes a line that is indented without reason for one of the block above.
            missing = _judged(source, language, IndentationError) or []
        return SyntaxReport(len(missing), tuple(missing[:MAX_ISSUES]), certain)
    verdict = _judged(source, language)
    if verdict is None:
        return SyntaxReport(certain=certain)
    issues: list[SyntaxIssue] = []
    count = 0
    for node in _broken(root):
        count += 1
        if len(issues) < MAX_ISSUES:
            issues.append(_described(node, source))
    judged = {issue.line for issue in verdict}
    issues = verdict + [issue for issue in issues if issue.line not in judged]
    issues.sort(key=lambda issue: (issue.line, issue.column))
    return SyntaxReport(
        max(count, len(issues)), tuple(issues[:MAX_ISSUES]), certain
    )


def _broken(root: Node) -> Iterator[Node]:
    """The error and missing nodes, in file order, without those inside another."""
    pending = [root]
    visited = 0
    while pending and visited < _VISITED:
        node = pending.pop()
        visited += 1
        if node.is_error or node.is_missing:
            yield node
        elif node.has_error:
            pending.extend(reversed(node.children))


def _empty_blocks(root: Node) -> list[Node]:
    """The bodies of Python with no statement in them: its grammar takes them for valid."""
    from tree_sitter import Query, QueryCursor

    from filewright.structure.grammar import load_grammar

    query = Query(
        load_grammar(Language.PYTHON).parser_language, "(block) @block"
    )
    blocks = QueryCursor(query).captures(root).get("block", [])
    return sorted(
        (node for node in blocks if not node.named_child_count),
        key=lambda node: node.start_byte,
    )


def _described(node: Node, source: SourceText) -> SyntaxIssue:
    start, (data, codec) = node.start_byte, source
    before = data[:start].rpartition("\n".encode(codec))[2]
    column = len(before.decode(codec, "replace")) + 1
    if node.is_missing:
        return SyntaxIssue(
            node.start_point.row + 1, column, "", f"missing {node.type}"
        )
    shown = truncate(
        source.spaced(start, node.end_byte, 4 * _TEXT_CHARS), _TEXT_CHARS
    )
    return SyntaxIssue(
        node.start_point.row + 1,
        column,
        shown,
        "unexpected" if shown else "unexpected end",
    )


def _judged(
    source: SourceText,
    language: Language,
    kind: type[SyntaxError] = SyntaxError,
) -> list[SyntaxIssue] | None:
    """Return what the language's own parser says: None for valid, else its complaint (or none of its own).

    Complaints of Python that are not of the `kind` count as none: it may be older than the file.
    """
    data = source.data
    if len(data) > _JUDGED_BYTES:
        return []
    try:
        if language is Language.PYTHON:
            import ast

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(
                    data, "<file>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True
                )
        elif language is Language.JSON:
            json.loads(data.decode(source.codec).removeprefix("\ufeff"))
        elif language is Language.TOML:
            tomllib.loads(data.decode(source.codec).removeprefix("\ufeff"))
        else:
            return []
    except SyntaxError as error:
        if (
            error.lineno is None
            or "\0" in str(error)
            or not isinstance(error, kind)
        ):
            return []
        text = " ".join((error.text or "").split())[:_TEXT_CHARS]
        return [
            SyntaxIssue(
                max(1, error.lineno), max(1, error.offset or 1), text, error.msg
            )
        ]
    except json.JSONDecodeError as error:
        commented = b"//" in data or b"/*" in data
        return (
            []
            if commented
            else [SyntaxIssue(error.lineno, error.colno, "", error.msg)]
        )
    except (ValueError, RecursionError, MemoryError, OverflowError):
        return []
    return None
