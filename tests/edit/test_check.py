"""Matches with a certain place that are refused: for omissions and half repairs."""

from __future__ import annotations

import pytest

from filewright.edit.check import (
    check_match,
    find_broken_string,
    find_damaging_repair,
)
from filewright.edit.locate import locate
from filewright.edit.model import AmbiguousWriteError, EditMatch
from filewright.edit.request import TextEdit
from filewright.edit.source import Source
from filewright.text.snapshot import Snapshot


def check(content: str, edit: TextEdit) -> None:
    source = Source(Snapshot(content.encode()))
    match = locate(source, edit)
    assert isinstance(match, EditMatch)
    check_match(source, match)


CODE = "def f():\n    a()\n    b()\n    c()\n"
OMITTED = "def f():\n    # ... existing code ...\n    d()\n"


def test_refuses_omission_marker() -> None:
    with pytest.raises(
        AmbiguousWriteError, match="is a placeholder for omitted text"
    ):
        check(CODE, TextEdit(CODE, OMITTED))
    check(CODE, TextEdit(CODE, OMITTED, fuzzy=False))
    check(CODE, TextEdit(CODE, CODE.replace("a()", "d()")))
    # The file has the marker itself.
    check(OMITTED, TextEdit(OMITTED, OMITTED.replace("d()", "e()")))


@pytest.mark.parametrize(
    ("replacement", "repaired", "file_lines", "damaged"),
    [
        pytest.param(
            r"x = '\\n'", r"x = '\n'", [r"x = '\\n'"], r"x = '\n'", id="kept"
        ),
        pytest.param(
            r"x = '\\n'", r"x = '\n'", [r"x = '\n'"], None, id="repaired"
        ),
        pytest.param(
            r"y = 1", r"y = 1", [r"x = '\\n'"], None, id="another line"
        ),
        pytest.param(
            r"x = '\\\\d'",
            r"x = '\\d'",
            [r"x = '\d'"],
            r"x = '\\d'",
            id="one level too much",
        ),
        pytest.param(r"a\nb", "a\nb", ["a", "b"], None, id="divided lines"),
    ],
)
def test_damaging_repair(
    replacement: str,
    repaired: str,
    file_lines: list[str],
    damaged: str | None,
) -> None:
    assert find_damaging_repair(replacement, repaired, file_lines) == damaged


@pytest.mark.parametrize(
    ("repaired", "broken"),
    [
        ("print('a\n')", "print('a"),
        ("x = 'a\tb'", "x = 'a\tb'"),
        ("\tx = 'a'\ty", None),
        ("print('a' + b)", None),
        ("print(f'a')", None),
        ('x = """a\n"""', None),
        ("known = 'a\ny = 1", None),
    ],
)
def test_broken_string(repaired: str, broken: str | None) -> None:
    assert find_broken_string(repaired, ["known = 'a"]) == broken
