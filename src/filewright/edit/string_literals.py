"""Lines that begin inside a string of several lines.

Their indentation is content, and not layout: it must stay when a block is moved.
"""

from __future__ import annotations

from filewright.search.code_tokens import TokenKind, scan_tokens

_TEMPLATE_CODE = b"${"
"""The beginning of code inside a template, which its strings surround."""


def find_rows_inside_strings(text: str, language: str | None) -> frozenset[int]:
    """Return the lines, from 0, that begin inside a string of several lines.

    Lines of `text` end with a newline. A block of YAML is not such a string: how much
    deeper it is than its key says what belongs to it, and it moves with the key.
    """
    if language is None or "\n" not in text:
        return frozenset()
    # A text that holds half of a surrogate pair has no strict form in UTF-8.
    content = text.encode("utf-8", "surrogatepass")
    tokens = scan_tokens(content, language)
    rows: set[int] = set()
    line = position = 0
    for number, start in enumerate(tokens.starts):
        kind = tokens.kinds[number]
        # Code in a template stays where the text around it stays.
        is_inside = kind == TokenKind.STRING or (
            kind == TokenKind.OPENING
            and tokens.is_closed(number)
            and content.startswith(_TEMPLATE_CODE, start)
        )
        if not is_inside:
            continue
        line += content.count(b"\n", position, start)
        position = start
        line_breaks = content.count(b"\n", start, tokens.ends[number])
        rows.update(range(line + 1, line + line_breaks + 1))
    return frozenset(rows)
