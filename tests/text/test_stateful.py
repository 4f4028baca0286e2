"""Encodings with shift states, whose bytes are all ASCII."""

import json
from pathlib import Path

import pytest

from filewright.text.snapshot import Snapshot

SENTENCES = [
    sentence
    for row in json.loads(
        Path(__file__).with_name("sentences.json").read_text("utf-8")
    )["texts"]
    for sentence in row["sentences"]
    if not sentence.isascii()
]
STATEFUL = [
    "utf-7", "hz", "iso2022_jp", "iso2022_jp_1", "iso2022_jp_2", "iso2022_jp_3", "iso2022_jp_2004",
    "iso2022_jp_ext", "iso2022_kr",
]  # fmt: skip


@pytest.mark.parametrize("encoding", STATEFUL)
def test_recognises_stateful_encoding(encoding: str) -> None:
    count = 0
    for sentence in SENTENCES:
        try:
            data = f"# {sentence}\nF 8l\n".encode(encoding)
        except UnicodeEncodeError:
            continue
        count += 1
        snapshot = Snapshot(data)
        assert snapshot.unreadable_encoding, sentence
        assert (
            snapshot.binary_type
            == f"text/plain; charset={snapshot.unreadable_encoding}"
        )
        assert Snapshot(data, encoding="ascii").binary_type is None
    assert count >= 20


@pytest.mark.parametrize(
    "data",
    [
        b"i++; x = a+b; y = x+foo;\n",
        b"REST+API\n",
        b"x+foo-1, tel. +4917012345678\n",
        b'(format t "~{~a~^, ~}" list)\n',
        b"Fig.~{a} and ~{b~}\n",
        b"echo ~{a,b}",
        b"\x1b[31mred\x1b[0m \x1b(B\x1b[m plain \x1b(0lqk\x1b(B\n",
        b"+1yY and +Username-\n",
        b"a+b\n+AOk\xff\n",
    ],
    ids=[
        "program",
        "plus-name",
        "telephone",
        "lisp-format",
        "latex-ties",
        "shell-braces",
        "terminal-colours",
        "user-names",
        "high-byte",
    ],
)
def test_accepts_plain_text(data: bytes) -> None:
    assert Snapshot(data).binary_type is None
