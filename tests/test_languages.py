"""`languages`: how the language of a file is recognised, and the table of languages."""

from __future__ import annotations

import pytest

from filewright.errors import FilewrightError
from filewright.languages import PARSED, Language, language_of, name_matcher

CASES = [
    (b"a.py", b"", Language.PYTHON),
    (b"a.PY", b"", Language.PYTHON),
    (b"types.pyi", b"", Language.PYTHON),
    (b"a.jsx", b"", Language.JSX),
    (b"a.mjs", b"", Language.JAVASCRIPT),
    (b"a.d.ts", b"", Language.TYPESCRIPT),
    (b"a.tsx", b"", Language.TSX),
    (b"a.h", b"int f(void);\n", Language.C),
    (b"a.h", b"#pragma once\nnamespace shop {\n", Language.CPP),
    (b"a.h", b"class Cart : public Base {\n", Language.CPP),
    (b"a.c", b"class x;", Language.C),
    (b"Makefile", b"", Language.MAKEFILE),
    (b"Dockerfile", b"", Language.DOCKERFILE),
    (b"Dockerfile.dev", b"", Language.DOCKERFILE),
    (b"Rakefile", b"", Language.RUBY),
    (b".bashrc", b"", Language.BASH),
    (b"Cargo.lock", b"", Language.TOML),
    (b"config.yaml.example", b"", Language.YAML),
    (b"app.log.1", b"", Language.LOG),
    (b"app.log.2026-11-21", b"", Language.LOG),
    (b"data.jsonl", b"", Language.JSON_LINES),
    (b"data.json", b'{"a": 1}\n{"a": 2}\n', Language.JSON_LINES),
    (b"data.json", b'{"a": 1}\n', Language.JSON),
    (b"run", b"#!/usr/bin/env python3\n", Language.PYTHON),
    (b"run", b"#!/usr/bin/env -S python3.12 -u\n", Language.PYTHON),
    (b"run", b"#! /bin/sh -e\n", Language.BASH),
    (b"run", b"\xef\xbb\xbf#!/usr/bin/node\n", Language.JAVASCRIPT),
    (b"run", b"#!\n", None),
    (b"page", b"\n<!DOCTYPE html>\n", Language.HTML),
    (b"page", b"<?php echo 1;", Language.PHP),
    (b"unknown", b"hello", None),
    (b"", b"", None),
    (b".hidden", b"", None),
    (b"\xff\xfe.go", b"", Language.GO),
]


@pytest.mark.parametrize(("name", "head", "expected"), CASES)
def test_recognises_name_and_first_bytes(
    name: bytes, head: bytes, expected: Language | None
) -> None:
    assert language_of(name, head) is expected


def test_counts_parsed_languages() -> None:
    assert len(PARSED) == 25
    assert Language.TEXT not in PARSED


@pytest.mark.parametrize("language", Language)
def test_matches_names_of_type(language: Language) -> None:
    matches = name_matcher(language)
    traits = language.traits
    names = [
        *traits.names.split(),
        *(f"a.{extension}" for extension in traits.extensions.split()),
    ]
    for name in names:
        assert matches(name.encode())
        assert matches(name.upper().encode())
    expected = {*traits.extensions.split(), *traits.search_extensions.split()}
    for other in Language:
        if language in other.traits.types.split():
            expected |= {*other.traits.extensions.split()}
    known = {
        extension
        for other in Language
        for extension in (
            f"{other.traits.extensions} {other.traits.search_extensions}".split()
        )
    }
    assert {word for word in known if matches(f"a.{word}".encode())} == expected


@pytest.mark.parametrize("column", ["extensions", "names"])
def test_assigns_each_word_to_one_language(column: str) -> None:
    words = [
        word
        for language in Language
        for word in getattr(language.traits, column).split()
    ]
    assert len(words) == len(set(words))


@pytest.mark.parametrize(
    ("file_type", "name"),
    [
        ("python", b"rules.bzl"),
        ("py", b"stub.pyi"),
        ("ts", b"View.tsx"),
        ("javascript", b"App.jsx"),
        ("c++", b"list.h"),
        ("c", b"list.h"),
        ("css", b"site.scss"),
        ("json", b"events.ndjson"),
        ("docker", b"Dockerfile.dev"),
        ("make", b"GNUmakefile"),
        ("config", b"web.config"),
        (".Weird", b"x.weird"),
        ("pyi", b"stub.pyi"),
        ("yaml", b"app.yml.example"),
        ("cmake", b"CMakeLists.txt"),
    ],
)
def test_accepts_common_names_of_types(file_type: str, name: bytes) -> None:
    assert name_matcher(file_type)(name)
    assert not name_matcher(file_type)(b"notes.txt")


@pytest.mark.parametrize(
    "file_type", ["*/x", "", ".", "a-language-of-more-letters"]
)
def test_refuses_words_that_are_no_type(file_type: str) -> None:
    with pytest.raises(FilewrightError, match="no type of file"):
        name_matcher(file_type)
