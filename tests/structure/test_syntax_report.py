from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from filewright.languages import Language
from filewright.structure.outlines import Outlines

BROKEN = [
    (Language.PYTHON, b"def f(:\n    pass\n", 1),
    (Language.PYTHON, b"x = 1\nif x\n    pass\n", 2),
    (Language.PYTHON, b"def f(x):\n    if x:\n    return 1\n", 2),
    (
        Language.PYTHON,
        b"x = 1\nclass A(B,\n  C):\n\n# a comment is no body\ny = 2\n",
        3,
    ),
    (Language.PYTHON, b"try:\n    f()\nfinally:\n", 3),
    (Language.JAVASCRIPT, b"function f() {\n  return 1;\n", None),
    (Language.JAVASCRIPT, b"const x = ;\n", 1),
    (Language.GO, b"package a\nfunc f( {\n}\n", 2),
    (Language.RUST, b"fn f() -> {\n}\n", None),
    (Language.JAVA, b"class A { void f( { } }\n", 1),
    (Language.JSON, b'{"a": 1,\n "b": }\n', 2),
    (Language.TOML, b"a = \n[b]\n", None),
    (Language.RUBY, b"class A\n  def f(\nend\n", None),
    (Language.PHP, b"<?php\nfunction f( {\n}\n", None),
    (Language.LUA, b"function f(\nend\n", None),
]


@pytest.mark.parametrize(("language", "data", "line"), BROKEN)
def test_counts_and_places_errors(
    language: Language, data: bytes, line: int | None, outlines: Outlines
) -> None:
    report = outlines.outline(data, language).errors
    assert report.certain
    assert report.count >= len(report.first) >= 1
    if line is not None:
        assert report.first[0].line == line
        assert report.first[0].column >= 1


VALID = [
    (Language.PYTHON, b"print 'python 2'\n"),
    (
        Language.PYTHON,
        b"match x:\n    case {'a': [*_, 1]} if y: pass\ntype A[T: int] = list[T]\n",
    ),
    (
        Language.PYTHON,
        b"x = f'{a!r:>{width}} {\"nested\"}'\nasync def f[T](): return [i async for i in x]\n",
    ),
    (Language.JSON, b'// comment\n{"a": 1}\n'),
    (
        Language.JAVASCRIPT,
        b"#!/usr/bin/env node\na ??= b?.c;\nclass A { static { } #p = 1n; }\n",
    ),
    (
        Language.JAVASCRIPT,
        b"// @flow\nimport type { A } from 'b';\nfunction f(x: ?string): void {}\n",
    ),
    (Language.RUST, b"fn f() -> Result<(), E> { let x = try!(g()); Ok(x) }\n"),
    (Language.KOTLIN, b"fun interface Action { fun invoke() }\n"),
    (
        Language.GO,
        b"package a\n\nfunc Map[K comparable, V any](m map[K]V) {}\n",
    ),
    (
        Language.PHP,
        b"<?php\nenum A: string { case B = 'b'; }\nfn($x) => $x |> trim(...);\n",
    ),
]


@pytest.mark.parametrize(("language", "data"), VALID)
def test_valid_text(
    language: Language, data: bytes, outlines: Outlines
) -> None:
    report = outlines.outline(data, language).errors
    assert not (report.certain and report.count), report


def test_standard_library(outlines: Outlines) -> None:
    folder = Path(sysconfig.get_paths()["stdlib"])
    files = sorted(
        path for path in folder.glob("*.py") if path.stat().st_size < 60_000
    )[::3]
    assert len(files) > 20
    for path in files:
        assert (
            outlines.outline(path.read_bytes(), Language.PYTHON).errors.count
            == 0
        ), path
