"""Separators of lists: after any edit of members the list is valid and the others are unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.edit.cases import short_id
from tests.examples import examples
from tests.samples import in_part

from filewright import Workspace
from filewright.settings import Settings

# Of each kind of list: a file's name, the text around its members (`…` is where they go), the separator between two,
# what may be behind the last one, and the members with names.
MEMBERS = {
    "json": ("a.json", "{\n…\n}\n", ",", [""], ['"aa": 1', '"bb": {\n    "x": 1\n  }', '"cc": [\n    1,\n    2\n  ]', '"dd": "a,b"']),
    "json in json": ("a.json", '{\n  "k": {\n…\n  },\n  "l": 2\n}\n', ",", [""], ['  "aa": 1', '  "bb": "//"', '  "cc": 3']),
    "js object": ("a.js", "const o = {\n…\n};\n", ",", ["", ","], ["aa: () => 1", "bb() {\n    return 2;\n  }", "async cc() {}", "dd: function () {}"]),
    "ts enum": ("a.ts", "export enum E {\n…\n}\n", ",", ["", ","], ["aa", "bb = 2", "'cc' = 'x,y'", "dd"]),
    "rust struct": ("a.rs", "struct S {\n…\n}\n", ",", ["", ","], ["pub aa: i32", "bb: &'static str", "#[x(y)]\n  cc: Vec<u8>", "dd: (u8, u8)"]),
    "rust enum": ("a.rs", "enum E {\n…\n}\n", ",", ["", ","], ["Aa", "Bb(i32, u8)", "/// of it\n  Cc { x: i32 }", "Dd = 4"]),
    "c enum": ("a.c", "enum e {\n…\n};\n", ",", ["", ","], ["AA", "BB = 2", "CC", "DD"]),
    "c# enum": ("A.cs", "enum E\n{\n…\n}\n", ",", ["", ","], ["Aa", "Bb = 2", "Cc", "[X]\n  Dd"]),
    "java enum": ("E.java", "enum E {\n…\n\n  int x;\n}\n", ",", [";", ",\n  ;"], ["AA", 'BB("a;b")', "CC {\n    int f() { return 1; }\n  }", "DD"]),
    "java enum alone": ("E.java", "enum E {\n…\n}\n", ",", ["", ",", ";"], ["AA", "BB(2)", "/** of it */\n  CC"]),
    "kotlin enum": ("E.kt", "enum class E(val x: Int) {\n…\n\n  fun f() = 1\n}\n", ",", [";"], ["AA(1)", "BB(2)", "CC(3)"]),
    "kotlin enum alone": ("E.kt", "enum class E {\n…\n}\n", ",", ["", ","], ["AA", "BB", "CC"]),
    "kotlin parameters": ("E.kt", "class E(\n…\n)\n", ",", ["", ","], ["val aa: Int", "val bb: String = \"x\"", "var cc: Int"]),
    "sql": ("a.sql", "CREATE TABLE t (\n…\n);\n", ",", [""], ["aa int", "bb text DEFAULT 'a,b'", "cc numeric(10, 2)", "dd int NOT NULL"]),
    "lua": ("a.lua", "local t = {\n…\n}\n", ",", ["", ","], ["aa = function() return 1 end", "bb = function() end", "cc = function() end"]),
    "yaml flow": ("a.yaml", "k: {\n…\n}\n", ",", ["", ","], ["aa: 1", "bb: x", "cc: [1, 2]"]),
}  # fmt: skip
NEW = {
    "json": '"new": 9', "json in json": '"new": 9', "js object": "new: () => 9", "ts enum": "new = 9", "rust struct": "new: i32",
    "rust enum": "New(i32)", "c enum": "NEW = 9", "c# enum": "New = 9", "java enum": "NEW", "java enum alone": "NEW",
    "kotlin enum": "NEW(9)", "kotlin enum alone": "NEW", "kotlin parameters": "val new: Int", "sql": "new int",
    "lua": "new = function() end", "yaml flow": "new: 9",
}  # fmt: skip


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("members") / "root"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def workspace(root: Path) -> Iterator[Workspace]:
    with Workspace(
        root,
        state_dir=root.parent / "state",
        settings=Settings(parse_seconds=20),
    ) as opened:
        yield opened


def text_of(
    kind: str, members: list[str], last: str, comments: bool = False
) -> str:
    _, around, separator, _, _ = MEMBERS[kind]
    name = MEMBERS[kind][0]
    mark = {"a.sql": "--", "a.lua": "--", "a.yaml": "#"}.get(name, "//")
    lines = []
    for number, member in enumerate(members):
        own = separator if number < len(members) - 1 else last
        own, _, below = own.partition("\n")
        behind = (
            f" {mark} of {number}, really"
            if comments and number % 2 == 0
            else ""
        )
        lines.append(
            f"  {member}{own}{behind}" + (f"\n{below}" if below else "")
        )
    return around.replace("…", "\n".join(lines))


def name_of(member: str) -> str:
    words = "".join(
        letter if letter.isalnum() or letter in "_'\"\n" else " "
        for letter in member
    )
    line = (
        next(line for line in reversed(words.split("\n")) if line.strip())
        if member.lstrip()[:1] in "#[/"
        else words
    )
    found = [word.strip("'\"") for word in line.split()]
    return next(
        word for word in found if word not in ("pub", "async", "val", "var")
    )


def run(
    root: Path,
    workspace: Workspace,
    kind: str,
    before: str,
    edits: list[dict[str, Any]],
    expected: str,
) -> None:
    name = MEMBERS[kind][0]
    path = root / name
    path.write_bytes(before.encode())
    done = workspace.call("edit_content", {"path": name, "edits": edits})
    assert not done.is_error, f"{edits}\n{before}\n{done.text}"
    after = path.read_bytes().decode()
    assert after == expected, f"{edits}\n{before}\n{after}"
    assert "syntax error" not in done.text, f"{edits}\n{after}"


KINDS = [
    (kind, last) for kind, (*_, lasts, _) in MEMBERS.items() for last in lasts
]


@in_part(12)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("kind", "last"), KINDS, ids=short_id)
def test_separators_stay_right(
    root: Path, workspace: Workspace, kind: str, last: str, end: str, share: int
) -> None:
    *_, members = MEMBERS[kind]
    if end != "\n" and kind not in ("json", "ts enum", "java enum"):
        return
    new, names = NEW[kind], [name_of(member) for member in members]

    requests: list[tuple[str, list[dict[str, Any]], str]] = []

    def add(
        edits: list[dict[str, Any]],
        expected: list[str],
        own: list[str] = members,
    ) -> None:
        before, after = text_of(kind, own, last), text_of(kind, expected, last)
        requests.append(
            (before.replace("\n", end), edits, after.replace("\n", end))
        )

    inner = "  " + new if kind == "json in json" else new
    for index, name in enumerate(names):
        at = {"symbol": name}
        rest = members[:index] + members[index + 1 :]
        if rest:
            add([{"at": at, "delete": True}], rest)
        for own in ("", ",", last.partition("\n")[0]):
            if own != ";" or index == len(names) - 1:
                replaced = [*members[:index], inner, *members[index + 1 :]]
                add([{"at": at, "replace": new + own}], replaced)
        behind = [*members[: index + 1], inner, *members[index + 1 :]]
        add([{"at": {"after": name}, "replace": new}], behind)
        add(
            [{"at": {"before": name}, "replace": f"{new},"}],
            [*members[:index], inner, *members[index:]],
        )
        for other in names:
            if other == name:
                continue
            target = rest.index(members[names.index(other)])
            moved = [*rest[: target + 1], members[index], *rest[target + 1 :]]
            if moved != members:
                add([{"from": {"symbol": name}, "at": {"after": other}}], moved)
    first, second = names[0], names[-1]
    add(
        [
            {"at": {"symbol": second}, "delete": True},
            {"at": {"symbol": names[-2]}, "delete": True},
        ],
        members[:-2],
    )
    add(
        [
            {"at": {"symbol": second}, "delete": True},
            {"at": {"symbol": names[-2]}, "replace": new},
        ],
        [*members[:-2], inner],
    )
    add(
        [
            {"at": {"symbol": second}, "delete": True},
            {"at": {"after": names[-2]}, "replace": new},
        ],
        [*members[:-1], inner],
    )
    add(
        [
            {"at": {"symbol": second}, "delete": True},
            {"at": {"after": second}, "replace": new},
        ],
        [*members[:-1], inner],
    )
    add(
        [{"at": {"after": first}, "replace": new}],
        [members[0], inner],
        members[:1],
    )
    start = KINDS.index((kind, last)) % share
    for before, edits, after in requests[start::share]:
        run(root, workspace, kind, before, edits, after)


def test_comments_behind_separators_stay(
    root: Path, workspace: Workspace
) -> None:
    for kind, (name, _, _, lasts, members) in MEMBERS.items():
        if name == "a.json":
            continue
        last = lasts[0]
        names = [name_of(member) for member in members]
        before = text_of(kind, members[:3], last, comments=True)
        path = root / name
        path.write_text(before)
        done = workspace.call(
            "edit_content",
            {
                "path": path.name,
                "edits": [{"at": {"after": names[2]}, "replace": NEW[kind]}],
            },
        )
        assert not done.is_error, done.text
        after = path.read_text()
        assert "syntax error" not in done.text, after
        assert before.count("really") == after.count("really")
        done = workspace.call(
            "edit_content",
            {
                "path": path.name,
                "edits": [
                    {"at": {"symbol": name_of(NEW[kind])}, "delete": True}
                ],
            },
        )
        assert not done.is_error, done.text
        assert path.read_text() == before


@examples(30)
@given(data=st.data())
def test_any_edits_leave_a_list(
    root: Path, workspace: Workspace, data: st.DataObject
) -> None:
    kind, last = data.draw(st.sampled_from(KINDS))
    *_, members = MEMBERS[kind]
    names = [name_of(member) for member in members]
    new = NEW[kind]
    edits: list[dict[str, Any]] = []
    touched = data.draw(
        st.lists(
            st.sampled_from(names),
            unique=True,
            min_size=1,
            max_size=len(names) - 1,
        )
    )
    gone = set()
    for name in touched:
        what = data.draw(
            st.sampled_from(["delete", "replace", "after", "before"])
        )
        own = (
            new.replace("new", f"new{name}")
            .replace("New", f"New{name}")
            .replace("NEW", f"NEW{name}")
        )
        if what == "delete":
            edits.append({"at": {"symbol": name}, "delete": True})
            gone.add(name)
        elif what == "replace":
            edits.append({"at": {"symbol": name}, "replace": own})
            gone.add(name)
        else:
            edits.append({"at": {what: name}, "replace": own})
    name = MEMBERS[kind][0]
    before = text_of(kind, members, last)
    (root / name).write_text(before)
    done = workspace.call("edit_content", {"path": name, "edits": edits})
    assert not done.is_error, f"{edits}\n{before}\n{done.text}"
    after = (root / name).read_text()
    assert "syntax error" not in done.text, f"{edits}\n{after}"
    for member in members:
        assert (name_of(member) in gone) or member in after


@pytest.mark.parametrize(
    ("name", "text", "edit", "expected"),
    [
        # the separator of what is no symbol
        ("a.js", "const o = {\n  ...x,\n  aa() {}\n};\n", {"at": {"symbol": "aa"}, "delete": True}, "const o = {\n  ...x\n};\n"),
        ("a.js", "const o = {\n  ...x,\n  aa() {},\n};\n", {"at": {"symbol": "aa"}, "delete": True}, "const o = {\n  ...x,\n};\n"),
        ("a.js", "const o = {\n  aa() {},\n  ...x\n};\n", {"at": {"after": "aa"}, "replace": "bb() {}"}, "const o = {\n  aa() {},\n  bb() {},\n  ...x\n};\n"),
        ("a.js", "const o = {\n  aa() {},\n  ...x\n};\n", {"at": {"symbol": "aa"}, "delete": True}, "const o = {\n  ...x\n};\n"),
        ("a.sql", "CREATE TABLE t (\n  a int,\n  b int,\n  PRIMARY KEY (a)\n);\n", {"at": {"symbol": "b"}, "delete": True}, "CREATE TABLE t (\n  a int,\n  PRIMARY KEY (a)\n);\n"),
        ("a.sql", "CREATE TABLE t (\n  a int,\n  b int,\n  PRIMARY KEY (a)\n);\n", {"at": {"after": "b"}, "replace": "c int"}, "CREATE TABLE t (\n  a int,\n  b int,\n  c int,\n  PRIMARY KEY (a)\n);\n"),
        # a declaration of several
        ("a.js", "const a = 1,\n  b = 2,\n  c = 3;\n", {"at": {"symbol": "c"}, "delete": True}, "const a = 1,\n  b = 2;\n"),
        ("a.js", "const a = 1,\n  b = 2;\n", {"at": {"after": "b"}, "replace": "  c = 3"}, "const a = 1,\n  b = 2,\n  c = 3;\n"),
        ("a.js", "const a = 1,\n  b = 2;\nconst c = 3,\n  d = 4;\n", {"at": {"symbol": "b"}, "delete": True}, "const a = 1;\nconst c = 3,\n  d = 4;\n"),
        # a semicolon behind what is in no list
        ("a.ts", "interface I {\n  a: string;\n  b: number;\n}\n", {"at": {"symbol": "I.a"}, "replace": "a: number"}, "interface I {\n  a: number;\n  b: number;\n}\n"),
        ("a.ts", "interface I {\n  a: string,\n  b: number\n}\n", {"at": {"symbol": "I.a"}, "replace": "a: number"}, "interface I {\n  a: number,\n  b: number\n}\n"),
        ("a.ts", "class A {\n  x = 1;\n  y = 2;\n}\n", {"at": {"symbol": "A.x"}, "replace": "x = 3;"}, "class A {\n  x = 3;\n  y = 2;\n}\n"),
        ("a.cpp", "struct S {\n  int x;\n};\n", {"at": {"symbol": "S"}, "replace": "struct S {\n  int y;\n}"}, "struct S {\n  int y;\n};\n"),
        ("a.sql", "CREATE TABLE t (\n  a int\n);\n", {"at": {"symbol": "t"}, "replace": "CREATE TABLE t (\n  b int\n)"}, "CREATE TABLE t (\n  b int\n);\n"),
        # a comment at the end of the new text
        ("a.ts", "enum E {\n  A,\n  B\n}\n", {"at": {"symbol": "E.A"}, "replace": "A = 1 // one, of many"}, "enum E {\n  A = 1, // one, of many\n  B\n}\n"),
        ("a.json", '{\n  "a": 1,\n  "b": 2\n}\n', {"at": {"symbol": "a"}, "replace": '"a": "x,"'}, '{\n  "a": "x,",\n  "b": 2\n}\n'),
        ("a.json", '{\n  "a": 1,\n  "b": 2\n}\n', {"at": {"symbol": "b"}, "replace": '"b": 3,\n"c": 4'}, '{\n  "a": 1,\n  "b": 3,\n  "c": 4\n}\n'),
    ], ids=short_id,
)  # fmt: skip
def test_other_separators(
    root: Path,
    workspace: Workspace,
    name: str,
    text: str,
    edit: dict[str, Any],
    expected: str,
) -> None:
    (root / name).write_text(text)
    done = workspace.call("edit_content", {"path": name, "edits": [edit]})
    assert not done.is_error, done.text
    assert (root / name).read_text() == expected


@pytest.mark.parametrize(
    ("name", "text", "symbol"),
    [
        ("a.json", '{\n  "a": 1\n  , "b": 2\n  , "c": 3\n}\n', "b"),
        ("a.sql", "CREATE TABLE t (\n  a int\n , b int\n , c int\n);\n", "a"),
        ("a.json", '{\n  "a": 1,\n  "b": 2 }\n', "b"),
        ("a.js", "const a = 1,\n  b = 2;\n", "a"),
        ("a.json", '{ "a": 1,\n  "b": 2\n}\n', "a"),
    ],
    ids=short_id,
)
def test_separators_elsewhere_are_refused(
    root: Path, workspace: Workspace, name: str, text: str, symbol: str
) -> None:
    (root / name).write_text(text)
    for edit in ({"delete": True}, {"replace": '"x": 1'}):
        done = workspace.call(
            "edit_content",
            {"path": name, "edits": [{"at": {"symbol": symbol}, **edit}]},
        )
        assert done.code == "invalid_input", done.text
        assert "search" in done.text
    assert (root / name).read_text() == text


def test_member_moves_to_another_list(root: Path, workspace: Workspace) -> None:
    (root / "one.json").write_text('{\n  "a": 1,\n  "b": 2\n}\n')
    (root / "two.json").write_text('{\n  "x": 1\n}\n')
    edit = {
        "path": "two.json",
        "from": {"path": "one.json", "symbol": "b"},
        "at": {"after": "x"},
    }
    workspace.run("edit_content", {"edits": [edit]})
    assert (root / "one.json").read_text() == '{\n  "a": 1\n}\n'
    assert (root / "two.json").read_text() == '{\n  "x": 1,\n  "b": 2\n}\n'


@pytest.mark.parametrize(
    ("name", "text", "symbol"),
    [
        ("a.js", "class A { m() {\n  return 1; } }\n", "A.m"),
        ("a.js", "class A { m() {\n  return 1; }\n}\n", "A.m"),
        ("a.js", "class A {\n  m() {\n  return 1; } }\n", "A.m"),
        ("a.sh", "case $1 in\na) f() {\n  echo 1\n} ;;\nesac\n", "f"),
    ],
    ids=short_id,
)
def test_refuses_lines_that_end_a_block(
    root: Path, workspace: Workspace, name: str, text: str, symbol: str
) -> None:
    (root / name).write_text(text)
    for edit in (
        {"at": {"symbol": symbol}, "delete": True},
        {"at": {"after": symbol}, "replace": "n() {}"},
    ):
        done = workspace.call("edit_content", {"path": name, "edits": [edit]})
        assert done.code == "invalid_input", done.text
    assert (root / name).read_text() == text
