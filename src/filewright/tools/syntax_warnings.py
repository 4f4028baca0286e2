"""Warnings about the new text of a file: broken syntax, and types defined twice."""

from __future__ import annotations

from collections import Counter

from filewright.boundary.location import Location
from filewright.errors import Code, FilewrightError
from filewright.languages import Language
from filewright.structure.outline import Outline
from filewright.structure.outlines import language_of_snapshot
from filewright.text.snapshot import Snapshot
from filewright.tools.context import Context

# Kinds of symbols that a file is expected to define once.
_TYPE_KINDS = frozenset(
    ["class", "interface", "struct", "enum", "trait", "record", "object"]
)


def find_warning(
    context: Context, location: Location, before: Snapshot, after: Snapshot
) -> str:
    """Return a warning about the new text of a file, or "".

    A warning is an extra: a parser that fails is no reason to refuse a change.
    """
    if before.size > context.settings.parse_bytes:
        return ""
    try:
        language = language_of_snapshot(before)
        if language is None:
            return ""
        return _find_syntax_error(
            context, language, location, before, after
        ) or _find_doubled_type(context, language, location, before, after)
    except FilewrightError as error:
        if error.code == Code.CANCELLED:
            raise
        return ""


def _find_syntax_error(
    context: Context,
    language: Language,
    location: Location,
    before: Snapshot,
    after: Snapshot,
) -> str:
    """Return a warning if a file that was correct, or a new one, has a syntax error."""
    errors = _outline(context, language, after).errors
    if not errors.count:
        return ""
    # Some grammars know only most of their language: a new file may be right for all
    # that. A file that had errors before says nothing of the change.
    if before.size == 0:
        if not errors.certain:
            return ""
    elif _outline(context, language, before).errors.count:
        return ""
    line = errors.first[0].line
    return f"{language} syntax error in {location.display_path} at line {line}"


def _find_doubled_type(
    context: Context,
    language: Language,
    location: Location,
    before: Snapshot,
    after: Snapshot,
) -> str:
    """Return a warning of a type that is defined twice, as after a paste of a file into itself."""
    if before.size == 0:
        return ""
    types = _count_types(_outline(context, language, after))
    if all(count < 2 for count in types.values()):
        return ""
    earlier = _count_types(_outline(context, language, before))
    for (kind, name), count in types.items():
        if count == 2 and earlier[kind, name] == 1:
            return (
                f"{kind} {name} is defined twice now in {location.display_path}"
            )
    return ""


def _outline(
    context: Context, language: Language, snapshot: Snapshot
) -> Outline:
    """Return the outline of a text."""
    return context.outlines.outline(snapshot, language, task=context.task)


def _count_types(outline: Outline) -> Counter[tuple[str, str]]:
    """Count the definitions of each type at the top of a file."""
    return Counter(
        (symbol.kind, symbol.name)
        for symbol in outline.symbols
        if symbol.kind in _TYPE_KINDS
    )
