"""The dialect `official` at its interface: every tool, default, refusal and shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.samples import in_part

from filewright import Workspace

DIALECT = "official"

CRLF = b"one\r\ntwo\r\nthree\r\n"
LATIN = "d\xe9j\xe0 vu, tr\xe8s bien, caf\xe9\ntwo\n".encode("latin-1")


def given(**case):
    """A case of the table; what its fields mean is told in conftest."""
    return case


def read(**more: Any) -> tuple[str, dict[str, Any]]:
    return "read_text_file", {"path": "<>/a", **more}


def edit(*pairs: tuple[str, str], **more: Any) -> tuple[str, dict[str, Any]]:
    edits = [{"oldText": old, "newText": new} for old, new in pairs]
    return "edit_file", {"path": "<>/a", "edits": edits, **more}


TREE = {
    "a.txt": "x\n",
    "s/b.txt": "yy\n",
    "s/t/c.py": "z\n",
    "e": None,
    ".h": "h\n",
    "node_modules/m/i.js": "i\n",
}
FOLDER = {"type": "directory"}

TABLE = [
    # read_text_file, read_file
    given(name="read: whole", files={"a": "one\ntwo\n"}, call=read(), text="one\ntwo\n"),
    given(name="read: empty", files={"a": ""}, call=read(), text=""),
    given(name="read: line ends as they are", files={"a": CRLF}, call=read(), text="one\r\ntwo\r\nthree\r\n"),
    given(name="read: a byte-order mark is part of it", files={"a": b"\xef\xbb\xbfone\n"}, call=read(), text="\ufeffone\n"),
    given(name="read: another encoding", files={"a": LATIN}, call=read(), text="d\xe9j\xe0 vu, tr\xe8s bien, caf\xe9\ntwo\n"),
    given(name="read: head", files={"a": "1\n2\n3\n"}, call=read(head=2), text="1\n2"),
    given(name="read: head of more", files={"a": "1\n2\n"}, call=read(head=9), text="1\n2"),
    given(name="read: head of CRLF", files={"a": CRLF}, call=read(head=2), text="one\ntwo"),
    given(name="read: head 0 is all", files={"a": "1\n2\n"}, call=read(head=0), text="1\n2\n"),
    given(name="read: head null is none", files={"a": "1\n2\n"}, call=read(head=None, tail=None), text="1\n2\n"),
    given(name="read: a whole float", files={"a": "1\n2\n"}, call=read(head=1.0), text="1"),
    given(name="read: tail", files={"a": "1\n2\n3\n"}, call=read(tail=2), text="2\n3"),
    given(name="read: tail without newline", files={"a": "1\n2\n3"}, call=read(tail=2), text="2\n3"),
    given(name="read: both ends", files={"a": "1\n"}, call=read(head=1, tail=1), error=True,
         says=["Cannot specify both head and tail parameters simultaneously"]),
    given(name="read: a negative head", files={"a": "1\n"}, call=read(head=-1), error=True, says=["head"]),
    given(name="read: what is not known is passed over and named", files={"a": "1\n"}, call=read(encoding="x"),
         says=["1\n", "unknown arguments were passed over: encoding"]),
    given(name="read: missing", call=read(), error=True, says=["ENOENT: no such file or directory: <>/a"]),
    given(name="read: a directory", files={"a": None}, call=read(), error=True, says=["folder"]),
    given(name="read: binary", files={"a": b"\x7fELF\0\0\0\1"}, call=read(), error=True, says=["read_media_file"]),
    given(name="read: outside", call=("read_text_file", {"path": "/etc/passwd"}), error=True,
         says=["Access denied - path outside allowed directories"], lacks=["root:x:"]),
    given(name="read: outside by dots", call=("read_text_file", {"path": "<>/../../../etc/passwd"}), error=True,
         says=["Access denied"], lacks=["root:x:"]),
    given(name="read: a link that leads out", files={"a": ("link", "/etc/passwd")}, call=read(), error=True,
         says=["Access denied"], lacks=["root:x:"]),
    given(name="read: a link inside", files={"b": "x\n", "a": ("link", "b")}, call=read(), text="x\n"),
    given(name="read: no path", call=("read_text_file", {}), error=True, says=["path"]),
    given(name="read: the old name", files={"a": "x\n"}, call=("read_file", {"path": "<>/a", "head": 1}), text="x"),
    given(name="read: a FIFO does not hang", files={"a": ("fifo",)}, call=read(), error=True, says=["FIFO"]),
    # read_multiple_files
    given(name="read several", files={"a": "x\n", "b": "y"},
         call=("read_multiple_files", {"paths": ["<>/a", "<>/b"]}), text="<>/a:\nx\n\n\n---\n<>/b:\ny\n"),
    given(name="read several, one missing", files={"a": "x\n"},
         call=("read_multiple_files", {"paths": ["<>/no", "<>/a"]}),
         text="<>/no: Error - ENOENT: no such file or directory: <>/no\n---\n<>/a:\nx\n\n"),
    given(name="read several, none", call=("read_multiple_files", {"paths": []}), error=True, says=["paths"]),
    # read_media_file
    given(name="media: too large for nobody", call=("read_media_file", {"path": "<>/no"}), error=True, says=["ENOENT"]),
    # write_file
    given(name="write: new", call=("write_file", {"path": "<>/n", "content": "x\n"}), text="Successfully wrote to <>/n",
         after={"n": b"x\n"}),
    given(name="write: over", files={"a": "old\n"}, call=("write_file", {"path": "<>/a", "content": "x"}), after={"a": b"x"}),
    given(name="write: empty", files={"a": "old\n"}, call=("write_file", {"path": "<>/a", "content": ""}), after={"a": b""}),
    given(name="write: line ends of the file stay", files={"a": CRLF}, call=("write_file", {"path": "<>/a", "content": "x\ny\n"}),
         after={"a": b"x\r\ny\r\n"}),
    given(name="write: line ends that are given", call=("write_file", {"path": "<>/n", "content": "x\r\ny\n"}),
         after={"n": b"x\r\ny\n"}),
    given(name="write: with its folder", call=("write_file", {"path": "<>/d/n", "content": "x\n"}), after={"d/n": b"x\n"}),
    given(name="write: a directory", files={"s": None}, call=("write_file", {"path": "<>/s", "content": "x"}), error=True),
    given(name="write: a link", files={"b": "x\n", "a": ("link", "b")}, call=("write_file", {"path": "<>/a", "content": "y"}),
         error=True, says=["link"]),
    given(name="write: outside", call=("write_file", {"path": "/etc/n", "content": "x"}), error=True, says=["Access denied"]),
    given(name="write: into .git", files={".git/config": "x"}, call=("write_file", {"path": "<>/.git/config", "content": "y"}),
         error=True, says=["protected"]),
    given(name="write: no content", call=("write_file", {"path": "<>/n"}), error=True, says=["content"]),
    # edit_file
    given(name="edit: one line", files={"a": "one\ntwo\n"}, call=edit(("two", "2")), says=["```diff\n", "-two\n+2\n", "```\n\n"],
         after={"a": b"one\n2\n"}),
    given(name="edit: line ends stay", files={"a": CRLF}, call=edit(("two", "2")), after={"a": b"one\r\n2\r\nthree\r\n"}),
    given(name="edit: other bytes stay", files={"a": b"x \xff\ntwo\n"}, call=edit(("two", "2")), after={"a": b"x \xff\n2\n"}),
    given(name="edit: in turn", files={"a": "one\n"}, call=edit(("one", "two!"), ("two!", "2")), after={"a": b"2\n"}),
    given(name="edit: dry run", files={"a": "one\n"}, call=edit(("one", "1"), dryRun=True), says=["-one\n+1\n"]),
    given(name="edit: indentation of the file", files={"a": "def f():\n    if x:\n        y()\n"},
         call=edit(("if x:\n    y()", "if x:\n    z()")), after={"a": b"def f():\n    if x:\n        z()\n"}),
    given(name="edit: not there", files={"a": "one\n"}, call=edit(("nine", "9")), error=True,
         says=["Could not find exact match for edit"]),
    given(name="edit: all or none", files={"a": "one\n"}, call=edit(("one", "1"), ("nine", "9")), error=True),
    given(name="edit: twice in the file", files={"a": "x\nx\n"}, call=edit(("x", "y")), error=True, says=["2"]),
    given(name="edit: what is so already", files={"a": "x\n"}, call=edit(("x", "x")), text="```diff\n```\n\n"),
    given(name="edit: backticks", files={"a": "```\nx\n"}, call=edit(("x", "y")), says=["````diff\n"], after={"a": b"```\ny\n"}),
    given(name="edit: missing", call=edit(("x", "y")), error=True, says=["ENOENT"]),
    given(name="edit: no edits", files={"a": "x\n"}, call=edit(), error=True, says=["edits"]),
    # directories
    given(name="mkdir: nested", call=("create_directory", {"path": "<>/n/m"}), text="Successfully created directory <>/n/m",
         after={}),
    given(name="mkdir: there already", files={"s": None}, call=("create_directory", {"path": "<>/s"}),
         text="Successfully created directory <>/s"),
    given(name="mkdir: a file", files={"a": "x"}, call=("create_directory", {"path": "<>/a"}), error=True),
    given(name="list", files={"b": "x", "s/c": "y", ".h": "", "l": ("link", "s")}, call=("list_directory", {"path": "<>"}),
         text="[FILE] .h\n[FILE] b\n[FILE] l\n[DIR] s"),
    given(name="list: ignored files too", files={".gitignore": "*.log\n", "a.log": ""}, call=("list_directory", {"path": "<>"}),
         text="[FILE] .gitignore\n[FILE] a.log"),
    given(name="list: empty", files={}, call=("list_directory", {"path": "<>"}), text=""),
    given(name="list: a file", files={"a": "x"}, call=("list_directory", {"path": "<>/a"}), error=True, says=["not a folder"]),
    given(name="list: a name with control characters", files={"a\x1b[31m": "x"}, call=("list_directory", {"path": "<>"}),
         lacks=["\x1b"], says=["[FILE]"]),
    given(name="sizes", files={"a": "x" * 1536, "b": "y", "s": None}, call=("list_directory_with_sizes", {"path": "<>"}),
         text=f"[FILE] {'a':<30}    1.50 KB\n[FILE] {'b':<30}        1 B\n[DIR] {'s':<30} \n\n"
              "Total: 2 files, 1 directories\nCombined size: 1.50 KB"),
    given(name="sizes: largest first", files={"a": "x", "b": "yy"},
         call=("list_directory_with_sizes", {"path": "<>", "sortBy": "size"}),
         text=f"[FILE] {'b':<30}        2 B\n[FILE] {'a':<30}        1 B\n\nTotal: 2 files, 0 directories\nCombined size: 3 B"),
    given(name="sizes: another order", call=("list_directory_with_sizes", {"path": "<>", "sortBy": "time"}), error=True,
         says=["sortBy"]),
    given(name="tree", files={"a": "x", "s/b": "y", "e": None}, call=("directory_tree", {"path": "<>"}),
         json=[{"name": "a", "type": "file"}, {"name": "e", **FOLDER, "children": []},
               {"name": "s", **FOLDER, "children": [{"name": "b", "type": "file"}]}]),
    given(name="tree: without a name", files=TREE, call=("directory_tree", {"path": "<>", "excludePatterns": ["node_modules", "t"]}),
         lacks=["node_modules", "c.py"], says=["b.txt", ".h"]),
    given(name="tree: without a glob, which is of the top", files=TREE,
         call=("directory_tree", {"path": "<>", "excludePatterns": ["*.txt"]}), lacks=["a.txt"], says=["b.txt"]),
    given(name="find: in the directory", files=TREE, call=("search_files", {"path": "<>", "pattern": "*.txt"}), text="<>/a.txt"),
    given(name="find: at any depth", files=TREE, call=("search_files", {"path": "<>", "pattern": "**/*.txt"}),
         text="<>/a.txt\n<>/s/b.txt"),
    given(name="find: without", files=TREE, call=("search_files", {"path": "<>", "pattern": "**/*.*", "excludePatterns": ["s"]}),
         lacks=["b.txt", "c.py"], says=["i.js"]),
    given(name="find: nothing", files=TREE, call=("search_files", {"path": "<>", "pattern": "**/*.zip"}), text="No matches found"),
    # move_file, get_file_info, list_allowed_directories
    given(name="move", files={"a": "x\n"}, call=("move_file", {"source": "<>/a", "destination": "<>/b"}),
         text="Successfully moved <>/a to <>/b", after={"a": None, "b": b"x\n"}),
    given(name="move: a directory", files={"s/a": "x\n"}, call=("move_file", {"source": "<>/s", "destination": "<>/t"}),
         after={"s": None, "s/a": None, "t/a": b"x\n"}),
    given(name="move: taken", files={"a": "x", "b": "y"}, call=("move_file", {"source": "<>/a", "destination": "<>/b"}),
         error=True, says=["Destination already exists"]),
    given(name="move: missing", call=("move_file", {"source": "<>/a", "destination": "<>/b"}), error=True, says=["ENOENT"]),
    given(name="info: a file", files={"a": "abc"}, call=("get_file_info", {"path": "<>/a"}),
         says=["size: 3\ncreated: ", "GMT+0000 (Coordinated Universal Time)\nmodified: ", "isDirectory: false\nisFile: true\npermissions: 6"]),
    given(name="info: a directory", files={"s": None}, call=("get_file_info", {"path": "<>/s"}), says=["isDirectory: true\nisFile: false"]),
    given(name="info: what a link leads to", files={"a": "abc", "l": ("link", "a")}, call=("get_file_info", {"path": "<>/l"}),
         says=["size: 3\n", "isFile: true"]),
    given(name="info: missing", call=("get_file_info", {"path": "<>/no"}), error=True, says=["ENOENT"]),
    given(name="roots", call=("list_allowed_directories", {}), says=["Allowed directories:\n/"]),
]  # fmt: skip


@pytest.mark.parametrize("case", TABLE)
def test_case(case, in_process):
    in_process(case)


@pytest.mark.parametrize("case", TABLE)
def test_case_in_windows(case, in_windows):
    in_windows(case)


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
@in_part(12)
async def test_table_over_the_protocol(mode, share, over_the_protocol):
    assert await over_the_protocol(mode, TABLE, share) == {}


def test_table_is_whole():
    from filewright.dialects.providers import find_provider

    assert {tool.name for tool in find_provider(DIALECT).tools()} == {
        case["call"][0] for case in TABLE
    }


@pytest.mark.parametrize(
    ("name", "mime"),
    [
        ("a.PNG", "image/png"),
        ("a.flac", "audio/flac"),
        ("a.bin", "application/octet-stream"),
    ],
)
def test_a_media_file_comes_as_it_is(
    tmp_path: Path, name: str, mime: str
) -> None:
    content = b"\x89PNG\r\n\0\xff" * 100
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / name).write_bytes(content)
    with Workspace(
        tmp_path / "root", state_dir=tmp_path / "state"
    ) as workspace:
        answer = workspace.offer(DIALECT).call(
            "read_media_file", {"path": name}
        )
    assert [
        (file.mime, file.data, file.uri.rpartition("/")[2])
        for file in answer.images
    ] == [(mime, content, name)]


def test_a_long_answer_ends_within_the_limit_and_says_how_to_go_on(
    tmp_path: Path,
) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a").write_text("a line\n" * 100_000)
    with Workspace(
        tmp_path / "root", state_dir=tmp_path / "state"
    ) as workspace:
        for call in (
            ("read_text_file", {"path": "a"}),
            ("read_multiple_files", {"paths": ["a", "a"]}),
        ):
            answer = workspace.offer(DIALECT).call(*call).text
            assert len(answer) <= workspace.settings.hard_chars
            assert "head and tail" in answer[-200:]
        tree = (
            workspace.offer(DIALECT).call("directory_tree", {"path": "."}).text
        )
    assert json.loads(tree) == [{"name": "a", "type": "file"}]
