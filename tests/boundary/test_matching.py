"""The ignore rules agree with git, name by name, on generated trees."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.boundary.boundary import Boundary
from filewright.boundary.walk_model import WalkOptions
from filewright.progress import Task
from filewright.settings import Settings

NAMES = [
    "a",
    "b",
    "ab",
    "x",
    "foo",
    "a.b",
    ".b",
    "ba",
    "a b",
    "*",
    "!a",
    "#x",
    "]",
    "-",
    "é",
    "xa ",
    "a\\b",
    "Foo",
]
ATOMS = [
    "a", "b", "ab", "x", "foo", ".b", "a.b", "é", "*", "**", "?", "/", "/", "**/", "/**", "/**/", "*.b", "a*",
    "[ab]", "[!a]", "[^b]", "[a-", "-", "]", "[]a]", "[a\\]]", "[[:alpha:]]", "[[:no:]]", "[a/b]", "[ab",
    "\\*", "\\a", "\\", "\\ ", " ", "!", "#", "\t",
]  # fmt: skip

line = st.builds(
    lambda negated, atoms, end: negated + "".join(atoms) + end,
    st.sampled_from(["", "", "", "!"]),
    st.lists(st.sampled_from(ATOMS), min_size=1, max_size=5),
    st.sampled_from(["", "", "", "/", "\r", " ", "\\ ", "/ "]),
)
rules = st.lists(line, max_size=8).map("\n".join)
path = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4)
tree = st.lists(st.tuples(path, st.booleans()), min_size=5, max_size=40)


@pytest.fixture(scope="module")
def git_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("home")
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
    }


def make(folder: Path, names: list[tuple[list[str], bool]]) -> None:
    for parts, is_folder in names:
        target = folder.joinpath(*parts)
        try:
            (target if is_folder else target.parent).mkdir(
                parents=True, exist_ok=True
            )
            if not is_folder:
                target.touch(exist_ok=False)
        except (FileExistsError, NotADirectoryError):
            continue  # Two of the names drawn are in each other's way.


def ignored_by_git(folder: Path, environment: dict[str, str]) -> set[bytes]:
    every = [
        os.path.relpath(
            os.path.join(os.fsencode(above), name), os.fsencode(folder)
        )
        for above, folders, files in os.walk(os.fsencode(folder))
        for name in [*folders, *files]
    ]
    every = [name for name in every if name.split(b"/")[0] != b".git"]
    said = subprocess.run(
        ["git", "-C", folder, "check-ignore", "--no-index", "-z", "--stdin"],
        input=b"\0".join(every),
        capture_output=True,
        env=environment,
        check=False,
    )
    assert said.returncode in (0, 1), said.stderr
    return set(every) - set(said.stdout.split(b"\0"))


def kept_by_us(
    folder: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> set[bytes]:
    with monkeypatch.context() as patch:
        patch.setattr(os, "environ", environment)
        boundary = Boundary([folder], Settings())
    try:
        return {
            entry.path
            for entry in boundary.walk(boundary.locate("."), task=Task())
        }
    finally:
        boundary.close()


def compare(
    folder: Path, files: dict[str, str], names: list[tuple[list[str], bool]],
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    subprocess.run(["git", "init", "-q", folder], check=True, env=environment)
    make(folder, names)
    for name, content in files.items():
        if (folder / name).parent.is_dir() and not (folder / name).is_dir():
            (folder / name).write_bytes(content.encode())
    assert kept_by_us(folder, environment, monkeypatch) == ignored_by_git(
        folder, environment
    )


@examples(
    25,
    derandomize=True,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
    ],
)
@given(rules, rules, rules, rules, tree)
@example(
    "a**/b\n!ax/x/b", "", "", "", [(["ax", "x", "b"], False), (["ab"], False)]
)
@example(
    "foo\\ \nbar\\\\ ",
    "!a",
    "*\n!*/",
    "",
    [(["foo "], False), (["a", "a"], False)],
)
def test_walk_ignores_as_git_does(
    tmp_path_factory: pytest.TempPathFactory,
    git_environment: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    top: str,
    below: str,
    exclude: str,
    everywhere: str,
    names: list[tuple[list[str], bool]],
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    home = Path(git_environment["HOME"])
    (home / ".config" / "git").mkdir(parents=True, exist_ok=True)
    (home / ".config" / "git" / "ignore").write_bytes(everywhere.encode())
    files = {
        ".gitignore": top,
        "a/.gitignore": below,
        "foo/ab/.gitignore": below,
        ".git/info/exclude": exclude,
    }
    compare(folder, files, names, git_environment, monkeypatch)


SPECIAL: dict[str, tuple[dict[str, bytes], set[str]]] = {
    "a byte-order mark": (
        {".gitignore": b"\xef\xbb\xbfa\n", "a": b"", "b": b""},
        {".gitignore", "b"},
    ),
    "CRLF": (
        {".gitignore": b"a\r\nb\r\n", "a": b"", "b": b"", "c": b""},
        {".gitignore", "c"},
    ),
    "an .ignore file is stronger": (
        {
            ".gitignore": b"a\nb\n",
            ".ignore": b"!a\nc\n",
            "a": b"",
            "b": b"",
            "c": b"",
        },
        {".gitignore", ".ignore", "a"},
    ),
    "an .ignore file above is stronger than a .gitignore below": (
        {".ignore": b"x\n", "d/.gitignore": b"!x\n", "d/x": b""},
        {".ignore", "d", "d/.gitignore"},
    ),
    "an ignored folder cannot be opened again from below": (
        {".gitignore": b"d/\n!d/keep\n", "d/keep": b""},
        {".gitignore"},
    ),
    "what is tracked stays ignored": (
        {".gitignore": b"a\n", "a": b""},
        {".gitignore"},
    ),
    "invalid UTF-8": (
        {".gitignore": b"\xff*\n", "a": b""},
        {".gitignore", "a"},
    ),
}


@pytest.mark.parametrize("case", SPECIAL)
def test_particular_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    files, kept = SPECIAL[case]
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    found = kept_by_us(
        tmp_path,
        {"HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"},
        monkeypatch,
    )
    assert found == {name.encode() for name in kept}


def test_rules_do_not_escape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "outside").write_text("a\n")
    root = tmp_path / "root"
    for name in ("link", "fifo", "folder", "large"):
        (root / name).mkdir(parents=True)
        (root / name / "a").write_text("")
    (root / "link" / ".gitignore").symlink_to("../../outside")
    os.mkfifo(root / "fifo" / ".gitignore")
    (root / "folder" / ".gitignore").mkdir()
    with open(root / "large" / ".gitignore", "wb") as file:
        file.truncate(1 << 33)
    found = kept_by_us(
        root, {"HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}, monkeypatch
    )
    assert {b"link/a", b"fifo/a", b"folder/a", b"large/a"} <= found


def test_rules_above_root_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".gitignore").write_text("a\n")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a").write_text("")
    found = kept_by_us(
        tmp_path / "root",
        {"HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"},
        monkeypatch,
    )
    assert found == {b"a"}


def test_walk_of_subfolder_uses_rules_above(tmp_path: Path) -> None:
    for name in (
        "p/q/keep.log",
        "p/q/x.log",
        "p/q/only",
        "p/q/r/only",
        "p/q/r/two",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / ".gitignore").write_text("*.log\n/p/q/only\n")
    (tmp_path / "p" / ".gitignore").write_text("!keep.log\nq/r/two\n")
    boundary = Boundary([tmp_path], Settings())
    whole = [
        entry.path for entry in boundary.walk(boundary.locate("."), task=Task())
    ]
    part = [
        entry.path
        for entry in boundary.walk(boundary.locate("p/q"), task=Task())
    ]
    assert part == [b"keep.log", b"r", b"r/only"]
    assert [b"p/q/" + path for path in part] == [
        path for path in whole if path.startswith(b"p/q/")
    ]
    boundary.close()


def test_walks_requested_ignored_folder(tmp_path: Path) -> None:
    (tmp_path / "build" / "x").mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("build/\n")
    boundary = Boundary([tmp_path], Settings())
    assert [
        entry.path
        for entry in boundary.walk(boundary.locate("build"), task=Task())
    ] == [b"x"]
    every = boundary.walk(
        boundary.locate("."), WalkOptions(include_ignored=True), task=Task()
    )
    assert [entry.path for entry in every] == [
        b".gitignore",
        b"build",
        b"build/x",
    ]
    boundary.close()


def test_many_rules_decide_as_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.x7", "start7-a", "n7", "n7-", "b.y", "deep", "k-1-q"):
        (tmp_path / name).write_text("")
    rules = [
        line
        for n in range(4_000)
        for line in (f"*.x{n}", f"start{n}-*", f"n{n}", f"d/*.{n}")
    ]
    (tmp_path / ".gitignore").write_text("\n".join([*rules, "k-?-[a-z]"]))
    found = kept_by_us(
        tmp_path,
        {"HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"},
        monkeypatch,
    )
    assert found == {b".gitignore", b"n7-", b"b.y", b"deep"}


def test_hostile_rule_is_fast(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ("a" * 250)).write_text("")
    (tmp_path / ".gitignore").write_text(
        "*a" * 60 + "b\n" + "x/" + "**/*a" * 30 + "b\n" + "*[ab]" * 50 + "?c\n"
    )
    found = kept_by_us(
        tmp_path,
        {"HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"},
        monkeypatch,
    )
    assert len(found) == 2
