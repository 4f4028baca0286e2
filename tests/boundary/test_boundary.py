"""`locate` returns a location below a root, or an error that says what to do."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.errors import Code, FilewrightError
from filewright.settings import Settings
from filewright.system import name_problem

TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6).map(
    str.encode
)
NOT_ON_WINDOWS = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no such name"
)

INSIDE = [
    ("file", "file"),
    ("./file", "file"),
    ("sub//file", "sub/file"),
    ("sub/", "sub"),
    ("sub/.", "sub"),
    (".", "."),
    ("", "."),
    ("./", "."),
    ("sub/../file", "file"),
    ("sub/..", "."),
    ("sub/below/../../file", "file"),
    ("in-folder/../file", "file"),
    ("in-folder/below/../file", "sub/file"),
    ("sub/../not/there", "not/there"),
    ('"sub/\\146ile"', "sub/file"),
    ("{root}", "."),
    ("{root}/", "."),
    ("{root}/sub/file", "sub/file"),
    ("{root}//sub/./file", "sub/file"),
    ("{root}/sub/../file", "file"),
    ("%2e%2e/rooted/secret", "%2e%2e/rooted/secret"),
    ("\uff0e\uff0e/rooted", "\uff0e\uff0e/rooted"),
    ("..\\rooted\\secret", "..\\rooted\\secret"),
    ("./~", "./~"),
    ("./~root/x", "./~root/x"),
    ("./file:x", "./file:x"),
    ("...", "..."),
    ("not/there", "not/there"),
    ("out-folder/secret", "out-folder/secret"),
]

OUTSIDE = [
    "..",
    "../",
    "../rooted/secret",
    "../rooted",
    "sub/../../rooted/secret",
    "in-folder/../../rooted/secret",
    "not/there/../../../rooted",
    "out-folder/../rooted/secret",
    "out-root/rooted/secret",
    "/",
    "/etc/passwd",
    "{root}ed/secret",
    "{root}/../rooted/secret",
    "{root}/sub/../../rooted/secret",
    "{upper}/file",
    "//etc/passwd",
    "~",
    "~/x",
    "~root/x",
    "~nobody",
    '"/etc/passwd"',
    '"\\057etc/passwd"',
    '"\\056\\056/rooted/secret"',
    "/proc/self/root/etc/passwd",
    "/proc/self/cwd",
]


def fill(text: str, root: Path) -> str:
    return text.replace("{root}", str(root)).replace(
        "{upper}", str(root).upper()
    )


@pytest.mark.parametrize(("requested", "shown"), INSIDE)
def test_locates_path_and_its_display_path(
    standing_boundary: Boundary, standing_root: Path, requested: str, shown: str
) -> None:
    location = standing_boundary.locate(fill(requested, standing_root))
    assert location.display_path == shown
    assert standing_boundary.locate(location.display_path) == location
    assert b".." not in location.parts


@pytest.mark.parametrize("requested", OUTSIDE)
def test_refuses_path_outside(
    standing_boundary: Boundary, standing_root: Path, requested: str
) -> None:
    requested = fill(requested, standing_root)
    with pytest.raises(FilewrightError) as caught:
        os.close(
            standing_boundary.open_file(standing_boundary.locate(requested))
        )
    error = caught.value
    assert error.code is Code.PATH_ESCAPE
    assert error.details["path"] == requested
    assert error.details["root"] == str(standing_root)
    assert error.details["resolved"].startswith("/")
    assert error.hint


@pytest.mark.parametrize(
    "requested",
    ["a\0b", '"a\\000b"', "half \ud800", '"open', "file:///etc/passwd"],
)
def test_refuses_text_that_is_no_path(
    standing_boundary: Boundary, requested: str
) -> None:
    with pytest.raises(FilewrightError) as caught:
        standing_boundary.locate(requested)
    assert caught.value.code is Code.INVALID_INPUT


def test_dots_behind_missing_name(boundary: Boundary) -> None:
    with pytest.raises(FilewrightError) as caught:
        boundary.locate("not/there/../file")
    assert caught.value.code is Code.NOT_FOUND


def test_tilde_leads_to_home_in_root(
    boundary: Boundary, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(root / "sub"))
    assert boundary.locate("~/file").display_path == "sub/file"


@examples(17, derandomize=True)
@given(
    st.lists(
        (
            TEXTS
            if sys.platform == "win32"
            else st.binary(min_size=1, max_size=6)
        ).filter(
            lambda n: (
                not set(n) & {0, 47}
                and n not in (b".", b"..")
                and not name_problem(n)
            )
        )
    )
)
def test_display_path_is_located_again(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes]
) -> None:
    base = tmp_path_factory.getbasetemp()
    boundary = Boundary([base, base.parent], Settings())
    try:
        for root in boundary.roots:
            location = Location(root, tuple(parts))
            assert boundary.locate(location.display_path) == location
            assert len(location.display_path.splitlines()) <= 1
    finally:
        boundary.close()


class TestSeveralRoots:
    @pytest.fixture
    def roots(self, tmp_path: Path) -> list[Path]:
        found = [
            tmp_path / "a" / "app",
            tmp_path / "b" / "app",
            tmp_path / "b" / "app" / "inner",
            tmp_path / "lib",
        ]
        for folder in found:
            folder.mkdir(parents=True)
            (folder / "x").write_text(folder.name)
        return found

    @pytest.fixture
    def boundary(
        self, roots: list[Path], by_kernel: bool
    ) -> Iterator[Boundary]:
        named = [
            str(roots[0]),
            str(roots[1]),
            str(roots[2]),
            f"library={roots[3]}",
        ]
        boundary = Boundary(named, Settings(openat2=by_kernel))
        yield boundary
        boundary.close()

    def test_names_are_the_folders_own_with_suffixes_or_those_given(
        self, boundary: Boundary
    ) -> None:
        assert [root.name for root in boundary.roots] == [
            "app",
            "app-2",
            "inner",
            "library",
        ]

    @pytest.mark.parametrize(
        ("requested", "index", "shown"),
        [
            ("x", 0, "x"),
            ("app:x", 0, "x"),
            ("app-2:x", 1, "app-2:x"),
            ("app-2:", 1, "app-2:"),
            ("app-2:/x", 1, "app-2:x"),
            ("library:x", 3, "library:x"),
            pytest.param(
                'library:"a\\nb"', 3, 'library:"a\\nb"', marks=NOT_ON_WINDOWS
            ),
            pytest.param(
                '"library:a\\nb"', 3, 'library:"a\\nb"', marks=NOT_ON_WINDOWS
            ),
            pytest.param("./library:x", 0, "./library:x", marks=NOT_ON_WINDOWS),
            pytest.param("other:x", 0, "./other:x", marks=NOT_ON_WINDOWS),
            ("{0}/x", 0, "x"),
            ("{1}/x", 1, "app-2:x"),
            ("{2}/x", 2, "inner:x"),
            ("{2}", 2, "inner:"),
        ],
    )
    def test_a_path_finds_its_root(
        self,
        boundary: Boundary,
        roots: list[Path],
        requested: str,
        index: int,
        shown: str,
    ) -> None:
        location = boundary.locate(requested.format(*roots))
        assert (location.root.index, location.display_path) == (index, shown)
        assert boundary.locate(location.display_path) == location

    @pytest.mark.parametrize(
        "requested",
        ["library:../a", "app-2:../../a/app/x", "app-2:inner/../../.."],
    )
    def test_one_root_is_no_way_into_another(
        self, boundary: Boundary, requested: str
    ) -> None:
        with pytest.raises(FilewrightError) as caught:
            boundary.locate(requested)
        assert caught.value.code is Code.PATH_ESCAPE

    def test_a_folder_given_twice_is_one_root(self, roots: list[Path]) -> None:
        boundary = Boundary([roots[0], f"{roots[0]}/.", roots[3]], Settings())
        assert len(boundary.roots) == 2
        boundary.close()


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ([], Code.INVALID_INPUT),
        (["{tmp}/no"], Code.NOT_FOUND),
        (["{tmp}/file"], Code.NOT_A_DIRECTORY),
    ],
)
def test_root_must_be_a_folder(
    tmp_path: Path, given: list[str], code: Code
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FilewrightError) as caught:
        Boundary(
            [item.replace("{tmp}", str(tmp_path)) for item in given], Settings()
        )
    assert caught.value.code is code


def test_root_through_link_has_two_paths(tmp_path: Path, root: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    boundary = Boundary([tmp_path / "alias"], Settings())
    assert boundary.locate(f"{tmp_path}/alias/file") == boundary.locate(
        f"{root}/file"
    )
    boundary.close()
