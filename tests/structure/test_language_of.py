from __future__ import annotations

import pytest

from filewright.structure.language import PARSED, Language, language_of

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
def test_language_by_name_and_first_bytes(name: bytes, head: bytes, expected: Language | None) -> None:
    assert language_of(name, head) is expected


def test_twenty_five_languages_are_parsed() -> None:
    assert len(PARSED) == 25
    assert Language.TEXT not in PARSED
