"""Kinds of damage that a text takes on its way from a model's thought into an edit's arguments.

Each kind is a function of a text that returns it damaged; what it does not change is no case of it. `WHOLE` kinds put
something round the text or before each line. `INSIDE` kinds change characters, and damage a damaged text no further:
two texts that are the same when damaged differ in the damage alone. `LEFT_OUT` kinds stand for lines that
are not there.
"""

from __future__ import annotations

import html
import json
import random
import re
from collections.abc import Callable

Damage = Callable[[str, random.Random], str]

_TAGS = (
    "</new_string>",
    "\n</new_string>",
    "</parameter>",
    "\n</parameter>\n</invoke>",
    "\n</content>",
    "\n</replace>",
    "<|endoftext|>",
    "<|im_end|>",
    "\n>>>>>>> REPLACE",
    "\n*** End Patch",
    "</function>",
    '", "replace_all": false}',
)
_TALK = (
    "\n\nThis is the corrected code.",
    "\n```\n\nThis calls it twice.",
    "\n\nNote: nothing else was changed.",
)
_NOUNS = (
    "existing code", "rest of the function", "other routes", "unchanged", "handlers", "state", "props", "children",
    "more tests", "validation", "setup", "columns", "same as before", "imports", "12 more lines",
)  # fmt: skip
_CYRILLIC = str.maketrans("aceopxy", "асеорху")
_WIDE = str.maketrans("(),:;!?=", "（），：；！？＝")


def _lines(change: Callable[[str], str]) -> Damage:
    """Damage line by line, but for what follows the last newline."""

    def damage(text: str, _: random.Random) -> str:
        body, end = (text[:-1], "\n") if text.endswith("\n") else (text, "")
        return "\n".join(change(line) for line in body.split("\n")) + end

    return damage


def _counted(*forms: str) -> Damage:
    """Number the lines, in one of the forms."""

    def damage(text: str, chance: random.Random) -> str:
        form, first = chance.choice(forms), chance.randrange(1, 90)
        body, end = (text[:-1], "\n") if text.endswith("\n") else (text, "")
        numbered = [
            form.format(first + at) + line
            for at, line in enumerate(body.split("\n"))
        ]
        return "\n".join(numbered) + end

    return damage


def _around(before: str, after: str) -> Damage:
    return lambda text, _: before + text.removesuffix("\n") + after


def _written(text: str) -> str:
    """A text as JSON writes it, without its quotes."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _partly_numbered(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    return "\n".join(
        f"{at + 7}: {line}" if index >= at and line else line
        for index, line in enumerate(lines)
    )


def _fenced(text: str, chance: random.Random) -> str:
    before, after = chance.choice(
        [
            ("```\n", "\n```"),
            ("```python\n", "\n```\n"),
            ("~~~\n", "\n~~~\n"),
            ("```\n", "\n"),
            ("", "\n```\n"),
        ]
    )
    return before + text.removesuffix("\n") + after


def _left_out(text: str, chance: random.Random) -> str:
    """Keep the first and the last line, and say that the rest is there."""
    lines = text.removesuffix("\n").split("\n")
    mark = chance.choice(
        [
            "# ... {} ...",
            "// ... {} ...",
            "/* ... {} ... */",
            "-- ... {} ...",
            "<!-- ... {} ... -->",
            "... {} ...",
        ]
    )
    indent = lines[-1][: len(lines[-1]) - len(lines[-1].lstrip(" \t"))]
    middle = indent + mark.format(chance.choice(_NOUNS))
    return "\n".join([lines[0], middle, *lines[-1:]]) + "\n"


def _alike(text: str, _: random.Random) -> str:
    """Put letters of another alphabet for some that look the same."""
    return re.sub(
        r"\b[aceopxy]+\b|(?<=\w)[eo](?=\w)",
        lambda match: match[0].translate(_CYRILLIC),
        text,
    )


def _curled(text: str, _: random.Random) -> str:
    return re.sub(
        r"'([^'\n]*)'", r"‘\1’", re.sub(r'"([^"\n]*)"', r"“\1”", text)
    )


def _corrected(text: str, _: random.Random) -> str:
    """Put what a word processor puts for signs of two or three characters."""
    for plain, sign in (
        ("->", "→"),
        ("=>", "⇒"),
        ("<=", "≤"),
        ("!=", "≠"),
        ("...", "…"),
    ):
        text = text.replace(plain, sign)
    return text


def _as_unicode(text: str, _: random.Random) -> str:
    return (
        text.replace("<", "\\u003c")
        .replace(">", "\\u003e")
        .replace("&", "\\u0026")
    )


WHOLE: dict[str, Damage] = {
    "a leaked tag": lambda text, chance: text.removesuffix("\n") + chance.choice(_TAGS),
    "talk behind it": lambda text, chance: text.removesuffix("\n") + chance.choice(_TALK),
    "an opening tag": lambda text, chance: chance.choice(["<new_string>", "<content>\n", "<![CDATA["]) + text,
    "quotes around it": _around('"', '"'),
    "backquotes around it": _around("`", "`"),
    "a fence": _fenced,
    "quoted lines": _lines(lambda line: f"> {line}"),
    "a prompt before each line": _lines(lambda line: f">>> {line}"),
    "numbered lines": _counted("{}: ", "{} | ", "{:6}\t", "{:5}→", "{}:", "{}- ", "{}│ ", "L{}: "),
    "some lines numbered": _partly_numbered,
    "path and number": _counted("src/a.py:{}:", "a.go:{}: ", "./b.c:{}-"),
    "the frame of a compiler": _counted("  {} | ", "> {} | "),
    "context of a diff": _lines(lambda line: f" {line}"),
    "additions of a diff": _lines(lambda line: f"+{line}"),
    "the head of a diff": lambda text, _: f"@@ -1,3 +1,4 @@\n{text}",
    "marks of search and replace": lambda text, _: f"<<<<<<< SEARCH\n{text}=======\n",
    "a JSON text": lambda text, _: _written(text.removesuffix("\n")),
    "a JSON text in quotes": lambda text, _: f'"{_written(text)}"',
    "a newline said": lambda text, _: text.removesuffix("\n").replace("\n", "\\n"),
    "a newline said twice": lambda text, _: text.replace("\n", "\\n\n"),
    "returns said": lambda text, _: text.replace("\n", "\\r\n"),
    "a byte-order mark": lambda text, _: f"\ufeff{text}",
    "a zero-width space before": lambda text, _: f"\u200b{text}",
    "no indentation": _lines(lambda line: line.lstrip(" \t")),
}  # fmt: skip

INSIDE: dict[str, Damage] = {
    "letters that look alike": _alike,
    "wide punctuation": lambda text, _: text.translate(_WIDE),
    "typographic quotes": _curled,
    "typographic dashes": lambda text, _: text.replace("-", "–"),
    "minus signs": lambda text, _: text.replace("-", "−"),
    "arrows and relations": _corrected,
    "no-break indents": lambda text, _: re.sub(r"(?m)^ +", lambda match: "\u00a0" * len(match[0]), text),
    "no-break blanks": lambda text, _: re.sub(r"(?<=\S) (?=\S)", "\u00a0", text),
    "wide blanks": lambda text, _: re.sub(r"(?<=\S) (?=\S)", "\u3000", text),
    "zero-width spaces": lambda text, _: re.sub(r"(?<=[a-z])_(?=[a-z])", "_\u200b", text),
    "tabs said": lambda text, _: text.replace("\t", "\\t").replace("    ", "\\t"),
    "double quotes escaped": lambda text, _: re.sub(r'(?<!\\)"', '\\"', text),
    "single quotes escaped": lambda text, _: re.sub(r"(?<!\\)'", "\\'", text),
    "backquotes escaped": lambda text, _: re.sub(r"(?<!\\)`", "\\`", text),
    "dollars escaped": lambda text, _: re.sub(r"(?<!\\)\$", "\\$", text),
    "per cent doubled": lambda text, _: re.sub(r"(?<!%)%(?!%)", "%%", text),
    "braces doubled": lambda text, _: re.sub(r"(?<!\{)\{(?!\{)", "{{", re.sub(r"(?<!\})\}(?!\})", "}}", text)),
    "plain entities": lambda text, _: re.sub(r"&(?!\w+;|#)", "&amp;", text).replace("<", "&lt;").replace(">", "&gt;"),
    "all entities": lambda text, _: html.escape(html.unescape(text)),
    "numeric entities": lambda text, _: text.replace("<", "&#60;").replace(">", "&#x3E;"),
    "unicode escapes": _as_unicode,
}  # fmt: skip

LEFT_OUT: dict[str, Damage] = {
    "a marker for the middle": _left_out,
}

KINDS: dict[str, Damage] = {**WHOLE, **INSIDE, **LEFT_OUT}
