from __future__ import annotations

import pytest
from tests.rows import each_row

from filewright.errors import FilewrightError
from filewright.languages import PARSED, Language, language_of, named_as

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


@each_row(("name", "head", "expected"), CASES)
def test_language_by_name_and_first_bytes(
    name: bytes, head: bytes, expected: Language | None
) -> None:
    assert language_of(name, head) is expected


def test_twenty_five_languages_are_parsed() -> None:
    assert len(PARSED) == 25
    assert Language.TEXT not in PARSED


@each_row("language", Language)
def test_a_search_by_type_takes_what_is_said_to_be_of_that_language(
    language: Language,
) -> None:
    taken = named_as(language)
    traits = language.traits
    names = [
        *traits.names.split(),
        *(f"a.{word}" for word in traits.extensions.split()),
    ]
    assert [
        name
        for name in names
        if not taken(name.upper().encode()) or not taken(name.encode())
    ] == []
    others = [
        word
        for each in Language
        for word in f"{each.traits.extensions} {each.traits.also}".split()
    ]
    mine = {name.encode() for name in names} | {
        f"a.{word}".encode() for word in traits.also.split()
    }
    mine |= {b"a." + word.encode() for each in Language if language in each.traits.types.split()
             for word in each.traits.extensions.split()}  # fmt: skip
    assert {name for word in others if taken(name := f"a.{word}".encode())} == {
        n for n in mine if n[:2] == b"a."
    }


def test_no_extension_and_no_name_is_of_two_languages() -> None:
    for words in (
        [each.traits.extensions for each in Language],
        [each.traits.names for each in Language],
    ):
        known = " ".join(words).split()
        assert sorted(known) == sorted(set(known))


@each_row(
    ("kind", "name"),
    [
        ("python", b"rules.bzl"), ("py", b"stub.pyi"), ("ts", b"View.tsx"), ("javascript", b"App.jsx"),
        ("c++", b"list.h"), ("c", b"list.h"), ("css", b"site.scss"), ("json", b"events.ndjson"),
        ("docker", b"Dockerfile.dev"), ("make", b"GNUmakefile"), ("config", b"web.config"), (".Weird", b"x.weird"),
        ("pyi", b"stub.pyi"), ("yaml", b"app.yml.example"), ("cmake", b"CMakeLists.txt"),
    ],
)  # fmt: skip
def test_types_have_the_names_that_people_use(kind: str, name: bytes) -> None:
    assert named_as(kind)(name)
    assert not named_as(kind)(b"notes.txt")


@pytest.mark.parametrize("kind", ["*/x", "", ".", "a-language-of-more-letters"])
def test_what_is_no_type_is_refused(kind: str) -> None:
    with pytest.raises(FilewrightError, match="no type of file"):
        named_as(kind)
