"""`locate` returns a location below a root, or an error that says what to do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.errors import Code, FilewrightError

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
