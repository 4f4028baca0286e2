"""The dialect `memory`: the cases that its documentation has, and the files afterwards."""

from __future__ import annotations

import pytest
from tests.dialects.conftest import Case

DIALECT = "memory"
NOTES = {"a.txt": "one\ntwo\nthree\n"}
MISSING = "The path <>/no does not exist"


def command(name, path="<>/a.txt", **arguments):
    return ("memory", {"command": name, "path": path, **arguments})


def rename(old_path, new_path):
    arguments = {"old_path": old_path, "new_path": new_path}
    return ("memory", {"command": "rename", **arguments})


CASES: dict[str, Case] = {
    "view a folder": {
        "files": {
            "a.txt": "x" * 1536,
            "s/b.txt": "y",
            "s/t/deep.txt": "z",
            ".hidden": "",
            "node_modules/m.js": "",
        },
        "call": command("view", "<>"),
        "text": "Here're the files and directories up to 2 levels deep in <>, "
        "excluding hidden items and node_modules:\n"
        "1.5K\t<>\n1.5K\t<>/a.txt\n1B\t<>/s/\n1B\t<>/s/b.txt\n0B\t<>/s/t/",
    },
    "view a file": {
        "files": NOTES,
        "call": command("view"),
        "text": "Here's the content of <>/a.txt with line numbers:\n"
        "     1\tone\n     2\ttwo\n     3\tthree",
    },
    "view a range": {
        "files": NOTES,
        "call": command("view", view_range=[2, 2]),
        "text": "Here's the content of <>/a.txt with line numbers:\n     2\ttwo",
    },
    "view what is not there": {
        "call": command("view", "<>/no"),
        "error": True,
        "text": f"{MISSING}. Please provide a valid path.",
    },
    "view outside": {
        "call": command("view", "/etc/passwd"),
        "error": True,
        "text": "Path must start with /memories, got: /etc/passwd",
    },
    "view a name that only begins like the folder": {
        "call": command("view", "/memories2/a.txt"),
        "error": True,
        "says": ["Path must start with /memories"],
    },
    "view above": {
        "call": command("view", "/memories/../etc"),
        "error": True,
        "text": "Path /memories/../etc would escape /memories directory",
    },
    "create": {
        "call": command("create", "<>/d/a.txt", file_text="x\n"),
        "text": "File created successfully at: <>/d/a.txt",
        "after": {"d/a.txt": b"x\n"},
    },
    "create what is there": {
        "files": NOTES,
        "call": command("create", file_text="x"),
        "error": True,
        "text": "Error: File <>/a.txt already exists",
    },
    "replace": {
        "files": NOTES,
        "call": command("str_replace", old_str="two", new_str="2"),
        "text": "The memory file has been edited.\n"
        "     1\tone\n     2\t2\n     3\tthree",
        "after": {"a.txt": b"one\n2\nthree\n"},
    },
    "replace all of a file by nothing": {
        "files": NOTES,
        "call": command("str_replace", old_str="one\ntwo\nthree\n"),
        "text": "The memory file has been edited.",
        "after": {"a.txt": b""},
    },
    "replace without a match": {
        "files": NOTES,
        "call": command("str_replace", old_str="Two", new_str="2"),
        "error": True,
        "text": "No replacement was performed, old_str `Two` "
        "did not appear verbatim in <>/a.txt.",
    },
    "replace with several matches": {
        "files": {"a.txt": "x\ny\nx\n"},
        "call": command("str_replace", old_str="x", new_str="z"),
        "error": True,
        "text": "No replacement was performed. Multiple occurrences of old_str `x` "
        "in lines: 1, 3. Please ensure it is unique",
    },
    "replace in a folder": {
        "files": {"no": None},
        "call": command("str_replace", "<>/no", old_str="x", new_str="z"),
        "error": True,
        "text": f"Error: {MISSING}. Please provide a valid path.",
    },
    "insert": {
        "files": NOTES,
        "call": command("insert", insert_line=1, insert_text="new\n"),
        "text": "The file <>/a.txt has been edited.",
        "after": {"a.txt": b"one\nnew\ntwo\nthree\n"},
    },
    "insert past the end": {
        "files": NOTES,
        "call": command("insert", insert_line=9, insert_text="x"),
        "error": True,
        "text": "Error: Invalid `insert_line` parameter: 9. It should be within "
        "the range of lines of the file: [0, 3]",
    },
    "insert where no file is": {
        "call": command("insert", "<>/no", insert_line=0, insert_text="x"),
        "error": True,
        "text": f"Error: {MISSING}",
    },
    "delete a file": {
        "files": NOTES,
        "call": command("delete"),
        "text": "Successfully deleted <>/a.txt",
        "after": {"a.txt": None},
    },
    "delete a folder": {
        "files": {"d/e/f.txt": "x"},
        "call": command("delete", "<>/d"),
        "after": {"d": None, "d/e": None, "d/e/f.txt": None},
    },
    "delete what is not there": {
        "call": command("delete", "<>/no"),
        "error": True,
        "text": f"Error: {MISSING}",
    },
    "delete all": {
        "files": NOTES,
        "call": command("delete", "/memories/"),
        "error": True,
        "text": "Error: Cannot delete the /memories directory itself",
    },
    "rename": {
        "files": NOTES,
        "call": rename("<>/a.txt", "<>/d/b.txt"),
        "text": "Successfully renamed <>/a.txt to <>/d/b.txt",
        "after": {"a.txt": None, "d/b.txt": b"one\ntwo\nthree\n"},
    },
    "rename what is not there": {
        "call": rename("<>/no", "<>/b"),
        "error": True,
        "text": f"Error: {MISSING}",
    },
    "rename to what is there": {
        "files": {"a": "1", "b": "2"},
        "call": rename("<>/a", "<>/b"),
        "error": True,
        "text": "Error: The destination <>/b already exists",
    },
    "a command without its arguments": {
        "files": NOTES,
        "call": command("insert", insert_line=0),
        "error": True,
        "says": ["insert needs insert_text"],
    },
}


@pytest.mark.parametrize("name", CASES)
def test_case(name, in_process):
    in_process(CASES[name])
