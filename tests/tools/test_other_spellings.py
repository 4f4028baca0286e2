"""Texts that are there in another spelling: a search and a replacement say so, and by which characters."""

from pathlib import Path

import pytest
from tests.rows import each_row

from filewright import FilewrightError, Workspace

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


@each_row(("pattern", "count", "said"), ROWS)
def test_a_search_names_another_spelling(tmp_path: Path, pattern: str, count: int, said: str) -> None:
    (tmp_path / "n.md").write_text(TEXT)
    with Workspace(tmp_path) as workspace:
        for path in (".", "n.md"):
            for mode in ("literal", "regex"):
                found = workspace.search(pattern, path=path, mode=mode)
                assert len(found.results) == count
                assert ("in another spelling" in found.text) is bool(said)
                assert said in found.text


def test_a_replacement_names_another_spelling(root: Path, workspace: Workspace) -> None:
    (root / "n.md").write_text(TEXT)
    with pytest.raises(FilewrightError, match="no_match") as caught:
        workspace.replace("zerowidth", "x", path="n.md")
    assert "ZERO WIDTH SPACE (U+200B)" in (caught.value.hint or "")
    made = workspace.replace("Café", "Bar", preview=False)
    assert made.count == 1
    assert any("COMBINING ACUTE ACCENT (U+0301)" in note for note in made.notes)
    assert (root / "n.md").read_text() == TEXT.replace("Café", "Bar")


def test_a_legacy_file_says_so_too(root: Path, workspace: Workspace) -> None:
    (root / "l.py").write_bytes("# coding: latin-1\nx = 'foo\u00a0bar é'\n".encode("latin-1"))
    found = workspace.search("foo bar")
    assert not found.results
    assert "NO-BREAK SPACE (U+00A0)" in found.text
