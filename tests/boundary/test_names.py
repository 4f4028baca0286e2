"""Names as text: safe to show, and read back as the same bytes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.boundary.names import plain_form, printable_path, quote, unquote
from filewright.errors import Code, FilewrightError

QUOTED = [
    (b"plain.txt", "plain.txt"),
    (b"with space", "with space"),
    ("grün/日本.txt".encode(), "grün/日本.txt"),
    (b'inner"quote', 'inner"quote'),
    (b"back\\slash", "back\\slash"),
    (b'"first', '"\\"first"'),
    (b"new\nline", '"new\\nline"'),
    (b"bad\377\nname", '"bad\\377\\nname"'),
    (b"\x01\x1f\x7f", '"\\001\\037\\177"'),
    (b" lead", '" lead"'),
    (b"trail ", '"trail "'),
    ("line\u2028separator".encode(), '"line\\342\\200\\250separator"'),
    ("right\u202eto left".encode(), '"right\\342\\200\\256to left"'),
    (b"\xed\xa0\x80", '"\\355\\240\\200"'),
    (b"", ""),
]


@pytest.mark.parametrize(
    ("name", "text"), QUOTED, ids=[text for _, text in QUOTED]
)
def test_quotes_and_unquotes(name: bytes, text: str) -> None:
    assert quote(name) == text
    assert unquote(text) == name


@examples(34, derandomize=True)
@given(st.binary(max_size=40).filter(lambda name: b"\0" not in name))
def test_quoting_is_reversible(name: bytes) -> None:
    text = quote(name)
    assert unquote(text) == name
    text.encode()  # no surrogate: fit for the wire
    assert not any(
        ord(character) < 32 or 0x7F <= ord(character) < 0xA0
        for character in text
    )


@pytest.mark.parametrize(
    "text",
    [
        '"',
        '"open',
        '"a"b"',
        '"a\\"',
        '"a\\q"',
        '"a\\8"',
        '"a\\40"',
        '"nul\\000"',
        "nul\0",
        "half \ud800",
        '"\ud800"',
    ],
    ids=ascii,
)
def test_refuses_text_that_is_no_name(text: str) -> None:
    with pytest.raises(FilewrightError) as caught:
        unquote(text)
    assert caught.value.code is Code.INVALID_INPUT
    str(caught.value).encode()


def test_unquotes_surrogate_escapes() -> None:
    assert unquote("caf\udce9") == b"caf\xe9"


@pytest.mark.parametrize(
    "requested",
    ["a\nb", "a\udc80", "half \ud800", "\x1b[31m", "a\0b", "x\u2028y"],
)
def test_printable_path_has_one_line(requested: str) -> None:
    text = printable_path(requested)
    text.encode()
    assert len(text.splitlines()) == 1
    assert text.isprintable()


def test_git_reads_quoted_form(tmp_path: Path) -> None:
    names = [name for name, _ in QUOTED if name and b"/" not in name]
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for name in names:
        (tmp_path / name.decode("utf-8", "surrogateescape")).write_bytes(b"")
    said = subprocess.run(
        [
            "git",
            "-C",
            tmp_path,
            "-c",
            "core.quotePath=false",
            "ls-files",
            "--others",
        ],
        capture_output=True,
        check=True,
    )
    listed = said.stdout.decode("utf-8", "surrogateescape").split("\n")[:-1]
    assert sorted(unquote(line) for line in listed) == sorted(names)


def test_plain_form_keeps_names_apart() -> None:
    names = [".git", ".gitignore", "git", "a", "b", "...", " ", "é", "e"]
    assert len({plain_form(name.encode()) for name in names}) == len(names)
