"""What git's own patches do, checked against what git makes of them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, event, given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.boundary.names import unquote
from filewright.edit.patch.reader import parse_patch
from filewright.errors import Code, FilewrightError

pytestmark = pytest.mark.skipif(
    shutil.which("git") is None, reason="git is not installed"
)

ENV = {
    "PATH": os.environ.get("PATH", ""),
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@example.org",
    "LC_ALL": "C",
}
Files = dict[str, tuple[bytes, bool]]

LINES = st.one_of(
    st.sampled_from(
        [
            b"",
            b"}",
            b"    return x",
            b"import os",
            b"\tif (a) {",
            b"-- a/x",
            b"++ b/y",
            b"@@ -1 +1 @@",
            b" ",
        ]
    ),
    st.integers(0, 40).map(lambda n: b"line %d" % n),
    st.sampled_from(["größe", "日本", "a\u2028b", "\x0c"]).map(str.encode),
)
ENDS = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"\r\n", None])
NAMES = st.sampled_from(
    [
        "a.py",
        "b.txt",
        "dir/c.py",
        "with space",
        "ümlaut",
        'quo"te',
        "tab\there",
        "b/b",
        "x",
    ]
)


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    lines = draw(st.lists(LINES, max_size=30))
    end = draw(ENDS)
    ends = [
        end if end else draw(st.sampled_from([b"\n", b"\r\n"])) for _ in lines
    ]
    if lines and draw(st.booleans()):
        ends[-1] = draw(st.sampled_from([ends[-1], b""]))
    return b"".join(line + mark for line, mark in zip(lines, ends, strict=True))


@st.composite
def edited(draw: st.DrawFn, content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    usual = (
        b"\r\n" if content.count(b"\r\n") * 2 > content.count(b"\n") else b"\n"
    )
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines)))
        gone = draw(st.integers(0, 3))
        fresh = [line + usual for line in draw(st.lists(LINES, max_size=3))]
        lines[at : at + gone] = fresh
    result = b"".join(
        line
        if line.endswith(b"\n") or index == len(lines) - 1
        else line + usual
        for index, line in enumerate(lines)
    )
    if draw(st.integers(0, 5)) == 0:
        result = result.rstrip(b"\r\n")
    return result


@st.composite
def changes(draw: st.DrawFn) -> tuple[Files, Files]:
    before: Files = {}
    for name in draw(st.lists(NAMES, min_size=1, max_size=4, unique=True)):
        if not any(
            name.startswith(f"{other}/") or other.startswith(f"{name}/")
            for other in before
        ):
            before[name] = (draw(contents()), draw(st.booleans()))
    after: Files = dict(before)
    for name in list(before):
        content, executable = before[name]
        kind = draw(
            st.sampled_from(
                [
                    "edit",
                    "edit",
                    "edit",
                    "mode",
                    "delete",
                    "rename",
                    "copy",
                    "keep",
                ]
            )
        )
        if kind == "edit":
            after[name] = (draw(edited(content)), executable)
        elif kind == "mode":
            after[name] = (
                draw(st.one_of(st.just(content), edited(content))),
                not executable,
            )
        elif kind == "delete":
            del after[name]
        elif kind in ("rename", "copy"):
            target = draw(
                st.sampled_from(["new.py", "moved/to here", "n/é"])
            ) + str(len(after))
            after[target] = (
                draw(st.one_of(st.just(content), edited(content))),
                executable,
            )
            if kind == "rename":
                del after[name]
            else:
                after[name] = (draw(edited(content)), executable)
    if draw(st.booleans()):
        after["created.txt"] = (draw(contents()), draw(st.booleans()))
    return before, after


def git(
    folder: Path, *arguments: str, text: bytes | None = None, check: bool = True
) -> bytes:
    done = subprocess.run(
        ["git", "-c", "core.autocrlf=false", "-c", "core.safecrlf=false", *arguments],
        cwd=folder, env=ENV, input=text, capture_output=True, check=check,
    )  # fmt: skip
    return done.stdout if done.returncode == 0 else b"\0failed"


def write(folder: Path, files: Files) -> None:
    for entry in folder.iterdir():
        if entry.name != ".git":
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    for name, (content, executable) in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o755 if executable else 0o644)


def read(folder: Path) -> Files:
    return {
        str(path.relative_to(folder)): (
            path.read_bytes(),
            bool(path.stat().st_mode & 0o100),
        )
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


def difference(
    folder: Path, before: Files, after: Files, options: list[str]
) -> bytes:
    trees = []
    for files in (before, after):
        write(folder, files)
        git(folder, "add", "-A", "-f")
        trees.append(git(folder, "write-tree").decode().strip())
    return git(folder, "diff", *options, *trees)


OPTIONS = st.lists(
    st.sampled_from(
        [
            "-M",
            "-C",
            "-U1",
            "-U5",
            "--no-prefix",
            "--full-index",
            "-p",
            "--patience",
        ]
    ),
    unique=True,
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    git(folder, "init", "-q")
    return folder


def ours(
    tree: Callable[..., object], files: Files, patch: str, held: bool = True
) -> Files:
    made = tree(
        {name: content for name, (content, _) in files.items()},
        {
            name: 0o755 if executable else 0o644
            for name, (_, executable) in files.items()
        },
        held,
    )
    result = made.patched(patch)  # type: ignore[attr-defined]
    return {
        name: (content, bool(made.modes.get(name, 0o644) & 0o100))
        for name, content in result.items()
    }  # type: ignore[attr-defined]


@given(pair=changes(), options=OPTIONS, held=st.booleans())
@examples(13, derandomize=True)
def test_applies_patch_of_git(
    repository: Path,
    tree: Callable[..., object],
    pair: tuple[Files, Files],
    options: list[str],
    held: bool,
) -> None:
    before, after = pair
    patch = difference(repository, before, after, options)
    assume(patch)
    made = ours(tree, before, patch.decode(), held)
    parts = parse_patch(patch.decode()).files
    spelled = {
        unquote(part.new_path).decode()
        for part in parts
        if part.new_path
        and any(b"\r" in end for hunk in part.hunks for end in hunk.lines.ends)
    }
    for name in after:
        got, wanted = made[name][0], after[name][0]
        if got != wanted and name not in spelled:
            # Hunks without any carriage return say nothing about terminators, so new lines take
            # the file's usual ones, where git writes what the patch has.
            event(
                "a patch that spells no terminators, for a file that mixes them"
            )
            assert got.splitlines() == wanted.splitlines()
            made[name] = after[name]
    assert made == after


@st.composite
def drifts(draw: st.DrawFn) -> tuple[bytes, bytes, bytes]:
    """A file, the file edited, and the file as somebody else has changed it meanwhile."""
    lines = [
        line + b"\n" for line in draw(st.lists(LINES, min_size=6, max_size=40))
    ]
    after = list(lines)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(after)))
        after[at : at + draw(st.integers(0, 2))] = [
            line + b"\n"
            for line in draw(st.lists(LINES, min_size=1, max_size=2))
        ]
    moved = list(lines)
    at = draw(st.integers(0, len(lines) // 3))
    moved[at:at] = [
        line + b"\n" for line in draw(st.lists(LINES, min_size=1, max_size=8))
    ]
    return b"".join(lines), b"".join(after), b"".join(moved)


@given(texts=drifts())
@examples(
    20, derandomize=True, suppress_health_check=[HealthCheck.filter_too_much]
)
def test_later_file_like_git(
    repository: Path,
    tree: Callable[..., object],
    texts: tuple[bytes, bytes, bytes],
) -> None:
    before, after, drifted = ({"f": (text, False)} for text in texts)
    patch = difference(repository, before, after, [])
    assume(patch)
    write(repository, drifted)
    applied = git(repository, "apply", "-", text=patch, check=False)
    assume(applied != b"\0failed")
    expected = read(repository)
    try:
        made = ours(tree, drifted, patch.decode())
    except FilewrightError as error:
        why = error.details.get("reason")
        event(f"refused: {why}")
        if error.code is not Code.PATCH_FAILED or why not in (
            "ambiguous_match",
            "order",
            "already_applied",
        ):
            raise
    else:
        event("applied")
        assert made == expected
