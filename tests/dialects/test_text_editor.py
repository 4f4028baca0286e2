"""The dialect `text-editor`: the cases that its documentation has, and the files afterwards."""

from __future__ import annotations

import os

import pytest
from mcp import Client
from mcp.types import ElicitResult
from tests import processes
from tests.dialects.conftest import Case

from filewright.dialects.text_editor import API_TOOL

DIALECT = "text-editor"
TOOL = API_TOOL["name"]
CRLF = b"one\r\ntwo\r\nthree"


def command(name, path="<>/a.txt", **arguments):
    return (TOOL, {"command": name, "path": path, **arguments})


CASES: dict[str, Case] = {
    "view a file with line numbers": {
        "files": {"a.py": "def f():\n    pass\n"},
        "call": command("view", "<>/a.py"),
        "text": "1: def f():\n2:     pass",
    },
    "view a range": {
        "files": {"a.txt": CRLF},
        "call": command("view", view_range=[2, 2]),
        "text": "2: two",
    },
    "view to the end": {
        "files": {"a.txt": CRLF},
        "call": command("view", view_range=[2, -1]),
        "text": "2: two\n3: three",
    },
    "view past the end": {
        "files": {"a.txt": CRLF},
        "call": command("view", view_range=[9, -1]),
        "error": True,
        "text": "Error: view_range starts at line 9, and the file has 3 lines",
    },
    "view a range without a line": {
        "files": {"a.txt": CRLF},
        "call": command("view", view_range=[3, 2]),
        "error": True,
        "says": ["view_range", "[first, -1]"],
    },
    "view an empty file": {
        "files": {"a.txt": ""},
        "call": command("view"),
        "text": "(empty file)",
    },
    "view a folder two levels deep": {
        "files": {
            "a/b/c/d.txt": "",
            "a/b.txt": "",
            ".hidden": "",
            "node_modules/m.js": "",
        },
        "call": command("view", "<>"),
        "says": ["up to 2 levels deep", "\n<>/a/\n", "\n<>/a/b/\n", "b.txt"],
        "lacks": [".hidden", "m.js", "d.txt"],
    },
    "view what is not there": {
        "call": command("view", "<>/no.txt"),
        "error": True,
        "says": ["Error: File not found"],
    },
    "create": {
        "call": command("create", file_text="a\nb\n"),
        "text": "File created successfully at: <>/a.txt",
        "after": {"a.txt": b"a\nb\n"},
    },
    "create an empty file": {
        "call": command("create", file_text=""),
        "after": {"a.txt": b""},
    },
    "create over a file keeps its line ends": {
        "files": {"a.txt": CRLF},
        "call": command("create", file_text="1\n2\n"),
        "after": {"a.txt": b"1\r\n2\r\n"},
    },
    "create without a text": {
        "files": {"a.txt": CRLF},
        "call": command("create"),
        "error": True,
        "says": ["create needs file_text"],
    },
    "create in a protected folder": {
        "call": command("create", "<>/.git/config", file_text="x"),
        "error": True,
        "says": ["Error: Permission denied. Cannot write to file."],
    },
    "replace": {
        "files": {"a.txt": CRLF},
        "call": command("str_replace", old_str="two\nthree", new_str="2\n3"),
        "text": "Successfully replaced text at exactly one location.",
        "after": {"a.txt": b"one\r\n2\r\n3"},
    },
    "replace by nothing": {
        "files": {"a.txt": CRLF},
        "call": command("str_replace", old_str="two\n"),
        "after": {"a.txt": b"one\r\nthree"},
    },
    "replace without a match": {
        "files": {"a.txt": CRLF},
        "call": command("str_replace", old_str="  two", new_str="2"),
        "error": True,
        "text": "Error: No match found for replacement. "
        "Please check your text and try again.",
    },
    "replace what is replaced already": {
        "files": {"a.txt": "the new text\n"},
        "call": command(
            "str_replace", old_str="the old text", new_str="the new text"
        ),
        "error": True,
        "says": ["Error: No match found for replacement."],
    },
    "replace with several matches": {
        "files": {"a.txt": "x\nx\nx\n"},
        "call": command("str_replace", old_str="x", new_str="y"),
        "error": True,
        "text": "Error: Found 3 matches for replacement text. "
        "Please provide more context to make a unique match.",
    },
    "insert at the beginning": {
        "files": {"a.txt": CRLF},
        "call": command("insert", insert_line=0, insert_text="zero"),
        "text": "Successfully inserted text after line 0.",
        "after": {"a.txt": b"zero\r\n" + CRLF},
    },
    "insert after a line": {
        "files": {"a.txt": CRLF},
        "call": command("insert", insert_line=1, insert_text="new\n"),
        "after": {"a.txt": b"one\r\nnew\r\ntwo\r\nthree"},
    },
    "insert by the older name of the text": {
        "files": {"a.txt": CRLF},
        "call": command("insert", insert_line=1, new_str="new"),
        "after": {"a.txt": b"one\r\nnew\r\ntwo\r\nthree"},
    },
    "insert past the end": {
        "files": {"a.txt": CRLF},
        "call": command("insert", insert_line=9, insert_text="x"),
        "error": True,
        "says": ["line 9 is past the end of the file, which has 3 lines"],
    },
    "an unknown command": {
        "files": {"a.txt": CRLF},
        "call": command("undo_edit"),
        "error": True,
        "says": ["command"],
    },
}


@pytest.mark.parametrize("name", CASES)
def test_case(name, in_process):
    in_process(CASES[name])


@pytest.mark.anyio
async def test_only_commands_that_change_files_need_confirmation(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_bytes(CRLF)
    questions = []

    async def decline(context, params):
        questions.append(params.message)
        return ElicitResult(action="decline")

    options = ["--dialect", DIALECT, "--confirm", "always"]
    server = processes.for_client(
        [*processes.FILEWRIGHT, "serve", *options, str(root)],
        {**os.environ, "FILEWRIGHT_STATE_DIR": str(tmp_path / "state")},
    )
    async with Client(
        server, mode="legacy", elicitation_callback=decline
    ) as client:
        view = {"command": "view", "path": "a.txt"}
        seen = await client.call_tool(TOOL, view)
        assert seen.content[0].text == "1: one\n2: two\n3: three"
        assert not questions
        create = {"command": "create", "path": "a.txt", "file_text": "x"}
        refused = await client.call_tool(TOOL, create)
    assert refused.is_error
    assert len(questions) == 1
    assert (root / "a.txt").read_bytes() == CRLF
