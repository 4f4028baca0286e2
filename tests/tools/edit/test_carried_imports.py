"""Imports that moved code needs, added to its new file in the same change."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Workspace

INIT = {
    "pkg/__init__.py": "",
    "pkg/sub/__init__.py": "",
    "pkg/log.py": "def note(): pass\n",
}

FORMS = (
    '"""Doc."""\n\nfrom __future__ import annotations\n\nimport os, sys\n'
    "import xml.dom\nimport xml.sax\nfrom json import (\n    dumps as to,\n    loads,\n)\n\n"
    "from .log import note\n\nDEPTH = 1\n\n\n"
    "def f(a: int):\n    sys, xml.sax, to, note, DEPTH\n    return os\n"
)
TYPED = (
    "from __future__ import annotations\n\nimport typing as t\n\n"
    "if t.TYPE_CHECKING:\n    from .log import Log\n\n\n"
    "def f(a: Log) -> None:\n    pass\n"
)
QUOTED = TYPED.replace("from __future__ import annotations\n\n", "").replace(
    ": Log", ": 'Log'"
)
F = "def f():\n    return os\n"

# The old file, the new file before (None: there is none) and after, and the answer.
PYTHON = {
    "new file": (
        FORMS,
        None,
        "from __future__ import annotations\n\nimport os, sys\nimport xml.dom\n"
        "import xml.sax\nfrom json import dumps as to\n\nfrom .log import note\n"
        "from .a import DEPTH\n\n\n"
        "def f(a: int):\n    sys, xml.sax, to, note, DEPTH\n    return os\n",
        "[pkg/a.py:5,8,13 no longer uses: import os, sys; to; from .log import note]",
    ),
    "behind its imports": (
        "import os\n\n\n" + F,
        "# Licence\n\nimport re  # why\n\nX = re\nimport ast\n\n\ndef g():\n    pass\n",
        "# Licence\n\nimport re  # why\n\nX = re\nimport ast\nimport os\n\n\n"
        "def g():\n    pass\n\n\n" + F,
        "added to pkg/b.py: import os",
    ),
    "behind its docstring": (
        "import os\n\n\n" + F,
        '"""Doc."""\nX = 1\n',
        '"""Doc."""\n\nimport os\n\nX = 1\n\n\n' + F,
        "added to pkg/b.py: import os",
    ),
    "no end of line": (
        "import os\r\n\r\n\r\n" + F.replace("\n", "\r\n"),
        "import re",
        "import re\nimport os\n\n\n" + F.removesuffix("\n"),
        "added to pkg/b.py: import os",
    ),
    "types": (
        TYPED,
        None,
        TYPED.replace(".TYPE_CHECKING:\n", ".TYPE_CHECKING:\n"),
        "added to pkg/b.py: from __future__ import annotations; import typing as t; "
        "from .log import Log",
    ),
    "module of the condition": (
        TYPED.replace("import typing", "import os\nimport typing").replace(
            "pass", "os, t"
        ),
        None,
        TYPED.replace("import typing", "import os\nimport typing").replace(
            "pass", "os, t"
        ),
        "added to pkg/b.py: from __future__ import annotations; import os; "
        "import typing as t; from .log import Log",
    ),
    "types in quotes": (
        QUOTED,
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n  import q\n\nX = 1\n",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n  import q\n"
        "  from .log import Log\n\nX = 1\n\n\n"
        "def f(a: 'Log') -> None:\n    pass\n",
        "added to pkg/b.py: from .log import Log",
    ),
    "types that are evaluated": (
        TYPED,
        "X = 1\n",
        "X = 1\n\n\ndef f(a: Log) -> None:\n    pass\n",
        "[pkg/b.py does not define or import Log]",
    ),
    "types that are there, and evaluated": (
        TYPED,
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from .log import Log\n",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from .log import Log\n\n\n"
        "def f(a: Log) -> None:\n    pass\n",
        "[pkg/b.py does not define or import Log]",
    ),
    "annotations of itself": (
        "from __future__ import annotations\n\n\nclass f:\n    def g(self) -> f: ...\n",
        "X = 1\n",
        "X = 1\n\n\nclass f:\n    def g(self) -> f: ...\n",
        "[pkg/b.py needs from __future__ import annotations: "
        "a moved class is in its own annotations]",
    ),
    "uncertain": (
        "try:\n    import os\nexcept ImportError:\n    os = None\nfrom q import *\n\n\n"
        + F,
        "",
        F,
        "[pkg/b.py does not define or import os]",
    ),
    "cycle": (
        "from . import c as os\n\n\n" + F,
        "",
        F,
        "[pkg/b.py does not define or import os]",
    ),
    "own name that changes": (
        "os = 1\n\n\ndef g():\n    global os\n\n\n" + F,
        "",
        F,
        "[pkg/b.py does not define or import os]",
    ),
    "own name of a file that needs the new one": (
        "os = 1\n\n\n" + F + "\n\nf()\n",
        "",
        F,
        "[pkg/b.py does not define or import os]",
    ),
}


def move(
    root: Path, workspace: Workspace, files: dict[str, str], old: str, new: str
) -> str:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())
    edit = {"path": new, "from": {"path": old, "symbol": "f"}, "imports": True}
    return workspace.call("edit_content", {"edits": [edit]}).text


@pytest.mark.parametrize(
    ("old", "new", "expected", "answer"), PYTHON.values(), ids=PYTHON
)
def test_python(
    root: Path,
    workspace: Workspace,
    old: str,
    new: str | None,
    expected: str,
    answer: str,
) -> None:
    files = {**INIT, "pkg/a.py": old, "pkg/c.py": "from . import b\n"}
    if new is not None:
        files["pkg/b.py"] = new
    text = move(root, workspace, files, "pkg/a.py", "pkg/b.py")
    assert (root / "pkg/b.py").read_bytes().decode() == expected
    assert answer in text.splitlines()


def test_other_folder(root: Path, workspace: Workspace) -> None:
    files = {
        **INIT,
        "pkg/a.py": "from .log import note\nfrom . import q\n\n\ndef f():\n    note, q\n",
    }
    text = move(root, workspace, files, "pkg/a.py", "pkg/sub/b.py")
    assert (root / "pkg/sub/b.py").read_text() == (
        "from .. import q\nfrom ..log import note\n\n\ndef f():\n    note, q\n"
    ) or "q" in text


# The ending of both files, the old one, the new one before, and its beginning after.
SCRIPTS = {
    "new file": (
        ".ts",
        "import D, { a as b, type C } from '../m'\nimport * as ns from 'ns'\nimport R from 'r'\n\n"
        "export interface I {}\n\nexport function g() {}\n\n"
        "export function f(x: C, y: I) {\n  return [D, b, ns, g]\n}\n",
        None,
        "import D, { a as b, type C } from './m'\nimport * as ns from 'ns'\n"
        "import { g } from './s/a'\nimport type { I } from './s/a'\n\n",
    ),
    "directive": (
        ".js",
        'import { a } from "m";\n\nexport function f() {\n  return a;\n}\n',
        '"use client";\nlet x;\n',
        '"use client";\n\nimport { a } from "m";\n\nlet x;\n',
    ),
    "elements": (
        ".tsx",
        "import React from 'react'\nimport { A } from 'a'\n\nexport const f = () => <A><p /></A>\n",
        None,
        "import React from 'react'\nimport { A } from 'a'\n\nexport",
    ),
    "require": (
        ".js",
        "const a = require('./m').x\nconst { b: c, d } = require('n')\n\nfunction f() {\n  a = c\n  return c\n}\n",
        "const z = require('z')\n",
        "const z = require('z')\nconst { b: c } = require('n')\n",
    ),
    "another module system": (
        ".js",
        "const a = require('m')\n\nfunction f() {\n  return a\n}\n",
        "import z from 'z'\n",
        "import z from 'z'\n\nfunction f",
    ),
}


@pytest.mark.parametrize(
    ("ending", "old", "new", "expected"), SCRIPTS.values(), ids=SCRIPTS
)
def test_scripts(
    root: Path,
    workspace: Workspace,
    ending: str,
    old: str,
    new: str | None,
    expected: str,
) -> None:
    files = {f"s/a{ending}": old, f"m{ending}": ""}
    if new is not None:
        files[f"b{ending}"] = new
    move(root, workspace, files, f"s/a{ending}", f"b{ending}")
    assert (root / f"b{ending}").read_text().startswith(expected)
