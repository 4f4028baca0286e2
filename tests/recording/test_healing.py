"""The bytes that a file should have after another tool has edited it."""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest
from tests.promises import healing as sweep

from filewright.progress import Task
from filewright.recording.damage import Damage, Healing
from filewright.recording.expectation import (
    TextReplacement,
    ToolEdit,
    WholeText,
    expect,
)
from filewright.recording.healing import heal
from filewright.text.snapshot import Snapshot

EDIT = (TextReplacement("port = 80", "port = 8080"),)


class Case(NamedTuple):
    """A file before and after a tool, what it was told, and what should be there."""

    before: bytes
    after: bytes
    healed: bytes | None
    damage: tuple[Damage, ...]
    edit: ToolEdit | None = EDIT


CASES = {
    "Latin-1 as UTF-8": Case(
        b"# caf\xe9\nport = 80\n",
        b"# caf\xef\xbf\xbd\nport = 8080\n",
        b"# caf\xe9\nport = 8080\n",
        (Damage.REPLACED_BYTES,),
    ),
    "Latin-1 as UTF-8, without the arguments": Case(
        b"# caf\xe9\nport = 80\n",
        b"# caf\xef\xbf\xbd\nport = 8080\n",
        b"# caf\xe9\nport = 8080\n",
        (Damage.REPLACED_BYTES,),
        None,
    ),
    "in the changed line": Case(
        b"port = 80 # caf\xe9\n",
        b"port = 8080 # caf\xef\xbf\xbd\n",
        b"port = 8080 # caf\xe9\n",
        (Damage.REPLACED_BYTES,),
        None,
    ),
    "broken UTF-8": Case(
        "é\n".encode() + b"\xff\xfe\x80\nport = 80\n",
        "é\n\ufffd\ufffd\ufffd\nport = 8080\n".encode(),
        "é\n".encode() + b"\xff\xfe\x80\nport = 8080\n",
        (Damage.REPLACED_BYTES,),
    ),
    "CRLF": Case(
        b"a\r\nport = 80\r\nb\r\n",
        b"a\nport = 8080\nb\n",
        b"a\r\nport = 8080\r\nb\r\n",
        (Damage.LINE_ENDINGS,),
    ),
    "mixed line ends": Case(
        b"a\r\nport = 80\nb\r\nc\n",
        b"a\r\nport = 8080\r\nb\r\nc\r\n",
        b"a\r\nport = 8080\nb\r\nc\n",
        (Damage.LINE_ENDINGS,),
    ),
    "a lone CR": Case(
        b"a\rb\nport = 80\n",
        b"a\nb\nport = 8080\n",
        b"a\rb\nport = 8080\n",
        (Damage.LINE_ENDINGS,),
    ),
    "a byte-order mark": Case(
        b"\xef\xbb\xbfport = 80\n",
        b"port = 8080\n",
        b"\xef\xbb\xbfport = 8080\n",
        (Damage.BYTE_ORDER_MARK,),
    ),
    "UTF-16 as UTF-8": Case(
        "\ufeffé\nport = 80\n".encode("utf-16-le"),
        "é\nport = 8080\n".encode(),
        "\ufeffé\nport = 8080\n".encode("utf-16-le"),
        (Damage.BYTE_ORDER_MARK, Damage.ENCODING),
    ),
    "tabs": Case(
        b"\ta\n\tport = 80\n",
        b"    a\n\tport = 8080\n",
        b"\ta\n\tport = 8080\n",
        (Damage.INDENTATION,),
    ),
    "trailing blanks": Case(
        b"a  \nport = 80\n",
        b"a\nport = 8080\n",
        b"a  \nport = 8080\n",
        (Damage.TRAILING_WHITESPACE,),
    ),
    "a final newline": Case(
        b"a\nport = 80",
        b"a\nport = 8080\n",
        b"a\nport = 8080",
        (Damage.FINAL_NEWLINE,),
    ),
    "composed letters": Case(
        "e\u0301\nport = 80\n".encode(),
        "é\nport = 8080\n".encode(),
        "e\u0301\nport = 8080\n".encode(),
        (Damage.NORMALISATION,),
    ),
    "quotes": Case(
        "“a”\nport = 80\n".encode(),
        b'"a"\nport = 8080\n',
        "“a”\nport = 8080\n".encode(),
        (Damage.QUOTES,),
    ),
    "a tail that is missing": Case(
        b"port = 80\na\nb\nc\n",
        b"port = 8080\na\n",
        b"port = 8080\na\nb\nc\n",
        (Damage.TRUNCATED,),
    ),
    "a wrong guess of the encoding": Case(
        "名前表示番号\nport = 80\n".encode("cp932"),
        "名前表示番号\nport = 8080\n".encode("cp932").replace(
            b"\x96\xbc", b"\x9d\xbc"
        ),
        "名前表示番号\nport = 8080\n".encode("cp932"),
        (Damage.ENCODING,),
    ),
    "a formatter, too": Case(
        b"# caf\xe9\nport = 80\nlist = [1,2]\n",
        b"# caf\xef\xbf\xbd\nport = 8080\nlist = [1, 2]\n",
        b"# caf\xe9\nport = 8080\nlist = [1, 2]\n",
        (Damage.REPLACED_BYTES,),
    ),
    "a meant replacement character": Case(
        b"a\nport = 80\n",
        "a\nport = 8080 \ufffd\n".encode(),
        None,
        (),
        (TextReplacement("port = 80", "port = 8080 \ufffd"),),
    ),
    "meant line ends": Case(
        b"a\nport = 80\n",
        b"a\nport = 80\r\n\r\nb\n",
        None,
        (),
        (TextReplacement("port = 80", "port = 80\r\n\r\nb"),),
    ),
    "a whole text in the encoding before": Case(
        b"caf\xe9\r\n",
        "café\nüber\n".encode(),
        b"caf\xe9\r\n\xfcber\r\n",
        (Damage.LINE_ENDINGS, Damage.ENCODING),
        WholeText("café\nüber\n"),
    ),
    "a whole text that does not fit": Case(
        b"caf\xe9 na\xefve\n",
        "café 名\n".encode(),
        None,
        (),
        WholeText("café 名\n"),
    ),
    "nothing damaged": Case(b"a\nport = 80\n", b"a\nport = 8080\n", None, ()),
    "trailing blanks, without the arguments": Case(
        b"a  \nport = 80\n", b"a\nport = 8080\n", None, (), None
    ),
}


def heal_case(case: Case) -> Healing:
    snapshot = Snapshot(case.before)
    expected = (
        None if case.edit is None else expect(snapshot, case.edit, Task())
    )
    return heal(case.before, case.after, snapshot.encoding, expected)


@pytest.mark.parametrize("name", CASES)
def test_heals(name: str) -> None:
    case = CASES[name]
    healing = heal_case(case)
    assert (healing.content, healing.damage) == (case.healed, case.damage), (
        healing
    )


def test_says_which_character_does_not_fit() -> None:
    case = CASES["a whole text that does not fit"]
    assert "'名'" in heal_case(case).doubt


def test_leaves_what_is_not_certain() -> None:
    # Which of two equal lines was deleted decides which line end stays.
    before, after = b"a\r\na\nb\n", b"a\nb\n"
    assert heal(before, after, Snapshot(before).encoding).content in (
        None,
        after,
    )


@pytest.mark.parametrize("seed", range(10))
def test_random_files(seed: int) -> None:
    results = {}
    for number in range(60):
        case = sweep.random_case(random.Random(f"{seed}/{number}"))
        if case is not None:
            results[number] = sweep.judge(case)[0]
    assert "wrong" not in results.values(), results
