"""The bytes that a file should have after another tool has edited it."""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest
from tests.promises import healing as sweep

from filewright.progress import Task
from filewright.recording.damage import Damage, Healing
from filewright.recording.expectation import (
    RequestedReplacement,
    ToolEdit,
    WholeText,
)
from filewright.recording.healing import heal
from filewright.recording.literal import heal_plain_edit
from filewright.recording.rebuild import rebuild
from filewright.text.snapshot import Snapshot

EDIT = (RequestedReplacement("port = 80", "port = 8080"),)


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
        (RequestedReplacement("port = 80", "port = 8080 \ufffd"),),
    ),
    "meant line ends": Case(
        b"a\nport = 80\n",
        b"a\nport = 80\r\n\r\nb\n",
        None,
        (),
        (RequestedReplacement("port = 80", "port = 80\r\n\r\nb"),),
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
    "several kinds in a file that was cut": Case(
        b"# caf\xe9\r\nport = 80\r\n\tx\r\nlast\r\n",
        b"# caf\xef\xbf\xbd\nport = 8080\n    x\n",
        b"# caf\xe9\r\nport = 8080\r\n\tx\r\nlast\r\n",
        (
            Damage.REPLACED_BYTES,
            Damage.LINE_ENDINGS,
            Damage.INDENTATION,
            Damage.TRUNCATED,
        ),
    ),
    "two strings, the second in the text of the first": Case(
        b"a\r\nport = 80\r\n",
        b"a\nport = 9090\n",
        b"a\r\nport = 9090\r\n",
        (Damage.LINE_ENDINGS,),
        (
            RequestedReplacement("= 80", "= 8080"),
            RequestedReplacement("8080", "9090"),
        ),
    ),
    "UTF-16 without a final end, several strings": Case(
        "\ufeffx \nport = 80\ny\nlast".encode("utf-16-le"),
        "\ufeffx\nport = 8080\ny\nfirst\n".encode("utf-16-le"),
        "\ufeffx \nport = 8080\ny\nfirst".encode("utf-16-le"),
        (Damage.TRAILING_WHITESPACE, Damage.FINAL_NEWLINE),
        (*EDIT, RequestedReplacement("y\nlast", "y\nfirst")),
    ),
    "everywhere": Case(
        b"\tport\n# caf\xe9 port\nport\n",
        b"\tgate\n# caf\xef\xbf\xbd gate\ngate\n",
        b"\tgate\n# caf\xe9 gate\ngate\n",
        (Damage.REPLACED_BYTES,),
        (RequestedReplacement("port", "gate", is_everywhere=True),),
    ),
    "the edited line is the only one with CRLF": Case(
        b"a\nport = 80\r\nb\n",
        b"a\nport = 8080\nb\n",
        b"a\nport = 8080\r\nb\n",
        (Damage.LINE_ENDINGS,),
    ),
    "new lines in a file with CRLF": Case(
        b"a\r\nport = 80\r\nb\r\n",
        b"a\r\nport = 80\nhost\nuser\r\nb\r\n",
        b"a\r\nport = 80\r\nhost\r\nuser\r\nb\r\n",
        (Damage.LINE_ENDINGS,),
        (RequestedReplacement("port = 80", "port = 80\nhost\nuser"),),
    ),
    "a whole text that means CRLF and a mark": Case(
        b"a\nb\n",
        b"\xef\xbb\xbfa\r\nc\r\n",
        None,
        (),
        WholeText("\ufeffa\r\nc\r\n"),
    ),
    "a whole text that means U+FFFD": Case(
        "é\n".encode(),
        "é \ufffd\n".encode(),
        None,
        (),
        WholeText("é \ufffd\n"),
    ),
    "the encoding would be another one with the edit": Case(
        b"caf\xe9\nport = 80\n",
        "caf\ufffd\nport = 80 € Ω\n".encode(),
        None,
        (),
        (RequestedReplacement("port = 80", "port = 80 € Ω"),),
    ),
    "a letter that the encoding has": Case(
        b"caf\xe9 na\xefve \xfcber\nport = 80\n",
        "caf\ufffd na\ufffdve \ufffdber\nport = 80 é\n".encode(),
        b"caf\xe9 na\xefve \xfcber\nport = 80 \xe9\n",
        (Damage.REPLACED_BYTES, Damage.ENCODING),
        (RequestedReplacement("port = 80", "port = 80 é"),),
    ),
    "broken UTF-8 that looks like cp1252": Case(
        b"\thost\nport \xe9port nai\xcc\x88ve\t\n\t\xc3\n    sen\xcc\x83or host\n"
        b" \xf0\x9f \n    \xf0\x9f \nport = 80\n",
        "\thost\nport \ufffdport nai\u0308ve\t\n\t\ufffd\n    sen\u0303or host\n"
        " \ufffd \n    \ufffd \nport = 80 é\n".encode(),
        None,
        (),
        (RequestedReplacement("port = 80", "port = 80 é"),),
    ),
    "cp1252 with a pair that is UTF-8, too": Case(
        "Gruß“ naïve café señor\nport = 80\n".encode("cp1252"),
        "Gru\u07d3 na\ufffdve caf\ufffd se\ufffdor\nport = 80 é\n".encode(),
        None,
        (),
        (RequestedReplacement("port = 80", "port = 80 é"),),
    ),
    "UTF-8 as UTF-16, without the arguments": Case(
        "é\r\nport = 80\n名\n".encode(),
        "\ufeffé\nport = 8080\n名\n".encode("utf-16-le"),
        "é\r\nport = 8080\n名\n".encode(),
        (Damage.LINE_ENDINGS, Damage.BYTE_ORDER_MARK, Damage.ENCODING),
        None,
    ),
    "UTF-8 as UTF-16": Case(
        "é\nport = 80\n".encode(),
        "\ufeffé\nport = 8080\n".encode("utf-16-be"),
        "é\nport = 8080\n".encode(),
        (Damage.BYTE_ORDER_MARK, Damage.ENCODING),
    ),
    "cp1252 as UTF-8, correctly": Case(
        "# café “naïve” über\nport = 80\n".encode("cp1252"),
        "# café “naïve” über\nport = 8080\n".encode(),
        "# café “naïve” über\nport = 8080\n".encode("cp1252"),
        (Damage.ENCODING,),
    ),
    "cp1252 as UTF-8, correctly, with a new letter": Case(
        "# café “naïve” über\nport = 80\n".encode("cp1252"),
        "# café “naïve” über\nport = 80 €\n".encode(),
        "# café “naïve” über\nport = 80 €\n".encode("cp1252"),
        (Damage.ENCODING,),
        None,
    ),
    "cp1252 as UTF-8, with a letter that it lacks": Case(
        "# café “naïve” über\nport = 80\n".encode("cp1252"),
        "# café “naïve” über\nport = 80 名\n".encode(),
        None,
        (),
        (RequestedReplacement("port = 80", "port = 80 名"),),
    ),
    "a notebook": Case(
        b'{"cells": ["a"],\r\n "x": 1}\r\n',
        b'{"cells": ["b"],\n "x": 1}\n',
        b'{"cells": ["b"],\r\n "x": 1}\r\n',
        (Damage.LINE_ENDINGS,),
        None,
    ),
    "an edit that empties the file": Case(
        b"port = 80", b"", None, (), (RequestedReplacement("port = 80", ""),)
    ),
    "a file that the tool emptied": Case(
        b"a\nport = 80\n",
        b"",
        None,
        (),
    ),
    "trailing blanks, without the arguments": Case(
        b"a  \nport = 80\n", b"a\nport = 8080\n", None, (), None
    ),
}


def heal_case(case: Case) -> Healing:
    healing = heal_plain_edit(case.before, case.after, case.edit)
    rebuilt = rebuild(Snapshot(case.before), case.after, case.edit, Task())
    if healing is None:
        return rebuilt
    # What is plain in the bytes is the same for the engine.
    assert (healing.content, healing.lines) == (rebuilt.content, rebuilt.lines)
    assert set(healing.damage) == set(rebuilt.damage)
    return healing


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


@pytest.mark.parametrize("seed", ["2/2879", "2/29684", "3/11267"])
def test_random_file_that_was_wrong_once(seed: str) -> None:
    case = sweep.random_case(random.Random(seed))
    assert case is not None
    result, healing = sweep.judge(case)
    assert result != "wrong", healing


@pytest.mark.parametrize("seed", range(10))
def test_random_files(seed: int) -> None:
    results = {}
    for number in range(60):
        case = sweep.random_case(random.Random(f"{seed}/{number}"))
        if case is not None:
            results[number] = sweep.judge(case)[0]
    assert "wrong" not in results.values(), results
