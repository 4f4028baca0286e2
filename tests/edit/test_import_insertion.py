"""New imports: their place in a file, and the blank lines around them."""

from __future__ import annotations

import pytest

from filewright.edit.import_insertion import NewImport, insert_imports
from filewright.edit.import_rewriting import ImporterText
from filewright.languages import Language
from filewright.structure.import_collector import collect_imports
from filewright.structure.parser import parse_text
from filewright.text.splice import Splice, apply_splices

OS = NewImport("import os")
APART = NewImport("import q", is_apart=True)
FUTURE = NewImport("from __future__ import annotations")
TYPED = NewImport("import t", "TYPE_CHECKING")

# The text, the new imports, and the result (None: there is no certain place).
PYTHON = {
    "empty": (
        "",
        [FUTURE, OS, APART],
        "from __future__ import annotations\n\nimport os\n\nimport q\n",
    ),
    "definition": ("def f(): ...\n", [OS], "import os\n\n\ndef f(): ...\n"),
    "its comment": (
        "# why\n@d\ndef f(): ...\n",
        [OS],
        "import os\n\n\n# why\n@d\ndef f(): ...\n",
    ),
    "statement": ("\nx = 1\n", [OS], "import os\n\nx = 1\n"),
    "licence": (
        "#!python\n# (c)\n\nx = 1\n",
        [OS],
        "#!python\n# (c)\n\nimport os\n\nx = 1\n",
    ),
    "docstring": (
        "'''a\n'''  # b\nx = 1\n",
        [OS],
        "'''a\n'''  # b\n\nimport os\n\nx = 1\n",
    ),
    "future": (
        "from __future__ import x\nx = 1\n",
        [OS],
        "from __future__ import x\n\nimport os\nx = 1\n",
    ),
    "last import": (
        "import a;\nx = 1\nfrom b import (\n  b)\ndef f(): ...\nimport c\n",
        [OS, APART],
        "import a;\nx = 1\nfrom b import (\n  b)\nimport os\nimport q\ndef f(): ...\nimport c\n",
    ),
    "other code": ("import a; x = '''\n'''\n", [OS], None),
    "crlf": (
        "import a\r\nx = 1\r\n",
        [OS],
        "import a\r\nimport os\r\nx = 1\r\n",
    ),
    "types": (
        "import a\nx = 1\n",
        [OS, TYPED],
        "import a\nimport os\n\nif TYPE_CHECKING:\n    import t\n\nx = 1\n",
    ),
    "block of types": (
        "if TYPE_CHECKING:\n\timport a\n\nx = 1\n",
        [TYPED],
        "if TYPE_CHECKING:\n\timport a\n\timport t\n\nx = 1\n",
    ),
}


@pytest.mark.parametrize(
    ("text", "imports", "expected"), PYTHON.values(), ids=PYTHON
)
def test_python(
    text: str, imports: list[NewImport], expected: str | None
) -> None:
    content = text.encode()
    parsed = parse_text(content, "utf-8", Language.PYTHON, 10)
    assert not isinstance(parsed, str)
    facts = collect_imports(
        parsed.tree, parsed.grammar, parsed.content, (), (0, 0)
    )
    terminator = b"\r\n" if b"\r" in content else b"\n"
    insertions = insert_imports(
        ImporterText(content, True, terminator),
        facts,
        imports,
        len(content),
        lambda offset: content[offset:],
    )
    result = None
    if insertions is not None:
        splices = [Splice(one.offset, 0, one.data) for one in insertions]
        result = apply_splices(content, splices).decode()
    assert result == expected
