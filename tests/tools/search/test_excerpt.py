"""Excerpts of hits: context, definitions, long lines, and the work spent on them."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from tests.samples import one_in

from filewright import Workspace


@pytest.mark.parametrize(
    ("hits", "lines"),
    [
        pytest.param(1, 2, id="one"),
        pytest.param(5, 2, id="few"),
        pytest.param(6, 0, id="many"),
    ],
)
def test_context_of_few_hits(
    root: Path, workspace: Workspace, hits: int, lines: int
) -> None:
    (root / "f.txt").write_text(
        "".join(
            f"{'hit' if n % 10 == 5 and n < 10 * hits else 'x'} {n}\n"
            for n in range(100)
        )
    )
    for path in (".", "f.txt"):
        text = workspace.call(
            "search_content", {"pattern": "hit", "path": path}
        ).text
        assert text.count("- x") == 2 * lines * hits
        assert (
            f"{hits} matching line{'s' if hits > 1 else ''} in 1 file, all shown"
            in text
        )
        asked = workspace.call(
            "search_content", {"pattern": "hit", "path": path, "context": 1}
        )
        assert asked.text.count("- x") == 2 * hits


@pytest.mark.parametrize(
    "name", ["app.log", "app.log.1", "rows.csv", "rows.tsv", "orders.jsonl"]
)
def test_context_in_records(
    root: Path, workspace: Workspace, name: str
) -> None:
    (root / name).write_text(
        "one\ntwo\nhit failed\n  at place 7\n\tat place 8\nthree\n"
    )
    found = workspace.call("search_content", {"pattern": "hit"}).text
    assert found.splitlines()[1:-1] == [
        "3: hit failed",
        "4-   at place 7",
        "5- \tat place 8",
    ]
    asked = workspace.call(
        "search_content", {"pattern": "hit", "context": 1}
    ).text
    assert asked.splitlines()[1:-1] == [
        "2- two",
        "3: hit failed",
        "4-   at place 7",
    ]


def test_names_definition_once(root: Path, workspace: Workspace) -> None:
    (root / "a.py").write_text(
        "class Cart:\n    def total(self):\n        hit = 1\n        return hit\n\n    def hit(self):\n        pass\n"
    )
    rows = workspace.call(
        "search_content", {"pattern": "hit", "context": 0}
    ).text.splitlines()
    assert rows[1:4] == [
        "3:         hit = 1   [Cart.total]",
        "4:         return hit",
        "6:     def hit(self):   [Cart]",
    ]


def test_shows_short_definition(root: Path, workspace: Workspace) -> None:
    rows = "".join(f"    row{n}()\n" for n in range(9))
    (root / "a.py").write_text(
        f"def short():\n{rows}    return 1\n\n\ndef long():\n{rows}{rows}\n"
    )
    text = workspace.search("def short").text
    assert "\n11-     return 1\n[1 matching" in text
    assert "14-" not in text
    (hit,) = workspace.search("def long").results
    assert hit.context_after == ("    row0()", "    row1()")
    (hit,) = workspace.search("def short", context=1).results
    assert len(hit.context_after) == 1
    many = "".join(f"def needle{n}():\n    return {n}\n\n\n" for n in range(9))
    (root / "b.py").write_text(many)
    assert "return" not in workspace.search("def needle").text


def test_long_lines(root: Path, workspace: Workspace) -> None:
    (root / "a.jsonl").write_text(
        "".join(
            f'{{"id": {n}, "text": "{"x" * 120}"}}\n' for n in range(100, 110)
        )
    )
    found = workspace.call("search_content", {"pattern": '"id": 105'}).text
    assert "105" in found
    assert "104" not in found
    assert (
        "104"
        in workspace.call(
            "search_content", {"pattern": '"id": 105', "context": 1}
        ).text
    )
    (root / "min.js").write_text(
        "".join(f"{'y' * 600}hit{n}" for n in range(8))
    )
    rows = workspace.call(
        "search_content", {"pattern": "hit", "path": "min.js"}
    ).text.splitlines()
    assert all(
        len(row) < 140 for row in rows[1:9]
    )  # 60 characters on either side, or 30 of the same line again
    assert all(f"hit{n}" in row for n, row in enumerate(rows[1:9]))


def test_cuts_lines_of_many_hits(root: Path, workspace: Workspace) -> None:
    (root / "a.txt").write_text(
        "".join(f"hit{n} {'x' * (190 + 10 * n)}\n" for n in range(10))
    )
    found = workspace.search("hit")
    assert [
        len(row) > 230 or "…" in row for row in found.text.splitlines()[5:11]
    ] == [True] * 6
    assert [hit.truncated for hit in found.results] == [False] * 5 + [True] * 5
    assert not any(
        hit.truncated for hit in workspace.search("hit", context=0).results
    )


def test_parses_same_files_under_load(root, workspace):
    for number in range(100):
        (root / f"f{number:03}.py").write_text(
            f"def f{number}():\n    needle = {number}\n"
        )
    found = workspace.search("needle", max_results=100, context=0).results
    assert len(found) == 100
    assert [hit.symbol for hit in found[:64]] == [
        f"f{number}" for number in range(64)
    ]
    assert {hit.symbol for hit in found[64:]} == {None}


def test_shows_whole_match(root, workspace):
    pattern = r'"at": "\S+", "took": \d+'
    for number in range(12):
        end = f'"text": "{"x" * 120}", "took": {number}'
        (root / f"{number:02}.jsonl").write_text(
            f'{{"{"k" * 300}": 1, "at": "10:00", "took": {number}, {end}}}\n'
        )
        (root / f"{number:02}.log").write_text(
            f'{"y" * 300} "at": "{"z" * 200 * (number + 1)}", "took": {number}7 end\n'
        )
    found = workspace.search(pattern, mode="regex")
    assert found.complete
    rows = found.text.splitlines()
    for number in range(12):
        assert any(f'"at": "10:00", "took": {number}' in row for row in rows)
        assert any(f'"took": {number}7' in row for row in rows)
    texts = [row.partition("   [match of")[0] for row in rows]
    assert max(map(len, texts)) < workspace.settings.match_chars + 60


@pytest.mark.parametrize(
    ("column", "count", "path"),
    one_in(3, [*itertools.product([0, 500, 100_000], [1, 30], [".", "f"])]),
)
def test_rows_of_long_matches(root, workspace, column, count, path):
    short, long = f"<{'m' * 298}>", f"<{'m' * 1_998}>"
    line = "a " * (column // 2) + "{}" + " b" * 400 + "\n"
    for match in (short, long):
        (root / "f").write_text(line.format(match) * count)
        found = workspace.search("<m+>", mode="regex", path=path)
        rows = [row for row in found.text.splitlines() if "<m" in row]
        assert len(rows) == len(found.results)
        note = f"match of 2,000 characters, cut; read it with line=1, column={column + 1}]"
        assert (short in rows[0]) == (match == short)
        assert rows[0].endswith(note) == (match == long)
    assert "m>" in rows[0]
    (hit, *_) = found.results
    read = workspace.read(
        "f", line=hit.line, column=hit.column, max_chars=2_000
    )
    assert read.content == long


def test_long_inverted_line(root, workspace):
    (root / "f").write_text("x" * 2_000 + "\nhit\n")
    found = workspace.search("hit", invert=True)
    assert "[line of 2,000 characters, cut; read it with line=1" in found.text


def test_long_line_of_multiline_match(root, workspace):
    (root / "f").write_text("<" + "x" * 2_000 + "\nx>\n")
    found = workspace.search("<[^>]*>", mode="regex", multiline=True)
    assert "[match of 2,004 characters, cut; read it with" in found.text


def test_names_enclosing_definition(root, workspace):
    (root / "a").mkdir()
    (root / "a/f00.py").write_text(
        "class C0:\n    def m(self):\n        needle = 0\n        return needle\n"
    )
    result = workspace.search("return needle", path="a/f00.py")
    assert result.data["results"][0]["symbol"] == "C0.m"


def test_context_lines_once(root, workspace):
    (root / "f").write_text(
        "".join(
            f"line {n}{' hit' if n in (3, 5, 20) else ''}\n"
            for n in range(1, 31)
        )
    )
    text = workspace.search("hit", path="f", context=2).text
    assert text.splitlines() == [
        "f", "1- line 1", "2- line 2", "3: line 3 hit", "4- line 4", "5: line 5 hit", "6- line 6", "7- line 7",
        "--", "18- line 18", "19- line 19", "20: line 20 hit", "21- line 21", "22- line 22",
        "[3 matching lines in 1 file, all shown]",
    ]  # fmt: skip


def test_hit_deep_in_line(root, workspace):
    (root / "f").write_text(
        "short\n" + "x" * 50_000 + "NEEDLE" + "y" * 50_000 + "\n"
    )
    result = workspace.search("NEEDLE", path="f")
    hit = result.data["results"][0]
    assert "NEEDLE" in hit["text"]
    assert hit["column"] == 50_001
    assert hit["truncated"]
    start, end = hit["submatches"][0]
    assert hit["text"][start:end] == "NEEDLE"
    assert len(result.text) < 2_000


def test_huge_line(root, workspace):
    (root / "f").write_bytes(b"ab " * 10_000_000)
    result = workspace.search("ab", path="f", max_results=5)
    assert len(result.text) < 10_000
