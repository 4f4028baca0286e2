"""The one syntax of globs, and that it cannot climb out."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.boundary.walk_model import WalkOptions
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings

FILES = [
    "README.md", "a.py", "b.js", "c.ts", "[x].txt", "{y}.txt", "ä.py", ".hidden.py",
    "src/a.py", "src/b.ts", "src/deep/a.py", "src/deep/er/test_a.py", "docs/index.md", "docs/img/x.png",
]  # fmt: skip

CASES: list[tuple[str | list[str], list[str]]] = [
    ("*.py", [".hidden.py", "a.py", "src/a.py", "src/deep/a.py", "src/deep/er/test_a.py", "ä.py"]),
    ("**/*.py", [".hidden.py", "a.py", "src/a.py", "src/deep/a.py", "src/deep/er/test_a.py", "ä.py"]),
    ("/*.py", [".hidden.py", "a.py", "ä.py"]),
    ("./*.py", [".hidden.py", "a.py", "ä.py"]),
    ("?.py", ["a.py", "src/a.py", "src/deep/a.py", "ä.py"]),
    ("src/*.py", ["src/a.py"]),
    ("src/*", ["src/a.py", "src/b.ts", "src/deep"]),
    ("src/**", ["src/a.py", "src/b.ts", "src/deep", "src/deep/a.py", "src/deep/er", "src/deep/er/test_a.py"]),
    ("src/**/*.py", ["src/a.py", "src/deep/a.py", "src/deep/er/test_a.py"]),
    ("**/deep/*", ["src/deep/a.py", "src/deep/er"]),
    ("**/deep/**", ["src/deep/a.py", "src/deep/er", "src/deep/er/test_a.py"]),
    ("s*/d*/*.py", ["src/deep/a.py"]),
    ("*.{js,ts}", ["b.js", "c.ts", "src/b.ts"]),
    ("{src,docs}/*.{py,md}", ["docs/index.md", "src/a.py"]),
    ("{a,{b,c}}.*", ["a.py", "b.js", "c.ts", "src/a.py", "src/b.ts", "src/deep/a.py"]),
    ("[abc].[!p]*", ["b.js", "c.ts", "src/b.ts"]),
    ("[[:upper:]]*", ["README.md"]),
    ("\\[x\\].txt", ["[x].txt"]),
    ("\\{y\\}.txt", ["{y}.txt"]),
    ("d*/", ["docs", "src/deep"]),
    ("!*.py", ["README.md", "[x].txt", "b.js", "c.ts", "docs", "docs/img", "docs/img/x.png", "docs/index.md",
               "src", "src/b.ts", "src/deep", "src/deep/er", "{y}.txt"]),
    (["*.py", "!src/"], [".hidden.py", "a.py", "ä.py"]),
    (["*.md", "*.png"], ["README.md", "docs/img/x.png", "docs/index.md"]),
    (["*.py", "!**/deep/**"], [".hidden.py", "a.py", "src/a.py", "ä.py"]),
    ("nothing", []),
    ("docs", ["docs"]),
]  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path


def found(tree: Path, glob: str | list[str], below: str = ".") -> list[str]:
    boundary = Boundary([tree], Settings())
    try:
        walk = boundary.walk(
            boundary.locate(below), WalkOptions(glob=glob), task=Task()
        )
        return sorted(entry.path.decode() for entry in walk)
    finally:
        boundary.close()


@pytest.mark.parametrize(("glob", "names"), CASES)
def test_glob_matches(
    tree: Path, glob: str | list[str], names: list[str]
) -> None:
    assert found(tree, glob) == sorted(names)


@pytest.mark.parametrize(
    ("text", "globs"),
    [
        ("*.py, !{test,build}", ["*.py", "!{test,build}"]),
        ("!build,!*.md", ["!build", "!*.md"]),
        ("*.py , ! {test,build}", ["*.py", "!{test,build}"]),
        ("{*.py,!a},  !b", ["{*.py,!a}", "!b"]),
        ("a,b.txt", ["a,b.txt"]),
        (r"a\,!b", [r"a\,!b"]),
    ],
)
def test_exclusions_follow_in_same_text(
    tree: Path, text: str, globs: list[str]
) -> None:
    (tree / "a,b.txt").write_text("")
    (tree / "a,!b").write_text("")
    assert found(tree, text) == found(tree, globs)


@pytest.mark.parametrize(
    ("text", "globs"),
    [
        ("*.js, c.ts", ["*.js", "c.ts"]),
        ("*.js,  /src/*.ts , *.md", ["*.js", "/src/*.ts", "*.md"]),
        ("{b,c}.*, *.md, !docs", ["{b,c}.*", "*.md", "!docs"]),
        ("*.js,c.ts", []),
        ("Roe, a.py", ["Roe, a.py"]),
        ("!Roe, a.py", ["!Roe, a.py"]),
        (r"Roe\, a.py", ["Roe, a.py"]),
        ("docs/Doe, a.py", ["docs/Doe, a.py"]),
        ("Doe, x.py", ["docs/Doe, x.py"]),
    ],
)
def test_globs_follow_in_same_text(
    tree: Path, text: str, globs: list[str]
) -> None:
    for name in ("Roe, a.py", "docs/Doe, a.py", "docs/Doe, x.py"):
        (tree / name).write_text("")
    assert found(tree, text) == (found(tree, globs) if globs else [])


def test_refuses_exclusion_of_two_meanings(tree: Path) -> None:
    with pytest.raises(
        FilewrightError, match="does not say if docs is"
    ) as error:
        found(tree, "!src, docs")
    assert error.value.code is Code.INVALID_INPUT


def test_malformed_exclusion_names_whole_text(tree: Path) -> None:
    with pytest.raises(
        FilewrightError, match=r"the glob \*\.py, ! is malformed"
    ):
        found(tree, "*.py, !")


def test_glob_begins_in_listed_folder(tree: Path) -> None:
    assert found(tree, "deep/*.py", "src") == ["deep/a.py"]


@pytest.mark.parametrize(
    ("glob", "names"),
    [
        ("deep/*.py", ["a.py"]),
        ("src/deep/*.py", ["a.py"]),
        ("src/deep/**/*.py", ["a.py", "er/test_a.py"]),
        ("!deep/*.py", ["er", "er/test_a.py"]),
        ("src/*.py", []),
        ("deep/", []),
        ("[d]eep/*.py", []),
    ],
)
def test_glob_may_repeat_end_of_folder_path(
    tree: Path, glob: str, names: list[str]
) -> None:
    assert found(tree, glob, "src/deep") == names
    (tree / "src/deep/deep").mkdir()
    (tree / "src/deep/src").mkdir()
    assert "a.py" not in found(tree, glob.removeprefix("!"), "src/deep")


@pytest.mark.parametrize(
    "glob",
    [
        "../*",
        "src/../../*",
        "**/..",
        "{..,x}/*",
        "/..",
        "./../x",
        "!../x",
        "..\\*",
        "[.][.]/x",
        "\\.\\./x",
    ],
)
def test_refuses_climbing_glob(tree: Path, glob: str) -> None:
    with pytest.raises(FilewrightError) as caught:
        found(tree / "src", glob)
    assert caught.value.code is Code.PATH_ESCAPE
    assert "climbs out" in caught.value.message


@pytest.mark.parametrize(
    "glob",
    ["/etc/*", "/etc/passwd", "/proc/self/root/*", "~/*", "C:/x/*", "C:\\x"],
)
def test_refuses_absolute_glob(tree: Path, glob: str) -> None:
    with pytest.raises(FilewrightError) as caught:
        found(tree, glob)
    assert caught.value.code is Code.PATH_ESCAPE
    assert f"the glob {glob} is absolute" in caught.value.message
    assert "path" in (caught.value.hint or "")


def test_glob_may_begin_with_slash(tree: Path) -> None:
    assert found(tree, "/src/*.py") == ["src/a.py"]
    assert found(tree, "!/etc/*") == found(tree, [])


@pytest.mark.parametrize("there", [True, False])
def test_absolute_glob_hides_denied_folder(tree: Path, there: bool) -> None:
    (tree / ".agentsignore").write_text("/keys/\n")
    if there:
        (tree / "keys").mkdir()
    with pytest.raises(FilewrightError, match="no entry keys"):
        found(tree, "/keys/*")


@pytest.mark.parametrize(
    "glob",
    [
        "",
        "/",
        "a//x",
        "[a",
        "a{b",
        "{a,b",
        "a\\",
        "x\0y",
        "[[:no:]]",
        "\ud800",
        "/[\0]",
        "/[\ud800]",
    ],
)
def test_refuses_malformed_glob(tree: Path, glob: str) -> None:
    with pytest.raises(FilewrightError) as caught:
        found(tree, glob)
    assert caught.value.code is Code.INVALID_INPUT
    str(caught.value).encode()


def test_bounds_alternatives(tree: Path) -> None:
    with pytest.raises(FilewrightError) as caught:
        found(tree, "{a,b,c,d,e,f,g,h,i,j}" * 6)
    assert caught.value.code is Code.TOO_LARGE


def test_hostile_glob_is_fast(tree: Path) -> None:
    (tree / ("a" * 250)).write_text("")
    assert found(tree, "*a" * 60 + "*b") == []
    assert found(tree, "**/*a" * 30 + "/**/b") == []


ROUTES = [
    "app/[id]/page.tsx", "app/i/page.tsx", "app/d/page.tsx", "blog/[...slug].tsx", "blog/s.tsx", "[lang]/x.md", "l/x.md",
    "app/(group)/[[...rest]]/page.tsx", "deep/app/[id]/page.tsx",
]  # fmt: skip
ROUTE_CASES = [
    ("app/[id]/**", ["app/[id]/page.tsx"]),
    ("app/[id]/page.tsx", ["app/[id]/page.tsx"]),
    ("app/[id]/*.tsx", ["app/[id]/page.tsx"]),
    ("./app/[id]/*", ["app/[id]/page.tsx"]),
    ("/[lang]/*", ["[lang]/x.md"]),
    ("blog/[...slug].tsx", ["blog/[...slug].tsx"]),
    ("app/(group)/[[...rest]]/page.tsx", ["app/(group)/[[...rest]]/page.tsx"]),
    ("app/[di]/*", ["app/d/page.tsx", "app/i/page.tsx"]),
    ("app/[!x]/*", ["app/d/page.tsx", "app/i/page.tsx"]),
    ("app/\\[id\\]/*", ["app/[id]/page.tsx"]),
    (
        "**/[id]/page.tsx",
        [
            "app/[id]/page.tsx",
            "app/d/page.tsx",
            "app/i/page.tsx",
            "deep/app/[id]/page.tsx",
        ],
    ),
    ("{app,blog}/[id]/*", ["app/[id]/page.tsx"]),
]


@pytest.mark.parametrize(("glob", "expected"), ROUTE_CASES)
def test_brackets_of_existing_path(
    tmp_path: Path, glob: str, expected: list[str]
) -> None:
    for name in ROUTES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    files = [
        name for name in found(tmp_path, glob) if (tmp_path / name).is_file()
    ]
    assert files == sorted(expected)
