"""The encoding, the line ending and the version of a file, as results name them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from filewright.errors import FilewrightError
from filewright.hints import join_hints
from filewright.text.codec import Encoding
from filewright.text.snapshot import Snapshot
from filewright.wording import escape_controls

SAMPLE_BYTES = 256 << 10
"""The beginning of a large file by which its line ending is named."""


def line_ending(snapshot: Snapshot) -> str:
    """Return the name of a file's line ending; of a large file only the beginning counts."""
    if snapshot.content is not None or snapshot.lines.is_complete:
        return snapshot.lines.terminators.name
    end = snapshot.clip(SAMPLE_BYTES)
    return snapshot.lines.count_terminators(snapshot.start, end).name


def describe_kept_form(snapshot: Snapshot) -> str:
    """Return the unusual properties that a file keeps: ``; cp1252 and crlf kept``, or ""."""
    encoding = snapshot.encoding
    ending = "lf"
    if not snapshot.has_no_returns:
        ending = line_ending(snapshot)
    forms: list[str] = []
    if encoding.bom or encoding.name != "utf-8":
        forms.append(_encoding_name(encoding))
    if ending not in ("lf", "none"):
        forms.append("mixed line endings" if ending == "mixed" else ending)
    elif forms and encoding.name != "utf-8":
        forms[0] = f"encoding {forms[0]}"
    return f"; {' and '.join(forms)} kept" if forms else ""


def describe_encoding(snapshot: Snapshot) -> str:
    """Return encoding, line ending and version, for the first line of a result."""
    encoding = snapshot.encoding
    name = _encoding_name(encoding)
    if snapshot.compression:
        name = f"{snapshot.compression}, {name}"
    if encoding.declared_label:
        name += f" (declared as {encoding.declared_label})"
    if encoding.has_invalid_bytes:
        name += " with invalid bytes"
    elif encoding.is_guess:
        name += f" (guessed, confidence {encoding.confidence:.2f})"
    return f"{name}; {line_ending(snapshot)}; version {snapshot.version}"


def encoding_facts(snapshot: Snapshot) -> dict[str, Any]:
    """Return encoding, line ending and version as plain values."""
    encoding = snapshot.encoding
    return {
        "encoding": encoding.name,
        "encoding_confidence": round(encoding.confidence, 3),
        "bom": bool(encoding.bom),
        "line_ending": line_ending(snapshot),
        "version": snapshot.version,
    }


def is_complete(snapshot: Snapshot) -> bool | None:
    """Return False if a compressed file is known to be damaged, else None."""
    return False if snapshot.problem else None


def damage_notes(snapshot: Snapshot) -> tuple[str, ...]:
    """Return a note on where the text of a damaged compressed file ends, as far as known."""
    if not snapshot.problem:
        return ()
    path = escape_controls(snapshot.requested_path)
    return (f"{path} {snapshot.problem}",)


@contextmanager
def explain_damage(snapshot: Snapshot) -> Iterator[None]:
    """Add the damage of a compressed file to an error inside.

    A line or a text that is not there may be in the part that could not be read.
    """
    try:
        yield
    except FilewrightError as error:
        add_damage_hint(error, damage_notes(snapshot))
        raise


def add_damage_hint(error: FilewrightError, notes: Sequence[str]) -> None:
    """Add notes on damaged files to the hint of an error."""
    if notes:
        hints = [*notes] if error.hint is None else [*notes, error.hint]
        error.hint = join_hints(hints)
        error.details["complete"] = False


def _encoding_name(encoding: Encoding) -> str:
    return f"{encoding.name} with BOM" if encoding.bom else encoding.name


def file_facts(snapshot: Snapshot) -> dict[str, Any]:
    """Return the facts of a text file that are the same for every part of it."""
    path = ""
    if snapshot.location is not None:
        path = snapshot.location.display_path
    return {
        "path": path,
        "size": snapshot.file_size,
        **encoding_facts(snapshot),
    }
