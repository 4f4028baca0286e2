"""Import statements around a name, and the files of modules."""

from __future__ import annotations

from typing import Any

import pytest

from filewright.languages import Language
from filewright.tools.search.uses_imports import (
    ModuleFiles,
    SurveyedImport,
    find_import,
    read_import,
)

TS, PY, RS = Language.TYPESCRIPT, Language.PYTHON, Language.RUST
JAVA, KT = Language.JAVA, Language.KOTLIN


@pytest.mark.parametrize(
    ("text", "language", "fields"),
    [
        ("import { a, own } from 'm'", TS, {"module": "m"}),
        ("import {\n  type own,\n  b\n} from \"m\"", TS, {"module": "m"}),
        ("import type { own } from 'm'", TS, {"module": "m"}),
        ("import { own as x } from 'm'", TS, {"module": "m", "alias": "x"}),
        ("import { own as own } from 'm'", TS, {"module": "m"}),
        ("import { x as own } from 'm'", TS, {"module": "m", "original": "x"}),
        ("import own, { b } from 'm'", TS, {"module": "m", "original": "default"}),
        ("import * as own from 'm'", TS, {"module": "m", "original": "*"}),
        ("export { own } from 'm'", TS, {"module": "m", "is_reexport": True}),
        ("const { own: x } = require('m')", TS, {"module": "m", "alias": "x"}),
        ("const own = await import('m')", TS, {"module": "m"}),
        ("import { b } from './own/c'", TS, {"module": "./own/c", "is_module": True}),
        ("import './own'", TS, {}),
        ("import { a } from 'm'\nown()", TS, {}),
        ("from m import a, own", PY, {"module": "m"}),
        ("from .m import (  # (a)\n  b,\n  own as c,\n)", PY, {"module": ".m", "alias": "c"}),
        ("from m import a, \\\n  own", PY, {"module": "m"}),
        ("from m import x as own", PY, {"module": "m", "original": "x"}),
        ("from m.own import a", PY, {"module": "m.own", "is_module": True}),
        ("import a.own as b", PY, {"module": "a.own", "alias": "b", "is_module": True}),
        ("import z, a.b as own", PY, {"module": "a.b", "original": "b", "is_module": True}),
        ("import z\nown()", PY, {}),
        ("use a::{b, c::{own, d}};", RS, {"module": "a::c"}),
        ("use a::own as b;", RS, {"module": "a", "alias": "b"}),
        ("use own::a;", RS, {"is_module": True}),
        ("import static a.B.own;", JAVA, {"module": "a.B"}),
        ("import a.own as b", KT, {"module": "a", "alias": "b"}),
        ("import a.own.B;", JAVA, {"module": "a", "is_module": True}),
        ("#include <own.h>", Language.C, {}),
    ],
)  # fmt: skip
def test_reads_imports(
    text: str, language: Language, fields: dict[str, Any]
) -> None:
    data = f"import first\n{text}\n".encode()
    start = data.rindex(b"own")
    imported = read_import(data, start, start + 3, "a/b", language)
    assert imported == SurveyedImport(**fields)


def test_long_statements_are_bounded() -> None:
    data = b"import {\n" + b"  a,\n" * 5_000 + b"  own\n} from 'm'"
    start = data.index(b"own")
    imported = read_import(data, start, start + 3, "a", TS)
    assert imported == SurveyedImport()


def test_finds_the_import_of_a_receiver() -> None:
    data = b"// P is first\nimport * as P from 'm'\nP.own()\n"
    imported = find_import(data, "P", "a.ts", TS)
    assert imported is not None
    assert imported.module == "m"
    assert find_import(data, "Q", "a.ts", TS) is None
    assert find_import(data, "P", "a.rs", RS) is None


@pytest.mark.parametrize(
    ("module", "path", "language", "expected"),
    [
        ("./m", "lib/a.ts", TS, "lib/m.ts"),
        ("./m.js", "lib/a.ts", TS, "lib/m.ts"),
        ("../lib", "src/a.ts", TS, "lib/index.ts"),
        ("../../m", "lib/a.ts", TS, ""),
        ("core/n", "packages/x/src/a.ts", TS, "packages/core/src/n.ts"),
        ("@s/core/n", "packages/x/src/a.ts", TS, "packages/core/src/n.ts"),
        (".m", "src/pkg/a.py", PY, "src/pkg/m.py"),
        ("..pkg", "src/pkg/a.py", PY, "src/pkg/__init__.py"),
        (".", "src/pkg/a.py", PY, "src/pkg/__init__.py"),
        ("pkg.m", "tests/t.py", PY, "src/pkg/m.py"),
        # A module beside the importing one is not found by its bare name.
        ("m", "src/pkg/a.py", PY, ""),
        ("crate::m", "src/a.rs", RS, "src/m.rs"),
        ("a.b", "j/a/X.java", JAVA, "j/a/b/Own.java"),
        ("own", "src/a.go", Language.GO, ""),
    ],
)  # fmt: skip
def test_finds_files_of_modules(
    module: str, path: str, language: Language, expected: str
) -> None:
    present = {
        "lib/m.ts", "lib/index.ts", "packages/core/src/n.ts", "src/m.rs",
        "src/pkg/__init__.py", "src/pkg/m.py", "j/a/b/Own.java",
    }  # fmt: skip
    files = ModuleFiles(present.__contains__)
    assert files.find(module, "Own", path, language) == expected
    bounded = ModuleFiles(present.__contains__, max_tests=0)
    assert not bounded.find(module, "Own", path, language)
