"""Markers for omitted text are recognised by their form and never replace lines."""

from __future__ import annotations

import pytest
from tests.edit.cases import Case, Desk, Editor, case_id, plan_case, short_id
from tests.samples import in_part

NOUNS = [
    "existing code", "existing handlers", "routes", "children", "props", "state", "styles", "validation", "columns", "setup code",
    "error handling", "rest of the component", "other options", "other imports", "previous tests", "more", "etc", "snip",
    "same as before", "keep the rest", "rest of file", "omitted for brevity", "unchanged code", "bestehender Code", "code existant",
    "その他のコード", "12 more lines", "1 line omitted", "fields", "wires", "zones",
]  # fmt: skip


FORMS = [
    "... {} ...",
    "...{}...",
    "... {}",
    "{} ...",
    "… {} …",
    "[... {} ...]",
    "(... {} ...)",
    "<... {} ...>",
]


COMMENTS = {
    "a.py": ("# ", ""), "a.js": ("// ", ""), "a.ts": ("/* ", " */"), "a.tsx": ("{/* ", " */}"), "a.html": ("<!-- ", " -->"),
    "a.sql": ("-- ", ""), "a.lua": ("-- ", ""), "a.c": ("/* ", " */"), "a.rb": ("# ", ""), "a.go": ("// ", ""), "a.rs": ("// ", ""),
    "a.css": ("/* ", " */"), "a.yaml": ("# ", ""), "a.ini": ("; ", ""), "a.hs": ("-- ", ""), "a.erl": ("% ", ""), "a.el": (";; ", ""),
    "a.tex": ("% ", ""), "a.vim": ('" ', ""), "a.bat": ("REM ", ""), "a.ps1": ("# ", ""), "a.php": ("// ", ""), "a.kt": ("// ", ""),
    "a.swift": ("// ", ""), "a.scala": ("// ", ""), "a.jl": ("# ", ""), "a.r": ("# ", ""), "a.toml": ("# ", ""), "Makefile": ("# ", ""),
    "Dockerfile": ("# ", ""), "a.vue": ("<!-- ", " -->"), "a.xml": ("<!-- ", " -->"), "a.zig": ("// ", ""), "a.ex": ("# ", ""),
    "a.cs": ("// ", ""), "a.java": ("// ", ""), "a.dart": ("// ", ""), "a.f90": ("! ", ""), "a.m": ("% ", ""), "a.md": ("<!-- ", " -->"),
}  # fmt: skip


LINES = "first\n  one\n  two\n  three\n  four\nlast\n"


SAYINGS = ["unchanged", "(unchanged)", "rest unchanged", "-- snip --", "omitted", "the rest remains the same", "remaining code unchanged",
           "... other routes remain unchanged ...", "existing code", "[existing code]", "rest of the function", "code continues here ..."]  # fmt: skip


@in_part(8)
@pytest.mark.parametrize("name", COMMENTS)
def test_comment_marker_deletes_nothing(
    editor: Editor, name: str, share: int
) -> None:
    begin, end = COMMENTS[name]
    first = [*COMMENTS].index(name) % share
    failures = []
    for at, noun in [*enumerate(NOUNS)][first::share]:
        marker = f"  {begin}{FORMS[at % 6].format(noun)}{end}"
        for replace in (
            f"  one\n{marker}\n  four\n",
            f"  one\n{marker}\n",
            f"{marker}\n  five\n",
            f"  1\n{marker}\n  four\n",
        ):
            result = editor.edit(
                name,
                LINES,
                [
                    {
                        "search": "  one\n  two\n  three\n  four\n",
                        "replace": replace,
                    }
                ],
            )
            if result.text is not None:
                failures.append((replace, result.text))
    assert not failures, f"{len(failures)} of {4 * len(NOUNS)}: {failures[:12]}"


@pytest.mark.parametrize("form", FORMS, ids=short_id)
def test_marker_form_deletes_nothing(editor: Editor, form: str) -> None:
    failures = []
    for noun in NOUNS:
        replace = f"  one\n  // {form.format(noun)}\n"
        result = editor.edit(
            "a.js",
            LINES,
            [{"search": "  one\n  two\n  three\n", "replace": replace}],
        )
        if result.text is not None:
            failures.append(replace)
    assert not failures, failures


@pytest.mark.parametrize("said", SAYINGS, ids=short_id)
@pytest.mark.parametrize(
    ("name", "mark"), [("a.py", "# "), ("a.js", "// "), ("a.sql", "-- ")]
)
def test_saying_comment_deletes_nothing(
    editor: Editor, name: str, mark: str, said: str
) -> None:
    edits = [
        {
            "search": "  one\n  two\n  three\n",
            "replace": f"  one\n  {mark}{said}\n",
        }
    ]
    assert editor.edit(name, LINES, edits).text is None


BARE = [
    *(Case(name, "first\n  one();\n  two();\nlast\n", "  one();\n  two();\n", f"  one();\n  {dots}\n", None)
      for name in ("a.js", "a.java", "a.c", "a.rs", "a.rb", "a.css") for dots in ("...", "…", "[...]")),
    Case("a.py", "def f():\n    a()\n    b()\n", "    a()\n    b()\n", "    a()\n    …\n", None),
    Case("a.js", "a();\nb();\n", "a();\nb();", "a();\n...(1 line omitted)...", None),
    Case("a.tsx", "<A>\n  <B />\n  <C />\n</A>\n", "  <B />\n  <C />\n", "  {/* ... existing children ... */}\n  <D />\n", None),
    Case("a.md", "One.\n\nTwo.\n\nThree.\n", "One.\n\nTwo.\n\nThree.\n", "One.\n\n[... rest unchanged ...]\n", None),
    # Found loosely.
    Case("a.py", "def f():\n    a()  \n    b()\n", "    a()\n    b()\n", "    # ... existing handlers ...\n    c()\n", None),
    Case("a.go", "func f() {\n\ta()\n\tb()\n}\n", "    a()\n    b()\n", "    // ... setup ...\n    c()\n", None),
    # The file's own, and the caller's: text.
    Case("a.py", "# ... existing code ...\na()\nb()\n", "# ... existing code ...\na()\nb()\n", "# ... existing code ...\nc()\n", "# ... existing code ...\nc()\n"),
    Case("a.js", "a();\n// ... more ...\nb();\nc();\n", "a();\n// ... more ...\nb();\n", "// ... more ...\nd();\n", "// ... more ...\nd();\nc();\n"),
    # No line goes.
    Case("a.py", "a()\n", "a()\n", "a()\n# ... existing code ...\n", "a()\n# ... existing code ...\n", must=False),
    Case("a.txt", "a\n", "a\n", "a\n...\n", "a\n...\n"),
    # Code, prose.
    Case("a.py", "def f():\n    a()\n    b()\n", "    a()\n    b()\n", "    ...\n", "def f():\n    ...\n"),
    Case("a.pyi", "class A:\n    x: int\n    y: int\n", "    x: int\n    y: int\n", "    def f(self) -> int: ...\n", "class A:\n    def f(self) -> int: ...\n"),
    Case("a.js", "x = {\n  a,\n  b,\n};\n", "  a,\n  b,\n", "  ...rest,\n", "x = {\n  ...rest,\n};\n"),
    Case("a.ts", "f(\n  a,\n  b,\n);\n", "  a,\n  b,\n", "  ...args\n", "f(\n  ...args\n);\n"),
    Case("a.tsx", "<A\n  b={1}\n  c={2}\n/>\n", "  b={1}\n  c={2}\n", "  {...props}\n", "<A\n  {...props}\n/>\n"),
    Case("a.php", "<?php\nf(\n  $a,\n  $b,\n);\n", "  $a,\n  $b,\n", "  ...$args,\n", "<?php\nf(\n  ...$args,\n);\n"),
    Case("a.js", "a();\nb();\n", "a();\nb();\n", "// wait ... then go on with what is left of the queue, as long as there is time\nc();\n",
         "// wait ... then go on with what is left of the queue, as long as there is time\nc();\n"),
    Case("a.js", "a();\nb();\n", "a();\nb();\n", "// Existing users keep their codes.\nc();\n", "// Existing users keep their codes.\nc();\n"),
    Case("a.md", "One.\nTwo.\n", "One.\nTwo.\n", "And so on ...\n", "And so on ...\n", must=False),
]  # fmt: skip


@pytest.mark.parametrize("case", BARE, ids=case_id)
def test_bare_dots(editor: Editor, case: Case) -> None:
    editor.check(case)


@pytest.mark.parametrize(
    ("name", "mark"),
    [
        ("a.py", "# "),
        ("a.js", "// "),
        ("a.sql", "-- "),
        ("a.lua", "-- "),
        ("a.go", "// "),
    ],
)
def test_marker_in_both_texts_keeps_lines(
    editor: Editor, name: str, mark: str
) -> None:
    file = (
        "def f():\n    alpha()\n    beta()\n    gamma()\n    delta()\n\n\nend\n"
    )
    failures = []
    for noun in NOUNS:
        marker = f"    {mark}... {noun} ..."
        search, replace = (
            f"    alpha()\n{marker}\n    delta()\n",
            f"    alpha(1)\n{marker}\n    delta(2)\n",
        )
        result = editor.edit(
            name, file, [{"search": search, "replace": replace}]
        )
        if result.text != file.replace("alpha()", "alpha(1)").replace(
            "delta()", "delta(2)"
        ):
            failures.append((noun, result.text))
    assert not failures, failures


def test_refuses_different_marker_counts(editor: Editor) -> None:
    file = "def f():\n    alpha()\n    beta()\n    gamma()\n    delta()\n"
    edits = [
        {
            "search": "    alpha()\n    # ... wires ...\n    delta()\n",
            "replace": "    alpha(1)\n    delta(2)\n",
        }
    ]
    assert editor.edit("a.py", file, edits).text is None


MARKED = "-  two\n-  three\n+  # ... existing code ...\n"


@pytest.mark.parametrize(
    "patch",
    [
        f"--- a/a.py\n+++ b/a.py\n@@ -2,4 +2,3 @@\n   one\n{MARKED}   four\n",
        f"--- a/a.py\n+++ b/a.py\n@@ -1,4 +1,3 @@\n   one\n{MARKED}   four\n",
        f"*** Begin Patch\n*** Update File: a.py\n@@\n   one\n{MARKED}   four\n*** End Patch\n",
    ],
)
def test_patch_marker_deletes_nothing(desk: Desk, patch: str) -> None:
    result = desk.patch("a.py", LINES, patch)
    assert result.text is None
    assert "is a placeholder for omitted text" in result.answer
    assert "fuzzy" not in result.answer
    assert desk.patch(
        "a.py", LINES, patch.replace("... existing code ...", "checks")
    ).text


WORDLESS = [
    Case("a.js", "f();\n    })\n  })\n})\n", "f();\n    })\n  })\n})\n", "f();\n// ... validation ...\n})\n", None),
    Case("a.rb", "go\n  end\n\nend\n", "  end\n\nend", "# ... existing code ...\nend", None),
    Case("a.js", "a();\n}\n}\n", "a();\n}\n}\n", "a();\n}\n// ... more ...\n", None),
    Case("a.js", "a();\n}\n}\n", "a();\n}\n}\n", "a();\n}\n// ... more ...\n}\n", "a();\n}\n// ... more ...\n}\n"),
    Case("a.py", "go()\nb()\ngo()\n", "go()\nb()\ngo()\n", "# ... existing code ...\ngo()\n", None),
]  # fmt: skip


@pytest.mark.parametrize("case", WORDLESS, ids=case_id)
def test_staying_line_counts_once(editor: Editor, case: Case) -> None:
    editor.check(case)


# A replacement that alone holds what stands for omitted text, or what a display puts round text.

LAZY = "def f(a):\n    x = 1\n    y = 2\n    z = 3\n    return x\n"


MARKERS = [
    "# ... existing code ...", "// ... rest of the code", "/* ... */", "# ...", "<!-- ... unchanged ... -->", "-- ... existing code ...",
    "// ... (rest unchanged) ...", "# … existing code …", "{/* ... existing code ... */}", "# ... other methods remain the same ...",
    "// ...existing code...", "# [... rest of the function ...]", "; ... unchanged ...", "% ... as before ...", "# (... existing code ...)",
    "# rest of the code remains unchanged",
]  # fmt: skip


@pytest.mark.parametrize("mark", MARKERS)
@pytest.mark.parametrize(
    "search",
    [LAZY, LAZY.replace("    ", "  "), LAZY.replace("\n", " \n")],
)
def test_refuses_marker_in_replacement(mark: str, search: str) -> None:
    case = Case(
        "a.py", LAZY, search, f"def f(a, b):\n    {mark}\n    return x + b\n"
    )
    assert plan_case(case) is None


def test_marker_of_file_or_search_is_text() -> None:
    file = LAZY.replace("    x = 1\n", "    # ... existing code ...\n")
    new = "    # ... existing code ...\n    y = 4\n"
    case = Case("a.py", file, "    # ... existing code ...\n    y = 2\n", new)
    assert plan_case(case) == file.replace("y = 2", "y = 4")
    assert (
        plan_case(
            Case("a.py", file, "    z = 3\n", "    # ... existing code ...\n")
        )
        is None
    )


@pytest.mark.parametrize("mark", [*MARKERS, "2→    y = 2", "```python"])
def test_writes_marker_without_fuzzy(mark: str) -> None:
    case = Case("a.py", LAZY, "    y = 2\n", f"    {mark}\n")
    assert plan_case(case, fuzzy=False) == LAZY.replace(
        "    y = 2\n", f"    {mark}\n"
    )
