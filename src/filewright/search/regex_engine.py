"""RE2, the engine of all regular expressions: it takes linear time for every pattern."""

from __future__ import annotations

import threading
from typing import Any

from filewright.errors import invalid

_MAX_COMPILED_BYTES = 8 << 20
"""Memory of RE2 for one pattern and its states."""

# The cache of the module, which `purge` empties, is shared by all threads.
_compile_lock = threading.Lock()


def compile_re2(
    pattern: str | bytes, *, multiline: bool = True, latin1: bool = False
) -> Any:
    """Compile a pattern in RE2's own syntax.

    Unless it is `multiline`, the pattern never matches a line break. With `latin1`, each
    byte is a character, whatever the encoding of the text. Raises `invalid_input` if it
    takes too much memory.
    """
    import re2

    options = re2.Options()
    # The error is raised. RE2 would also write it to standard error.
    options.log_errors = False
    options.never_nl = not multiline
    options.max_mem = _MAX_COMPILED_BYTES
    if latin1:
        options.encoding = re2.Options.Encoding.LATIN1
    encoded = pattern.encode() if isinstance(pattern, str) else pattern
    try:
        with _compile_lock:
            regexp = re2.compile(encoded, options)
            # The module would keep the last 128 patterns, whatever their size.
            re2.purge()
    except re2.error as error:
        hint = "make the pattern smaller: fewer or shorter repetitions, no nested ones"
        raise invalid(
            f"pattern: {_error_text(error)}", hint, argument="pattern"
        ) from error
    return regexp


def _error_text(error: Exception) -> str:
    """Return the reason that RE2 gives, which may be bytes."""
    reason = error.args[0] if error.args else error
    if isinstance(reason, bytes):
        return reason.decode("utf-8", "replace")
    return str(reason)
