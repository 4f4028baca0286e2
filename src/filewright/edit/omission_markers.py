"""Lines that stand for text left out, known by their form and not by what they name.

Such a line is a comment, or text by itself, of dots around a few words (``// ... existing handlers ...``), or one
that says that something stays, is omitted or remains (``# rest of the class unchanged``). Where it is in search and
replacement alike, what it stands for stays. In the replacement alone it would delete that text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from filewright.edit.comparison import is_blank
from filewright.languages import Language

_COMMENT = re.compile(
    r"(?:#+|//+|/\*+|\*(?=\s)|--(?=\s)|;+|%+|<!--|\{/\*|\{\{!--|\{#|\(\*|\"\"\"|'''|REM\b|!+(?=\s)|[\"'](?=\s[^\"']*$))(?P<text>.*?)"
    r"(?:\*/\}?|-->|--\}\}|#\}|\*\)|\"\"\"|''')?",
    re.DOTALL,
)
_DOTS = r"(?:\.{3,}|…)"
_BARE = re.compile(rf"[\[(<]?\s*+{_DOTS}\s*+[\])>]?")
# Blanks are taken for good: tried in every way among those beside them, a hundred would take a second.
_WORDS = r"[\[(<]?\s*+(?P<words>\w[\w ,'’/&()+.:-]{0,80}?)\s*+[\])>]?"
_BEGINS = re.compile(rf"[\[(<]?\s*+{_DOTS}\s*+{_WORDS}\s*+[.:]?")
_AROUND = re.compile(rf"[\[(<]?\s*+{_DOTS}\s*+{_WORDS}\s*+{_DOTS}\s*+[\])>]?[.:]?")
_ENDS = re.compile(rf"{_WORDS}\s*+{_DOTS}\s*+[\])>]?")
#: Dots that are set off from the words before them; those of a sentence that trails off are not.
_APART = re.compile(rf"[\[(<]?\s*+(?P<words>\w[^.…]{{0,80}}?)\s++{_DOTS}\s*+[\])>]?")
_BRACKETED = re.compile(r"[\[(<](?P<words>[^\[\](){}<>]{2,80})[\])>]")
_DASHED = re.compile(r"[-=~]{2,}\s*+(?P<words>[A-Za-z][A-Za-z ]{0,40}?)\s*+[-=~]{2,}")
#: Roots of the words that say of text that it is not shown.
_UNSHOWN = r"(?:unchanged|omitted|elided|snip(?:ped)?|truncated|skipped)"
_NAMING = re.compile(
    r"(?:the |all |all the )?(?:rest|remainder|remaining|remains|existing|previous|unchanged|same|other)\b"
    rf"|.*\b{_UNSHOWN}\b"
    r"|.*\b(?:as before|as is|as above|the same|stays?|remains?)$",
    re.IGNORECASE,
)
_SAYING = re.compile(
    rf"(?:(?:the )?(?:rest|remainder|remaining|existing|previous|other|all other)\b.*\b"
    rf"(?:{_UNSHOWN}|the same|as before|as is|stays?|remains?|here|above|below)"
    rf"|{_UNSHOWN}|.{{0,60}}\b(?:is|are|remains?|stays?) (?:unchanged|omitted|the same)(?: \w+){{0,3}}"
    r"|(?:existing|remaining|unchanged|same) (?:code|\w+ code)(?: \w+){0,2})[.:]?",
    re.IGNORECASE,
)
#: What remains may also be what the new code below is about.
_REST = re.compile(r"(?:the )?rest of (?:the |this )?\w+[.:]?", re.IGNORECASE)
_MOST_WORDS = 8
#: New lines that are compared with those that are gone.
_MOST_COMPARED = 1_000
_WORD = re.compile(r"[^\W\d]\w*")


def is_omission_marker(line: str, language: Language | None = None) -> bool:
    """Return whether a line stands for text left out, by dots: as a comment, or where no expression has that form."""
    comment = _COMMENT.fullmatch(line.strip())
    text = (comment["text"] if comment else line).strip()
    if _BARE.fullmatch(text):
        is_expression = (
            language is not None and language.traits.has_ellipsis and "…" not in text
        )
        return comment is not None or not is_expression  # where dots are an expression
    match = _AROUND.fullmatch(text)
    if match is None and comment is not None:
        match = (
            _BEGINS.fullmatch(text)
            or _APART.fullmatch(text)
            or _named(_ENDS.fullmatch(text))
        )
    elif match is None and text.startswith("…"):
        match = _BEGINS.fullmatch(text)
    if match is None:
        return False
    # Dots before code are a spread or a range.
    return comment is not None or bool(
        re.fullmatch(r"[A-Za-z][\w ,'’/-]*|\(?\d+ [\w ]+\)?", match["words"])
    )


def _named(match: re.Match[str] | None) -> re.Match[str] | None:
    """Return a match of dots behind words only where these name what is not shown."""
    return (
        match
        if match is not None
        and _NAMING.match(match["words"])
        and _is_short(match["words"])
        else None
    )


def _is_short(words: str) -> bool:
    return len(words.split()) <= _MOST_WORDS


def mentions_omission(line: str, language: Language | None = None) -> bool:
    """Return whether a line says that text is left out, with dots or in the words of a comment."""
    comment = _COMMENT.fullmatch(line.strip())
    if (
        ("..." in line or "…" in line)
        and (comment or language is not None)
        and is_omission_marker(line, language)
    ):
        return True
    if comment is None:
        return False
    text = comment["text"].strip()
    for pattern in (_BRACKETED, _DASHED):
        match = pattern.fullmatch(text)
        if match is not None and _NAMING.match(match["words"].strip()):
            return True
    return (_SAYING.fullmatch(text) or _REST.fullmatch(text)) is not None and _is_short(
        text
    )


def find_deleting_marker(
    asked: Sequence[str],
    new: Sequence[str],
    there: Sequence[str],
    language: Language | None,
) -> str | None:
    """Return the line of a replacement that stands for lines it would delete; None if there is none.

    `asked` are the lines of the search text, `there` those of the file that it matched.
    """
    known = {line.strip() for line in (*asked, *there)}
    lines = [line for line in new if not is_blank(line)]
    for index, line in enumerate(lines):
        above = lines[index - 1] if index else ""
        if line.strip() in known or not (
            mentions_omission(line, language) or _is_statement(line, above, language)
        ):
            continue
        following = lines[index + 1] if index + 1 < len(lines) else ""
        comment = _COMMENT.fullmatch(line.strip())
        is_weak = (
            comment is not None and _REST.fullmatch(comment["text"].strip()) is not None
        )
        describes = is_weak and bool(following) and following.strip() not in known
        others = [other for other in lines if other != line]
        if not describes and any(_dropped(asked, others)):
            return line
    return None


def _is_statement(line: str, above: str, language: Language | None) -> bool:
    """Return whether dots alone stand where a statement would: only Python has such a one."""
    if language in (None, Language.PYTHON) or not _BARE.fullmatch(line.strip()):
        return False
    return not above.rstrip().endswith(("(", ",", "["))


def _dropped(asked: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a search text of which the replacement has nothing."""
    old = Counter(line.strip() for line in asked)
    # A line that stays stands for itself once: of two equal ones, one may be gone.
    staying = Counter(line.strip() for line in new) & old
    # Each new line may be what became of one old line.
    changed = [set(_WORD.findall(line)) for line in new if line.strip() not in old][
        :_MOST_COMPARED
    ]
    for line in asked:
        body = line.strip()
        if is_blank(line):
            continue
        if staying[body]:
            staying[body] -= 1
            continue
        words = set(_WORD.findall(line))
        shared = [
            2 * len(words & others) >= max(1, len(words)) and bool(words & others)
            for others in changed
        ]
        if True not in shared:
            yield line
        else:
            del changed[shared.index(True)]
