"""The inputs of the batch server's published tests, as cases to play on it and on this server.

Tests that replace the file system are left out: what they say is about the original's
inside. `apply_diff` is not in the release that can be installed, so it is not compared
here; `tests/dialects/test_filesystem.py` holds ours to a table of its own.
"""

from __future__ import annotations

from typing import Any

from bench.dialects.case import CHOICE, DEFECT, Case, in_order, only, whole

_READ = {
    "file1.txt": "Hello World!",
    "dir1/file2.js": 'console.log("test");',
    "emptyFile.txt": "",
    "binaryFile.bin": b"\1\2\3\4",
}
_WRITE = {"existingFile.txt": "Initial content.", "dir1": None}
_DELETE = {
    "file1.txt": "content1",
    "dir/nested.txt": "content2",
    "dir/empty": None,
    "keep/other.js": "keep",
}
_COPY = {
    "file.txt": "Copy me!",
    "dir/nested.txt": "I am nested.",
    "dir/sub/deep.js": "//",
    "target": None,
}
_SEARCH = {
    "fileA.txt": "Line 1: Hello world\nLine 2: Another line\nLine 3: Search term here\nLine 4: End of fileA",
    "dir1/fileB.js": 'const term = "value";\n// Search term here too\nconsole.log(term);',
    "dir1/fileC.md": "# Markdown File\n\nThis file contains the search term.",
    "noMatch.txt": "This file has nothing relevant.",
    ".hiddenFile": "Search term in hidden file",
}
_REPLACE = {
    "fileA.txt": "Hello world, world!",
    "fileB.log": "Error: world not found.\nWarning: world might be deprecated.",
    "noReplace.txt": "Nothing to see here.",
    "empty.txt": "",
    "dir1/fileC.txt": "Another world inside dir1.",
}
_OUT, _ABSOLUTE = "../../outside.txt", "/etc/hosts"
_DONE = only("path", "success", "error", "source", "destination", "operation")
_SEEN = only("path", "content", "error")
_MADE = only("path", "success")


def _stats(answer: Any) -> Any:
    """Of each item what is the same on every run."""
    wanted = only(
        "path",
        "isFile",
        "isDirectory",
        "isSymbolicLink",
        "size",
        "mode",
        "uid",
        "gid",
    )
    if isinstance(answer, dict):
        return wanted(answer)
    return [
        {
            "path": item["path"],
            "status": item.get("status"),
            "stats": wanted(_of_files(item.get("stats"))),
        }
        for item in sorted(answer, key=lambda item: item["path"])
    ]


def _of_files(stats: Any) -> Any:
    """The size of a folder is the file system's affair."""
    return (
        {**stats, "size": None}
        if stats and stats.get("isDirectory")
        else stats or {}
    )


def _at(*names: str) -> list[str]:
    return [
        name if name in (_OUT, _ABSOLUTE) else f"<>/{name}" for name in names
    ]


def _paths(tool: str, look: Any, files: Any, *names: str, **more: Any) -> Case:
    title = ", ".join(names) or "none"
    return Case(
        f"{tool}: {title}",
        [(tool, {"paths": _at(*names), **more})],
        look,
        files,
    )


def _write(name: str, items: Any) -> Case:
    return Case(
        f"write_content: {name}",
        [("write_content", {"items": items})],
        _DONE,
        _WRITE,
    )


def _put(path: str, content: str, **more: Any) -> dict[str, Any]:
    return {"path": _at(path)[0], "content": content, **more}


def _pairs(tool: str, *pairs: tuple[str, str], **why: str) -> Case:
    operations = [
        dict(zip(("source", "destination"), _at(*pair), strict=True))
        for pair in pairs
    ]
    title = ", ".join(" to ".join(pair) for pair in pairs) or "none"
    return Case(
        f"{tool}: {title}",
        [(tool, {"operations": operations})],
        _DONE,
        _COPY,
        **why,
    )


def _find(regex: str, path: str = "<>", files: Any = None, **more: Any) -> Case:
    why = {
        name: more.pop(name)
        for name in ("theirs", "ours", "why")
        if name in more
    }
    title = f"search_files: `{regex}` {path.removeprefix('<>')} {more.get('file_pattern', '')}".rstrip()
    look = more.pop(
        "look",
        lambda found: sorted(
            (hit["file"], hit["line"], hit["match"]) for hit in found
        ),
    )
    call = ("search_files", {"path": path, "regex": regex, **more})
    return Case(title, [call], look, files or _SEARCH, **why)


def _replace(
    title: str, names: tuple[str, ...], *operations: dict[str, Any], **why: str
) -> Case:
    call = (
        "replace_content",
        {"paths": _at(*names), "operations": [*operations]},
    )
    look = only("file", "replacements", "modified", "error")
    return Case(f"replace_content: {title}", [call], look, _REPLACE, **why)


def _new(search: str, replace: str, **more: Any) -> dict[str, Any]:
    return {"search": search, "replace": replace, **more}


def _edit(title: str, content: str | None, **change: Any) -> Case:
    why = {
        name: change.pop(name)
        for name in ("theirs", "ours", "why")
        if name in change
    }
    call = ("edit_file", {"changes": [{"path": "<>/a", **change}]})
    files = {"a": content} if content is not None else {}
    return Case(
        f"edit_file: {title}", [call], only("path", "status"), files, **why
    )


_FIRST_ONLY = {
    "theirs": "the first on the line",
    "ours": "all",
    "why": DEFECT
    + "without the flag `g` the rest of the line is not looked at",
}
_PAIRS = [
    [
        _pairs(tool, ("file.txt", "new.txt")),
        _pairs(tool, ("file.txt", "target/file.txt")),
        _pairs(tool, ("dir", "newDir")),
        _pairs(tool, ("dir", "target/dir")),
        _pairs(tool, ("nonexistent.txt", "fail.txt")),
        _pairs(tool, ("file.txt", "newParent/new.txt")),
        _pairs(
            tool,
            ("file.txt", "okay.txt"),
            ("no.src", "no.dest"),
            ("dir/nested.txt", _OUT),
        ),
        _pairs(tool, (_ABSOLUTE, "fail.txt")),
        _pairs(tool, ("file.txt", _ABSOLUTE)),
        _pairs(tool),
        Case(
            f"{tool}: the root",
            [(tool, {"operations": [{"source": ".", "destination": "<>/x"}]})],
            _DONE,
            _COPY,
        ),
    ]
    for tool in ("copy_items", "move_items")
]

_LONG = "    description: \"Write or append content to files. NOTE: prefer using \\'edit_file\\' for \\'parts\\'.\","

CASES = (
    _paths(
        "read_content",
        _SEEN,
        _READ,
        "file1.txt",
        "dir1/file2.js",
        "emptyFile.txt",
    ),
    _paths("read_content", _SEEN, _READ, "file1.txt", "nonexistent.txt"),
    _paths("read_content", _SEEN, _READ, "dir1"),
    _paths("read_content", _SEEN, _READ, "binaryFile.bin"),
    _paths("read_content", _SEEN, _READ, _OUT, "file1.txt"),
    _paths("read_content", _SEEN, _READ, _ABSOLUTE, "file1.txt"),
    _paths("read_content", _SEEN, _READ),
    _write(
        "new files",
        [
            _put("newFile1.txt", "Content 1"),
            _put("dir2/newFile2.log", "Log entry"),
        ],
    ),
    _write("over a file", [_put("existingFile.txt", "Overwritten content.")]),
    _write(
        "append", [_put("existingFile.txt", " Appended content.", append=True)]
    ),
    _write(
        "mixed",
        [
            _put("success.txt", "Good"),
            _put("dir1", "a folder"),
            _put(_OUT, "Traversal"),
        ],
    ),
    _write("absolute", [_put(_ABSOLUTE, "Absolute"), _put("good.txt", "Good")]),
    _write("none", []),
    _write("the root", [{"path": ".", "content": "x"}]),
    _write("not an array", "not-an-array"),
    _paths("delete_items", _MADE, _DELETE, "file1.txt", "dir", "dir/empty"),
    _paths(
        "delete_items", _MADE, _DELETE, "nonexistentFile.txt", "nonexistentDir/"
    ),
    _paths(
        "delete_items", _MADE, _DELETE, "file1.txt", "nonexistent.txt", _OUT
    ),
    _paths("delete_items", _MADE, _DELETE, _ABSOLUTE, "file1.txt"),
    _paths("delete_items", _MADE, _DELETE),
    _paths("create_directories", _MADE, _WRITE, "newDir1"),
    _paths("create_directories", _MADE, _WRITE, "multiDir1", "multiDir2"),
    _paths("create_directories", _MADE, _WRITE, "nested/dir/structure"),
    _paths("create_directories", _MADE, _WRITE, "dir1"),
    _paths("create_directories", _MADE, _WRITE, "existingFile.txt"),
    _paths("create_directories", _MADE, _WRITE, "newGoodDir", "dir1", _OUT),
    _paths("create_directories", _MADE, _WRITE, _ABSOLUTE, "newDir"),
    _paths("create_directories", _MADE, _WRITE),
    Case(
        "create_directories: not an array",
        [("create_directories", {"paths": "no"})],
        whole,
        _WRITE,
        "an error",
        "the folder",
        CHOICE + "a single path is a list of one",
    ),
    Case(
        "create_directories: the root",
        [("create_directories", {"paths": ["."]})],
        _MADE,
        _WRITE,
        "an error",
        "a success, with a note",
        CHOICE + "as for every folder that is there already",
    ),
    *(case for cases in _PAIRS for case in cases),
    _paths(
        "stat_items",
        _stats,
        _DELETE,
        "file1.txt",
        "dir",
        "dir/nested.txt",
        "dir/empty",
    ),
    _paths(
        "stat_items",
        _stats,
        _DELETE,
        "file1.txt",
        "nonexistent.file",
        "dir/nonexistent.js",
    ),
    _paths("stat_items", _stats, _DELETE, _ABSOLUTE, "file1.txt"),
    _paths("stat_items", _stats, _DELETE, _OUT, "file1.txt"),
    _paths("stat_items", _stats, _DELETE),
    Case(
        "list_files: one level",
        [("list_files", {"path": "<>", "recursive": False})],
        in_order,
        _DELETE,
    ),
    Case(
        "list_files: all levels, with stats",
        [
            (
                "list_files",
                {"path": "<>", "recursive": True, "include_stats": True},
            )
        ],
        _stats,
        _DELETE,
    ),
    Case(
        "list_files: one level, with stats",
        [("list_files", {"path": "<>", "include_stats": True})],
        _stats,
        _DELETE,
    ),
    Case(
        "list_files: a file",
        [("list_files", {"path": "<>/file1.txt"})],
        _stats,
        _DELETE,
    ),
    Case(
        "list_files: all levels",
        [("list_files", {"path": "<>", "recursive": True})],
        in_order,
        _DELETE,
    ),
    Case(
        "list_files: no such folder",
        [("list_files", {"path": "<>/no/no.txt"})],
        whole,
        _DELETE,
    ),
    Case(
        "list_files: not a boolean",
        [("list_files", {"path": "<>", "recursive": "no"})],
        whole,
        _DELETE,
    ),
    _find("Search term", file_pattern="*.txt"),
    _find("Search term", file_pattern="**/*"),
    _find(r"console\.log\(.*\)", "<>/dir1", file_pattern="*.js"),
    _find("Search term", "<>/dir1", file_pattern="*.js"),
    _find("TermNotFoundAnywhere"),
    _find("[invalidRegex", look=whole),
    _find("test", _ABSOLUTE, look=whole),
    _find("test", "../..", look=whole),
    _find("", look=whole),
    _find("anything", files={"empty.txt": ""}),
    _find(
        r"Content line 1\nContent line 2",
        files={
            "m.txt": "Start block\nContent line 1\nContent line 2\nEnd block"
        },
        theirs="nothing",
        ours="the match, over both lines",
        why=DEFECT
        + "the release looks at one line at a time; its later tests want the match",
    ),
    _find(
        "/match/i", files={"m.txt": "Match one, then match two."}, **_FIRST_ONLY
    ),
    _find(
        "match", files={"m.txt": "match one, then match two."}, **_FIRST_ONLY
    ),
    _find(r"\b", files={"m.txt": "word1 word2"}, **_FIRST_ONLY),
    _replace("two files", ("fileA.txt", "fileB.log"), _new("world", "planet")),
    _replace(
        "one after the other",
        ("fileA.txt",),
        _new("world", "galaxy"),
        _new("galaxy", "universe"),
    ),
    _replace(
        "a group",
        ("fileB.log",),
        _new("^(Error|Warning):", "Log[$1]:", use_regex=True),
        theirs="the first line",
        ours="both lines",
        why=DEFECT
        + "`^` is only the beginning of the file; its later tests want every line's",
    ),
    _replace(
        "any case", ("fileA.txt",), _new("hello", "Greetings", ignore_case=True)
    ),
    _replace(
        "nothing to find",
        ("noReplace.txt", "empty.txt"),
        _new("world", "planet"),
    ),
    _replace("deletion", ("fileA.txt",), _new("world", "")),
    _replace(
        "line anchors",
        ("fileB.log",),
        _new("^Error.*", "FIRST", use_regex=True),
        _new("deprecated.$", "LAST", use_regex=True),
    ),
    _replace(
        "mixed",
        ("fileA.txt", "nonexistent.txt", "dir1"),
        _new("world", "sphere"),
    ),
    _replace("absolute", (_ABSOLUTE, "fileA.txt"), _new("a", "b")),
    _replace("out of the root", (_OUT, "fileA.txt"), _new("a", "b")),
    _replace("no paths", (), _new("a", "b")),
    _replace("no operations", ("fileA.txt",)),
    _replace(
        "invalid regex",
        ("fileA.txt",),
        _new("[invalid regex", "no", use_regex=True),
    ),
    _paths(
        "chmod_items", _DONE, _DELETE, "file1.txt", "dir/nested.txt", mode="755"
    ),
    _paths(
        "chmod_items",
        _DONE,
        _DELETE,
        "file1.txt",
        "nonexistent.txt",
        mode="755",
    ),
    _edit(
        "a line",
        "line 1\nline 2\nline 3",
        start_line=2,
        search_pattern="line 2",
        replace_content="line two",
    ),
    _edit(
        "insertion",
        "line 1\nline 2",
        start_line=1,
        replace_content="inserted line 0",
    ),
    _edit(
        "deletion",
        "line 1\nline 2\nline 3",
        start_line=2,
        search_pattern="line 2",
    ),
    _edit("no such file", None, start_line=1, replace_content="abc"),
    _edit(
        "a long line",
        f"line 1\nline 2\n{_LONG}\nline 4",
        start_line=3,
        search_pattern=_LONG,
        replace_content='    description: "**Primary Use:** Create new files.",',
        ignore_leading_whitespace=False,
        preserve_indentation=False,
    ),
)
