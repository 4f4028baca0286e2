"""The calls compared with the reference filesystem server, and why some answers differ."""

from __future__ import annotations

import json
import re
from typing import Any

from bench.dialects.case import CHOICE, DEFECT, Case, Look

PACKAGE = "@modelcontextprotocol/server-filesystem@2026.8.31"

_CRLF = b"one\r\ntwo\r\nthree\r\n"
_LATIN = "caf\xe9\nth\xe9\n".encode("latin-1")
_TREE = {
    "a.txt": "x\n",
    "s/b.txt": "yy\n",
    "s/t/c.py": "z\n",
    "e": None,
    ".h": "h\n",
    "node_modules/m/i.js": "i\n",
}


def text(answer: Any) -> Any:
    """All of the answer; an error is only an error."""
    return answer


def lines(answer: Any) -> Any:
    """The lines, whose order does not matter."""
    return sorted(str(answer).split("\n"))


def tree(answer: Any) -> Any:
    """A tree whose order does not matter."""

    def ordered(items: Any) -> Any:
        return sorted(
            (
                item["name"],
                item["type"],
                ordered(item.get("children", [])),
                "children" in item,
            )
            for item in items
        )

    return ordered(json.loads(answer) if isinstance(answer, str) else answer)


def diffed(answer: Any) -> Any:
    """The fence and the changed lines of a diff."""
    rows = str(answer).split("\n")
    return [rows[0], *(row for row in rows if re.match(r"[-+](?![-+])", row))]


def facts(*names: str) -> Look:
    """These rows of `get_file_info`."""
    return lambda answer: [
        row for row in str(answer).split("\n") if row.partition(":")[0] in names
    ]


def shape(answer: Any) -> Any:
    """The names of the rows, and how the times are written."""
    return re.sub(
        r"\w{3} \w{3} \d\d \d{4} [\d:]{8} GMT\+0000 \(.*\)",
        "TIME",
        re.sub(r"size: \d+", "size: N", answer),
    )


def _edit(*pairs: tuple[str, str], **more: Any) -> list[tuple[str, Any]]:
    edits = [{"oldText": old, "newText": new} for old, new in pairs]
    return [("edit_file", {"path": "<>/a", "edits": edits, **more})]


def _read(**more: Any) -> list[tuple[str, Any]]:
    return [("read_text_file", {"path": "<>/a", **more})]


def _on(tool: str, **more: Any) -> list[tuple[str, Any]]:
    return [(tool, {"path": "<>", **more})]


_ENDS = "the line ends of the file are kept"
_FIRST = "the first place is edited silently"

CASES = (
    Case("read_text_file", _read(), text, {"a": "one\ntwo\n"}),
    Case("read_text_file, no newline at the end", _read(), text, {"a": "one"}),
    Case("read_text_file, empty", _read(), text, {"a": ""}),
    Case("read_text_file, CRLF", _read(), text, {"a": _CRLF}),
    Case(
        "read_text_file, a byte-order mark",
        _read(),
        text,
        {"a": b"\xef\xbb\xbfone\n"},
    ),
    Case(
        "read_text_file, other letters",
        _read(),
        text,
        {"a": "gr\u00fc\u00df \u4f60\u597d \U0001f600\n"},
    ),
    Case(
        "read_text_file, Latin-1",
        _read(),
        text,
        {"a": _LATIN},
        "`caf\ufffd`",
        "`caf\xe9`",
        DEFECT + "everything is read as UTF-8",
    ),
    Case("read_text_file, head", _read(head=2), text, {"a": "1\n2\n3\n"}),
    Case(
        "read_text_file, head of more", _read(head=9), text, {"a": "1\n2\n3\n"}
    ),
    Case(
        "read_text_file, head without newline",
        _read(head=9),
        text,
        {"a": "1\n2"},
    ),
    Case(
        "read_text_file, head 0 is all", _read(head=0), text, {"a": "1\n2\n3\n"}
    ),
    Case(
        "read_text_file, head of CRLF",
        _read(head=2),
        text,
        {"a": _CRLF},
        "a carriage return at the end of each line",
        "lines",
        DEFECT + "a line's end is taken for part of its text",
    ),
    Case(
        "read_text_file, tail without newline",
        _read(tail=2),
        text,
        {"a": "1\n2\n3"},
    ),
    Case(
        "read_text_file, tail",
        _read(tail=2),
        text,
        {"a": "1\n2\n3\n"},
        "one line, and what follows the last newline",
        "two lines",
        DEFECT + "nothing after the last newline counts as a line",
    ),
    Case("read_text_file, tail 0 is all", _read(tail=0), text, {"a": "1\n2\n"}),
    Case(
        "read_text_file, head and tail",
        _read(head=1, tail=1),
        text,
        {"a": "1\n"},
    ),
    Case(
        "read_text_file, missing", [("read_text_file", {"path": "<>/no"})], text
    ),
    Case(
        "read_text_file, a directory",
        [("read_text_file", {"path": "<>/s"})],
        text,
        {"s": None},
    ),
    Case(
        "read_text_file, unknown argument",
        _read(what=1),
        lambda a: str(a).split("\n")[0],
        {"a": "x\n"},
    ),
    Case(
        "read_text_file, a wrong type", [("read_text_file", {"path": 3})], text
    ),
    Case("read_text_file, no path", [("read_text_file", {})], text),
    Case(
        "read_text_file, above the root",
        [("read_text_file", {"path": "/etc/passwd"})],
        text,
    ),
    Case(
        "read_text_file, out by dots",
        [("read_text_file", {"path": "<>/../../../x"})],
        text,
    ),
    Case(
        "read_text_file, a link inside",
        [("read_text_file", {"path": "<>/l"})],
        text,
        {"a": "x\n", "l": ("link", "a")},
    ),
    Case(
        "read_text_file, a link that leads out",
        [("read_text_file", {"path": "<>/l"})],
        text,
        {"../out": "x\n", "l": ("link", "../out")},
    ),
    Case(
        "read_text_file, a linked directory",
        [("read_text_file", {"path": "<>/d/a"})],
        text,
        {"s/a": "x\n", "d": ("link", "s")},
    ),
    Case(
        "read_file",
        [("read_file", {"path": "<>/a"})],
        text,
        {"a": "one\ntwo\n"},
    ),
    Case(
        "read_file, head",
        [("read_file", {"path": "<>/a", "head": 1})],
        text,
        {"a": "one\ntwo\n"},
    ),
    Case(
        "read_text_file, binary",
        _read(),
        text,
        {"a": b"\x7fELF\0\0\0\1\2\3"},
        "text with `\ufffd` for what is none",
        "an error that names the type",
        CHOICE + "read_media_file gives the bytes",
    ),
    Case(
        "read_multiple_files",
        [("read_multiple_files", {"paths": ["<>/a", "<>/b"]})],
        text,
        {"a": "x\n", "b": "y"},
    ),
    Case(
        "read_multiple_files, one missing",
        [("read_multiple_files", {"paths": ["<>/a", "<>/no"]})],
        lambda a: re.sub(r"Error - .*(\n.*)?", "Error", a),
        {"a": "x\n"},
    ),
    Case(
        "read_multiple_files, none",
        [("read_multiple_files", {"paths": []})],
        text,
    ),
    Case(
        "read_multiple_files, all missing",
        [("read_multiple_files", {"paths": ["<>/no"]})],
        lambda a: "Error - " in a,
    ),
    Case(
        "write_file, new",
        [("write_file", {"path": "<>/n", "content": "x\n"})],
        text,
    ),
    Case(
        "write_file, over",
        [("write_file", {"path": "<>/a", "content": "x\n"})],
        text,
        {"a": "old\n"},
    ),
    Case(
        "write_file, empty",
        [("write_file", {"path": "<>/a", "content": ""})],
        text,
        {"a": "old\n"},
    ),
    Case(
        "write_file, no newline",
        [("write_file", {"path": "<>/a", "content": "x"})],
        text,
        {"a": "old\n"},
    ),
    Case(
        "write_file, other letters",
        [("write_file", {"path": "<>/a", "content": "\u4f60\n"})],
        text,
        {"a": "old\n"},
    ),
    Case(
        "write_file, LF over CRLF",
        [("write_file", {"path": "<>/a", "content": "x\ny\n"})],
        text,
        {"a": _CRLF},
        "LF",
        "CRLF",
        CHOICE + _ENDS,
    ),
    Case(
        "write_file, CRLF, new",
        [("write_file", {"path": "<>/n", "content": "x\r\ny\r\n"})],
        text,
    ),
    Case(
        "write_file, no folder",
        [("write_file", {"path": "<>/d/n", "content": "x\n"})],
        text,
        {},
        "an error",
        "made with its folder",
        CHOICE + "the folder of a new file is made",
    ),
    Case(
        "write_file, a directory",
        [("write_file", {"path": "<>/s", "content": "x\n"})],
        text,
        {"s": None},
    ),
    Case(
        "write_file, out",
        [("write_file", {"path": "/etc/x", "content": "x\n"})],
        text,
    ),
    Case("write_file, no content", [("write_file", {"path": "<>/n"})], text),
    Case(
        "write_file, through a link that leads out",
        [("write_file", {"path": "<>/l", "content": "x\n"})],
        text,
        {"../out": "old\n", "l": ("link", "../out")},
    ),
    Case(
        "write_file, through a link",
        [("write_file", {"path": "<>/l", "content": "x\n"})],
        text,
        {"a": "old\n", "l": ("link", "a")},
        "the link's target is written",
        "an error that names the link",
        CHOICE + "a write never follows a link; name the target",
    ),
    Case("edit_file", _edit(("two", "2")), diffed, {"a": "one\ntwo\nthree\n"}),
    Case(
        "edit_file, several lines",
        _edit(("one\ntwo\n", "1\n2\n")),
        diffed,
        {"a": "one\ntwo\nthree\n"},
    ),
    Case(
        "edit_file, in turn",
        _edit(("one", "two!"), ("two!", "2")),
        diffed,
        {"a": "one\n"},
    ),
    Case(
        "edit_file, a deletion",
        _edit(("two\n", "")),
        diffed,
        {"a": "one\ntwo\nthree\n"},
    ),
    Case(
        "edit_file, dry run",
        _edit(("two", "2"), dryRun=True),
        diffed,
        {"a": "one\ntwo\n"},
    ),
    Case("edit_file, not there", _edit(("nine", "9")), text, {"a": "one\n"}),
    Case(
        "edit_file, the second not there",
        _edit(("one", "1"), ("nine", "9")),
        text,
        {"a": "one\n"},
    ),
    Case(
        "edit_file, other indentation",
        _edit(("if x:\n    y()", "if x:\n    z()")),
        diffed,
        {"a": "def f():\n    if x:\n        y()\n"},
        "the inner line is one level too high",
        "indented as the file is",
        DEFECT + "a line's indent is that of the first line",
    ),
    Case(
        "edit_file, a lone code fence",
        _edit(("two", "```")),
        diffed,
        {"a": "one\ntwo\n"},
    ),
    Case(
        "edit_file, CRLF",
        _edit(("two", "2")),
        diffed,
        {"a": _CRLF},
        "every line end becomes LF",
        "one line changes",
        DEFECT + _ENDS,
    ),
    Case(
        "edit_file, Latin-1",
        _edit(("th", "Th")),
        lambda a: "Th" in a,
        {"a": _LATIN},
        "every letter that is not ASCII is destroyed",
        "one letter changes",
        DEFECT + "everything is read and written as UTF-8",
    ),
    Case(
        "edit_file, twice in the file",
        _edit(("x", "y")),
        text,
        {"a": "x\nx\n"},
        _FIRST,
        "an error with both lines",
        CHOICE + "an edit goes to the one place it names, or nowhere",
    ),
    Case(
        "edit_file, `$&` in the new text",
        _edit(("two", "$& $1")),
        diffed,
        {"a": "one\ntwo\n"},
    ),
    Case(
        "edit_file, nothing changes",
        _edit(("two", "two")),
        lambda a: "```diff" in a,
        {"a": "one\ntwo\n"},
    ),
    Case(
        "edit_file, missing",
        [
            (
                "edit_file",
                {"path": "<>/no", "edits": [{"oldText": "x", "newText": "y"}]},
            )
        ],
        text,
    ),
    Case(
        "edit_file, an empty oldText",
        _edit(("", "x")),
        text,
        {"a": "one\n"},
        "the new text goes to the file's beginning",
        "an error",
        CHOICE + "nothing is named",
    ),
    Case(
        "edit_file, no newText",
        [("edit_file", {"path": "<>/a", "edits": [{"oldText": "x"}]})],
        text,
        {"a": "x\n"},
    ),
    Case(
        "edit_file, no edits",
        _edit(),
        text,
        {"a": "one\n"},
        "an empty diff",
        "an error",
        CHOICE + "a call that asks for nothing says so",
    ),
    Case("create_directory", [("create_directory", {"path": "<>/n"})], text),
    Case(
        "create_directory, nested",
        [("create_directory", {"path": "<>/n/m"})],
        text,
    ),
    Case(
        "create_directory, there already",
        [("create_directory", {"path": "<>/s"})],
        text,
        {"s": None},
    ),
    Case(
        "create_directory, a file",
        [("create_directory", {"path": "<>/a"})],
        text,
        {"a": "x"},
    ),
    Case(
        "create_directory, out",
        [("create_directory", {"path": "/etc/x"})],
        text,
    ),
    Case("list_directory", _on("list_directory"), lines, _TREE),
    Case("list_directory, empty", _on("list_directory"), text, {}),
    Case(
        "list_directory, links",
        _on("list_directory"),
        lines,
        {"a": "x", "l": ("link", "a"), "s": None, "d": ("link", "s")},
    ),
    Case(
        "list_directory, of a file",
        [("list_directory", {"path": "<>/a"})],
        text,
        {"a": "x"},
    ),
    Case(
        "list_directory, missing", [("list_directory", {"path": "<>/no"})], text
    ),
    Case(
        "list_directory_with_sizes",
        _on("list_directory_with_sizes"),
        lines,
        {"a": "x" * 1536, "b": "y", "s": None},
    ),
    Case(
        "list_directory_with_sizes, by name",
        _on("list_directory_with_sizes"),
        text,
        {"b": "xx", "a": "y"},
    ),
    Case(
        "list_directory_with_sizes, by size",
        _on("list_directory_with_sizes", sortBy="size"),
        text,
        {"a": "x", "b": "yy"},
    ),
    Case(
        "list_directory_with_sizes, a megabyte",
        _on("list_directory_with_sizes"),
        lines,
        {"a": b"x" * (3 << 20)},
    ),
    Case(
        "list_directory_with_sizes, another order",
        _on("list_directory_with_sizes", sortBy="time"),
        text,
        {},
    ),
    Case("directory_tree", _on("directory_tree"), tree, _TREE),
    Case("directory_tree, empty", _on("directory_tree"), tree, {}),
    Case(
        "directory_tree, without a name",
        _on("directory_tree", excludePatterns=["node_modules"]),
        tree,
        _TREE,
    ),
    Case(
        "directory_tree, without a glob",
        _on("directory_tree", excludePatterns=["*.txt"]),
        tree,
        _TREE,
    ),
    Case(
        "directory_tree, without a glob at any depth",
        _on("directory_tree", excludePatterns=["**/*.txt"]),
        tree,
        _TREE,
    ),
    Case(
        "directory_tree, links",
        _on("directory_tree"),
        tree,
        {"s/a": "x", "d": ("link", "s")},
    ),
    Case(
        "directory_tree, missing", [("directory_tree", {"path": "<>/no"})], text
    ),
    Case(
        "move_file",
        [("move_file", {"source": "<>/a", "destination": "<>/b"})],
        text,
        {"a": "x\n"},
    ),
    Case(
        "move_file, a directory",
        [("move_file", {"source": "<>/s", "destination": "<>/t"})],
        text,
        {"s/a": "x\n"},
    ),
    Case(
        "move_file, into a directory",
        [("move_file", {"source": "<>/a", "destination": "<>/s/a"})],
        text,
        {"a": "x\n", "s": None},
    ),
    Case(
        "move_file, taken",
        [("move_file", {"source": "<>/a", "destination": "<>/b"})],
        text,
        {"a": "x\n", "b": "y\n"},
    ),
    Case(
        "move_file, missing",
        [("move_file", {"source": "<>/no", "destination": "<>/b"})],
        text,
    ),
    Case(
        "move_file, out",
        [("move_file", {"source": "<>/a", "destination": "/etc/a"})],
        text,
        {"a": "x\n"},
    ),
    Case(
        "move_file, into itself",
        [("move_file", {"source": "<>/s", "destination": "<>/s/t"})],
        text,
        {"s/a": "x\n"},
    ),
    Case("search_files", _on("search_files", pattern="*.txt"), lines, _TREE),
    Case(
        "search_files, any depth",
        _on("search_files", pattern="**/*.txt"),
        lines,
        _TREE,
    ),
    Case(
        "search_files, a name at any depth",
        _on("search_files", pattern="**/s"),
        lines,
        _TREE,
    ),
    Case(
        "search_files, alternatives",
        _on("search_files", pattern="**/*.{py,js}"),
        lines,
        _TREE,
    ),
    Case(
        "search_files, hidden",
        _on("search_files", pattern="**/.h"),
        lines,
        _TREE,
    ),
    Case(
        "search_files, nothing",
        _on("search_files", pattern="**/*.zip"),
        text,
        _TREE,
    ),
    Case(
        "search_files, without",
        _on(
            "search_files",
            pattern="**/*",
            excludePatterns=["node_modules", "s"],
        ),
        lines,
        _TREE,
    ),
    Case(
        "search_files, without a glob",
        _on("search_files", pattern="**/*.*", excludePatterns=["**/*.js"]),
        lines,
        _TREE,
    ),
    Case(
        "search_files, everything",
        _on("search_files", pattern="**"),
        lines,
        _TREE,
    ),
    Case(
        "get_file_info",
        [("get_file_info", {"path": "<>/a"})],
        facts("size", "isDirectory", "isFile", "permissions"),
        {"a": "abc"},
    ),
    Case(
        "get_file_info, how it looks",
        [("get_file_info", {"path": "<>/a"})],
        shape,
        {"a": "abc"},
    ),
    Case(
        "get_file_info, a directory",
        [("get_file_info", {"path": "<>/s"})],
        shape,
        {"s": None},
    ),
    Case(
        "get_file_info, a link",
        [("get_file_info", {"path": "<>/l"})],
        facts("size", "isFile"),
        {"a": "abc", "l": ("link", "a")},
    ),
    Case(
        "get_file_info, missing", [("get_file_info", {"path": "<>/no"})], text
    ),
    Case(
        "list_allowed_directories",
        [("list_allowed_directories", {})],
        lambda a: str(a).split("\n")[0],
    ),
)
