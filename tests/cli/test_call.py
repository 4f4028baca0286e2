"""The command `call`: arguments, answers and errors of any tool."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.cli.typed import run


def test_prints_answer(folder: Path) -> None:
    result = run("call", "read_content", '{"path": "a.txt"}')
    assert result.exit_code == 0
    assert "one" in result.stdout
    assert result.stderr == ""


def test_reads_standard_input(folder: Path) -> None:
    result = run("call", "read_content", "-", stdin='{"path": "a.txt"}')
    assert result.exit_code == 0
    assert "two" in result.stdout


def test_is_json(folder: Path) -> None:
    result = run("call", "read_content", '{"path": "a.txt"}', "--json")
    answer = json.loads(result.stdout)
    assert answer["is_error"] is False
    assert answer["code"] is None
    assert "one" in answer["text"]
    assert isinstance(answer["data"], dict)


def test_writes_errors_apart(folder: Path) -> None:
    result = run("call", "read_content", '{"path": "absent"}')
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("not_found: ")
    as_json = run("call", "read_content", '{"path": "absent"}', "--json")
    assert as_json.exit_code == 1
    assert json.loads(as_json.stderr)["code"] == "not_found"


def test_refuses_arguments(folder: Path) -> None:
    result = run("call", "read_content", '{"path": 3}')
    assert result.exit_code == 1
    assert "path" in result.stderr


def test_several_roots(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.txt").write_text("three\n")
    result = run(
        "call",
        "read_content",
        '{"path": "other:b.txt"}',
        "--root",
        str(folder),
        "--root",
        str(other),
    )
    assert result.exit_code == 0, result.stderr
    assert "three" in result.stdout


def test_lists_tools_and_schema(folder: Path) -> None:
    listed = run("call", "--list")
    assert listed.exit_code == 0
    assert "edit_content" in listed.stdout
    schema = run("call", "edit_content", "--schema")
    assert schema.exit_code == 0
    assert '"additionalProperties": false' in schema.stdout


def test_read_only(folder: Path) -> None:
    result = run(
        "call",
        "write_content",
        '{"items": [{"path": "n", "content": ""}]}',
        "--read-only",
    )
    assert result.exit_code != 0
    assert not (folder / "n").exists()


def test_output_is_utf8(folder: Path) -> None:
    (folder / "ü.txt").write_text("größe 漢\n", encoding="utf-8")
    result = subprocess.run(
        [
            sys.executable,
            "-m",
            "filewright",
            "call",
            "read_content",
            '{"path": "ü.txt"}',
        ],
        env={
            **os.environ,
            "LC_ALL": "C",
            "PYTHONUTF8": "0",
            "PYTHONIOENCODING": "ascii",
        },
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "größe 漢".encode() in result.stdout
