"""Calls about several paths: each has an answer, all within one page."""

from __future__ import annotations

PAGE = 24_000


def test_names_the_next_path(root, workspace):
    paths = [f"f{number:03}.txt" for number in range(300)]
    for path in paths:
        (root / path).write_text(f"{path} has a line\n" * 20)
    first = workspace.call("read_content", {"paths": paths})
    assert len(first.text) <= PAGE + 200
    following = first.text.rsplit("continue with paths from ", 1)[1].rstrip("]")
    shown = first.text.count("; version ")
    assert paths.index(following) == shown > 10


def test_reports_each_failure(odd_files, workspace):
    result = workspace.call(
        "read_content", {"paths": ["a.txt", "gone", "binary", "latin.txt"]}
    )
    assert not result.is_error
    assert "caf\xe9" in result.text
    assert "not_found" in result.text
    assert "is_binary" in result.text
    kinds = [file.get("code") for file in result.data["files"]]
    assert kinds == [None, "not_found", "is_binary", None]
