"""Lines that begin inside a string of several lines.

Their indentation is content, and not layout: it must stay when a block is moved.
"""

from __future__ import annotations

import re
from typing import Final

from filewright.languages import Language

# Parts of the patterns below. A string that may not hold a line end is listed all the
# same: a mark of a longer string inside of it, as in `"/*"`, opens nothing.
_SLASHES: Final = r"//[^\n]*+|/\*.*?\*/"
_DOUBLE: Final = r'"(?:\\.|[^"\\\n])*+"'
_SINGLE: Final = r"'(?:\\.|[^'\\\n])*+'"
_DOUBLE_LINES: Final = r'"(?:\\.|[^"\\])*+"'
_SINGLE_LINES: Final = r"'(?:\\.|[^'\\])*+'"
_TRIPLE: Final = r'"""(?:\\.|(?!""").)*+"""'
_TRIPLE_SINGLE: Final = r"'''(?:\\.|(?!''').)*+'''"
# One character: `'a'` or `'\n'`. A lifetime of Rust, `'a`, has no second quote.
_CHARACTER: Final = r"'(?:\\[^']+|[^'\\\n])'"
# `<<~SQL`, with or without quotes, to the line that is its word alone: `SQL`.
_HEREDOC: Final = (
    r"<<[-~]?(?P<quote>['\"`]?)(?P<word>[A-Za-z_]\w*)(?P=quote)[^\n]*\n"
    r"(?:.*?\n)??[ \t]*(?P=word)(?=\n|\Z)"
)
# `%q(text)`, with any of four pairs of brackets. Behind a word `%` is an operator.
_RUBY_QUOTED: Final = (
    r"(?<!\w)%[qQ](?:\((?:\\.|[^()\\])*\)|\{(?:\\.|[^{}\\])*\}|"
    r"\[(?:\\.|[^\[\]\\])*\]|\|(?:\\.|[^|\\])*\|)"
)
# `<<<HTML` to `HTML`, behind which code may follow.
_PHP_HEREDOC: Final = r"<<<[ \t]*(?P<quote>['\"]?)(?P<word>[A-Za-z_]\w*)(?P=quote)\n(?:.*?\n)??[ \t]*(?P=word)\b"
# `` `a ${b} c` ``, with braces and templates inside of `${...}` to one depth.
_TEMPLATE: Final = r"`(?:\\.|[^`\\$]|\$(?!\{)|\$\{(?:[^{}`]|\{[^{}]*\}|`(?:\\.|[^`\\])*`)*\})*+`"

_SCRIPT: Final = (_SLASHES, _TEMPLATE, _DOUBLE, _SINGLE)
_JVM: Final = (_SLASHES, _TRIPLE, _DOUBLE, _CHARACTER)
_C: Final = (
    _SLASHES,
    r'R"(?P<raw>[^()\s\\]*)\(.*?\)(?P=raw)"',
    _DOUBLE,
    _CHARACTER,
)
# The comments and strings of each language, as alternatives of one pattern. Comments
# are among them so that a quote in a comment opens no string.
_PATTERNS: Final[dict[str, tuple[str, ...]]] = {
    Language.PYTHON: (r"#[^\n]*+", _TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE),
    Language.TOML: (
        r"#[^\n]*+",
        _TRIPLE,
        _TRIPLE_SINGLE,
        _DOUBLE,
        r"'[^'\n]*+'",
    ),
    Language.JAVASCRIPT: _SCRIPT,
    Language.JSX: _SCRIPT,
    Language.TYPESCRIPT: _SCRIPT,
    Language.TSX: _SCRIPT,
    Language.GO: (_SLASHES, r"`[^`]*+`", _DOUBLE, _CHARACTER),
    Language.RUST: (
        _SLASHES,
        r'r(?P<raw>#*)".*?"(?P=raw)',
        _DOUBLE_LINES,
        _CHARACTER,
    ),
    Language.C: _C,
    Language.CPP: _C,
    Language.CSHARP: (
        _SLASHES,
        r'(?P<raw>"{3,}).*?(?P=raw)',
        r'(?:@\$?|\$@)"(?:""|[^"])*+"',
        _DOUBLE,
        _CHARACTER,
    ),
    Language.JAVA: _JVM,
    Language.KOTLIN: (_SLASHES, r'""".*?"""', _DOUBLE, _CHARACTER),
    Language.SCALA: (_SLASHES, r'""".*?"""', _DOUBLE, _CHARACTER),
    Language.SWIFT: (_SLASHES, r'(?P<raw>#*)""".*?"""(?P=raw)', _DOUBLE),
    Language.RUBY: (
        r"^=begin\b.*?^=end\b",
        _HEREDOC,
        _RUBY_QUOTED,
        _DOUBLE_LINES,
        _SINGLE_LINES,
        r"#[^\n]*+",
    ),
    Language.BASH: (
        r"(?<![^\s;(|&])#[^\n]*+",
        _HEREDOC,
        r"'[^']*+'",
        _DOUBLE_LINES,
        r"\\.",
    ),
    Language.PHP: (
        _SLASHES,
        r"#(?!\[)[^\n]*+",
        _PHP_HEREDOC,
        _DOUBLE_LINES,
        _SINGLE_LINES,
    ),
    Language.LUA: (
        r"--\[(?P<note>=*)\[.*?\](?P=note)\]",
        r"--[^\n]*+",
        r"\[(?P<raw>=*)\[.*?\](?P=raw)\]",
        _DOUBLE,
        _SINGLE,
    ),
    Language.SQL: (
        r"--[^\n]*+",
        r"/\*.*?\*/",
        r"'(?:''|[^'])*+'",
        r"(?P<raw>\$\w*\$).*?(?P=raw)",
    ),
    Language.HTML: (r"<!--.*?-->", r"<(?P<raw>pre|textarea)\b.*?</(?P=raw)>"),
}
# Tokens that begin so are comments: their lines move with the code.
_COMMENT_MARKS: Final = ("//", "/*", "#", "--", "=begin", "<!--")


def find_rows_inside_strings(text: str, language: str | None) -> frozenset[int]:
    """Return the lines, from 0, that begin inside a string of several lines.

    Lines of `text` end with a newline. A block of YAML is not such a string: how much
    deeper it is than its key says what belongs to it, and it moves with the key.
    """
    patterns = _PATTERNS.get(language) if language is not None else None
    if patterns is None or "\n" not in text:
        return frozenset()
    rows: set[int] = set()
    line = position = 0
    for token in re.finditer(
        "|".join(patterns), text, re.DOTALL | re.MULTILINE
    ):
        line_breaks = token[0].count("\n")
        if not line_breaks:
            continue
        line += text.count("\n", position, token.start())
        if not _is_comment(token[0], language):
            rows.update(range(line + 1, line + line_breaks + 1))
        line, position = line + line_breaks, token.end()
    return frozenset(rows)


def _is_comment(token: str, language: str | None) -> bool:
    """Return True if a token is a comment, and not a string."""
    # A raw string of Swift begins with a hash: `#"""`.
    if language == Language.SWIFT and token.startswith('#"'):
        return False
    return token.startswith(_COMMENT_MARKS)
