"""The dialect `apply-patch`: operations and whole patches, and the files afterwards."""

from __future__ import annotations

import pytest
from tests.dialects.conftest import Case

DIALECT = "apply-patch"
CRLF = b"def f():\r\n    return 1\r\n\r\n\r\ndef g():\r\n    return 2\r\n"


def operation(name, path="<>/a.py", **diff):
    return ("apply_patch", {"operation": {"type": name, "path": path, **diff}})


def patch(*lines):
    text = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
    return ("apply_patch", {"input": text})


CASES: dict[str, Case] = {
    "create": {
        "call": operation("create_file", "<>/d/n.py", diff="+x = 1\n+y = 2\n"),
        "text": "Created <>/d/n.py",
        "after": {"d/n.py": b"x = 1\ny = 2\n"},
    },
    **{
        f"create a file of {name}": {
            "call": operation("create_file", "<>/n", diff=diff),
            "text": "Created <>/n",
            "after": {"n": content},
        }
        for name, diff, content in (
            ("lines", "+a\n+b", b"a\nb\n"),
            ("lines and an empty last one", "+a\n+b\n+", b"a\nb\n"),
            ("lines and an ended one", "+a\n+b\n+\n", b"a\nb\n"),
            ("a blank line at its end", "+a\n+\n+", b"a\n\n"),
            ("CRLF", "+a\r\n+b\r\n", b"a\r\nb\r\n"),
            ("CRLF without an end", "+a\r\n+b", b"a\r\nb\r\n"),
            ("CRLF and a last one", "+a\r\n+\r\n+", b"a\r\n\r\n"),
            ("CRLF and an ended one", "+a\r\n+b\r\n+\r\n", b"a\r\nb\r\n"),
            ("one empty line", "+", b"\n"),
        )
    },
    "create what is there, with CRLF": {
        "files": {"a.py": CRLF},
        "call": operation("create_file", diff="+x = 1\r\n"),
        "error": True,
        "says": ["exists already"],
    },
    "create what is there": {
        "files": {"a.py": CRLF},
        "call": operation("create_file", diff="+x = 1"),
        "error": True,
        "says": ["Error: the patch would create <>/a.py, which exists already"],
    },
    "update below a heading": {
        "files": {"a.py": CRLF},
        "call": operation(
            "update_file", diff="@@ def g():\n-    return 2\n+    return 3"
        ),
        "text": "Updated <>/a.py",
        "after": {"a.py": CRLF.replace(b"2", b"3")},
    },
    "update where nothing fits": {
        "files": {"a.py": CRLF},
        "call": operation(
            "update_file", diff="@@ def h():\n-    x()\n+    y()"
        ),
        "error": True,
        "says": ["Error: Invalid Context:\n"],
    },
    "update what is not there": {
        "call": operation("update_file", "<>/no.py", diff="@@\n-x\n+y"),
        "error": True,
        "says": ["Error: File not found at path '<>/no.py'"],
    },
    "delete": {
        "files": {"a.py": CRLF},
        "call": operation("delete_file"),
        "text": "Deleted <>/a.py",
        "after": {"a.py": None},
    },
    "an operation names no second file": {
        "files": {"a.py": CRLF, "b.py": b"x\n"},
        "call": operation(
            "update_file",
            diff="@@ def g():\n-    return 2\n+    return 3\n"
            "*** Delete File: <>/b.py",
        ),
        "error": True,
        "says": ["lines of one file only"],
    },
    "a path of an operation has one line": {
        "files": {"a.py": CRLF, "b.py": b"x\n"},
        "call": operation("delete_file", "<>/a.py\n*** Delete File: <>/b.py"),
        "error": True,
        "says": ["has one line"],
    },
    "a whole patch": {
        "files": {"a.py": CRLF, "b.py": b"x\n", "c.py": b"c\n"},
        "call": patch(
            "*** Update File: <>/a.py",
            "@@ def f():",
            "-    return 1",
            "+    return 11",
            "*** Add File: <>/n.py",
            "+new",
            "*** Delete File: <>/b.py",
            "*** Update File: <>/c.py",
            "*** Move to: <>/m.py",
            "@@",
            "-c",
            "+m",
        ),
        "text": "Success. Updated the following files:\n"
        "M <>/a.py\nA <>/n.py\nD <>/b.py\nM <>/m.py",
        "after": {
            "a.py": CRLF.replace(b"1", b"11"),
            "n.py": b"new\n",
            "b.py": None,
            "c.py": None,
            "m.py": b"m\n",
        },
    },
    "a whole patch of which one file is refused": {
        "files": {"a.py": CRLF},
        "call": patch(
            "*** Add File: <>/n.py",
            "+new",
            "*** Update File: <>/a.py",
            "@@",
            "-absent()",
            "+present()",
        ),
        "error": True,
        "says": ["Error: Invalid Context:\n"],
    },
    "neither operation nor input": {
        "call": ("apply_patch", {}),
        "error": True,
        "says": ["give operation or input"],
    },
}


@pytest.mark.parametrize("name", CASES)
def test_case(name, in_process):
    in_process(CASES[name])
