"""Patches that git applies."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from filewright.edit.git_patch import GitFile, format_file_patch


def git(folder: Path, *words: str, given: bytes = b"") -> None:
    done = subprocess.run(
        ["git", *words], cwd=folder, input=given, capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()


LINES = b"".join(b"%d\n" % number for number in range(100))
CASES = {
    "text": (LINES, LINES.replace(b"\n50\n", b"\nfifty\n50.5\n")),
    "far apart": (LINES, LINES.replace(b"3\n", b"three\n")),
    "created": (None, b"new\n"),
    "created empty": (None, b""),
    "deleted": (b"old\nlines\n", None),
    "no end before": (b"a\nb", b"a\nb\n"),
    "no end after": (b"a\nb\n", b"a\nb"),
    "no end at all": (b"a\nb", b"a\nc"),
    "emptied": (b"a\nb\n", b""),
    "filled": (b"", b"a\nb"),
    "latin-1": ("für\nä\n".encode("latin-1"), "für\nö\n".encode("latin-1")),
    "crlf": (b"a\r\nb\r\n", b"a\r\nc\r\n"),
    "cr": (b"a\rb\rc\r\n", b"a\rx\rc\r\n"),
    "other ends": (b"a\r\nb\r\n", b"a\nb\n"),
    "separators": (b"a\x0b\x0c\x1c\x85b\nc\n", b"a\x0b\x0c\x1c\x85x\nc\n"),
    "binary": (bytes(range(256)) * 9, bytes(range(255, -1, -1)) * 7),
    "created binary": (None, b"\0\1"),
    "deleted binary": (b"\0" * 100, None),
    "text to binary": (b"text\n", b"\0"),
    "looks like a patch": (b"a\n", b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n"),
}
NAMES = [
    b"plain.txt",
    b"dir/with space/a b.txt",
    "grüße/ä.txt".encode(),
    b'quo"te\\.txt',
    b"tab\tnl\n.txt",
    b"bad\xff\xfe.txt",
    b" -p",
]


def check(
    folder: Path,
    before: GitFile | None,
    after: GitFile | None,
) -> None:
    """Apply the patch of a file, and reverse it, in a repository with the file."""
    git(folder, "init", "-q")
    git(folder, "config", "core.autocrlf", "false")

    def path(file: GitFile) -> Path:
        place = folder / Path(file.name.decode("utf-8", "surrogateescape"))
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    if before is not None:
        path(before).write_bytes(before.content)
        path(before).chmod(before.mode)
    patch = format_file_patch(before, after)
    git(folder, "apply", "--check", given=patch)
    git(folder, "apply", "--whitespace=nowarn", given=patch)
    if after is not None:
        assert path(after).read_bytes() == after.content
        assert path(after).stat().st_mode & 0o777 == after.mode
    if before is not None and (after is None or after.name != before.name):
        assert not path(before).exists()
    git(folder, "apply", "-R", "--whitespace=nowarn", given=patch)
    if before is not None:
        assert path(before).read_bytes() == before.content


@pytest.mark.parametrize("case", CASES)
def test_contents(tmp_path: Path, case: str) -> None:
    before, after = CASES[case]
    check(
        tmp_path,
        None if before is None else GitFile(b"a.txt", 0o644, before),
        None if after is None else GitFile(b"a.txt", 0o644, after),
    )


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_names(tmp_path: Path, name: bytes) -> None:
    old = GitFile(name, 0o644, b"a\n")
    check(tmp_path, old, GitFile(name, 0o644, b"b\n"))


@pytest.mark.parametrize(
    ("name", "mode", "content"),
    [
        (b"b c.txt", 0o644, b"a\nb\nc\n"),
        (b"b.txt", 0o644, b"a\nx\nc\n"),
        (b"a.txt", 0o755, b"a\nb\nc\n"),
        (b"b.txt", 0o755, b"a\nx\nc\n"),
        (b"b.txt", 0o644, b"a\0"),
    ],
    ids=["moved", "moved and edited", "mode", "all", "moved binary"],
)
def test_moves_and_modes(
    tmp_path: Path, name: bytes, mode: int, content: bytes
) -> None:
    old = GitFile(b"a.txt", 0o644, b"a\nb\nc\n")
    check(tmp_path, old, GitFile(name, mode, content))


def test_links(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a").symlink_to("old")
    old = GitFile(b"a", 0o120000, b"old")
    patch = format_file_patch(old, GitFile(b"a", 0o120000, b"new"))
    git(tmp_path, "apply", given=patch)
    assert (tmp_path / "a").readlink() == Path("new")
    file = GitFile(b"a", 0o644, b"text\n")
    link = GitFile(b"a", 0o120000, b"new")
    git(tmp_path, "apply", given=format_file_patch(link, file))
    assert (tmp_path / "a").read_text() == "text\n"


def test_nothing_differs() -> None:
    file = GitFile(b"a", 0o644, b"a\n")
    assert format_file_patch(file, file) == b""
    assert format_file_patch(None, None) == b""
