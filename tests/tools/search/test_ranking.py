"""The lines with the largest or smallest values."""

import pytest
from tests.tools.log_files import search

ROWS = "".join(
    f'{{"n":{number},"ms":{number * 7919 % 1009},"who":"u{number % 3}"}}\n'
    for number in range(300)
)


@pytest.fixture
def rows(workspace, root):
    """Return a workspace with rows of several forms."""
    (root / "r.jsonl").write_text(ROWS + '{"n":300}\n')
    (root / "t.csv").write_text("n,ms\n1,30\n2,100\n3,200\n4,150\n")
    (root / "a.log").write_text("took 30 ms\ntook 200 ms\n")
    (root / "b.log").write_text("took 100 ms\nms=7\nms=9\n")
    return workspace


def shown(result):
    """Return the text of each line that is shown, in its order."""
    return [hit.text for hit in result.results]


@pytest.mark.parametrize(
    ("arguments", "texts", "note"),
    [
        (
            {"path": "r.jsonl", "sort": "-ms", "fields": ["ms"]},
            ["1006", "1005", "1001"],
            "3 of 301 matching lines, the largest ms first; 1 line without ms",
        ),
        (
            {
                "path": "r.jsonl",
                "sort": "ms",
                "where": {"who": "u1"},
                "fields": ["who", "ms"],
            },
            ["u1\t1", "u1\t5", "u1\t9"],
            "3 of 100 matching lines, the smallest ms first",
        ),
        (
            {"path": "t.csv", "sort": "-ms", "fields": ["n", "ms"]},
            ["3\t200", "4\t150", "2\t100"],
            "3 of 4 matching lines, the largest ms first",
        ),
        (
            {
                "glob": "?.log",
                "pattern": r"took (\d+)",
                "mode": "regex",
                "sort": "-$1",
            },
            ["took 200 ms", "took 100 ms", "took 30 ms"],
            "3 of 3 matching lines, the largest $1 first",
        ),
        (
            {"path": "b.log", "sort": "-ms"},
            ["ms=9", "ms=7"],
            "2 of 3 matching lines, the largest ms first; 1 line without ms",
        ),
    ],
    ids=["JSON lines", "where", "table", "groups in files", "pairs"],
)
def test_sort(rows, arguments, texts, note):
    result = search(rows, max_results=3, **arguments)
    assert shown(result) == texts
    assert note in result.text
    assert result.total is None
    assert result.complete


def test_many_results(rows):
    result = search(rows, path="r.jsonl", sort="n", max_results=250)
    assert [hit.line for hit in result.results[:3]] == [1, 2, 3]
    numbers = [hit.line for hit in result.results]
    assert numbers == sorted(numbers)


@pytest.mark.parametrize(
    "arguments",
    [
        {"sort": "10m"},
        {"sort": "-"},
        {"sort": "-$1"},
        {"sort": "n", "by": "n"},
        {"sort": "n", "output": "counts"},
        {"sort": "n", "cursor": "x"},
    ],
    ids=str,
)
def test_refuses(rows, arguments):
    result = search(rows, path="r.jsonl", **arguments)
    assert result.text.startswith("invalid_input: ")


GERMAN_TABLE = "x;Tag;Betrag\n" + "".join(
    f"{row}\n"
    for row in (
        "a;24.05.2025;1.234",
        "b;01.06.2025;215,15",
        "c;31.12.2024;5 kg",
        "d;05/04/2025;99,9",
    )
)


@pytest.mark.parametrize(
    ("sort", "order", "note"),
    [
        (
            "-Betrag",
            "abd",
            "1 line whose Betrag is no certain number or date, such as '5 kg'",
        ),
        (
            "Tag",
            "cab",
            "1 line whose Tag is no certain number or date, such as '05/04/2025'",
        ),
    ],
)
def test_decimal_commas_and_dates(workspace, root, sort, order, note):
    (root / "x.csv").write_text(GERMAN_TABLE)
    arguments = {"path": "x.csv", "where": {}, "sort": sort}
    text = workspace.run("search_content", arguments).text
    lines = text.splitlines()[1:-1]
    assert "".join(line.split()[1][0] for line in lines) == order
    assert note in text


def test_statistics_of_decimal_commas(workspace, root):
    (root / "x.csv").write_text(GERMAN_TABLE)
    arguments = {"path": "x.csv", "where": {}, "by": "x", "fields": ["Betrag"]}
    text = workspace.run("search_content", arguments).text
    assert "max 1,234" in text
    assert "1 entry without a certain number in Betrag, such as '5 kg'" in text
