"""Notes on text beside a match that its replacement repeats."""

from __future__ import annotations

import pytest

from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.text.snapshot import Snapshot

DOUBLED = [
    ("const a = 1;\n", "const a = 1", "const a = 2;"),
    ("if (x) {\n}\n", "if (x)", "if (x && z) {"),
    ("function f() {\n  a();\n  b();\n}\n", "function f() {\n  a();\n  b();", "function f() {\n  a();\n  c();\n}"),
    ("foo(bar)\n", "foo(ba", "foo(bar"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "search", "replace"), DOUBLED)
def test_notes_doubled_text(file: str, search: str, replace: str) -> None:
    planned = plan_edits(Snapshot(file.encode()), [TextEdit(search, replace)])
    assert any("twice" in note.text for note in planned.outcomes[0].notes)
    plain = plan_edits(
        Snapshot(file.encode()), [TextEdit(search, search + "x")]
    )
    assert not plain.outcomes[0].notes


TWICE = [
    ("import os\nimport sys\nx\n", "import os\n", "import os\nimport sys\n"),
    ("import os\nimport sys\nx\n", "import os", "import os\nimport sys"),
    ("a\nb\nc\n", "c\n", "b\nc\n"),
    ("f(a, b)\n", "f(a", "f(a, b"),
    ("{\n  a,\n  b,\n}\n", "  a,\n", "  a,\n  b,\n"),
    (
        "#include <a>\r\n#include <b>\r\n",
        "#include <a>\n",
        "#include <a>\n#include <b>\n",
    ),
    ("x\n\n\ny\n", "x\n\n", "x\n\n\n"),
    ("use a;\nuse b;\n", "use b;\n", "use a;\nuse b;\n"),
    ("one two three\n", "one ", "one two "),
    ("- a\n- b\n", "- a\n", "- a\n- b\n"),
]


@pytest.mark.parametrize(("file", "search", "replace"), TWICE)
def test_repeated_insertion(file: str, search: str, replace: str) -> None:
    planned = plan_edits(Snapshot(file.encode()), [TextEdit(search, replace)])
    assert "was there already" in planned.outcomes[0].text
    other = plan_edits(
        Snapshot(file.encode()), [TextEdit(search, search + "another line\n")]
    )
    assert "already" not in other.outcomes[0].text
