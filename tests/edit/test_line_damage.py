"""Damage in one line: described by its traces, unless the request has them too."""

from __future__ import annotations

import pytest

from filewright.edit.line_damage import RequestText, describe_damage
from filewright.languages import Language


def descriptions(
    line: str, *request: str, language: Language | None = Language.PYTHON
) -> list[str]:
    return [*describe_damage(line, RequestText.of(request, language))]


@pytest.mark.parametrize(
    ("line", "request_line", "description"),
    [
        pytest.param(r"x = 1\n", "x = 1", r"a literal \n", id="escape"),
        pytest.param("if a &lt; b:", "if a:", "the entity &lt;", id="entity"),
        pytest.param(
            "a\0b", "ab", "a NUL, which makes the file a binary one", id="NUL"
        ),
        pytest.param(
            "\u00a0\u00a0x = 1",
            "x = 1",
            "no-break or other wide spaces as indentation",
            id="indent",
        ),
        pytest.param(
            "p\u0430th = 1",
            "path = 1",
            "p\u0430th, a word that mixes letters of two alphabets",
            id="alphabets",
        ),
        pytest.param(
            "x\u200b = 1",
            "x = 1",
            "the invisible character U+200B",
            id="invisible",
        ),
        pytest.param(
            "x = \u201ca\u201d",
            "x = 1",
            "\u201c (U+201C) in code",
            id="quote",
        ),
        pytest.param(
            "x\u00a0= 1", "x = 1", "the space U+00A0 in code", id="space"
        ),
        pytest.param(
            "# ... rest of the code ...",
            "x = 1",
            "a placeholder for omitted text",
            id="omission",
        ),
        pytest.param(
            "12| x = 2", "x = 1", "a line number before its text", id="number"
        ),
        pytest.param(
            "src/a.py:12:x = 1",
            "x = 1",
            "a line number before its text",
            id="path",
        ),
        pytest.param("```python", "x = 1", "a code fence", id="fence"),
        pytest.param(
            "@@ -1,2 +1,2 @@", "x = 1", "the header of a diff", id="header"
        ),
        pytest.param(
            "+x = 1",
            "x = 1",
            "the + of a diff at the beginning of the line",
            id="sign",
        ),
        pytest.param(
            "<<<<<<< SEARCH",
            "x = 1",
            "a divider of search and replace",
            id="mark",
        ),
        pytest.param(
            "x = 1</new_string>",
            "x = 1",
            "the tag </new_string>",
            id="tag of a call",
        ),
        pytest.param("</answer>", "x = 1", "the tag </answer>", id="tag"),
        pytest.param("x = a %% b", "x = a % b", "a doubled %", id="percent"),
    ],
)
def test_describes(line: str, request_line: str, description: str) -> None:
    assert description in descriptions(line, request_line)


@pytest.mark.parametrize(
    ("line", "language"),
    [
        pytest.param(r"C:\names", Language.MARKDOWN, id="folder in prose"),
        pytest.param(r"x = 'a\tb'", Language.PYTHON, id="escape in a string"),
        pytest.param(r"echo \"a\"", Language.BASH, id="quotes of a shell"),
        pytest.param("<b>a &lt; b</b>", Language.HTML, id="entity in HTML"),
        pytest.param("\u201ca\u201d", Language.MARKDOWN, id="quote in prose"),
        pytest.param("1. First", Language.MARKDOWN, id="item with a number"),
        pytest.param("```sh", Language.MARKDOWN, id="fence in Markdown"),
        pytest.param("@@ -1 +1 @@", Language.DIFF, id="header in a diff"),
        pytest.param("- item", Language.MARKDOWN, id="item of a list"),
        pytest.param("- 1", Language.PYTHON, id="operator at the beginning"),
        pytest.param("======", Language.MARKDOWN, id="underline"),
        pytest.param("</answer>", Language.HTML, id="tag in HTML"),
        pytest.param("x = {'a': '{{b}}'}", Language.PYTHON, id="template"),
    ],
)
def test_takes_text_for_text(line: str, language: Language) -> None:
    assert not descriptions(line, "other = {text}", language=language)


def test_entity_hides_known_tag() -> None:
    line, language = "&lt;b>bold", Language.HTML
    assert not descriptions(line, "text", language=language)
    assert descriptions(line, "<b>old", language=language) == [
        "the entity &lt;"
    ]


@pytest.mark.parametrize(
    ("line", "request_line"),
    [
        (r"x = a\n", r"x = b\n"),
        ("a &amp; c", "a &amp; b"),
        ("x = \u201cb\u201d", "x = \u201ca\u201d"),
        ("a</new_string>", "b</new_string>"),
        ("a %% b", "a %% c"),
    ],
    ids=["escape", "entity", "quotes", "tag", "sign"],
)
def test_traces_in_request_are_text(line: str, request_line: str) -> None:
    assert not descriptions(line, request_line)


def test_lines_of_request() -> None:
    request = RequestText.of(["  a = 1 ", "", "\tb()"], None)
    assert request.has_line("a = 1")
    assert request.has_line_beginning("b(")
    assert not request.has_line("b")
