"""The columns of rows: a header above the hits in a table, the field of a match."""

from __future__ import annotations

import pytest

TABLE = "Nr;Ort;Preis\r\n4000;Köln;10,31 €\r\n4711;Wien;12,50 €\r\n"


@pytest.mark.parametrize(
    ("name", "content", "header"),
    [
        ("a.csv", TABLE.encode("cp1252"), "Nr;Ort;Preis"),
        ("a.tsv", b"id\tname\n1\tx\n", "id\tname"),
        ("a.csv", b"sep=;\nid;name\n1;x\n", "id;name"),
        ("a.csv", b"1;2\n3;4\n", None),
        ("a.csv", b"one\ntwo\n", None),
        ("a.csv", f"{'n' * 300},m\n1,2\n".encode(), "n" * 200 + "…"),
        ("a.csv", TABLE.encode("utf-16"), None),
    ],
    ids=["csv", "tsv", "sep", "numbers", "one", "long", "utf-16"],
)
def test_header(root, workspace, name, content, header):
    (root / name).write_bytes(content)
    last_line = content.decode(
        "utf-16" if b"\0" in content else "cp1252"
    ).splitlines()[-1]
    rows = workspace.search(last_line, path=name).text.splitlines()
    headers = [row.partition("- ")[2] for row in rows if "- " in row]
    assert headers == ([] if header is None else [header])


def test_header_above_hits(root, workspace):
    (root / "a.csv").write_bytes(TABLE.encode("cp1252"))
    for name in ("b", "c", "d"):
        (root / f"{name}.csv").write_text(f"Nr,{name}\n4711,3\n")
    result = workspace.search("4711")
    assert result.text.splitlines()[:3] == [
        "a.csv",
        "1- Nr;Ort;Preis",
        "3: 4711;Wien;12,50 €",
    ]
    assert result.text.count("1- Nr") == 3
    assert [hit.context_before for hit in result.results] == [()] * 4
    assert "1- " not in workspace.search("Nr|4711", mode="regex").text


@pytest.mark.parametrize(
    ("name", "row", "match", "column"),
    [
        ("a.jsonl", '{"note": "a billing", "to": "billing"}', "billing", "to"),
        ("a.jsonl", '{"a": {"b": 47}, "c": [47]}', "47", "a.b"),
        ("a.jsonl", '{"a": "x"}', 'a"', None),
        ("a.csv", "4711;Wien;12,50", "Wie", "Ort"),
        ("a.txt", "4711;Wien;12,50", "Wien", None),
    ],
    ids=["equal", "nested", "key", "table", "text"],
)
def test_column_of_a_match(root, workspace, name, row, match, column):
    rows = [row]
    for word in "pqrst":
        rows.append(row[:-1] + word + row[-1:])
    head = "Nr;Ort;Preis\n1;a;2\n"
    (root / name).write_text(head + "\n".join(rows))
    text = workspace.search(match, path=name, output="kinds").text
    note = f'by="{column}" counts these rows by a field'
    assert (note in text) == (column is not None)
    assert "by=" in text or column is None
