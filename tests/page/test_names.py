r"""Names of files on the page: one spelling for what cannot be shown."""

from __future__ import annotations

import pytest

from filewright.page.names import natural_key, readable_path, show_name

QUOTED = r'"data/a b\342\200\256txt.exe"'


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        pytest.param("data/a.txt", "data/a.txt", id="plain"),
        pytest.param(QUOTED, r"data/a b\u202etxt.exe", id="direction"),
        pytest.param(r'"a\nb"', r"a\x0ab", id="line-feed"),
        pytest.param(r'"caf\351"', r"caf\xe9", id="byte"),
        pytest.param('"data/a', '"data/a', id="no-end"),
    ],
)
def test_one_spelling(path: str, shown: str) -> None:
    assert readable_path(path) == shown


def test_folder_of_quoted_name() -> None:
    name = show_name(QUOTED)
    assert name.folder == "data/"
    assert r'<span class="escape">\u202e</span>' in name.base


def test_html_of_name() -> None:
    name = show_name("<b>/<i>")
    assert (name.folder, name.base) == ("&lt;b&gt;/", "&lt;i&gt;")


def test_natural_order() -> None:
    names = [b"m10", b"m1", b"M2", b"a" + b"9" * 50, b"a1"]
    assert sorted(names, key=lambda name: natural_key([name])) == [
        b"a1",
        b"a" + b"9" * 50,
        b"m1",
        b"M2",
        b"m10",
    ]
