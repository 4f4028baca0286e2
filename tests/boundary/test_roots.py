"""The roots of a workspace, and the one that a path is below."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.boundary.roots import enclosing_location, require_root
from filewright.errors import Code, FilewrightError
from filewright.settings import Settings

NOT_ON_WINDOWS = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no such name"
)


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


def test_inner_root_is_in_nearest_other(tmp_path: Path) -> None:
    paths = [tmp_path, tmp_path / "a", tmp_path / "a/b/c"]
    paths[-1].mkdir(parents=True)
    boundary = Boundary(paths, Settings())
    outer, middle, inner = boundary.roots
    location = enclosing_location(inner, boundary.roots)
    assert location is not None
    assert (location.root, location.path) == (middle, b"b/c")
    assert enclosing_location(outer, boundary.roots) is None
    boundary.close()


def test_root_was_replaced(tmp_path: Path) -> None:
    path = tmp_path / "work"
    path.mkdir()
    boundary = Boundary([path], Settings())
    (root,) = boundary.roots
    require_root(root, "x")
    path.rename(tmp_path / "other")
    with pytest.raises(FilewrightError, match="was deleted or moved"):
        require_root(root, "x")
    path.mkdir()
    with pytest.raises(FilewrightError, match="by another folder") as caught:
        require_root(root, "x")
    assert caught.value.code is Code.NOT_FOUND
    boundary.close()
