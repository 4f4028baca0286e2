"""Notes of searches and replacements: text and names in another spelling, and which characters differ."""

from __future__ import annotations

import itertools
import unicodedata
from functools import partial
from pathlib import Path

import pytest
from tests.samples import in_part
from tests.tools.conftest import with_time

from filewright import FilewrightError, Workspace
from filewright.tools.search import notes

TEXT = (
    "Cafe\u0301 noir\nCafé blanc\nfoo\u00a0bar\nfoo bar\nＡＢＣ\n한글 a\n\u1112\u1161\u11ab\u1100\u1173\u11af b\n"
    "zero\u200bwidth\nраss\ndon’t\n"
)
ROWS = [
    ("Café", 1, 'n.md:1 has "Cafe\\u0301" (COMBINING ACUTE ACCENT (U+0301))'),
    ("Cafe\u0301", 1, 'n.md:2 has "Caf\\u00e9"'),
    ("foo bar", 1, "NO-BREAK SPACE (U+00A0)"),
    ("ABC", 0, "n.md:5 has"),
    ("한글", 1, "n.md:7 has"),
    ("zerowidth", 0, "ZERO WIDTH SPACE (U+200B)"),
    ("pass", 0, "CYRILLIC SMALL LETTER A (U+0430)"),
    ("don't", 0, "RIGHT SINGLE QUOTATION MARK (U+2019)"),
    ("CAFÉ", 0, ""),
    ("blanc", 1, ""),
    ("nowhere", 0, ""),
]


@pytest.mark.parametrize(("pattern", "count", "said"), ROWS)
@in_part(3)
def test_a_search_names_another_spelling(
    tmp_path: Path, pattern: str, count: int, said: str, share: int
) -> None:
    (tmp_path / "n.md").write_text(TEXT)
    searches = [*itertools.product((".", "n.md"), ("literal", "regex"))]
    with Workspace(tmp_path) as workspace:
        for path, mode in searches[len(pattern) % share :: share]:
            found = with_time(
                partial(workspace.search, pattern, path=path, mode=mode)
            )
            assert len(found.results) == count
            assert ("in another spelling" in found.text) is bool(said)
            assert said in found.text


def test_a_replacement_names_another_spelling(
    root: Path, workspace: Workspace
) -> None:
    (root / "n.md").write_text(TEXT)
    with pytest.raises(FilewrightError, match="no_match") as caught:
        workspace.replace("zerowidth", "x", path="n.md")
    assert "ZERO WIDTH SPACE (U+200B)" in (caught.value.hint or "")
    made = workspace.replace("Café", "Bar", preview=False)
    assert made.count == 1
    assert any("COMBINING ACUTE ACCENT (U+0301)" in note for note in made.notes)
    assert (root / "n.md").read_text() == TEXT.replace("Café", "Bar")


def test_a_legacy_file_says_so_too(root: Path, workspace: Workspace) -> None:
    (root / "l.py").write_bytes(
        "# coding: latin-1\nx = 'foo\u00a0bar é'\n".encode("latin-1")
    )
    found = with_time(lambda: workspace.search("foo bar"))
    assert not found.results
    assert "NO-BREAK SPACE (U+00A0)" in found.text


def test_says_that_the_time_ran_out(
    root: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notes, "SPELLING_SECONDS", -1)
    monkeypatch.setattr(notes, "NAMES_SECONDS", -1)
    (root / "n\u00a0o.py").write_text("foo\u00a0bar\n")
    for call, noun in (
        (lambda: workspace.search("foo bar"), "lines"),
        (lambda: workspace.search("foo bar", path="n\u00a0o.py"), "lines"),
        (lambda: workspace.run("list_files", {"glob": "n o.*"}), "names"),
    ):
        assert f"time ran out before all {noun} were" in call().text


@pytest.mark.parametrize(("text", "noted"), [("foo", False), ("Café", True)])
def test_time_of_texts_that_match(
    root: Path,
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    noted: bool,
) -> None:
    monkeypatch.setattr(notes, "SPELLING_SECONDS", -1)
    (root / "n.md").write_text(TEXT)
    assert ("time ran out" in workspace.search(text).text) is noted


NAMES = ["학점인정_b.md", "résumé.txt"]


@pytest.mark.parametrize(
    ("form", "asked"),
    [("NFC", "NFD"), ("NFD", "NFC"), ("NFD", "NFD"), ("NFC", "NFC")],
)
def test_a_glob_fits_names_in_either_normal_form(
    tmp_path: Path, form: str, asked: str
) -> None:
    for name in NAMES:
        folder = tmp_path / unicodedata.normalize(form, "폴더é")
        folder.mkdir(exist_ok=True)
        (folder / unicodedata.normalize(asked, name)).write_text("old\n")
    with Workspace(tmp_path) as workspace:
        for glob in (
            "**/*학점인정*",
            "폴더é/r*é.txt",
            "{폴더é,b}/résumé.{md,txt}",
        ):
            glob = unicodedata.normalize("NFC", glob)
            assert len(workspace.run("list_files", {"glob": glob}).entries) == 1
            assert workspace.search("old", glob=glob).total == 1
            assert workspace.replace("old", "new", glob=glob).count == 1
            assert workspace.search("old", glob=f"!{glob}").total == 1


@pytest.mark.parametrize(
    ("name", "glob"),
    [
        ("Final\u00a0report.txt", "Final report.txt"),
        ("Final\u00a0report.txt", "**/Final r*"),
        ("ＡＢＣ.txt", "ABC.*"),
        ("don’t.txt", "don't.txt"),
        ("раss.txt", "{pass,word}.txt"),
    ],
)
def test_a_name_that_only_looks_like_the_glob_is_named(
    tmp_path: Path, name: str, glob: str
) -> None:
    (tmp_path / name).write_text("old\n")
    with Workspace(tmp_path) as workspace:
        listed = with_time(lambda: workspace.run("list_files", {"glob": glob}))
        assert not listed.entries
        assert "[names in another spelling: " in listed.text
        assert (
            "names in another spelling: "
            in workspace.search("old", glob=glob).text
        )
        with pytest.raises(FilewrightError, match="no_match") as caught:
            workspace.replace("old", "new", glob=glob)
        assert "names in another spelling: " in (caught.value.hint or "")
        assert (
            "another spelling"
            not in workspace.run("list_files", {"glob": "nowhere*"}).text
        )


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("한글 b", "no exact hit; in another spelling, line 7 has"),
        (
            "zerowidth",
            'line 8 has "zero\\u200bwidth" (ZERO WIDTH SPACE (U+200B))',
        ),
        ("ABC", "line 5 has"),
    ],
)
def test_reading_around_a_pattern_finds_another_spelling(
    tmp_path: Path, pattern: str, said: str
) -> None:
    (tmp_path / "n.md").write_text(TEXT)
    with Workspace(tmp_path) as workspace:
        assert (
            said
            in workspace.call(
                "read_content", {"path": "n.md", "pattern": pattern}
            ).text
        )
        refused = workspace.call(
            "read_content", {"path": "n.md", "pattern": "Café", "occurrence": 2}
        ).text
        assert "in another spelling, line 1 has" in refused


def test_code_in_f_strings_is_said_to_be_left_out(tmp_path: Path) -> None:
    text = 'load(1)\nx = f"{load(2)}"\ny = "load(3)"\nload(4)\n'
    (tmp_path / "a.py").write_text(text)
    said = "1 line with load in an f-string, not matched: a.py:2"
    with Workspace(tmp_path) as workspace:
        assert said in workspace.search("load($X)", mode="code").text
        answer = workspace.replace(
            "load($X)", "read($X)", mode="code", preview=False
        )
        assert said in answer.text
        assert answer.count == 2


@pytest.mark.parametrize(
    ("arguments", "note"),
    [
        ({"pattern": "def .*f\\("}, "mode=regex reads it"),
        ({"pattern": "timeout\\["}, "mode=regex reads it"),
        (
            {"pattern": "f", "glob": "*.rs"},
            "list_files shows the files",
        ),
        ({"pattern": "f", "output": "counts"}, "2 matching lines in 1 file"),
    ],
)
def test_says_what_the_outcome_means(root, workspace, arguments, note):
    (root / "a.py").write_text("def f():\n    f()\n")
    assert note in workspace.call("search_content", arguments).text


def test_whole_words(root, workspace):
    """Of a text that is a part of longer ones too, the whole words are counted."""
    rows = ["id 640117\n"] * 7 + ["id 40117\n"] * 3 + ["id 401170\n"] * 5
    (root / "app.log").write_text("".join(rows))
    for arguments in ({"max_results": 5}, {}, {"output": "kinds"}):
        result = workspace.search("40117", **arguments)
        note = "3 of 15 lines have it as a whole word: whole_word"
        assert note in result.text
    for arguments in (
        {"max_results": 5, "whole_word": True},
        {"pattern": "d 40117"},
        {"pattern": "d", "max_results": 50},
        {"max_results": 2, "pattern": "id"},
    ):
        result = workspace.search(**{"pattern": "40117", **arguments})
        assert "as a whole word" not in result.text
