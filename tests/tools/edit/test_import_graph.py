"""Import cycles among the files below a root."""

from __future__ import annotations

import pytest

from filewright.languages import Language
from filewright.structure.import_collector import collect_imports
from filewright.structure.import_statements import ImportFacts
from filewright.structure.module_names import PathParts
from filewright.structure.parser import parse_text
from filewright.tools.edit.import_graph import ImportGraph, MovedName

PYTHON = {
    "pkg/__init__.py": "from .a import f\n",
    "pkg/a.py": "from . import b\n",
    "pkg/b.py": "import os\n",
    "pkg/c.py": "from pkg import VERSION\n",
    "pkg/d.py": "def f():\n    from .a import f\n",
    "pkg/e.py": "if TYPE_CHECKING:\n    from . import a\n",
    "pkg/g.py": "from .h import x\n",
    "pkg/h.py": "from .g import y\n",
    "pkg/i.py": "import pkg.h\n",
    "pkg/j.py": "from .b import moved\n",
    "src/a.ts": "import { b } from './b.js'\n",
    "src/b.ts": "export * from '@/c'\n",
    "src/c/index.ts": "import x from 'x'\n",
}

# The importer, the file that it is to import, and if that is safe.
CASES = {
    "leaf": ("pkg/a.py", "pkg/b.py", True),
    "direct": ("pkg/b.py", "pkg/a.py", False),
    "through its package": ("pkg/a.py", "pkg/c.py", False),
    "beside its package": ("pkg/d.py", "pkg/a.py", True),
    "in a function": ("pkg/b.py", "pkg/d.py", False),
    "for types": ("pkg/a.py", "pkg/e.py", True),
    "cycle of others": ("pkg/b.py", "pkg/g.py", False),
    "cycle that is entered before": ("pkg/i.py", "pkg/g.py", True),
    "moved name": ("pkg/new.py", "pkg/j.py", False),
    "scripts": ("src/c/index.ts", "src/a.ts", False),
    "other scripts": ("src/a.ts", "src/c/index.ts", True),
}


def parts(path: str) -> PathParts:
    return tuple(path.split("/"))


def read_facts(path: PathParts) -> ImportFacts | None:
    text = PYTHON.get("/".join(path))
    if text is None:
        return None
    language = (
        Language.PYTHON if path[-1].endswith(".py") else Language.TYPESCRIPT
    )
    parsed = parse_text(text.encode(), "utf-8", language, 10)
    assert not isinstance(parsed, str)
    return collect_imports(parsed.tree, parsed.grammar, parsed.content, (), ())


@pytest.mark.parametrize(
    ("importer", "imported", "is_safe"), CASES.values(), ids=CASES
)
def test_is_safe(importer: str, imported: str, is_safe: bool) -> None:
    moved = MovedName("moved", parts("pkg/b.py"), parts("pkg/new.py"))
    graph = ImportGraph(
        lambda path: "/".join(path) in PYTHON, read_facts, [moved]
    )
    assert graph.is_safe(parts(importer), [parts(imported)]) is is_safe


def test_added_imports_count() -> None:
    graph = ImportGraph(lambda path: "/".join(path) in PYTHON, read_facts)
    b, e = parts("pkg/b.py"), parts("pkg/e.py")
    assert graph.is_safe(b, [e])
    graph.add(e, [b])
    assert not graph.is_safe(b, [e])
