"""Old files that still use a moved symbol, and get an import of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Workspace

F = "def f():\n    return 1\n"
TS = "export function f() {}\n"

# The files before, the old and the new one, the old one after, and a row of the answer.
# "" stands for no change but the removal.
CASES: dict[str, tuple[dict[str, str], str, str, str]] = {
    "package": (
        {
            "p/__init__.py": "",
            "p/a.py": "import os\n" + F + "\n\ndef g(f=f):\n    return f\n",
        },
        "p/b.py",
        "import os\nfrom .b import f\n\n\ndef g(f=f):\n    return f\n",
        "added to p/a.py: from .b import f",
    ),
    "no package, used before": (
        {"a.py": F + "\n\nX = f()\nimport os\n", "b.py": ""},
        "b.py",
        "from b import f\n\nX = f()\nimport os\n",
        "added to a.py: from b import f",
    ),
    "cycle": (
        {"a.py": F + "\n\nf()\n", "b.py": "import c\n", "c.py": "import a\n"},
        "b.py",
        "f()\n",
        "[still using f from a.py: a.py:5]",
    ),
    "cycle by the moved text": (
        {"a.py": "def f():\n    from a import g\n\n\ndef g():\n    f()\n"},
        "b.py",
        "def g():\n    f()\n",
        "[still using f from a.py: a.py:6]",
    ),
    "cycle by its package": (
        {
            "a.py": F + "\n\nf()\n",
            "p/__init__.py": "import a\n",
            "p/b.py": "",
            "c.py": "import p.b\n",
        },
        "p/b.py",
        "f()\n",
        "[still using f from a.py: a.py:5]",
    ),
    "lacking names": (
        {"a.py": "def g():\n    f()\n\n\ndef f():\n    g()\n"},
        "b.py",
        "def g():\n    f()\n",
        "[still using f from a.py: a.py:2]",
    ),
    "shadowed": (
        {"a.py": F + "\n\ndef g(f):\n    f()\n"},
        "b.py",
        "def g(f):\n    f()\n",
        "[still using f from a.py: a.py:5,6]",
    ),
    "bound anew": (
        {"a.py": F + "\n\nf += 1\n"},
        "b.py",
        "f += 1\n",
        "[still using f from a.py: a.py:5]",
    ),
    "star": (
        {"a.py": "from q import *\n\n\n" + F + "\n\nf()\n"},
        "b.py",
        "from q import *\n\n\nf()\n",
        "[still using f from a.py: a.py:8]",
    ),
    "imported already": (
        {"a.py": F + "\n\nfrom b import f\nf()\n", "b.py": ""},
        "b.py",
        "from b import f\nf()\n",
        "[no other import or use found]",
    ),
    "TypeScript": (
        {
            "a.ts": 'import { x } from "./m";\n\n' + TS + "\nf();\n",
            "m.ts": "export const x = 1;\n",
        },
        "s/b.ts",
        'import { x } from "./m";\nimport { f } from "./s/b";\n\nf();\n',
        'added to a.ts: import { f } from "./s/b"',
    ),
    "a type": (
        {
            "a.ts": "import { x } from './m'\n\nexport interface f {}\n\nlet y: f\n",
            "m.ts": "export const x = 1\n",
        },
        "b.ts",
        "import { x } from './m'\nimport type { f } from './b'\n\nlet y: f\n",
        "added to a.ts: import type { f } from './b'",
    ),
    "not exported": (
        {
            "a.ts": "import { x } from './m'\n\nfunction f() {}\n\nf()\n",
            "m.ts": "export const x = 1\n",
        },
        "b.ts",
        "import { x } from './m'\n\nf()\n",
        "[still using f from a.ts: a.ts:5]",
    ),
    "assigned": (
        {
            "a.ts": "import { x } from './m'\n\nexport let f = 1\n\nf = 2\n",
            "m.ts": "export const x = 1\n",
        },
        "b.ts",
        "import { x } from './m'\n\nf = 2\n",
        "[still using f from a.ts: a.ts:5]",
    ),
}


@pytest.mark.parametrize(
    ("files", "new", "expected", "answer"), CASES.values(), ids=CASES
)
def test_old_file(
    root: Path,
    workspace: Workspace,
    files: dict[str, str],
    new: str,
    expected: str,
    answer: str,
) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    old = next(name for name in files if name.rpartition("/")[2][:2] == "a.")
    edit = {"path": new, "from": {"path": old, "symbol": "f"}, "imports": True}
    text = workspace.call("edit_content", {"edits": [edit]}).text
    assert answer in text.splitlines()
    assert (root / old).read_text() == expected


def test_several_new_files(root: Path, workspace: Workspace) -> None:
    (root / "a.py").write_text(
        "def f(): pass\n\n\ndef g(): pass\n\n\ndef h(): pass\n\n\nf, g, h\n"
    )
    (root / "c.py").write_text("X\n")
    edits = [
        {"path": f"{new}.py", "from": {"path": "a.py", "symbol": symbol}}
        for new, symbol in (("b", "f"), ("c", "g"), ("b", "h"))
    ]
    # The second new file imports the old one after this call.
    edits.append({"path": "c.py", "search": "X", "replace": "import a"})
    done = workspace.call("edit_content", {"edits": edits, "imports": True})
    assert (root / "a.py").read_text() == "from b import f, h\n\nf, g, h\n"
    assert "[still using g from a.py: a.py:10]" in done.text.splitlines()
    assert "added to a.py: from b import f, h" in done.text.splitlines()
