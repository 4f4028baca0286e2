"""Imports that follow a symbol to its new file, in all files of a workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Workspace

MOVE = {
    "path": "src/pkg/env.py",
    "content": "import os\n",
    "from": {"path": "src/pkg/helpers.py", "symbol": "flag"},
    "imports": True,
}

PYTHON = {
    "src/pkg/__init__.py": "from .helpers import flag as flag\n",
    "src/pkg/helpers.py": (
        "import os\nfrom .log import note\n\nDEPTH = 3\n\n\n"
        "def flag(note_it=None):\n    from .log import deep\n\n"
        "    deep(note, str(DEPTH))\n    return os.environ, flag\n\n\n"
        "def other():\n    return flag()\n\n\n__all__ = ['flag']\n"
    ),
    "src/pkg/app.py": "from .helpers import flag\r\nx = flag()\r\n",
    "src/pkg/cli.py": (
        "def f():\n    from .helpers import (\n        flag,\n        other,\n    )\n"
    ),
    "src/pkg/whole.py": "from . import helpers\nhelpers.flag()\nhelpers.other()\n",
    "src/pkg/deep.py": "import pkg.helpers\n\npkg.helpers.flag(pkg.helpers.flag)\n",
    "src/pkg/star.py": "from .helpers import *\nflag()\n",
    "src/pkg/same.py": "from .elsewhere import flag\nfrom .helpers import other\n",
    "src/pkg/hidden.py": (
        "class C:\n\tfrom .helpers import (  # )\n    flag,\n\t)\n"
    ),
    "src/pkg/broken.py": "x = (\nfrom .helpers import flag\n",
    "tests/test_a.py": (
        "from pkg.helpers import flag\n\nmock('pkg.helpers.flag')\n"
    ),
    "pyproject.toml": "[project.scripts]\nrun = 'pkg.helpers:flag'\n",
    "kept/a.py": "from pkg.helpers import flag\n",
    "out/a.py": "from pkg.helpers import flag\n",
    ".gitignore": "out/\n",
    ".agentsreadonly": "kept/\n",
}

AFTER = {
    "src/pkg/__init__.py": "from .env import flag as flag\n",
    "src/pkg/app.py": "from .env import flag\r\nx = flag()\r\n",
    "src/pkg/cli.py": (
        "def f():\n    from .helpers import (\n        other,\n    )\n"
        "    from .env import flag\n"
    ),
    "tests/test_a.py": (
        "from pkg.env import flag\n\nmock('pkg.helpers.flag')\n"
    ),
}

ANSWER = """\
src/pkg/__init__.py:1: from .env import flag as flag
src/pkg/app.py:1: from .env import flag
src/pkg/cli.py:2-4: flag removed
src/pkg/cli.py:5: from .env import flag
tests/test_a.py:1: from pkg.env import flag
added to src/pkg/env.py: from .log import note
[src/pkg/helpers.py:1,2 no longer uses: import os; from .log import note]
[src/pkg/env.py does not define or import DEPTH]
[still using flag from src/pkg/helpers.py: kept/a.py:1 (write-protected), \
pyproject.toml:2 (pkg.helpers:flag), \
src/pkg/broken.py:2 (behind a syntax error), \
src/pkg/deep.py:3 (pkg.helpers.flag), \
src/pkg/helpers.py:15, src/pkg/helpers.py:18 (__all__), \
src/pkg/hidden.py:2 (behind a syntax error), \
src/pkg/star.py:1 (star import), src/pkg/whole.py:2 (helpers.flag), \
tests/test_a.py:3 ("pkg.helpers.flag")]
"""


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())


def contents(root: Path, names: dict[str, str]) -> dict[str, str]:
    return {name: (root / name).read_bytes().decode() for name in names}


def test_says_that_nothing_is_left(root: Path, workspace: Workspace) -> None:
    files = ("src/pkg/app.py", "src/pkg/cli.py", "src/pkg/same.py")
    write(root, {name: PYTHON[name] for name in files})
    helpers = "def flag():\n    return 1\n\n\nother = 2\n"
    for last_line, is_all in (("", True), ("x = flag()\n", False)):
        write(root, {"src/pkg/helpers.py": helpers + last_line})
        answer = workspace.call("edit_content", {"edits": [MOVE]})
        assert ("no other import or use" in answer.text) is is_all, answer.text
        workspace.undo()


def test_python(root: Path, workspace: Workspace) -> None:
    write(root, PYTHON)
    done = workspace.call("edit_content", {"edits": [MOVE]})
    assert done.text.partition("left at 7\n")[2] + "\n" == ANSWER
    now = contents(root, PYTHON)
    helpers = now.pop("src/pkg/helpers.py")
    assert "def flag" not in helpers
    assert {**PYTHON, **AFTER, "src/pkg/helpers.py": helpers} == {
        **now,
        "src/pkg/helpers.py": helpers,
    }
    assert done.data["rewritten_imports"][1] == {
        "path": "src/pkg/app.py",
        "line": 1,
        "text": "from .env import flag",
    }
    workspace.undo()
    assert contents(root, PYTHON) == PYTHON
    assert not (root / "src/pkg/env.py").exists()
    preview = workspace.call("edit_content", {"edits": [MOVE], "preview": True})
    assert "+from .env import flag\n" in preview.text
    assert "star import" in preview.text
    assert contents(root, PYTHON) == PYTHON


def test_new_module_that_imported_it(root: Path, workspace: Workspace) -> None:
    write(
        root,
        {
            "a.py": "def f():\n    pass\n\n\ndef g():\n    pass\n",
            "b.py": "from a import f, g\n\n\ndef h():\n    f()\n",
            "sub/c.py": "from a import f, g\nfrom b import h\n",
        },
    )
    moves = [
        {"path": "b.py", "from": {"path": "a.py", "symbol": name}}
        # Another spelling finds it too.
        for name in ("F", "g")
    ]
    other = {"path": "sub/c.py", "search": "import h", "replace": "import h, x"}
    done = workspace.call(
        "edit_content", {"edits": [*moves, other], "imports": True}
    )
    assert (root / "b.py").read_text().startswith("\n\ndef h():\n")
    assert (root / "sub/c.py").read_text() == (
        "from b import f, g\nfrom b import h, x\n"
    )
    assert "sub/c.py:1: from b import f, g" in done.text
    assert "still using" not in done.text
    workspace.undo()
    clash = {"path": "sub/c.py", "search": "f, g", "replace": "g, f"}
    refused = workspace.call(
        "edit_content", {"edits": [*moves, clash], "imports": True}
    )
    assert (
        "edit 3 changes an import that edit 1 rewrites, at line 1"
        in refused.text
    )


SCRIPTS = {
    "src/utils.ts": (
        "import fs from 'fs'\n\nexport function a() {\n  return fs\n}\n\n"
        "export function b() {}\n\nfunction c() {}\n\nexport { c }\n"
        "\nexport function $d() {}\n"
    ),
    "src/one.ts": "import { a } from './utils'\n",
    "src/two.tsx": 'import { a as x, b } from "./utils.js";\nx();\n',
    "src/three.js": "const { a } = require('./utils')\na()\n",
    "src/four.ts": "import * as u from './utils'\nu.a()\nconst { a: y } = u\n",
    "src/five.ts": "import { a } from '@/utils'\n",
    "src/six.ts": "export { a } from './utils';\n",
    "src/seven.ts": "import { c } from './utils';\n",
    "src/eight.ts": "import { d, $d } from './utils';\n",
    "src/nine.js": "const { a: x } = require('./utils')\nx()\n",
}


def test_scripts(root: Path, workspace: Workspace) -> None:
    write(root, SCRIPTS)
    moves = [
        {
            "path": "src/env.ts",
            "from": {"path": "src/utils.ts", "symbol": name},
            "imports": True,
        }
        for name in ("a", "c", "$d")
    ]
    done = workspace.call("edit_content", {"edits": moves})
    assert contents(root, SCRIPTS) == SCRIPTS | {
        "src/utils.ts": (
            "import fs from 'fs'\n\nexport function b() {}\n\nexport { c }\n"
        ),
        "src/one.ts": "import { a } from './env'\n",
        "src/two.tsx": (
            'import { b } from "./utils.js";\n'
            'import { a as x } from "./env.js";\nx();\n'
        ),
        "src/six.ts": "export { a } from './env';\n",
        "src/eight.ts": (
            "import { d } from './utils';\nimport { $d } from './env';\n"
        ),
    }
    assert "added to src/env.ts: import fs from 'fs'\n" in done.text
    assert (
        "[still using a from src/utils.ts: "
        "src/five.ts:1 (its module cannot be resolved), "
        "src/four.ts:2,3 (u.a), src/nine.js:1 (imported by a call), "
        "src/three.js:1 (imported by a call)]"
    ) in done.text
    assert (
        "[still using c from src/utils.ts: "
        "src/seven.ts:1 (the moved text does not export it), "
        "src/utils.ts:11 (export)]"
    ) in done.text


ODD = {
    "a.py": b"def f():\n    pass\n\n\ndef g():\n    pass\n",
    "a.pyi": b"def f() -> None: ...\n",
    "invalid.py": b"from a import f\nx = '\xff'\n",
    "sjis.py": "# coding: shift_jis\nfrom a import f  # \u8868\n".encode(
        "shift_jis"
    ),
    "wide.py": "from a import f\n".encode("utf-16"),
    "note.ipynb": (
        b'{"cells": [{"cell_type": "code", "id": "a1", "metadata": {}, '
        b'"outputs": [], "execution_count": null, "source": '
        b'["from a import f\\n"]}], "metadata": {}, "nbformat": 4, '
        b'"nbformat_minor": 5}'
    ),
    "page.vue": b"<script>\nimport { f } from './a'\n</script>\n",
}


def test_odd_files(root: Path, workspace: Workspace) -> None:
    for name, data in ODD.items():
        (root / name).write_bytes(data)
    move = {
        "path": "b.py",
        "from": {"path": "a.py", "symbol": "f"},
        "imports": True,
    }
    itself = {"path": "invalid.py", "move_to": "c.py"}
    refused = workspace.call("edit_content", {"edits": [move, itself]})
    assert "imports a symbol that edit 1 moves" in refused.text
    done = workspace.call("edit_content", {"edits": [move]})
    now = {name: (root / name).read_bytes() for name in ODD}
    assert now == ODD | {
        "a.py": b"def g():\n    pass\n",
        "invalid.py": b"from b import f\nx = '\xff'\n",
    }
    assert (
        "[still using f from a.py: a.pyi:1 (stub of the old file), "
        "note.ipynb:2 (from a import f), page.vue:2 (import { f } from './a'), "
        "sjis.py:2 (it is shift_jis), wide.py:1 (it is utf-16-le)]"
    ) in done.text


def test_other_languages(root: Path, workspace: Workspace) -> None:
    write(
        root,
        {
            "a/a.rs": "pub fn f() {}\n\npub fn g() {}\n",
            "a/c.rs": "use a::a::f;\n\nfn h() { f() }\n",
        },
    )
    move = {
        "path": "a/b.rs",
        "from": {"path": "a/a.rs", "symbol": "f"},
        "imports": True,
    }
    done = workspace.call("edit_content", {"edits": [move]})
    assert "imports of rust are not rewritten]" in done.text
    for bad in ({"copy": True}, {"from": {"start_line": 1, "end_line": 1}}):
        refused = workspace.call("edit_content", {"edits": [move | bad]})
        assert "imports follow a symbol that is moved" in refused.text


def test_several_names(root: Path, workspace: Workspace) -> None:
    files = {
        "a.py": "A = B = 3\n\n\nC = (D := 4)\n\n\ndef f():\n    E = A\n",
        "b.py": "from a import A, B, D\nfrom a import E, f\n",
        "c.py": "import a\n\na.B\n",
        "a.ts": (
            "let y = 1\n\nexport const m = 1,\n  n = 2\n\n"
            "export const p = 1; export const { q, r: [s = t] } = p\n"
        ),
        "b.ts": "import { n, q, s } from './a'\n",
    }
    write(root, files)
    moves = [
        {"path": f"new.{end}", "from": {"path": f"a.{end}", "symbol": name}}
        for end, name in [("py", "A"), ("py", "C"), ("ts", "n"), ("ts", "p")]
    ]
    done = workspace.call("edit_content", {"edits": moves, "imports": True})
    assert (root / "b.py").read_text() == (
        "from new import A, B, D\nfrom a import E, f\n"
    )
    assert "[still using B from a.py: c.py:3 (a.B)]" in done.text
    assert (root / "b.ts").read_text() == (
        "import { n } from './a'\nimport { q, s } from './new'\n"
    )
    assert (
        "[still using n from a.ts: b.ts:1 (the moved text does not export it)]"
    ) in done.text


DEFAULT = {
    "src/a/index.ts": (
        "export default function foo() {}\n\nexport function e() {}\n"
    ),
    "src/one.ts": "import bar from './a';\nbar()\n",
    "src/two.ts": "import foo, { e } from './a/index'; // why\n",
    "src/three.ts": (
        "export { default } from './a'\nexport { default as z } from './a'\n"
        "import { default as q, e } from './a'\nexport * from './a'\n"
    ),
    "src/four.ts": "import bar, * as ns from './a'\nns.default()\nns.e()\n",
    "src/five.tsx": "const C = lazy(() => import('./a'))\n",
    "src/six.ts": "import { e } from './a'\nswitch (e) { default: e() }\n",
    "src/seven.ts": "import bar /* , */ , { e } from './a'\n",
    "src/eight.ts": "x = (\nimport bar from './a'\n",
    "src/a/nine.js": "import bar from '.'\nimport type from '..'\n",
    "src/page.vue": "<script>\nimport Bar from './a'\n</script>\n",
    "src/other.vue": "<script>\nimport { e } from './a'\n</script>\n",
    "src/new.ts": "import foo, { e } from './a'\nimport { g } from './two'\n",
    "a.ts": "import bar from './a'\n",
}


def test_default_export(root: Path, workspace: Workspace) -> None:
    write(root, DEFAULT)
    move = {
        "path": "src/new.ts",
        "from": {"path": "src/a/index.ts", "symbol": "foo"},
        "imports": True,
    }
    done = workspace.call("edit_content", {"edits": [move]})
    now = contents(root, DEFAULT)
    assert now.pop("src/new.ts").startswith(
        "import { e } from './a'\nimport { g } from './two'\n"
    )
    assert now == {
        **{name: DEFAULT[name] for name in now},
        "src/a/index.ts": "export function e() {}\n",
        "src/one.ts": "import bar from './new';\nbar()\n",
        "src/two.ts": (
            "import { e } from './a/index'; // why\nimport foo from './new';\n"
        ),
        "src/three.ts": (
            "export { default } from './new'\n"
            "export { default as z } from './new'\n"
            "import { e } from './a'\nimport { default as q } from './new'\n"
            "export * from './a'\n"
        ),
        "src/a/nine.js": "import bar from '../new'\nimport type from '..'\n",
    }
    assert (
        "[still using foo from src/a/index.ts: src/eight.ts:2 "
        "(behind a syntax error), src/five.tsx:1 (imported by a call), "
        "src/four.ts:1 (import of all names), src/four.ts:2 (ns.default), "
        "src/page.vue:2 (import Bar from './a'), "
        "src/seven.ts:1 (a comment is between the names)]"
    ) in done.text
    workspace.undo()
    move["path"] = "src/two.ts"
    (root / "src/two.ts").write_text("export default 3\n")
    done = workspace.call("edit_content", {"edits": [move]})
    assert "src/one.ts:1 (the new file has a default export)" in done.text
    assert (root / "src/one.ts").read_text() == DEFAULT["src/one.ts"]


def test_doctests(root: Path, workspace: Workspace) -> None:
    example = (
        "    >>> import p.a\n    >>> from p.{} import g, f\n    ... p.a.f\n"
    )
    files = {
        "p/__init__.py": "",
        "p/a.py": (
            f'def f():\n    """\n{example.format("a")}    """\n\n\n'
            'def g():\n    """\n    >>> from .a import f\n    """\n'
        ),
        "p/b.py": f'def h():\n    """Do.\r\n\r\n{example.format("c")}    """\n',
        "p/c.py": '"""\n>>> from p.a import g\n>>> f = x.a_.f, q.f\n"""\n',
    }
    write(root, files)
    move = {"path": "p/new.py", "from": {"path": "p/a.py", "symbol": "f"}}
    done = workspace.call("edit_content", {"edits": [move], "imports": True})
    assert (
        "[still using f from p/a.py: p/a.py:11 (doctest), "
        "p/b.py:6 (doctest), p/new.py (doctest)]"
    ) in done.text


def test_default_export_that_stays(root: Path, workspace: Workspace) -> None:
    files = {
        "a.js": "export function F() {}\n\nfunction g() {}\n\nexport default F\n",
        "b.js": "import Bar, { F } from './a.js'\n",
        "c.js": "lazy(() => import('./a.js'))\n",
    }
    write(root, files)
    move = {"path": "n.js", "from": {"path": "a.js", "symbol": "F"}}
    done = workspace.call("edit_content", {"edits": [move], "imports": True})
    assert (root / "b.js").read_text() == (
        "import Bar from './a.js'\nimport { F } from './n.js'\n"
    )
    assert (
        "[still using F from a.js: b.js:1 (the moved text does not "
        "export it), c.js:1 (imported by a call)]"
    ) in done.text


@pytest.mark.parametrize(
    ("old_path", "path", "text"),
    [
        ("p/old.py", "p/__init__.py", "from .old import *\n"),
        ("p/__init__.py", "p/all.py", "from . import *\n"),
        ("p/old.js", "p/index.js", "export * from './old'\n"),
        ("old.ts", "src/index.ts", 'export * as old from "../old.js";\n'),
        ("old.js", "use.js", "const { flag: f } = require('./old')\n"),
    ],
    ids=["star", "package", "export", "export as", "require"],
)
def test_names_files_that_do_not_name_it(
    root: Path, workspace: Workspace, old_path: str, path: str, text: str
) -> None:
    function = "export function flag() {}\nexport const other = 1\n"
    if old_path.endswith(".py"):
        function = "def flag():\n    pass\n\n\nother = 1\n"
    write(root, {old_path: function, path: text})
    answers = []
    for symbol in ("flag", "other"):
        edit = {
            "path": f"new{Path(old_path).suffix}",
            "from": {"path": old_path, "symbol": symbol},
            "imports": True,
        }
        answer = workspace.call("edit_content", {"edits": [edit]})
        answers.append(
            f"[still using {symbol} from {old_path}: {path}:1 (" in answer.text
        )
        workspace.undo()
    # The require takes one of the two names.
    assert answers == [True, "require" not in text]
