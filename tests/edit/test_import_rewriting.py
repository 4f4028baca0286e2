"""One import statement whose names come from other modules: bytes before and after."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.edit.import_rewriting import (
    COMMENT_IN_LIST,
    OTHER_CODE,
    ImporterText,
    rewrite_statement,
)
from filewright.languages import Language
from filewright.structure.import_collector import collect_imports
from filewright.structure.import_statements import NAMES, ImportFacts
from filewright.structure.parser import parse_text
from filewright.text.splice import apply_splices

PYTHON: Mapping[str, str | None] = {"a": ".env", "gone": None, "z": ".zoo"}
SCRIPT: Mapping[str, str | None] = {"a": "./env", "T": "./env"}


def read(text: bytes, language: Language) -> ImportFacts:
    parsed = parse_text(text, "utf-8", language, 10)
    assert not isinstance(parsed, str)
    return collect_imports(parsed.tree, parsed.grammar, parsed.content, (), ())


def rewrite(
    text: bytes, modules: Mapping[str, str | None], language: Language
) -> bytes | str:
    """Return the text with its first statement rewritten, or the reason why not."""
    (statement, *_) = read(text, language).statements
    importer = ImporterText(text, language is Language.PYTHON)
    result = rewrite_statement(importer, statement, modules)
    if isinstance(result, str):
        return result
    return apply_splices(text, result.splices)


IN_PYTHON = {
    "alone": (
        b"from .utils import a  # note\r\nx\r\n",
        b"from .env import a  # note\r\nx\r\n",
    ),
    "alone with an alias, in a block of one line": (
        b"if T: from  .utils  import a as b; x = 1\n",
        b"if T: from  .env  import a as b; x = 1\n",
    ),
    "first, middle and last of one line": (
        b"from .utils import a, b, z, c, a as d\n",
        b"from .utils import b, c\nfrom .env import a, a as d\nfrom .zoo import z\n",
    ),
    "brackets on one line keep their comma": (
        b"from .utils import (b, a,)\n",
        b"from .utils import (b,)\nfrom .env import a\n",
    ),
    "a line of its own goes with its comment": (
        b"from .utils import (\n    a as q,  # why\n    # stays\n    b,\n)\nx\n",
        b"from .utils import (\n    # stays\n    b,\n)\nfrom .env import a as q\nx\n",
    ),
    "the last name has no comma, before and after": (
        b"from .utils import (\r\n\tb,\r\n\ta\r\n)\r\n",
        b"from .utils import (\r\n\tb\r\n)\r\nfrom .env import a\r\n",
    ),
    "two of three on a line": (
        b"from .utils import (\n    b, a,\n    c,\n)\n",
        b"from .utils import (\n    b,\n    c,\n)\nfrom .env import a\n",
    ),
    "brackets that hug the names": (
        b"from .utils import (a,\n                    b)\n",
        b"from .utils import (b)\nfrom .env import a\n",
    ),
    "continued lines": (
        b"def f():\n    from .utils import b, \\\n        a, \\\n        c\n",
        b"def f():\n    from .utils import b, \\\n        c\n    from .env import a\n",
    ),
    "no line end at the end of the file": (
        b"from .utils import a, b",
        b"from .utils import b\nfrom .env import a",
    ),
    "two new modules leave an empty list": (
        b"from .utils import (\n    z,\n    a,\n)\n",
        b"from .zoo import (\n    z,\n)\nfrom .env import a\n",
    ),
    "a name that the importer has itself": (
        b"x\nfrom .utils import gone, b\n",
        b"x\nfrom .utils import b\n",
    ),
    "all of them": (b"x\nfrom .utils import (\n gone,\n)\ny\n", b"x\ny\n"),
    "the only statement of a block": (
        b"if T:\n    from .utils import gone\n",
        "no other statement is in its block",
    ),
    "a statement beside it": (b"from .utils import a, b; x = 1\n", OTHER_CODE),
    "a block of one line": (b"if T: from .utils import a, b\n", OTHER_CODE),
    "a comment between two names": (
        b"from .utils import (b,  # of b\n    a)\n",
        COMMENT_IN_LIST,
    ),
    "bytes that are not UTF-8 stay": (
        b"'\xff'; \nfrom .utils import (b, a) # \xe9\n",
        b"'\xff'; \nfrom .utils import (b) # \xe9\nfrom .env import a\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), IN_PYTHON.values(), ids=IN_PYTHON)
def test_python(before: bytes, after: bytes | str) -> None:
    assert rewrite(before, PYTHON, Language.PYTHON) == after


IN_SCRIPTS = {
    "alone, without a semicolon": (
        b"import { a } from './utils'\n",
        b"import { a } from './env'\n",
    ),
    "one of several, with its style": (
        b'import {a as q, b} from "./utils";\r\n',
        b'import {b} from "./utils";\r\nimport {a as q} from "./env";\r\n',
    ),
    "a type in a list of lines": (
        b"import {\n  b,\n  type T, // why\n} from './utils';\n",
        b"import {\n  b,\n} from './utils';\nimport { type T } from './env';\n",
    ),
    "types only, exported again": (
        b"export type { T, b } from './utils'",
        b"export type { b } from './utils'\nexport type { T } from './env'",
    ),
    "beside a default": (
        b"import D, { a } from './utils' with { type: 'x' };\n",
        b"import D from './utils' with { type: 'x' };\n"
        b"import { a } from './env' with { type: 'x' };\n",
    ),
    "a default that touches what follows": (
        b'import D,{a}from"./utils"\n',
        b'import D from"./utils"\nimport {a}from"./env"\n',
    ),
    "leading commas": (
        b"import {\n    b\n  , a\n} from './utils'\n",
        b"import {\n    b\n} from './utils'\nimport { a } from './env'\n",
    ),
    "a comment in the list": (
        b"import { b, /* x */ a } from './utils'\n",
        COMMENT_IN_LIST,
    ),
    "code behind it": (b"import { a, b } from './utils'; f()\n", OTHER_CODE),
}


@pytest.mark.parametrize(
    ("before", "after"), IN_SCRIPTS.values(), ids=IN_SCRIPTS
)
def test_scripts(before: bytes, after: bytes | str) -> None:
    assert rewrite(before, SCRIPT, Language.TYPESCRIPT) == after


DEFAULT_IMPORTS = {
    "alone": (b"import D from './u';", b"import D from './env';"),
    "before a list": (
        b"import D, {b} from './u';\r\n",
        b"import {b} from './u';\r\nimport D from './env';\r\n",
    ),
    "with its whole list": (
        b"import D, { a } from './u'",
        b"import D, { a } from './env'",
    ),
    "with a name of its list": (
        b"import D, { a, b } from './u'\n",
        b"import { b } from './u'\nimport D, { a } from './env'\n",
    ),
    "with a name that goes away": (
        b"import D, { gone } from './u'\n",
        b"import D from './env'\n",
    ),
    "with a name of a third module": (
        b"import D, { z } from './u'\n",
        b"import D from './env'\nimport { z } from './zoo'\n",
    ),
    "over several lines": (
        b"import D, {\n  b,\n} from './u'\n",
        b"import {\n  b,\n} from './u'\nimport D from './env'\n",
    ),
}


@pytest.mark.parametrize(
    ("before", "after"), DEFAULT_IMPORTS.values(), ids=DEFAULT_IMPORTS
)
def test_default_imports(before: bytes, after: bytes) -> None:
    modules = {"default": "./env", "a": "./env", "gone": None, "z": "./zoo"}
    assert rewrite(before, modules, Language.TYPESCRIPT) == after


def test_errors_before_an_import_make_it_uncertain() -> None:
    facts = read(
        b"from .m import a\nx = (\nfrom .m import b\n", Language.PYTHON
    )
    certain = [
        statement.is_certain
        for statement in facts.statements
        if statement.form == NAMES
    ]
    assert certain[:1] == [True]
    assert True not in certain[1:]


@st.composite
def statements(draw: st.DrawFn) -> str:
    """Return an import of some names in one of the layouts that Python allows."""
    names = draw(
        st.lists(st.sampled_from("abcdez"), min_size=1, max_size=5, unique=True)
    )
    entries = []
    for name in names:
        alias = draw(st.sampled_from(["", f" as {name}", f"  as  {name}1"]))
        entries.append(name + alias)
    indent = draw(st.sampled_from(["", "    ", "\t"]))
    head = f"{indent}from{draw(st.sampled_from([' ', '  ']))}.utils import "
    comma = draw(st.sampled_from([",", " ,", ", "]))
    end = draw(st.sampled_from(["", "  # end", " # noqa: a, b"]))
    layout = draw(st.sampled_from(["plain", "continued", "one", "lines"]))
    if layout == "plain":
        return head + f"{comma} ".join(entries) + end
    if layout == "continued":
        return head + f"{comma} \\\n{indent}  ".join(entries) + end
    last = draw(st.sampled_from(["", comma]))
    if layout == "one":
        gap = draw(st.sampled_from([" ", "\n   "]))
        return f"{head}({(comma + gap).join(entries)}{last}){end}"
    lines = []
    for entry in entries:
        remark = draw(st.sampled_from(["", "", "  # a, b)", "\n    # own"]))
        is_last = entry == entries[-1]
        lines.append(f"    {entry}{last if is_last else comma}{remark}\n")
    return f"{head}(\n{''.join(lines)}{indent}){end}"


def bindings(text: str) -> set[tuple[str, str, str]]:
    """Return the module, the name and the bound name of each import."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                module = "." * node.level + (node.module or "")
                bound = alias.asname or alias.name
                found.add((module, alias.name, bound))
    return found


@examples(60, derandomize=True)
@given(
    text=statements(),
    moved=st.lists(st.sampled_from("abcdez"), min_size=1, unique=True),
    terminator=st.sampled_from(["\n", "\r\n"]),
)
def test_binds_the_same_names(
    text: str, moved: Sequence[str], terminator: str
) -> None:
    block = text[:1].isspace()
    text = f"{'if 1:' if block else 'pass'}\n{text}\nx = 1\n"
    text = text.replace("\n", terminator)
    modules: dict[str, str | None] = {
        name: ".env" if name < "d" else ".zoo" for name in moved
    }
    before = bindings(text)
    if not any(name in modules for _, name, _ in before):
        return
    result = rewrite(text.encode(), modules, Language.PYTHON)
    if isinstance(result, str):
        assert "#" in text
        return
    expected = set()
    for module, name, bound in before:
        expected.add((modules.get(name) or module, name, bound))
    assert bindings(result.decode()) == expected
    assert result.count(b"\r\n") == (
        result.count(b"\n") if terminator == "\r\n" else 0
    )
