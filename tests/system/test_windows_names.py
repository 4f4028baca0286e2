"""Rules of Windows for names and paths; they need no Windows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.system.windows_name_tables import (
    ALLOWED,
    PATHS_READ,
    PATHS_REFUSED,
    REFUSED,
)

from filewright.system.windows_names import (
    SplitPath,
    may_be_short,
    name_problem,
    path_from_file_url,
    path_to_file_url,
    split_path,
)


def test_at_least_150_hostile_names() -> None:
    assert len({*REFUSED, *PATHS_REFUSED}) >= 150


@pytest.mark.parametrize("name", REFUSED)
def test_refuses_misread_names(name: bytes) -> None:
    assert name_problem(name)


@pytest.mark.parametrize("name", ALLOWED)
def test_accepts_unusual_names(name: bytes) -> None:
    assert name_problem(name) is None


@pytest.mark.parametrize("path", PATHS_REFUSED)
def test_refuses_incomplete_paths(path: bytes) -> None:
    with pytest.raises(ValueError, match=r"names|begins"):
        split_path(path)


@pytest.mark.parametrize(("path", "anchor", "parts"), PATHS_READ)
def test_splits_paths(
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
def test_file_urls(
    host: str, path: bytes, named: bytes, url: str | None
) -> None:
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
def test_recognizes_short_names(name: bytes) -> None:
    assert may_be_short(name)


@pytest.mark.parametrize(
    "name",
    [
        b".fw~abcdefgh",
        b"~$doc.docx",
        b"a~",
        b"backup~1.text",
        b"longername~1",
        b"~1",
    ],
)
def test_other_names_with_tilde_are_not_short(name: bytes) -> None:
    assert not may_be_short(name)


@given(
    st.text(max_size=300).map(
        lambda text: text.encode("utf-8", "surrogatepass")
    )
    | st.binary(max_size=40)
)
def test_accepted_names_are_plain(name: bytes) -> None:
    if name_problem(name) is not None:
        return
    text = name.decode("utf-8", "surrogatepass")
    assert text.encode("utf-8", "surrogatepass") == name
    assert not set(text) & set('<>:"/\\|?*')
    assert min(text) >= " "
    assert text == text.rstrip(". ") != ""
    assert len(text.encode("utf-16-le", "surrogatepass")) <= 510
