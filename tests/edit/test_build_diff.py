"""Diffs that are shown: right, bounded, and clear about omitted parts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.edit.build_diff import build_file_diff, find_splices
from filewright.edit.diff import DiffRow, FileDiff
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply_splices, sort_splices

GIT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
}


def between(before: bytes, after: bytes, **options: int) -> FileDiff:
    snapshot = Snapshot(before)
    return build_file_diff(
        FileDiff("f", "f"), snapshot, find_splices(snapshot, after), **options
    )


def body(diff: FileDiff) -> str:
    return diff.text.partition("@@")[1] + diff.text.partition("@@")[2]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (b"", b"", ""),
        (b"a\n", b"a\n", ""),
        (b"a\n", b"b\n", "@@ -1 +1 @@\n-a\n+b\n"),
        (b"", b"b\n", "@@ -0,0 +1 @@\n+b\n"),
        (b"b\n", b"", "@@ -1 +0,0 @@\n-b\n"),
        (b"a\nb", b"a\nc", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"
         "\\ No newline at end of file\n"),
        (b"a", b"a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"),
        (b"a\r\nb\r\n", b"a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"),
        (b"a\r\nb\r\n", b"a\r\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+b\u240a\n"),
        (b"a\nb\nc\n", b"a\nb\r\nc\r\n", "@@ -1,3 +1,3 @@\n a\n-b\n-c\n+b\u240d\u240a\n+c\u240d\u240a\n"),
        (b"a\nb\n", b"a\rb\n", "@@ -1,2 +1,2 @@\n-a\n+a\u240d\n b\n"),
        (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfA\nb\n", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n"),
        (b"\xef\xbb\xbfa\n", b"a\n", "@@ -1 +1 @@\n-\\ufeffa\n+a\n"),
        (b"x\x1b[31m\n", b"y\xe2\x80\xae\n", "@@ -1 +1 @@\n-x\\x1b[31m\n+y\\u202e\n"),
    ],
)  # fmt: skip
def test_hunks(before: bytes, after: bytes, expected: str) -> None:
    assert body(between(before, after)) == expected


def test_decodes_other_encodings() -> None:
    text = "Größe und Länge ändern sich täglich, schöne Grüße aus München\n"
    before = Snapshot(text.encode("cp1252"), encoding="cp1252")
    diff = build_file_diff(FileDiff("f", "f"), before, [Splice(0, 2, b"Ma")])
    assert "-Größe und Länge" in diff.text
    assert "+Maöße" in diff.text


@pytest.mark.parametrize(
    ("names", "modes", "copied", "expected"),
    [
        ((None, "n"), (None, 0o755), False,
         "diff --git a/n b/n\nnew file mode 100755\n"),
        (("n", None), (0o644, None), False,
         "diff --git a/n b/n\ndeleted file mode 100644\n"),
        (("n", None), (0o120000, None), False,
         "diff --git a/n b/n\ndeleted file mode 120000\n"),
        (("m", "n"), (0o644, 0o755), False,
         "diff --git a/m b/n\nold mode 100644\nnew mode 100755\nrename from m\nrename to n\n"),
        (("m", "n"), (None, None), True,
         "diff --git a/m b/n\ncopy from m\ncopy to n\n"),
        (('"t\\tb"', '"t\\tb"'), (0o644, 0o600), False,
         'diff --git "a/t\\tb" "b/t\\tb"\nold mode 100644\nnew mode 100600\n'),
        (("n", "n"), (None, None), False, ""),
    ],
)  # fmt: skip
def test_headers_without_hunks(
    names: tuple[str | None, str | None],
    modes: tuple[int | None, int | None],
    copied: bool,
    expected: str,
) -> None:
    diff = build_file_diff(
        FileDiff(
            *names, mode_before=modes[0], mode_after=modes[1], is_copy=copied
        ),
        Snapshot(b""),
        (),
    )
    assert diff.text == expected


def test_names_binary_content() -> None:
    diff = between(b"\0\1\2", b"\0\1\3")
    assert diff.text.endswith("Binary files a/f and b/f differ\n")


@given(
    lines=st.lists(st.sampled_from([b"a", b"b", b"c", b"d"]), max_size=40),
    ended=st.booleans(),
    cuts=st.lists(
        st.tuples(
            st.integers(0, 80),
            st.integers(0, 9),
            st.sampled_from([b"", b"x", b"\n", b"y\n", b"z\nz"]),
        ),
        max_size=5,
    ),
)
@examples(15, derandomize=True)
def test_git_applies_the_diff(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[bytes],
    ended: bool,
    cuts: list[tuple[int, int, bytes]],
) -> None:
    before = b"\n".join(lines) + (b"\n" if ended and lines else b"")
    splices: list[Splice] = []
    position = 0
    for offset, length, text in sorted(cuts):
        if position <= offset <= len(before):
            splices.append(
                Splice(offset, min(length, len(before) - offset), text)
            )
            position = splices[-1].end + 1
    after = apply_splices(before, sort_splices(splices, len(before)))
    diff = build_file_diff(FileDiff("f", "f"), Snapshot(before), splices)
    if before == after:
        assert diff.text == ""
        return
    folder: Path = tmp_path_factory.mktemp("git")
    (folder / "f").write_bytes(before)
    subprocess.run(
        ["git", "apply", "-"],
        cwd=folder,
        env=GIT,
        input=diff.text.encode(),
        check=True,
    )
    assert (folder / "f").read_bytes() == after


def test_truncates_large_rewrite() -> None:
    before = b"".join(b"line %d\n" % i for i in range(20_000))
    after = b"".join(b"other %d\n" % i for i in range(20_000))
    diff = between(before, after, max_lines=100)
    assert diff.truncated
    assert (
        sum(row.hidden for hunk in diff.hunks for row in hunk.rows)
        == 40_000 - 100
    )
    assert (diff.added, diff.removed) == (20_000, 20_000)
    assert diff.text.count("\n") < 120
    assert "... 19,950 more removed lines not shown" in diff.text
    assert "... 19,950 more added lines not shown" in diff.text


@pytest.mark.parametrize(
    "count", [3_000, pytest.param(30_000, marks=pytest.mark.sweep)]
)
def test_counts_very_many_splices(count: int) -> None:
    before = b"".join(b"line %06d\n" % i for i in range(10 * count))
    splices = [Splice(12 * i, 1, b"L") for i in range(0, 10 * count, 10)]
    diff = build_file_diff(FileDiff("f", "f"), Snapshot(before), splices)
    assert diff.omitted_changes == count - len(diff.hunks)
    assert (diff.added, diff.removed, diff.all_counted) == (
        count,
        count,
        True,
    )
    assert diff.text.endswith(
        f"... {diff.omitted_changes:,} more changes not shown\n"
    )


def test_cuts_long_lines_around_the_difference() -> None:
    before = b"x" * 50_000 + b"A" + b"y" * 50_000 + b"\n"
    after = b"x" * 50_000 + b"B" + b"y" * 50_000 + b"\n"
    diff = between(before, after)
    assert len(diff.text) < 3_000
    assert "xAy" in diff.text
    assert "xBy" in diff.text
    assert "characters]" in diff.text


def test_shows_beginning_of_large_region() -> None:
    before = b"a" * 9_000_000 + b"\n"
    diff = build_file_diff(
        FileDiff("f", "f"), Snapshot(before), [Splice(4_000_000, 1, b"b")]
    )
    assert len(diff.text) < 3_000
    assert "@@ -1 +1 @@" in diff.text


@given(
    lines=st.lists(st.integers(0, 9), min_size=1, max_size=60),
    cuts=st.lists(
        st.tuples(st.integers(0, 60), st.integers(0, 4), st.integers(0, 4)),
        min_size=1,
        max_size=8,
    ),
    budget=st.integers(1, 12),
    whole=st.booleans(),
)
@examples(17, derandomize=True)
def test_windows_show_each_change_once(
    lines: list[int], cuts: list[tuple[int, int, int]], budget: int, whole: bool
) -> None:
    after = list(lines)
    for at, gone, come in cuts:
        after[at : at + gone] = range(100, 100 + come)
    old, new = (
        b"".join(b"%d\n" % number for number in side) for side in (lines, after)
    )
    before = Snapshot(old)
    splices = (
        (Splice(0, len(old), new),) if whole else find_splices(before, new)
    )
    everything = build_file_diff(FileDiff("f", "f"), before, splices)
    windows = [
        build_file_diff(FileDiff("f", "f"), before, splices, max_lines=budget)
    ]
    while (start := windows[-1].next_offset) is not None:
        windows.append(
            build_file_diff(
                FileDiff("f", "f"),
                before,
                splices,
                max_lines=budget,
                start=start,
            )
        )
    for window in windows:
        assert (window.added, window.removed) == (
            everything.added,
            everything.removed,
        )
        assert window.truncated == (
            window.next_offset is not None
            or any(row.hidden for row in rows_of([window]))
        )
    drawn = [
        (row.sign, row.old, row.new)
        for row in rows_of(windows)
        if row.sign != " " and not row.hidden
    ]
    assert len(set(drawn)) == len(drawn)
    hidden = sum(row.hidden for row in rows_of(windows))
    assert len(drawn) + hidden == (everything.added or 0) + (
        everything.removed or 0
    )
    numbers = [
        (row.old, hunk.number)
        for one in windows
        for hunk in one.hunks
        for row in hunk.rows
        if row.old
    ]
    known = {
        row.old: hunk.number
        for hunk in everything.hunks
        for row in hunk.rows
        if row.old
    }
    assert all(known[line] == number for line, number in numbers)
    kept = {
        (row.old, row.new, row.text)
        for row in rows_of(windows)
        if row.sign == " "
    }
    assert kept <= {
        (row.old, row.new, row.text) for row in rows_of([everything])
    }


def rows_of(files: list[FileDiff]) -> list[DiffRow]:
    return [row for file in files for hunk in file.hunks for row in hunk.rows]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_counts_lines_of_large_region(end: bytes) -> None:
    line = b"x" * (9 << 20)
    before = b"a" + end + line + end + b"b" + end + b"c" + end
    at = 1 + len(end)
    splices = [
        Splice(at + 10, 1, b"y"),
        Splice(at + 20, 1, b"y" + end + b"z" + end),
        Splice(at + 30, 2 << 20, b"y"),
        Splice(at + len(line), len(end), b"y"),
    ]
    diff = build_file_diff(FileDiff("f", "f"), Snapshot(before), splices)
    assert (diff.removed, diff.added) == (2, 3)
