"""The dialect `gemini`: the cases that its documentation has, and the files afterwards."""

from __future__ import annotations

import pytest
from tests.dialects.conftest import Case

DIALECT = "gemini"
CRLF = b"one\r\ntwo\r\nthree\r\ntwo\r\n"


def edit(old_string, new_string, **more):
    arguments = {"old_string": old_string, "new_string": new_string, **more}
    return ("replace", {"file_path": "<>/a.txt", **arguments})


CASES: dict[str, Case] = {
    "list": {
        "files": {"b.txt": "", "a/x": "", ".gitignore": "*.log\n", "c.log": ""},
        "call": ("list_directory", {"dir_path": "<>"}),
        "text": "Directory listing for <>:\n[DIR] a\n.gitignore\nb.txt",
    },
    "list by the older name of the path": {
        "files": {"b.txt": "", "c.log": ""},
        "call": ("list_directory", {"path": "<>", "ignore": ["*.log"]}),
        "text": "Directory listing for <>:\nb.txt",
    },
    "list an empty folder": {
        "files": {"d": None},
        "call": ("list_directory", {"path": "<>/d"}),
        "text": "Directory <>/d is empty.",
    },
    "read": {
        "files": {"a.txt": CRLF},
        "call": ("read_file", {"file_path": "<>/a.txt"}),
        "text": "one\ntwo\nthree\ntwo\n",
    },
    "read a part": {
        "files": {"a.txt": CRLF},
        "call": ("read_file", {"path": "<>/a.txt", "offset": 1, "limit": 2}),
        "says": [
            "[File content truncated: showing lines 2-3 of 4 total lines",
            "use offset=3",
            "\ntwo\nthree",
        ],
    },
    "read past the end": {
        "files": {"a.txt": CRLF},
        "call": ("read_file", {"file_path": "<>/a.txt", "offset": 9}),
        "error": True,
        "text": "Error: offset=9 is past the end of <>/a.txt, which has 4 lines",
    },
    "read a binary file": {
        "files": {"b": b"\0\1"},
        "call": ("read_file", {"file_path": "<>/b"}),
        "text": "Cannot display content of binary file: <>/b",
    },
    "write a new file": {
        "call": ("write_file", {"file_path": "<>/d/n.txt", "content": "a\n"}),
        "text": "Successfully created and wrote to new file: <>/d/n.txt.",
        "after": {"d/n.txt": b"a\n"},
    },
    "write over a file keeps its line ends": {
        "files": {"a.txt": CRLF},
        "call": ("write_file", {"file_path": "<>/a.txt", "content": "a\nb\n"}),
        "text": "Successfully overwrote file: <>/a.txt.",
        "after": {"a.txt": b"a\r\nb\r\n"},
    },
    "glob in any case": {
        "files": {"src/A.TS": "", "src/b.ts": "", "node_modules/c.ts": ""},
        "call": ("glob", {"pattern": "**/*.ts", "dir_path": "<>"}),
        "says": [
            'Found 2 file(s) matching "**/*.ts" within <>, '
            "sorted by modification time (newest first):\n/",
            "/src/A.TS",
            "/src/b.ts",
        ],
        "lacks": ["c.ts"],
    },
    "glob in one case": {
        "files": {"A.TS": "", "b.ts": ""},
        "call": (
            "glob",
            {"pattern": "*.ts", "dir_path": "<>", "case_sensitive": True},
        ),
        "says": ["Found 1 file(s)", "b.ts"],
        "lacks": ["A.TS"],
    },
    "glob of nothing": {
        "files": {"a": ""},
        "call": ("glob", {"pattern": "*.ts", "dir_path": "<>"}),
        "text": 'No files found matching pattern "*.ts" within <>',
    },
    "search": {
        "files": {
            "src/utils.ts": "export function myFunction() {\n\nmyfunction\n",
            "src/index.ts": "import { myFunction }\n",
            "a.md": "myFunction\n",
        },
        "call": (
            "search_file_content",
            {"pattern": "my.unction", "dir_path": "<>", "include": "*.ts"},
        ),
        "text": 'Found 3 matches for pattern "my.unction" in path "<>" '
        '(filter: "*.ts"):\n---\nFile: src/index.ts\n'
        "L1: import { myFunction }\n---\nFile: src/utils.ts\n"
        "L1: export function myFunction() {\nL3: myfunction\n---",
    },
    "search for nothing": {
        "files": {"a": "x\n"},
        "call": ("search_file_content", {"pattern": "y", "dir_path": "<>"}),
        "text": 'No matches found for pattern "y" in path "<>".',
    },
    "replace": {
        "files": {"a.txt": CRLF},
        "call": edit("one\ntwo", "1\n2"),
        "text": "Successfully modified file: <>/a.txt (1 replacements).",
        "after": {"a.txt": b"1\r\n2\r\nthree\r\ntwo\r\n"},
    },
    "replace several": {
        "files": {"a.txt": CRLF},
        "call": edit("two", "2", expected_replacements=2),
        "text": "Successfully modified file: <>/a.txt (2 replacements).",
        "after": {"a.txt": CRLF.replace(b"two", b"2")},
    },
    "replace more than there are": {
        "files": {"a.txt": CRLF},
        "call": edit("two", "2", expected_replacements=3),
        "error": True,
        "text": "Error: Failed to edit, expected 3 occurrences but found 2.",
    },
    "replace one of several": {
        "files": {"a.txt": CRLF},
        "call": edit("two", "2"),
        "error": True,
        "says": ["Error: Failed to edit, expected 1 occurrences but found 2."],
    },
    "replace without a match": {
        "files": {"a.txt": CRLF},
        "call": edit("absent text", "2"),
        "error": True,
        "says": [
            "Error: Failed to edit, 0 occurrences found for old_string in"
        ],
    },
    "replace by the same": {
        "files": {"a.txt": CRLF},
        "call": edit("one", "one"),
        "error": True,
        "says": ["Error: No changes to apply."],
    },
    "replace in what is not there": {
        "call": edit("one", "1"),
        "error": True,
        "says": ["Error: File not found. Cannot apply edit."],
    },
    "create by an empty text": {
        "call": edit("", "new\n"),
        "text": "Created new file: <>/a.txt with provided content.",
        "after": {"a.txt": b"new\n"},
    },
    "create what is there": {
        "files": {"a.txt": CRLF},
        "call": edit("", "new\n"),
        "error": True,
        "says": [
            "Error: Failed to edit. Attempted to create a file that exists."
        ],
    },
}


@pytest.mark.parametrize("name", CASES)
def test_case(name, in_process):
    in_process(CASES[name])
