"""`replace_content` with `where` and `set`: the named fields of the rows that fit."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Any

import pytest

from filewright import Code, FilewrightError, Workspace

BILLS = (
    "Nr;Kunde;Land;Status;Satz;Brutto\r\n"
    '1;"Huber; AT;offen;19,0";AT;offen;19,0;10,00 €\r\n'
    '2;"Süd ""Lager""\n2. Stock";AT;offen;"19,0";"5;5"\r\n'
    "3;AT;DE;offen;19,0;7\r\n"
    "4;Café;AT;bezahlt;19,0;8\r\n"
    "5;Café;AT;offen;7,0;9\r\n"
    '6;5" Rohr;AT;offen;19,0;\r\n'
)
WHERE = {"Land": "AT", "Status": "offen", "Satz": "19,0"}
SET = {"Satz": "20,0", "Brutto": ""}
NEW_BILLS = (
    BILLS.replace("offen;19,0;10,00 €", "offen;20,0;")
    .replace('"19,0";"5;5"', '"20,0";""')
    .replace("AT;offen;19,0;\r\n", "AT;offen;20,0;\r\n")
)


def run(workspace: Workspace, **arguments: Any) -> Any:
    return workspace.run("replace_content", {"preview": False, **arguments})


def refused(workspace: Workspace, **arguments: Any) -> FilewrightError:
    with pytest.raises(FilewrightError) as refusal:
        run(workspace, **arguments)
    return refusal.value


@pytest.mark.parametrize(
    "encoding", ["cp1252", "utf-8", "utf-8-sig", "utf-16", "utf-16-be"]
)
def test_table(root: Path, workspace: Workspace, encoding: str) -> None:
    before = BILLS.encode(encoding)
    after = NEW_BILLS.encode(encoding)
    if encoding == "utf-16-be":
        before, after = (codecs.BOM_UTF16_BE + data for data in (before, after))
    (root / "bills.csv").write_bytes(before)
    result = run(workspace, path="bills.csv", where=WHERE, set=SET)
    assert (root / "bills.csv").read_bytes() == after
    assert result.count == 3
    assert "3 rows in 1 file changed (5 values" in result.text
    workspace.undo()
    assert (root / "bills.csv").read_bytes() == before


CASES = [
    pytest.param(
        "x.csv",
        b"a,b\r\n1,x\r\n2,y\r\n",
        {"a": "2"},
        {"b": 'say "hi"'},
        b'a,b\r\n1,x\r\n2,"say ""hi"""\r\n',
        id="quotes that it needs",
    ),
    pytest.param(
        "x.csv",
        b"a,b\r\n1,x\r\n2,y",
        {"b": "y"},
        {"b": "1,5"},
        b'a,b\r\n1,x\r\n2,"1,5"',
        id="no line end at the end",
    ),
    pytest.param(
        "x.csv",
        b'a,b\r\n1,x\r\n2,"y\nz"\r\n',
        {"b": "y\nz"},
        {"b": "y\nw"},
        b'a,b\r\n1,x\r\n2,"y\r\nw"\r\n',
        id="line breaks of the file",
    ),
    pytest.param(
        "x.tsv",
        b"a\tb\n1\tx\n2\ty\n",
        {"a": [1, 2], "b": "!=x"},
        {"b": 5},
        b"a\tb\n1\tx\n2\t5\n",
        id="tabs and a number",
    ),
    pytest.param(
        "x.csv",
        b"a|b\r1|x\r2|y\r",
        {"a": ">1"},
        {"a": 3},
        b"a|b\r1|x\r3|y\r",
        id="lone returns",
    ),
    pytest.param(
        "x.csv",
        b"1,x,2.5\n2,y,3.5\n",
        {"2": "y"},
        {"3": "4.5"},
        b"1,x,2.5\n2,y,4.5\n",
        id="no header",
    ),
    pytest.param(
        "x.csv",
        b'"a b";"a ""c"""\n"x";"y"\n',
        {"a b": "x"},
        {'a "c"': "z"},
        b'"a b";"a ""c"""\n"x";"z"\n',
        id="quoted header",
    ),
    pytest.param(
        "x.csv",
        b"a,b,a\n1,2,3\n1,5,3\n",
        {"2": "5"},
        {"3": "x"},
        b"a,b,a\n1,2,3\n1,5,x\n",
        id="duplicate names by number",
    ),
    pytest.param(
        "x.csv",
        b"a,b\n1,2,3\n1\n\n1,2\n",
        {"a": "1"},
        {"b": "9"},
        b"a,b\n1,2,3\n1\n\n1,9\n",
        id="rows of other lengths stay",
    ),
    pytest.param(
        "x.csv",
        b"sep=;\r\na;b\r\n1,5;2,5\r\n3,5;4,5\r\n",
        {"a": "1,5"},
        {"b": "x;"},
        b'sep=;\r\na;b\r\n1,5;"x;"\r\n3,5;4,5\r\n',
        id="a delimiter that is named",
    ),
    pytest.param(
        "x.csv",
        b"Preis,EUR;Menge,St\n1,5;2,5\n2,5;3,5\n",
        {"Preis,EUR": "1,5"},
        {"Menge,St": "4"},
        b"Preis,EUR;Menge,St\n1,5;4\n2,5;3,5\n",
        id="the delimiter of a header with these names",
    ),
    pytest.param(
        "x.csv",
        b"a;b\n1;600\n2;600,5\n3;\n4;40\n",
        {"b": ">500"},
        {"a": "x"},
        b"a;b\nx;600\n2;600,5\n3;\n4;40\n",
        id="no text is compared with a number",
    ),
    pytest.param(
        "x.csv",
        b"\n\na,b\n1,2\n",
        {},
        {"b": "x"},
        b"\n\na,b\n1,x\n",
        id="empty lines above the header",
    ),
    pytest.param(
        "x.csv",
        b",a,b\n0,2,3\n1,4,5\n",
        {},
        {"2": "x"},
        b",a,b\n0,x,3\n1,x,5\n",
        id="a header without a name for the index",
    ),
    pytest.param(
        "x.csv",
        b"a,b,a,\nx,2,3,\n",
        {},
        {"1": "y"},
        b"a,b,a,\ny,2,3,\n",
        id="a header with a name twice",
    ),
    pytest.param(
        "x.csv",
        b"a,,b\nx,2,y\n",
        {},
        {"1": "z"},
        b"z,,b\nz,2,y\n",
        id="no header, an empty field",
    ),
    pytest.param(
        "x.csv",
        b"name,2020,2021\nx,2,3\n",
        {},
        {"2021": "4"},
        b"name,2020,2021\nx,2,4\n",
        id="a name that is a number",
    ),
    pytest.param(
        "x.csv",
        b'a, b, c\n1, "x, y"\n1, "x", y\n1,5" "", y\n',
        {"a": "1"},
        {"c": "3"},
        b'a, b, c\n1, "x, y"\n1, "x",3\n1,5" "",3\n',
        id="a quote that is open behind a blank",
    ),
    pytest.param(
        "x.csv",
        b"a,b\n1_0,x\n10,x\n",
        {"a": ">5"},
        {"b": "y"},
        b"a,b\n1_0,x\n10,y\n",
        id="no number with an underscore",
    ),
    pytest.param(
        "x.jsonl",
        b'{"s":"billing", "r" : "eu" ,"n":"r: eu"}\n{"s":"auth","r":"eu"}\nno\n',
        {"s": "billing", "r": "eu"},
        {"r": "e\xe9\n"},
        b'{"s":"billing", "r" : "e\\u00e9\\n" ,"n":"r: eu"}\n{"s":"auth","r":"eu"}\nno\n',
        id="json lines in ASCII",
    ),
    pytest.param(
        "x.jsonl",
        '{"s":"ü","r":{"x":[1,{"y":2}]}}\r\n{"s":"u","r":{"x":[]}}\r\n'.encode(),
        {"s": "ü"},
        {"r.x.1.y": "ö", "r.x.0": None},
        '{"s":"ü","r":{"x":[null,{"y":"ö"}]}}\r\n{"s":"u","r":{"x":[]}}\r\n'.encode(),
        id="json lines in UTF-8",
    ),
    pytest.param(
        "x.jsonl",
        b'{"u":"http:\\/\\/a\\/b","v":1.0}\n',
        {"v": 1},
        {"u": "c/d", "v": True},
        b'{"u":"c\\/d","v":true}\n',
        id="escaped slashes",
    ),
    pytest.param(
        "x.jsonl",
        b'{"a":1,"b":2}\n{"a":1}\n',
        {"a": 1},
        {"b": 3},
        b'{"a":1,"b":3}\n{"a":1}\n',
        id="a key that a row lacks",
    ),
    pytest.param(
        "package.json",
        b'{\n  "name": "x", // "version": "8.0.1"\n  "version": "8.0.1",\n'
        b'  "deps": {"@babel/core": "^8", "a.b": "8.0.1",},\n}\n',
        {"version": "8.0.1", "deps.a.b": "8*"},
        {"version": "8.1.0", "deps.a.b": "9"},
        b'{\n  "name": "x", // "version": "8.0.1"\n  "version": "8.1.0",\n'
        b'  "deps": {"@babel/core": "^8", "a.b": "9",},\n}\n',
        id="a document with comments",
    ),
    pytest.param(
        "x.json",
        b'[{"a": 1, "t": "]}"}, {"a": 2,\n "t": "\\\\"},\n3, {"a": 1, "t": []}]\n',
        {"a": "<2", "t": "]}"},
        {"a": -1.5},
        b'[{"a": -1.5, "t": "]}"}, {"a": 2,\n "t": "\\\\"},\n3, {"a": 1, "t": []}]\n',
        id="an array of objects",
    ),
    pytest.param(
        "x.json",
        b'{"a": [1, "//,]" /* ] */,], "b": "x\ty", "c": 1}\n// end\n',
        {"a": '[1,"//,]"]', "b": "x\ty"},
        {"c": 2},
        b'{"a": [1, "//,]" /* ] */,], "b": "x\ty", "c": 2}\n// end\n',
        id="values with comments and tabs are compared",
    ),
    pytest.param(
        "x.json",
        b'[{"a": 1}] // end\n/* end */\n',
        {},
        {"a": 2},
        b'[{"a": 2}] // end\n/* end */\n',
        id="comments behind an array",
    ),
    pytest.param(
        "x.json",
        b'{"a": 1}\n{"a": 2}\n',
        {},
        {"a": 3},
        b'{"a": 3}\n{"a": 3}\n',
        id="json lines named .json",
    ),
]


@pytest.mark.parametrize(("name", "before", "where", "values", "after"), CASES)
def test_changes(
    root: Path,
    workspace: Workspace,
    name: str,
    before: bytes,
    where: dict[str, Any],
    values: dict[str, Any],
    after: bytes,
) -> None:
    (root / name).write_bytes(before)
    run(workspace, path=name, where=where, set=values)
    assert (root / name).read_bytes() == after


REFUSED = [
    pytest.param(
        "x.csv", b"Land,b\n1,2\n", {"Lnad": "1"}, {"b": "3"},
        Code.INVALID_INPUT, ["'Lnad'", "Land", "Land, b"], id="unknown column",
    ),
    pytest.param(
        "x.csv", b"a,b,a\n1,2,3\n", {"a": "1"}, {"b": "3"},
        Code.INVALID_INPUT, ["columns 1 and 3", '"1"'], id="duplicate column",
    ),
    pytest.param(
        "x.csv", b'a,b\n1,2\n1,"x\n2,3\n', {"a": "1"}, {"b": "3"},
        Code.UNSUPPORTED, ["line 3"], id="unclosed quote",
    ),
    pytest.param(
        "x.csv", b'a,b\n1,"x"y\n2,3\n', {"a": "2"}, {"b": "3"},
        Code.UNSUPPORTED, ["line 2"], id="text behind a quote",
    ),
    pytest.param(
        "x.csv", b"1,2\n3,4\n", {"a": "1"}, {"b": "3"},
        Code.INVALID_INPUT, ["no header", '"1"'], id="name without header",
    ),
    pytest.param(
        "x.csv", b"a,b\n1,2\n", {"a": "1"}, {"b": None},
        Code.INVALID_INPUT, ['""'], id="null in a table",
    ),
    pytest.param(
        "x.csv", b"a,b\n1,2\n", {"a": "7"}, {"b": "x"},
        Code.NO_MATCH, ["no row"], id="no row",
    ),
    pytest.param(
        "x.csv", b"a,b\n1,2\n", {"a": "1"}, {"b": "2"},
        Code.NO_CHANGE, ["already"], id="already so",
    ),
    pytest.param(
        "x.csv", b"a,b\n1,2\n", None, {"b": "2"},
        Code.INVALID_INPUT, ["where: {}"], id="set without where",
    ),
    pytest.param(
        "x.jsonl", b'{"http":{"status":1}}\n', {}, {"http.statsu": "2"},
        Code.NO_MATCH, ["http.statsu", "http.status"], id="unknown key",
    ),
    pytest.param(
        "x.jsonl", b'{"a":1,"a":2}\n', {"a": 2}, {"a": 3},
        Code.UNSUPPORTED, ["line 1", "twice"], id="duplicate key",
    ),
    pytest.param(
        "x.jsonl", b'{"a":{"b":1}}\n', {}, {"a": 3},
        Code.UNSUPPORTED, ["line 1", "object"], id="an object would go",
    ),
    pytest.param(
        "x.json", b'{"a": {"b": 1, /* c */}}\n', {}, {"a": 3},
        Code.UNSUPPORTED, ["line 1", "object"], id="an object with a comment",
    ),
    pytest.param(
        "x.json", b'{"a": [1, 2,]}\n', {}, {"a": 3},
        Code.UNSUPPORTED, ["line 1", "array"], id="an array with a last comma",
    ),
    pytest.param(
        "x.json", b'{"a": [%b]}\n' % (b"[" * 2000 + b"]" * 2000), {}, {"a": 3},
        Code.UNSUPPORTED, ["line 1", "array"], id="deep arrays",
    ),
    pytest.param(
        "x.json", b'[{"a": 1}]\n[{"a": 1}]\n', {}, {"a": 3},
        Code.UNSUPPORTED, ["line 2", "behind"], id="a second array",
    ),
    pytest.param(
        "x.json", b'{"a": [%b], "b": 1}\n' % (b"/*" * 200_000), {}, {"b": 3},
        Code.UNSUPPORTED, ["line 1", "no end"], id="comments without end",
    ),
    pytest.param(
        "x.jsonl", b'{"a":1}\n', {}, {"a": {"b": 1}},
        Code.INVALID_INPUT, ["a.b"], id="nested value",
    ),
    pytest.param(
        "x.txt", b"a b\n", {}, {"a": 3},
        Code.UNSUPPORTED, ["CSV"], id="no rows",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "before", "where", "values", "code", "words"), REFUSED
)
def test_refuses(
    root: Path,
    workspace: Workspace,
    name: str,
    before: bytes,
    where: dict[str, Any] | None,
    values: dict[str, Any],
    code: Code,
    words: list[str],
) -> None:
    (root / name).write_bytes(before)
    error = refused(workspace, path=name, where=where, set=values)
    assert error.code == code
    for word in words:
        assert word in str(error)
    assert (root / name).read_bytes() == before


def test_already_so_is_counted(root: Path, workspace: Workspace) -> None:
    (root / "x.csv").write_text("a,b\n1,2\n1,3\n2,2\n")
    result = run(workspace, path="x.csv", where={"a": "1"}, set={"b": "3"})
    assert result.text.startswith(
        "2 rows in 1 file changed (1 value; 1 had them already); change "
    )
    assert (root / "x.csv").read_text() == "a,b\n1,3\n1,3\n2,2\n"


def test_rows_left_out_are_named(root: Path, workspace: Workspace) -> None:
    (root / "x.csv").write_text("a,b\n1,2\n1,3,4\n1\n5,6,7\n")
    result = run(workspace, path="x.csv", where={"a": "1"}, set={"b": "9"})
    assert result.notes == (
        "2 rows of another length left unchanged, the first at x.csv:3",
    )


def test_decimal_commas(root: Path, workspace: Workspace) -> None:
    before = "Ort;Tag;Betrag\r\n\u00d6;24.05.2025;215,15\r\n\u00d6;01.06.2025;1211,18\r\n"
    (root / "x.csv").write_bytes(before.encode("cp1252"))
    where = {"Tag": ">24.05.2025", "Betrag": ">=1000,00"}
    run(workspace, path="x.csv", where=where, set={"Ort": "W"})
    after = before.replace("\u00d6;01", "W;01")
    assert (root / "x.csv").read_bytes() == after.encode("cp1252")
    error = refused(
        workspace, path="x.csv", where={"Betrag": ">=1000"}, set={"Ort": "W"}
    )
    assert error.code == Code.NO_MATCH
    hint = (
        '2 rows with a decimal comma (compare with ">=1000,0") left unchanged'
    )
    assert hint in str(error)


@pytest.mark.parametrize(
    ("name", "noun"), [("x.jsonl", "line"), ("x.json", "row")]
)
def test_uncertain_values_of_json(
    root: Path, workspace: Workspace, name: str, noun: str
) -> None:
    objects = ['{"a":"215,15","b":1}', '{"a":"x","b":1}', '{"a":1500,"b":1}']
    text = "\n".join(objects)
    if name == "x.json":
        text = f"[{','.join(objects)}]"
    (root / name).write_text(text)
    where = {"a": ">=1000"}
    found = workspace.run("search_content", {"path": name, "where": where})
    changed = run(workspace, path=name, where=where, set={"b": 2})
    assert changed.count == 1
    for reason in ("with a decimal comma", "without a number"):
        assert f"1 {noun} {reason}" in found.text
        assert f"1 {noun} {reason}" in changed.text


def test_lacking_keys_and_broken_lines_are_named(
    root: Path, workspace: Workspace
) -> None:
    (root / "x.jsonl").write_text('{"a":1,"b":2}\n{"a":1}\n{"a":1\n')
    result = run(workspace, path="x.jsonl", where={}, set={"b": 3})
    assert result.count == 1
    assert result.notes == (
        "1 line not JSON left unchanged, the first at x.jsonl:3",
        "1 row without b left unchanged, the first at x.jsonl:2",
    )


def test_preview_and_counts(root: Path, workspace: Workspace) -> None:
    path = root / "x.csv"
    path.write_text("a,b\n1,2\n1,3\n")
    change = {"path": "x.csv", "where": {"a": "1"}, "set": {"b": "9", "a": "8"}}
    preview = workspace.run("replace_content", change)
    assert preview.text.startswith("2 rows in 1 file would be changed (preview")
    assert workspace.run("replace_content", {**change, "max_count": 1}).preview
    with pytest.raises(
        FilewrightError, match="select 2 rows, not the expected 3"
    ):
        workspace.run("replace_content", {**change, "expected_count": 3})
    assert path.read_text() == "a,b\n1,2\n1,3\n"
    result = workspace.run("replace_content", {**change, "max_count": 2})
    assert result.text.startswith(
        "2 rows in 1 file changed (4 values); change "
    )


def test_kinds_of_rows(root: Path, workspace: Workspace) -> None:
    rows = "".join(f"{number},AT,x{'z' * 99},1\n" for number in range(500))
    (root / "x.csv").write_text(f"nr,land,text,n\n{rows}")
    change = {"where": {"land": "AT"}, "set": {"land": "DE", "n": "2"}}
    text = run(workspace, path="x.csv", diff="auto", **change).text
    assert "500 like x.csv:2:\n-0,AT,x" in text


def test_folder(root: Path, workspace: Workspace) -> None:
    for name, version in [("a", "1"), ("b", "2"), ("c", "1")]:
        folder = root / "packages" / name
        folder.mkdir(parents=True)
        text = f'{{"version": "{version}", "deps": {{"x": "1"}}}}\n'
        (folder / "package.json").write_text(text)
        (folder / "other.csv").write_text("a,b\n1,2\n")
    (root / "packages" / "a" / "bad.json").write_text('{"version": "1" ')
    result = run(
        workspace,
        path="packages",
        where={"version": "1"},
        set={"version": "3"},
    )
    assert [file.path for file in result.files] == [
        "packages/a/package.json",
        "packages/c/package.json",
    ]
    read = (root / "packages" / "c" / "package.json").read_text()
    assert read == '{"version": "3", "deps": {"x": "1"}}\n'


def test_items_of_rows_and_text(root: Path, workspace: Workspace) -> None:
    (root / "x.csv").write_text("a,b\n1,one\n2,one\n3,one\n")
    result = run(
        workspace,
        path="x.csv",
        items=[
            {"where": {"a": "1"}, "set": {"b": "two"}},
            {"where": {"a": "2"}, "pattern": "one", "replacement": "three"},
        ],
    )
    assert (root / "x.csv").read_text() == "a,b\n1,two\n2,three\n3,one\n"
    assert result.item_counts == (1, 1)
    assert result.text.startswith(
        "1 row and 1 match in 1 file changed (1 value)"
    )
    error = refused(
        workspace,
        path="x.csv",
        items=[
            {"where": {"a": "1"}, "set": {"b": "x"}},
            {"where": {"a": "9"}, "set": {"b": "x"}},
        ],
    )
    assert "item 2 of 2: no row fits the conditions" in str(error)
    assert "of 3 rows, a fits 0" in str(error)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_pattern_in_rows(
    root: Path, workspace: Workspace, encoding: str
) -> None:
    before = 'a,b\n1,"x\nx"\n2,x\n'
    (root / "x.csv").write_bytes(before.encode(encoding))
    run(
        workspace,
        path="x.csv",
        where={"a": "1"},
        pattern="x",
        replacement="y",
    )
    after = 'a,b\n1,"y\ny"\n2,x\n'
    assert (root / "x.csv").read_bytes() == after.encode(encoding)


def test_no_row_is_expected(root: Path, workspace: Workspace) -> None:
    (root / "x.csv").write_text("a,b\n1,2\n")
    change = {"path": "x.csv", "set": {"b": "3"}, "expected_count": 0}
    error = refused(workspace, where={"a": "2"}, **change)
    assert "no row fits the conditions" in error.message
    error = refused(workspace, where={"a": "1"}, **change)
    assert "the conditions select 1 row, not the expected 0" in error.message


def test_same_column_twice(root: Path, workspace: Workspace) -> None:
    (root / "x.csv").write_text("a,b\n1,2\n")
    error = refused(workspace, path="x.csv", where={}, set={"b": "3", "2": "4"})
    assert error.code == Code.INVALID_INPUT
    assert "same column" in error.message


def test_no_character_that_the_encoding_lacks(
    root: Path, workspace: Workspace
) -> None:
    (root / "x.csv").write_bytes("a;b\r\nä;€\r\n".encode("cp1252"))
    error = refused(workspace, path="x.csv", where={}, set={"b": "→"})
    assert error.code == Code.UNENCODABLE
