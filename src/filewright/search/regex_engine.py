"""regex_engine."""

from __future__ import annotations

import threading
from typing import Any

from filewright.errors import invalid

_COMPILED_BYTES = 8 << 20
"""What RE2 may take for one pattern and its states."""
_compiling = threading.Lock()


def compile_re2(
    pattern: str | bytes, *, multiline: bool = True, latin1: bool = False
) -> Any:
    """RE2's compiled form of its own syntax; what is not `multiline` never matches a line break.

    Raises `invalid_input` for one that takes too much memory.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    options.never_nl = not multiline
    options.max_mem = _COMPILED_BYTES
    if latin1:
        options.encoding = re2.Options.Encoding.LATIN1
    try:
        with _compiling:
            made = re2.compile(
                pattern.encode() if isinstance(pattern, str) else pattern,
                options,
            )
            re2.purge()  # it would keep the last 128 of any size: a pattern is kept by its search alone
    except re2.error as error:
        reason = error.args[0] if error.args else error
        shown = (
            reason.decode("utf-8", "replace")
            if isinstance(reason, bytes)
            else str(reason)
        )
        hint = "make the pattern smaller: fewer or shorter repetitions, no nested ones"
        raise invalid(f"pattern: {shown}", hint, argument="pattern") from error
    return made
