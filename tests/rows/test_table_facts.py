"""The delimiter and the columns of a table."""

from __future__ import annotations

import pytest

from filewright.rows.table_facts import summarize_table


@pytest.mark.parametrize(
    ("content", "delimiter", "names", "row"),
    [
        (
            "id,name,age\n1,Ann,3\n2,Bob,4\n",
            ",",
            ("id", "name", "age"),
            "1,Ann,3",
        ),
        ("id;name\n1;a,b\n2;c,d\n", ";", ("id", "name"), "1;a,b"),
        ("a\tb\n1\t2\n", "\t", ("a", "b"), "1\t2"),
        ('1,"x,y",3\n4,"z",6\n', ",", None, '1,"x,y",3'),
        ('name,text\na,"two\nlines"\n', ",", ("name", "text"), 'a,"two'),
        ("\na;b\n\n1;2\n", ";", ("a", "b"), "1;2"),
    ],
    ids=[
        "comma",
        "semicolon",
        "tab",
        "no header",
        "quoted line end",
        "empty lines",
    ],
)
def test_columns_of_csv(
    content: str, delimiter: str, names: tuple[str, ...] | None, row: str
) -> None:
    facts = summarize_table(content.splitlines())
    assert facts is not None
    assert (facts.delimiter, facts.names) == (delimiter, names)
    assert facts.sample_row == row


def test_csv_without_columns() -> None:
    assert summarize_table(["hello", "world"]) is None
