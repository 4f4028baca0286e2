"""The lines above hunks: git's lines, and names with quotes, prefixes and times."""

from __future__ import annotations

import pytest

from filewright.edit.patch.header import (
    GitHeader,
    NamePair,
    has_epoch,
    has_two_prefixes,
    parse_git_line,
    parse_name,
    split_git_names,
    strip_prefixes,
)


@pytest.mark.parametrize(
    ("line", "statements"),
    [
        ("diff --git a/x b/x", {"names": "a/x b/x"}),
        ("new file mode 100755", {"state": "new file", "mode": "100755"}),
        ("rename from a b", {"verb": "rename", "source": "a b"}),
        ("copy to c", {"verb": "copy", "target": "c"}),
        ("rename old a", {"verb": "rename", "source": "a"}),
        ("similarity index 80%", {"similarity": "80"}),
        ("index 12ab..34cd 100644", {"before": "12ab", "after": "34cd"}),
        ("index 0000000..e69de29bb", {}),
        ("dissimilarity index 5%", {}),
    ],
)
def test_git_lines(line: str, statements: dict[str, str]) -> None:
    git_line = parse_git_line(line)
    assert git_line is not None
    assert git_line.statements == statements


@pytest.mark.parametrize("line", ["index x", "new mode 1", "@@", " diff --git"])
def test_other_lines(line: str) -> None:
    assert parse_git_line(line) is None


@pytest.mark.parametrize(
    ("line", "special_file"),
    [
        ("new file mode 120000", "a symbolic link"),
        ("index 1..2 160000", "a submodule"),
        ("deleted file mode 060000", "a special file"),
        ("new mode 100755", None),
        ("index 1..2", None),
    ],
)
def test_special_files(line: str, special_file: str | None) -> None:
    git_line = parse_git_line(line)
    assert git_line is not None
    assert git_line.special_file == special_file


def test_header() -> None:
    assert GitHeader(state="new file", mode="100755").permissions == 0o755
    assert GitHeader(state="deleted file", mode="100644").permissions is None
    assert GitHeader().is_complete
    assert not GitHeader(before="1", after="2").is_complete
    assert not GitHeader(similarity="90").is_complete


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("a/x", b"a/x"),
        ("a/x y.txt\t2026-01-02", b"a/x y.txt"),
        ("x 2026-01-02 03:04:05.000 +0100", b"x"),
        ('"a/\\303\\251\\t"', b"a/\xc3\xa9\t"),
        ('a/"b c"', b"a/b c"),
        ("x\r", b"x"),
        ("", b""),
    ],
)
def test_names(field: str, name: bytes) -> None:
    assert parse_name(field) == name


def test_epoch_marks_missing_file() -> None:
    assert has_epoch("x\t1970-01-01 00:00:00.000000000 +0000")
    assert not has_epoch("x\t2026-01-01 00:00:00")


@pytest.mark.parametrize(
    ("names", "pair", "has_prefixes"),
    [
        ("a/x b/x", NamePair(b"a/x", b"b/x"), True),
        ("a/x y b/x y", NamePair(b"a/x y", b"b/x y"), True),
        ('"a/\\t" "b/\\t"', NamePair(b"a/\t", b"b/\t"), True),
        ("x x", NamePair(b"x", b"x"), False),
        ("a/x a/x", NamePair(b"a/x", b"a/x"), False),
        ("a/long b/x", None, True),
        ("long x", None, False),
        ("", None, None),
    ],
)
def test_two_names(
    names: str, pair: NamePair | None, has_prefixes: bool | None
) -> None:
    assert split_git_names(names) == pair
    assert has_two_prefixes(names, pair) is has_prefixes


@pytest.mark.parametrize(
    ("old", "new", "has_prefixes", "stripped"),
    [
        (b"a/x", b"b/x", None, (b"x", b"x")),
        (b"a/x", b"b/y", None, (b"x", b"y")),
        (b"a/x", b"a/x", None, (b"a/x", b"a/x")),
        (b"a/x", b"a/x", True, (b"x", b"x")),
        (b"a/x", b"x", None, (b"x", b"x")),
        (b"x", b"b/x", None, (b"x", b"x")),
        (b"/dev/null", b"b/x", None, (b"/dev/null", b"x")),
        (b"/dev/null", b"a/x", None, (b"/dev/null", b"a/x")),
        (b"/dev/null", b"b/x", False, (b"/dev/null", b"b/x")),
        (b"i/x", b"/dev/null", True, (b"x", b"/dev/null")),
        (b"src/x", b"src/x", None, (b"src/x", b"src/x")),
    ],
)
def test_strips_prefixes(
    old: bytes,
    new: bytes,
    has_prefixes: bool | None,
    stripped: tuple[bytes, bytes],
) -> None:
    assert strip_prefixes(NamePair(old, new), has_prefixes) == NamePair(
        *stripped
    )
