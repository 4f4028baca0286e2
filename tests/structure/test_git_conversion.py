"""The rules by which git converts line ends; a test holds them to git itself."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from filewright.structure.git_conversion import (
    file_conversion,
    restore_ends,
    to_stored_ends,
)

ATTRIBUTES = (
    "",
    "text",
    "-text",
    "text=auto",
    "eol=lf",
    "eol=crlf",
    "text=auto eol=crlf",
    "crlf",
    "-crlf",
    "crlf=input",
)
CONTENTS = {
    "lf": b"a\nb\n",
    "crlf": b"a\r\nb\r\n",
    "mixed": b"a\r\nb\n",
    "cr": b"a\rb\r\n",
    "nul": b"a\0\r\nb\r\n",
    "controls": b"\1\2\3\r\n",
    "end": b"a\r\n\x1a",
}


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("autocrlf", ["true", "input", "false"])
def test_stores_as_git_does(tmp_path: Path, autocrlf: str) -> None:
    environment = {
        **{
            name: value
            for name, value in os.environ.items()
            if not name.startswith("GIT_")
        },
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "HOME": str(tmp_path),
    }

    def git(*words: str) -> bytes:
        return subprocess.run(
            ["git", *words],
            cwd=tmp_path,
            env=environment,
            check=True,
            capture_output=True,
        ).stdout

    git("init", "-q")
    git("config", "core.autocrlf", "false")
    cases = list(
        enumerate(itertools.product(ATTRIBUTES, CONTENTS, ("lf", "crlf")))
    )
    names = {}
    for number, (_, _, stored) in cases:
        names[number] = f"{number:03}.txt"
        (tmp_path / names[number]).write_bytes(CONTENTS[stored])
    git("add", ".")
    lines = [f"{names[number]} {case[0]}" for number, case in cases]
    (tmp_path / ".gitattributes").write_text("\n".join(lines) + "\n")
    git("config", "core.autocrlf", autocrlf)
    for number, (_, content, _) in cases:
        (tmp_path / names[number]).write_bytes(CONTENTS[content])
    git("add", ".")
    attributes: dict[str, dict[str, str]] = {}
    fields = (
        git("check-attr", "-z", "text", "crlf", "eol", "--", *names.values())
        .decode()
        .split("\0")
    )
    for name, attribute, value in zip(
        fields[::3], fields[1::3], fields[2::3], strict=False
    ):
        attributes.setdefault(name, {})[attribute] = value
    for number, (attribute, content, stored) in cases:
        conversion = file_conversion(attributes[names[number]], autocrlf)
        expected = CONTENTS[content]
        if conversion.unifies_ends(expected, CONTENTS[stored]):
            expected = to_stored_ends(expected)
        added = git("cat-file", "blob", f":{names[number]}")
        assert added == expected, (attribute, content, stored)


@pytest.mark.parametrize(
    ("stored", "content", "expected"),
    [
        (b"a\nb\n", b"x\n", b"a\nb\n"),
        (b"a\nb\n", b"x\r\n", b"a\r\nb\r\n"),
        (b"a\r\nb\n", b"x\r\n", b"a\r\nb\r\n"),
        (b"a\nb\n", b"x\r\ny\n", None),
        (b"a\n", b"", b"a\n"),
    ],
)
def test_restores_ends(
    stored: bytes, content: bytes, expected: bytes | None
) -> None:
    assert restore_ends(stored, content) == expected


@pytest.mark.parametrize(
    ("attributes", "obstacle"),
    [
        ({"filter": "lfs"}, "the attribute filter=lfs"),
        (
            {"working-tree-encoding": "UTF-16"},
            "the attribute working-tree-encoding=UTF-16",
        ),
        ({"filter": "unset"}, ""),
        ({"filter": "unspecified"}, ""),
    ],
)
def test_obstacles(attributes: dict[str, str], obstacle: str) -> None:
    assert file_conversion(attributes, "false").obstacle == obstacle
