"""Standard streams, and memory given back."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from filewright.system.streams import (
    claim_standard_streams,
    discard_standard_output,
    give_back_when_idle,
)


def test_output_has_only_answers(capfd: pytest.CaptureFixture[str]) -> None:
    with claim_standard_streams() as (source, target):
        target.write(b"answer\n")
        os.write(1, b"stray\n")
        assert os.read(0, 1) == b""
        assert source.fileno() > 2
    os.write(1, b"after\n")
    output = capfd.readouterr()
    assert (output.out, output.err) == ("answer\nafter\n", "stray\n")


def test_reads_original_input(capfd: pytest.CaptureFixture[str]) -> None:
    kept = os.dup(0)
    reader, writer = os.pipe()
    os.write(writer, b"call")
    os.dup2(reader, 0)
    with claim_standard_streams() as (source, _):
        assert source.read(9) == b"call"
    assert os.fstat(0).st_ino == os.fstat(reader).st_ino
    os.dup2(kept, 0)
    for descriptor in (kept, reader, writer):
        os.close(descriptor)


def test_discards_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "out").open("w") as output:
        monkeypatch.setattr(sys, "stdout", output)
        print("seen", flush=True)
        discard_standard_output()
        print("unseen", flush=True)
    assert (tmp_path / "out").read_text() == "seen\n"


def test_idle_wire_is_not_read() -> None:
    reader, writer = os.pipe()
    with io.FileIO(reader) as wire, io.FileIO(writer, "w") as client:
        give_back_when_idle(wire, 0)
        client.write(b"call")
        give_back_when_idle(wire, 600)
        assert wire.read(9) == b"call"
