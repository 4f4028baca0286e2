"""The parser process: any content has an outline."""

from __future__ import annotations

import pytest

from filewright.languages import PARSED, Language
from filewright.settings import Settings
from filewright.structure.outlines import Outlines

DEEP = [
    (Language.PYTHON, b"(" * 20_000),
    (Language.JSON, b"[" * 50_000 + b"]" * 50_000),
    (Language.JSON, b'{"a":' * 20_000),
    (Language.JAVASCRIPT, b"function f(){" * 10_000 + b"}" * 10_000),
    (Language.JAVA, b"class A{" * 10_000 + b"}" * 10_000),
    (Language.RUST, b"mod a{" * 10_000 + b"}" * 10_000),
    (Language.HTML, b"<div id=a>" * 10_000),
    (Language.YAML, b"- " * 10_000 + b"x"),
    (Language.MARKDOWN, b"> " * 10_000 + b"x"),
    (Language.C, b"{" * 10_000),
    (Language.GO, b"package a\nvar x = " + b"[" * 10_000),
]


@pytest.mark.parametrize(("language", "data"), DEEP)
def test_ten_thousand_levels(
    language: Language, data: bytes, outlines: Outlines
) -> None:
    outline = outlines.outline(data, language)
    assert outline.parsed or outline.note
    assert max((len(around) for around, _ in outline.walk()), default=0) < 64
    outline.shorten(100)
    assert outlines.outline(b"def after(): pass\n", Language.PYTHON).count == 1


@pytest.mark.parametrize(
    "levels", [100_000, pytest.param(300_000, marks=pytest.mark.sweep)]
)
@pytest.mark.parametrize("opened", [b"[", b'{"a":'])
def test_json_of_many_levels(opened: bytes, levels: int) -> None:
    data = opened * levels + b"1" + {b"[": b"]"}.get(opened, b"}") * levels
    outlines = Outlines(Settings(parse_seconds=60))
    outline = outlines.outline(data, Language.JSON)
    outlines.close()
    assert outline.is_whole, outline.note
    assert outline.errors.count == 0


ODD_FILES = [
    b"",
    b"\n",
    b"\0\xff\xfe" * 50,
    b"\xef\xbb\xbf",
    b"}" * 99,
    b"\r\r\n\r",
    bytes(range(256)),
]


@pytest.mark.parametrize("language", sorted(PARSED))
def test_any_bytes_have_an_outline(
    language: Language, outlines: Outlines
) -> None:
    for data in ODD_FILES:
        outline = outlines.outline(data, language)
        assert outline.language == language, data
