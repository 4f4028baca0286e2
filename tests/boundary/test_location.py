"""Locations: their names, and how results show them."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.settings import Settings
from filewright.system import name_problem

TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6).map(
    str.encode
)


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


def test_names(standing_boundary: Boundary) -> None:
    (root,) = standing_boundary.roots
    top = Location(root, ())
    file = top.child(b"a").child(b"b")
    assert (top.name, top.path, top.absolute) == (b"", b".", root.path)
    assert (file.name, file.path) == (b"b", b"a/b")
    assert file.absolute == root.path + b"/a/b"
    assert file.parent == top.child(b"a")
    assert top.parent == top
    assert file.is_within(top)
    assert file.is_within(file)
    assert not file.is_within(top.child(b"b"))
    assert not top.is_within(file)


def test_spelling_makes_no_difference(standing_boundary: Boundary) -> None:
    (root,) = standing_boundary.roots
    file = Location(root, (b"a",))
    spelled = file.spelled("./a")
    assert spelled == file
    assert (file.requested_path, spelled.requested_path) == ("a", "./a")
    assert spelled.display_path == "a"


@pytest.mark.parametrize(
    ("facts", "parts", "shown"),
    [
        ({}, (), "."),
        ({}, (b"~x",), "./~x"),
        ({}, (b"a:b",), "a:b"),
        ({"has_siblings": True}, (b"a:b",), "./a:b"),
        ({"index": 1}, (), "root:"),
        ({"index": 1}, (b"a:b",), "root:a:b"),
        ({"requires_prefix": True}, (b"a",), "root:a"),
    ],
)
def test_display_path(
    standing_boundary: Boundary,
    facts: dict[str, int],
    parts: tuple[bytes, ...],
    shown: str,
) -> None:
    root = replace(standing_boundary.roots[0], **facts)  # type: ignore[arg-type]
    assert Location(root, parts).display_path == shown


def test_folders_within_root(standing_boundary: Boundary) -> None:
    (root,) = standing_boundary.roots
    inside = root.resolved_path + b"/a/b"
    folders = [inside, root.resolved_path + b"er/a", root.resolved_path]
    assert root.parts_within(folders) == [(b"a", b"b")]
