"""Spaces around punctuation, in one line, where the language gives them no meaning.

Why it cannot be wrong: every token of the line is the file's, in the same order; strings and comments
are single tokens, spaces and all; spaces differ only between a token and one of the marks below,
which in the languages listed mean the same with and without them; and the file has one such line.
"""

from __future__ import annotations

import re

from filewright.edit.locate.fold import indent_of
from filewright.edit.locate.indentation import Indentation
from filewright.edit.locate.request import RequestLines, Tier
from filewright.edit.locate.source import FileText
from filewright.edit.locate.whole_lines import Region, rarest_run, rows_with
from filewright.languages import Language

#: Marks beside which a blank says nothing. Not those that are part of longer operators, and no slash
#: or angle bracket, which begin regular expressions, markup and type arguments.
_MARKS = frozenset(",;()[]{}:=")
_OPERATORS = frozenset("=!<>+-*/%&|^~?.:@$\\`#")
_TOKEN = re.compile(r"\w+|\s+|.")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")


def find_spaced(source: FileText, block: RequestLines) -> list[Region]:
    """Lines like the one line of `block` but for spaces around punctuation, in order of offset."""
    if len(block.solid) != 1 or not (source.language and source.language.traits.comment):
        return []
    asked = _tokens(block.solid[0], source.language)
    anchor = rarest_run(source, re.findall(r"\w+", block.solid[0], re.ASCII)) if asked else None
    if asked is None or anchor is None or not anchor[0]:
        return []
    found: list[Region] = []
    for row in rows_with(source, anchor[0]):
        if len(row.body) > 4096:
            continue
        text = source.text(row.body)
        there = _tokens(text, source.language)
        if there is not None and _are_alike(asked, there):
            indentation = Indentation.of([(indent_of(block.solid[0]), indent_of(text))])
            if indentation is not None:
                found.append(Region((row,), (0,), (text,), Tier.SPACES, indentation))
    return found


def _tokens(line: str, language: Language) -> list[tuple[str, str]] | None:
    """The tokens of a line with the spaces before each; None for lines of which spaces say more."""
    text = line.strip()
    if not text.isascii() or text.startswith(("#", "/", "*", '"', "'", "@")) or "`" in text or '"""' in text:
        return None
    result: list[tuple[str, str]] = []
    at, space = 0, ""
    while at < len(text):
        string = _STRING.match(text, at)
        if text.startswith((language.traits.comment, "/*"), at):
            token = text[at:]
        elif string:
            token = string.group()
        elif text[at] in "\"'":
            return None  # a string that goes on
        else:
            found = _TOKEN.match(text, at)
            token = found.group() if found else text[at]
        at += len(token)
        if token.isspace():
            space = token
            continue
        result.append((space, token))
        space = ""
    return result


def _are_alike(asked: list[tuple[str, str]], found: list[tuple[str, str]]) -> bool:
    if [token for _, token in asked] != [token for _, token in found]:
        return False
    for index in range(1, len(asked)):
        if bool(asked[index][0]) == bool(found[index][0]):
            continue
        before, after = asked[index - 1][1], asked[index][1]
        beside = {token for token in (before, after) if token in _MARKS}
        if not beside or (before in _OPERATORS and after in _OPERATORS):
            return False
    return True
