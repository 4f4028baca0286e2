"""Matches in the long lines of minified files: counted in a tree, shown in the file."""

from __future__ import annotations

import pytest

MINIFIED = "var a=1;" * 200


@pytest.fixture
def minified(root):
    (root / "lib").mkdir()
    for name in ("a.min.js", "b.js"):
        lines = [MINIFIED, MINIFIED, "// var a", ""]
        (root / "lib" / name).write_text("\n".join(lines))
    (root / "one.js").write_text("x" * 2_000 + " a=1;\n")
    (root / "text.md").write_text(MINIFIED + "\n")


def test_counts_in_a_tree(workspace, minified):
    result = workspace.search("a=1", max_results=500)
    row = "[400 matches in lines of more than 1,000 characters]"
    assert result.text.splitlines()[0] == f"lib/{{a.min.js:1,b.js:1}}: {row}"
    assert "a search of the file itself shows its long lines" in result.text
    assert "one.js\n1:2002: " in result.text
    assert "text.md\n1:" in result.text
    assert result.total == 6
    assert len(result.results) > 6
    mixed = workspace.search("var a", path="lib", max_results=500)
    assert "{a.min.js:3" in mixed.text or "3: // var a" in mixed.text


def test_shows_a_named_file(workspace, minified):
    text = workspace.search("a=1", path="lib/b.js", max_results=5).text
    assert "matches in lines" not in text
    assert text.startswith("lib/b.js\n1")


def test_several_patterns(workspace, minified):
    items = [{"pattern": "a=1"}, {"pattern": "var"}]
    text = workspace.search(items=items, path="lib", max_results=500).text
    assert text.count("matches in lines of more than") == 2
