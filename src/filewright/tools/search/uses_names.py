"""The names that a call surveys: one, or several as `a|b`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from filewright.errors import invalid
from filewright.hints import Hint, fill
from filewright.search.pattern import Pattern, compile_pattern
from filewright.wording import escape_controls

MAX_NAMES = 8

_NAME = r"[^\W\d][\w$]*|\$[\w$]+"
_NAME_PATH = rf"(?:{_NAME})(?:(?:\.|::|->)(?:{_NAME}))*"
_NAMES = re.compile(
    rf"(?:\\b)?\(?(?:\?:)?(?:\\b)?{_NAME_PATH}(?:\\b)?"
    rf"(?:\|(?:\\b)?{_NAME_PATH}(?:\\b)?)*\)?(?:\\b)?"
)
_FIRST_NAME = re.compile(rf"(?<!\\)(?:{_NAME})")


def parse_names(pattern: str) -> tuple[str, ...]:
    """Return the names that a pattern stands for: one, or several as `a|b`.

    Raise `invalid_input` for any other pattern.
    """
    text = pattern.replace("\\.", ".").replace("\\$", "$").strip()
    names: list[str] = []
    if _NAMES.fullmatch(text):
        parts = text.replace("\\b", "").removeprefix("(").removeprefix("?:")
        names = list(dict.fromkeys(parts.removesuffix(")").split("|")))
    if not names or len(names) > MAX_NAMES:
        first = _FIRST_NAME.search(pattern)
        example = first[0] if first is not None else "name"
        quoted = escape_controls(pattern[:60])
        raise invalid(
            fill(
                '{} surveys names, and "{}" is none',
                Hint("output=uses", shell="--uses"),
                quoted,
            ),
            Hint(
                f'give one name, or up to {MAX_NAMES} as a|b: {{"pattern": "{example}", "output": "uses"}}',
                shell=f"give one name, or up to {MAX_NAMES} as a|b: --uses {example}",
            ),
            argument="pattern",
        )
    return tuple(names)


def compile_names(
    names: Sequence[str], *, ignores_case: bool = False
) -> Pattern:
    """Return the pattern of names as whole words."""
    # The longest first: `a.b` before `a`.
    ordered = sorted(names, key=len, reverse=True)
    return compile_pattern(
        "|".join(map(re.escape, ordered)),
        mode="regex",
        case="insensitive" if ignores_case else "sensitive",
        whole_word=True,
    )
