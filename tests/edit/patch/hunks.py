"""Hunks for tests, read from a patch of one file."""

from __future__ import annotations

from filewright.edit.patch.model import FilePatch, PatchHunk
from filewright.edit.patch.reader import parse_patch
from filewright.edit.source import Source
from filewright.text.snapshot import Snapshot


def read_file(text: str) -> FilePatch:
    """Return the file of the hunks in `text`, with their headers."""
    (file,) = parse_patch(f"--- a/x\n+++ b/x\n{text}").files
    return file


def read_hunks(text: str) -> tuple[PatchHunk, ...]:
    return read_file(text).hunks


def read_sections(text: str) -> FilePatch:
    """Return the file of the sections in `text`, which have no line numbers."""
    (file,) = parse_patch(
        f"*** Begin Patch\n*** Update File: x\n{text}*** End Patch\n"
    ).files
    return file


def source_of(text: str) -> Source:
    return Source(Snapshot(text.encode()))
