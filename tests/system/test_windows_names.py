"""What Windows makes of names and paths: the table that refuses, which needs no Windows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.system.hostile_names import ALLOWED, PATHS_READ, PATHS_REFUSED, REFUSED

from filewright.system.windows_names import (
    SplitPath,
    may_be_short,
    name_problem,
    path_from_file_url,
    path_to_file_url,
    split_path,
)


def test_there_are_at_least_150_hostile_ones() -> None:
    assert len({*REFUSED, *PATHS_REFUSED}) >= 150


@each_row("name", REFUSED)
def test_what_another_program_would_read_differently_is_refused(name: bytes) -> None:
    assert name_problem(name)


@each_row("name", ALLOWED)
def test_what_is_only_unusual_is_a_name(name: bytes) -> None:
    assert name_problem(name) is None


@each_row("path", PATHS_REFUSED)
def test_a_path_that_names_no_file_by_itself_is_refused(path: bytes) -> None:
    with pytest.raises(ValueError, match=r"names|begins"):
        split_path(path)


@each_row(("path", "anchor", "parts"), PATHS_READ)
def test_paths_that_say_the_same_are_read_the_same(
    path: bytes, anchor: bytes, parts: tuple[bytes, ...]
) -> None:
    assert split_path(path) == SplitPath(anchor, parts)


@pytest.mark.parametrize(
    ("host", "path", "named", "url"),
    [
        ("", b"/C:/a b", b"C:/a b", "file:///C:/a%20b"),
        ("localhost", b"/c:/a", b"c:/a", "file:///c:/a"),
        ("server", b"/share/a", b"//server/share/a", "file://server/share/a"),
        ("", b"/no/drive", b"/no/drive", None),
    ],
)
def test_urls_and_paths(host: str, path: bytes, named: bytes, url: str | None) -> None:
    assert path_from_file_url(host, path) == named
    assert url is None or path_to_file_url(named) == url


@pytest.mark.parametrize(
    "name",
    [
        "ÄÖÜÄÖÜ~1.TXT".encode(),
        b"PROGRA~1",
        b"git~1",
        b"GIT~1",
        b"LONGFI~1.TXT",
        b"a~2",
        b"LONG~0IU.TEX",
    ],
)
def test_the_form_of_short_names_is_known(name: bytes) -> None:
    assert may_be_short(name)


@pytest.mark.parametrize(
    "name",
    [b".fw~abcdefgh", b"~$doc.docx", b"a~", b"backup~1.text", b"longername~1", b"~1"],
)
def test_other_names_with_a_tilde_are_not_taken_for_short_ones(name: bytes) -> None:
    assert not may_be_short(name)


@given(
    st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass"))
    | st.binary(max_size=40)
)
def test_a_name_that_passes_is_one_file_and_nothing_else(name: bytes) -> None:
    if name_problem(name) is not None:
        return
    text = name.decode("utf-8", "surrogatepass")
    assert text.encode("utf-8", "surrogatepass") == name
    assert not set(text) & set('<>:"/\\|?*')
    assert min(text) >= " "
    assert text == text.rstrip(". ") != ""
    assert len(text.encode("utf-16-le", "surrogatepass")) <= 510
